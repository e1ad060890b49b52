"""A regression test as an `Experiment`, from a file and options."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictInt

from arbiter.config import load
from arbiter.config.game import settings_of
from arbiter.config.languages import player_of, problems_of_version
from arbiter.config.places import Document, read_document
from arbiter.config.reading import placed, validate
from arbiter.config.season_file import StrictModel, TableModel, Version
from arbiter.config.values import Seed, StoreUrl, Word
from arbiter.errors import ConfigError, Problem
from arbiter.regress.blocks import Meeting
from arbiter.regress.identity import BASE, CANDIDATE, Digests, attempt_of, kept, name_of
from arbiter.store.address import absolute, address_of, file_of
from arbiter.store.sqlite import companions
from rating.errors import OptionError
from rating.sequential.gsprt import Gsprt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from arbiter.match import Player
    from arbiter.rules import AnyGame


STORE = "regress.sqlite"


@dataclass(frozen=True, slots=True)
class Experiment(Meeting):
    """A checked regression test. `settings` are what its `name` stands for, as JSON values.

    `seed` is "auto" or the seed's text. With `fail_at_once` the first fault of either version ends the test.
    `notes` name files that do not count by their content.
    """

    test: Gsprt
    non_regression: bool = False
    fail_at_once: bool = False
    seed: str = "auto"
    store: str = address_of(STORE)
    workers: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def attempt(self) -> int:
        """1, and one more for each time that it was begun anew."""
        return attempt_of(self.name)

    @property
    def block_size(self) -> int:
        return self.test.matches


def experiment_of(
    file: str | None,
    given: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
    written: Iterable[str] = (),
) -> Experiment:
    """The experiment of a file, or of no file; the keys of `given` replace the file's.

    `options` are added to the game's. Commands in `given` are relative to the current folder, those of the
    file to its own. Files and folders that are `written` count to neither program. ConfigError with every
    problem.
    """
    document = read_document(Path(file)) if file is not None else Document({})
    folder = Path(file).parent if file is not None else Path()
    folders = {key: Path() if key in given else folder for key in ("field", BASE, CANDIDATE)}
    values, problems = with_field({**document.value, **given}, options or {}, folders["field"])
    reading = validate(document, RegressModel, values)
    reading.problems[:0] = problems
    if (model := reading.model) is not None:
        if values.get("game") is None and not problems:
            reading.problems.append(Problem(("game",), "is required", "arbiter games lists them"))
        reading.problems += problems_of_levels(model)
        if len(reading.problems) == len(document.problems):
            for name in (BASE, CANDIDATE):
                reading.problems += problems_of_version(getattr(model, name), folders[name], (name,))
    model, game = reading.settled(
        file or "", lambda found, places: by_origin(found, places, given, options or {})
    )
    field = field_of(model.field, folders["field"])
    versions = {name: player_of(name, getattr(model, name), folders[name]) for name in (BASE, CANDIDATE)}
    store = model.store or address_of(STORE if file is None else f"{Path(file).stem}.sqlite")
    store = absolute(store, Path() if "store" in given else folder)
    league = None if model.field is None else folders["field"] / model.field
    digests = digests_beside(store, file, league, *written)
    players = {name: kept(player, digests) for name, player in versions.items()} | {
        "field": [kept(player, digests) for player in field]
    }
    experiment = experiment_by(model, game, versions, field, players)
    return replace(experiment, store=store, notes=tuple(digests.notes))


def digests_beside(store: str, *apart: str | Path | None) -> Digests:
    """Digests of programs, to which neither a store nor these files and folders belong."""
    there = file_of(store)
    stored = () if there is None else (str(there), *companions(str(there)))
    return Digests(Path(path) for path in (*apart, *stored) if path is not None)


def stop_rule(
    game: AnyGame, keys: Mapping[str, Any], against_field: bool = False, most_blocks: int | None = None
) -> Gsprt:
    """The test of a game by keys as in `RegressModel`, of which elo0 and elo1 alone have no defaults here.

    Tests that were begun before `better` took evidence have no key `evidence`, and keep their rule.
    OptionError where they fit no test.
    """
    own = ("elo0", "elo1", "alpha", "beta", "measure")
    test = Gsprt(
        **{key: keys[key] for key in own if key in keys},
        evidence=bool(keys.get("evidence", False)),
        scale=keys.get("bounds", "logistic"),
        matches=2 * len(game.seatings) if against_field else len(game.duels),
        most_blocks=most_blocks,
        share=0.5 if against_field else 1.0,
    )
    return replace(test, level_blocks=test.enough_level_blocks) if keys.get("non_regression") else test


def with_field(
    value: Mapping[str, Any], options: Mapping[str, Any], folder: Path
) -> tuple[dict[str, Any], list[Problem]]:
    """The keys, `options` of the game among them; a field's game and limits are the defaults."""
    problems: list[Problem] = []
    value = dict(value)
    league = value.get("field")
    if isinstance(league, str) and league:
        try:
            settings = load(folder / league, check_commands=True).settings
        except ConfigError as error:
            problems += [Problem(("field",), line) for line in str(error).splitlines()]
        else:
            own = settings["game"]["name"]
            value = {key: settings[key] for key in ("game", *TableModel.model_fields)} | value
            if _name_of(value["game"]) != own:
                problems.append(Problem(("game",), f"{_name_of(value['game'])!r}, and the field plays {own}"))
    if options and (game := value.get("game")):
        value["game"] = {**(game if isinstance(game, dict) else {"name": game}), **options}
    return value, problems


def problems_of_levels(model: RuleModel) -> Iterator[Problem]:
    """Yield what keeps elo0 and elo1 from being the levels of a test."""
    elo0, elo1 = model.levels
    if model.non_regression and elo1 > 0:
        message = f"{elo1:g} is above 0, and non_regression asks for no more than no loss"
        yield Problem(("elo1",), message, "write 0, with a negative elo0; or leave non_regression out")
    elif model.measure == "points" and model.bounds == "logistic" and elo0 != 0:
        message = f"{elo0:g}, and by points only 0 is held: what a point is worth is only estimated"
        yield Problem(("elo0",), message, "write elo0: 0, bounds: normalized, or measure: results")
    elif elo0 >= elo1 and model.elo1 is None:
        yield Problem(("elo0",), f"{elo0:g} is not below elo1, which is {elo1:g}")
    elif elo0 >= elo1:
        yield Problem(("elo1",), f"{elo1:g} is not above elo0, which is {elo0:g}")


def _name_of(game: object) -> object:
    return game.get("name") if isinstance(game, dict) else game


def by_origin(
    problems: list[Problem], document: Document, given: Mapping[str, Any], options: Mapping[str, Any]
) -> list[Problem]:
    """The problems with their places in the file, or under the options that they came from."""
    typed, keys = [], []
    for problem in problems:
        key, *rest = map(str, problem.path or ("",))
        if key == "game" and rest and rest[0] in options:
            typed.append(Problem((f"--option {rest[0]}", *rest[1:]), problem.message, problem.hint))
        elif key in given or (key and not document.value):
            shown = [word for word in rest if word != "command"] if key in ("game", BASE, CANDIDATE) else []
            typed.append(Problem((f"--{key.replace('_', '-')}", *shown), problem.message, problem.hint))
        else:
            keys.append(problem)
    return [*placed(keys, document), *typed]


def field_of(league: str | None, folder: Path) -> tuple[Player, ...]:
    """The players of a season, house bots too; one named like a version gets a mark."""
    if league is None:
        return ()
    players = [entry.player for entry in load(folder / league).entries]
    return tuple(
        replace(player, name=f"{player.name}@field") if player.name in (BASE, CANDIDATE) else player
        for player in players
    )


def experiment_by(
    model: RegressModel,
    game: AnyGame,
    versions: Mapping[str, Player],
    field: tuple[Player, ...],
    players: Mapping[str, Any],
) -> Experiment:
    """The experiment of checked keys; `players` as `identity.kept` gives them."""
    elo0, elo1 = model.levels
    settings = model.model_dump(mode="json", exclude={"store", "workers", "field", BASE, CANDIDATE}) | {
        "game": settings_of(game),
        "seed": str(model.seed),
        "elo0": elo0,
        "elo1": elo1,
        "evidence": True,
        BASE: list(versions[BASE].command),
        CANDIDATE: list(versions[CANDIDATE].command),
        "players": players,
    }
    try:
        test = stop_rule(game, settings, bool(field), model.max_blocks)
    except OptionError as error:
        raise ConfigError(str(error)) from None
    return Experiment(
        name=name_of(settings),
        game=game,
        base=versions[BASE],
        candidate=versions[CANDIDATE],
        field=field,
        limits=model.limits(),
        test=test,
        non_regression=model.non_regression,
        fail_at_once=model.faults == "fail",
        seed=str(model.seed),
        workers=None if model.workers == "auto" else model.workers,
        settings=settings,
    )


Risk = Annotated[float, Field(gt=0, lt=0.5, strict=True)]
Elo = Annotated[float, Field(ge=-1000, le=1000, strict=True, allow_inf_nan=False)]
LEVELS = {False: (0.0, 10.0), True: (-10.0, 0.0)}
"""Defaults of elo0 and elo1, by `non_regression`."""


class RuleModel(StrictModel):
    """The keys that say when a test stops."""

    elo0: Elo | None = None
    elo1: Elo | None = None
    alpha: Risk = 0.05
    beta: Risk = 0.05
    measure: Literal["results", "points"] = "results"
    bounds: Literal["logistic", "normalized"] = "logistic"
    non_regression: StrictBool = False
    max_blocks: Annotated[StrictInt, Field(gt=0)] | None = None
    faults: Literal["count", "fail"] = "count"

    @property
    def levels(self) -> tuple[float, float]:
        elo0, elo1 = LEVELS[self.non_regression]
        return elo0 if self.elo0 is None else self.elo0, elo1 if self.elo1 is None else self.elo1


class BlocksModel(TableModel):
    """The keys that every file has that has blocks played.

    `field` is a season's file, whose players are met instead of the other version.
    """

    base: Version
    game: str | dict[str, Any] | None = None
    field: Word | None = None
    seed: Seed = "auto"
    store: StoreUrl | None = None
    workers: Literal["auto"] | Annotated[StrictInt, Field(gt=0)] = "auto"


class RegressModel(BlocksModel, RuleModel):
    """The file of `arbiter regress`; each key is an option of the command too."""

    candidate: Version
