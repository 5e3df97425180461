#!/usr/bin/env python3
"""Kills the watcher, the recorder and the database at random moments, and breaks the database's promise in the
middle of a run. The watcher follows the recorder's file, or listens to the recorder (record --send); then the file
is only what it is compared with. What must hold after every round:

  * nothing that was recorded is lost: the watch has taken in every transaction of the file, and none waits; over
    the socket also every one that the recorder was told is safe; what a killed recorder had not sent yet,
    'assay send' sends from its file;
  * no verdict is false: it is that of `assay check` on the whole file;
  * no violation is told twice, over all processes of one watch; one whose telling was cut short is noted.

    bench/watch/chaos.py build/release/assay --kills 200 --injected 10
    bench/watch/chaos.py build/release/assay --kills 60 --kinds watcher-socket,collector-socket,database-socket

Needs PostgreSQL's server for the database's part. Prints one line per round and the numbers at the end; exit
code 1 if anything did not hold.
"""
import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PATIENCE = 300  # seconds that nothing may take: a guard, not a measure


class Wrong(Exception):
    pass


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE)


class Watch:
    """One process of a watch, and the events it tells, with the time at which each was read."""

    def __init__(self, assay, folder, source, *more):
        self.process = subprocess.Popen(
            [assay, "watch", *source, "--json-lines", "--checkpoint", str(folder / "state"),
             "--report-dir", str(folder / "pages"), *more],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.events = []
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            if line.endswith("\n"):  # a kill may cut the last one
                self.events.append((time.time(), json.loads(line)))

    def address(self):
        while self.process.poll() is None:
            for _, event in list(self.events):
                if event["event"] == "listening":
                    return event["address"]
            time.sleep(0.002)
        raise Wrong("the watch does not listen")

    def hears_of(self, recorder):
        while recorder.poll() is None and not any(event["event"] == "status" for _, event in list(self.events)):
            time.sleep(0.002)

    def end(self, how=None):
        if how is not None:
            self.process.send_signal(how)
        self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        return self.events


class Round:
    def __init__(self, assay, chance, kind):
        self.assay, self.chance, self.kind = assay, chance, kind
        self.kills = {"watcher": 0, "collector": 0, "database": 0}
        self.kills.update({f"{one}-socket": 0 for one in self.kills})
        self.transactions = self.violations = 0

    def record(self, history, *arguments):
        return subprocess.Popen(
            [self.assay, "record", *arguments, "--fence-every", "20", "-o", str(history), "-q",
             "--seed", str(self.chance.randrange(1 << 30))],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def watch(self, folder, source, *more):
        source = ["--listen", source, "--collectors", "1"] if isinstance(source, str) else [str(source)]
        return Watch(self.assay, folder, source, *more)

    def go(self):
        with tempfile.TemporaryDirectory(prefix="assay-chaos-") as name:
            folder = Path(name)
            history = folder / "history"
            events = getattr(self, self.kind.replace("-", "_"))(folder, history)
            self.judge(history, events)

    def watcher(self, folder, history):
        """The watcher dies, again and again, while a store is recorded that may lose updates."""
        fault = self.chance.choice(["", "?fault=lost-update&after=500"])
        recorder = self.record(history, f"memory:serializable{fault}", "--workload", "general", "--keys", "1000",
                               "--sessions", "6", "--rate", "1000", "--transactions", "2000")
        events = []
        for _ in range(4):
            watch = self.watch(folder, history)
            time.sleep(self.chance.uniform(0, 0.7))
            events += watch.end(signal.SIGKILL)
            self.kills["watcher"] += 1
        self.ends_well(recorder)
        return events + self.watch(folder, history, "--until-end").end()

    def collector(self, folder, history):
        """The recorder dies; what it has written is all there is."""
        recorder = self.record(history, self.chance.choice(["memory:serializable", f"sqlite:{folder}/db"]),
                               "--workload", self.chance.choice(["general", "bank", "blindw-rw"]),
                               "--sessions", "6", "--duration", "60")
        while not history.exists() and recorder.poll() is None:
            time.sleep(0.001)
        watch = self.watch(folder, history)
        time.sleep(self.chance.uniform(0, 2))
        recorder.kill()
        recorder.communicate(timeout=PATIENCE)
        self.kills["collector"] += 1
        events = watch.end(signal.SIGTERM)
        return events + self.watch(folder, history, "--until-end").end()

    def database(self, folder, history):
        """PostgreSQL's server is killed and restarted under the clients, several times."""
        recorder = self.record(history, "--server", "postgres", "--nemesis", "kill", "--workload",
                               self.chance.choice(["general", "bank"]), "--sessions", "6", "--duration", "12")
        while not history.exists() and recorder.poll() is None:
            time.sleep(0.01)
        watch = self.watch(folder, history)
        self.ends_well(recorder)
        events = watch.end()  # the file has its end
        told = run(self.assay, "stats", str(history))
        self.kills["database"] += sum("killed" in line for line in told.stdout.splitlines())
        return events

    def watcher_socket(self, folder, history):
        """The watcher that a recorder sends to dies and comes back, again and again."""
        fault = self.chance.choice(["", "?fault=lost-update&after=500"])
        watch = self.watch(folder, "127.0.0.1:0")
        address = watch.address()
        recorder = self.record(history, f"memory:serializable{fault}", "--workload", "general", "--keys", "1000",
                               "--sessions", "6", "--rate", "1000", "--transactions", "2500", "--send", address)
        watch.hears_of(recorder)  # one that nobody listens to would not begin
        events = []
        for _ in range(4):
            time.sleep(self.chance.uniform(0, 0.7))
            events += watch.end(signal.SIGKILL)
            self.kills["watcher-socket"] += 1
            time.sleep(self.chance.choice([0, self.chance.uniform(0, 0.5)]))
            watch = self.watch(folder, address)
        self.ends_well(recorder)  # all is acknowledged
        # Some of it was taken in by this process, some is in the log only; both must count.
        return events + watch.end(self.chance.choice([signal.SIGTERM, signal.SIGKILL])) + \
            self.watch(folder, address, "--until-end").end()

    def collector_socket(self, folder, history):
        """The recorder dies; its file has what it could not send any more. In some rounds the watcher dies too."""
        fault = self.chance.choice(["", "?fault=lost-update&after=3000"])
        watch = self.watch(folder, "127.0.0.1:0")
        address = watch.address()
        recorder = self.record(history, self.chance.choice([f"memory:serializable{fault}", f"sqlite:{folder}/db"]),
                               "--workload", self.chance.choice(["general", "bank", "blindw-rw"]),
                               "--sessions", "6", "--duration", "60", "--send", address,
                               *(["--rate", "3000"] if fault else []))
        while not history.exists() and recorder.poll() is None:
            time.sleep(0.001)
        time.sleep(self.chance.uniform(0, 2))
        recorder.kill()
        recorder.communicate(timeout=PATIENCE)
        self.kills["collector-socket"] += 1
        events = []
        if self.chance.random() < 0.3:
            events += watch.end(signal.SIGKILL)
            self.kills["watcher-socket"] += 1
            watch = self.watch(folder, address)
            if watch.address() != address:
                raise Wrong("the watch listens elsewhere")
        sent = run(self.assay, "send", str(history), address, "--truncated")
        if "nothing in it" in sent.stderr:  # killed before the first block: nobody was told of anything
            return events + watch.end(signal.SIGTERM)
        if sent.returncode != 0:
            raise Wrong(f"the rest could not be sent: {sent.stderr}")
        events += watch.end(signal.SIGTERM)
        return events + self.watch(folder, address, "--until-end").end()

    def database_socket(self, folder, history):
        """PostgreSQL's server is killed and restarted under the clients of a recorder that sends."""
        watch = self.watch(folder, "127.0.0.1:0", "--until-end")
        recorder = self.record(history, "--server", "postgres", "--nemesis", "kill", "--workload",
                               self.chance.choice(["general", "bank"]), "--sessions", "6", "--duration", "12",
                               "--send", watch.address())
        self.ends_well(recorder)
        events = watch.end()
        told = run(self.assay, "stats", str(history))
        self.kills["database-socket"] += sum("killed" in line for line in told.stdout.splitlines())
        return events

    def ends_well(self, recorder):
        _, errors = recorder.communicate(timeout=PATIENCE)
        if recorder.returncode != 0:
            raise Wrong(f"the recorder failed: {errors}")

    def judge(self, history, events):
        facts = run(self.assay, "stats", str(history), "--json", "--truncated")
        end = events[-1][1]
        if facts.returncode != 0:
            raise Wrong(f"the history cannot be read: {facts.stderr}")
        recorded = json.loads(facts.stdout)["history"]["transactions"]
        if end["event"] != "end":
            raise Wrong(f"the last event is {end}")
        if end["transactions"] != recorded or end["waiting"] != 0:
            raise Wrong(f"{recorded} transactions were recorded, and the watch says {end}")
        checked = run(self.assay, "check", str(history), "--level", "serializable", "--truncated", "-q")
        verdict = {0: "holds", 1: "violated", 2: "undecided"}.get(checked.returncode, checked.stderr)
        if recorded == 0:
            verdict = "undecided"  # there was nothing to watch
        if end["verdict"] != verdict:
            raise Wrong(f"the whole {verdict}, the watch says {end}")
        told = [event["digest"] for _, event in events if event["event"] == "violation"]
        if len(told) != len(set(told)):
            raise Wrong(f"told twice: {sorted(told)}")
        cut_short = sum(event["event"] == "note" and "was being told" in event["text"] for _, event in events)
        if not len(told) <= end["violations"] <= len(told) + cut_short:
            raise Wrong(f"{len(told)} violations told, {cut_short} cut short: {end}")
        self.transactions, self.violations = recorded, end["violations"]


def injected(assay, chance, socket):
    """The store keeps its promise for a while, then loses updates. How long until somebody hears of it, from the end
    of the last transaction that the first violation needs; by way of the file, or over the socket."""
    with tempfile.TemporaryDirectory(prefix="assay-chaos-") as name:
        folder = Path(name)
        history = folder / "history"
        round_ = Round(assay, chance, "injected")
        watch = round_.watch(folder, "127.0.0.1:0", "--stop") if socket else None
        recorder = round_.record(history, f"memory:serializable?fault=lost-update&after={chance.randrange(2000, 8000)}",
                                 "--workload", "general", "--keys", "2000", "--sessions", "8",
                                 "--rate", "4000", "--transactions", "20000",
                                 *(["--send", watch.address(), "--send-patience", "0"] if socket else []))
        while not history.exists() and recorder.poll() is None:
            time.sleep(0.001)
        watch = watch or round_.watch(folder, history, "--stop")
        if recorder.poll() not in (None, 0):
            watch.end(signal.SIGKILL)
            raise Wrong(f"the recorder failed: {recorder.stderr.read()}")
        watch.process.wait(PATIENCE)
        events = watch.end()
        told = [(at, event) for at, event in events if event["event"] == "violation"]
        if not told:
            raise Wrong(f"the broken promise was not noticed: {events[-1][1]}")
        at, violation = told[0]
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=PATIENCE)
        shown = run(assay, "convert", str(history), str(folder / "lines"), "--truncated", "--to", "jsonl", "-q")
        if shown.returncode != 0:
            raise Wrong(shown.stderr)
        needed = {(t["session"], t["transaction"])
                  for t in violation["check"]["results"][0]["counterexample"]["transactions"]}
        ends = [line["end"] for line in map(json.loads, open(folder / "lines"))
                if (line.get("s"), line.get("t")) in needed and "end" in line]
        if len(ends) != len(needed):
            raise Wrong(f"the times of {needed} were not found")
        return at - max(ends) / 1e9, violation["transactions"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("assay")
    parser.add_argument("--kills", type=int, default=200, help="in all, shared among the kinds")
    parser.add_argument("--injected", type=int, default=5, help="runs with a promise broken in the middle")
    parser.add_argument("--kinds", default="watcher,collector,database,watcher-socket,collector-socket,database-socket")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    chance = random.Random(options.seed)
    kinds = options.kinds.split(",")
    done = dict.fromkeys(kinds, 0)
    rounds = transactions = violations = wrong = 0
    while sum(done.values()) < options.kills:
        kind = min(kinds, key=lambda k: done[k])
        round_ = Round(options.assay, chance, kind)
        outcome = "as it must be"
        try:
            round_.go()
        except (Wrong, subprocess.TimeoutExpired) as error:
            outcome, wrong = f"WRONG: {error}", wrong + 1
        for k, n in round_.kills.items():
            if n > 0:
                done[k] = done.get(k, 0) + n
        rounds += 1
        transactions += round_.transactions
        violations += round_.violations
        print(f"{rounds:4} {kind:16} kills {' '.join(str(n) for n in done.values())}; "
              f"{round_.transactions} transactions, {round_.violations} violations: {outcome}", flush=True)
        if not any(round_.kills.values()):
            sys.exit("nobody was killed")
    delays = []
    for i in range(options.injected):
        socket = i % 2 == 1
        try:
            delay, after = injected(options.assay, chance, socket)
            delays.append(delay)
            print(f"     injected, {'over the socket' if socket else 'by way of the file'}: told {delay:.2f} s after the last transaction it needs, {after} taken in", flush=True)
        except (Wrong, subprocess.TimeoutExpired) as error:
            print(f"     injected: WRONG: {error}", flush=True)
            wrong += 1
    print(f"{sum(done.values())} kills ({', '.join(f'{k} {n}' for k, n in done.items())}) in {rounds} rounds, "
          f"{transactions} transactions, {violations} violations; {wrong} rounds went wrong")
    if delays:
        print(f"injected: {len(delays)} runs, told within {max(delays):.2f} s, "
              f"on average {sum(delays) / len(delays):.2f} s")
        wrong += sum(delay > 5 for delay in delays)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
