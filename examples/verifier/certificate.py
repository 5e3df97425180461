"""What a certificate is written in, and what it claims."""

from .history import MASK

STRONG = {"prefix", "snapshot-isolation", "serializable", "strong-snapshot-isolation", "strict-serializable"}
SERIAL = {"serializable", "strict-serializable"}
REAL_TIME = {"strong-snapshot-isolation", "strict-serializable"}
PATHS = {  # the paths of session order (s) and reads-from (r) by which a write is visible to a read
    "read-committed": {"r"}, "monotonic-atomic-view": {"r"}, "repeatable-read": {"r"}, "read-atomic": {"r", "s"},
    "read-your-writes": {"s"}, "monotonic-reads": {"rs"}, "monotonic-writes": {"sr"},
    "writes-follow-reads": {"rr", "rsr"}, "causal": None}  # None: any


class Rejected(Exception):
    """The certificate does not prove what it says."""


def require(condition, otherwise):
    if not condition:
        raise Rejected(otherwise)


def fnv(data, state=0xCBF29CE484222325):
    for byte in data:
        state = ((state ^ byte) * 0x100000001B3) & MASK
    return state


def number_in(word):
    require(word.isascii() and word.isdigit() and (word == "0" or word[0] != "0"), "a number was expected")
    require(len(word) <= 20 and int(word) <= MASK, "the number is too large")
    return int(word)


class Lines:
    def __init__(self, certificate):
        require(certificate.endswith("\n"), "the last line is incomplete")
        self.lines = certificate.split("\n")[:-1]
        body = certificate[:len(certificate) - len(self.lines[-1]) - 1]
        require(self.lines[-1] == "end %d %016x" % (len(self.lines) - 1, fnv(body.encode("utf-8", "surrogateescape"))),
                "the certificate was cut off or changed: its last line is wrong")
        self.at, self.end = 0, len(self.lines) - 1

    def whole(self):
        require(self.at < self.end, "a line is missing")
        self.at += 1
        return self.lines[self.at - 1]

    def head(self):
        return self.lines[self.at].split(" ")[0] if self.at < self.end else None

    def next(self, head):
        words = self.whole().split(" ")
        require(words[0] == head and "" not in words, 'a line "%s" was expected' % head)
        return words[1:]

    def one(self, head):
        words = self.next(head)
        require(len(words) == 1, "a word too many or too few")
        return words[0]

    def either(self, head, yes, no):
        word = self.one(head)
        require(word in (yes, no), "an unknown word")
        return word == yes


class Claim:
    def __init__(self, lines):
        self.level = lines.one("level")
        require(self.level in STRONG or self.level in PATHS, "there is no such level")
        self.keep_sessions = lines.either("sessions", "keep", "ignore")
        self.drift = number_in(lines.one("clock-drift"))
        require(self.drift < 1 << 63, "the clock drift is out of range")
        self.holds = lines.either("verdict", "holds", "violated")

    def __str__(self):
        return "%s %s%s%s" % (self.level, "holds" if self.holds else "is violated",
                              "" if self.keep_sessions else ", the order in sessions ignored",
                              ", clock drift %d ns" % self.drift if self.level in REAL_TIME else "")
