"""The findings of a verification: a stored match compared with its plan, and standings with recomputed ones.

A match is compared in place, deals, moves, points, results and charges; each difference is one line of text
without the match's id.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from arbiter.errors import ConfigError
from arbiter.match.position import planned_deals
from arbiter.match.record import Fault, rounded_to_us
from arbiter.match.rerun import replay
from arbiter.replay.export import OUTCOMES, results
from arbiter.table.llm.replayed_model import model_differences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.games.game import AnyGame
    from arbiter.match.clock import TimeControl
    from arbiter.match.record import MatchRecord
    from arbiter.match.spec import MatchSpec


TOLERANCE = 1e-6
"""Elo by which a recomputed rating may differ: the last bits depend on the machine."""
LATER = frozenset({"by_order", "favours", "plays_on", "scored", "suspended", "wins_by_fault"})
"""Keys missing in standings of earlier versions."""


class FindingKind(StrEnum):
    DIFFERENCE = "difference"
    UNREADABLE = "unreadable"
    UNCHECKED = "unchecked"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference, remark, or thing that cannot be checked; `place` is a match, a round or the season."""

    place: str
    text: str
    kind: FindingKind = FindingKind.DIFFERENCE

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


@dataclass(slots=True)
class Coverage:
    """The numbers of checked things."""

    rounds: int = 0
    complete: int = 0
    matches: int = 0
    moves: int = 0
    forfeits: int = 0
    annulled: int = 0
    replayed: int = 0
    commitment: bool = False


def by_player(standings: dict[str, Any]) -> dict[str, Any]:
    """Return standings with their rows by player, so that a difference names the player."""
    return {**standings, "players": {row["player"]: row for row in standings["players"]}}


def without_idle_players(standings: dict[str, Any]) -> dict[str, Any]:
    """Return standings without players who have no matches, and without warnings and `plays_on`."""
    rows = [row for row in standings["players"] if row["matches"]]
    return {**standings, "players": rows, "warnings": [], "plays_on": []}


def json_differences(path: str, stored: Any, fresh: Any) -> Iterator[str]:
    """Yield every place where two JSON values differ; numbers by more than the tolerance."""
    if isinstance(stored, dict) and isinstance(fresh, dict):
        for key in dict.fromkeys([*fresh, *stored]):
            if key not in stored and key in LATER:
                continue
            if key not in stored or key not in fresh:
                yield f"{path}: {key}: {'surplus' if key in stored else 'missing'}"
            else:
                yield from json_differences(f"{path}: {key}", stored[key], fresh[key])
    elif isinstance(stored, int | float) and isinstance(fresh, int | float):
        # Written so that NaN differs from everything.
        if not abs(stored - fresh) <= TOLERANCE:
            yield f"{path}: stored {stored!r}, recomputed {fresh!r}"
    elif stored != fresh:
        yield f"{path}: stored {shown(stored)}, recomputed {shown(fresh)}"


SHOWN = 300
"""Characters of a value that are shown."""
ROUNDING_NS = 1000
"""Stored times are whole microseconds."""


def shown(value: Any) -> str:
    """Return a value as JSON on one line, without the quotes of a text, cut if long."""
    text = json.dumps(value)
    if isinstance(value, str):
        text = text[1:-1]
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def match_differences(
    game: AnyGame, spec: MatchSpec, record: MatchRecord, same_config: bool
) -> Iterator[str]:
    """Yield every difference between a record and the replay of its moves under `spec` and `game`.

    Models are replayed from their stored answers. `same_config` is True when the match was played under the
    limits and models of `spec`; then delivery, kind of clock, times and models are compared.
    """
    yield from _identity(game, spec, record, same_config)
    dealt, differences = _game_with_deals(game, spec, record)
    yield from differences
    control = spec.limits.time if same_config else None
    starting = False
    if dealt is not None:
        again = replay(dealt, spec, record)
        starting = again.starting
        if again.record is None:
            yield again.problem
        else:
            yield from _play(record, again.record, dealt is game, again.judged)
    yield from _charge_problems(record, control, starting)
    entries = [player.model for player in spec.players] if same_config else ()
    yield from model_differences(game, record, entries)


def _identity(game: AnyGame, spec: MatchSpec, record: MatchRecord, same_config: bool) -> Iterator[str]:
    """Yield differences in the match's identity, players and game; with `same_config` also in its limits."""
    planned = {
        "id": spec.id,
        "season": spec.season,
        "round": spec.round,
        "table": spec.table,
        "rotation": spec.rotation,
        "game": game.name,
        "options": _as_json_value(game.options),
        "seed": spec.seed,
        "players": tuple(player.name for player in spec.players),
        "sides": game.sides,
        "substitute": spec.substitute,
    }
    if same_config:
        planned |= {"delivery": spec.limits.delivery, "clock": spec.limits.clock}
    for name, value in planned.items():
        if (stored := getattr(record, name)) != value:
            if name == "seed":
                yield "seed: the record's is not the season's"
            else:
                yield f"{name}: stored {shown(stored)}, planned {shown(value)}"
    if [bot.player for bot in record.bots] != list(record.players):
        yield f"bots: stored of {shown([bot.player for bot in record.bots])}"


def _game_with_deals(game: AnyGame, spec: MatchSpec, record: MatchRecord) -> tuple[AnyGame | None, list[str]]:
    """Return a game that deals the recorded cards, None if impossible, and differences from the plan.

    Play is checked against the recorded cards, even if these are wrong. Of a chained game, whose deals follow
    from the play, only the hash is compared here, and `game` is returned: the replay deals.
    """
    planned = planned_deals(game, spec.seed, spec.round or 1)
    differences = []
    if record.deal_hash != planned.hash:
        differences.append(f"deal_hash: stored {shown(record.deal_hash)}, dealt {planned.hash}")
    if game.chained:
        return game, differences
    shapes = _as_json_value(planned.shapes)
    different = [
        number for number, deal in enumerate(record.deals) if number >= len(shapes) or deal != shapes[number]
    ]
    if not different:
        return game, differences
    first = different[0]
    fresh = shapes[first] if first < len(shapes) else None
    differences.append(
        f"deals: {len(different)} of {len(record.deals)} are not the seed's; deal {first + 1}:"
        f" stored {shown(record.deals[first])}, dealt {shown(fresh)}"
    )
    try:
        return game.given([game.deal_from_json(shape) for shape in record.deals]), differences
    except ConfigError as error:
        return None, [*differences, f"deals: they cannot be played: {error}"]


def _play(record: MatchRecord, again: MatchRecord, own_deals: bool, judged: bool) -> Iterator[str]:
    """Yield differences between the record and its replay; of the deals only with `own_deals`.

    Of a fault only seat, player and kind are compared, unless it was `judged` again.
    """
    if own_deals and list(record.deals) != (fresh := _as_json_value(again.deals)):
        yield f"deals: stored {len(record.deals)}, replayed {len(fresh)}, or others"
    for number, (stored, move) in enumerate(zip(record.moves, again.moves, strict=True), 1):
        if stored.deal != move.deal or stored.action != move.action:
            yield (
                f"move {number}: stored {stored.action} in deal {stored.deal},"
                f" replayed {move.action} in deal {move.deal}"
            )
    if record.points != again.points:
        yield f"points: stored {shown(record.points)}, replayed {shown(again.points)}"
    if record.scores is not None and record.scores != again.scores:
        yield f"scores: stored {shown(record.scores)}, replayed {shown(again.scores)}"
    kept, fresh = record.forfeit, again.forfeit
    if kept is not None and fresh is not None:
        if kept.reason == f"{kept.answer_word}: {fresh.reason}":
            # Earlier versions wrote the word twice.
            kept = replace(kept, reason=fresh.reason)
        names = ("seat", "player", "fault", *(("detail",) if judged else ()))
        for name in names:
            if getattr(kept, name) != getattr(fresh, name):
                old, new = shown(getattr(kept, name)), shown(getattr(fresh, name))
                yield f"forfeit: {name}: stored {old}, replayed {new}"
    if record.points is None or len(record.points) == len(record.players):
        yield from _result_differences(record, again)


def _result_differences(record: MatchRecord, again: MatchRecord) -> Iterator[str]:
    """Yield each pair of players whose result in the record is not that of the replay."""
    stored, replayed = (
        {(white, black): OUTCOMES[score] for white, black, score in results(match)}
        for match in (record, again)
    )
    for pair in sorted({*stored, *replayed}):
        if stored.get(pair) != replayed.get(pair):
            white, black = (record.players[seat] for seat in pair)
            old, new = stored.get(pair, "none"), replayed.get(pair, "none")
            yield f"result {white} - {black}: stored {old}, replayed {new}"


def _charge_problems(record: MatchRecord, control: TimeControl | None, starting: bool) -> Iterator[str]:
    """Yield inconsistent charges of a seat's moves, total and time left; `control` is None if unknown.

    `starting`: the fault came at a bot's start, which is not on the clock.
    """
    seats = len(record.players)
    used, answered = [0] * seats, [0] * seats
    wrong: dict[int, str] = {}
    for number, move in enumerate(record.moves, 1):
        seat = move.seat
        used[seat] += move.charged_ns
        answered[seat] += 1
        if move.charged_ns < 0:
            wrong.setdefault(seat, f"move {number}: charged_ns: stored {move.charged_ns}")
        if control is not None:
            left = control.left_ns(answered[seat], used[seat])
            if abs(move.left_ns - left) > ROUNDING_NS:
                text = f"move {number}: left_ns: stored {move.left_ns}, by what was charged {left}"
                wrong.setdefault(seat, text)
    for seat, bot in enumerate(record.bots[:seats]):
        if used[seat] > bot.charged_ns:
            text = f"charged_ns of seat {seat}: stored {bot.charged_ns}, its moves alone have {used[seat]}"
            wrong.setdefault(seat, text)
    yield from (wrong[seat] for seat in sorted(wrong))
    forfeit = record.forfeit
    if forfeit is None or forfeit.fault is not Fault.TIMEOUT or starting or control is None:
        return
    # Under the clock `cpu` a sleeping bot is charged nothing.
    if control.match_ns is None or record.clock == "cpu" or forfeit.seat >= len(record.bots):
        return
    charged = record.bots[forfeit.seat].charged_ns
    granted = rounded_to_us(control.granted_ns(answered[forfeit.seat]))
    if charged < granted:
        yield f"forfeit: timeout, but seat {forfeit.seat} was charged {charged} ns of {granted}"


def _as_json_value(value: Any) -> Any:
    """Return a value as JSON reads it back: lists for tuples."""
    return json.loads(json.dumps(value))
