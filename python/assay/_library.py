"""The shared library behind this module: where it is, what its functions take, and how their errors become exceptions."""
from __future__ import annotations

import ctypes
import os
import pathlib
from collections.abc import Callable, Iterator
from ctypes import POINTER, Structure, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

NAME = "libassay.so.0"
NO_TIME = -(2**63)


class Error(Exception):
    """An input or an argument is wrong; the message says what was expected."""


class Value(Structure):
    _fields_ = [("kind", c_int32), ("number", c_uint64), ("text", c_char_p), ("size", c_size_t)]


class Row(Structure):
    _fields_ = [("key", Value), ("value", Value)]


NOTHING, INTEGER, NATURAL, TEXT = range(4)


def value(given: int | str | bytes | None) -> Value:
    if given is None:
        return Value(NOTHING, 0, None, 0)
    if isinstance(given, (str, bytes)):
        text = given.encode("utf-8", "surrogateescape") if isinstance(given, str) else given
        return Value(TEXT, 0, text, len(text))
    if isinstance(given, int):
        if -(2**63) <= given < 2**63:
            return Value(INTEGER, given % 2**64, None, 0)
        if given < 2**64:
            return Value(NATURAL, given, None, 0)
        raise Error(f"{given} has more than 64 bits: give it as a text")
    raise TypeError(f"expected a number or a text, got {type(given).__name__}")


_VALUE, _ROWS = POINTER(Value), POINTER(Row)
# What each function returns, and what it takes.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "version": (c_char_p, []),
    "error": (c_char_p, []),
    "levels": (c_size_t, []),
    "level_name": (c_char_p, [c_size_t]),
    "level_promise": (c_char_p, [c_size_t]),
    "read_with": (c_void_p, [c_char_p] * 4),
    "write": (c_int, [c_void_p, c_char_p, c_char_p]),
    "sessions": (c_size_t, [c_void_p]),
    "transactions": (c_size_t, [c_void_p]),
    "operations": (c_size_t, [c_void_p]),
    "keys": (c_size_t, [c_void_p]),
    "history_free": (None, [c_void_p]),
    "builder_new": (c_void_p, []),
    "begin_named": (c_int, [c_void_p, _VALUE, _VALUE]),
    "add": (c_int, [c_void_p, c_int, _VALUE, _VALUE]),
    "add_list_read": (c_int, [c_void_p, _VALUE, _VALUE, c_size_t]),
    "add_range_read": (c_int, [c_void_p, _VALUE, _VALUE, _ROWS, c_size_t]),
    "add_predicate_read": (c_int, [c_void_p, _VALUE, _ROWS, c_size_t]),
    "add_initial_row": (c_int, [c_void_p, _VALUE]),
    "end_at": (c_int, [c_void_p, c_int, c_int64, c_int64]),
    "several_clocks": (c_int, [c_void_p]),
    "finish": (c_void_p, [c_void_p]),
    "builder_free": (None, [c_void_p]),
    "options_new": (c_void_p, []),
    "set_session_order": (c_int, [c_void_p, c_int]),
    "set_clock_drift": (c_int, [c_void_p, c_int64]),
    "set_timeout": (c_int, [c_void_p, c_double]),
    "set_memory": (c_int, [c_void_p, c_size_t]),
    "set_threads": (c_int, [c_void_p, c_uint]),
    "set_method": (c_int, [c_void_p, c_char_p]),
    "require_committed": (c_int, [c_void_p, c_uint64]),
    "options_free": (None, [c_void_p]),
    "check_levels": (c_void_p, [c_void_p, POINTER(c_char_p), c_size_t, c_void_p]),
    "report_levels": (c_size_t, [c_void_p]),
    "report_level": (c_char_p, [c_void_p, c_size_t]),
    "report_level_verdict": (c_int, [c_void_p, c_size_t]),
    "report_verdict": (c_int, [c_void_p]),
    "report_explanation": (c_char_p, [c_void_p, c_size_t]),
    "report_strongest": (c_char_p, [c_void_p]),
    "report_text": (c_char_p, [c_void_p]),
    "report_json": (c_char_p, [c_void_p]),
    "report_page": (c_char_p, [c_void_p]),
    "report_dot": (c_char_p, [c_void_p]),
    "report_junit": (c_char_p, [c_void_p]),
    "report_certificate": (c_char_p, [c_void_p, c_size_t]),
    "report_free": (None, [c_void_p]),
    "verify": (c_void_p, [c_void_p, c_char_p, c_size_t]),
    "verification_accepted": (c_int, [c_void_p]),
    "verification_reason": (c_char_p, [c_void_p]),
    "verification_level": (c_char_p, [c_void_p]),
    "verification_verdict": (c_int, [c_void_p]),
    "verification_session_order": (c_int, [c_void_p]),
    "verification_clock_drift": (c_int64, [c_void_p]),
    "verification_free": (None, [c_void_p]),
    "watcher_new": (c_void_p, [c_char_p, c_void_p]),
    "watcher_admit": (c_int, [c_void_p, c_char_p]),
    "watcher_all_admitted": (c_int, [c_void_p]),
    "watcher_close": (c_int, [c_void_p, c_char_p]),
    "watcher_add": (c_int, [c_void_p, c_void_p]),
    "watcher_decide": (c_void_p, [c_void_p]),
    "watcher_kept": (c_uint64, [c_void_p]),
    "watcher_waiting": (c_uint64, [c_void_p]),
    "watcher_free": (None, [c_void_p]),
    "round_verdict": (c_int, [c_void_p]),
    "round_reason": (c_char_p, [c_void_p]),
    "round_transactions": (c_uint64, [c_void_p]),
    "round_more": (c_int, [c_void_p]),
    "round_report": (c_void_p, [c_void_p]),
    "round_free": (None, [c_void_p]),
}


def _places() -> Iterator[str]:
    """ASSAY_LIBRARY alone if it is set; else where the system looks, then beside an installation that this module is part of."""
    named = os.environ.get("ASSAY_LIBRARY")
    if named:
        yield named
        return
    yield NAME
    for folder in pathlib.Path(__file__).resolve().parents:
        yield from map(str, sorted([*folder.glob(f"lib/{NAME}"), *folder.glob(f"lib/*/{NAME}")]))


def _load() -> ctypes.CDLL:
    errors = []
    for place in _places():
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            errors.append(str(error))
    raise ImportError("Assay's library cannot be loaded; install libassay0, or name it in ASSAY_LIBRARY: " + "; ".join(errors))


class _Functions:
    """The functions of assay.h, without their prefix."""

    def __init__(self) -> None:
        library = _load()
        for name, (returned, taken) in _FUNCTIONS.items():
            function = getattr(library, "assay_" + name)
            function.restype, function.argtypes = returned, taken
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Callable[..., Any]:  # for type checkers: all of them are set above
        raise AttributeError(name)


functions = _Functions()


def last_error() -> Error:
    return Error(functions.error().decode("utf-8", "replace"))


def done(result: int) -> None:
    if result != 0:
        raise last_error()


def given(result: int | None) -> int:
    if not result:
        raise last_error()
    return result


def text(result: bytes | None) -> str:
    if result is None:
        raise last_error()
    return result.decode("utf-8", "replace")
