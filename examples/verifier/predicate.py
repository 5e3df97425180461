"""Which rows a query asks for."""

from .history import INTEGER, NATURAL, OTHER, TEXT


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


def parse_predicate(name):
    """(whether a key is asked for, whether a value matches), or None if its meaning is not known."""
    if name[0] != TEXT:
        return None
    text = name[1]
    prefix, between, bounds = text.partition(b"* between ")
    if between:
        low, middle, high = bounds.partition(b" and ")
        low, high = decimal(low), decimal(high) if middle else None
        if low is None or high is None:
            return None
        return (lambda key: key[0] == TEXT and key[1].startswith(prefix),
                lambda value: shown(value) is not None and low <= shown(value) <= high)
    compare = {b"=": lambda a, b: a == b, b"<": lambda a, b: a < b, b"<=": lambda a, b: a <= b,
               b">": lambda a, b: a > b, b">=": lambda a, b: a >= b}
    tests = {b"key": [], b"value": []}
    for condition in text.split(b" and "):
        words = condition.split(b" ", 2)
        if len(words) < 3 or words[0] not in tests or words[1] not in compare or decimal(words[2]) is None:
            return None
        tests[words[0]].append((compare[words[1]], decimal(words[2])))

    def meets(number, which):
        return not tests[which] or (number is not None and all(is_so(number, n) for is_so, n in tests[which]))

    return (lambda key: meets(key[1] if key[0] == INTEGER else None, b"key"),
            lambda value: meets(shown(value), b"value"))


def shown(value):
    """The number that a value shows: an integer, or a text like 17@4000012."""
    if value[0] == INTEGER:
        return value[1]
    return decimal(value[1].rpartition(b"@")[0] if b"@" in value[1] else value[1]) if value[0] == TEXT else None
