"""Players' programs between rounds: missing ones stop the run, changed ones are told once."""

from __future__ import annotations

import io
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from arbiter.cli import exit_code
from arbiter.cli.bot_arguments import load_to_play
from arbiter.errors import ConfigError, VoidMatch
from arbiter.sandbox.player_command import register
from arbiter.season import program_digests
from arbiter.season.administration import annul, reinstate, suspend, undo_annulment
from arbiter.season.config import load
from arbiter.season.events import MatchStored, MatchVoid, ProgramChanged, RoundComplete, SeasonComplete
from arbiter.season.program_digests import (
    changed_since,
    changes,
    digest_of,
    missing_programs,
    own_files,
    program_remarks,
)
from arbiter.season.season import Season
from arbiter.store import Order, OrderKind, Store
from tests.fixtures.executor import Scripted
from tests.fixtures.made_up_seasons import play, play_and
from tests.fixtures.records import by_name
from tests.fixtures.zoo import CLEAN, Kept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from arbiter.season.events import Event
    from tests.fixtures.made_up_seasons import Opened


PLAYERS = 8
CONFIG = "game: planning\nisolation: plain\nrounds: 3\nseed: abc\nsuspend_after: 0\nplayers:\n" + "".join(
    f"  - {{name: p{n}, command: [python3, bots/p{n}.py]}}\n" for n in range(PLAYERS)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A season's folder, with a file for each player."""
    (tmp_path / "bots").mkdir()
    for number in range(PLAYERS):
        (tmp_path / "bots" / f"p{number}.py").write_text(f"# {number}\n")
    (tmp_path / "s.yaml").write_text(CONFIG)
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    made = Store(f"sqlite:///{folder / 's.sqlite'}")
    yield made
    made.close()


@pytest.fixture
def opened(folder: Path, store: Store) -> Opened:
    return lambda: Season.open(load(folder / "s.yaml"), store)


def change_messages(events: list[Event]) -> list[str]:
    return [str(event) for event in events if isinstance(event, ProgramChanged)]


def after_round(number: int | None, act: Callable[[], object]) -> Callable[[Event], None]:
    """Do something once this round is complete, by default after each."""

    def look(event: Event) -> None:
        if isinstance(event, RoundComplete) and event.standings["rounds_played"] == (
            number or event.standings["rounds_played"]
        ):
            act()

    return look


def rewrite(folder: Path, name: str) -> None:
    (folder / "bots" / f"{name}.py").write_text("# another\n")


def sha(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def test_what_is_missing_before_a_round_stops_the_run_and_it_goes_on_later(
    folder: Path, opened: Opened
) -> None:
    opened_season = opened()
    events: list[Event] = []
    with pytest.raises(VoidMatch) as stopped:
        for event in opened_season.play(Scripted(by_name)):
            events.append(event)
            if isinstance(event, RoundComplete):
                (folder / "bots").rename(folder / "moved")
    what = "; ".join(f"player p{n}: there is no file {folder}/bots/p{n}.py" for n in range(3))
    again = "put that right, then run the same command again"
    assert str(stopped.value) == f"round 2 cannot be played: {what}; and 5 players more; {again}"
    assert isinstance(events[-1], RoundComplete)
    assert opened_season.stored.match_ids(2) == set()
    (folder / "moved").rename(folder / "bots")
    assert play(opened())[-1] == SeasonComplete(3, "abc")


def test_a_program_that_is_gone_after_the_last_round_matters_no_more(folder: Path, opened: Opened) -> None:
    events = play_and(opened(), after_round(3, lambda: (folder / "bots").rename(folder / "moved")))
    assert events[-1] == SeasonComplete(3, "abc")


@pytest.fixture
def half(folder: Path, opened: Opened) -> Path:
    """The season's file after round 1; then four players were suspended, and their files deleted."""
    opened_season = opened()
    play(opened_season, rounds=1)
    for number in range(4, PLAYERS):
        suspend(opened_season.results, f"p{number}", "why not")
        (folder / "bots" / f"p{number}.py").unlink()
    return folder / "s.yaml"


def test_suspended_players_need_no_files_and_that_is_noted(
    half: Path, store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    config = load_to_play(str(half))
    said = [line for line in capfd.readouterr().err.splitlines() if "could not be started" in line]
    gone = ", ".join(f"p{number} (there is no file bots/p{number}.py)" for number in range(4, PLAYERS))
    assert said == [f"arbiter: suspended, and could not be started: {gone}"]
    opened_season = Season.open(config, store)
    assert [player.name for player in opened_season.rounds.players()] == ["p0", "p1", "p2", "p3"]
    assert play(opened_season)[-1] == SeasonComplete(3, "abc")


def test_what_a_suspended_player_lacks_is_told_whatever_its_name_is(folder: Path, opened: Opened) -> None:
    file = folder / "s.yaml"
    file.write_text(file.read_text().replace("name: p4,", 'name: "a: b",'))
    suspend(opened().results, "a: b", "why not")
    (folder / "bots" / "p4.py").unlink()
    assert load_to_play(str(file)).gone == {"a: b": "there is no file bots/p4.py"}


def test_files_of_a_suspended_player_deleted_during_a_run_do_not_stop_it(
    folder: Path, opened: Opened
) -> None:
    opened_season = opened()
    for number in range(4, PLAYERS):
        suspend(opened_season.results, f"p{number}", "why not")
    events = play_and(
        opened_season, after_round(None, lambda: (folder / "bots" / "p4.py").unlink(missing_ok=True))
    )
    assert events[-1] == SeasonComplete(3, "abc")


def test_a_player_reinstated_during_a_run_that_began_without_its_file_stops_it(
    half: Path, store: Store
) -> None:
    opened_season = Season.open(load_to_play(str(half)), store)
    for number in range(4, PLAYERS):
        # Registered without its file, it would start in another folder.
        (half.parent / "bots" / f"p{number}.py").write_text("")
        reinstate(opened_season.results, f"p{number}")
    with pytest.raises(
        VoidMatch, match=r"^round 2 cannot be played: player p4: there is no file bots/p4.py; "
    ):
        play(opened_season)
    assert list(Season.open(load_to_play(str(half)), store).play(Scripted(by_name)))[-1] == SeasonComplete(
        3, "abc"
    )


def test_check_config_still_tells_what_suspended_players_lack(half: Path) -> None:
    with pytest.raises(ConfigError, match=r"p4: there is no file bots/p4\.py"):
        load(half, check_commands=True)


def test_a_missing_file_of_a_player_who_plays_is_an_error_beside_suspended_ones(half: Path) -> None:
    (half.parent / "bots" / "p0.py").unlink()
    with pytest.raises(ConfigError) as refused:
        load_to_play(str(half))
    assert [problem.message for problem in refused.value.problems] == ["there is no file bots/p0.py"]


def test_a_void_match_of_which_a_program_is_missing_stops_the_run_at_once(
    folder: Path, opened: Opened
) -> None:
    def gone(spec: MatchSpec) -> MatchRecord:
        if spec.id == "r001/t01/m1":
            (folder / "bots" / f"{spec.players[2].name}.py").unlink()
            raise VoidMatch("it could not be started")
        return by_name(spec)

    events: list[Event] = []
    with pytest.raises(
        VoidMatch, match=r"^match r001/t01/m1 was void: player (p\d): there is no file .*/\1.py; put"
    ):
        events.extend(opened().play(Scripted(gone)))
    assert not any(isinstance(event, MatchVoid) for event in events)


def test_a_changed_file_is_told_when_the_next_round_is_planned_and_once(folder: Path, opened: Opened) -> None:
    events = play_and(opened(), after_round(1, lambda: rewrite(folder, "p3")))
    assert change_messages(events) == ["bots/p3.py of player p3 changed since round 1 without a new version"]
    kept = opened().stored.programs()
    digests = [kept[number]["p3"]["bots/p3.py"] for number in (1, 2, 3)]
    assert digests == [sha("# 3\n"), sha("# another\n"), sha("# another\n")]


def test_a_log_that_a_command_names_is_no_part_of_the_program(folder: Path, opened: Opened) -> None:
    log = folder / "bots" / "p3.log"
    (folder / "s.yaml").write_text(CONFIG.replace("bots/p3.py]", "bots/p3.py, bots/p3.log]"))
    before = opened().config

    def write() -> None:
        log.write_text(f"{log.read_text() if log.exists() else ''}round")

    events = play_and(opened(), after_round(None, write))
    assert change_messages(events) == []
    # It starts in the same folder, with the same words, is not tried again, and counts as the same program.
    now = opened().config
    assert now.entries == before.entries


def test_a_file_that_changed_in_a_round_that_was_begun_is_told_when_it_goes_on(
    folder: Path, opened: Opened
) -> None:
    opened_season = opened()
    for event in opened_season.play(Scripted(by_name)):
        if isinstance(event, MatchStored):
            break
    rewrite(folder, "p3")
    events = play(opened())
    assert change_messages(events) == ["bots/p3.py of player p3 changed since round 1 without a new version"]
    assert opened_season.stored.programs()[1]["p3"] == {"bots/p3.py": sha("# 3\n")}


def test_a_round_of_which_nothing_was_played_is_played_with_the_files_of_now(
    folder: Path, opened: Opened
) -> None:
    assert opened().rounds.plan() is not None
    rewrite(folder, "p3")
    opened_season = opened()
    assert change_messages(play(opened_season, only_one=True)) == []
    assert opened_season.stored.programs()[1]["p3"] == {"bots/p3.py": sha("# another\n")}


def test_a_new_version_is_no_change(folder: Path, opened: Opened) -> None:
    play(opened(), only_one=True)
    rewrite(folder, "p3")
    text = CONFIG.replace("{name: p3,", "{name: p3, version: 2,")
    (folder / "s.yaml").write_text(text)
    later = Scripted(lambda spec: by_name(spec, {"p3@2": 3}))
    assert change_messages(list(opened().play(later, accept_changes=True))) == []


def test_show_names_the_files_that_are_others_now(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    player = kept.match(CLEAN).players[0]
    for number in (1, 2, 3):
        kept.season.keep_programs(number, {player: {"small.yaml": "0"}})
    assert exit_code(["show", str(kept.file), CLEAN]) == 0
    said = f"small.yaml of player {player} is not the file that played here: it changed after round 3"
    assert capsys.readouterr().out.splitlines()[0] == said


def test_a_match_played_again_is_held_against_the_files_that_it_was_played_again_with(
    folder: Path, opened: Opened, capfd: pytest.CaptureFixture[str]
) -> None:
    opened_season, match = opened(), "r001/t01/m0"
    play(opened_season, rounds=1)
    player = opened_season.stored.summaries()[0].players[0]
    file = f"bots/{player}.py of player {player}"

    def said(command: str, *words: str) -> list[str]:
        exit_code([command, str(folder / "s.yaml"), *words])
        out, err = capfd.readouterr()
        return [line for line in (out + err).splitlines() if file in line]

    rewrite(folder, player)
    assert said("show", match) == [f"{file} is not the file that played here: it changed after round 1"]
    annul(opened_season.results, [match], "a wrong file", replay=True)
    play(opened_season, rounds=1)
    again = f"played again with another {file} than round 1 was"
    assert said("show", match) == [again]
    assert said("verify") == [f"arbiter: {match}: {again}"]
    (folder / "bots" / f"{player}.py").write_text("# a third\n")
    assert said("show", match)[1] == f"{file} is not the file that played here: it changed after round 1"
    undo_annulment(opened_season.results, [match])
    assert said("show", match) == [f"{file} is not the file that played here: it changed after round 1"]
    assert said("verify") == []


def test_of_a_match_played_again_with_files_that_were_not_kept_nothing_is_said(
    folder: Path, opened: Opened
) -> None:
    opened_season = opened()
    play(opened_season, rounds=1)
    match = next(opened_season.stored.records())
    order = Order(OrderKind.REPLAYED, match.id, "", "", 1, 1)
    rounds = {1: {name: {f"bots/{name}.py": "another"} for name in match.players}}
    assert list(program_remarks(rounds, [order], match, folder / "s.yaml")) == []


def test_the_console_notes_a_file_that_is_another_than_the_matchs(
    kept: Kept, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    player = kept.match(CLEAN).players[0]
    for number in (1, 2, 3):
        kept.season.keep_programs(number, {player: {"small.yaml": "0"}})
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    seats = [word for seat in range(4) for word in ("--seat", f"{seat}=random")]
    assert exit_code(["console", "--config", str(kept.file), "--from", CLEAN, "--until", "0", *seats]) == 0
    said = f"small.yaml of player {player} is not the file that played here: it changed after round 3"
    assert f"arbiter: {said}" in capsys.readouterr().err.splitlines()


def test_files_that_changed_later_are_told_from_those_that_changed_since(folder: Path) -> None:
    first, later = {"p3": {"bots/p3.py": sha("# 3\n")}}, {"p3": {"bots/p3.py": "0"}}
    here = str(folder)
    assert list(changed_since({1: first}, 1, ["p3"], here)) == []
    (line,) = changed_since({1: first, 2: first, 3: later, 4: first}, 1, ["p3", "p3#2"], here)
    assert line.endswith("it changed before round 3")
    (line,) = changed_since({1: later, 2: later}, 1, ["p3"], here)
    assert line.endswith("it changed after round 2")
    (folder / "bots" / "p3.py").unlink()
    assert list(changed_since({1: first}, 1, ["p3"], here)) == []


def test_a_change_is_counted_from_the_last_round_in_which_the_file_was_read() -> None:
    rounds = {
        number: {"p": {"bot.py": digest}} for number, digest in enumerate(["a", "a", None, "b", "b", "a"], 1)
    }
    found = [(change.since, change.round) for change in changes(rounds)]
    assert found == [(2, 4), (5, 6)]
    assert list(changes({1: {"p": {"bot.py": "a"}}, 2: {"p@2": {"bot.py": "b"}}})) == []


def test_interpreters_and_the_systems_files_are_not_read(folder: Path, tmp_path: Path) -> None:
    (folder / "bots" / "bot").write_text("")
    elsewhere = tmp_path.parent / f"{tmp_path.name} interpreter"
    elsewhere.write_text("")
    for command, own in (
        ([str(elsewhere), "bots/p1.py"], ["bots/p1.py"]),
        (["bots/bot", "bots/p1.py"], ["bots/bot", "bots/p1.py"]),
        (["bots/bot", "s.yaml"], ["bots/bot", "s.yaml"]),
        (["/bin/sh", "-c", "true"], []),
        (["/bin/cat", "/bin/sh"], []),
    ):
        found = own_files(register("p", command, folder), str(folder))
        assert list(found) == [str(folder / file) for file in own]


def test_a_file_that_was_not_touched_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(folder / "bots" / "p1.py")
    assert digest_of(path) == digest_of(path) == sha("# 1\n")
    monkeypatch.setattr(program_digests, "digest_of_file", lambda *_: pytest.fail("it was read again"))
    assert digest_of(path) == sha("# 1\n")
    monkeypatch.undo()
    rewrite(folder, "p1")
    assert digest_of(path) == sha("# another\n")
    assert digest_of(str(folder / "nothing")) is None


def test_copies_of_a_house_bot_lack_what_it_lacks(folder: Path) -> None:
    players = [register(name, ["bots/none"], folder) for name in ("random", "random#2")]
    assert missing_programs(players) == "player random: there is no program bots/none"
