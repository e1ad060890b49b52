"""Whoever plays holds the season: alone, under a name that others see, and not beyond its end."""

from __future__ import annotations

import os
import platform
import select
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from arbiter.errors import StoreError
from arbiter.store import Store
from arbiter.store.postgres import LONGEST_NAME, from_short, short
from tests.fixtures.databases import server_programs, started
from tests.fixtures.records import record
from tests.fixtures.round_processes import (
    ROUND_1,
    gate_opened,
    start,
    stored,
    until_a_match_is_stored,
    with_gate,
)
from tests.fixtures.round_processes import quick_config as season_of_two_rounds
from tests.store.failures import longest_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["season_of_two_rounds"]

ROOT = Path(__file__).parents[2]
HOLDER = """
import sys
from arbiter.store import Store
with Store(sys.argv[1]).hold():
    print("held", flush=True)
    sys.stdin.read()
"""


def me() -> str:
    return f"process {os.getpid()} on {platform.node()} since "


@pytest.fixture
def opened(database: str) -> Iterator[Callable[[], Store]]:
    """Opens the database once more."""
    with ExitStack() as stack:

        def another() -> Store:
            store = Store(database)
            stack.callback(store.close)
            return store

        yield another


def refused(store: Store, said: str, season: str = "") -> None:
    """A hold is not given."""
    with pytest.raises(StoreError, match=said), store.hold(season):
        pass


def backends(postgres: str, action: str = "pid") -> int:
    """How many connections of ours to the database there are; with an action, it is done to each."""
    engine = sa.create_engine(postgres, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        found = connection.exec_driver_sql(
            f"SELECT {action} FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name LIKE 'arbiter %%'"
        ).all()
    engine.dispose()
    return len(found)


def test_a_second_one_is_told_who_holds(opened: Callable[[], Store]) -> None:
    one, two = opened(), opened()
    assert two.holder() is None
    with one.hold():
        refused(two, rf"{two.name} is being played on by {me()}")
        found = two.holder()
        assert found is not None
        assert found.startswith(me())
        began = datetime.fromisoformat(found.removeprefix(me()))
        assert 0 <= (datetime.now(UTC) - began).total_seconds() < 60
    assert two.holder() is None
    with two.hold():
        assert one.holder() is not None


def test_whoever_holds_writes_and_reads(opened: Callable[[], Store]) -> None:
    one, two = opened(), opened()
    with one.hold():
        season = one.make_season("s", "planning", "1")
        assert season.add_match(record())
        assert season.match_ids(1) == {"r001/t01/m0"}
        # Whoever does not hold may still leave a wish.
        watcher = two.season("s")
        assert watcher is not None
        watcher.ask_to_stop()
        assert season.is_asked_to_stop()
    assert season.add_match(record("r001/t01/m1"))


def test_a_hold_ends_with_an_error(opened: Callable[[], Store]) -> None:
    one, two = opened(), opened()
    with pytest.raises(ZeroDivisionError), one.hold():
        raise ZeroDivisionError
    with two.hold():
        pass


def test_a_hold_that_cannot_be_written_down_is_said(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'season.sqlite'}")
    with (
        longest_file(0),
        pytest.raises(StoreError, match=r"cannot lock .*season\.sqlite: File too large: .*-lock$"),
        store.hold(),
    ):
        pass
    with store.hold():
        assert (store.holder() or "").startswith(me())
    store.close()


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """The same file opened twice, the second time by a link of another name."""
    one = Store(f"sqlite:///{tmp_path / 'season.sqlite'}")
    (tmp_path / "link.sqlite").symlink_to("season.sqlite")
    other = Store(f"sqlite:///{tmp_path / 'link.sqlite'}")
    yield one, other
    one.close()
    other.close()


def test_a_hold_stays_when_its_lock_file_is_removed(tmp_path: Path, two: tuple[Store, Store]) -> None:
    one, _ = two
    with one.hold():
        (tmp_path / "season.sqlite-lock").unlink()
        assert one.holder() == "another process"
        removed = r"season\.sqlite is being played on by another process \(.* or .*-lock was removed\)"
        for _ in range(2):
            refused(one, removed)
        assert one.holder() == "another process"
    assert one.holder() is None
    with one.hold():
        assert (one.holder() or "").startswith(me())


def test_a_hold_is_of_the_file_by_whatever_link(two: tuple[Store, Store]) -> None:
    one, other = two
    with one.hold():
        assert other.holder() == "another process"
        refused(other, r"link\.sqlite is being played on by another process")


def test_a_file_that_went_away_cannot_be_held(tmp_path: Path, two: tuple[Store, Store]) -> None:
    one, _ = two
    (tmp_path / "season.sqlite").unlink()
    refused(one, r"cannot lock .*season\.sqlite: No such file or directory")


def holding(url: str, elsewhere: Sequence[str] = ()) -> subprocess.Popen[str]:
    """A process that holds a store until it is killed, or its input is closed."""
    pipe, command = subprocess.PIPE, [*elsewhere, sys.executable, "-c", HOLDER, url]
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@pytest.mark.process
def test_a_hold_ends_at_once_with_a_process_that_is_killed(opened: Callable[[], Store]) -> None:
    store = opened()
    for attempt in range(2):
        process = holding(store.url)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        assert (store.holder() or "").startswith(f"process {process.pid} on {platform.node()} since ")
        # What the process left of its hold must not matter, whether the file is there or not.
        if store.name.startswith("/") and attempt % 2:
            Path(store.name + "-lock").unlink()
        process.kill()
        process.communicate()
        with store.hold():
            assert (store.holder() or "").startswith(me())


@pytest.fixture
def elsewhere() -> list[str]:
    """The start of a command that runs in a network namespace of its own."""
    for words in (["unshare", "--net"], ["unshare", "--map-root-user", "--net"]):
        if shutil.which("unshare") and not subprocess.run([*words, "true"], capture_output=True).returncode:
            return words
    pytest.skip("no network namespace of our own may be made here")


@pytest.mark.process
def test_a_lock_file_that_was_removed_is_there_again_after_a_write(
    tmp_path: Path, two: tuple[Store, Store], elsewhere: list[str]
) -> None:
    one, _ = two
    with one.hold():
        season = one.make_season("s", "planning", "1")
        (tmp_path / "season.sqlite-lock").unlink()
        assert season.add_match(record())
        assert (one.holder() or "").startswith(me())
        other = holding(one.url, elsewhere)
        out, err = other.communicate()
        assert (out, f"is being played on by {me()}" in err) == ("", True)


@pytest.mark.process
def test_who_plays_stores_nothing_more_once_another_could_take_the_lock(
    season_of_two_rounds: Path, elsewhere: list[str]
) -> None:
    process = start("run-round", with_gate(season_of_two_rounds, matches=1))
    until_a_match_is_stored(process)
    file = season_of_two_rounds.with_suffix(".sqlite")
    # It writes nothing meanwhile.
    process.send_signal(signal.SIGSTOP)
    Path(f"{file}-lock").unlink()
    other = holding(f"sqlite:///{file}", elsewhere)
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    process.send_signal(signal.SIGCONT)
    with gate_opened(season_of_two_rounds):
        _, err = process.communicate()
        assert process.returncode == 5, err
        assert f"season.sqlite is being played on by process {other.pid} on" in err.splitlines()[-1]
    other.communicate()


@pytest.mark.process
def test_a_store_that_is_replaced_while_it_is_played_on_ends_the_run(season_of_two_rounds: Path) -> None:
    process = start("run-round", with_gate(season_of_two_rounds, matches=1))
    until_a_match_is_stored(process)
    file = season_of_two_rounds.with_suffix(".sqlite")
    kept = file.rename(file.with_suffix(".kept"))
    shutil.copyfile(kept, file)
    with gate_opened(season_of_two_rounds):
        _, err = process.communicate()
    assert process.returncode == 5, err
    line = err.splitlines()[-1]
    assert line.startswith(f"arbiter: {file} was replaced")
    assert line.endswith("restore it or a backup and run the same command again")
    assert "Traceback" not in err


def test_a_store_that_is_taken_away_after_the_last_write_is_said(two: tuple[Store, Store]) -> None:
    one, _ = two
    with pytest.raises(StoreError, match=r"season\.sqlite was removed \(No such file"), one.hold():
        one.make_season("s", "planning", "1")
        Path(one.name).unlink()
    with pytest.raises(StoreError, match=r"season\.sqlite was removed"):
        one.make_season("t", "planning", "1")


@pytest.mark.process
def test_seasons_on_a_server_are_held_apart(postgres: str, server: Store) -> None:
    other = Store(postgres)
    with server.hold("a"):
        with other.hold("b"):
            assert (server.holder("b") or "").startswith(me())
        assert server.holder("b") is None
        assert (server.holder() or "").startswith(me())
        refused(other, r"season a of .* is being played on by process", "a")
        refused(other, "is being played on by process")
    with server.hold():
        assert (other.holder("b") or "").startswith(me())
        refused(other, r"season b of .* is being played on by process", "b")
    other.close()


@pytest.mark.process
def test_whoever_loses_the_hold_stores_nothing_more(postgres: str, server: Store) -> None:
    other = Store(postgres)
    with server.hold("s"):
        season = server.make_season("s", "planning", "1")
        assert season.add_match(record())
        assert backends(postgres, "pg_terminate_backend(pid)") == 1
        with other.hold("s"):
            for _ in range(2):
                with pytest.raises(StoreError, match=f"season s of .* is being played on by {me()}"):
                    season.add_match(record("r001/t01/m1"))
            assert season.match_ids(1) == {"r001/t01/m0"}
    with server.hold("s"):
        assert season.add_match(record("r001/t01/m1"))
    other.close()


@pytest.mark.process
def test_a_hold_that_is_lost_and_free_is_taken_again(postgres: str, server: Store) -> None:
    other = Store(postgres)
    with server.hold("s"):
        season = server.make_season("s", "planning", "1")
        assert backends(postgres, "pg_terminate_backend(pid)") == 1
        assert season.add_match(record())
        assert not season.add_match(record())
        refused(other, f"season s of .* is being played on by {me()}", "s")
    with other.hold("s"):
        pass
    other.close()


@pytest.fixture
def own_server() -> Iterator[str]:
    """A server that only this test uses, so that it may come to harm."""
    pytest.importorskip("psycopg", reason="no PostgreSQL: psycopg is not installed")
    programs = server_programs()
    if programs is None:
        pytest.skip("no PostgreSQL: no initdb on this machine")
    with started(programs) as url:
        yield url


@pytest.mark.process
def test_a_round_goes_on_after_its_server_has_crashed_and_recovered(
    season_of_two_rounds: Path, own_server: str
) -> None:
    config = season_of_two_rounds
    config.write_text(f'store: "{own_server}"\n{config.read_text()}')
    process = start("run-round", with_gate(config, matches=1))
    until_a_match_is_stored(process)
    engine = sa.create_engine(own_server)
    with suppress(sa.exc.DBAPIError), engine.connect() as connection:
        # The server ends all connections when one of its processes is killed, and recovers.
        os.kill(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one(), signal.SIGKILL)
    engine.dispose()
    with gate_opened(config):
        _, err = process.communicate()
    assert process.returncode == 0, err
    assert set(stored(config)) == ROUND_1


@pytest.mark.process
def test_a_server_that_stays_away_is_not_waited_for_for_ever(
    own_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.store.database.RETURN_SECONDS", 0.5)
    store = Store(own_server)
    with pytest.raises(StoreError, match="is the server running, and is this its address"), store.hold("s"):
        season = store.make_season("s", "planning", "1")
        folder = sa.make_url(own_server).query["host"]
        assert isinstance(folder, str)
        postmaster = int(Path(folder, "data", "postmaster.pid").read_text().split()[0])
        ended = os.pidfd_open(postmaster)
        os.kill(postmaster, signal.SIGQUIT)
        select.select((ended,), (), ())
        os.close(ended)
        season.add_match(record())
    store.close()


@pytest.mark.process
def test_a_hold_that_is_lost_unnoticed_spoils_no_end(postgres: str, server: Store) -> None:
    with server.hold("s"):
        assert backends(postgres, "pg_terminate_backend(pid)") == 1
    assert backends(postgres) == 0


@pytest.mark.process
def test_stores_in_two_schemas_of_a_database_are_held_apart(postgres: str, server: Store) -> None:
    with server.transaction() as connection:
        connection.exec_driver_sql("CREATE SCHEMA second")
    url = sa.make_url(postgres).update_query_dict({"options": "-c search_path=second"})
    second = Store(url.render_as_string(hide_password=False))
    with server.hold(), second.hold():
        pass
    second.close()


@pytest.mark.parametrize("host", ["here", "node-17.a-very-long-name.of-a-cluster.example.org", "hôte" * 20])
def test_a_holder_s_name_fits_a_connection(host: str) -> None:
    name = short(4194304, host, datetime(2026, 11, 20, 13, 0, 5, tzinfo=UTC))
    assert name.isascii()
    assert len(name) <= LONGEST_NAME
    told = from_short(name)
    assert told.startswith(f"process 4194304 on {host[0]}")
    assert told.endswith(f"{host[-1]} since 2026-11-20T13:00:05+00:00")


def test_a_connection_of_another_name_is_shown_as_it_is() -> None:
    assert from_short("psql") == "psql"
    assert from_short("") == "another process"
