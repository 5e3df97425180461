"""Verdicts: which levels a history satisfies, why not, and the proof."""
from __future__ import annotations

import ctypes
import enum
import json
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._library import Error, done, functions, given, text
from .history import History


class Verdict(enum.IntEnum):
    HOLDS = 0
    VIOLATED = 1
    UNDECIDED = 2


class Violation(AssertionError):
    """A level that was required is violated, or could not be decided; str() explains it."""

    def __init__(self, report: Report) -> None:
        super().__init__(report.text)
        self.report = report


@dataclass(frozen=True)
class Options:
    """What is asked for besides the levels."""

    session_order: bool = True
    clock_drift: int | None = None  # nanoseconds, for the levels with real time
    timeout: float | None = None  # seconds
    memory: int | None = None  # bytes, of the whole process
    threads: int = 1
    method: str = "auto"  # or "width", "sat": a slower second opinion on a small history
    require_committed: int = 0  # fewer committed transactions cannot show that a level holds


class _PlainOptions:
    """Options as the library takes them."""

    def __init__(self, options: Options) -> None:
        self.handle = given(functions.options_new())
        weakref.finalize(self, functions.options_free, self.handle)
        done(functions.set_session_order(self.handle, options.session_order))
        if options.clock_drift is not None:
            done(functions.set_clock_drift(self.handle, options.clock_drift))
        if options.timeout is not None:
            done(functions.set_timeout(self.handle, options.timeout))
        if options.memory is not None:
            done(functions.set_memory(self.handle, options.memory))
        done(functions.set_threads(self.handle, options.threads))
        done(functions.set_method(self.handle, options.method.encode()))
        done(functions.require_committed(self.handle, options.require_committed))


@dataclass(frozen=True)
class Result:
    level: str
    verdict: Verdict
    explanation: str  # violated: why, in sentences; undecided: the reason


class Report:
    """What was found about a history."""

    def __init__(self, handle: int, owner: object = None) -> None:
        """Of a handle of the library; without an owner it is freed with this object."""
        self._handle = handle
        self._owner = owner
        if owner is None:
            weakref.finalize(self, functions.report_free, handle)

    @property
    def verdict(self) -> Verdict:
        """Violated if one level is, else undecided if one is."""
        return Verdict(functions.report_verdict(self._handle))

    @property
    def results(self) -> list[Result]:
        """One per asked level, in the order asked."""
        return [Result(text(functions.report_level(self._handle, i)), Verdict(functions.report_level_verdict(self._handle, i)),
                       text(functions.report_explanation(self._handle, i)))
                for i in range(functions.report_levels(self._handle))]

    @property
    def strongest(self) -> str | None:
        """Of the asked levels that hold."""
        found = functions.report_strongest(self._handle)
        return None if found is None else text(found)

    @property
    def text(self) -> str:
        """What `assay check` prints."""
        return text(functions.report_text(self._handle))

    @property
    def json(self) -> dict[str, Any]:
        """What `assay check --json` prints."""
        found: dict[str, Any] = json.loads(text(functions.report_json(self._handle)))
        return found

    @property
    def page(self) -> str:
        """A web page that needs nothing else."""
        return text(functions.report_page(self._handle))

    @property
    def dot(self) -> str:
        return text(functions.report_dot(self._handle))

    @property
    def junit(self) -> str:
        return text(functions.report_junit(self._handle))

    def certificate(self, index: int = 0) -> str | None:
        """A proof of results[index], for verify(); None where it is undecided or a proof would be unbearably long."""
        if not 0 <= index < functions.report_levels(self._handle):
            raise IndexError(index)
        found = functions.report_certificate(self._handle, index)
        return None if found is None else text(found)

    def require(self) -> Report:
        """Raises Violation unless every asked level holds."""
        __tracebackhide__ = True  # pytest shows the caller
        if self.verdict != Verdict.HOLDS:
            raise Violation(self)
        return self


def levels() -> list[str]:
    return [text(functions.level_name(i)) for i in range(functions.levels())]


def check(history: History, levels: str | Sequence[str] = "serializable", options: Options | None = None) -> Report:
    """Decides one level or several, by name or alias."""
    names = [levels] if isinstance(levels, str) else list(levels)
    array = (ctypes.c_char_p * len(names))(*(name.encode() for name in names))
    plain = _PlainOptions(options or Options())
    return Report(given(functions.check_levels(history._handle, array, len(names), plain.handle)))


@dataclass(frozen=True)
class Verification:
    """What became of a certificate. An accepted one proves its claim: compare that with what you want to know."""

    accepted: bool
    reason: str
    level: str
    verdict: Verdict
    session_order: bool
    clock_drift: int


def verify(history: History, certificate: str) -> Verification:
    """Judges a certificate by the history alone. Raises Error if the text is no certificate."""
    content = certificate.encode()
    found = given(functions.verify(history._handle, content, len(content)))
    try:
        return Verification(bool(functions.verification_accepted(found)), text(functions.verification_reason(found)),
                            text(functions.verification_level(found)), Verdict(functions.verification_verdict(found)),
                            bool(functions.verification_session_order(found)), functions.verification_clock_drift(found))
    finally:
        functions.verification_free(found)


__all__ = ["Error", "Options", "Report", "Result", "Verdict", "Verification", "Violation", "check", "levels", "verify"]
