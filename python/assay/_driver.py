"""What the recorder must know of a database driver: the state of a transaction, what an error says, and the tables."""
from __future__ import annotations

import enum
from typing import Any, Protocol

from ._statement import PREVIOUS, VERSION, Table, Unrecordable, quoted


class State(enum.Enum):
    IDLE = 0  # no transaction is open
    OPEN = 1
    FAILED = 2  # open, and whatever is said, it will be rolled back
    LOST = 3  # nobody can tell


class Driver(Protocol):
    def state(self, connection: Any) -> State: ...
    def certainly_aborts(self, error: BaseException) -> bool:
        """The database has answered, and refused: what was asked did not happen."""
    def refuse(self, connection: Any) -> None:
        """Raises Unrecordable for what this connection was set to."""
    def tables(self, connection: Any) -> list[tuple[Table, str]]:
        """Each with why it cannot be recorded; empty if it can."""
    def add_columns(self, connection: Any, table: Table) -> None: ...


class Sqlite:
    def state(self, connection: Any) -> State:
        import sqlite3
        try:
            return State.OPEN if connection.in_transaction else State.IDLE
        except sqlite3.ProgrammingError:  # it is closed
            return State.LOST

    def certainly_aborts(self, error: BaseException) -> bool:
        return True  # there is no network to lose an answer

    def refuse(self, connection: Any) -> None:
        import sqlite3
        if connection.row_factory is not None:
            raise Unrecordable("connection.row_factory is set: a recording gives rows as tuples")
        if sqlite3.sqlite_version_info < (3, 37):
            raise Unrecordable(f"SQLite {sqlite3.sqlite_version} is too old; 3.37 is not")

    def tables(self, connection: Any) -> list[tuple[Table, str]]:
        found = []
        # Neither virtual tables nor those that belong to one.
        names = [row[1] for row in connection.execute("PRAGMA table_list")
                 if row[0] == "main" and row[2] == "table" and not row[1].startswith("sqlite_")]
        for name in names:
            columns = connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
            key = tuple(column[1] for column in sorted(columns, key=lambda column: int(column[5])) if column[5] > 0)
            references = connection.execute(f"PRAGMA foreign_key_list({quoted(name)})").fetchall()
            triggers = connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?",
                                          (name,)).fetchone()[0]
            cascades = any(reference[i].upper() not in ("NO ACTION", "RESTRICT") for reference in references for i in (5, 6))
            found.append((Table(name, key), _obstacle(name, key, triggers > 0, cascades)))
        return found

    def add_columns(self, connection: Any, table: Table) -> None:
        there = {column[1] for column in connection.execute(f"PRAGMA table_info({quoted(table.name)})")}
        for column in (VERSION, PREVIOUS):
            if column not in there:
                connection.execute(f"ALTER TABLE {quoted(table.name)} ADD COLUMN {column} bigint")


_POSTGRES_TABLES = """
SELECT c.relname,
       (SELECT array_agg(a.attname::text ORDER BY array_position(i.indkey::int[], a.attnum::int)) FROM pg_index i
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey) WHERE i.indrelid = c.oid AND i.indisprimary),
       EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal)
         OR EXISTS (SELECT 1 FROM pg_rewrite r WHERE r.ev_class = c.oid),
       EXISTS (SELECT 1 FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f'
               AND (f.confdeltype IN ('c', 'n', 'd') OR f.confupdtype IN ('c', 'n', 'd'))),
       c.relrowsecurity
FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace ORDER BY 1"""


class Postgres:
    """psycopg2 and psycopg."""

    def state(self, connection: Any) -> State:
        if connection.closed:
            return State.LOST
        status = int(connection.info.transaction_status)  # libpq's PQtransactionStatus
        return {0: State.IDLE, 1: State.OPEN, 2: State.OPEN, 3: State.FAILED}.get(status, State.LOST)

    def certainly_aborts(self, error: BaseException) -> bool:
        code = getattr(error, "pgcode", None) or getattr(error, "sqlstate", None) or ""
        # A connection that broke, a server that was stopped: it may have committed before.
        return bool(code) and not code.startswith(("08", "57P")) and code != "40003"

    def refuse(self, connection: Any) -> None:
        pass

    def tables(self, connection: Any) -> list[tuple[Table, str]]:
        with connection.cursor() as cursor:
            cursor.execute(_POSTGRES_TABLES)
            rows = cursor.fetchall()
        connection.rollback()
        return [(Table(name, tuple(key or ())),
                 f"table {name} has policies that hide rows" if hides else _obstacle(name, tuple(key or ()), triggers, cascades))
                for name, key, triggers, cascades, hides in rows]

    def add_columns(self, connection: Any, table: Table) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND NOT attisdropped", (quoted(table.name),))
            there = {name for (name,) in cursor.fetchall()}
            missing = [column for column in (VERSION, PREVIOUS) if column not in there]
            if not missing:
                return
            cursor.execute("SET lock_timeout = '10s'")  # somebody may hold the table: an error, and no endless wait
            for column in missing:
                cursor.execute(f"ALTER TABLE {quoted(table.name)} ADD COLUMN {column} bigint")
            cursor.execute("RESET lock_timeout")


def _obstacle(name: str, key: tuple[str, ...], triggers: bool, cascades: bool) -> str:
    if not key:
        return f"table {name} has no primary key"
    if triggers:
        return f"table {name} has triggers or rules, whose changes nobody would see"
    if cascades:
        return f"table {name} has a foreign key that changes or deletes its rows, which nobody would see"
    return ""


def driver_of(connection: Any) -> Driver:
    module = type(connection).__module__.partition(".")[0]
    bases = {base.__module__.partition(".")[0] for base in type(connection).__mro__} | {module}
    if "sqlite3" in bases:
        return Sqlite()
    if bases & {"psycopg2", "psycopg"}:
        return Postgres()
    raise Unrecordable(f"connections of {module} cannot be recorded; those of sqlite3, psycopg2 and psycopg can")
