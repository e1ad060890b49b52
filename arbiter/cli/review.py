"""`review`: rate each decision of a match, or of all matches of a round."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

import arbiter
from arbiter.cli.match_source import is_match_source, read_match
from arbiter.cli.options import config_argument, format_option_of, store_option, workers_option
from arbiter.cli.output import note, print_result, print_table, say
from arbiter.errors import ConfigError
from arbiter.text import counted, printable, signed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import Player
    from arbiter.replay.match_review import LossByPhase, PhaseLoss, Review, ReviewedDecision
    from arbiter.season.config import Config
    from arbiter.season.snapshot.decision_losses import SeasonLosses
    from arbiter.store import SeasonStore
    from arbiter.trials.review.review_round import Reviewer

USUAL_BUDGET = "10s"
LISTED = 20
LEAST_BUDGET_MS = 100
ROLLOUTS = "rollouts"
"""The built-in reviewer, unless a player has this name; it needs `arbiter.envs`."""


@click.command()
@config_argument
@click.argument("match_id", required=False)
@click.option(
    "--round", "number", type=click.IntRange(min=1), metavar="N", help="Review all matches of this round."
)
@click.option(
    "--by",
    metavar="NAME",
    help="The reviewer: a player of the season, a command, or rollouts.",
)
@click.option("--seat", type=int, metavar="K", help="With one match: only the decisions of seat K.")
@click.option(
    "--budget", default=USUAL_BUDGET, show_default=True, help="Thinking time for a match, all seats together."
)
@workers_option
@store_option
@format_option_of("table", "json", text="A table for people, or JSON.")
def review(
    config: str,
    match_id: str | None,
    number: int | None,
    by: str | None,
    seat: int | None,
    budget: str,
    workers: int | None,
    store_url: str | None,
    style: str,
) -> None:
    """Rate each decision of a match.

    A reviewer, which must support `gen_values`, values the answers of each seat, knowing what the seat knew.
    By default it is `review_by` of the file, else the best player that can; `--by rollouts` needs no player.
    Reviews are stored; run the same command again to continue a round.

    CONFIG may also be a file of matches, a replay, or the address of a match on a site, as in `arbiter show`.
    Then `--by` is a command, or by default rollouts, and nothing is stored.

    Example: arbiter review configs/demo.yaml r001/t01/m0
    """
    from contextlib import closing

    from arbiter.cli.open_season import with_roster
    from arbiter.season.settings import open_to_read

    if is_match_source(config):
        if number is not None or store_url is not None:
            raise ConfigError("is no season: --round and --store need one", printable(config))
        record = read_match(config, match_id)
        found = _review_record(record, seat, by, _parse_budget(budget))
        print_result(style, found, lambda: _print_match(found, record.id))
        return
    if (match_id is None) == (number is None):
        raise ConfigError("expected a match id, such as r001/t01/m0, or --round N")
    if seat is not None and match_id is None:
        raise ConfigError("--seat needs a match id")
    budget_ms = _parse_budget(budget)
    settled, stored, store = open_to_read(config, store_url)
    settled = with_roster(settled)
    with closing(store):
        if match_id is not None:
            found = _review_match(settled, stored, match_id, seat, by, budget_ms)
            print_result(style, found, lambda: _print_match(found, match_id))
            return
        assert number is not None
        losses = _review_round(settled, stored, number, by, budget_ms, workers)
    print_result(
        style,
        {"season": settled.season, "round": number, **losses},
        lambda: _print_losses(losses, f"round {number}"),
    )


def _parse_budget(budget: str) -> int:
    from arbiter.match.clock import MS, parse_duration

    try:
        found = parse_duration(budget) // MS
    except ConfigError as error:
        raise ConfigError(f"--budget: {error}") from None
    if found < LEAST_BUDGET_MS:
        raise ConfigError(f"--budget: expected at least {LEAST_BUDGET_MS}ms, got {budget}")
    return found


def _possible_reviewers(
    settled: Config, stored: SeasonStore, by: str | None, budget_ms: int
) -> list[Reviewer]:
    """Return the possible reviewers in order: the named one, else all players, the best first."""
    from arbiter.cli.bot_arguments import with_isolation
    from arbiter.sandbox.player_command import missing_programs
    from arbiter.store.address import file_of
    from arbiter.store.sqlite import companions
    from arbiter.trials.regression.program_identity import Digests
    from arbiter.trials.review.review_round import Reviewer

    if name := by or settled.review_by:
        players = [_find_reviewer(settled, name)]
        for problem in missing_programs(players[0]):
            raise ConfigError(f"{players[0].name}: {problem}")
    else:
        players = [player for player in _by_rank(settled, stored) if not list(missing_programs(player))]
    limits, store = with_isolation(settled.limits), file_of(settled.store)
    ours = [] if store is None else [store, *companions(str(store))]
    digests = Digests(map(type(settled.file), (settled.file, *ours)))
    return [Reviewer.of(player, limits, budget_ms, digests) for player in players]


def _find_reviewer(settled: Config, name: str) -> Player:
    from arbiter.cli.bot_arguments import parse_player
    from arbiter.errors import did_you_mean

    entries = [entry for entry in settled.entries if name in (entry.player.name, entry.registered_name)]
    if entries:
        return entries[-1].player
    if name == ROLLOUTS:
        return _rollouts(settled.game.name)
    try:
        return parse_player(name, f"--by {name!r}", settled.game.name)
    except ConfigError as error:
        known = [entry.player.name for entry in settled.entries]
        if any(mark in name for mark in " /."):
            raise
        raise ConfigError(f"--by {name}: unknown player", hint=did_you_mean(name, known)) from error


def _rollouts(game: str) -> Player:
    from arbiter.match.spec import Player

    words = [sys.executable, "-m", "arbiter.envs.rollout_bot", "--game", game]
    # Confined bots see only the packages that they may read.
    return Player(ROLLOUTS, tuple(words), read=(str(Path(arbiter.__file__).parents[1]),))


def _by_rank(settled: Config, stored: SeasonStore) -> list[Player]:
    standings = stored.standings(stored.complete) if stored.complete else None
    ranks = {
        row["player"]: row["rank"] or len(settled.entries)
        for row in (standings or {"players": []})["players"]
    }
    last = len(settled.entries) + 1
    return sorted(
        (entry.player for entry in settled.entries), key=lambda player: ranks.get(player.name, last)
    )


def _review_match(
    settled: Config, stored: SeasonStore, match_id: str, seat: int | None, by: str | None, budget_ms: int
) -> Review:
    """Load a match's review by the same reviewer, else review it and store that; return the review."""
    from arbiter.replay.match_review import limit_to_seats
    from arbiter.season.administration import unknown_match
    from arbiter.table.executors import inline
    from arbiter.trials.review.review_round import brief_of, find_reviewer, reviewed_matches

    packed, record = stored.packed(match_id), stored.match(match_id)
    if packed is None or record is None:
        raise unknown_match(match_id, stored.summaries())
    _check_seat(record, seat)
    number, reviewers = record.round or 0, _possible_reviewers(settled, stored, by, budget_ms)
    there = any(match_id in reviewed_matches(stored, number, one) for one in reviewers)
    found = stored.reviews.one(match_id) if there else None
    if found is None:
        with inline() as executor:
            chosen, found = find_reviewer(packed, match_id, reviewers, executor)
        stored.reviews.keep(number, found, brief_of(found), packed, chosen.digest)
    return found if seat is None else limit_to_seats(found, [seat])


def _check_seat(record: MatchRecord, seat: int | None) -> None:
    if seat is not None and not 0 <= seat < len(record.players):
        raise ConfigError(f"--seat: expected 0 to {len(record.players) - 1}, got {seat}")


def _review_record(record: MatchRecord, seat: int | None, by: str | None, budget_ms: int) -> Review:
    """Review a match outside a season by a command or by rollouts; nothing is stored."""
    from arbiter.cli.bot_arguments import parse_player, with_isolation
    from arbiter.match.limits import USUAL
    from arbiter.match.packing import pack
    from arbiter.replay.match_review import limit_to_seats
    from arbiter.trials.review.review_round import Reviewer, review_packed

    _check_seat(record, seat)
    player = (
        _rollouts(record.game) if by in (None, ROLLOUTS) else parse_player(by, f"--by {by!r}", record.game)
    )
    reviewer = Reviewer(player, with_isolation(USUAL.limits()), budget_ms)
    found = review_packed(pack(record), record.id, reviewer)
    return found if seat is None else limit_to_seats(found, [seat])


def _review_round(
    settled: Config, stored: SeasonStore, number: int, by: str | None, budget_ms: int, workers: int | None
) -> SeasonLosses:
    """Review and store the missing matches of a round, showing the progress; return losses of all of them."""
    from arbiter.cli.progress import Bar
    from arbiter.season.snapshot.decision_losses import losses_of
    from arbiter.table.executors import processes, slots
    from arbiter.trials.review.review_round import (
        brief_of,
        find_reviewer,
        idle_cores,
        review_round,
        reviewed_matches,
    )

    ids = sorted(stored.match_ids(number))
    if not ids:
        raise ConfigError(
            f"no match of round {number} is stored", hint="arbiter matches lists the stored ones"
        )
    reviewers = _possible_reviewers(settled, stored, by, budget_ms)
    chosen = next((one for one in reviewers if reviewed_matches(stored, number, one)), None)
    wanted = workers or min(idle_cores(), slots(settled.workers))
    with processes(slots(wanted)) as executor, Bar() as bar:
        if chosen is None and len(reviewers) > 1:
            packed = stored.packed(ids[0])
            assert packed is not None
            chosen, first = find_reviewer(packed, ids[0], reviewers, executor)
            stored.reviews.keep(number, first, brief_of(first), packed, chosen.digest)
        chosen = chosen or reviewers[0]
        there = len(reviewed_matches(stored, number, chosen))
        if there:
            note(f"{counted(there, 'match')} of {len(ids)} from the store")
        bar.show(f"round {number} by {chosen.player.name}", len(ids), there)
        for _ in review_round(stored, number, chosen, executor):
            bar.step()
    found = losses_of(stored.reviews.briefs(reviewed_matches(stored, number, chosen)))
    assert found is not None
    return found


def _print_match(found: Review, match_id: str) -> None:
    """Print the costliest decisions, losses by seat and phase, luck, and a table of the mistakes."""
    names = {of["seat"]: of["player"] for of in found["seats"]}
    say(f"{match_id}, reviewed by {found['by']}; in points of a deal")
    by_place = {decision["i"]: decision for decision in found["decisions"]}
    for decision in (by_place[i] for i in found["worst"]):
        no = f" No mistake: {decision['excuse']}." if decision["excuse"] else ""
        say(f"  deal {decision['deal'] + 1}, {names[decision['seat']]} {decision.get('say', '')}{no}")
    _print_losses_table({f"{of['seat']} {of['player']}": of for of in found["seats"]})
    _print_luck(found, names)
    mistakes = [decision for decision in found["decisions"] if decision["mistake"]]
    listed = sorted(mistakes, key=lambda decision: -(decision["loss"] or 0))[:LISTED]
    rows = [_mistake_row(decision, names) for decision in sorted(listed, key=lambda decision: decision["i"])]
    columns = ["move", "deal", "player", "request", "done", "worth", "best", "worth", "loss", "±", "to win"]
    if not any(win is not None for decision in found["decisions"] for win in decision["win"]):
        say(f"{found['by']} gives no winning chances")
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    if rows:
        more = f", the costliest of {len(mistakes)}" if len(mistakes) > len(listed) else ""
        print_table(columns, rows, f"mistakes{more}", left=(2, 3, 4, 6))
    say("--format json has every decision, with the value of each option")


def _print_luck(found: Review, names: dict[int, str]) -> None:
    """Print the luck of each seat's cards, and its lead over the mean of all seats with and without luck."""
    rows: list[list[object]] = []
    leads = found.get("leads", [None] * len(found["luck"]))
    for seat, (luck, lead) in enumerate(zip(found["luck"], leads, strict=True)):
        if seat in names and luck is not None:
            even = [] if lead is None else [signed(lead[key], 1) for key in ("points", "even")]
            ends = [] if lead is None else [f"{signed(lead['low'], 1)} to {signed(lead['high'], 1)}"]
            rows.append([f"{seat} {names[seat]}", signed(luck, 1), *even, *ends])
    columns = ["player", "luck", "lead", "without luck", "95 %"]
    if rows:
        print_table(columns[: len(rows[0])], rows, "luck of the cards, and leads over the mean of all seats")


def _mistake_row(decision: ReviewedDecision, names: dict[int, str]) -> list[object]:
    values, best, win = decision["values"], decision["best"], decision["win"][decision["seat"]]
    return [
        decision["i"] + 1,
        decision["deal"] + 1,
        f"{decision['seat']} {names[decision['seat']]}",
        decision["request"],
        decision["done"],
        _number_text(values.get(decision["done"])),
        best or "",
        _number_text(values.get(best or "")),
        _number_text(decision["loss"]),
        _number_text(decision["se"]),
        "-" if win is None else f"{100 * win:.0f} %",
    ]


def _print_losses_table(rows: Mapping[str, LossByPhase]) -> None:
    from arbiter.replay.match_review import PHASES

    lines = [
        [
            name,
            of["decisions"],
            of["mistakes"],
            *map(_mean_loss_text, (of, *[of["phases"][phase] for phase in PHASES])),
        ]
        for name, of in rows.items()
    ]
    print_table(["player", "decisions", "mistakes", "mean loss", *PHASES], lines)


def _print_losses(losses: SeasonLosses, what: str) -> None:
    say(f"{what}, reviewed by {losses['by']}; mean losses in points of a deal, a decision")
    _print_losses_table({row["player"]: row for row in losses["players"]})


def _mean_loss_text(of: PhaseLoss) -> str:
    if of["mean_loss"] is None:
        return "-"
    spread = "" if of["se"] is None else f" ± {of['se']:.2f}"
    return f"{of['mean_loss']:.2f}{spread}"


def _number_text(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
