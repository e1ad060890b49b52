"""Twins planted in small seasons: found with their evidence; who is asked about, and what is compared."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

import rating
from arbiter.contest.integrity.schema import Twins
from arbiter.contest.integrity.similar_play import add_round, find_twins
from arbiter.games import make, names
from arbiter.games.cards import Stream
from arbiter.match.spec import original
from arbiter.season.administration import annul
from arbiter.season.config import load
from arbiter.season.config.settings_diff import registered_name
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.testing import match_spec, play_by_policy
from tests.fixtures.executor import Scripted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from arbiter.games.game import Action, AnyGame, Seat, State
    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec
    from rating.likeness import KindCount

DEALS = "{name: planning, deals: [[1, 0], [2, 1], [3, 2], [3, 3], [2, 0], [1, 1]]}"
ROUNDS = 6

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Programs:
    """True records of matches in which each player's program decides by its own hand and what it may answer.

    A program is a word; players without one are programs of their own. Three decisions in four all make alike.
    """

    programs: Mapping[str, str]

    def __call__(self, spec: MatchSpec) -> MatchRecord:
        game = make(spec.game, spec.options)
        players = [original(player.name) for player in spec.players]
        words = [self.programs.get(name, name) for name in players]

        def decide(state: State, seat: Seat) -> Action:
            legal = state.legal(seat)
            seen = str((seat, game.hand(state, seat), legal))
            own = Stream("program", words[seat], seen)
            lot = own if own.draw(4) == 0 else Stream("all", seen)
            return legal[lot.draw(len(legal))]

        return play_by_policy(game, decide, spec)


def play_season(
    folder: Path, programs: Mapping[str, str], players: int = 8, house: Sequence[str] = ()
) -> Season:
    """So many players, p0 and so on; house bots fill tables of four."""
    file = folder / "s.yaml"
    terms = f"season: s\ngame: {DEALS}\nrounds: {ROUNDS}\nopening_rounds: 99\nseed: a table of twins\n"
    own = "".join(f"  - {{name: p{n}, command: [python3]}}\n" for n in range(players))
    bots = "".join(f"  - {{name: {name}, command: [python3], house: true}}\n" for name in house)
    file.write_text(f"{terms}house_bots: [{', '.join(house)}]\nplayers:\n{own}{bots}")
    config = load(file)
    played = Season.open(config, Store(config.store))
    list(played.play(Scripted(Programs(programs))))
    return played


def twins_of(opened_season: Season, last_round: int = ROUNDS) -> list[Twins]:
    return find_twins(opened_season.stored, opened_season.config, last_round)[0]


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Season:
    return play_season(tmp_path_factory.mktemp("planted"), {"p2": "same", "p5": "same"})


def test_planted_twins_are_asked_about_with_their_evidence_and_nobody_else(planted: Season) -> None:
    (found,) = twins_of(planted)
    assert found["players"] == ["p2", "p5"]
    assert found["alike"] == found["compared"] > 1.2 * found["expected"]
    assert found["p"] < 0.01
    assert found["say"].startswith("Do p2 and p5 play one program, as both decide alike in ")
    assert found["say"].endswith("?")
    # Examples lead to the moves of both.
    assert len(found["examples"]) == 3
    for example in found["examples"]:
        for name, match, number in zip(found["players"], example["matches"], example["moves"], strict=True):
            record = planted.stored.match(match)
            assert record is not None
            move = record.moves[number - 1]
            assert (record.players[move.seat], move.action) == (name, example["answer"])
    assert {kind["kind"] for kind in found["kinds"]} == {
        "gen_declare",
        "gen_move",
        "gen_move answering cards",
    }
    assert sum(kind["compared"] for kind in found["kinds"]) == found["compared"]
    assert sum(kind["alike"] for kind in found["kinds"]) == found["alike"]


def test_how_many_pairs_could_be_asked_about_is_said(planted: Season) -> None:
    early, late = (find_twins(planted.stored, planted.config, last)[1] for last in (0, ROUNDS))
    assert (early["pairs"], early["able"], late["pairs"], late["able"]) == (0, 0, 28, 27)
    assert early["say"].endswith("none could be compared yet")
    assert late["say"] == "27 of 28 pairs could be compared"


def test_later_rounds_than_asked_for_are_not_looked_at(planted: Season) -> None:
    (whole,), one = twins_of(planted), twins_of(planted, 1)
    assert all(found["compared"] < whole["compared"] for found in one)
    assert twins_of(planted, 0) == []


def test_a_player_that_decides_like_house_bots_is_asked_so_and_they_are_not(tmp_path: Path) -> None:
    alike = {"p3": "same", "bot": "same", "robot": "same"}
    found = {
        tuple(one["players"]): one["say"]
        for one in twins_of(play_season(tmp_path, alike, 6, ["bot", "robot"]))
    }
    assert set(found) == {("bot", "p3"), ("p3", "robot")}
    assert found["bot", "p3"].startswith(
        "Does p3 play the program of the organiser's bot bot, as both decide alike"
    )


def test_annulled_matches_do_not_count(planted: Season, tmp_path: Path) -> None:
    shutil.copytree(planted.config.folder, tmp_path, dirs_exist_ok=True)
    config = load(tmp_path / "s.yaml")
    played = Season.open(config, Store(config.store))
    annul(played.results, sorted(match.id for match in played.stored.summaries()), "a test")
    assert twins_of(played) == []


def versions(game: AnyGame, programs: Mapping[str, str], rounds: int = 1) -> rating.Likeness:
    """What rounds of two tables say of players such as ``a`` or ``a@2``."""
    likeness = rating.Likeness(registered_name)
    players = sorted(programs)
    assert len(players) == 2 * game.table_size
    for number in range(1, rounds + 1):
        # Who meets whom changes from round to round.
        lot = Stream("tables", number)
        order = sorted(players, key=lambda _: lot.draw(1 << 30))
        add_round(likeness, records(game, programs, order, number))
    return likeness


def counts(likeness: rating.Likeness) -> dict[tuple[str, str], Mapping[str, KindCount]]:
    """By pair and kind of decision."""
    return {pair: known.kinds for pair, known in likeness._pairs.items()}


def records(
    game: AnyGame, programs: Mapping[str, str], order: list[str], number: int
) -> Iterator[MatchRecord]:
    for start in range(0, len(order), game.table_size):
        for rotation, places in enumerate(game.seatings):
            at = [order[start + place] for place in places]
            spec = match_spec(game, round_number=number, names=at, rotation=rotation)
            yield Programs(programs)(replace(spec, id=f"r{number}/t{start}/m{rotation}"))


@pytest.mark.parametrize("name", names())
def test_in_every_game_twins_share_all_and_strangers_do_not(name: str) -> None:
    game = make(name, {})
    programs = {f"p{n}": f"p{n}" for n in range(2 * game.table_size)} | {"p0": "same", "p3": "same"}
    likeness = versions(game, programs)
    twin = counts(likeness).pop(("p0", "p3"))
    assert sum(count.compared for count in twin.values()) > 0
    assert all(count.alike == count.compared for count in twin.values())
    others = [
        count for pair, kinds in counts(likeness).items() if pair != ("p0", "p3") for count in kinds.values()
    ]
    assert sum(count.alike for count in others) < 0.9 * sum(count.compared for count in others)


def test_versions_of_one_author_are_not_asked_about() -> None:
    game = make("planning", {})
    programs = {f"p{n}": f"p{n}" for n in range(6)} | {"a": "same", "a@2": "same"}
    assert ("a", "a@2") not in counts(versions(game, programs))


def test_one_legal_answer_is_no_decision() -> None:
    """With one card each is played because it has to be; only the declarations are decided."""
    game = make("planning", {"deals": [[1, 0]]})
    found = counts(versions(game, {f"p{n}": "same" for n in range(8)}))
    assert {kind for kinds in found.values() for kind in kinds} == {"gen_declare"}


def test_what_a_seat_has_not_heard_is_no_part_of_its_situation() -> None:
    """Declarations are made without those of the others: all players of the round are in the same situation."""
    game = make("planning", {"deals": [[3, 0]]})
    programs = {f"p{n}": f"p{n}" for n in range(8)}
    compared = {
        pair: kinds["gen_declare"].compared for pair, kinds in counts(versions(game, programs)).items()
    }
    assert len(compared) == 28
    assert set(compared.values()) == {4}


def test_a_deal_begins_anew_whatever_came_before() -> None:
    game = make("planning", {"deals": [[3, 0], [3, 1], [3, 2]]})
    programs = {f"p{n}": f"p{n}" for n in range(8)}
    compared = {
        pair: kinds["gen_declare"].compared for pair, kinds in counts(versions(game, programs)).items()
    }
    assert set(compared.values()) == {12}
