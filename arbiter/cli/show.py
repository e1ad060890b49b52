"""`show`: one match as text, its record, or a reader's view of it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbiter.cli.match_filter import ALL, MatchFilter, filter_options
from arbiter.cli.match_source import has_several, is_match_source, print_matches, read_match
from arbiter.cli.match_text import moves_before_fault, print_match
from arbiter.cli.open_season import load_match, read_state, seat_of
from arbiter.cli.options import config_argument, format_option_of, run_option, store_option
from arbiter.cli.output import print_json, say
from arbiter.contest.message_texts import id_of
from arbiter.errors import ConfigError
from arbiter.replay.visibility import Reader, replay_of
from arbiter.season.cost_budget import cost_of
from arbiter.season.order_effects import first_id, order_history, orders_until_replaced
from arbiter.season.program_digests import program_remarks
from arbiter.season.snapshot.rejudgings import run_counted, runs_played
from arbiter.season.substitutes import substitute_id
from arbiter.text import counted, money, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arbiter.games.game import Seat
    from arbiter.match.record import MatchRecord
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store import SeasonStore


@click.command()
@config_argument
@click.argument("match_id", required=False)
@store_option
@run_option
@format_option_of(
    "text",
    "json",
    "replay",
    text="Text, the whole record as JSON, or a reader's view as JSON.",
)
@click.option("--reader", help="With --format replay: public, seat:K or full.  [default: full]")
@filter_options
@click.option("--moves", is_flag=True, help="Show the time of each move, the slowest moves, and sums.")
@click.option("--prompts", is_flag=True, help="Show the prompts and answers of language models.")
@click.option(
    "--seat",
    "place",
    metavar="K",
    help="Show only what seat K, or this player, knew; with --moves or --prompts, only that seat.",
)
def show(
    config: str,
    match_id: str | None,
    store_url: str | None,
    run: int | None,
    style: str,
    reader: str | None,
    lost: str | None,
    forfeits: bool,
    moves: bool,
    prompts: bool,
    place: str | None,
) -> None:
    """Show one match: seats, moves, result and its reason.

    CONFIG may also be a file of matches (.json, .jsonl), as `play --record` and `--records` write them, a
    replay, or the address of a match on a site. MATCH_ID is then an id or a number; without it several
    matches are listed, with --lost and --forfeits some of them.

    Example: arbiter show configs/demo.yaml r001/t01/m0
    """
    if reader is not None and style != "replay":
        raise ConfigError(f"--reader needs --format replay, got {style}")
    if moves and style == "replay":
        raise ConfigError("--moves needs --format text or json")
    if prompts and (moves or style != "text"):
        raise ConfigError("--prompts cannot be combined with --moves or another --format; json has it all")
    if place is not None and style != "text" and not moves:
        raise ConfigError(f"--seat needs --format text; for JSON, use --format replay --reader seat:{place}")
    wanted = MatchFilter(lost, forfeits)
    if wanted != ALL and (match_id is not None or style != "text" or moves or prompts):
        raise ConfigError("--lost and --forfeits list matches as text: leave out the id and other options")
    found = None if is_match_source(config) else read_state(config, store_url)
    if wanted != ALL and found is not None:
        raise ConfigError(
            "--lost and --forfeits list a file's matches", hint=f"arbiter matches {config} has them, too"
        )
    if found is None:
        if store_url is not None:
            raise ConfigError("is no season: --store needs one", printable(config))
        if run is not None:
            raise ConfigError("--run needs a season's file", printable(config))
        if wanted != ALL or (
            match_id is None and style == "text" and not (moves or prompts) and has_several(config)
        ):
            print_matches(config, wanted)
            return
        record = read_match(config, match_id)
    else:
        if match_id is None:
            raise ConfigError("expected a match id after CONFIG", hint=f"arbiter matches {config} lists them")
        match_id = id_of(match_id)
        lost_questions = found.stored.outages.of(match_id) if prompts else []
        for part in lost_questions:
            for line in _prompt_lines(part["seat"], part["player"], part):
                say(line)
        if lost_questions and found.stored.match(match_id) is None:
            return
        record = load_match(found, match_id, run)
    seat = None if place is None else seat_of(place, record.players)
    if prompts:
        _print_prompts(record, seat)
        return
    if moves:
        if not record.bots:
            raise ConfigError("--moves needs a match record: a replay has no times of processes", config)
        from arbiter.cli.move_times import print_times
        from arbiter.replay.time_account import times_json

        if style == "json":
            print_json(times_json(record, seat))
        else:
            print_times(record, seat)
        return
    if style == "json":
        print_json(record.to_json())
        return
    if style == "replay":
        looking = Reader.parse(reader or "full", len(record.players))
        print_json(replay_of(record, looking, found is None or found.is_complete(record.round)))
        return
    if seat is not None:
        from arbiter.contest.submissions.match_log import seen_by

        for line in seen_by(record, seat):
            say(line)
        return
    if found is None:
        _print_alone(record, config)
    else:
        _print_stored(found, record, config, store_url, run)


def _print_alone(record: MatchRecord, source: str) -> None:
    """Print a match that no season's file is known of."""
    if (forfeit := record.forfeit) is None:
        print_match(record)
        return
    from arbiter.cli.rerun_command import replay_command

    but = f"a record has no commands: write that of {forfeit.player}; --seat names other bots, too"
    print_match(record, replay_command(record, source), [but])


def _print_stored(
    found: SeasonState, record: MatchRecord, config: str, store_url: str | None, run: int | None
) -> None:
    """Print a match of a season, of a `run` if given, with what changed since it was played."""
    season, runs, counts = found.stored, runs_played(found, record.id)[-1], run_counted(found, record.id)
    orders, run = season.orders.read().given, run or counts
    then = orders_until_replaced(orders, record.id, run)
    files = program_remarks(season.programs(), then, record, Path(config))
    about = (
        *([f"run {run} of {runs}; --run N shows another one"] if runs > 1 else []),
        *order_history(orders, record.id),
        *_substitute_lines(season, record),
        *_model_lines(found, record),
    )
    for text in (*files, *about):
        say(text)
    if record.forfeit is None or run != counts:
        # `console` plays the run that counts alone.
        print_match(record)
        return
    from arbiter.cli.rerun_command import settings_of_match, unavailable_players

    again = ["arbiter", "console", "--config", config, "--from", record.id]
    again += ["--store", store_url] if store_url else []
    gone = unavailable_players(record, settings_of_match(record, season), found.file.folder)
    but = [f"{why}; replace it with --seat {seat}=..." for seat, why in gone]
    print_match(record, shlex.join([*again, "--until", str(moves_before_fault(record))]), but)


def _model_lines(state: SeasonState, record: MatchRecord) -> Iterator[str]:
    """Yield the token usage and the cost of each language model."""
    uses = list(record.summary().uses())
    costs = [cost_of({name: use.billed}, state.file.prices) for name, use in uses]
    dearest = max((paid for paid in costs if paid is not None), default=0.0)
    for (name, use), paid in zip(uses, costs, strict=True):
        said = f"{name}: {use.input:,} tokens in, {use.output:,} out"
        said += "" if paid is None else f", {money(paid, dearest, state.file.currency)}"
        yield f"{said}; legal at the first try in {use.first_try} of {counted(use.decisions, 'decision')}"


def _substitute_lines(season: SeasonStore, record: MatchRecord) -> Iterator[str]:
    """Yield the substitute and the match it belongs to; for a forfeit, the match with a substitute."""
    seat, first = record.substitute, first_id(record.id)
    if seat is not None:
        name, before = record.players[seat], season.match(first)
        whom = f" for {before.players[seat]}" if before is not None else ""
        yield f"{name} is the substitute in seat {seat}{whom} after a fault in {first}, and gets no results"
        if before is not None and (before.forfeit is None or before.forfeit.seat != seat):
            yield f"{first} was replayed without that fault: this match does not count"
    elif record.forfeit is not None and (after := season.match(substitute_id(record.id))) is not None:
        seat = record.forfeit.seat
        if after.substitute == seat:
            whom = f"a substitute in seat {seat}, {after.players[seat]}"
            yield f"played once more for the others' results, with {whom} ({after.id})"


def _print_prompts(record: MatchRecord, seat: Seat | None) -> None:
    """Print the prompts and answers of a match's models, or of one seat; ConfigError without any."""
    kept = {
        place: bot.model
        for place, bot in enumerate(record.bots)
        if bot.model is not None and seat in (None, place)
    }
    if not kept:
        where = "in this match" if seat is None else f"in seat {seat}"
        raise ConfigError(f"{record.id}: no language model played {where}")
    for place, model in kept.items():
        for line in _prompt_lines(place, record.players[place], model):
            say(line)


def _prompt_lines(seat: Seat, player: str, model: Mapping[str, Any]) -> Iterator[str]:
    what = ", ".join(filter(None, [model["name"], model["date"], model["effort"]]))
    yield f"seat {seat}, {printable(player)}: {printable(what)}, harness {model['harness']}"
    answers = sum(call["outcome"] not in ("long", "outage") for call in model["calls"])
    yield f"{model['tokens']} of {model['match_tokens']} tokens in {answers} answers"
    for call in model["calls"]:
        reported = "none reported" if call["reported"] is None else f"{call['reported']} reported"
        cost = f"{call['tokens']} tokens ({reported}), {call['ms']} ms"
        yield f"\ndecision {call['decision']}: {call['outcome']}, {cost}"
        for said in ("lie", "tries"):
            if call.get(said):
                yield printable(f"  {said}: {call[said]}")
        if call["same"]:
            yield f"  {call['same']} message{'s' * (call['same'] != 1)} as before"
        for message in call["messages"]:
            yield f"  {message['role']}:"
            yield from _indented(message["content"])
        for name in ("thought", "text"):
            if call.get(name):
                yield f"  {'answer' if name == 'text' else 'reasoning'}:"
                yield from _indented(call[name])
    yield ""


def _indented(text: str) -> Iterator[str]:
    return (f"    {printable(line)}" for line in text.splitlines())
