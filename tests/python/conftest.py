"""A private PostgreSQL for the tests that need one; skipped where there is none."""
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

import pytest

pytest_plugins = ["pytester", "assay.pytest_plugin"]


def _postgres_programs():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@pytest.fixture(scope="session")
def postgres():
    """Makes connections to an empty database of a server of our own, which listens on no network."""
    psycopg2 = pytest.importorskip("psycopg2", reason="Debian has it in python3-psycopg2")
    programs = _postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-python-"))
    user = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
        user = {"user": "postgres"}
    try:
        subprocess.run([programs / "initdb", "-D", folder / "data", "-U", "tester", "-A", "trust", "-N"], check=True, cwd=folder,
                       stdout=subprocess.DEVNULL, **user)
        server = subprocess.Popen([programs / "postgres", "-D", folder / "data", "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"],
                                  cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)
        try:
            subprocess.run([programs / "pg_isready", "-h", folder, "-q"], check=False)
            yield lambda: _connected(psycopg2, folder, server)
        finally:
            server.terminate()
            server.wait(timeout=60)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _connected(psycopg2, folder, server):
    import time
    for _ in range(600):
        try:
            return psycopg2.connect(host=str(folder), user="tester", dbname="postgres")
        except psycopg2.OperationalError:
            assert server.poll() is None, "the server has ended"
            time.sleep(0.05)
    raise AssertionError("the server does not answer")
