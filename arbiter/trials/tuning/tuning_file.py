"""Read a tuning's file: a bot, its numbers, the iterations; report all problems with their places.

A parameter appears as ``{name}`` in words of the bot's command and values of its `env`; one that does not
appear is an environment variable of its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictFloat, StrictInt

from arbiter.errors import ConfigError, Problem
from arbiter.season.config.game_option import settings_of
from arbiter.season.config.keys import StrictModel, VersionModel
from arbiter.season.config.programs import player_of, problems_of_version, with_shipped_bot
from arbiter.season.config.validation import entries, validate
from arbiter.season.config.value_types import checked
from arbiter.season.config.yaml_positions import read_document
from arbiter.season.settings import TUNE
from arbiter.store.address import address_of, resolve_address
from arbiter.trials.regression.experiment import (
    BlocksModel,
    RegressModel,
    RuleModel,
    build_experiment,
    digests_excluding,
    load_field,
    locate_problems,
    merge_field_settings,
    problems_of_levels,
)
from arbiter.trials.regression.program_identity import BASE, CANDIDATE, CONTENTS, name_of, player_settings
from rating.descent import LEAST_WHOLE, Tunable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from arbiter.games.game import AnyGame
    from arbiter.match.spec import Limits, Player
    from arbiter.trials.regression.experiment import Experiment
    from arbiter.trials.regression.program_identity import Digests
    from rating.descent import Values

METHOD = 1
"""The version of the arithmetic: a tuning under another version is another tuning."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _check_name(text: str) -> None:
    """Raise ConfigError unless a name has only letters, digits and ``_``, and begins with no digit."""
    if not _NAME.fullmatch(text):
        raise ConfigError(f"expected a name, got {text!r}", hint="use letters, digits and _")


Real = Annotated[StrictInt | StrictFloat, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]


class ParameterModel(StrictModel):
    """One entry of ``parameters``."""

    name: Annotated[str, checked(_check_name, "name")]
    start: Real
    min: Real
    max: Real
    step: Annotated[Real, Field(gt=0)] | None = None
    integer: StrictBool = False

    def to_tunable(self) -> Tunable:
        return Tunable(self.name, self.start, self.min, self.max, self.step, self.integer)


class FinalTest(RuleModel):
    """The keys of the final test."""

    measure: Literal["results", "points"] = "points"


class TuneModel(BlocksModel):
    """The file as written."""

    parameters: Annotated[list[ParameterModel], Field(min_length=1)]
    iterations: Annotated[StrictInt, Field(gt=0, le=1_000_000)]
    blocks: Annotated[StrictInt, Field(gt=0, le=1000)] = 1
    test: FinalTest = FinalTest()


@dataclass(frozen=True, slots=True)
class Tuning:
    """A checked tuning. `model` is the file as written, `settings` what the digest in its `name` covers.

    Both sides meet the players of `field`, or each other if it is empty. `folder` is the file's; `digests`
    are those of the programs.
    """

    name: str
    model: TuneModel
    game: AnyGame
    field: tuple[Player, ...]
    parameters: tuple[Tunable, ...]
    limits: Limits
    store: str
    settings: Mapping[str, Any]
    folder: Path
    digests: Digests

    @property
    def iterations(self) -> int:
        return self.model.iterations

    @property
    def seed(self) -> str:
        """The seed's text, or "auto"."""
        return str(self.model.seed)

    @property
    def workers(self) -> int | None:
        return None if self.model.workers == "auto" else self.model.workers

    @property
    def matches(self) -> int:
        """The number of matches in an iteration."""
        size = 2 * len(self.game.seatings) if self.field else len(self.game.duels)
        return self.model.blocks * size

    def player(self, name: str, values: Values) -> Player:
        """Return the bot with these values as a player of this name."""
        return player_of(name, _fill_in(self.model.base, values), self.folder)

    def test(self, seed: str, estimate: Values) -> Experiment:
        """Return the regression test of the estimate against the start, on deals unused by the tuning."""
        start = {parameter.name: parameter.shown(parameter.start) for parameter in self.parameters}
        versions = {BASE: self.player(BASE, start), CANDIDATE: self.player(CANDIDATE, estimate)}
        players = {name: player_settings(player, self.digests) for name, player in versions.items()} | {
            "field": [player_settings(player, self.digests) for player in self.field]
        }
        keys = {key: getattr(self.model, key) for key in BlocksModel.model_fields}
        keys |= {key: getattr(self.model.test, key) for key in RuleModel.model_fields}
        keys |= {"candidate": self.model.base, "seed": f"{seed}|test"}
        keys["max_blocks"] = keys["max_blocks"] or self.iterations * self.model.blocks
        model = RegressModel.model_construct(**keys)
        return build_experiment(model, self.game, versions, self.field, players, self.digests)


def load_tuning(file: str, given: Mapping[str, Any], written: Iterable[str] = ()) -> Tuning:
    """Read and check a tuning's file; the keys of `given` replace its own. ConfigError lists every problem.

    Files that are `written` do not belong to the program.
    """
    document, folder = read_document(Path(file)), Path(file).parent
    values, problems = merge_field_settings({**document.value, **given}, {}, folder)
    reading = validate(document, TuneModel, values)
    reading.problems[:0] = problems
    if values.get("game") is None and not problems:
        reading.problems.append(Problem(("game",), "is required", "arbiter games lists them"))
    known: list[ParameterModel] = []
    for number, entry in entries(document, "parameters", ParameterModel):
        reading.problems += _problems_of_parameter(entry, known, ("parameters", number))
        known.append(entry)
    if (model := reading.model) is not None:
        if reading.game is not None:
            model = model.model_copy(update={"base": with_shipped_bot(model.base, reading.game.name)})
            reading.model = model
        levels = problems_of_levels(model.test)
        reading.problems += [Problem(("test", *each.path), each.message, each.hint) for each in levels]
        reading.problems += _problems_of_places(model, folder)
    model, game = reading.settled(file, lambda found, places: locate_problems(found, places, given, {}))
    store = resolve_address(
        model.store or address_of(f"{Path(file).stem}.sqlite"), Path() if "store" in given else folder
    )
    league = None if model.field is None else folder / model.field
    digests = digests_excluding(store, file, league, *written)
    field = load_field(model.field, folder)
    free = {"base", "field", "iterations", "store", "workers", "test"}
    settings = model.model_dump(mode="json", exclude=free) | {
        "method": METHOD,
        "game": settings_of(game),
        "seed": str(model.seed),
        "players": [
            player_settings(player, digests) for player in (player_of(BASE, model.base, folder), *field)
        ],
        CONTENTS: digests.contents,
    }
    return Tuning(
        name=name_of(settings, TUNE),
        model=model,
        game=game,
        field=field,
        parameters=tuple(entry.to_tunable() for entry in model.parameters),
        limits=model.limits(),
        store=store,
        settings=settings,
        folder=folder,
        digests=digests,
    )


def _problems_of_parameter(
    entry: ParameterModel, before: Sequence[ParameterModel], at: tuple[str | int, ...]
) -> Iterator[Problem]:
    """Yield mistakes between a parameter's keys: name taken, range, start, step, whole numbers."""
    if any(entry.name == other.name for other in before):
        hint = "choose another name"
        yield Problem((*at, "name"), f"{entry.name!r} is the name of an earlier parameter", hint)
    if entry.min >= entry.max:
        yield Problem((*at, "max"), f"{entry.max:g} is not above min, which is {entry.min:g}")
    elif not entry.min <= entry.start <= entry.max:
        yield Problem((*at, "start"), f"{entry.start:g} is not within {entry.min:g} to {entry.max:g}")
    elif entry.step is not None and entry.step > entry.max - entry.min:
        yield Problem((*at, "step"), f"{entry.step:g} is more than the range of {entry.max - entry.min:g}")
    if not entry.integer:
        return
    for key in ("start", "min", "max"):
        if (value := getattr(entry, key)) % 1:
            yield Problem((*at, key), f"expected a whole number for an integer parameter, got {value:g}")
    if entry.step is not None and entry.step < LEAST_WHOLE:
        message = f"{entry.step:g} is less than {LEAST_WHOLE:g}: both sides would often have the same integer"
        yield Problem((*at, "step"), message)


def _problems_of_places(model: TuneModel, folder: Path) -> Iterator[Problem]:
    """Yield the problems that prevent the bot from starting with its numbers."""
    for number, entry in enumerate(model.parameters):
        if entry.name in model.base.env and is_variable(model.base, entry.name):
            hint = f"write {entry.name}: '{{{entry.name}}}' there, or remove it"
            yield Problem(("parameters", number, "name"), f"env sets {entry.name} to something else", hint)
    start = {entry.name: entry.start for entry in model.parameters}
    yield from problems_of_version(_fill_in(model.base, start), folder, (BASE,))


def is_variable(version: VersionModel, name: str) -> bool:
    """True if a parameter appears neither in a bot's command nor in its variables."""
    return not any(f"{{{name}}}" in text for text in (*version.command, *version.variables().values()))


def _fill_in(version: VersionModel, values: Values) -> VersionModel:
    """Return the version with these values of its parameters."""
    texts = {
        name: str(value) if isinstance(value, int) else f"{value:.15g}" for name, value in values.items()
    }

    def filled(text: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda found: texts.get(found[1], found[0]), text)

    env = {name: text for name, text in texts.items() if is_variable(version, name)}
    env |= {key: filled(text) for key, text in version.variables().items()}
    return version.model_copy(update={"command": list(map(filled, version.command)), "env": env})
