#!/usr/bin/env python3
"""Attacks on the socket of a watch, on its telemetry, on files and on hash tables, repeated against the real program.

    tests/attacks/attacks.py ASSAY      prints what each attack came to; fails if one succeeded

Each attack asks three things: does the process stay within the memory that --memory allows, plus 10 %; does
whoever is honest still get an answer in time; and is the verdict the one that the honest history deserves?
Attackers come from 127.0.0.2, honest clients from 127.0.0.1. What needs a checksum is signed with libxxhash, which
Assay links anyway.
"""
import ctypes
import http.client
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

ASSAY = str(pathlib.Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else "assay"
HERE = pathlib.Path(__file__).resolve().parent
MEMORY = 200  # MB, of each watch
ANSWER_SECONDS = 10  # on a busy machine; an attack that works makes it wait forever
SECRET = b"a secret that attackers do not know"

try:
    xxhash = ctypes.CDLL("libxxhash.so.0")
except OSError:
    print("skipped: there is no libxxhash.so.0")
    sys.exit(77)
xxhash.XXH3_64bits_withSeed.restype = ctypes.c_uint64
xxhash.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]


def frame(tag, body):
    head = tag + struct.pack("<I", len(body))
    seed = xxhash.XXH3_64bits_withSeed(head, len(head), 0)
    return head + struct.pack("<Q", xxhash.XXH3_64bits_withSeed(body, len(body), seed)) + body


def hello(name):
    return frame(b"HELO", struct.pack("<I", 1) + name)


def fragment(number, block):
    return frame(b"FRAG", struct.pack("<Q", number) + block)


def first_block(packed):
    """The body of the first block of a packed file: a header of 16 bytes, then a frame of 24."""
    content = pathlib.Path(packed).read_bytes()
    length = struct.unpack_from("<Q", content, 16 + 8)[0]
    return content[40:40 + length]


def run(*arguments):
    """Exit code, what it said, and the most memory that it took, in MB. A process begins with the most that the one
    had that it was made from: so this comes before the attacks that make this script large."""
    process = subprocess.Popen([ASSAY, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, said, usage.ru_maxrss * 1024 / 1e6


class Watch:
    """A watch that listens, with everything it says."""

    def __init__(self, folder, *more):
        self.process = subprocess.Popen(
            [ASSAY, "watch", "--listen", "0", "--metrics", "0", "--until-end", "--memory", str(MEMORY), "--report-dir",
             str(folder / "pages"), *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.said = ""
        self.addresses = {}
        threading.Thread(target=self._listen, daemon=True).start()
        deadline = time.monotonic() + 60
        while len(self.addresses) < 2:
            assert time.monotonic() < deadline and self.process.poll() is None, self.said
            time.sleep(0.01)

    def _listen(self):
        for line in self.process.stdout:
            text = line.decode()
            self.said += text
            for what in ("listening at ", "metrics at "):
                if text.startswith(what):
                    address = text[len(what):].strip().replace("http://", "").replace("/metrics", "")
                    host, port = address.rsplit(":", 1)
                    self.addresses[what.split()[0]] = (host, int(port))

    def address(self):
        return "%s:%d" % self.addresses["listening"]

    def attacker(self, data=b""):
        s = socket.create_connection(self.addresses["listening"], timeout=ANSWER_SECONDS,
                                     source_address=("127.0.0.2", 0))
        try:
            s.sendall(data)
        except OSError:
            pass  # it was thrown out in the middle: good
        return s

    def metrics(self):
        connection = http.client.HTTPConnection(*self.addresses["metrics"], timeout=ANSWER_SECONDS)
        connection.request("GET", "/metrics")
        return connection.getresponse().read().decode()

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def end(self):
        """Exit code and the most memory that it took, in MB. Killed if it does not end."""
        timer = threading.Timer(120, self.process.kill)
        timer.start()
        _, status, usage = os.wait4(self.process.pid, 0)
        timer.cancel()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return self.process.returncode, usage.ru_maxrss * 1024 / 1e6


failures = []


def judge(attack, **checks):
    bad = [name for name, fine in checks.items() if not fine]
    print(f"{'FAILED' if bad else 'ok':7}{attack}{': ' + ', '.join(bad) if bad else ''}", flush=True)
    failures.extend(f"{attack}: {name}" for name in bad)


def within(memory, allowed=MEMORY):
    return memory <= allowed * 1.1


def send(recording, watch, *more):
    return subprocess.run([ASSAY, "send", str(recording), watch.address(), "-q", *more], capture_output=True,
                          timeout=60).returncode


def under_attack(folder, honest, attack_with, verdict=0, **more_checks):
    """A watch with a secret is attacked while an honest recording is sent; its verdict must be the honest one."""
    key = folder / "key"
    key.write_bytes(SECRET)
    watch = Watch(folder, "--secret", str(key))
    kept = attack_with(watch)
    sent = send(honest, watch, "--secret", str(key))
    code, memory = watch.end()
    del kept
    return {"the honest recording was not delivered": sent == 0,
            f"exit code {code} instead of {verdict}: {watch.said[-300:]}": code == verdict,
            f"{memory:.0f} MB instead of {MEMORY}": within(memory)}


def strangers(folder, good, broken, bomb):
    block = first_block(good)

    def silent(watch):
        return [watch.attacker() for _ in range(900)]

    def forged(watch):
        return [watch.attacker(hello(b"recording-0000000000000000") + fragment(0, block)) for _ in range(20)]

    def halves(watch):
        # A frame that is announced, begun and never finished, and bytes that are no frames.
        begun = frame(b"FRAG", b"\0" * (8 << 20))[:-1]
        return [watch.attacker(begun) for _ in range(30)] + [watch.attacker(os.urandom(1 << 16)) for _ in range(20)]

    def guesses(watch):
        return [watch.attacker(hello(b"x") + frame(b"PROF", os.urandom(64))) for _ in range(50)]

    def bombs(watch):
        return [watch.attacker(hello(b"x") + fragment(0, bomb)) for _ in range(5)]

    for name, attack in (("900 silent connections", silent), ("forged fragments", forged), ("frames that never end", halves),
                         ("guessed proofs", guesses), ("a small frame of a large history, without the secret", bombs)):
        judge(f"{name}, a history that holds", **under_attack(folder, good, attack))
    judge("forged fragments, a history that is violated", **under_attack(folder, broken, forged, 1))


def insiders(folder, good, bomb):
    """Those who may speak, since there is no secret: they cannot take memory, and not make anybody say "holds"."""
    state = folder / "state"
    watch = Watch(folder, "--checkpoint", str(state))
    kept = [watch.attacker(hello(b"x") + fragment(0, bomb))]
    sent = send(good, watch)
    watch.interrupt()
    code, memory = watch.end()
    judge("a small frame of a large history", **{
        "the honest recording was not delivered": sent == 0, f"exit code {code} instead of 2": code == 2,
        f"{memory:.0f} MB": within(memory)})
    watch = Watch(folder, "--checkpoint", str(state))
    watch.interrupt()
    code, memory = watch.end()
    judge("the watch that goes on after it", **{
        f"exit code {code} instead of 2, since a fragment is still missing": code == 2, f"{memory:.0f} MB": within(memory)})

    watch = Watch(folder)
    early = b"".join(fragment(n, os.urandom(1 << 20)) for n in range(1, 24))
    kept = [watch.attacker(hello(b"early %d" % i) + early) for i in range(12)]
    kept += [watch.attacker(frame(b"HELO", struct.pack("<I", 1) + b"name %d" % i)) for i in range(200)]
    sent = send(good, watch)
    watch.interrupt()
    code, memory = watch.end()
    judge("fragments that come too early", **{
        "the honest recording was not delivered": sent == 0, f"{memory:.0f} MB": within(memory),
        f"exit code {code}: somebody was believed": code == 2})

    watch = Watch(folder)
    quiet = [socket.create_connection(watch.addresses["metrics"], source_address=("127.0.0.2", 0)) for _ in range(100)]
    begin = time.monotonic()
    try:
        answered = "assay_watch_transactions_total" in watch.metrics()
    except OSError:
        answered = False
    seconds = time.monotonic() - begin
    watch.interrupt()
    watch.end()
    judge("silent clients of /metrics", **{f"no answer in {seconds:.1f} s": answered})
    del kept, quiet


def files(folder, large):
    path = folder / "shrinking"
    codes = set()
    for attempt in range(10):
        shutil.copyfile(large, path)
        process = subprocess.Popen([ASSAY, "stats", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.005 * attempt)
        os.truncate(path, os.path.getsize(path) // 3)
        codes.add(process.wait())
    judge("files that shrink while they are read", **{f"exit codes {codes}": codes <= {0, 3}})
    # A watch goes through it in rounds and needs less: it may come to its end.
    for allowed, command in (({2}, ["stats", large]), ({2}, ["convert", large, str(folder / "out"), "--to", "jsonl"]),
                             ({2}, ["check", large]),
                             ({0, 2}, ["watch", large, "--until-end", "--report-dir", str(folder / "pages")])):
        code, said, memory = run(*command, "--memory", "130")
        judge(f"a large history with 130 MB, assay {command[0]}", **{
            f"exit code {code}: {said[-200:]}": code in allowed, f"{memory:.0f} MB": within(memory, 130)})


def tables(folder):
    """Keys and values that once met in one place of a hash table: CPU time, since the machine may be busy. All in one place,
    200,000 take minutes."""
    seconds = {}
    for kind in ("random", "keys", "values"):
        path = folder / kind
        with open(path, "wb") as out:
            subprocess.run([sys.executable, str(HERE / "../../bench/collisions.py"), "--kind", kind, "--count", "200000"],
                           stdout=out, check=True)
        process = subprocess.Popen([ASSAY, "stats", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        usage = os.wait4(process.pid, 0)[2]
        seconds[kind] = usage.ru_utime + usage.ru_stime
    judge("keys and values that were chosen to collide", **{
        f"{kind} took {seconds[kind]:.1f} s, random ones {seconds['random']:.1f} s": seconds[kind] < 5 * seconds["random"] + 2
        for kind in ("keys", "values")})


def main():
    with tempfile.TemporaryDirectory(prefix="assay-attacks-") as name:
        folder = pathlib.Path(name)
        good, broken = folder / "good.assay", folder / "broken.assay"
        assert run("record", "memory:serializable", "--transactions", "2000", "-o", str(good), "-q")[0] == 0
        assert run("record", "memory:serializable?fault=lost-update", "--workload", "bank", "--accounts", "4", "--transactions",
                   "2000", "-o", str(broken), "-q")[0] == 0
        many = folder / "many.jsonl"
        with open(many, "w") as out:
            out.writelines('{"s":0,"t":%d,"status":"ok","ops":[]}\n' % t for t in range(3_000_000))
        code, said, _ = run("convert", str(many), str(folder / "bomb"), "--to", "packed", "-q")
        assert code == 0, said
        bomb = first_block(folder / "bomb")
        print(f"a frame of {len(bomb)} bytes unpacks to 3,000,000 transactions")
        files(folder, str(many))
        tables(folder)
        strangers(folder, good, broken, bomb)
        insiders(folder, good, bomb)
    for failure in failures:
        print("failed:", failure)
    sys.exit(1 if failures else 0)


main()
