#!/usr/bin/env python3
"""Draws what assay_soak wrote with --csv: transactions kept, memory and speed over the run, a line per shape.

    bench/watch/plot_soak.py docs/images/soak.svg blindw-rm.csv blindw-rw.csv twitter.csv rubis.csv
"""
import csv
import sys
from pathlib import Path

COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd"]
WIDTH, HEIGHT, LEFT, TOP, GAP = 760, 150, 90, 40, 60


def rows(path):
    with open(path, newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def panel(top, title, runs, value, unit):
    most = max(value(row) for _, run in runs for row in run)
    last = max(row["transactions"] for _, run in runs for row in run)
    parts = [f'<text x="{LEFT}" y="{top - 8}" font-weight="bold">{title}</text>']
    for share in (0, 0.5, 1):
        y = top + HEIGHT * (1 - share)
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{most * share:,.0f}{unit}</text>')
    for colour, (_, run) in zip(COLOURS, runs):
        points = " ".join(f"{LEFT + WIDTH * row['transactions'] / last:.1f},{top + HEIGHT * (1 - value(row) / most):.1f}"
                          for row in run)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    parts.append(f'<text x="{LEFT}" y="{top + HEIGHT + 16}">0</text>')
    parts.append(f'<text x="{LEFT + WIDTH}" y="{top + HEIGHT + 16}" text-anchor="end">{last:,.0f} transactions</text>')
    return parts


def main():
    out, *paths = sys.argv[1:]
    runs = [(Path(path).stem, rows(path)) for path in paths]
    panels = [("live and frozen transactions kept", lambda row: row["live"] + row["frozen"], ""),
              ("resident memory", lambda row: row["resident_bytes"] / 1e6, " MB"),
              ("transactions per second of one core's time", lambda row: row["per_second"], "")]
    total = TOP + len(panels) * (HEIGHT + GAP)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{total}" '
             'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>']
    for i, (colour, (name, _)) in enumerate(zip(COLOURS, runs)):
        parts.append(f'<text x="{LEFT + 120 * i}" y="16" fill="{colour}">{name}</text>')
    for i, (title, value, unit) in enumerate(panels):
        parts += panel(TOP + 10 + i * (HEIGHT + GAP), title, runs, value, unit)
    Path(out).write_text("\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    main()
