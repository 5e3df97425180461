"""Histories: what clients of a database sent and saw, from files or put together by hand."""
from __future__ import annotations

import enum
import os
import weakref
from collections.abc import Iterable, Sequence
from typing import Optional, Union

from . import _library
from ._library import NO_TIME, Row, Value, done, functions, given

Name = Union[int, str, bytes]


class Fate(enum.IntEnum):
    """What a client learned of its transaction; unknown: nothing."""

    COMMITTED = 0
    ABORTED = 1
    UNKNOWN = 2


class History:
    """What clients sent and saw; immutable."""

    def __init__(self, handle: int) -> None:
        """Of a handle of the library, which it owns from now on."""
        self._handle = handle
        weakref.finalize(self, functions.history_free, handle)

    @property
    def sessions(self) -> int:
        return int(functions.sessions(self._handle))

    @property
    def transactions(self) -> int:
        return int(functions.transactions(self._handle))

    @property
    def operations(self) -> int:
        return int(functions.operations(self._handle))

    @property
    def keys(self) -> int:
        return int(functions.keys(self._handle))

    def write(self, path: str | os.PathLike[str], format: str = "jsonl") -> None:
        """Writes it in a format of `assay formats`."""
        done(functions.write(self._handle, os.fsencode(path), format.encode()))


def read(path: str | os.PathLike[str], format: str | None = None, *, initial: str = "auto",
         failed_statements: str = "unknown") -> History:
    """A history from a file or folder; the content tells its format if none is named."""
    return History(given(functions.read_with(os.fsencode(path), format.encode() if format else None, initial.encode(),
                                             failed_statements.encode())))


class Builder:
    """Puts a history together. Between begin and end come the operations of one transaction, in order."""

    _READ, _WRITE, _INSERT, _ERASE, _APPEND = range(5)

    def __init__(self) -> None:
        self._handle = given(functions.builder_new())
        weakref.finalize(self, functions.builder_free, self._handle)

    def begin(self, session: Name, transaction: Name) -> Builder:
        return self._done(functions.begin_named(self._handle, _library.value(session), _library.value(transaction)))

    def read(self, key: Name, value: Optional[Name]) -> Builder:
        """None: nothing was written yet, or there was no row."""
        return self._add(self._READ, key, value)

    def write(self, key: Name, value: Name) -> Builder:
        return self._add(self._WRITE, key, value)

    def insert(self, key: Name, value: Name) -> Builder:
        return self._add(self._INSERT, key, value)

    def erase(self, key: Name, tombstone: Optional[Name] = None) -> Builder:
        return self._add(self._ERASE, key, tombstone)

    def append(self, key: Name, element: Name) -> Builder:
        return self._add(self._APPEND, key, element)

    def list_read(self, key: Name, elements: Sequence[Name]) -> Builder:
        array = (Value * len(elements))(*map(_library.value, elements))
        return self._done(functions.add_list_read(self._handle, _library.value(key), array, len(elements)))

    def range_read(self, low: Optional[Name], high: Optional[Name], rows: Iterable[tuple[Name, Optional[Name]]]) -> Builder:
        """All rows from low to high, both included; None: no bound. A row without a value was there from the start."""
        array = _rows(rows)
        return self._done(functions.add_range_read(self._handle, None if low is None else _library.value(low),
                                                   None if high is None else _library.value(high), array, len(array)))

    def predicate_read(self, predicate: Name, rows: Iterable[tuple[Name, Optional[Name]]]) -> Builder:
        array = _rows(rows)
        return self._done(functions.add_predicate_read(self._handle, _library.value(predicate), array, len(array)))

    def initial_row(self, key: Name) -> Builder:
        return self._done(functions.add_initial_row(self._handle, _library.value(key)))

    def end(self, fate: Fate = Fate.COMMITTED, start: int | None = None, end: int | None = None) -> Builder:
        """Times in nanoseconds, for the levels with real time."""
        return self._done(functions.end_at(self._handle, fate, NO_TIME if start is None else start,
                                           NO_TIME if end is None else end))

    def several_clocks(self) -> Builder:
        """The times are of clocks that may disagree."""
        return self._done(functions.several_clocks(self._handle))

    def finish(self) -> History:
        """The builder is empty again."""
        return History(given(functions.finish(self._handle)))

    def _add(self, operation: int, key: Name, value: Optional[Name]) -> Builder:
        return self._done(functions.add(self._handle, operation, _library.value(key),
                                        None if value is None else _library.value(value)))

    def _done(self, result: int) -> Builder:
        done(result)
        return self


def _rows(rows: Iterable[tuple[Name, Optional[Name]]]):  # type: ignore[no-untyped-def]  # an array type of ctypes
    found = [Row(_library.value(key), _library.value(value)) for key, value in rows]
    return (Row * len(found))(*found)
