"""A proof of "violated": a read that no level allows, or steps that end in a cycle."""

from .certificate import PATHS, REAL_TIME, SERIAL, STRONG, number_in, require
from .history import COMMITTED, INIT


class Step:
    def __init__(self, start, end, kind, read=None):
        self.start, self.end, self.kind, self.read = start, end, kind, read


class Path:
    def __init__(self, steps):
        require(all(a.end == b.start for a, b in zip(steps, steps[1:])), "the steps do not follow each other")
        self.start, self.end, self.first = steps[0].start, steps[-1].end, steps[0]
        self.kinds = "".join(step.kind for step in steps)


class Proof:
    def __init__(self, facts, claim, lines):
        self.facts, self.h, self.claim, self.lines = facts, facts.h, claim, lines
        self.strong = claim.level in STRONG
        self.two_events = self.strong and claim.level not in SERIAL
        self.exclusive = self.two_events and claim.level != "prefix"
        self.steps, self.assumptions = [], []  # an assumption: (read, writer)
        self.certain = {t for t, one in enumerate(self.h.transactions) if one.status == COMMITTED}
        for read in [read for reads in facts.reads for read in reads]:
            if read.is_list and read.key not in facts.muddled:
                self.certain |= {w for version in read.others for w in facts.writers.get(version, [])}
            elif not read.is_list and not read.after_own and len(facts.candidates(read)) == 1:
                self.certain |= facts.candidates(read) - {INIT}

    def check(self):
        if self.lines.head() == "bad-read":
            self.check_bad_read()
        else:
            self.derivation(0)
        require(self.lines.head() is None, "a line too many")

    def check_bad_read(self):
        words = self.lines.next("bad-read")
        require(len(words) in (1, 2), "a word too many or too few")
        reads = [self.facts.read(word) for word in words]
        require(reads[0].key not in self.facts.muddled, "the list does not tell who appended")
        if len(reads) == 2:
            require(all(read.is_list and read.key == reads[0].key for read in reads), "not two reads of one list")
            shared = min(len(read.elements) for read in reads)
            require(reads[0].elements[:shared] != reads[1].elements[:shared], "one list continues the other")
        elif reads[0].fits_own:
            read = reads[0]
            require(self.facts.is_torn(read) if read.is_list else
                    not read.after_own and not self.facts.candidates(read), "there is nothing wrong with that read")

    def derivation(self, depth):
        require(depth <= 1000, "too many cases inside of cases")
        known = len(self.steps)
        while self.lines.head() == "step":
            self.step(self.lines.next("step"))
        if self.lines.head() == "split-order":
            self.split_order(depth)
        elif self.lines.head() == "split-read":
            self.split_read(depth)
        else:
            cycle = self.path(self.lines.next("cycle"))
            require(cycle.start == cycle.end, "the steps do not end where they began")
            require(self.claim.level != "repeatable-read" or "a" in cycle.kinds, "repeatable read orders nothing")
        del self.steps[known:]

    def path(self, words):
        numbers = [number_in(word) for word in words]
        require(numbers and max(numbers) < len(self.steps), "a step that is not there")
        return Path([self.steps[number] for number in numbers])

    def split_order(self, depth):
        words = self.lines.next("split-order")
        require(len(words) == 3, "a word too many or too few")
        key, a, b = self.facts.key(words[0]), self.facts.transaction(words[1]), self.facts.transaction(words[2])
        require(self.strong and a != b and self.counts(a) and self.counts(b), "not two that commit in an order")
        require(self.facts.writes_key(a, key) and self.facts.writes_key(b, key), "not two writers of the key")
        for first, second in ((a, b), (b, a)):
            require(self.next_case(2) == [str(first), str(second)], "the cases are others")
            self.case(Step(self.commit(first), self.overwrite(second), "o"), depth)
        require(self.lines.next("qed") == [], "a word too many")

    def split_read(self, depth):
        words = self.lines.next("split-read")
        require(len(words) == 1, "a word too many or too few")
        read = self.facts.read(words[0])
        require(not read.is_list and not read.after_own, "that is no read of what others wrote to a register")
        left = self.facts.candidates(read)
        while self.lines.head() == "case":
            writer = self.facts.writer(self.next_case(1)[0])
            require(writer in left, "the read cannot have seen that, or the case was there before")
            left.remove(writer)
            self.assumptions.append((read, writer))
            self.case(Step(self.commit(writer), self.begin(read.reader), "r", read), depth)
            self.assumptions.pop()
        require(not left, "the cases are not all")
        require(self.lines.next("qed") == [], "a word too many")

    def next_case(self, count):
        words = self.lines.next("case")
        require(len(words) == count + 1 and number_in(words[0]) == len(self.steps), "a wrong number")
        return words[1:]

    def case(self, assumed, depth):
        self.steps.append(assumed)
        self.derivation(depth + 1)
        self.steps.pop()

    @staticmethod
    def commit(t):
        return (t, "c")

    def begin(self, t):
        return (t, "b" if self.two_events and t != INIT else "c")

    def overwrite(self, t):
        """Where the writes of t come after those of an earlier writer of the same key."""
        return self.begin(t) if self.exclusive else self.commit(t)

    def counts(self, t):
        """Whether it committed for certain, or by an assumption of the cases around."""
        return t == INIT or t in self.certain or any(writer == t for _, writer in self.assumptions)

    def step(self, words):
        require(len(words) >= 4 and number_in(words[0]) == len(self.steps), "a wrong number, or a word is missing")
        rule, start, end, rest = words[1], self.facts.event(words[2]), self.facts.event(words[3]), words[4:]
        a, b = start[0], end[0]
        takes = {"reads-from": "r", "initial": "r", "version-order": "r", "overwritten": "rp", "anti-dependency": "rp",
                 "first-committer": "kp", "axiom": "rp"}.get(rule, "")
        read = key = path = None
        if takes:
            require(rest, "a word is missing")
            read, key = (self.facts.read(rest[0]), None) if takes[0] == "r" else (None, self.facts.key(rest[0]))
            rest = rest[1:]
        if "p" in takes:
            require(rest and rest[0] == ":", "premises are missing")
            path, rest = self.path(rest[1:]), []
        require(not rest, "a word too many")
        kind = {"program": "p", "session": "s", "reads-from": "r", "axiom": "a"}.get(rule, "o")
        # A transaction that did not commit still has its place in its session, where it did nothing.
        require(kind in "ps" or (self.counts(a) and self.counts(b)), "it is not known to have committed")
        require(self.follows(rule, start, end, a, b, read, key, path), "that does not follow")
        self.steps.append(Step(start, end, kind, read))

    def follows(self, rule, start, end, a, b, read, key, path):
        facts, begin, commit, overwrite = self.facts, self.begin, self.commit, self.overwrite
        real = a != INIT and b != INIT
        if rule == "start":
            return a == INIT and b != INIT and end in (begin(b), commit(b))
        if rule == "axiom":
            return (not self.strong and a != INIT and start == commit(a) and end == commit(b)
                    and (path.start, path.end) == (start, commit(read.reader))
                    and self.is_visible(path, read) and self.missed(read, b, a))
        if not real:
            return False
        if rule == "program":
            return self.two_events and a == b and start == begin(a) and end == commit(b)
        if rule == "session":
            same = self.h.transactions[a].session == self.h.transactions[b].session
            return (self.claim.keep_sessions and same and a < b
                    and start in (begin(a), commit(a)) and end in (begin(b), commit(b)))
        if rule == "real-time":
            return (self.claim.level in REAL_TIME and start == commit(a) and end == begin(b)
                    and facts.ended_before(a, b, self.claim.drift))
        if rule == "reads-from":
            return start == commit(a) and end == begin(b) and read.reader == b and self.saw(read, a, a)
        if rule == "version-order":
            return start == commit(a) and end == overwrite(b) and self.shows_order(read, a, b)
        if rule == "first-committer":
            return (self.exclusive and a != b and start == commit(a) and end == begin(b)
                    and facts.writes_key(a, key) and facts.writes_key(b, key)
                    and (path.start, path.end) == (begin(a), commit(b)))
        if not self.strong:
            return False
        if rule == "initial":
            return start == begin(a) and end == commit(b) and read.reader == a and self.missed(read, INIT, b)
        if rule == "overwritten":
            return (start == commit(a) and end == overwrite(b) and (path.start, path.end) == (start, begin(read.reader))
                    and self.missed(read, b, a))
        if rule == "anti-dependency":
            source = path.start[0]
            return (start == begin(a) and end == commit(b) and read.reader == a
                    and (path.start, path.end) == (overwrite(source), end) and self.missed(read, source, b))
        return False

    def is_visible(self, path, read):
        paths = PATHS[self.claim.level]
        if not set(path.kinds) <= set("sr") or (paths is not None and path.kinds not in paths):
            return False
        if self.claim.level == "repeatable-read":
            return path.first.read.key == read.key
        if self.claim.level in ("read-committed", "monotonic-atomic-view"):
            return (path.first.read.reader, path.first.read.place) < (read.reader, read.place)
        return True

    def is_clear(self, read):
        return read.is_list and read.key not in self.facts.muddled and read.fits_own

    def shows_order(self, read, a, b):
        """Whether a list shows an element of a, and none of b before it."""
        if not self.is_clear(read) or a == b or not self.facts.writes_key(b, read.key):
            return False
        writers = [self.facts.writers.get(element, [None])[0] for element in read.elements]
        return next((w for w in writers if w in (a, b)), None) == a

    def saw(self, read, source, other):
        """Whether the read saw what `source` wrote, and nothing that `other` wrote after it."""
        if read.is_list:
            by = [self.facts.writers.get(element, [None])[0] for element in read.others]
            # A snapshot shows all that came before; the weaker levels say only who appended the last element.
            matter = [w for w in by if not self.strong or w in (source, other)]
            return self.is_clear(read) and None not in by and (matter[-1] if matter else INIT) == source
        possible = self.facts.candidates(read)
        if read.after_own or source not in possible:
            return False
        # Under a snapshot two reads of one key by one transaction saw the same write.
        return len(possible) == 1 or any(
            writer == source and other_read.key == read.key and other_read.reader == read.reader
            and (other_read.place == read.place or (self.strong and other_read.seen == read.seen))
            for other_read, writer in self.assumptions)

    def missed(self, read, source, writer):
        """Whether the read saw `source` and not `writer`, which writes the same key."""
        return (writer not in (source, read.reader) and self.facts.writes_key(writer, read.key)
                and self.saw(read, source, writer))
