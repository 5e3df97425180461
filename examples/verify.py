#!/usr/bin/env python3
"""A second verifier of Assay's certificates: an example of how to write one.

    verify.py CERTIFICATE HISTORY.jsonl     prints "accepted: ..." or "rejected: ...", and exits with 0 or 1
    verify.py --batch FILE                  one line of output for each certificate in FILE, whose lines are
                                            {"history": JSONL, "certificates": [CERTIFICATE, ...]}

The parts are in the folder verifier/: what a history says (history, predicate, facts), what a certificate claims
(certificate), and the ways to prove it (holds, violated). It was written from docs/formats.md, docs/levels.md and
docs/evidence.md and shares no code with Assay. It is slow and short: where Assay keeps indices, this looks at every
instance of a definition. It reads JSONL only, with keys and values that are numbers, strings, true or false; an object
or a list as a key or a value is refused, and so is a broken file (exit code 3). Run it where you would rather not
believe one program alone.
"""

import json
import sys

from verifier.certificate import STRONG, Claim, Lines, Rejected, require
from verifier.facts import Facts
from verifier.history import History, Unreadable
from verifier.holds import CommitOrder, replay
from verifier.violated import Proof


def verify(certificate, history, known=None):
    """What the certificate proves of the history. Raises Rejected. `known` keeps facts for the next certificate."""
    lines = Lines(certificate)
    require(lines.whole() == "assay-certificate 2", "this is no certificate")
    require(lines.whole() == history.head, "the certificate is about another history")
    claim = Claim(lines)
    # Of queries repeatable read takes only what they returned; apart from that, facts do not depend on the level.
    kind = claim.level if claim.level == "repeatable-read" else ""
    known = {} if known is None else known
    facts = known.get(kind) or known.setdefault(kind, Facts(history, claim.level))
    if not claim.holds:
        Proof(facts, claim, lines).check()
        return claim
    require(not facts.unclear, "the queries of the history are not clear")
    require(not facts.muddled, "the elements of a list do not tell who appended them, or it is a register too")
    saw, order = {}, []
    while claim.level not in STRONG and lines.head() == "saw":
        words = lines.next("saw")
        require(len(words) == 2, "a word too many or too few")
        read = facts.read(words[0])
        place = (read.reader, read.place, read.key)
        require(place not in saw, "said twice")
        saw[place] = facts.writer(words[1])
    while lines.head() is not None:
        words = lines.next("order")
        require(words and "init" not in words, "events were expected")
        order += [facts.event(word) for word in words]
    if claim.level in STRONG:
        replay(facts, claim, order)
    else:
        CommitOrder(facts, claim, order, saw)
    return claim


def told(certificate, history, known=None):
    try:
        return "accepted: %s" % verify(certificate, history, known)
    except Rejected as rejected:
        return "rejected: %s" % rejected


def text_of(path):
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def main(arguments):
    sys.setrecursionlimit(20000)
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 3
    try:
        if arguments[0] != "--batch":
            answer = told(text_of(arguments[0]), History(text_of(arguments[1])))
            print(answer)
            return 0 if answer.startswith("accepted") else 1
        with open(arguments[1], encoding="utf-8") as file:
            for line in file:
                case = json.loads(line)
                history, known = History(case["history"]), {}
                print("\n".join(told(certificate, history, known) for certificate in case["certificates"]))
        return 0
    except (OSError, Unreadable, ValueError, KeyError, TypeError, StopIteration) as error:
        print("verify.py: %s: %s" % (type(error).__name__, error), file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
