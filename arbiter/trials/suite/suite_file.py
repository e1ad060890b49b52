"""Read a suite's file: one bot, one game, named checks; report all problems with their places."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StrictInt

from arbiter.errors import ConfigError, Problem, StoreError
from arbiter.match.clock import TimeControl
from arbiter.match.record import MatchRecord
from arbiter.season.config.keys import StrictModel, TableModel, Version
from arbiter.season.config.programs import player_of, problems_of_version, with_shipped_bot
from arbiter.season.config.validation import entries, validate
from arbiter.season.config.value_types import Seed, Time, Word
from arbiter.season.config.yaml_positions import read_document
from arbiter.trials.regression.program_identity import BASE, CANDIDATE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.games.game import AnyGame
    from arbiter.match.spec import Limits, Player

Kind = Literal["check-bot", "beats", "no-faults", "replays"]
KEYS: dict[str, tuple[set[str], set[str]]] = {
    "check-bot": (set(), set()),
    "beats": ({"opponent", "at_least"}, {"blocks", "time"}),
    "no-faults": (set(), {"opponent", "blocks", "time"}),
    "replays": ({"record"}, {"seat"}),
}
"""Required and optional keys of a check, besides `check` and `name`."""
BLOCKS = {"beats": 10, "no-faults": 4}
"""Default number of blocks."""


class CheckModel(StrictModel):
    """One entry of ``checks``."""

    check: Kind
    name: Word | None = None
    opponent: Version | None = None
    at_least: Annotated[float, Field(gt=0, le=100, strict=True)] | None = None
    blocks: Annotated[StrictInt, Field(gt=0)] | None = None
    time: Time | None = None
    record: Word | None = None
    seat: Annotated[StrictInt, Field(ge=0)] = 0


class SuiteModel(TableModel):
    """The file as written."""

    bot: Version | None = None
    game: str | dict[str, Any]
    seed: Seed = "suite"
    workers: Literal["auto"] | Annotated[StrictInt, Field(gt=0)] = "auto"
    checks: Annotated[list[CheckModel], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class SuiteCheck:
    """One check. `opponent` is None if the bot meets itself; `at_least` is from 0 to 1."""

    kind: Kind
    name: str
    limits: Limits
    opponent: Player | None = None
    at_least: float = 0.0
    blocks: int = 0
    record: MatchRecord | None = None
    seat: int = 0


@dataclass(frozen=True, slots=True)
class Suite:
    """A checked suite; `isolation` of its limits is as written."""

    bot: Player
    game: AnyGame
    seed: str
    limits: Limits
    workers: int | None
    checks: tuple[SuiteCheck, ...]


def load_suite(path: str, bot: Player | None = None) -> Suite:
    """Read and check a suite's file, with `bot` in place of its own; ConfigError lists every problem."""
    file = Path(path)
    reading = validate(read_document(file), SuiteModel)
    limits = None
    own = None if reading.model is None else reading.model.bot
    if own is not None and reading.game is not None:
        own = with_shipped_bot(own, reading.game.name)
    if reading.model is not None:
        limits = reading.model.limits()
        if bot is None and own is None:
            reading.problems.append(Problem(("bot",), "is missing", "name the bot here or with --bot"))
        elif bot is None and own is not None:
            reading.problems += problems_of_version(own, file.parent, ("bot",))
    checks: list[SuiteCheck] = []
    names: set[str] = set()
    for number, entry in entries(reading.document, "checks", CheckModel):
        at = ("checks", number)
        name = entry.name or _default_name(entry)
        if entry.opponent is not None and reading.game is not None:
            opponent = with_shipped_bot(entry.opponent, reading.game.name)
            entry = entry.model_copy(update={"opponent": opponent})
        found = list(_problems_of_check(entry, file.parent, at))
        if name in names:
            found.append(Problem(at, f"{name!r} is the name of an earlier check", "choose another name"))
        names.add(name)
        record = None
        try:
            if entry.record is not None and entry.check == "replays" and reading.game is not None:
                record = _read_record(file.parent / entry.record, reading.game, entry.seat)
        except ConfigError as error:
            found.append(Problem((*at, "record"), str(error)))
        reading.problems += found
        if not found and limits is not None:
            checks.append(_make_check(entry, name, limits, record, file.parent))
    model, game = reading.settled(path)
    if bot is None:
        assert own is not None
        bot = player_of(CANDIDATE, own, file.parent)
    return Suite(
        bot=replace(bot, name=CANDIDATE),
        game=game,
        seed=str(model.seed),
        limits=model.limits(),
        workers=None if model.workers == "auto" else model.workers,
        checks=tuple(checks),
    )


def _problems_of_check(entry: CheckModel, folder: Path, at: tuple[str | int, ...]) -> Iterator[Problem]:
    """Yield the missing and unknown keys of a check, and its opponent's problems."""
    required, allowed = KEYS[entry.check]
    given = entry.model_fields_set - {"check", "name"}
    for key in sorted(required - given):
        yield Problem((*at, "check"), f"{entry.check} needs {key}")
    for key in sorted(given - required - allowed):
        known = ", ".join(sorted(required | allowed)) or "no keys"
        yield Problem((*at, key), f"is not a key of {entry.check}", f"it takes {known}")
    if entry.opponent is not None:
        yield from problems_of_version(entry.opponent, folder, (*at, "opponent"))


def _make_check(
    entry: CheckModel, name: str, limits: Limits, record: MatchRecord | None, folder: Path
) -> SuiteCheck:
    """Return the check of an entry; `at_least` is a share, commands are relative to `folder`."""
    if entry.time is not None:
        limits = replace(limits, time=TimeControl.parse(entry.time))
    return SuiteCheck(
        kind=entry.check,
        name=name,
        limits=limits,
        opponent=None if entry.opponent is None else player_of(BASE, entry.opponent, folder),
        at_least=(entry.at_least or 0.0) / 100.0,
        blocks=entry.blocks or BLOCKS.get(entry.check, 0),
        record=record,
        seat=entry.seat,
    )


def _default_name(entry: CheckModel) -> str:
    """Return a check's name from its kind and its opponent, time or record."""
    if entry.check == "beats":
        words = entry.opponent.command if entry.opponent is not None else []
        return f"beats {' '.join(Path(word).name for word in words)}"
    if entry.check == "no-faults":
        return "no faults" + (f" in {entry.time}" if entry.time else "")
    return "check-bot" if entry.check == "check-bot" else f"plays as in {entry.record}"


def _read_record(path: Path, game: AnyGame, seat: int) -> MatchRecord:
    """Read the record of a match of this game; ConfigError for other files, or without such a seat."""
    try:
        record = MatchRecord.from_json(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigError(f"{path.name} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError, StoreError, AttributeError):
        raise ConfigError(f"{path.name} is not a match record as `arbiter play --record` writes it") from None
    if record.game != game.name:
        raise ConfigError(f"{path.name}: expected a match of {game.name}, got one of {record.game}")
    if seat >= len(record.players):
        raise ConfigError(f"{path.name} has no seat {seat}: its seats are 0 to {len(record.players) - 1}")
    return record
