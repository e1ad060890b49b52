"""The inspection of an archive: unpack, build, check and try it; accept it as a version, or refuse it.

    verdict = inspect(archive, folder, season, "alice", tell)
    verdict.program.player("alice@3", folder)

Files are written where the accepted version will be, so that a program cannot distinguish a trial from rated
play by its path. They count only once the store has accepted the version, and an interrupted inspection can
be repeated.
"""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from arbiter.contest.submissions.archive import MOST_GROWTH, PROGRAM, quota_refusal, unpack
from arbiter.contest.submissions.archive_build import build
from arbiter.contest.submissions.archive_storage import LEFT_BYTES, prepare_folder, sync_to_disk
from arbiter.contest.submissions.build_recipe import Program, check_files_exist, recipe_of
from arbiter.contest.submissions.inspection_steps import InspectionStep, Refused
from arbiter.contest.submissions.languages import missing_program_advice
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
    """The result of an inspection: its steps, and the program if accepted."""

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
    """Unpack, build and try an archive; pass each step to `tell` when it ends.

    `folder` is the version's folder, which is replaced; `name` is the player's name in its matches; `room` is
    the author's remaining disk space in bytes. It takes at most `longest_inspection`. VoidMatch if the
    machine failed, StoreError if the disk failed or is full: then there is no verdict and the folder is
    removed. ConfigError if bots cannot be isolated.
    """
    inspection = _InspectionRun(folder, season, name, room)
    folder.unlink() if folder.is_file() else inspection.remove_folder()
    steps: list[InspectionStep] = []
    try:
        inspection.begin()
        for step in inspection.steps(archive):
            steps.append(step)
            tell(step)
        if inspection.program is None:
            return InspectionVerdict("refused", tuple(steps))
        inspection.sync_folder()
        return InspectionVerdict("accepted", tuple(steps), inspection.program)
    except OSError as error:
        raise StoreError(
            f"{folder.parent}: a submission cannot be unpacked there: {error.strerror}"
        ) from None
    finally:
        if not inspection.settled:
            inspection.remove_folder()


class _InspectionRun:
    """One inspection: it unpacks, builds and tries the program in the version's folder."""

    def __init__(self, folder: Path, season: Config, name: str, room: int | None) -> None:
        self._folder, self._season, self._name, self._room = folder, season, name, room
        self._terms = season.submissions or Submissions()
        self._source = folder / SOURCE
        tier, _ = choose(season.limits.isolation, season.require_isolation)
        if tier == "plain" != season.limits.isolation:
            what = "cannot start authors' programs: this machine has no isolation tier above plain"
            raise ConfigError(what, str(season.file), "isolation: plain, if you trust all authors")
        self._limits = replace(season.limits, isolation=tier)
        self.program: Program | None = None
        """Set once all steps have passed."""
        self.settled = False

    def steps(self, archive: Path) -> Iterator[InspectionStep]:
        """Run and yield the steps up to the first failure."""
        at, word = UNPACKED, ""
        try:
            count = unpack(archive, self._source, self._terms.max_bytes, self._room)
            yield self._make_step(at, f"{count} file{'s' * (count != 1)}")
            at = BUILT
            recipe = recipe_of(self._source)
            word = recipe.command[0]
            output = self._build_program(recipe)
            check_files_exist(recipe, self._source, self._season.languages)
            self._refuse_too_large()
            # Before it runs: an unconfined program may write files here, which are not part of it.
            files = dict(self._file_digests())
            started = f"started by {' '.join(recipe.command)}"
            made = (
                f"by {' '.join(recipe.build)}, {started}" if recipe.build else f"nothing to build, {started}"
            )
            yield self._make_step(at, made, output)
            at = CHECKED
            program = Program(recipe.command, recipe.read, {}, recipe.publish_notes)
            player = program.player(self._name, self._folder, self._season.languages)
            check_bot_access(self._season, [player])
            trial = TriedProgram.of(self._season.game, player, self._limits)
            yield self._make_step(at, "check-bot found no fault", check(trial))
            at = MATCHES
            yield self._make_step(at, play_matches(trial, self._house_bots()))
            self.program = replace(program, files=files)
        except Refused as refused:
            said = f"{refused.detail}\n{refused.ending}"
            helps = missing_program_advice(self._season, word, said, refused.missing)
            yield self._make_step(at, refused.detail, refused.output, helps or refused.fix, ok=False)

    def begin(self) -> None:
        """Create the folder; StoreError if its largest contents would leave too little space for matches."""
        self._folder.parent.mkdir(parents=True, exist_ok=True)
        # The largest unpacked archive, and the same again for build products.
        most = 2 * MOST_GROWTH * self._terms.max_bytes
        if not prepare_folder(self._folder.parent, most):
            free = f"less than {most + LEFT_BYTES:,} bytes are free: free space there"
            raise StoreError(f"{self._folder.parent}: {free}")
        self._folder.mkdir()

    def _build_program(self, recipe: Recipe) -> str:
        """Run the build, if any, and make the program executable; return the build's output."""
        output = ""
        if recipe.build:
            with closing(Launcher()) as launcher:
                output = build(recipe, self._source, self._terms, launcher, self._season.languages)
        program = self._source / recipe.command[0]
        if program.is_file():
            # Some systems pack archives without executable bits.
            program.chmod(PROGRAM)
        return output

    def _refuse_too_large(self) -> None:
        """Raise Refused if the build's products exceed the author's remaining space."""
        size = sum(path.stat().st_size for path in self._source.rglob("*") if path.is_file())
        if self._room is not None and size > self._room:
            raise quota_refusal(size, self._room)

    def _house_bots(self) -> list[Player]:
        """Return the season's house bots whose programs exist."""
        season = self._season
        return [
            entry.player
            for entry in season.entries
            if (entry.house or entry.registered_name in season.house_bots)
            and entry.player.name not in season.gone
        ]

    def _file_digests(self) -> Iterator[tuple[str, str]]:
        for path in sorted(self._source.rglob("*")):
            if path.is_file():
                yield str(path.relative_to(self._folder)), digest_of_file(path)

    def _make_step(
        self, name: str, detail: str, output: str = "", fix: str = "", ok: bool = True
    ) -> InspectionStep:
        """Return a step with texts free of local paths and control characters, and truncated."""
        detail, fix = (self._clean_text(text, LONGEST_DETAIL) for text in (detail, fix))
        return InspectionStep(name, ok, detail, fix, self._clean_text(output, LONGEST_OUTPUT))

    def _clean_text(self, text: str, limit: int) -> str:
        """Return a printable text without the folder's paths, cut to `limit`."""
        for place in (self._source, self._folder):
            for path in dict.fromkeys((os.path.realpath(place), str(place.absolute()))):
                text = text.replace(f"{path}/", "").replace(path, ".")
        text = printable(text)
        return text if len(text) <= limit else f"{text[: limit - 4]} ..."

    def sync_folder(self) -> None:
        """Sync all files in the folder, and its parent, to disk; set `settled`, so that it stays."""
        for path in (*self._folder.rglob("*"), self._folder, self._folder.parent):
            sync_to_disk(path)
        self.settled = True

    def remove_folder(self) -> None:
        """Remove the folder, if it exists; errors are ignored."""
        shutil.rmtree(self._folder, ignore_errors=True)
