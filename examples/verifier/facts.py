"""What the operations of a history say, whatever the level."""

from .certificate import Rejected, number_in, require
from .history import (ABORTED, APPEND, COMMITTED, DELETE, INIT, INSERT, LIST_READ, PREDICATE, QUERIES, READ, ROWS,
                      WRITE, WRITES)
from .predicate import in_range, is_learned, parse_predicate


class Read:
    """A read of one key by a committed transaction: what it saw is one of the versions `seen`, or of a list `others`,
    what stands before the transaction's own appends in `elements`."""

    def __init__(self, place, reader, key, is_list, seen=(), elements=()):
        self.place, self.reader, self.key, self.is_list = place, reader, key, is_list
        self.seen, self.elements, self.others = seen, elements, elements
        self.after_own = self.fits_own = False


class Facts:
    def __init__(self, history, level):
        self.h, self.level, self.unclear = history, level, False
        self.find_lists()
        self.find_rows()
        self.find_learned()
        self.writers, self.last_writes = {}, []
        for t, transaction in enumerate(history.transactions):
            last = {op.key: op.version for op in transaction.operations if op.kind in WRITES}
            self.last_writes.append(last)
            if transaction.status == ABORTED:
                continue
            for op in transaction.operations:
                if op.kind == APPEND:
                    self.writers.setdefault(op.version, []).append(t)
            for key, version in last.items():
                if not any(op.kind == APPEND and op.version == version for op in transaction.operations):
                    self.writers.setdefault(version, []).append(t)
        self.reads = [self.reads_of(t) if transaction.status == COMMITTED else []
                      for t, transaction in enumerate(history.transactions)]

    def all_operations(self):
        return ((t, op) for t in self.h.transactions for op in t.operations)

    def find_lists(self):
        """A muddled list is a register too, or its elements do not tell who appended them: it proves nothing."""
        self.lists = {op.key for _, op in self.all_operations() if op.kind in (APPEND, LIST_READ)}
        self.muddled, appended = set(), set()
        for t, op in self.all_operations():
            if op.kind >= LIST_READ or op.key not in self.lists:
                continue
            if op.kind != APPEND:
                if op.kind != READ or op.version[1] is not None:
                    self.muddled.add(op.key)
            elif t.status != ABORTED:
                if op.version in appended:
                    self.muddled.add(op.key)
                appended.add(op.version)

    def find_rows(self):
        """Which versions are rows, and which the absence of one."""
        self.versions, self.rows, gone, used = {k: {(k, None)} for k in range(len(self.h.keys))}, set(), set(), set()
        for t, op in self.all_operations():
            for version in op.elements if op.kind >= LIST_READ else [op.version]:
                self.versions[version[0]].add(version)
                if op.kind != LIST_READ:
                    used.add(version[0])
                if op.kind in QUERIES and t.status == COMMITTED and version[1] is None:
                    self.rows.add(version)
            if op.kind in (WRITE, INSERT):
                self.rows.add(op.version)
            elif op.kind == DELETE:
                gone.add(op.version)
        self.gone = gone | {(k, None) for k in self.versions if (k, None) not in self.rows}
        self.registers = used - self.lists
        self.unclear |= any(version[0] in self.registers for version in self.rows & self.gone)

    def find_learned(self):
        """What a predicate that is known by its identity alone matches: the rows that it returned anywhere."""
        self.learned = {}
        for t, op in self.all_operations():
            if op.kind == PREDICATE and is_learned(op.query[0]) and t.status == COMMITTED:
                self.learned.setdefault(op.query[0], set()).update(op.elements)

    def learned_answers(self, op):
        matching = self.learned[op.query[0]]
        returned = {}
        for version in op.elements:
            self.unclear |= version[0] in returned or version[0] in self.lists
            if version[0] not in self.lists:
                returned.setdefault(version[0], version)
        for key in {version[0] for version in matching} - self.lists:
            if key in returned:
                yield key, {returned[key]}
            elif self.level != "repeatable-read":
                yield key, {v for v in self.versions[key] if v in self.gone or v not in matching}

    def answers(self, op):
        """What a query says, key by key."""
        if op.kind == PREDICATE and op.query[0] in self.learned:
            yield from self.learned_answers(op)
            return
        returned = {}
        for version in op.elements:
            self.unclear |= version[0] in returned
            returned.setdefault(version[0], version)
        predicate = parse_predicate(op.query[0]) if op.kind == PREDICATE else None
        self.unclear |= op.kind == PREDICATE and predicate is None

        def may_match(version):
            return version in self.rows and (version[1] is None or predicate is None or
                                             predicate[1](self.h.names[version[0]], version[1]))

        for key in self.registers:
            name = self.h.names[key]
            if op.kind == ROWS:
                asked = key in returned
            elif op.kind == PREDICATE:
                asked = predicate is not None and predicate[0](name)
            else:
                asked = in_range(name, *op.query)
            if key in returned and (asked or op.kind == PREDICATE):
                row = returned.pop(key)
                self.unclear |= predicate is not None and not (asked and may_match(row))
                yield key, {row}
            elif asked and self.level != "repeatable-read":
                seen = {version for version in self.versions[key] if version in self.gone}
                if predicate is not None:
                    loaded = (key, None) in self.rows  # a row of which nobody knows the value
                    self.unclear |= loaded
                    seen |= {version for version in self.versions[key] if not may_match(version)}
                    seen |= {(key, None)} if loaded else set()
                yield key, seen
        for key, row in returned.items():
            self.unclear = True
            if key not in self.lists:
                yield key, {row}

    def reads_of(self, t):
        own, reads = {}, []
        for place, op in enumerate(self.h.transactions[t].operations):
            if op.kind in WRITES:
                own.setdefault(op.key, []).append(op.version)
                continue
            if op.kind in QUERIES:
                new = [Read(place, t, key, False, seen) for key, seen in self.answers(op)]
            elif op.key in self.lists:
                new = [Read(place, t, op.key, True, elements=list(op.elements))]
            else:
                new = [Read(place, t, op.key, False, {op.version})]
            for read in new:
                written = own.get(read.key, [])
                read.after_own = bool(written)
                if read.is_list:
                    read.fits_own = not written or read.elements[-len(written):] == written
                    if read.fits_own and written:
                        read.others = read.elements[:-len(written)]
                else:
                    read.fits_own = not written or written[-1] in read.seen
            reads += new
        return reads

    def candidates(self, read):
        """Who can have written what a read of a register saw."""
        return {w for version in read.seen
                for w in ([INIT] if version[1] is None else []) + self.writers.get(version, []) if w != read.reader}

    def writes_key(self, t, key):
        return t != INIT and key in self.last_writes[t]

    def is_torn(self, read):
        """Whether a list shows something else than, transaction by transaction, all that others appended, once."""
        at, done = 0, set()
        while at < len(read.others):
            by = self.writers.get(read.others[at], [read.reader])[0]
            whole = [] if by == read.reader or by in done else [
                op.version for op in self.h.transactions[by].operations if op.kind == APPEND and op.key == read.key]
            if not whole or read.others[at:at + len(whole)] != whole:
                return True
            done.add(by)
            at += len(whole)
        return False

    def ended_before(self, a, b, drift):
        first, second = self.h.transactions[a], self.h.transactions[b]
        return (first.status == COMMITTED and first.end is not None and second.start is not None
                and second.start > first.end and second.start - first.end > drift)

    # What words speak of.

    def transaction(self, word):
        number = number_in(word)
        require(number < len(self.h.transactions), "there is no such transaction")
        return number

    def writer(self, word):
        return INIT if word == "init" else self.transaction(word)

    def event(self, word):
        if word == "init":
            return (INIT, "c")
        require(len(word) > 1 and word[0] in "bc", "an event was expected")
        return (self.transaction(word[1:]), word[0])

    def key(self, word):
        number = number_in(word)
        require(number < len(self.h.keys), "there is no such key")
        return number

    def read(self, word):
        operation, slash, key = word.partition("/")
        t, dot, place = operation.partition(".")
        require(dot, "an operation was expected")
        t, place = self.transaction(t), number_in(place)
        require(place < len(self.h.transactions[t].operations), "there is no such operation")
        require(bool(slash) == (self.h.transactions[t].operations[place].kind in QUERIES), "a query is of several keys")
        key = self.key(key) if slash else None
        for read in self.reads[t]:
            if read.place == place and key in (None, read.key):
                return read
        raise Rejected("that is no read of a committed transaction, or it says nothing of that key")
