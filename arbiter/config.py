"""A season's YAML file as typed values; every mistake at once, with file:line:column and a hint."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from arbiter.clock import MS, TimeControl, parse_duration
from arbiter.errors import ConfigError, Problem, did_you_mean
from arbiter.games import make
from arbiter.match import Limits, Player
from arbiter.players import command_problems, registered, starting_problems
from arbiter.yaml_places import Document, read_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arbiter.rules import AnyGame

MEMORY = re.compile(r"(\d+)\s*(KB|MB|GB)?", re.IGNORECASE)
MEMORY_UNITS = {None: 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
LEAST_MEMORY = 10 * 10**6
LONGEST_NAME = 64
MOST_MEMORY = 10**15
Pairing: TypeAlias = Literal["variance", "variance-sequential", "a-optimal", "d-optimal", "swiss", "random"]
GUESSABLE_BITS = 128


def _checked(check: Callable[[str], object], kind: str) -> AfterValidator:
    """A pydantic validator from one of our parsers, keeping its message and hint."""

    def validate(value: str) -> str:
        try:
            check(value)
        except ConfigError as error:
            problem = error.problems[0]
            context = {"text": problem.message, "hint": problem.hint}
            raise PydanticCustomError(kind, "{text}", context) from None
        return value

    return AfterValidator(validate)


def parse_memory(text: str) -> int:
    """Bytes of ``400MB``; MB is 10^6 bytes."""
    found = MEMORY.fullmatch(text.strip())
    amount = int(found[1]) * MEMORY_UNITS[found[2] and found[2].upper()] if found else 0
    if not found or not LEAST_MEMORY <= amount <= MOST_MEMORY:
        hint = "write 400MB; at least 10MB, at most 1000000GB"
        raise ConfigError(f"not an amount of memory: {text!r}", hint=hint)
    return amount


def parse_start(text: str) -> int:
    """Nanoseconds that a program may take to start; at least a millisecond."""
    ns = parse_duration(text)
    if ns < MS:
        raise ConfigError(f"too short to start a program: {text!r}", hint="write 5s, or clock")
    return ns


def _check_name(text: str) -> None:
    fits = 0 < len(text) <= LONGEST_NAME and text == text.strip() and text.isprintable()
    if not fits or any(mark in text for mark in '#@"'):
        raise ConfigError(f"not a name: {text!r}", hint="up to 64 characters without #, @ or quotes")


def _check_store(text: str) -> None:
    if "://" not in text:
        raise ConfigError(f"not a store: {text!r}", hint=f"write sqlite:///{text}")


def _check_seed(text: str) -> None:
    if not text.isprintable():
        raise ConfigError(f"not a seed: {text!r}", hint="printable characters only")


Word = Annotated[str, Field(min_length=1)]
Name = Annotated[str, _checked(_check_name, "name")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PlayerModel(_Strict):
    """One entry of ``players``."""

    name: Name
    command: Annotated[list[Word], Field(min_length=1)]
    env: dict[str, str | StrictInt] = {}
    version: Name | StrictInt | None = None
    house: StrictBool = False
    batched: StrictBool = False

    def variables(self) -> dict[str, str]:
        """`env` as text."""
        return {key: str(value) for key, value in self.env.items()}


class SeasonModel(_Strict):
    """The file as written: names, types and ranges; defaults as documented."""

    season: Name | None = None
    game: str | dict[str, Any]
    seed: Annotated[str, _checked(_check_seed, "seed")] | StrictInt = "auto"
    store: Annotated[str, _checked(_check_store, "store")] | None = None
    rounds: Annotated[StrictInt, Field(gt=0)] = 100
    opening_rounds: Annotated[StrictInt, Field(ge=0)] = 12
    pairing: Literal["variance", "variance-sequential", "a-optimal", "d-optimal", "swiss", "random"] = (
        "variance"
    )
    time: Annotated[str, _checked(TimeControl.parse, "time")] = "10s"
    start_time: Annotated[str, _checked(lambda text: text == "clock" or parse_start(text), "time")] = "5s"
    memory: Annotated[str, _checked(parse_memory, "memory")] = "400MB"
    clock: Literal["adjusted", "wall", "cpu"] = "adjusted"
    delivery: Literal["strict", "batched"] = "strict"
    isolation: Literal["auto", "landlock", "bwrap", "plain"] = "auto"
    require_isolation: StrictBool = False
    workers: Literal["auto"] | Annotated[StrictInt, Field(gt=0)] = "auto"
    end: Literal["kill", "quit"] = "kill"
    house_bots: list[Word] = []
    players: Annotated[list[PlayerModel], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Entry:
    """A player as registered; `house` keeps it out of tables that it does not fill up."""

    player: Player
    house: bool
    registered_name: str


@dataclass(frozen=True, slots=True)
class Config:
    """A checked season. `seed` is "auto" or the seed's text; `digest` covers what changes results."""

    file: Path
    season: str
    game: AnyGame
    seed: str
    store: str
    rounds: int
    opening_rounds: int
    pairing: Pairing
    limits: Limits
    require_isolation: bool
    workers: int | None
    house_bots: tuple[str, ...]
    entries: tuple[Entry, ...]
    digest: str
    warnings: tuple[str, ...] = ()


def load(path: str | Path, check_commands: bool = False) -> Config:
    """Read and check a season's file; ConfigError with everything that is wrong with it.

    `check_commands` also refuses players whose program or named file is missing.
    """
    file = Path(path)
    document = read_document(file)
    problems = list(document.problems)
    model: SeasonModel | None = None
    try:
        model = SeasonModel.model_validate(document.value)
    except ValidationError as error:
        problems += [p for p in _problems_of(error) if p.path not in document.unread]
    game = None
    if isinstance(document.value, dict) and "game" in document.value:
        try:
            game = _game_of(document.value["game"])
        except ConfigError as error:
            problems += error.problems
    problems += _cross_checks(document.value, game)
    if model is not None:
        problems += _starting_problems(model)
        if check_commands:
            problems += _command_problems(model, file.parent)
    if problems or model is None or game is None:
        raise ConfigError(_placed(problems, document), str(path))
    return _config(file, model, game)


def _game_of(value: object) -> AnyGame:
    """The game that the ``game`` key describes; paths of problems start at ``game``."""
    options: dict[str, Any] = dict(value) if isinstance(value, dict) else {}
    name = options.pop("name", None) if isinstance(value, dict) else value
    if not isinstance(name, str):
        raise ConfigError([Problem(("game",), "names no game", "write game: planning")])
    try:
        return make(name, options)
    except ConfigError as error:
        raise ConfigError(
            [replace(problem, path=("game", *problem.path)) for problem in error.problems]
        ) from None


def _problems_of(error: ValidationError) -> Iterable[Problem]:
    """Pydantic's errors in our words; the branches of a union make one problem."""
    by_path: dict[tuple[str | int, ...], list[Problem]] = {}
    for item in error.errors():
        problem = _problem_of(item)
        by_path.setdefault(problem.path, []).append(problem)
    for path, found in by_path.items():
        yield Problem(path, ", or ".join(problem.message for problem in found), found[0].hint)


def _problem_of(error: Mapping[str, Any]) -> Problem:
    # Names of union members are in pydantic's paths, but not in the file.
    path = tuple(key for key in error["loc"] if not _is_branch(key))
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        model = PlayerModel if path[:1] == ("players",) else SeasonModel
        return Problem(path, "unknown key", did_you_mean(str(path[-1]), model.model_fields))
    if kind == "missing":
        return Problem(path, "is required")
    if kind == "literal_error":
        known = re.findall(r"'([^']*)'", context["expected"])
        return Problem(path, f"{error['input']!r} is not known", did_you_mean(str(error["input"]), known))
    message = error["msg"].replace("Input should be", "should be")
    message = message.replace("List should have at least 1 item after validation, not 0", "is empty")
    return Problem(path, message, context.get("hint", ""))


def _is_branch(key: object) -> bool:
    return isinstance(key, str) and (
        key in {"str", "int", "constrained-int", "constrained-str"}
        or key.startswith(("literal[", "dict[", "function-"))
    )


def _placed(problems: Iterable[Problem], document: Document) -> list[Problem]:
    """Problems with the line and column of the key or value they are about, in file order."""
    placed = []
    for problem in problems:
        line, column = (problem.line, problem.column) if problem.line else document.place(problem.path)
        placed.append(replace(problem, line=line, column=column))
    return sorted(placed, key=lambda problem: (problem.line, problem.column))


def _cross_checks(value: Mapping[str, Any], game: AnyGame | None) -> Iterable[Problem]:
    """What no single key shows; works on the file as read, so that all mistakes come at once."""
    entries = value.get("players")
    players = [p if isinstance(p, dict) else {} for p in entries] if isinstance(entries, list) else []
    seen: dict[str, int] = {}
    for number, player in enumerate(players):
        name = player.get("name")
        if isinstance(name, str) and seen.setdefault(name, number) != number:
            yield Problem(("players", number, "name"), f"{name!r} is taken by an earlier player")
    house_bots = value.get("house_bots")
    named = house_bots if isinstance(house_bots, list) else []
    for number, name in enumerate(named):
        if isinstance(name, str) and name not in seen:
            hint = did_you_mean(name, seen)
            yield Problem(("house_bots", number), f"{name!r} does not stand in players", hint)
        if name in named[:number]:
            yield Problem(("house_bots", number), f"{name!r} is named twice")
    ordinary = sum(not player.get("house") for player in players)
    if players and ordinary == 0:
        yield Problem(("players",), "all of them are house bots")
    elif game is not None and -ordinary % game.seats and not named:
        hint = "name a player in house_bots to fill up"
        yield Problem(("players",), f"{ordinary} players do not fill tables of {game.seats}", hint)


def _command_problems(model: SeasonModel, folder: Path) -> Iterable[Problem]:
    for number, player in enumerate(model.players):
        for word, message in command_problems(player.command, folder):
            yield Problem(("players", number, "command", word), f"{player.name}: {message}")


def _starting_problems(model: SeasonModel) -> Iterable[Problem]:
    for number, player in enumerate(model.players):
        for message in starting_problems(player.command, player.variables()):
            yield Problem(("players", number), f"{player.name}: {message}")


def _config(file: Path, model: SeasonModel, game: AnyGame) -> Config:
    folder = file.parent
    entries = []
    for player in model.players:
        name = player.name if player.version is None else f"{player.name}@{player.version}"
        made = registered(name, player.command, folder, player.variables(), player.batched)
        entries.append(Entry(made, player.house, player.name))
    seed = str(model.seed)
    warnings = []
    if seed != "auto" and len(seed.encode()) * 8 < GUESSABLE_BITS:
        warnings.append(
            "a short seed: bots can guess it from their own cards, and then know all deals"
            " (seed: auto draws one that they cannot)"
        )
    start = None if model.start_time == "clock" else parse_start(model.start_time)
    return Config(
        file=file,
        season=model.season or file.stem,
        game=game,
        seed=seed,
        store=_store_url(model.store or f"sqlite:///{file.stem}.sqlite", folder),
        rounds=model.rounds,
        opening_rounds=model.opening_rounds,
        pairing=model.pairing,
        limits=Limits(
            time=TimeControl.parse(model.time),
            start_ns=start,
            memory_bytes=parse_memory(model.memory),
            clock=model.clock,
            delivery=model.delivery,
            isolation=model.isolation,
            end=model.end,
        ),
        require_isolation=model.require_isolation,
        workers=None if model.workers == "auto" else model.workers,
        house_bots=tuple(model.house_bots),
        entries=tuple(entries),
        digest=_digest(model, game),
        warnings=tuple(warnings),
    )


def _digest(model: SeasonModel, game: AnyGame) -> str:
    """SHA-256 of everything that changes results; rounds, workers and store may change freely."""
    free = {"season", "rounds", "workers", "store", "game"}
    covered = model.model_dump(mode="json", exclude=free)
    covered["game"] = {"name": game.name, **game.options}
    return sha256(json.dumps(covered, sort_keys=True).encode()).hexdigest()


def _store_url(url: str, folder: Path) -> str:
    """The store's address with a relative SQLite path taken from the config's folder."""
    prefix, mark, path = url.partition("sqlite:///")
    if not prefix and mark and path and path != ":memory:" and not path.startswith("/"):
        return f"sqlite:///{(folder / path).resolve()}"
    return url
