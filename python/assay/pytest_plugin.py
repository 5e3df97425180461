"""A pytest plugin: a test that uses the fixture fails, with the explanation, if what it recorded breaks its level.

    def test_counter(assay_recording):
        r = assay_recording(connect(), level="serializable")
        ...                                     # use r.connection and r.session(connect())
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from .recording import Recording, recording
from .verdict import Options


@pytest.fixture
def assay_recording(request: pytest.FixtureRequest) -> Callable[..., Recording]:
    """Begins a recording; what it recorded is checked when the test has passed so far."""
    recordings: list[tuple[Recording, str]] = []

    def begin(connection: Any, level: str = "serializable", tables: Iterable[str] | None = None) -> Recording:
        made = recording(connection, tables)
        recordings.append((made, level))
        return made

    # The test itself fails and not its teardown: the check is made part of it.
    test = request.node.obj

    @functools.wraps(test)
    def checked(*arguments: Any, **named: Any) -> None:
        __tracebackhide__ = True
        test(*arguments, **named)
        for made, level in recordings:
            # A test that recorded nothing, by using the connection itself, has tested nothing.
            made.check(level, Options(require_committed=1)).require()

    request.node.obj = checked
    return begin
