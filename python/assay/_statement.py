"""Understands the statements that a recording can follow, and rewrites them so that they tell which versions they touched.

Each row carries two columns, VERSION and PREVIOUS. A write puts a number that nobody else uses into VERSION and moves the
old one to PREVIOUS, in the same statement; a read asks for VERSION besides what it asked for. So the database itself says which
version was read, overwritten or deleted. What is not understood for certain is refused: a write that is not
recorded would make a correct database look wrong.
"""
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

VERSION, PREVIOUS = "assay_version", "assay_previous"


class Unrecordable(Exception):
    """The recording cannot follow this; run it on the connection itself, outside of the recording, or write it otherwise."""


@dataclass(frozen=True)
class Table:
    name: str
    key: tuple[str, ...]  # its primary key


@dataclass(frozen=True)
class Token:
    text: str
    start: int
    depth: int  # of parentheses around it

    @property
    def word(self) -> str:
        """A name or keyword for comparing; empty for anything else."""
        if self.text.startswith('"'):
            return self.text[1:-1].replace('""', '"').lower()
        return self.text.lower() if re.match(r"[A-Za-z_]", self.text) else ""


@dataclass
class Statement:
    """What to send instead, and how to understand the answer."""

    kind: str  # "select", "insert", "update", "delete"; "begin", "commit", "rollback"; "other"
    sql: str
    table: Table | None = None
    added: int = 0  # columns at the end of the result that are not the client's
    key: tuple[Any, ...] | None = None  # the one row that a select asks for, where it does
    answers: bool = True  # the client itself asked for rows


_TOKEN = re.compile(r"""\s+|--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"|%\(\w+\)s|%s|%%|\?\d*|[:@$]\w+|[A-Za-z_]\w*|\d+(?:\.\d+)?|.""", re.S)
_FUNCTIONS_OF_ONE_ROW = {"coalesce", "lower", "upper", "length", "abs", "round", "cast", "substr", "substring", "trim", "nullif"}
_SEVERAL_TABLES_OR_ROWS = {"select", "union", "intersect", "except", "join", "group", "having", "distinct", "over", "with"}
_AFTER_TABLE = {"where", "order", "limit", "offset", "fetch", "for"}


def _tokens(sql: str) -> list[Token]:
    found, depth = [], 0
    for match in _TOKEN.finditer(sql):
        piece = match[0]
        if piece.isspace() or piece.startswith(("--", "/*")):
            continue
        if piece == ")":
            depth -= 1
        found.append(Token(piece, match.start(), depth))
        if piece == "(":
            depth += 1
    while found and found[-1].text == ";":
        found.pop()
    return found


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def understand(sql: str, parameters: Sequence[Any] | Mapping[str, Any] | None, tables: Mapping[str, Table], version: int) -> Statement:
    """`tables` by their names in small letters. Raises Unrecordable."""
    tokens = _tokens(sql)
    if not tokens:
        return Statement("other", sql)
    first = tokens[0].word
    touches = any(token.word in tables for token in tokens)
    if any(token.text == ";" for token in tokens):
        if touches or any(token.word in ("begin", "start", "commit", "end", "rollback", "abort") for token in tokens):
            raise Unrecordable(f"several statements at once: {sql}")
        return Statement("other", sql)
    if first in ("begin", "start", "commit", "end", "rollback", "abort", "prepare"):
        return _control(sql, tokens)
    if not touches or first == "lock":
        return Statement("other", sql)
    if re.search(r"\$\w*\$|\b[eE]'", sql):
        raise Unrecordable(f"a text in a notation that is not understood: {sql}")
    if first in ("select", "insert", "update", "delete"):
        reader = {"select": _select, "insert": _insert, "update": _update, "delete": _delete}[first]
        statement = reader(sql, tokens, tables, version)
        if statement.kind == "select":
            statement.key = _asked_key(tokens, statement.table, parameters)
        return statement
    raise Unrecordable(f"a statement that is not understood touches a recorded table: {sql}")


def _control(sql: str, tokens: list[Token]) -> Statement:
    words = [token.word for token in tokens]
    if words[0] in ("begin", "start"):
        return Statement("begin", sql)
    plain = [word for word in words[1:] if word not in ("transaction", "work")]
    if plain or words[0] == "prepare":
        raise Unrecordable(f"not followed in a recording: {sql}")
    return Statement("commit" if words[0] in ("commit", "end") else "rollback", sql)


def _table_at(sql: str, tokens: list[Token], at: int, tables: Mapping[str, Table]) -> tuple[Table, int]:
    """The recorded table named there, and the place behind its name."""
    if at + 2 < len(tokens) and tokens[at + 1].text == ".":
        at += 2
    if at >= len(tokens) or tokens[at].word not in tables:
        raise Unrecordable(f"expected the name of a recorded table alone: {sql}")
    name = tokens[at].word
    for i, token in enumerate(tokens):
        if i != at and token.word in tables and not (token.word == name and tokens[min(i + 1, len(tokens) - 1)].text == "."):
            raise Unrecordable(f"two recorded tables, or a column that is called like one: {sql}")
    return tables[tokens[at].word], at + 1


def _skip_alias(tokens: list[Token], at: int, stops: set[str]) -> int:
    if at < len(tokens) and tokens[at].word == "as":
        at += 1
    if at < len(tokens) and tokens[at].word and tokens[at].word not in stops:
        at += 1
    return at


def _one_table(sql: str, tokens: list[Token]) -> None:
    for token in tokens[1:]:
        if not token.text.startswith('"') and token.word in _SEVERAL_TABLES_OR_ROWS:
            raise Unrecordable(f"{token.text.upper()} is not followed in a recording: {sql}")


def _place(tokens: list[Token], word: str, start: int = 0) -> int | None:
    for i in range(start, len(tokens)):
        if tokens[i].depth == 0 and tokens[i].word == word and not tokens[i].text.startswith('"'):
            return i
    return None


def _end(sql: str, tokens: list[Token]) -> int:
    return tokens[-1].start + len(tokens[-1].text)


def _columns(table: Table, last: str) -> str:
    return ", ".join(quoted(name) for name in (*table.key, last))


def _select(sql: str, tokens: list[Token], tables: Mapping[str, Table], version: int) -> Statement:
    _one_table(sql, tokens)
    at = _place(tokens, "from")
    if at is None or at < 2 or _place(tokens, "into") is not None:
        raise Unrecordable(f"expected SELECT columns FROM table: {sql}")
    table, after = _table_at(sql, tokens, at + 1, tables)
    after = _skip_alias(tokens, after, _AFTER_TABLE)
    if after < len(tokens) and tokens[after].word not in _AFTER_TABLE:
        raise Unrecordable(f"expected one table: {sql}")
    for i in range(1, at):
        called = tokens[i].word and tokens[i + 1].text == "("
        if called and tokens[i].word not in _FUNCTIONS_OF_ONE_ROW:
            raise Unrecordable(f"{tokens[i].text}() may join rows: {sql}")
    # Behind what was asked for, since ORDER BY 1 counts from the first.
    start = tokens[at].start
    return Statement("select", f"{sql[:start]}, {_columns(table, VERSION)} {sql[start:]}", table, added=len(table.key) + 1)


def _asked_key(tokens: list[Token], table: Table | None, parameters: Any) -> tuple[Any, ...] | None:
    """The key of WHERE key = value, where nothing else is asked."""
    at = _place(tokens, "where")
    if table is None or len(table.key) != 1 or at is None or len(tokens) not in (at + 4, at + 6):
        return None
    rest = [token.word for token in tokens[at + 4:]]
    if tokens[at + 1].word != table.key[0].lower() or tokens[at + 2].text != "=" or rest not in ([], ["for", "update"]):
        return None
    value = tokens[at + 3].text
    if re.fullmatch(r"\d+", value):
        return (int(value),)
    if value in ("%s", "?") and isinstance(parameters, Sequence):
        before = sum(token.text == value for token in tokens[:at + 3])
        return (parameters[before],)
    named = re.fullmatch(r"%\((\w+)\)s|[:@$](\w+)", value)
    if named and isinstance(parameters, Mapping):
        return (parameters[named[1] or named[2]],)
    return None


def _returning(sql: str, tokens: list[Token], table: Table, last: str) -> tuple[str, bool]:
    """What is put behind the statement, and whether the client asked for rows itself."""
    own = _place(tokens, "returning")
    return (", " if own is not None else " RETURNING ") + _columns(table, last), own is not None


def _insert(sql: str, tokens: list[Token], tables: Mapping[str, Table], version: int) -> Statement:
    _one_table(sql, tokens)
    if len(tokens) < 4 or tokens[1].word != "into":
        raise Unrecordable(f"expected INSERT INTO: {sql}")
    table, at = _table_at(sql, tokens, 2, tables)
    values = _place(tokens, "values", at)
    if tokens[at].text != "(" or values is None or tokens[values - 1].text != ")" or _place(tokens, "on", at) is not None:
        raise Unrecordable(f"expected INSERT INTO table (columns) VALUES (...): {sql}")
    own = _place(tokens, "returning")
    out, done = "", 0
    for i, token in enumerate(tokens[:own]):
        if token.text != ")" or token.depth != 0 or i < at:
            continue
        out += sql[done:token.start] + (f", {VERSION}" if i < values else f", {version}")
        done = token.start
    tail, answers = _returning(sql, tokens, table, VERSION)
    return Statement("insert", out + sql[done:_end(sql, tokens)] + tail, table, added=len(table.key) + 1, answers=answers)


def _update(sql: str, tokens: list[Token], tables: Mapping[str, Table], version: int) -> Statement:
    _one_table(sql, tokens)
    table, at = _table_at(sql, tokens, 1, tables)
    at = _skip_alias(tokens, at, {"set"})
    if at >= len(tokens) or tokens[at].word != "set" or _place(tokens, "from") is not None:
        raise Unrecordable(f"expected UPDATE table SET ...: {sql}")
    stop = min(place for place in (_place(tokens, "where"), _place(tokens, "returning"), len(tokens)) if place is not None)
    for i in range(at + 1, stop):
        if i == at + 1 or (tokens[i - 1].text == "," and tokens[i - 1].depth == 0):
            if not tokens[i].word or tokens[i].word in [name.lower() for name in table.key]:
                raise Unrecordable(f"expected a column to be set that is no part of the key: {sql}")
    before = tokens[stop - 1].start + len(tokens[stop - 1].text)
    tail, answers = _returning(sql, tokens, table, PREVIOUS)
    changed = f", {PREVIOUS} = {VERSION}, {VERSION} = {version}"
    return Statement("update", sql[:before] + changed + sql[before:_end(sql, tokens)] + tail, table,
                     added=len(table.key) + 1, answers=answers)


def _delete(sql: str, tokens: list[Token], tables: Mapping[str, Table], version: int) -> Statement:
    _one_table(sql, tokens)
    if len(tokens) < 3 or tokens[1].word != "from":
        raise Unrecordable(f"expected DELETE FROM: {sql}")
    table, at = _table_at(sql, tokens, 2, tables)
    at = _skip_alias(tokens, at, {"where", "returning", "using"})
    if at < len(tokens) and tokens[at].word not in ("where", "returning"):
        raise Unrecordable(f"expected DELETE FROM table WHERE ...: {sql}")
    tail, answers = _returning(sql, tokens, table, VERSION)
    return Statement("delete", sql[:_end(sql, tokens)] + tail, table, added=len(table.key) + 1, answers=answers)
