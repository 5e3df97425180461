"""Which rows a query asks for: the language of predicates as docs/formats.md tells it, read and evaluated here by itself."""

import json
import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal

from .history import INTEGER, NATURAL, OTHER, TEXT

EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
NUMBER = re.compile(rb"-?[0-9]+(\.[0-9]+)?([eE][-+]?0*[0-9]{1,9})?")
TOKEN = re.compile(rb"""[ \t\r\n]*(?:(?P<text>'(?:[^']|'')*')|(?P<name>"(?:[^"]|"")*")|(?P<sign><>|!=|<=|>=|[<>=(),])"""
                   rb"""|(?P<number>-?[0-9][0-9A-Za-z_.]*(?:(?<=[eE])[-+][0-9A-Za-z_.]*)?)|(?P<word>[A-Za-z_][A-Za-z0-9_]*))""")
KEYWORDS = {b"and", b"or", b"not", b"between", b"in", b"is", b"null", b"like", b"true", b"false", b"where"}
DEEPEST = 100
TESTS = {b"=": lambda a, b: a == b, b"<": lambda a, b: a < b, b"<=": lambda a, b: a <= b,
         b">": lambda a, b: a > b, b">=": lambda a, b: a >= b}


class NotUnderstood(Exception):
    pass


def sort_of(name):
    return INTEGER if name[0] == NATURAL else name[0]


def in_range(name, low, high):
    return all(bound is None or (sort_of(name) == sort_of(bound) and is_fine(name[1], bound[1]))
               for bound, is_fine in ((low, lambda a, b: a >= b), (high, lambda a, b: a <= b)))


def decimal(text):
    """An integer of 64 bits, or None."""
    digits = text[1:] if text.startswith(b"-") else text
    if not digits or not all(48 <= c <= 57 for c in digits):
        return None
    return int(text) if -(1 << 63) <= int(text) < 1 << 63 else None


def is_learned(name):
    """Whether a predicate is known by its identity alone: a JSON object whose first member is "is"."""
    return name[0] == OTHER and name[1].startswith(b'{"is":')


# What a column holds is ("number", Decimal), ("text", bytes), ("truth", bool), ("other",) or ("null",).

def number(spelled):
    if not NUMBER.fullmatch(spelled):
        return None
    mantissa, _, exponent = spelled.lower().partition(b"e")
    return ("number", EXACT.create_decimal(mantissa.decode() + ("e" + exponent.decode() if exponent else "")))


def of_json(value):
    if value is None:
        return ("null",)
    if isinstance(value, bool):
        return ("truth", value)
    if isinstance(value, str):
        return ("text", value.encode())
    if isinstance(value, bytes):
        return number(value) or ("other",)
    return ("other",)


ROW = json.JSONDecoder(parse_int=str.encode, parse_float=str.encode, object_pairs_hook=lambda pairs: pairs)


def of_key(name):
    if name[0] in (INTEGER, NATURAL):
        return ("number", Decimal(name[1]))
    return ("text", name[1]) if name[0] == TEXT else ("other",)


def column_of(value, column):
    if value[0] == OTHER and value[1].startswith(b"{"):
        for name, member in ROW.decode(value[1].decode()):
            if name.encode() == column:
                return of_json(member)
        return ("null",)
    if column != b"value":
        return ("null",)
    if shown(value) is not None:
        return ("number", Decimal(shown(value)))
    return of_json(ROW.decode(value[1].decode())) if value[0] == OTHER else of_key(value)


class Parser:
    """A condition becomes a function of what its columns hold: True, False, or None for unknown."""

    def __init__(self, text):
        self.tokens, at = [], 0
        while text[at:].strip(b" \t\r\n"):
            match = TOKEN.match(text, at)
            if not match:
                raise NotUnderstood
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()
        self.at, self.depth = 0, 0
        self.condition = self.joined(b"or", lambda: self.joined(b"and", self.factor, all_of), any_of)
        if self.at != len(self.tokens):
            raise NotUnderstood

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else (None, None)

    def accept(self, sort, what):
        found = self.peek()
        if found[0] == sort and (found[1].lower() if sort == "word" else found[1]) == what:
            self.at += 1
            return True
        return False

    def need(self, sort, what):
        if not self.accept(sort, what):
            raise NotUnderstood

    def joined(self, word, part, make):
        parts = [part()]
        while self.accept("word", word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else make(parts)

    def factor(self):
        self.depth += 1
        if self.depth > DEEPEST:
            raise NotUnderstood
        if self.accept("word", b"not"):
            made = negation(self.factor())
        elif self.accept("sign", b"("):
            made = self.joined(b"or", lambda: self.joined(b"and", self.factor, all_of), any_of)
            self.need("sign", b")")
        else:
            made = self.test()
        self.depth -= 1
        return made

    def constant(self):
        sort, spelled = self.peek()
        self.at += 1
        if sort == "text":
            return ("text", spelled[1:-1].replace(b"''", b"'"))
        if sort == "number" and number(spelled):
            return number(spelled)
        words = {b"null": ("null",), b"true": ("truth", True), b"false": ("truth", False)}
        if sort == "word" and spelled.lower() in words:
            return words[spelled.lower()]
        raise NotUnderstood

    def compare(self, column, sign):
        constant, is_so = self.constant(), TESTS[sign]
        if sign != b"=" and constant[0] not in ("number", "null"):
            raise NotUnderstood

        def condition(held):
            value = held(column)
            return is_so(value[1], constant[1]) if value[0] == constant[0] and len(value) == 2 else None
        # Such a condition says which keys are asked for, unless no other number of 64 bits meets it.
        if column[0] and constant[0] == "number" and -(1 << 63) <= constant[1] < 1 << 63:
            limits = {b"<": -(1 << 63), b">": (1 << 63) - 1}
            condition.of_key = int(constant[1]) == constant[1] and limits.get(sign) != constant[1]
        return condition

    def test(self):
        sort, spelled = self.peek()
        self.at += 1
        if sort == "name":
            column = (False, spelled[1:-1].replace(b'""', b'"'))
        elif sort == "word" and spelled.lower() not in KEYWORDS:
            column = (spelled == b"key", spelled)
        else:
            raise NotUnderstood
        if self.accept("word", b"is"):
            turned = self.accept("word", b"not")
            self.need("word", b"null")
            return lambda held: (held(column)[0] == "null") != turned
        if self.accept("word", b"not"):
            return negation(self.words(column) or self.fail())
        return self.words(column) or self.operator(column)

    def fail(self):
        raise NotUnderstood

    def words(self, column):
        if self.accept("word", b"between"):
            low = self.compare(column, b">=")
            self.need("word", b"and")
            return all_of([low, self.compare(column, b"<=")])
        if self.accept("word", b"in"):
            self.need("sign", b"(")
            parts = [self.compare(column, b"=")]
            while self.accept("sign", b","):
                parts.append(self.compare(column, b"="))
            self.need("sign", b")")
            return any_of(parts)
        if self.accept("word", b"like"):
            sort, spelled = self.peek()
            self.at += 1
            pattern = spelled[1:-1].replace(b"''", b"'") if sort == "text" else b""
            if not pattern.endswith(b"%") or any(c in pattern[:-1] for c in b"%_\\"):
                raise NotUnderstood
            return lambda held: held(column)[1].startswith(pattern[:-1]) if held(column)[0] == "text" else None
        return None

    def operator(self, column):
        sort, sign = self.peek()
        self.at += 1
        if sort == "sign" and sign in (b"<>", b"!="):
            return negation(self.compare(column, b"="))
        if sort != "sign" or sign not in TESTS:
            raise NotUnderstood
        return self.compare(column, sign)


def negation(part):
    return lambda held: None if part(held) is None else not part(held)


def all_of(parts):
    def condition(held):
        found = [part(held) for part in parts]
        return False if False in found else None if None in found else True
    condition.conjuncts = parts
    return condition


def any_of(parts):
    def condition(held):
        found = [part(held) for part in parts]
        return True if True in found else None if None in found else False
    return condition


def parse_predicate(name):
    """(whether a row of the key can match, whether a row of key and value matches), or None if its meaning is not known."""
    if name[0] != TEXT:
        return None
    text, prefix = name[1], None
    quote = min(text.find(c) % (len(text) + 1) for c in (b"'", b'"'))
    where, between = text.find(b"* where "), text.find(b"* between ")
    if 0 <= where < quote:
        prefix, text = text[:where], text[where + len(b"* where "):]
    elif 0 <= between < quote:
        prefix, text = text[:between], b"value between " + text[between + len(b"* between "):]
    try:
        condition = Parser(text).condition
    except NotUnderstood:
        return None

    def of_keys(part):
        for one in getattr(part, "conjuncts", []):
            yield from of_keys(one)
        if getattr(part, "of_key", False):
            yield part

    def allows(key):
        if prefix is not None and not (key[0] == TEXT and key[1].startswith(prefix)):
            return False
        return all(part(lambda _: of_key(key)) for part in of_keys(condition))

    def matches(key, value):
        return allows(key) and condition(lambda c: of_key(key) if c[0] else column_of(value, c[1])) is True

    has_bound = any(True for _ in of_keys(condition))
    allows.prefix = None if has_bound else prefix if prefix is not None else b""
    return allows, matches


def may_ask_in(is_predicate, query, table):
    """Whether a query can ask for keys that are texts with this prefix."""
    if is_predicate:
        predicate = None if is_learned(query[0]) else parse_predicate(query[0])
        prefix = predicate[0].prefix if predicate else None
        return prefix is not None and (prefix.startswith(table) or table.startswith(prefix))
    low, high = query
    if any(bound is not None and bound[0] != TEXT for bound in (low, high)):
        return False
    return (high is None or high[1] >= table) and (low is None or low[1] < table or low[1].startswith(table))


def shown(value):
    """The number that a value shows: an integer, or a text like 17@4000012."""
    if value[0] == INTEGER:
        return value[1]
    return decimal(value[1].rpartition(b"@")[0] if b"@" in value[1] else value[1]) if value[0] == TEXT else None
