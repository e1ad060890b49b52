"""An archive turned into a checked version of a player, or refused: step by step, and whole or not at all.

    verdict = inspect(archive, folder, season, "alice", tell)
    verdict.program.player("alice@3", folder)

All is made where the version will lie if it is accepted, so that a program cannot tell by its place whether
it is tried or plays for points. Nothing there counts before the store has accepted it, and whatever ends an
inspection, it can be run again.
"""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from arbiter.contest.submissions.archive import MOST_GROWTH, PROGRAM, no_room, unpack
from arbiter.contest.submissions.archive_build import build
from arbiter.contest.submissions.archive_storage import LEFT_BYTES, bring_to_disk, has_room
from arbiter.contest.submissions.build_recipe import Program, recipe_of, refuse_lacking
from arbiter.contest.submissions.inspection_steps import InspectionStep, Refused
from arbiter.contest.submissions.languages import advice
from arbiter.contest.submissions.trial_matches import TriedProgram, check, play_matches
from arbiter.errors import ConfigError, StoreError
from arbiter.sandbox.launcher import Launcher
from arbiter.sandbox.program_files import digest_of_file
from arbiter.sandbox.tiers import choose
from arbiter.season.config.keys import Submissions
from arbiter.season.config.readable_secrets import check_bot_access
from arbiter.season.config.submission_settings import SOURCE
from arbiter.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from arbiter.contest.submissions.build_recipe import Recipe
    from arbiter.match.spec import Player
    from arbiter.season.config import Config

LONGEST_DETAIL, LONGEST_OUTPUT = 1_000, 50_000
"""Characters."""
UNPACKED, BUILT, CHECKED, MATCHES = "unpacked", "built", "checked", "matches"


@dataclass(frozen=True, slots=True)
class InspectionVerdict:
    """The result of an inspection: its steps, and the program where it is accepted."""

    state: Literal["accepted", "refused"]
    steps: tuple[InspectionStep, ...]
    program: Program | None = None


def inspect(
    archive: Path,
    folder: Path,
    season: Config,
    name: str,
    tell: Callable[[InspectionStep], None],
    room: int | None = None,
) -> InspectionVerdict:
    """Unpack, build and try what an author sent; each step is reported as soon as it is known.

    `folder` is the version's own, and what lies there is replaced; `name` is that of the player in its
    matches; `room` are the bytes that its author's files may take beyond those that are there. It takes at
    most `bounds.longest`. VoidMatch if our side failed, StoreError if the disk did or has no room left: then
    nothing is decided, and nothing is left. ConfigError where bots cannot be isolated.
    """
    inspection = _InspectionRun(folder, season, name, room)
    folder.unlink() if folder.is_file() else inspection.clear()
    steps: list[InspectionStep] = []
    try:
        inspection.begin()
        for step in inspection.steps(archive):
            steps.append(step)
            tell(step)
        if inspection.program is None:
            return InspectionVerdict("refused", tuple(steps))
        inspection.settle()
        return InspectionVerdict("accepted", tuple(steps), inspection.program)
    except OSError as error:
        raise StoreError(f"{folder.parent}: {error.strerror}") from None
    finally:
        if not inspection.settled:
            inspection.clear()


class _InspectionRun:
    def __init__(self, folder: Path, season: Config, name: str, room: int | None) -> None:
        self._folder, self._season, self._name, self._room = folder, season, name, room
        self._terms = season.submissions or Submissions()
        self._source = folder / SOURCE
        tier, _ = choose(season.limits.isolation, season.require_isolation)
        if tier == "plain" != season.limits.isolation:
            what = "what authors send is not started: this machine has no tier above plain"
            raise ConfigError(what, str(season.file), "isolation: plain, if you trust all of them")
        self._limits = replace(season.limits, isolation=tier)
        self.program: Program | None = None
        """Once it has passed everything."""
        self.settled = False

    def steps(self, archive: Path) -> Iterator[InspectionStep]:
        """Every step up to the first that fails."""
        at, word = UNPACKED, ""
        try:
            count = unpack(archive, self._source, self._terms.max_bytes, self._room)
            yield self._step(at, f"{count} file{'s' * (count != 1)}")
            at = BUILT
            recipe = recipe_of(self._source)
            word = recipe.command[0]
            output = self._build(recipe)
            refuse_lacking(recipe, self._source, self._season.languages)
            self._refuse_too_large()
            # Before it runs: what it writes where it is not confined is no part of it.
            files = dict(self._digests())
            started = f"started by {' '.join(recipe.command)}"
            made = (
                f"by {' '.join(recipe.build)}, {started}" if recipe.build else f"nothing to build, {started}"
            )
            yield self._step(at, made, output)
            at = CHECKED
            program = Program(recipe.command, recipe.read, {}, recipe.publish_notes)
            player = program.player(self._name, self._folder, self._season.languages)
            check_bot_access(self._season, [player])
            trial = TriedProgram.of(self._season.game, player, self._limits)
            yield self._step(at, "check-bot found no fault", check(trial))
            at = MATCHES
            yield self._step(at, play_matches(trial, self._house()))
            self.program = replace(program, files=files)
        except Refused as refused:
            said = f"{refused.detail}\n{refused.ending}"
            helps = advice(self._season, word, said, refused.missing)
            yield self._step(at, refused.detail, refused.output, helps or refused.fix, ok=False)

    def begin(self) -> None:
        """Make the folder; StoreError where what may come into it would leave no room for matches."""
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        # As much as an archive may hold, and as much again of what is built.
        most = 2 * MOST_GROWTH * self._terms.max_bytes
        if not has_room(self._folder.parent, most):
            raise StoreError(f"{self._folder.parent}: less than {most + LEFT_BYTES:,} bytes are free")
        self._folder.mkdir()

    def _build(self, recipe: Recipe) -> str:
        output = ""
        if recipe.build:
            with closing(Launcher()) as launcher:
                output = build(recipe, self._source, self._terms, launcher, self._season.languages)
        program = self._source / recipe.command[0]
        if program.is_file():
            # Not every system that packs archives knows what may be executed.
            program.chmod(PROGRAM)
        return output

    def _refuse_too_large(self) -> None:
        """Refused where what was built takes more than the author's files may."""
        size = sum(path.stat().st_size for path in self._source.rglob("*") if path.is_file())
        if self._room is not None and size > self._room:
            raise no_room(size, self._room)

    def _house(self) -> list[Player]:
        season = self._season
        return [
            entry.player
            for entry in season.entries
            if (entry.house or entry.registered_name in season.house_bots)
            and entry.player.name not in season.gone
        ]

    def _digests(self) -> Iterator[tuple[str, str]]:
        for path in sorted(self._source.rglob("*")):
            if path.is_file():
                yield str(path.relative_to(self._folder)), digest_of_file(path)

    def _step(
        self, name: str, detail: str, output: str = "", fix: str = "", ok: bool = True
    ) -> InspectionStep:
        """A step in words that name no folder of ours, steer no terminal and are not too many."""
        detail, fix = (self._words(text, LONGEST_DETAIL) for text in (detail, fix))
        return InspectionStep(name, ok, detail, fix, self._words(output, LONGEST_OUTPUT))

    def _words(self, text: str, most: int) -> str:
        for place in (self._source, self._folder):
            for path in dict.fromkeys((os.path.realpath(place), str(place.absolute()))):
                text = text.replace(f"{path}/", "").replace(path, ".")
        text = printable(text)
        return text if len(text) <= most else f"{text[: most - 4]} ..."

    def settle(self) -> None:
        """See to it that all that is in the folder is on the disk."""
        for path in (*self._folder.rglob("*"), self._folder, self._folder.parent):
            bring_to_disk(path)
        self.settled = True

    def clear(self) -> None:
        """Remove what is left of an inspection."""
        shutil.rmtree(self._folder, ignore_errors=True)
