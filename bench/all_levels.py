#!/usr/bin/env python3
"""All levels at once on histories with repeated values, against each level by itself.

    bench/all_levels.py [--assay build/release/assay] [--histories 5000] [--timeout 10] [--seed 1] [--jobs 2]

Random histories of 200 to 5,000 transactions whose writes repeat values, of databases that keep a level, break it
once or break it throughout. For each, the CPU of `check --all` and of every level by itself, with the same time
limit. Prints the worst ratios and fails if all levels at once cost more than three times the most expensive single
level (and more than a quarter of a second), disagree with a single level, or are undecided where one is not.
"""
import argparse
import concurrent.futures
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


def check(assay, levels, timeout, path):
    """Its CPU seconds and the verdict by level. On a busy machine the limit, which is one of the clock, can end before the
    process got that much of a processor: then it is asked again, with more."""
    limit = timeout
    while True:
        cost, out = run([assay, "check", "--level", ",".join(levels), "--timeout", str(limit), "--json", path])
        found = {level["level"]: level["verdict"] for level in json.loads(out)["results"]}
        if "undecided" not in found.values() or cost > 0.9 * timeout or limit > 16 * timeout:
            return cost, found
        limit *= 2


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


def judge(assay, timeout, seed):
    """What is wrong with one history, and what it cost: (faults, CPU of all at once, of the dearest level, of everything,
    levels undecided of all at once, of those by themselves)."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "history.jsonl")
        made = make(assay, path, random.Random(seed))
        cost, together = check(assay, LEVELS, timeout, path)
        alone, costs = {}, []
        for level in LEVELS:
            own, found = check(assay, [level], timeout, path)
            costs.append(own)
            alone.update(found)
    faults = [f"seed {seed}: {level} is {alone[level]} by itself, {together[level]} among all ({made})"
              for level in LEVELS if alone[level] not in ("undecided", together[level])]
    dearest = max(costs)
    if cost > 3 * dearest and cost > 0.25:
        faults.append(f"seed {seed}: {cost:.2f} s, by itself at most {dearest:.2f} s ({made})")
    undecided = [sum(v == "undecided" for v in got.values()) for got in (together, alone)]
    return faults, cost, dearest, cost + sum(costs), *undecided


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--assay", default="build/release/assay")
    parser.add_argument("--histories", type=int, default=5000)
    parser.add_argument("--timeout", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.histories)
    faults, costs, everything, undecided, alone_undecided = 0, [], 0.0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        judged = pool.map(lambda seed: judge(options.assay, options.timeout, seed), seeds)
        for seed, (wrong, cost, dearest, spent, open_together, open_alone) in zip(seeds, judged):
            for fault in wrong:
                print(fault, flush=True)
            faults += len(wrong)
            costs.append((cost / dearest, cost, dearest, seed))
            everything += spent
            undecided += open_together
            alone_undecided += open_alone
            if len(costs) % 500 == 0:
                print(f"  {len(costs)} histories, {everything:.0f} s of CPU", file=sys.stderr, flush=True)
    print(f"{len(costs)} histories, {sum(c[1] for c in costs):.1f} s for all levels, {sum(c[2] for c in costs):.1f} s for"
          f" the most expensive one of each; levels undecided: {undecided} of all at once, {alone_undecided} of those by"
          f" themselves; {everything:.0f} s of CPU for everything")
    for ratio, cost, dearest, seed in sorted(costs, reverse=True)[:5]:
        print(f"  x{ratio:.2f}: {cost:.3f} s against {dearest:.3f} s (seed {seed})")
    print("as it should be" if faults == 0 else f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
