#!/usr/bin/env python3
"""What a watch needs to catch up with a backlog: a recording that is finished before the watch begins. A round takes
about the same however much waits, so memory must not grow with the backlog.

    bench/watch/backlog.py build/release/assay --transactions 600000 --most-mb 120

Records on the store of our own, in memory, then watches the file to its end. Prints seconds, rounds and the peak
resident size of the watch; exit code 1 if that is above --most-mb, or if the verdict is not "holds".
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time


def watched(assay, recording, level, reports):
    """The last line of a watch of the whole recording, its seconds, and its peak resident size in bytes."""
    began = time.monotonic()
    process = subprocess.Popen(
        [assay, "watch", recording, "--until-end", "--json-lines", "--level", level, "--report-dir", reports],
        stdout=subprocess.PIPE, text=True)
    last = None
    for last in process.stdout:
        pass
    _, _, usage = os.wait4(process.pid, 0)
    return json.loads(last), time.monotonic() - began, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assay")
    parser.add_argument("--transactions", type=int, default=600_000)
    parser.add_argument("--sessions", type=int, default=8)
    parser.add_argument("--workload", default="blindw-rw")
    parser.add_argument("--level", default="serializable")
    parser.add_argument("--most-mb", type=float, default=120)
    parser.add_argument("--recording", help="watch this file instead of recording one")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        recording = asked.recording
        if recording is None:
            recording = os.path.join(folder, "backlog.assay")
            subprocess.run(
                [asked.assay, "record", "memory:serializable", "--workload", asked.workload, "--fence-every", "20",
                 "--sessions", str(asked.sessions), "--transactions", str(asked.transactions), "--quiet",
                 "--output", recording], check=True)
        end, seconds, peak = watched(asked.assay, recording, asked.level, os.path.join(folder, "reports"))
    print(f"{end['transactions']} transactions, {end['rounds']} rounds, {seconds:.1f} s, "
          f"{peak / 1e6:.0f} MB at most (bar {asked.most_mb:.0f}), {end['verdict']}")
    return 0 if end["verdict"] == "holds" and peak <= asked.most_mb * 1e6 else 1


if __name__ == "__main__":
    sys.exit(main())
