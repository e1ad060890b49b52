"""A store that cannot be had or cannot be written to: one line that says so, and nothing stored is lost."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.store import Store, db_schema
from arbiter.store.sqlite import explain
from tests.fixtures.databases import GIVEN
from tests.fixtures.records import record
from tests.store.failures import SECRET, filled, goes_on, large, longest_file, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def lone(file: Path) -> Iterator[Store]:
    """A store in a file."""
    with closing(Store(f"sqlite:///{file}")) as made:
        yield made


def refusal(url: str, **options: bool) -> str:
    with pytest.raises(StoreError) as caught, closing(Store(url, **options)) as store:
        store.make_season("x", "planning", "1")
    return one_line(caught.value)


def admin(url: str) -> sa.Engine:
    return sa.create_engine(url, isolation_level="AUTOCOMMIT")


def test_a_newer_schema_is_refused(store: Store) -> None:
    with store.transaction() as connection:
        connection.execute(sa.update(db_schema.version).values(version_num="9999"))
    assert "has schema 9999, newer than this program's" in refusal(store.url)


@pytest.mark.parametrize("tables", [("shop",), ("shop", "alembic_version")])
def test_a_database_of_something_else_is_refused(database: str, tables: tuple[str, ...]) -> None:
    engine = admin(database)
    with engine.connect() as connection:
        for table in tables:
            connection.exec_driver_sql(f"CREATE TABLE {table} (id INTEGER)")
    engine.dispose()
    assert "another program's database" in refusal(database)


def test_a_store_that_is_only_read_is_not_made(database: str, tmp_path: Path) -> None:
    assert "play a round first" in refusal(database, create=False)
    assert not (tmp_path / "season.sqlite").exists()
    engine = admin(database)
    assert sa.inspect(engine).get_table_names() == []
    engine.dispose()
    # An empty database is no store either; SQLite's file has just been made.
    assert "play a round first" in refusal(database, create=False)


def test_a_locked_file_is_said_in_one_line(file: Path, lone: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arbiter.store.sqlite.LOCK_SECONDS", 0)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert "locked by another program" in refusal(lone.url)
    other.close()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (sqlite3.SQLITE_BUSY, "locked by another program"),
        (sqlite3.SQLITE_LOCKED_SHAREDCACHE, "locked by another program"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, "the store is read-only"),
        (sqlite3.SQLITE_CANTOPEN_ISDIR, "the store cannot be opened"),
        (sqlite3.SQLITE_FULL, "the disk is full"),
        (sqlite3.SQLITE_IOERR_WRITE, "the disk failed"),
        (sqlite3.SQLITE_NOMEM, "database is locked, readonly, full"),
    ],
)
def test_a_failure_of_a_file_is_known_by_its_code_and_not_by_its_words(code: int, said: str) -> None:
    error = sqlite3.OperationalError("database is locked, readonly, full")
    error.sqlite_errorcode = code
    assert explain(sa.exc.OperationalError("SELECT 1", None, error)).startswith(said)


@pytest.mark.process
def test_a_locked_server_is_said_in_one_line_where_it_has_a_limit(postgres: str) -> None:
    limited = sa.make_url(postgres).update_query_dict({"options": "-c lock_timeout=50ms"})
    store = Store(postgres)
    with store.transaction() as connection:
        connection.exec_driver_sql("LOCK TABLE seasons")
        assert "locked by another program" in refusal(limited.render_as_string(hide_password=False))
    store.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.sqlite"
    path.write_text("hello, this is not a database at all\n" * 100)
    assert "damaged or no store" in refusal(f"sqlite:///{path}")


@pytest.mark.process
def test_tables_that_were_changed_by_hand_are_said(server: Store) -> None:
    with server.transaction() as connection:
        connection.exec_driver_sql("ALTER TABLE seasons DROP COLUMN seed")
    assert "damaged or no store" in refusal(server.url)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    assert "does its folder exist" in refusal(f"sqlite:///{tmp_path}/no/such/folder/x.sqlite")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense", "not a store: 'nonsense' (write sqlite:///"),
        ("nosuchdb://x/y", "no driver for the store nosuchdb://"),
        (f"postgresql+psycopg2://me:{SECRET}@here/db", "no driver for the store 'postgresql://here/db'"),
        (f"mysql://me:{SECRET}@here/db", "no driver for the store mysql://"),
        (f"postgresql://me:{SECRET}@here:port/db", "not a store: 'here:port/db'"),
        (f"postgresql:/me:{SECRET}@here/db?password={SECRET}", "not a store: 'here/db'"),
    ],
)
def test_an_address_that_is_none_is_said(url: str, words: str) -> None:
    pytest.importorskip("psycopg")
    assert words in refusal(url)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_a_server_that_is_not_there_is_said(scheme: str, tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with socket.socket() as taken:
        # Bound but not listening: whoever connects is refused.
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        said = refusal(f"{scheme}://me:{SECRET}@127.0.0.1:{port}/db?password={SECRET}")
        assert said.startswith(f"postgresql://127.0.0.1:{port}/db: Connection refused; is the server running")
        assert "Connection refused" in refusal(f"{scheme}://me@127.0.0.1,127.0.0.1:{port}/db")
    assert "No such file or directory; is the server running" in refusal(f"{scheme}:///db?host={tmp_path}")


def test_a_missing_driver_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert "pip install 'arbiter-cards[postgres]'" in refusal(f"postgresql://me:{SECRET}@here/db")


@pytest.mark.process
def test_a_database_that_is_not_there_is_said(postgres: str) -> None:
    url = sa.make_url(postgres).set(database="none")
    said = refusal(url.render_as_string(hide_password=False))
    assert said.endswith('/none: database "none" does not exist; createdb creates it')


@pytest.mark.process
def test_a_wrong_or_missing_password_is_said(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    if os.environ.get(GIVEN):
        pytest.skip("only our own server has a user who needs a password")
    engine = admin(postgres)
    with engine.connect() as connection:
        connection.exec_driver_sql("DROP ROLE IF EXISTS guarded")
        connection.exec_driver_sql("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    engine.dispose()
    url = sa.make_url(postgres).set(username="guarded")
    assert "; set PGPASSWORD or write it to ~/.pgpass" in refusal(url.render_as_string(hide_password=False))
    said = refusal(url.set(password=SECRET).render_as_string(hide_password=False))
    assert 'password authentication failed for user "guarded"; set PGPASSWORD' in said


@pytest.mark.process
def test_what_a_role_may_not_do_is_said(postgres: str) -> None:
    owner = Store(postgres)
    owner.make_season("s", "planning", "1").add_match(record())
    url = sa.make_url(postgres).update_query_dict({"options": "-c role=pg_read_all_data"})
    watcher = Store(url.render_as_string(hide_password=False), create=False)
    season = watcher.season("s")
    assert season is not None
    assert list(season.records()) == [record()]
    with pytest.raises(
        StoreError, match="permission denied for table matches; the database's owner can grant"
    ) as caught:
        season.add_match(record("r001/t01/m1"))
    one_line(caught.value)
    watcher.close()
    owner.close()


@pytest.mark.process
def test_a_server_that_only_reads_is_said(server: Store) -> None:
    url = sa.make_url(server.url).update_query_dict({"options": "-c default_transaction_read_only=on"})
    assert "the store is read-only (a standby?)" in refusal(url.render_as_string(hide_password=False))


@pytest.mark.process
def test_a_server_that_goes_in_mid_season_is_said_and_may_come_back(server: Store) -> None:
    season = server.make_season("s", "planning", "1")
    assert season.add_match(record())
    engine = admin(server.url)
    with (
        pytest.raises(
            StoreError, match=r"the connection was lost: .*; what was stored before stays"
        ) as caught,
        server.transaction() as connection,
    ):
        with engine.connect() as other:
            other.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        connection.execute(sa.select(db_schema.seasons))
    one_line(caught.value)
    engine.dispose()
    assert season.add_match(record("r001/t01/m1"))
    assert len(season.match_ids(1)) == 2


@pytest.mark.process
def test_an_interrupt_in_the_middle_of_a_query_is_one_and_no_failure_of_the_server(
    server: Store, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    psycopg = pytest.importorskip("psycopg")
    wait = psycopg.Connection.wait

    def interrupted(self: Any, steps: Any, *more: Any, **options: Any) -> Any:
        # A connection is tried before it is used again, in a transaction of its own; at that moment it is sent.
        if self.autocommit:
            next(steps)
            raise KeyboardInterrupt
        return wait(self, steps, *more, **options)

    server.make_season("s", "planning", "1")
    with monkeypatch.context() as patched:
        patched.setattr(psycopg.Connection, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            server.seasons()
    assert server.seasons() == ["s"]
    assert capfd.readouterr().err == ""


@pytest.mark.process
def test_a_full_disk_of_a_server_loses_nothing_stored(server: Store) -> None:
    season = server.make_season("s", "planning", "1")
    assert season.add_match(record())
    with server.transaction() as connection:
        # The server's own error, by its own code.
        connection.exec_driver_sql(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"
        )
        connection.exec_driver_sql(
            "CREATE TRIGGER full_disk BEFORE INSERT ON matches EXECUTE FUNCTION full_disk()"
        )
    with pytest.raises(StoreError, match="the server's disk is full; what was stored before stays") as caught:
        season.add_match(record("r001/t01/m1"))
    one_line(caught.value)
    with server.transaction() as connection:
        connection.exec_driver_sql("DROP TRIGGER full_disk ON matches")
    assert season.add_match(record("r001/t01/m1"))
    assert len(list(season.records())) == 2


@contextmanager
def pragma(store: Store, name: str, now: int, then: int) -> Iterator[None]:
    """A setting of the only connection, which stays open."""
    for value in (now, then):
        with store.reading() as connection:
            connection.exec_driver_sql(f"PRAGMA {name} = {value}")
        if value == now:
            yield


@pytest.mark.parametrize(
    ("failing", "said"),
    [
        (lambda store: pragma(store, "max_page_count", 40, 4000), "the disk is full; what was stored before stays"),
        (lambda store: pragma(store, "query_only", 1, 0), "read-only; make the file and its folder writable"),
        (lambda _: longest_file(1_200_000), "the disk failed (is it full, or the file too large?); what was stored"),
    ],
    ids=["full", "read-only", "too large"],
)  # fmt: skip
def test_a_file_that_cannot_be_written_to_loses_nothing_stored(lone: Store, failing: Any, said: str) -> None:
    season = lone.make_season("s", "planning", "1")
    assert season.add_match(large(0))
    with failing(lone):
        stored, why = filled(season, 1)
    assert said in why
    goes_on(lone, season, stored)


TINY_DISK = """
import os, subprocess, sys
from contextlib import closing, contextmanager
from pathlib import Path
from arbiter.errors import StoreError
from arbiter.store import Store
from tests.store.failures import filled, goes_on, large

folder = Path(sys.argv[1])
(folder / "ballast").write_bytes(bytes(400_000))
store = Store(f"sqlite:///{folder / 'season.sqlite'}")
season = store.make_season("s", "planning", "1")
stored, said = filled(season)
assert "the disk is full" in said or "the disk failed" in said, said
assert stored > 5
(folder / "ballast").unlink()
goes_on(store, season, stored)
store.close()
subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
store = Store(f"sqlite:///{folder / 'season.sqlite'}", create=False)
season = store.season("s")
assert len(season.match_ids(1)) == stored + 1
try:
    season.add_match(large(stored + 1))
except StoreError as error:
    assert "the store is read-only" in str(error), error
else:
    raise AssertionError
"""


@pytest.mark.process
def test_a_tiny_disk_that_fills_up_and_one_that_turns_read_only(tmp_path: Path) -> None:
    mount = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        'mount -t tmpfs -o size=2200k tmpfs "$1" && shift && exec "$@"',
        "sh",
    ]
    permitted = shutil.which("unshare") and subprocess.run(
        [*mount, tmp_path, "true"], check=False, capture_output=True
    )
    if not permitted or permitted.returncode:
        pytest.skip("a disk of our own may not be mounted here")
    done = subprocess.run(
        [*mount, tmp_path, sys.executable, "-c", TINY_DISK, tmp_path],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
