"""A store's seasons move into another store, of either kind, with all that they hold."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from arbiter.contest.submissions.author_accounts import add_authors, hash_of
from arbiter.errors import ConfigError, StoreError
from arbiter.match.notes import Note
from arbiter.match.packing import pack_match
from arbiter.match.token_usage import BilledTokens
from arbiter.season.administration import annul, replace_match, suspend
from arbiter.season.results import SeasonResults
from arbiter.store import OrderKind, Store, db_schema
from arbiter.store.audit import timestamp
from arbiter.store.backup import OWN, back_up, copy_seasons
from arbiter.store.deliveries import Delivery
from tests.fixtures.zoo import CLEAN, CRASH, Kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.fixtures.commands import Run

pytestmark = pytest.mark.slow


FAR = timestamp(timedelta(days=6))
COUNTED_ANEW = {"id", "season_id"}


@pytest.fixture
def full(kept: Kept) -> Kept:
    """A season with something in every table."""
    kept.file.write_text(kept.file.read_text() + "submissions: {}\n")
    results = SeasonResults(kept.config, kept.season)
    annul(results, [CLEAN, CRASH], "power cut", replay=True)
    noted = replace(kept.match(CLEAN), move_notes={1: Note(None, ("seen",))})
    replace_match(results, pack_match(noted), OrderKind.REPLAYED, lambda _: True)
    suspend(results, "p1", "it cheats")
    ((_, token),) = add_authors(kept.config, kept.season, ["Łukasz"], False, "olga")
    kept.season.authors.begin_session("5e55", hash_of(token), FAR)
    kept.season.invitations.add(hash_of("code"), 3, "olga")
    kept.season.invitations.add(hash_of("bo"), 2, "olga", "Łukasz", FAR)
    assert kept.season.members.add("Łukasz", "Bo", "bo", hash_of("secret"), hash_of("bo"))
    book = kept.season.submissions
    for number, file in enumerate(("one", "two"), 1):
        book.add("Łukasz", f"{number:064}", file, per_day=9)
    place = kept.file.with_name("small.submissions")
    (place / "one" / "source").mkdir(parents=True)
    (place / "one" / "source" / "bot.py").touch()
    (place / "two.zip").touch()
    files = {"source/bot.py": sha256(b"").hexdigest()}
    book.accept(1, [], {"command": ["python3", "bot.py"], "read": [], "files": files})
    request = kept.season.requests.add("Łukasz", "match", {"player": "Łukasz@1", "against": ["p1"]}, 4, 9, 9)
    kept.season.requests.keep(request.id, "Łukasz", 1, 900, None)
    kept.season.running.pause("olga")
    kept.season.deliveries.begin("d16e57")
    kept.season.deliveries.prepare("d16e57", Delivery("1d", 1, False, "round", "{}"))
    review: Any = {"match": CRASH, "by": "p1", "budget": 10_000}
    packed = kept.season.packed(CRASH)
    assert packed is not None
    assert kept.season.reviews.keep(1, review, {"seats": []}, packed, "d")
    kept.season.unstored_tokens.add({"p1": BilledTokens(1200, 34)})
    kept.season.questions.keep({"twins": []})
    kept.season.voids.add("r001/t01/m0", "it was killed", ["p1", "p2"])
    kept.season.outages.add("r001/t01/m0", {"seat": 0})
    kept.season.announcements.add("The second round begins at noon.", "olga")
    kept.season.clarifications.ask("Łukasz", "Łukasz", "May a bot write to its folder?", 3)
    return kept


AGAIN = "arbiter: tokens and invitations are as in {}: repeat later revocations"
"""What `restore` says of a season with authors."""


def contents(store: Store) -> dict[str, list[dict[str, Any]]]:
    """All rows by table, in order, without the numbers that a store gives them."""
    found = {}
    with store.reading() as connection:
        for table in db_schema.metadata.sorted_tables:
            if table is db_schema.sessions:
                continue
            kept = [c for c in table.c if not (c.name in COUNTED_ANEW and isinstance(c.type, sa.Integer))]
            rows = connection.execute(sa.select(*kept).order_by(*table.primary_key)).mappings()
            found[table.name] = [dict(row) for row in rows]
    return found


def test_every_table_belongs_to_seasons_or_is_known_not_to() -> None:
    others = {"alembic_version", "seasons", "sessions"}
    assert {table.name for table in OWN} == set(db_schema.metadata.tables) - others


@pytest.mark.process
def test_everything_moves_to_a_server_and_back(full: Kept, postgres: str, arbiter: Run) -> None:
    expected, again = contents(full.store), f"sqlite:///{full.file.with_name('again.sqlite')}"
    assert [name for name, rows in expected.items() if not rows] == []
    full.file.with_name("again.submissions").symlink_to("small.submissions")
    with closing(Store(postgres)) as server:
        # A server may hold seasons already, so that the numbers of rows are others there.
        server.make_season("before", "planning", "1").audit.add("olga", "pause", "")
        assert arbiter("restore", full.file, full.store.name, "--store", postgres)[0] == 0
        assert arbiter("restore", full.file, postgres, "--store", again)[0] == 0
        with closing(Store(again)) as store:
            found = contents(store)
        assert found["seasons"].pop(0)["name"] == "before"
        assert found["audit"].pop(0)["verb"] == "pause"
        assert found == expected
        # The next rows of a server get numbers of their own.
        moved = server.season("small")
        assert moved is not None
        moved.audit.add("olga", "resume", "")
        assert moved.submissions.add("Łukasz", "3" * 64, "three", 9)[0].version == 3


@pytest.mark.process
def test_a_dump_of_a_server_is_put_back_by_its_own_program(
    full: Kept, postgres: str, tmp_path: Path, arbiter: Run
) -> None:
    with closing(Store(postgres)) as server:
        copy_seasons(full.store, server)
        expected = contents(server)
    dump = tmp_path / "a copy.dump"
    with pytest.raises(ConfigError) as caught:
        back_up(postgres, dump)
    command = str(caught.value).partition("(")[2].removesuffix(")")
    other = sa.make_url(postgres).set(database="arbiter_again", drivername="postgresql")
    address = other.render_as_string(hide_password=False)
    maker = sa.create_engine(postgres, isolation_level="AUTOCOMMIT")
    with maker.connect() as connection:
        connection.exec_driver_sql("CREATE DATABASE arbiter_again TEMPLATE template0 ENCODING 'UTF8'")
    try:
        for words in (shlex.split(command), ["pg_restore", f"--dbname={address}", str(dump)]):
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, "")
        with closing(Store(address, create=False)) as again:
            assert contents(again) == expected
    except FileNotFoundError:
        pytest.skip("no pg_dump on this machine")
    finally:
        with maker.connect() as connection:
            connection.exec_driver_sql("DROP DATABASE IF EXISTS arbiter_again WITH (FORCE)")
        maker.dispose()
    code, _, err = arbiter("restore", full.file, dump, "--store", f"sqlite:///{tmp_path / 'x'}")
    assert (code, f"(pg_restore --dbname=ADDRESS {dump})" in err) == (2, True)


def test_a_backup_is_put_back_and_played_on(full: Kept, tmp_path: Path, arbiter: Run) -> None:
    copy, again = tmp_path / "copy.sqlite", f"sqlite:///{full.file.parent / 'small.sqlite'}"
    assert arbiter("backup", full.file, copy)[0] == 0
    expected = contents(full.store)
    full.store.close()
    for file in full.file.parent.glob("small.sqlite*"):
        file.unlink()
    code, out, err = arbiter("restore", full.file, copy)
    told = "small with 3 rounds, 19 matches, 1 author, 2 versions, 4 orders"
    assert (code, out) == (0, f"{full.file.parent / 'small.sqlite'}: {told}\n")
    assert err.startswith(AGAIN.format(copy))
    with closing(Store(again)) as store:
        assert contents(store) == expected
        season = store.season("small")
        assert season is not None
        assert season.authors.by_session("5e55") is None, "who was logged in logs in again"
    assert arbiter("verify", full.file)[0] == 0
    assert arbiter("resume", full.file)[0] == 0


@pytest.fixture
def refused(full: Kept, tmp_path: Path, arbiter: Run) -> Iterator[Callable[..., str]]:
    """What `restore` says that puts nothing anywhere."""
    target = full.file.with_name("new.sqlite")

    def refusal(source: object, code: int, *words: str) -> str:
        before = contents(full.store)
        found, out, err = arbiter("restore", full.file, source, *words)
        assert (found, out, err.count("\n")) == (code, "", 1)
        assert contents(full.store) == before
        return err

    yield refusal
    assert not target.exists()


def test_what_is_there_already_is_never_written_over(full: Kept, refused: Callable[..., str]) -> None:
    said = refused(full.store.name, 5)
    assert said.endswith("holds a season small already: move that store away, or name an empty one\n")


def test_a_store_without_the_season_or_none_at_all_is_named(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    other = tmp_path / "other.sqlite"
    with closing(Store(f"sqlite:///{other}")) as store:
        store.make_season("summer", "planning", "1")
    assert f"{other} has no season small; it has summer\n" in refused(other, 5)
    assert "there is no store none.sqlite: name" in refused("none.sqlite", 5)


@pytest.mark.parametrize(("gone", "lost"), [("two.zip", "Łukasz@2"), ("one/source/bot.py", "Łukasz@1")])
def test_a_season_does_not_move_without_its_authors_programs(
    gone: str, lost: str, full: Kept, refused: Callable[..., str]
) -> None:
    new = full.file.with_name("new.submissions")
    shutil.copytree(full.file.with_name("small.submissions"), new)
    (new / gone).unlink()
    said = refused(full.store.name, 2, "--store", f"sqlite:///{full.file.with_name('new.sqlite')}")
    assert f"new.submissions lacks the programs of {lost} (copy " in said
    assert said.endswith("small.submissions there first)\n")


def test_a_season_that_is_played_does_not_move(full: Kept, tmp_path: Path) -> None:
    with (
        closing(Store(f"sqlite:///{tmp_path / 'new'}")) as target,
        full.store.hold("small"),
        pytest.raises(StoreError, match=r"is being played on by process .*: arbiter stop ends that"),
    ):
        copy_seasons(full.store, target)
