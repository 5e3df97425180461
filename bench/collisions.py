#!/usr/bin/env python3
"""Writes a history of keys (or values) that all fall into one place of the hash table that Assay once had, or of random ones,
as JSON Lines: reading the first must not take longer than reading the second.

    bench/collisions.py --kind keys --count 1000000 > chosen.jsonl
    bench/collisions.py --kind random --count 1000000 > random.jsonl

  keys     64-bit keys, all at place 0 of a table of up to 2^24 entries
  values   as many keys, each with one value that cancelled its key in the old hash: all pairs had one hash
  random   64-bit keys at random
"""
import argparse
import random
import sys

MASK = (1 << 64) - 1
FIRST, SECOND = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93


def signed(word):
    return word - (1 << 64) if word >> 63 else word


def key_at_place_zero(low):
    """Undoes h = x * FIRST; h = (h ^ h >> 32) * SECOND for the hash `low`, whose upper bits, the place, are zero."""
    h = low * pow(SECOND, -1, 1 << 64) & MASK
    h ^= h >> 32
    return h * pow(FIRST, -1, 1 << 64) & MASK


def old_place(word):
    h = word * FIRST & MASK
    return ((h ^ h >> 32) * SECOND & MASK) >> 40


def writes(kind, count):
    chosen = random.Random(1)
    for i in range(count):
        if kind == "keys":
            key = key_at_place_zero(chosen.getrandbits(40))
            assert old_place(key) == 0
            yield signed(key), 1
        elif kind == "values":
            yield i, i << 32 | i
        else:
            yield signed(chosen.getrandbits(64)), 1


def main():
    parser = argparse.ArgumentParser(description="histories that were hard on a hash table")
    parser.add_argument("--kind", choices=("keys", "values", "random"), required=True)
    parser.add_argument("--count", type=int, default=1_000_000)
    arguments = parser.parse_args()
    transaction, pending = 0, []
    for key, value in writes(arguments.kind, arguments.count):
        pending.append(f'["w",{key},{value}]')
        if len(pending) == 100:
            transaction += 1
            sys.stdout.write(f'{{"s":1,"t":{transaction},"status":"ok","ops":[{",".join(pending)}]}}\n')
            pending = []
    if pending:
        sys.stdout.write(f'{{"s":1,"t":{transaction + 1},"status":"ok","ops":[{",".join(pending)}]}}\n')


if __name__ == "__main__":
    main()
