"""The recorder on real databases: it finds what is wrong, and accuses nobody else."""
import random
import sqlite3
import threading

import pytest

import assay


def in_threads(count, client):
    failures = []

    def guarded(number):
        try:
            client(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def increment(connection):
    """A counter as it should not be written."""
    cursor = connection.cursor()
    cursor.execute("SELECT value FROM counter WHERE id = %s", (1,))
    (value,) = cursor.fetchone()
    cursor.execute("UPDATE counter SET value = %s WHERE id = %s", (value + 1, 1))


def incremented_together(postgres, level):
    """Four clients increment a counter; the recording, how often it was told that it worked, and what the counter says."""
    import psycopg2
    setup = postgres()
    with setup, setup.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS counter; CREATE TABLE counter (id int PRIMARY KEY, value int)")
        cursor.execute("INSERT INTO counter VALUES (1, 0)")
    r = assay.recording(setup, ["counter"])
    barrier, worked = threading.Barrier(4, timeout=60), []

    def client(_):
        connection = postgres()
        connection.set_session(isolation_level=level)
        recorded = r.session(connection)
        for _ in range(25):
            barrier.wait()
            try:
                increment(recorded)
                recorded.commit()
                worked.append(1)
            except psycopg2.Error:
                recorded.rollback()
        recorded.close()

    in_threads(4, client)
    with setup, setup.cursor() as cursor:
        cursor.execute("SELECT value FROM counter")
        (value,) = cursor.fetchone()
    setup.close()
    return r, len(worked), value


def test_the_lost_update_of_a_naive_counter_is_found_at_read_committed(postgres):
    r, worked, value = incremented_together(postgres, "READ COMMITTED")
    assert value < worked, "the race was not run; try again"
    report = r.check("serializable")
    assert report.verdict == assay.Verdict.VIOLATED
    assert "counter:1" in report.text
    assert r.check("read-committed").verdict == assay.Verdict.HOLDS


def test_nothing_is_lost_at_serializable(postgres):
    r, worked, value = incremented_together(postgres, "SERIALIZABLE")
    assert value == worked > 0
    r.check(["serializable", "strict-serializable"]).require()


def test_a_failed_transaction_of_postgres_that_is_committed_counts_as_aborted(postgres):
    import psycopg2
    connection = postgres()
    with connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS one; CREATE TABLE one (id int PRIMARY KEY, v int)")
    r = assay.recording(connection, ["one"])
    cursor = r.connection.cursor()
    cursor.execute("INSERT INTO one (id, v) VALUES (1, 1)")
    with pytest.raises(psycopg2.Error):
        cursor.execute("SELECT 1 / 0")
    r.connection.commit()  # PostgreSQL rolls back and says nothing
    cursor.execute("SELECT v FROM one WHERE id = 1")
    assert cursor.fetchone() is None
    r.connection.commit()
    r.check("strict-serializable").require()
    connection.close()


def test_a_lost_connection_leaves_the_fate_unknown(postgres):
    import psycopg2
    connection = postgres()
    with connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS one; CREATE TABLE one (id int PRIMARY KEY, v int)")
    r = assay.recording(connection, ["one"])
    victim = r.session(postgres())
    victim.cursor().execute("INSERT INTO one (id, v) VALUES (1, 1)")
    r.connection.cursor().execute("SELECT pg_terminate_backend(%s)", (victim.info.backend_pid,))
    r.connection.commit()
    with pytest.raises(psycopg2.Error):
        victim.commit()
    assert [each.fate for each in r._transactions if each.operations] == [assay.Fate.UNKNOWN]
    cursor = r.connection.cursor()
    cursor.execute("SELECT v FROM one WHERE id = 1")
    assert cursor.fetchone() is None
    r.connection.commit()
    r.check("strict-serializable").require()
    connection.close()


def test_statements_by_themselves_are_transactions_by_themselves(postgres):
    connection = postgres()
    connection.autocommit = True
    connection.cursor().execute("DROP TABLE IF EXISTS one; CREATE TABLE one (id int PRIMARY KEY, v int)")
    r = assay.recording(connection, ["one"])
    cursor = r.connection.cursor()
    cursor.execute("INSERT INTO one (id, v) VALUES (1, 1), (2, 2) RETURNING v")
    assert cursor.fetchall() == [(1,), (2,)]
    cursor.execute("UPDATE one SET v = v + 1 WHERE id = 2")
    assert cursor.rowcount == 1
    cursor.execute("SELECT * FROM one ORDER BY id")
    assert cursor.fetchall() == [(1, 1), (2, 3)] and [column[0] for column in cursor.description] == ["id", "v"]
    cursor.execute("DELETE FROM one WHERE id = 1")
    assert r.history().transactions == 4
    r.check("strict-serializable").require()
    connection.close()


def busy(connection, error, draw, placeholder, begin):
    """Thirty transactions of all that a recording follows; some fail, some are rolled back."""
    at = f"WHERE id = {placeholder}"
    for _ in range(30):
        try:
            if begin:
                connection.execute(begin)
            cursor = connection.cursor()
            for _ in range(draw.randint(1, 4)):
                key = draw.randint(1, 4)
                what = draw.choice(["one", "all", "insert", "update", "add", "delete"])
                if what == "one":
                    cursor.execute(f"SELECT v FROM busy {at}", (key,))
                elif what == "all":
                    cursor.execute("SELECT v, id FROM busy WHERE v >= 0 ORDER BY 2")
                    found = [row[1] for row in cursor.fetchall()]
                    assert found == sorted(found)
                elif what == "insert":
                    cursor.execute(f"INSERT INTO busy (id, v) VALUES ({placeholder}, 7)", (key,))
                elif what == "update":
                    cursor.execute(f"UPDATE busy SET v = 1 {at}", (key,))
                elif what == "add":
                    cursor.execute(f"UPDATE busy SET v = v + 1 {at} RETURNING v", (key,))
                else:
                    cursor.execute(f"DELETE FROM busy {at}", (key,))
            connection.commit() if draw.random() < 0.85 else connection.rollback()
        except error:
            connection.rollback()


@pytest.mark.parametrize("seed", range(3))
def test_no_serializable_database_is_accused(postgres, tmp_path, seed):
    import psycopg2
    setup = postgres()
    with setup, setup.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS busy; CREATE TABLE busy (id int PRIMARY KEY, v int)")
    r = assay.recording(setup, ["busy"])

    def client(number):
        connection = postgres()
        connection.set_session(isolation_level="SERIALIZABLE")
        busy(r.session(connection), psycopg2.Error, random.Random(seed * 10 + number), "%s", None)
        connection.close()

    in_threads(4, client)
    setup.close()
    assert r.history().transactions > 30
    r.check("serializable").require()

    connect = lambda: sqlite3.connect(tmp_path / "busy.db", timeout=30, isolation_level=None)
    connect().execute("CREATE TABLE busy (id INTEGER PRIMARY KEY, v INTEGER)")
    r = assay.recording(connect())
    in_threads(3, lambda number: busy(r.session(connect()), sqlite3.Error, random.Random(seed * 10 + number), "?",
                                      random.Random(number).choice(["BEGIN", "BEGIN IMMEDIATE"])))
    assert r.history().transactions > 30
    r.check(["serializable", "strict-serializable"]).require()


@pytest.fixture
def sqlite(tmp_path):
    def connect():
        connection = sqlite3.connect(tmp_path / "test.db", timeout=30)
        connection.execute("CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, balance INTEGER)")
        connection.commit()
        return connection
    return connect


def test_sqlite_is_serializable_where_transactions_are_used(sqlite):
    setup = sqlite()
    setup.executemany("INSERT INTO accounts VALUES (?, 100)", [(i,) for i in range(5)])
    setup.commit()
    r = assay.recording(setup)
    assert list(r.tables) == ["accounts"]

    def client(seed):
        draw = random.Random(seed)
        connection = r.session(sqlite())
        for _ in range(20):
            source, target = draw.sample(range(5), 2)
            connection.execute("BEGIN IMMEDIATE")
            (balance,) = connection.execute("SELECT balance FROM accounts WHERE id = ?", (source,)).fetchone()
            connection.execute("UPDATE accounts SET balance = ? WHERE id = ?", (balance - 1, source))
            connection.execute("UPDATE accounts SET balance = balance + 1 WHERE id = :id", {"id": target})
            connection.commit() if draw.random() < 0.8 else connection.rollback()
        connection.close()

    in_threads(3, client)
    history = r.history()
    assert history.transactions == 60
    assay.check(history, ["serializable", "strict-serializable"]).require()


def test_statements_that_share_no_transaction_are_judged_one_by_one(sqlite):
    """An application that reads in one transaction and writes in another loses updates; no database can help it."""
    setup = sqlite()
    setup.execute("INSERT INTO accounts VALUES (1, 100)")
    setup.commit()
    r = assay.recording(setup)
    one, other = r.connection, r.session(sqlite())
    for connection in (one, other):
        connection.execute("BEGIN")
    balances = [connection.execute("SELECT balance FROM accounts WHERE id = 1").fetchone()[0] for connection in (one, other)]
    one.execute("COMMIT")
    other.execute("COMMIT")
    for connection, balance in zip((one, other), balances):
        connection.execute("UPDATE accounts SET balance = ? WHERE id = 1", (balance - 10,))
        connection.commit()
    r.check("serializable").require()


def test_what_cannot_be_followed_is_refused(sqlite):
    setup = sqlite()
    r = assay.recording(setup)
    for refused in ("SELECT count(*) FROM accounts", "SELECT a.id FROM accounts a JOIN accounts b ON a.id = b.id",
                    "INSERT INTO accounts VALUES (1, 1)", "INSERT OR REPLACE INTO accounts (id) VALUES (1)",
                    "INSERT INTO accounts (id) VALUES (1) ON CONFLICT DO NOTHING", "INSERT INTO accounts (id) SELECT 1",
                    "UPDATE accounts SET id = 2", "UPDATE accounts SET balance = (SELECT 1)", "DROP TABLE accounts",
                    "DELETE FROM accounts; DELETE FROM accounts", "WITH x AS (SELECT 1) DELETE FROM accounts",
                    "ROLLBACK TO here", "SELECT DISTINCT balance FROM accounts", "SELECT x FROM other, accounts",
                    "SELECT balance, sum(balance) FROM accounts GROUP BY balance", 'SELECT * FROM "accounts", "other"'):
        with pytest.raises(assay.Unrecordable):
            r.connection.execute(refused)
    with pytest.raises(assay.Unrecordable):
        r.connection.executescript("DELETE FROM accounts")
    with pytest.raises(assay.Unrecordable):
        r.connection.row_factory = sqlite3.Row
    assert r.history().transactions == 0


def test_rows_that_the_database_changes_itself_are_not_recorded(sqlite):
    setup = sqlite()
    setup.execute("CREATE TABLE noted (id INTEGER PRIMARY KEY, v INTEGER)")
    setup.execute("CREATE TRIGGER t AFTER INSERT ON noted BEGIN DELETE FROM noted; END")
    setup.execute("CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES accounts (id) ON DELETE CASCADE)")
    setup.execute("CREATE TABLE keyless (v INTEGER)")
    assert list(assay.recording(setup).tables) == ["accounts"]
    for name in ("noted", "child", "keyless", "missing"):
        with pytest.raises(assay.Unrecordable, match=name):
            assay.recording(setup, [name])


def test_columns_go_away_again(sqlite):
    setup = sqlite()
    assay.recording(setup)
    assay.remove_columns(setup, ["accounts"])
    assert [column[1] for column in setup.execute("PRAGMA table_info(accounts)")] == ["id", "balance"]


def test_a_table_of_an_earlier_recording_starts_anew(sqlite):
    setup = sqlite()
    first = assay.recording(setup)
    first.connection.execute("INSERT INTO accounts (id, balance) VALUES (1, 100)")
    first.connection.commit()
    second = assay.recording(setup)
    second.connection.execute("UPDATE accounts SET balance = 5 WHERE id = 1")
    second.connection.commit()
    assert second.connection.execute("SELECT balance FROM accounts WHERE id = 1").fetchone() == (5,)
    second.check("strict-serializable").require()
    assert second.history().transactions == 2


def test_the_plugin_fails_a_test_with_the_explanation(pytester):
    pytester.makepyfile("""
        import sqlite3
        import assay

        def test_recorded(assay_recording, tmp_path):
            connect = lambda: sqlite3.connect(tmp_path / "test.db", isolation_level=None)
            setup = connect()
            setup.execute("CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER)")
            setup.execute("INSERT INTO counter VALUES (1, 0)")
            r = assay_recording(setup)
            one, other = r.connection, r.session(connect())
            # What a broken database would do: an update is taken back behind the clients.
            one.execute("UPDATE counter SET value = 1 WHERE id = 1")
            sqlite3.connect(tmp_path / "test.db", isolation_level=None).execute("UPDATE counter SET assay_version = NULL, value = 0")
            other.execute("UPDATE counter SET value = 1 WHERE id = 1")
            assert other.execute("SELECT value FROM counter WHERE id = 1").fetchone() == (1,)

        def test_nothing_recorded(assay_recording, tmp_path):
            connection = sqlite3.connect(tmp_path / "test.db")
            connection.execute("CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER)")
            assay_recording(connection)
            connection.execute("INSERT INTO counter (id, value) VALUES (1, 0)")
            connection.commit()

        def test_nothing_wrong(assay_recording, tmp_path):
            connection = sqlite3.connect(tmp_path / "test.db")
            connection.execute("CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER)")
            r = assay_recording(connection, level="strict-serializable")
            r.connection.execute("INSERT INTO counter (id, value) VALUES (1, 0)")
            r.connection.commit()
    """)
    result = pytester.runpytest_subprocess("-p", "assay.pytest_plugin")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["E *serializable  violated", "E *counter:1*", "E *serializable  undecided*"])
