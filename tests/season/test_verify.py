"""A season verified: clean as it was played, and every way of changing it found and named."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from arbiter.cli import exit_code
from arbiter.errors import ConfigError
from arbiter.match.packing import pack, unpack
from arbiter.match.record import Fault
from arbiter.season.config import load
from arbiter.season.ledger import Ledger
from arbiter.season.schedule import match_specs
from arbiter.season.season import Season
from arbiter.season.verify import verify
from arbiter.season.verify_findings import Coverage, Finding, FindingKind, match_differences
from arbiter.store import Store, db_schema
from arbiter.testing import play_by_policy, random_policy
from tests.fixtures.zoo import (
    CLEAN,
    CONFIG,
    CRASH,
    ILLEGAL,
    MALFORMED,
    REFUSED,
    SEED,
    TIMEOUT,
    Kept,
    play_season,
)

if TYPE_CHECKING:
    from arbiter.match.record import MatchRecord
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore


def all_of(config: Config, season: SeasonStore) -> tuple[list[Finding], Coverage]:
    found = []
    run = verify(config, season)
    while True:
        try:
            found.append(next(run))
        except StopIteration as done:
            return found, done.value


def test_a_season_as_it_was_played_is_clean(kept: Kept) -> None:
    findings, checked = all_of(kept.config, kept.season)
    assert findings == []
    assert (checked.rounds, checked.complete, checked.matches, checked.forfeits) == (3, 2, 19, 5)
    assert checked.moves == sum(len(record.moves) for record in kept.season.records())
    faults = {record.id: record.forfeit.fault for record in kept.season.records() if record.forfeit}
    assert faults == {
        ILLEGAL: "illegal", REFUSED: "refused", MALFORMED: "malformed", CRASH: "crash", TIMEOUT: "timeout",
    }  # fmt: skip


@pytest.mark.parametrize(
    "line", ["delivery: batched", "time: 500ms/request", "clock: cpu", "game: {name: planning, seats: 3}"]
)
def test_other_terms_are_clean_too(line: str, tmp_path: Path) -> None:
    key = line.partition(":")[0]
    text = "".join(row + "\n" for row in CONFIG.splitlines() if not row.startswith(f"{key}:"))
    if key == "delivery":
        text = text.replace("command: [python3]", "command: [python3], batched: true")
    if key == "game":
        # Three at a table, all deals of the tournament, and nobody faults.
        text = text.replace("season: small", "season: three").replace("house_bots: [random]", "")
        text = text.replace("  - {name: random, command: [python3], house: true}\n", "")
    path = tmp_path / "small.yaml"
    path.write_text(f"{line}\n{text}")
    config = load(path)
    if key == "game":
        store = Store(config.store)
        going = Season(config, season := Season.open(config, store).stored)
        plan = going.rounds.plan()
        assert plan is not None
        for spec in plan.missing:
            season.add_match(play_by_policy(config.game, random_policy(spec.id), spec))
        going.rounds.finish(plan.stored.number)
    else:
        play_season(config)
        store = Store(config.store)
        season = Season.open(config, store).stored
    findings, checked = all_of(config, season)
    assert findings == []
    assert checked.matches == len(list(season.records()))
    assert {record.delivery for record in season.records()} == {config.limits.delivery}
    store.close()


# Records


def points(record: MatchRecord) -> MatchRecord:
    assert record.points is not None
    return replace(record, points=(record.points[0] + 50, *record.points[1:]))


def move_of(**changes: Any) -> Callable[[MatchRecord], MatchRecord]:
    def alter(record: MatchRecord) -> MatchRecord:
        moves = list(record.moves)
        moves[5] = moves[5]._replace(**changes)
        return replace(record, moves=tuple(moves))

    return alter


def swapped_players(record: MatchRecord) -> MatchRecord:
    one, two, *rest = record.players
    first, second, *bots = record.bots
    return replace(record, players=(two, one, *rest), bots=(second, first, *bots))


def swapped_hands(record: MatchRecord) -> MatchRecord:
    deal = dict(record.deals[1])
    deal["hands"] = [deal["hands"][seat] for seat in (1, 0, 2, 3)]
    return replace(record, deals=(record.deals[0], deal))


def no_last_move(record: MatchRecord) -> MatchRecord:
    return replace(record, moves=record.moves[:-1])


def a_move_more(record: MatchRecord) -> MatchRecord:
    return replace(record, moves=(*record.moves, record.moves[-1]))


def fields(**changes: Any) -> Callable[[MatchRecord], MatchRecord]:
    return lambda record: replace(record, **changes)


def cheaper_total(record: MatchRecord) -> MatchRecord:
    first, *bots = record.bots
    return replace(record, bots=(replace(first, charged_ns=5), *bots))


RECORDS: list[tuple[Callable[[MatchRecord], MatchRecord], str]] = [
    (points, r"points: stored \[\d+, .*\], replayed \["),
    (points, r"result p\d - .*: stored 1-0, replayed (0-1|1/2-1/2)"),
    (move_of(action="2C"), r"move \d+ \(gen_\w+ of seat \d\): illegal: "),
    (move_of(action="no card"), r"move 6 \(gen_\w+ of seat \d\): malformed: "),
    (move_of(seat=9), r"move 6: stored gen_\w+ of seat 9, replayed gen_\w+ of seat \d"),
    (move_of(request="gen_bid"), r"move 6: stored gen_bid of seat \d, replayed gen_"),
    (move_of(deal=7), r"move 6: stored \w+ in deal 7, replayed \w+ in deal 0"),
    (move_of(charged_ns=-1), r"move 6: charged_ns: stored -1"),
    (move_of(left_ns=1), r"move 6: left_ns: stored 1, by what was charged 60\d+"),
    (cheaper_total, r"charged_ns of seat 0: stored 5, its moves alone have \d+"),
    (swapped_players, r'players: stored \["[^\]]*\], planned \["'),
    (swapped_hands, r"deals: 1 of 2 are not the seed's; deal 2: stored \{.*, dealt \{"),
    (no_last_move, r"moves: stored 23, but after move 23 seat \d must answer gen_move"),
    (a_move_more, r"moves: stored 25, but the match is over after 24"),
    (fields(deal_hash="0" * 64), r"deal_hash: stored 0{64}, dealt [0-9a-f]{64}"),
    (fields(rotation=3), r"rotation: stored 3, planned 0"),
    (fields(table=1), r"table: stored 1, planned 2"),
    (fields(seed="1"), r"seed: the record's is not the season's"),
    (fields(season="other"), r"season: stored other, planned small"),
    (fields(options={"seats": 4}), r"options: stored \{"),
    (fields(sides=(0, 1, 0, 1)), r"sides: stored \[0, 1, 0, 1\], planned null"),
    (fields(clock="wall"), r"clock: stored wall, planned adjusted"),
    (fields(delivery="batched"), r"delivery: stored batched, planned strict"),
]  # fmt: skip


def differences(shown: Kept, match_id: str, alter: Callable[[MatchRecord], MatchRecord]) -> list[str]:
    """What is found of a match of round 1 that is stored with another record."""
    tables = shown.season.rounds()[0].tables
    planned = {spec.id: spec for spec in match_specs(shown.config, shown.season.seed, 1, tables)}
    stored = unpack(pack(alter(shown.match(match_id))), match_id)
    found: list[str] = []
    # As in a whole verification what cannot be followed any further ends the list.
    with suppress(LookupError):
        found.extend(match_differences(shown.config.game, planned[match_id], stored, same_config=True))
    return found


@pytest.mark.parametrize(("alter", "line"), RECORDS)
def test_a_changed_record_is_named(
    shown: Kept, alter: Callable[[MatchRecord], MatchRecord], line: str
) -> None:
    found = differences(shown, CLEAN, alter)
    assert any(re.fullmatch(f"{line}.*", text) for text in found), found
    assert len(found) < 6


def test_a_declaration_changed_for_another_legal_one_changes_the_points(shown: Kept) -> None:
    """The last card of all is forced, so of the last tricks every change is illegal or shows."""

    def declares_otherwise(record: MatchRecord) -> MatchRecord:
        moves = list(record.moves)
        declared = next(n for n, move in enumerate(moves) if move.request == "gen_declare")
        moves[declared] = moves[declared]._replace(action=str(1 - int(moves[declared].action)))
        return replace(record, moves=tuple(moves))

    assert any(text.startswith("points: stored") for text in differences(shown, CLEAN, declares_otherwise))


def test_an_action_that_is_not_canonical_is_named(shown: Kept) -> None:
    def padded(record: MatchRecord) -> MatchRecord:
        first, *moves = record.moves
        return replace(record, moves=(first._replace(action="0" + first.action), *moves))

    (line,) = differences(shown, CLEAN, padded)
    assert line.startswith("move 1: stored 0")


# Forfeits


def forfeit_of(**changes: Any) -> Callable[[MatchRecord], MatchRecord]:
    def alter(record: MatchRecord) -> MatchRecord:
        assert record.forfeit is not None
        return replace(record, forfeit=replace(record.forfeit, **changes))

    return alter


def legal_reply(record: MatchRecord) -> MatchRecord:
    """Seat 2 made to have answered with a card of its own, the one that it could play."""
    assert record.forfeit is not None
    hand = set(record.deals[1]["hands"][2]) - {move.action for move in record.moves if move.deal == 1}
    led = next((move for move in reversed(record.moves) if move.request == "gen_move"), None)
    suit = {card for card in hand if led is not None and card[1] == led.action[1]}
    return replace(record, forfeit=replace(record.forfeit, reply=f"= {min(suit or hand)}\n\n"))


FORFEIT_CHANGES: list[tuple[str, Callable[[MatchRecord], MatchRecord], str]] = [
    (ILLEGAL, legal_reply, r"forfeit: the reply '= .*' is not a fault there"),
    (ILLEGAL, forfeit_of(reason="for fun"), r"forfeit: detail: stored for fun, replayed .*"),
    (ILLEGAL, forfeit_of(player="p9"), r"forfeit: player: stored p9, replayed \w+"),
    (ILLEGAL, forfeit_of(seat=1), r"forfeit: stored for 'gen_move' to seat 1, but after move \d+ seat 2"),
    (ILLEGAL, forfeit_of(command="gen_declare"), r"forfeit: stored for 'gen_declare' to seat 2, but after"),
    (ILLEGAL, forfeit_of(reply="? no\n\n"), r"forfeit: fault: stored illegal, replayed refused"),
    (ILLEGAL, no_last_move, r"forfeit: stored for 'gen_move' to seat 2, but after move \d+ seat \d must"),
    (REFUSED, forfeit_of(reply="= 1\n\n"), r"forfeit: the reply '= 1\\n\\n' is not a fault there"),
    (REFUSED, forfeit_of(command="time_left 1"), r"forfeit: refused, but 'time_left \d+' asks for no answer"),
    (MALFORMED, forfeit_of(reply="=\n\n"), r"forfeit: the reply '=\\n\\n' is not a fault there"),
    (CRASH, forfeit_of(command="set_cards 1 2C"), r"forfeit: stored for 'set_cards 1 2C' to seat 2, but"),
    (CLEAN, lambda record: replace(record, points=None), r"points: stored null, replayed \[\d"),
    (CRASH, fields(forfeit=None), r"moves: stored \d+, but after move \d+ seat \d must answer gen_declare"),
]  # fmt: skip


@pytest.mark.parametrize(("match_id", "alter", "line"), FORFEIT_CHANGES)
def test_a_changed_forfeit_is_named(
    shown: Kept, match_id: str, alter: Callable[[MatchRecord], MatchRecord], line: str
) -> None:
    found = differences(shown, match_id, alter)
    assert any(re.fullmatch(f"{line}.*", text) for text in found), found


def test_a_refused_word_that_an_earlier_version_told_twice_is_no_difference(shown: Kept) -> None:
    def told_twice(record: MatchRecord) -> MatchRecord:
        assert record.forfeit is not None
        word = record.forfeit.detail.split()[0]
        assert "is not in hand" in record.forfeit.detail or "does not follow suit" in record.forfeit.detail
        return forfeit_of(reason=f"{word}: {record.forfeit.reason}")(record)

    assert differences(shown, ILLEGAL, told_twice) == []


def test_a_forfeit_after_the_last_move_is_named(shown: Kept) -> None:
    forfeit = shown.match(CRASH).forfeit
    assert forfeit is not None
    said = f"forfeit: the match is over, and {forfeit.command!r} was not sent"
    assert said in differences(shown, CLEAN, fields(forfeit=forfeit, points=None))


def test_a_timeout_of_a_bot_that_had_time_is_named(shown: Kept) -> None:
    def frugal(record: MatchRecord) -> MatchRecord:
        bots = list(record.bots)
        bots[2] = replace(bots[2], charged_ns=30 * 10**9)
        return replace(record, bots=tuple(bots))

    said = "forfeit: timeout, but seat 2 was charged 30000000000 ns of 60400000000"
    assert differences(shown, TIMEOUT, frugal) == [said]


def test_a_fault_that_lies_not_in_the_reply_is_believed_where_the_bot_was_spoken_to(shown: Kept) -> None:
    assert differences(shown, CRASH, forfeit_of(fault=Fault.MEMORY, reason="other words")) == []


# Rounds


def test_a_missing_and_a_surplus_match_are_named(kept: Kept) -> None:
    record = kept.match(CLEAN)
    kept.remove(CLEAN)
    kept.season.add_match(replace(record, id="r001/t09/m0", table=9))
    kept.season.add_match(replace(record, id="r009/t01/m0", round=9))
    found = kept.found()
    assert f"{CLEAN}: missing: planned, but not stored" in found
    assert "r001/t09/m0: surplus: stored, but not planned in round 1" in found
    assert "r009/t01/m0: surplus: round 9 was never planned" in found


def test_a_record_under_another_id_is_named(kept: Kept) -> None:
    table = db_schema.matches
    kept.remove("r001/t02/m3")
    kept.write(sa.update(table).where(table.c.id == CLEAN).values(id="r001/t02/m3"))
    found = kept.found()
    assert "r001/t02/m3: id: stored r001/t02/m0, planned r001/t02/m3" in found
    assert f"{CLEAN}: missing: planned, but not stored" in found


def test_changed_tables_are_named(kept: Kept) -> None:
    first, second = kept.season.rounds()[1].tables
    changed = [[second[0], *first[1:]], [first[0], *second[1:]]]
    table = db_schema.rounds
    kept.write(sa.update(table).where(table.c.number == 2).values(tables=json.dumps(changed)))
    found = kept.found()
    assert found[0].startswith(f"r002: tables: stored {json.dumps(changed)}, planned [[")
    assert sum(text.startswith("r002/") and ": players: stored" in text for text in found) == 8


def test_tables_that_are_none_are_named(kept: Kept) -> None:
    table = db_schema.rounds
    kept.write(sa.update(table).where(table.c.number == 2).values(tables='[["p0", "p0", "p1", "p2"]]'))
    assert any("not 4 players each, each at one table" in text for text in kept.found())


def test_a_changed_summary_is_named_and_so_are_the_ratings_made_of_it(kept: Kept) -> None:
    table = db_schema.matches
    shape = kept.match(CLEAN).summary().to_json()
    shape["points"] = [9, 9, 9, 9]
    kept.write(sa.update(table).where(table.c.id == CLEAN).values(summary=json.dumps(shape)))
    found = kept.found()
    assert any(
        text.startswith(f"{CLEAN}: summary: points: stored [9, 9, 9, 9], its record") for text in found
    )
    assert any(text.startswith("r001: standings: players: ") for text in found)


def change_standings(kept: Kept, alter: Callable[[dict[str, Any]], None]) -> None:
    standings = kept.season.standings(2)
    assert standings is not None
    alter(standings)
    table = db_schema.ratings
    kept.write(sa.update(table).where(table.c.round == 2).values(standings=json.dumps(standings)))


def test_a_changed_rating_is_named(kept: Kept) -> None:
    def raised(standings: dict[str, Any]) -> None:
        standings["players"][3]["elo"] += 1e-5
        standings["players"][3]["faults"] = {"crash": 1}

    name = (kept.season.standings(2) or {})["players"][3]["player"]
    change_standings(kept, raised)
    found = kept.found()
    assert found[0].startswith(f"r002: standings: players: {name}: elo: stored ")
    assert all(text.startswith(f"r002: standings: players: {name}: ") for text in found)


def test_a_rating_within_the_tolerance_is_none(kept: Kept) -> None:
    def nudged(standings: dict[str, Any]) -> None:
        standings["players"][0]["elo"] += 5e-7

    change_standings(kept, nudged)
    assert kept.found() == []


def test_missing_and_surplus_standings_are_named(kept: Kept) -> None:
    table = db_schema.ratings
    kept.write(sa.update(table).where(table.c.round == 2).values(round=3))
    assert kept.found() == [
        "r002: standings: missing, but the round is complete",
        "r003: standings: stored, but the round is not complete",
    ]


def test_a_round_that_is_missing_or_left_incomplete_is_named(kept: Kept) -> None:
    table = db_schema.rounds
    kept.write(sa.update(table).where(table.c.number == 1).values(complete=False))
    assert "r001: complete: it is not, but a later round is" in kept.found()
    kept.write(sa.delete(table).where(table.c.number == 1))
    assert "r001: missing: a later round is stored" in kept.found()


def test_another_seed_in_the_store_changes_every_deal(kept: Kept) -> None:
    kept.write(sa.update(db_schema.seasons).values(seed="another seed that is long enough"))
    found = kept.found()
    assert found[0] == "season: seed: the stored one is not the config's"
    for match_id in kept.season.match_ids(1) - {CRASH}:
        assert f"{match_id}: seed: the record's is not the season's" in found
        assert any(text.startswith(f"{match_id}: deals: ") for text in found)
    assert not any("illegal" in text for text in found)


def test_another_game_in_the_store_ends_it(kept: Kept) -> None:
    kept.write(sa.update(db_schema.seasons).values(game="bridge"))
    assert kept.found() == ["season: game: stored bridge, the config has planning"]


@pytest.mark.parametrize(
    ("old", "new"),
    [("60s+100ms", "5s"), ("p5", "new"), ("deals: [[1, 0], [3, 1]]", "seats: 3"), ("house_bots", "suspend_after: 3\nhouse_bots")],
)  # fmt: skip
def test_rounds_of_an_earlier_config_are_checked_against_that_one(old: str, new: str, kept: Kept) -> None:
    kept.file.write_text(CONFIG.replace(old, new))
    findings, checked = all_of(load(kept.file), kept.season)
    assert (findings, checked.matches) == ([], 19)
    kept.change(CLEAN, points)
    texts = [str(finding) for finding in all_of(load(kept.file), kept.season)[0]]
    assert any(text.startswith(f"{CLEAN}: points: ") for text in texts)
    assert any(text.startswith("r001: standings: players: ") for text in texts)


def test_the_digest_of_a_config_that_was_never_kept_is_named(kept: Kept) -> None:
    table = db_schema.rounds
    kept.write(sa.update(table).where(table.c.number == 2).values(digest="0" * 64))
    findings, _ = all_of(kept.config, kept.season)
    assert [str(finding) for finding in findings if finding.kind is FindingKind.DIFFERENCE] == [
        "r002: config: no settings are stored for its digest"
    ]
    assert [finding.place for finding in findings if finding.kind is FindingKind.UNCHECKED] == ["r002"]


def test_a_config_that_was_kept_and_changed_is_named(kept: Kept) -> None:
    kept.file.write_text(CONFIG.replace("60s+100ms", "5s"))
    table = db_schema.configs
    kept.write(sa.update(table).values(settings=sa.func.replace(table.c.settings, "60s+100ms", "70s")))
    texts = [str(finding) for finding in all_of(load(kept.file), kept.season)[0]]
    assert "r001: config: the stored settings do not match its digest" in texts


# What cannot be read


def test_all_that_cannot_be_read_is_named(kept: Kept) -> None:
    table = db_schema.matches
    kept.write(sa.update(table).where(table.c.id == CLEAN).values(record=b"\x00garbage"))
    kept.write(sa.update(table).where(table.c.id == "r002/t01/m0").values(summary="{"))
    shape = kept.match("r002/t02/m0").to_json()
    shape["moves"][0]["charged_ns"] = "much"
    packed = zlib.compress(json.dumps(shape).encode())
    kept.write(sa.update(table).where(table.c.id == "r002/t02/m0").values(record=packed))
    findings, _ = all_of(kept.config, kept.season)
    unreadable = [finding.place for finding in findings if finding.kind is FindingKind.UNREADABLE]
    assert unreadable == [CLEAN, "r002/t01/m0", "r002/t02/m0"]
    unchecked = [str(finding) for finding in findings if finding.kind is FindingKind.UNCHECKED]
    assert unchecked[0] == (
        "r002: its standings are not checked: the summary of match r002/t01/m0 cannot be read"
    )


def test_summaries_that_cannot_be_rated_are_a_difference(kept: Kept) -> None:
    table = db_schema.matches
    shape = kept.match(CLEAN).summary().to_json()
    shape["points"] = [1]
    kept.write(sa.update(table).where(table.c.id == CLEAN).values(summary=json.dumps(shape)))
    assert any(
        text.startswith(
            "r001: standings: cannot be computed from the stored summaries: match r001/t02/m0 has"
        )
        for text in kept.found()
    )


def test_standings_that_cannot_be_read_are_named(kept: Kept) -> None:
    kept.write(sa.update(db_schema.ratings).where(db_schema.ratings.c.round == 1).values(standings="{"))
    kept.write(
        sa.update(db_schema.ratings).where(db_schema.ratings.c.round == 2).values(standings='{"players": 3}')
    )
    findings, _ = all_of(kept.config, kept.season)
    assert [(finding.place, finding.kind) for finding in findings] == [
        ("r001", FindingKind.UNREADABLE),
        ("r002", FindingKind.UNREADABLE),
    ]


def test_it_reads_one_record_at_a_time(kept: Kept) -> None:
    kept.change("r001/t01/m0", points)
    kept.write(sa.update(db_schema.ratings).values(standings="{}"))
    run = verify(kept.config, kept.season)
    assert next(run).place == "r001/t01/m0"
    run.close()


# The commitment


def committed(seed: str) -> str:
    return sha256(seed.encode()).hexdigest()


def test_a_seed_is_compared_with_what_was_committed_to(kept: Kept) -> None:
    kept.file.write_text(CONFIG + f"seed_commitment: {committed(SEED)}\n")
    config = load(kept.file)
    assert config.digest == kept.config.digest
    assert all_of(config, kept.season) == ([], replace(all_of(kept.config, kept.season)[1], commitment=True))
    auto = CONFIG.replace(f"seed: {SEED}", "seed: auto")
    kept.file.write_text(auto + f"seed_commitment: {committed('another')}\n")
    first = next(verify(load(kept.file), kept.season))
    assert str(first) == (
        f"season: seed: committed to {committed('another')}, the stored seed's SHA-256 is {committed(SEED)}"
    )


@pytest.mark.parametrize(
    ("seed", "commitment", "words"),
    [
        ("short", committed("short"), "a seed of 40 bits can be guessed, so there is nothing to commit to"),
        ("12345", committed("12345"), "a seed of 40 bits can be guessed"),
        (SEED, committed("other"), "is not the SHA-256 of the seed (printf %s SEED | sha256sum)"),
        (SEED, "abc", "not a SHA-256: 'abc' (64 digits"),
    ],
)
def test_a_commitment_that_is_worth_nothing_is_refused(
    seed: str, commitment: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(CONFIG.replace(f"seed: {SEED}", f"seed: {seed}") + f"seed_commitment: {commitment}\n")
    with pytest.raises(ConfigError) as caught:
        load(path)
    (line,) = str(caught.value).splitlines()
    assert f": seed_commitment: {words}" in line


def test_a_program_that_changed_without_a_new_version_is_remarked(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, digest in ((1, "a"), (2, "b"), (3, "b")):
        kept.season.keep_programs(number, {"p1": {"bots/p1.py": digest}, "p2": {"bots/p2.py": "c"}})
    findings, _ = all_of(kept.config, kept.season)
    text = "bots/p1.py of player p1 changed since round 1 without a new version"
    assert findings == [Finding("r002", text, FindingKind.REMARK)]
    code, out, err = command(capsys, "verify", kept.file)
    assert (code, err) == (0, f"arbiter: r002: {text}\n")
    assert out.startswith("small: no differences")
    shape = json.loads(command(capsys, "verify", kept.file, "--format", "json")[1])
    assert (shape["ok"], shape["remarks"]) == (True, [{"place": "r002", "text": text}])


def test_programs_that_cannot_be_read_are_named(kept: Kept) -> None:
    kept.write(sa.update(db_schema.rounds).where(db_schema.rounds.c.number == 2).values(programs='["x"]'))
    assert kept.found()[0].startswith("season: the programs of its rounds cannot be read: ")


# The command


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = exit_code([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_command_says_what_was_checked(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = command(capsys, "verify", kept.file)
    moves = sum(len(record.moves) for record in kept.season.records())
    assert (code, err) == (0, "")
    assert out == (
        f"small: no differences: 3 rounds (2 complete) dealt again, 19 matches with {moves} moves"
        " and 5 forfeits replayed, ratings computed again\n"
    )


def test_the_command_names_each_difference_on_a_line_and_exits_1(
    kept: Kept, capsys: pytest.CaptureFixture[str]
) -> None:
    kept.remove(CLEAN)
    code, out, err = command(capsys, "verify", kept.file, "--store", kept.store.url)
    lines = out.splitlines()
    assert code == 1
    assert lines[0] == f"{CLEAN}: missing: planned, but not stored"
    assert all(line.startswith(("r001: standings: ", "r002: ")) for line in lines[1:])
    assert err.startswith(f"arbiter: small: {len(lines)} differences, 0 unreadable: 3 rounds")
    code, out, _ = command(capsys, "verify", kept.file, "--format", "json")
    shape = json.loads(out)
    assert (code, shape["ok"], shape["unreadable"], shape["unchecked"]) == (1, False, [], [])
    assert shape["differences"][0] == {"place": CLEAN, "text": "missing: planned, but not stored"}
    assert shape["seed_sha256"] == committed(SEED)
    assert shape["checked"]["matches"] == 18


def test_the_command_exits_5_for_what_cannot_be_read(kept: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    table = db_schema.matches
    kept.write(sa.update(table).where(table.c.id == CLEAN).values(record=b"\x00garbage"))
    code, out, err = command(capsys, "verify", kept.file)
    assert (code, len(out.splitlines())) == (5, 1)
    assert out.startswith(f"{CLEAN}: the record of match {CLEAN} cannot be read: ")
    assert "0 differences, 1 unreadable" in err


def test_standings_from_before_variances_were_held_together_are_checked_by_the_rule_of_then(
    kept: Kept,
) -> None:
    ledger = Ledger.of(kept.config, kept.season)
    ledger.read_after(2)
    before = ledger.standings(kept.config, pooled=False)
    assert "freedom" not in before
    now = kept.season.standings(2) or {}
    assert before["players"][0]["low"] != now["players"][0]["low"]

    def as_then(standings: dict[str, Any]) -> None:
        standings.clear()
        standings.update(before)

    change_standings(kept, as_then)
    assert kept.found() == []
