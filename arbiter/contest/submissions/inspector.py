"""The service that inspects submissions from a fair queue, each in a separate process.

It reads the queue from the store and records verdicts there, so it may be killed at any time: an interrupted
inspection is repeated. An inspection that fails or hangs delays others at most by its time limit.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from arbiter.contest.service_loop import Service, Turns
from arbiter.contest.submissions.archive_storage import archive_of, program_folder, remove, size_of, sweep
from arbiter.contest.submissions.inspection_steps import longest_inspection
from arbiter.contest.submissions.languages import inspection_digest
from arbiter.errors import StoreError
from arbiter.season.config.keys import Submissions
from arbiter.season.roster import folder_of
from arbiter.store import Store
from arbiter.store.coordinator_lock import lock_paths
from arbiter.store.versions import STATES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from arbiter.contest.submissions.inspection import InspectionVerdict
    from arbiter.contest.submissions.inspection_steps import InspectionStep
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore
    from arbiter.store.versions import Submission

MOST_TRIES = 3
"""The inspections of a submission that may fail through no fault of the program."""
END_SECONDS = 2.0
KEPT_REFUSED = timedelta(days=7)
"""How long the archive of a refused version is kept for another inspection."""
OURS = "ask the organiser to look at the log"


def inspect_one(config: Config, number: int, inspect: Callable[..., InspectionVerdict] | None = None) -> None:
    """Inspect one submission of a season, and record each step when it ends.

    An exception of `inspect` is a failure of the service, not of the program.
    """
    if inspect is None:
        # Imported here: the queue's process does not need it.
        from arbiter.contest.submissions.inspection import inspect as inspect_really

        inspect = inspect_really
    with closing(Store(config.store, create=False)) as store:
        season = _require_season(config, store)
        book = season.submissions
        found = book.one(number)
        if found is None or found.over:
            return
        book.begin(number)
        room = (config.submissions or Submissions()).total - season.submission_files.taken(found.author)
        steps: list[Mapping[str, Any]] = []

        def record_step(step: InspectionStep) -> None:
            steps.append(asdict(step))
            if step.ok and step.name in STATES:
                book.record_steps(number, step.name, steps)

        archive, folder = archive_of(config, found.file), program_folder(config, found.file)
        verdict = inspect(archive, folder, config, f"{found.author}@{found.version}", record_step, room)
        if verdict.program is None:
            book.refuse(number, steps, inspection_digest(config))
        elif not book.accept(number, steps, verdict.program.to_json(), size_of(config, found.file)):
            remove(config, found.file)


class Inspector(Service):
    """Inspects the submissions of some seasons, one after the other."""

    queue = "submissions"

    def __init__(
        self,
        configs: Sequence[Config],
        say: Callable[[str], None],
        run: Callable[[Config, Submission], str] | None = None,
        turns: Turns | None = None,
    ) -> None:
        """`run` inspects one submission and returns what failed in the service; tests pass it.

        It raises StoreError if the store or the disk failed, TimeoutExpired if it took too long. `turns` are
        shared with the worker of requests.
        """
        super().__init__(configs, say)
        self._inspect_in_process, self._turns = run or _inspect_in_process, turns or Turns()

    def _clean_up(self, config: Config, season: SeasonStore) -> None:
        """Record missing sizes, mark archives refused `KEPT_REFUSED` ago as removed, `sweep` the folder."""
        for number, file in season.submission_files.without_size().items():
            season.submission_files.count(number, size_of(config, file))
        season.submission_files.expire_archives(
            (datetime.now(UTC) - KEPT_REFUSED).isoformat(timespec="seconds")
        )
        sweep(folder_of(config), season.submissions.files(), season.submission_files.gone())

    def _has_work_left(self) -> bool:
        """Read from the stores whether a submission has no verdict yet, postponed ones included."""
        seasons = filter(None, map(self._find_season, self._configs))
        return any(season.submissions.next() is not None for season in seasons)

    def _work_on(self, config: Config) -> bool:
        """Inspect the next submission of a season; False if nothing is queued, True also after a failure."""
        season = self._find_season(config)
        found = None if season is None else season.submissions.next(self._postponed_items(config))
        if season is None or found is None:
            return False
        who = f"{config.season}: submission {found.id} of {found.author}"
        late = ""
        begun = time.monotonic()
        try:
            with self._turns.take(season.requests.served().get(found.author, 0)):
                begun = time.monotonic()
                problem = self._inspect_in_process(config, found)
        except subprocess.TimeoutExpired:
            problem = late = f"its inspection took longer than {longest_inspection(config):.0f} s"
        except StoreError as error:
            # Not the program's fault, for example a full disk: retry later.
            self._say(f"{who}: {error}")
            self._postpone(config, found.id)
            return True
        season.requests.count(found.author, round(1000 * (time.monotonic() - begun)))
        if problem:
            self._say(f"{who}: {problem}")
            self._handle_failure(season, found, late, config)
        return True

    def _handle_failure(self, season: SeasonStore, found: Submission, late: str, config: Config) -> None:
        """Queue it for another inspection; refuse it if it timed out (`late`) or failed too often."""
        now = season.submissions.one(found.id)
        if now is None or now.over:
            return
        if not late and found.tries + 1 < MOST_TRIES:
            season.submissions.count_failure(found.id)
            self._postpone(config, found.id)
            return
        detail = late or "the service could not inspect it"
        step = {"name": "inspection", "ok": False, "detail": detail, "fix": OURS, "output": ""}
        season.submissions.refuse(found.id, [*now.steps, step], inspection_digest(config))


def _inspect_in_process(config: Config, found: Submission) -> str:
    """Inspect in a separate process; return what failed in the service, or "".

    StoreError if the store or the disk failed, TimeoutExpired if it took too long.
    """
    words = [sys.executable, "-m", "arbiter", "inspect", str(config.file), "--only"]
    words += [str(found.id), str(os.getpid())]
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        process_group=0,
    ) as process:
        try:
            # Its steps have their own limits, so only a hanging one is killed.
            said = process.communicate(timeout=longest_inspection(config))[1]
        finally:
            _end_process(process)
    last = said.strip().rpartition("\n")[2]
    if process.returncode == StoreError.exit_code:
        raise StoreError(last.removeprefix("arbiter: "))
    return "" if process.returncode == 0 else f"its inspection ended with {process.returncode}: {last}"


def _end_process(process: subprocess.Popen[str]) -> None:
    """End an inspection with all its processes, by SIGTERM first, so that it can clean up."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def hold_inspection_lock(configs: Sequence[Config]) -> Iterator[None]:
    """Create these seasons' folders and hold their inspection lock; StoreError if that is impossible."""
    # Seasons of one store have one folder.
    folders = list(map(folder_of, configs))
    for folder in folders:
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{folder}: cannot be created: {error.strerror}") from None
    with lock_paths(folders, "another process inspects these submissions"):
        yield


def _require_season(config: Config, store: Store) -> SeasonStore:
    """Return the config's season in the store; StoreError without one."""
    found = store.season(config.season)
    if found is None:
        raise StoreError(f"{store.name} has no season {config.season}")
    return found
