#!/usr/bin/env python3
"""Runs the steps of the action for GitHub and of the template for GitLab, as they stand in their files, on real histories.

    steps_test.py PROGRAM
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOLDS = '{"s":1,"t":1,"status":"ok","ops":[["w","x",1]]}\n{"s":2,"t":2,"status":"ok","ops":[["r","x",1]]}\n'
LOST = '{"s":1,"t":1,"status":"ok","ops":[["r","x",null],["w","x",1]]}\n{"s":2,"t":2,"status":"ok","ops":[["r","x",null],["w","x",2]]}\n'


def block(path, opening):
    """The text of a YAML block that begins with the line `opening`."""
    match = re.search(rf"^( *){re.escape(opening)} \|\n((?:\1 +.*\n|\n)+)", path.read_text(), re.M)
    assert match, f"{path}: no block '{opening} |'"
    return textwrap.dedent(match[2])


def github(program, folder, inputs):
    """The step of action.yml with its inputs filled in as GitHub does."""
    text = (ROOT / "action.yml").read_text()
    defaults = dict(re.findall(r"^  (\w+):\n    description: .*\n    default: \"?([^\"\n]*)\"?\n", text, re.M))
    values = {**defaults, "program": program, **inputs}
    environment = {name: values[input] for name, input in re.findall(r"^        (\w+): \$\{\{ inputs\.(\w+) \}\}$", text, re.M)}
    assert len(environment) == 5, environment
    return run(block(ROOT / "action.yml", "run:"), folder, {**environment, "GITHUB_ACTIONS": "true", "GITHUB_ACTION_PATH": str(ROOT)})


def gitlab(program, folder, variables):
    return run(block(ROOT / "ci/gitlab.yml", "-"), folder, {"ASSAY": program, "ASSAY_STEP": str(ROOT / "ci/step"), **variables})


def run(script, folder, environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY", "GITHUB", "GITLAB"))}
    done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=folder, env={**clean, **environment}, text=True,
                          capture_output=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: expected {wanted!r}, got {got!r}")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for place, text in (("store/a/first/history.jsonl", HOLDS), ("store/b/history.jsonl", LOST), ("good/one.jsonl", HOLDS)):
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_text(text)
        code, out, _ = github(program, folder, {"histories": "good/*.jsonl"})
        expect("a history that is fine", (code, "::error" in out), (0, False))
        code, out, _ = github(program, folder, {"histories": "store/**/history.jsonl", "options": "--level si"})
        expect("one of two violated", (code, "::error" in out), (1, True))
        pages = sorted(path.name for path in (folder / "assay-results").iterdir())
        expect("results", pages, ["assay.xml", "good_one.jsonl.html", "store_a_first_history.jsonl.html", "store_b_history.jsonl.html"])
        suites = xml.etree.ElementTree.parse(folder / "assay-results/assay.xml").getroot()
        expect("failures of each history", [len(list(suite.iter("failure"))) for suite in suites], [0, 1])
        expect("the file of the annotation", "file=store/b/history.jsonl" in out, True)
        expect("an undecided history", github(program, folder, {"histories": "good/*", "options": "--require-committed 9"})[0], 2)
        expect("no history at all", github(program, folder, {"histories": "nowhere/*"})[0], 3)
        expect("a wrong option", github(program, folder, {"histories": "good/*", "options": "--level acid"})[0], 3)
        code, out, err = github(program, folder, {"run": "memory:serializable --transactions 50 --sessions 2", "results": "own"})
        expect("a run: " + out + err, (code, (folder / "own/report.html").exists()), (0, True))
        code, out, _ = gitlab(program, folder, {"ASSAY_HISTORIES": "store/b/*.jsonl", "ASSAY_RESULTS": "lab"})
        expect("GitLab", (code, "::error" in out, (folder / "lab/assay.xml").exists()), (1, False, True))
        code, out, err = gitlab(program, folder, {"ASSAY_RUN": "memory:serializable --transactions 50 --sessions 2"})
        expect("a run at GitLab: " + out + err, code, 0)
    print("all steps did what they should")


if __name__ == "__main__":
    main()
