"""An order that proves "holds": at prefix and stronger the history is run in it; below, it is the commit order under
which the level's axiom is evaluated."""

from .certificate import PATHS, REAL_TIME, SERIAL, require
from .history import ABORTED, APPEND, COMMITTED, INIT, LIST_READ


def replay(facts, claim, order):
    h, one_event = facts.h, claim.level in SERIAL
    exclusive = not one_event and claim.level != "prefix"
    require(claim.level not in REAL_TIME or h.has_times, "the history has no times")
    begun, done, last_of_session, locked, registers, lists = set(), set(), {}, set(), {}, {}
    latest = None  # of those that began, who started last

    def is_there(read):
        if read.is_list:
            return lists.get(read.key, []) == read.others
        return read.after_own or registers.get(read.key, (read.key, None)) in read.seen

    for t, side in order:
        transaction, reads = h.transactions[t], facts.reads[t]
        require(transaction.status != ABORTED, "an aborted transaction is in the order")
        require(t not in done and not (one_event and side == "b"), "an event too many")
        require((t in begun) == (side == "c" and not one_event), "a transaction begins or commits where it cannot")
        if side == "b" or one_event:
            if claim.keep_sessions:
                last = last_of_session.get(transaction.session)
                require(last is None or (last < t and last in done), "the order of a session is not kept")
                last_of_session[transaction.session] = t
            begun.add(t)
            if transaction.start is not None and (latest is None or h.transactions[latest].start < transaction.start):
                latest = t
            require(all(read.fits_own and is_there(read) for read in reads), "a read does not see what was there")
            if exclusive:
                require(locked.isdisjoint(facts.last_writes[t]), "two writers of a key overlap")
                locked.update(facts.last_writes[t])
        if side == "c":
            require(one_event or all(is_there(read) for read in reads if read.is_list and read.after_own),
                    "a list shows own appends where they did not come to stand")
            require(claim.level not in REAL_TIME or latest is None or not facts.ended_before(t, latest, claim.drift),
                    "the order of the clock is not kept")
            for op in transaction.operations:
                if op.kind == APPEND:
                    lists.setdefault(op.key, []).append(op.version)
            registers.update(facts.last_writes[t])
            done.add(t)
            locked.difference_update(facts.last_writes[t] if exclusive else ())
    require(begun == done, "a transaction begins and does not commit")
    require(all(t in done for t, one in enumerate(h.transactions) if one.status == COMMITTED), "one is missing")


class CommitOrder:
    def __init__(self, facts, claim, order, saw):
        self.facts, self.h, self.saw = facts, facts.h, saw
        self.has_order = claim.level != "repeatable-read"
        self.keep_sessions = claim.keep_sessions and self.has_order
        require(all(side == "c" for _, side in order), "the level knows no begins")
        require(len(set(order)) == len(order), "a transaction commits twice")
        self.place = {t: place for place, (t, _) in enumerate(order)}
        self.place[INIT] = -1
        for t, transaction in enumerate(self.h.transactions):
            require(transaction.status != ABORTED or t not in self.place, "an aborted transaction is in the order")
            require(transaction.status != COMMITTED or t in self.place, "a transaction is missing")
        by_session = [t for t in range(len(self.h.transactions)) if t in self.place]
        require(all(not self.so(a, b) or self.place[a] < self.place[b] for a, b in zip(by_session, by_session[1:])),
                "the order of a session is not kept")
        self.lists = {}
        for t, _ in order:
            for op in self.h.transactions[t].operations:
                if self.has_order and op.kind == APPEND:
                    self.lists.setdefault(op.key, []).append(op.version)
                if not self.has_order and op.kind == LIST_READ and self.h.transactions[t].status == COMMITTED:
                    self.lists[op.key] = max(self.lists.get(op.key, []), list(op.elements), key=len)
        self.sources = [[(read, self.source(read)) for read in reads if read.is_list or not read.after_own]
                        for reads in facts.reads if self.fit(reads)]
        self.check(claim.level)

    @staticmethod
    def fit(reads):
        require(all(read.fits_own for read in reads), "a read does not see the transaction's own write")
        return True

    def so(self, a, b):
        return self.keep_sessions and a < b and self.h.transactions[a].session == self.h.transactions[b].session

    def source(self, read):
        if read.is_list:
            return self.source_of_list(read)
        possible = {w for w in self.facts.candidates(read)
                    if w in self.place and not (self.has_order and self.place[w] > self.place[read.reader])}
        named = self.saw.get((read.reader, read.place, read.key))
        require(possible if named is None else named in possible, "a read sees what was not there before")
        return max(possible, key=self.place.get) if named is None else named

    def source_of_list(self, read):
        stands = self.lists.get(read.key, [])
        require(stands[:len(read.elements)] == read.elements, "a list is not as the commits made it")
        by = [self.facts.writers.get(element, [None])[0] for element in stands]
        size = len(read.others)
        source = by[size - 1] if size else INIT
        if self.has_order:
            require(size in (0, len(stands)) or by[size] != source, "a list shows a transaction in part")
            require(self.place[source] < self.place[read.reader], "a list shows what was not there before")
        else:
            require(not self.facts.is_torn(read) and all(w in self.place for w in by[:size]),
                    "a list shows a transaction in part, or one that is not in the order")
        return source

    def check(self, level):
        if level == "repeatable-read":
            for reads in self.sources:
                seen = {}
                for read, source in reads:
                    require(seen.setdefault(read.key, source) == source, "a read cannot be repeated")
            return
        read_from = [{source for _, source in reads if source != INIT} for reads in self.sources]
        sessions = [{a for a in self.place if a != INIT and self.so(a, b)} for b in range(len(self.sources))]
        steps = {"s": sessions, "r": read_from}
        past = {}
        for t in sorted((t for t in self.place if t != INIT), key=self.place.get) if PATHS[level] is None else ():
            before = sessions[t] | read_from[t]
            past[t] = before.union(*(past[a] for a in before))

        def reach(path, t):  # backwards, from the end of the path to its beginning
            found = {t}
            for step in reversed(path):
                found = set().union(*(steps[step][a] for a in found))
            return found

        for t, reads in enumerate(self.sources):
            visible = past.get(t) if PATHS[level] is None else set().union(*(reach(path, t) for path in PATHS[level]))
            for read, source in reads:
                if level in ("read-committed", "monotonic-atomic-view"):
                    visible = {w for other, w in reads if w != INIT and other.place < read.place}
                require(all(w == source or self.place[w] < self.place[source] for w in visible
                            if w in self.place and self.facts.writes_key(w, read.key)),
                        "a read does not see what the level lets it see")
