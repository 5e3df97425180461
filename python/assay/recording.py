"""Records what DB-API connections do, so that it can be checked.

    with assay.recording(connection) as r:
        other = r.session(connect())          # as many as you like, each used by one thread at a time
        ...                                   # r.connection and other are used like the connections themselves
    r.check("serializable").require()

A recording follows statements on single tables with a primary key and refuses what it does not understand (docs/python.md).
"""
from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from ._driver import Driver, State, driver_of
from ._statement import PREVIOUS, VERSION, Statement, Table, Unrecordable, quoted, understand
from .history import Builder, Fate, History
from .verdict import Options, Report, check

_MOST_VERSIONS = 2**24


@dataclass
class _Transaction:
    session: str
    number: int
    start: int
    operations: list[tuple[str, str, int | None]] = field(default_factory=list)  # what, key, version
    fate: Fate = Fate.UNKNOWN
    end: int | None = None


class Recording:
    """What its connections did, as a history; made by recording()."""

    def __init__(self, connection: Any, tables: Iterable[str] | None) -> None:
        self._driver = driver_of(connection)
        self._driver.refuse(connection)
        if self._driver.state(connection) != State.IDLE:
            raise Unrecordable("a transaction is open: a recording begins between transactions")
        # Versions of this recording are told from those of others by where they begin.
        self._base = secrets.randbits(38) * _MOST_VERSIONS + 1
        self._versions = itertools.count(self._base)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._before: dict[str, int | None] = {}  # by key: the version that was there before the recording
        self._transactions: list[_Transaction] = []
        self._attempts: dict[int, _Transaction] = {}  # by version: who tried to write it and was not told
        self._sessions = 0
        self.tables = self._prepare(connection, None if tables is None else list(tables))
        self.connection = self.session(connection)

    def session(self, connection: Any) -> Any:
        """The connection as one more session of the recording: use what is returned instead of it."""
        if type(driver_of(connection)) is not type(self._driver):
            raise Unrecordable("the connections of a recording are of one kind of database")
        self._driver.refuse(connection)
        with self._lock:
            self._sessions += 1
            name = f"session {self._sessions}"
        return _Connection(self, connection, self._driver, name)

    def history(self) -> History:
        """What was recorded so far. The fate of a transaction that is still open is unknown."""
        with self._lock:
            transactions = list(self._transactions)
        build = Builder()
        late = self._late_writes(transactions)
        for each in transactions:
            if not each.operations and each.number not in late:
                continue
            build.begin(each.session, each.number)
            for what, key, version in [*each.operations, *late.get(each.number, [])]:
                value = None if version is None else version - self._base + 1
                if what == "read":
                    build.read(key, value)
                elif what == "erase" or value is None:
                    build.erase(key)
                elif what == "insert":
                    build.insert(key, value)
                else:
                    build.write(key, value)
            build.end(each.fate, each.start, each.end)
        return build.finish()

    def check(self, levels: str | Sequence[str] = "serializable", options: Options | None = None) -> Report:
        return check(self.history(), levels, options)

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass

    def _prepare(self, connection: Any, wanted: list[str] | None) -> dict[str, Table]:
        known = {table.name.lower(): (table, obstacle) for table, obstacle in self._driver.tables(connection)}
        names = list(known) if wanted is None else [name.lower() for name in wanted]
        chosen = {}
        for name in names:
            if name not in known:
                raise Unrecordable(f"there is no table {name}")
            table, obstacle = known[name]
            if obstacle and wanted is not None:
                raise Unrecordable(obstacle)
            if not obstacle:
                chosen[name] = table
        for table in chosen.values():
            self._driver.add_columns(connection, table)
        connection.commit()
        return chosen

    def _begin(self, session: str) -> _Transaction:
        with self._lock:
            begun = _Transaction(session, next(self._numbers), time.monotonic_ns())
            self._transactions.append(begun)
            return begun

    def _next_version(self) -> int:
        version = next(self._versions)
        if version - self._base >= _MOST_VERSIONS - 1:
            raise Unrecordable("a recording has at most 16 million writes")
        return version

    def _seen(self, key: str, version: int | None) -> int | None:
        """The version as one of this recording; None: it was there before."""
        if version is not None and self._base <= version < self._base + _MOST_VERSIONS:
            return version
        with self._lock:
            if self._before.setdefault(key, version) != version:
                raise Unrecordable(f"row {key} was written by another recording meanwhile")
        return None

    def _late_writes(self, transactions: list[_Transaction]) -> dict[int, list[tuple[str, str, int | None]]]:
        """Writes whose client got no answer, and which were seen all the same."""
        late: dict[int, list[tuple[str, str, int | None]]] = {}
        written = {(key, version) for each in transactions for what, key, version in each.operations if what != "read"}
        for each in transactions:
            for what, key, version in each.operations:
                writer = self._attempts.get(version) if version is not None else None
                if what == "read" and writer is not None and (key, version) not in written:
                    written.add((key, version))
                    late.setdefault(writer.number, []).append(("write", key, version))
        return late


def recording(connection: Any, tables: Iterable[str] | None = None) -> Recording:
    """Records the connection, which must be between transactions, and those that are given to session() later. Of the tables, it
    follows those that have a primary key and neither triggers nor cascading foreign keys, or exactly those that are named; each gets
    two columns, assay_version and assay_previous, which stay there (remove_columns() takes them away)."""
    return Recording(connection, tables)


def remove_columns(connection: Any, tables: Iterable[str]) -> None:
    """Takes the columns of a recording away again."""
    cursor = connection.cursor()
    for table in tables:
        for column in (VERSION, PREVIOUS):
            cursor.execute(f"ALTER TABLE {quoted(table)} DROP COLUMN {column}")
    connection.commit()


class _Connection:
    """A connection that is recorded: what it does not do itself, the connection does."""

    _OWN = ("_recording", "_raw", "_driver", "_session", "_open")
    _REFUSED = ("executescript", "backup", "deserialize", "blobopen", "tpc_begin", "pipeline", "lobject", "xact", "transaction")

    def __init__(self, made: Recording, raw: Any, driver: Driver, session: str) -> None:
        self._recording, self._raw, self._driver, self._session = made, raw, driver, session
        self._open: _Transaction | None = None

    def __getattr__(self, name: str) -> Any:
        if name in self._REFUSED:
            raise Unrecordable(f"{name} is not followed in a recording")
        return getattr(self._raw, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._OWN:
            object.__setattr__(self, name, value)
        else:
            setattr(self._raw, name, value)
            self._driver.refuse(self._raw)

    def cursor(self) -> _Cursor:
        return _Cursor(self, self._raw.cursor())

    def execute(self, sql: str, parameters: Any = None) -> _Cursor:
        return self.cursor().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any]) -> _Cursor:
        return self.cursor().executemany(sql, parameters)

    def commit(self) -> None:
        self._end(self._raw.commit, Fate.COMMITTED)

    def rollback(self) -> None:
        self._end(self._raw.rollback, Fate.ABORTED)

    def close(self) -> None:
        self._end(self._raw.close, Fate.ABORTED)

    def __enter__(self) -> _Connection:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is None:
            self.commit()
        else:
            self.rollback()

    def _begun(self) -> _Transaction:
        if self._open is None:
            self._open = self._recording._begin(self._session)
        return self._open

    def _end(self, act: Any, fate: Fate) -> Any:
        """Ends the transaction, if one is open, by what `act` does."""
        transaction = self._open
        if transaction is not None and fate == Fate.COMMITTED and self._driver.state(self._raw) == State.FAILED:
            fate = Fate.ABORTED  # PostgreSQL answers a commit of a failed transaction with a rollback, and no error
        try:
            result = act()
        except BaseException as error:
            after = self._driver.state(self._raw)
            if transaction is not None and after not in (State.OPEN, State.FAILED):
                aborted = fate == Fate.ABORTED or (after == State.IDLE and self._driver.certainly_aborts(error))
                self._close(Fate.ABORTED if aborted else Fate.UNKNOWN)
            raise
        if transaction is not None:
            self._close(fate)
        return result

    def _close(self, fate: Fate) -> None:
        if self._open is None:
            return
        self._open.fate = fate
        if fate != Fate.UNKNOWN:
            self._open.end = time.monotonic_ns()
        self._open = None


class _Cursor:
    def __init__(self, connection: _Connection, raw: Any) -> None:
        self.connection, self._raw = connection, raw
        self._rows: Iterator[tuple[Any, ...]] | None = None
        self.description: Any = None
        self.rowcount = -1
        self.arraysize = 1

    @property
    def lastrowid(self) -> Any:
        return self._raw.lastrowid

    def execute(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] | None = None) -> _Cursor:
        connection, made = self.connection, self.connection._recording
        if hasattr(sql, "as_string"):  # psycopg's composed statements
            sql = sql.as_string(connection._raw)
        if not isinstance(sql, str):
            raise Unrecordable("expected a statement as text")
        version = made._next_version()
        statement = understand(sql, parameters, made.tables, version)
        self._rows, self.description = None, None
        if statement.kind in ("commit", "rollback"):
            fate = Fate.COMMITTED if statement.kind == "commit" else Fate.ABORTED
            connection._end(lambda: self._run(sql, parameters), fate)
            return self
        transaction = connection._begun()
        writes = statement.kind in ("insert", "update", "delete")
        if writes:
            made._attempts[version] = transaction
        try:
            self._run(statement.sql, parameters)
            rows = self._raw.fetchall() if self._raw.description is not None else None
        except BaseException as error:
            self._failed(error)
            raise
        if statement.table is not None:
            self._note(transaction, statement, rows or [], version)
        if writes:
            made._attempts.pop(version, None)
        self._show(statement, rows)
        if connection._driver.state(connection._raw) == State.IDLE:  # it was a transaction by itself
            connection._close(Fate.COMMITTED)
        return self

    def executemany(self, sql: str, parameters: Iterable[Any]) -> _Cursor:
        count = 0
        for each in parameters:
            self.execute(sql, each)
            count += max(0, self.rowcount)
        self.rowcount = count
        return self

    def fetchone(self) -> tuple[Any, ...] | None:
        return next(self._answer(), None)

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        return list(itertools.islice(self._answer(), self.arraysize if size is None else size))

    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(self._answer())

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._answer()

    def close(self) -> None:
        self._raw.close()

    def __enter__(self) -> _Cursor:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _answer(self) -> Iterator[tuple[Any, ...]]:
        return iter(()) if self._rows is None else self._rows

    def _run(self, sql: str, parameters: Any) -> None:
        if parameters is None:
            self._raw.execute(sql)
        else:
            self._raw.execute(sql, parameters)

    def _failed(self, error: BaseException) -> None:
        connection = self.connection
        state = connection._driver.state(connection._raw)
        if state == State.LOST:
            connection._close(Fate.UNKNOWN)
        elif state == State.IDLE:
            connection._close(Fate.ABORTED if connection._driver.certainly_aborts(error) else Fate.UNKNOWN)

    def _note(self, transaction: _Transaction, statement: Statement, rows: list[Any], version: int) -> None:
        """Writes down what the added columns say."""
        table = statement.table
        assert table is not None
        operations, width = transaction.operations, len(table.key)
        made = self.connection._recording
        for row in rows:
            if not isinstance(row, tuple):
                raise Unrecordable("a recording needs a cursor that gives rows as tuples")
            told = row[-width - 1:]
            key = _key_text(table, told[:width])
            if statement.kind == "insert":
                operations.append(("insert", key, version))
                continue
            operations.append(("read", key, made._seen(key, told[width])))
            if statement.kind == "update":
                operations.append(("write", key, version))
            elif statement.kind == "delete":
                operations.append(("erase", key, None))
        if statement.kind == "select" and statement.key is not None and not rows:
            operations.append(("read", _key_text(table, statement.key), None))

    def _show(self, statement: Statement, rows: list[Any] | None) -> None:
        """Gives the client what it asked for."""
        self.rowcount = self._raw.rowcount if rows is None else len(rows)
        if rows is None or not statement.answers:
            return
        columns = list(self._raw.description)
        # Not what was added, nor what a star has brought besides.
        kept = [i for i in range(len(columns) - statement.added) if statement.table is None or columns[i][0] not in (VERSION, PREVIOUS)]
        self.description = [columns[i] for i in kept]
        self._rows = iter(rows) if len(kept) == len(columns) else iter([tuple(row[i] for i in kept) for row in rows])


def _key_text(table: Table, key: Sequence[Any]) -> str:
    return f"{table.name}:{','.join(map(str, key))}"
