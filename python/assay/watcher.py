"""Watching: a history that goes on, given in fragments and decided in rounds."""
from __future__ import annotations

import weakref
from dataclasses import dataclass

from ._library import done, functions, given, text
from .history import History
from .verdict import Options, Report, Verdict, _PlainOptions


@dataclass(frozen=True)
class Round:
    """What one round found; a violation is told once. "Holds" is "holds so far"."""

    verdict: Verdict
    reason: str  # undecided: why; violated: what the report cannot show by itself
    transactions: int  # new in this round
    more: bool  # decide again at once
    report: Report | None  # violated: the few transactions that show it, where some do


class _RoundHandle:
    def __init__(self, handle: int) -> None:
        self.handle = handle
        weakref.finalize(self, functions.round_free, handle)


class Watcher:
    """Keeps only what a transaction still to come can touch."""

    def __init__(self, level: str = "serializable", options: Options | None = None) -> None:
        plain = _PlainOptions(options or Options())
        self._handle = given(functions.watcher_new(level.encode(), plain.handle))
        weakref.finalize(self, functions.watcher_free, self._handle)

    def admit(self, session: str) -> None:
        done(functions.watcher_admit(self._handle, session.encode()))

    def all_admitted(self) -> None:
        """Only those that were admitted, or have sent something, will send anything."""
        done(functions.watcher_all_admitted(self._handle))

    def close(self, session: str) -> None:
        done(functions.watcher_close(self._handle, session.encode()))

    def add(self, fragment: History) -> None:
        done(functions.watcher_add(self._handle, fragment._handle))

    def decide(self) -> Round:
        owner = _RoundHandle(given(functions.watcher_decide(self._handle)))
        report = functions.round_report(owner.handle)
        return Round(Verdict(functions.round_verdict(owner.handle)), text(functions.round_reason(owner.handle)),
                     functions.round_transactions(owner.handle), bool(functions.round_more(owner.handle)),
                     Report(report, owner) if report else None)

    @property
    def kept(self) -> int:
        """Transactions that are held in memory."""
        return int(functions.watcher_kept(self._handle))

    @property
    def waiting(self) -> int:
        return int(functions.watcher_waiting(self._handle))
