"""`annul`, `suspend`, `reinstate`: an organiser's orders, also while the season is played."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.open_season import open_stored
from arbiter.cli.options import config_argument, format_option, store_option
from arbiter.cli.output import NO_CHANGE, change_rows, note, print_json, print_table, say
from arbiter.contest.message_texts import id_of, ids_in
from arbiter.errors import ConfigError, did_you_mean
from arbiter.match.spec import original
from arbiter.season import administration
from arbiter.season.administration import unknown_round
from arbiter.season.config.settings_diff import registered_name
from arbiter.season.order_effects import effective_orders, reruns_of
from arbiter.season.results import SeasonResults
from arbiter.store import OrderKind, Store
from arbiter.store.address import address_of
from arbiter.text import counted, first_few
from arbiter.trials.regression.experiment import STORE
from arbiter.trials.regression.program_identity import PREFIXES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arbiter.match.record import MatchSummary
    from arbiter.season.administration import OrderOutcome, SeasonWithOrders
    from arbiter.store import Order, Orders, RatedRound, SeasonStore

ENDED_STATES = {
    OrderKind.UNDO: "counted again",
    OrderKind.REPLAYED: "played again",
    OrderKind.RESTORED: "counted as first played",
}
"""The orders that end an annulment."""
MOST_QUESTIONS = 1000
"""The last questions in which `--undo` looks for its matches."""
because_option = click.option("--because", metavar="TEXT", help="The reason, which is public.")


@click.command()
@config_argument
@click.argument("matches", nargs=-1, metavar="[MATCH]...")
@click.option("--round", "round_number", type=click.IntRange(min=1), help="All matches of this round.")
@click.option("--player", help="All matches of this player; with --round those of the round.")
@because_option
@click.option("--replay", is_flag=True, help="Replay them, under the same ids, before the next round.")
@click.option("--list", "listing", is_flag=True, help="List the annulled matches.")
@click.option("--undo", is_flag=True, help="Let annulled matches count again.")
@store_option
@format_option
def annul(
    config: str,
    matches: tuple[str, ...],
    round_number: int | None,
    player: str | None,
    because: str | None,
    replay: bool,
    listing: bool,
    undo: bool,
    store_url: str | None,
    style: str,
) -> None:
    """Stop counting matches, or replay them.

    Annulled matches stay readable, but do not count in ratings. Planned rounds stay as they are. --undo lets
    matches count again, and takes a replay back if nothing was decided since; it needs no reason. The season
    may be running. CONFIG may also be the name of a regression test in the store, regress-...: it always
    replays annulled matches.

    Example: arbiter annul configs/demo.yaml r001/t01/m0 --because "power cut" --replay
    """
    chosen = bool(matches) + (round_number is not None or player is not None)
    if listing:
        if chosen or because is not None or replay or undo:
            raise ConfigError("--list takes no other option and no match")
        _print_annulled(_open_season(config, store_url).stored.orders.read().given, style)
        return
    if chosen != 1:
        raise ConfigError("expected match ids, or --round or --player")
    if undo and replay:
        raise ConfigError("--undo cannot be combined with --replay")
    if not undo and because is None:
        raise ConfigError("--because is missing: give the reason, which players can read")
    season = _open_season(config, store_url)
    ids = list(dict.fromkeys(map(id_of, matches))) or _select_matches(
        season, round_number, player, annulled=undo
    )
    if undo:
        given, what = administration.undo_annulment(season, ids, because or ""), "counted again"
    else:
        given = administration.annul(season, ids, because or "", replay)
        what = "to be replayed" if replay else "annulled"
    text = f"{what}: {counted(len(ids), 'match')}, {first_few(ids)}"
    if undo:
        for one in season.stored.clarifications.last(MOST_QUESTIONS):
            if one.public and not set(ids).isdisjoint(ids_in(f"{one.text} {one.answer}")):
                note(f"the public answer to question {one.number} names such a match: is it still right?")
    replays = config if replay and isinstance(season, SeasonResults) else ""
    _print_order(season, given, text, style, replays, of_matches=True)


@click.command()
@config_argument
@click.argument("player")
@because_option
@store_option
@format_option
def suspend(config: str, player: str, because: str | None, store_url: str | None, style: str) -> None:
    """Suspend a player from the next round on.

    The player is suspended with all its versions until it is reinstated.

    Example: arbiter suspend configs/demo.yaml greedy --because "it reads the files of others"
    """
    if because is None:
        raise ConfigError("--because is missing: give the reason, which players can read")
    season = SeasonResults(*open_stored(config, store_url))
    given = administration.suspend(season, player, because)
    _print_order(season, given, f"{given.subjects[0]} is suspended from the next round on", style)
    try:
        season.check_enough_players()
    except ConfigError as error:
        note(f"no further round can be planned: {error.problems[0].text()}")


@click.command()
@config_argument
@click.argument("player")
@because_option
@store_option
@format_option
def reinstate(config: str, player: str, because: str | None, store_url: str | None, style: str) -> None:
    """End a player's suspension.

    It plays again from the next round on; its earlier faults no longer count towards a suspension.

    Example: arbiter reinstate configs/demo.yaml greedy
    """
    season = SeasonResults(*open_stored(config, store_url))
    given = administration.reinstate(season, player, because or "")
    _print_order(season, given, f"{given.subjects[0]} plays again from the next round on", style)


def _open_season(config: str, store_url: str | None) -> SeasonWithOrders:
    """Open the season of a file, or the regression test of a name."""
    if config.startswith(PREFIXES) and not Path(config).exists():
        store = Store(address_of(store_url or STORE), create=False)
        stored = store.season(config)
        if stored is None:
            raise ConfigError(f"no test {config} in {store.name}", hint="--store names another store")
        return _Test(stored)
    return SeasonResults(*open_stored(config, store_url))


@dataclass(slots=True)
class _Test:
    """A regression test, which has no rounds and no standings."""

    stored: SeasonStore

    def rated_under(
        self, number: int, orders: Orders, instead: Mapping[str, MatchSummary] | None = None
    ) -> RatedRound:
        """Raise NotImplementedError: tests have no ratings."""
        raise NotImplementedError


def _select_matches(
    season: SeasonWithOrders, round_number: int | None, player: str | None, annulled: bool
) -> list[str]:
    """Load the ids of matches, of all rounds and players unless given; ConfigError without any.

    Only annulled matches if `annulled`, else only others.
    """
    found = season.stored.summaries()
    # A regression test has blocks instead of rounds.
    last = max([len(season.stored.rounds()), *(match.round or 0 for match in found)])
    if round_number is not None and round_number > last:
        raise unknown_round(round_number, last)
    out = effective_orders(season.stored.orders.read().given).annulled
    playing = {registered for match in found for _, registered in _names(match)}
    if player is not None and registered_name(player) not in playing:
        entries = season.config.entries if isinstance(season, SeasonResults) else ()
        if any(player in (entry.player.name, entry.registered_name) for entry in entries):
            raise ConfigError(f"{player} has no match")
        raise ConfigError(f"no player {player!r}", hint=did_you_mean(player, sorted(playing)))
    chosen = [
        match.id
        for match in found
        if (round_number is None or match.round == round_number)
        and (player is None or any(player in names for names in _names(match)))
    ]
    ids = [match_id for match_id in chosen if (match_id in out) is annulled]
    if not chosen:
        who = "no matches" if player is None else f"{player} has no match"
        raise ConfigError(who if round_number is None else f"{who} in round {round_number} yet")
    if not ids:
        what = "counts" if annulled else "is annulled already"
        raise ConfigError(f"each of these {counted(len(chosen), 'match')} {what}")
    return ids


def _names(match: MatchSummary) -> list[tuple[str, str]]:
    """Return the players of a match, each as (rated name, registered name)."""
    return [(name, registered_name(name)) for name in map(original, match.players)]


def _print_order(
    season: SeasonWithOrders,
    given: OrderOutcome,
    text: str,
    style: str,
    replays: str = "",
    of_matches: bool = False,
) -> None:
    """Print an order, how it changes the standings, and who plays the season now.

    `replays` is the season's file if matches wait for their replay, else ""; an order `of_matches` that
    changes no standings prints that.
    """
    moved = list(administration.rank_changes(given))
    if style == "json":
        print_json({"subjects": list(given.subjects), "standings": moved})
    else:
        say(text)
        if rows := change_rows(moved):
            print_table(["player", "rank", "Elo", "points"], rows)
        elif of_matches and given.before is not None:
            say(NO_CHANGE)
    holder = season.stored.holder()
    if holder is not None:
        note(f"{holder} plays the season; the order applies before it plans or rates a round")
    elif replays:
        note(f"arbiter run-round {replays} --replays-only replays them now, without the next round")


def _print_annulled(orders: tuple[Order, ...], style: str) -> None:
    found: list[dict[str, Any]] = []
    last: dict[str, dict[str, Any]] = {}
    for order in orders:
        if order.verb in (OrderKind.ANNUL, OrderKind.REPLAY):
            state = "annulled" if order.verb is OrderKind.ANNUL else "to be played again"
            last[order.subject] = {
                "match": order.subject,
                "state": state,
                "since": order.moment,
                "because": order.because,
                "until": None,
            }
            found.append(last[order.subject])
        elif order.verb in ENDED_STATES:
            state = ENDED_STATES[order.verb]
            last[order.subject].update(state=state, until=order.moment)
            if order.because:
                last[order.subject]["undone_because"] = order.because
    annulled, reruns = effective_orders(orders).annulled, reruns_of(orders)
    for name, row in last.items():
        run = reruns[name][-1].counts if name in reruns else 1
        row["counts_now"] = None if name in annulled else f"run {run}"
    if style == "json":
        print_json(found)
    elif found:
        columns = ["match", "state", "since", "because", "undone_because", "counts_now"]
        columns = [name for name in columns if any(row.get(name) for row in found)]
        rows = [[row.get(name) or "" for name in columns] for row in found]
        print_table([name.replace("_", " ") for name in columns], rows, left=range(len(columns)))
    else:
        say("no match was annulled")
