#!/usr/bin/env python3
"""All levels at once on histories with repeated values, against each level by itself.

    bench/all_levels.py [--assay build/release/assay] [--histories 5000] [--timeout 10] [--seed 1]

Random histories of 200 to 5,000 transactions whose writes repeat values, of databases that keep a level, break it
once or break it throughout. For each, the CPU of `check --all` and of every level by itself, with the same time
limit. Prints the worst ratios and fails if all levels at once cost more than three times the most expensive single
level (and more than a quarter of a second), disagree with a single level, or are undecided where one is not.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

LEVELS = ["read-your-writes", "monotonic-reads", "monotonic-writes", "writes-follow-reads", "read-committed",
          "monotonic-atomic-view", "repeatable-read", "read-atomic", "causal", "prefix", "snapshot-isolation",
          "serializable"]
FAULTS = ["lost-update", "write-skew", "long-fork", "read-skew", "fractured-read", "causality", "stale-read",
          "aborted-read", "intermediate-read", "dirty-write"]


def run(command):
    """Its CPU seconds and what it printed."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 2):
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}: {err.decode()}")
    return usage.ru_utime + usage.ru_stime, out


def make(assay, path, draw):
    # Mostly small ones: a level by itself is asked twelve times.
    transactions = int(200 * 25 ** (draw.random() ** 2))
    command = [assay, "generate", "--quiet", "--no-times", "-o", path, "--seed", str(draw.randrange(1 << 30)),
               "--transactions", str(transactions), "--sessions", str(draw.choice([3, 10, 30])),
               "--operations", draw.choice(["2-6", "8", "8-15"]), "--keys", str(draw.choice([20, 100, 1000])),
               "--distribution", draw.choice(["uniform", "zipf"]), "--reads", str(draw.choice([0.3, 0.5, 0.8])),
               "--updates", str(draw.choice([0, 0.5, 1])), "--duplicates", str(draw.choice([0.02, 0.1, 0.4])),
               "--level", draw.choice(["serializable", "snapshot-isolation", "causal", "read-committed"])]
    broken = draw.random()
    if broken < 0.3:
        command += ["--inject", draw.choice(FAULTS)]
    elif broken < 0.5:
        command += ["--fault", draw.choice(FAULTS)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return " ".join(command[3:])


def verdicts(out):
    return {level["level"]: level["verdict"] for level in json.loads(out)["results"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", default="build/release/assay")
    parser.add_argument("--histories", type=int, default=5000)
    parser.add_argument("--timeout", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    limit = ["--timeout", str(options.timeout), "--json"]
    worst, faults, undecided, single_undecided = [], 0, 0, 0
    total_all = total_dearest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "history.jsonl")
        for i in range(options.histories):
            made = make(options.assay, path, random.Random(options.seed + i))
            cost, out = run([options.assay, "check", "--level", ",".join(LEVELS), *limit, path])
            together = verdicts(out)
            dearest, alone = 0.0, {}
            for level in LEVELS:
                own, out = run([options.assay, "check", "--level", level, *limit, path])
                dearest = max(dearest, own)
                alone.update(verdicts(out))
            total_all += cost
            total_dearest += dearest
            undecided += sum(v == "undecided" for v in together.values())
            single_undecided += sum(v == "undecided" for v in alone.values())
            for level in LEVELS:
                if alone[level] not in ("undecided", together[level]):
                    faults += 1
                    print(f"seed {options.seed + i}: {level} is {alone[level]} by itself, {together[level]} among all"
                          f" ({made})")
            worst.append((cost / dearest, cost, dearest, options.seed + i))
            if cost > 3 * dearest and cost > 0.25:
                faults += 1
                print(f"seed {options.seed + i}: {cost:.2f} s, by itself at most {dearest:.2f} s ({made})")
    worst.sort(reverse=True)
    print(f"{options.histories} histories, {total_all:.1f} s for all levels, {total_dearest:.1f} s for the most expensive one"
          f" of each; levels undecided: {undecided} of all at once, {single_undecided} of those by themselves")
    for ratio, cost, dearest, seed in worst[:5]:
        print(f"  x{ratio:.2f}: {cost:.3f} s against {dearest:.3f} s (seed {seed})")
    print("as it should be" if faults == 0 else f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
