"""A history as its JSONL says, and the digest by which a certificate names it."""

import json

MASK = (1 << 64) - 1
INTEGER, NATURAL, TEXT, OTHER = range(4)  # sorts of atoms: keys, values and names
READ, WRITE, INSERT, DELETE, APPEND, LIST_READ, PREDICATE, RANGE, ROWS = range(9)
WRITES = {WRITE, INSERT, DELETE, APPEND}
QUERIES = {PREDICATE, RANGE, ROWS}
COMMITTED, ABORTED, UNKNOWN = range(3)
INIT = -1  # the transaction that wrote the initial state


class Unreadable(Exception):
    """The history is not one that this example reads."""


def number_atom(spelled):
    value = int(spelled)
    if -(1 << 63) <= value < 1 << 63:
        return (INTEGER, value)
    return (NATURAL, value) if 0 <= value <= MASK else (OTHER, spelled.encode())


def spelled(value):
    """The JSON text of an object, which is its identity. A string that could be written in several ways is refused,
    because this example does not keep which it was."""
    if value is None or isinstance(value, bool):
        return {None: b"null", True: b"true", False: b"false"}[value]
    if isinstance(value, tuple):
        return value[1] if value[0] == OTHER else str(value[1]).encode()
    if isinstance(value, str) and all(" " <= c <= "~" and c not in '"\\/' for c in value):
        return b'"' + value.encode() + b'"'
    if isinstance(value, dict):
        return b"{" + b",".join(spelled(name) + b":" + spelled(member) for name, member in value.items()) + b"}"
    raise Unreadable("a predicate or value that this example does not read")


def atom(value):
    if isinstance(value, tuple):
        return value
    if isinstance(value, str):
        return (TEXT, value.encode())
    if isinstance(value, (bool, dict)):
        return (OTHER, spelled(value))
    raise Unreadable("a key, value or name that this example does not read")


def fields_of(pairs):
    if len({name for name, _ in pairs}) != len(pairs):
        raise Unreadable("a field stands there twice")
    return dict(pairs)


DECODER = json.JSONDecoder(parse_int=number_atom, parse_float=lambda spelled: (OTHER, spelled.encode()),
                           object_pairs_hook=fields_of)


class Operation:
    """`version` is what a read returned or a write left, (key, value), with the value None for the initial state."""

    def __init__(self, kind, key=None, version=None, elements=(), query=None):
        self.kind, self.key, self.version, self.elements, self.query = kind, key, version, elements, query


class Transaction:
    def __init__(self, session, name, status, start, end, operations):
        self.session, self.name, self.status = session, name, status
        self.start, self.end, self.operations = start, end, operations


class History:
    """Transactions session by session, sessions and keys in the order in which the file first names them."""

    def __init__(self, text):
        self.keys, self.sessions, self.several_clocks, self.open = {}, {}, False, []
        found = []
        for line in text.split("\n"):
            if line.strip(" \t\r"):
                self.line(DECODER.decode(line.strip(" \t\r")), found)
        self.transactions = sorted(found, key=lambda t: t.session)
        self.names = list(self.keys)
        if self.open:
            self.leave_out_what_may_be_unseen()
        self.operations = sum(len(t.operations) for t in found)
        self.has_times = any(t.start is not None or t.end is not None for t in found)
        self.head = "history %d sessions %d transactions %d operations %d keys %016x" % (
            len(self.sessions), len(found), self.operations, len(self.keys), self.digest())

    def line(self, fields, found):
        if next(iter(fields)) == "assay":
            self.several_clocks |= fields.get("clocks") == "several"
            self.open += [table.encode() for table in fields.get("open", [])]
            for name in fields.get("sessions", []):
                self.sessions.setdefault(atom(name), len(self.sessions))
            return
        session = self.sessions.setdefault(atom(fields["s"]), len(self.sessions))
        status = {"ok": COMMITTED, "fail": ABORTED, "info": UNKNOWN}[fields["status"]]
        time = {name: fields[name][1] if name in fields else None for name in ("start", "end")}
        operations = [self.operation(*op) for op in fields["ops"]]
        name = atom(fields.get("name", fields["t"]))
        found.append(Transaction(session, name, status, time["start"], time["end"], operations))

    def leave_out_what_may_be_unseen(self):
        """Others may write to open tables: there a read of what nobody wrote is no evidence, and absence is none."""
        from .predicate import may_ask_in
        is_open = [name[0] == TEXT and any(name[1].startswith(table) for table in self.open) for name in self.names]
        written = {op.version for t in self.transactions for op in t.operations if op.kind in WRITES}

        def known(version):
            return version in written and version[1] is not None

        for t in self.transactions:
            kept = []
            for op in t.operations:
                if op.kind in QUERIES:
                    rows = [v for v in op.elements if not is_open[v[0]] or known(v) or v[1] is None]
                    misses = op.kind != ROWS and (any(is_open[v[0]] for v in op.elements) or
                                                  any(may_ask_in(op.kind == PREDICATE, op.query, table) for table in self.open))
                    rows_only = misses or len(rows) < len(op.elements)
                    kept.append(Operation(ROWS, elements=rows, query=[]) if rows_only else op)
                elif op.kind in WRITES or not is_open[op.key] or (op.kind == READ and known(op.version)):
                    kept.append(op)
            t.operations = kept

    def key(self, name):
        return self.keys.setdefault(atom(name), len(self.keys))

    def version(self, key, value):
        return (key, None if value is None else atom(value))

    def operation(self, what, *rest):
        if what in ("predicate", "range", "rows"):
            bounds = [None if bound is None else atom(bound) for bound in rest[:-1]]
            rows = [self.version(self.key(key), value) for key, value in rest[-1]]
            return Operation({"predicate": PREDICATE, "range": RANGE, "rows": ROWS}[what], elements=rows, query=bounds)
        key, value = self.key(rest[0]), rest[1] if len(rest) > 1 else None
        if what == "r" and isinstance(value, list):
            return Operation(LIST_READ, key, elements=[self.version(key, element) for element in value])
        kind = {"r": READ, "w": WRITE, "insert": INSERT, "delete": DELETE, "append": APPEND}[what]
        return Operation(kind, key, self.version(key, value))

    def digest(self):
        state = 0xCBF29CE484222325

        def add(word):
            nonlocal state
            state = ((state ^ (word & MASK)) * 0x100000001B3) & MASK
            state ^= state >> 29

        def add_atom(value):
            sort, content = value
            text = content if sort in (TEXT, OTHER) else b""
            for word in (sort, 0 if sort in (TEXT, OTHER) else content, len(text), *text):
                add(word)

        def add_optional(value, add_it):
            add(value is not None)
            if value is not None:
                add_it(value)

        def add_version(version):
            add_atom(self.names[version[0]])
            add(version[1] is None)
            if version[1] is not None:
                add_atom(version[1])

        self.names = list(self.keys)
        session_names, last = list(self.sessions), None
        add(self.several_clocks)
        for t in self.transactions:
            if t.session != last:
                add_atom(session_names[t.session])
            last = t.session
            add_atom(t.name)
            add(t.status)
            add_optional(t.start, add)
            add_optional(t.end, add)
            add(len(t.operations))
            for op in t.operations:
                add(op.kind)
                if op.kind == LIST_READ:
                    add_atom(self.names[op.key])
                if op.kind in QUERIES:
                    for bound in [None] + op.query if op.kind == RANGE else (op.query + [None] * 3)[:3]:
                        add_optional(bound, add_atom)
                if op.kind < LIST_READ:
                    add_version(op.version)
                else:
                    add(len(op.elements))
                    for version in op.elements:
                        add_version(version)
        mixed = ((state ^ (state >> 32)) * 0xD6E8FEB86659FD93) & MASK
        return mixed ^ (mixed >> 32)
