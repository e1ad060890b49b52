"""A temporary folder with attackers and their victims, and a worker that plays their matches."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from arbiter.games.samples import BOTS, FAULTY

if TYPE_CHECKING:
    from collections.abc import Mapping

SCRIPTS = ("attack.py", "whisper.py", "linger.py", "stretch.py", "census.py")
PROGRAMS = {"victim": "rival", "raw": "attacker", "memory": "attacker", "cache": "attacker"}
"""Sources in C, and the folder of each program."""
COMPILE_SECONDS, HUNG_SECONDS = 60, 120
MEMORY_BYTES = 200_000_000
SHORT = "300ms"
COMMANDS = 16
"""Commands to each seat in a match of one deal of one card."""
MEGABYTES = {"six_children": 60}
LETTERS, PAGES = 32, 64
OUTSIDE = ("/tmp", "/var/tmp", "/dev/shm")
"""Folders in which attacks create files, besides their own, the home folder and that for temporary files."""
IN_A_SHELL = """
while read -r word seat card rest; do
    case $word in
        set_cards) mine=$card; echo =;;
        gen_declare) echo '= 0';;
        gen_move) echo "= $mine";;
        *) echo =;;
    esac
    echo
done
"""
"""A bot that plays deals of one card."""


class AttackFolder:
    """A folder of attackers' files and a worker process, which plays attacks as this user or another.

    Another `user`, a uid, needs a `python` that it may run, and a `library` folder that has `arbiter`.
    """

    def __init__(self, python: str = sys.executable, user: int | None = None, library: str = "") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="arbiter-attacks-"))
        self.word = self.folder.name.rpartition("-")[2]
        self.python, self._user, self._library = python, user, library
        self._worker: subprocess.Popen[str] | None = None
        self._scripts = {
            name: script
            for script in SCRIPTS
            for name in re.findall(r'^@at\("\w+"\)\ndef (\w+)', (FAULTY / script).read_text(), re.MULTILINE)
        }
        try:
            self.missing = self._write_bots()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def attackers(self) -> Mapping[str, str]:
        """The scripts of the attackers in Python, by attacker."""
        return self._scripts

    def _write_bots(self) -> str:
        """Write the bots into the folder; return why those in C are missing, or ""."""
        for name in ("attacker", "rival", "scratch"):
            (self.folder / name).mkdir()
        for script in SCRIPTS:
            shutil.copyfile(FAULTY / script, self.folder / "attacker" / script)
        shutil.copyfile(BOTS / "planning_random.py", self.folder / "rival" / "bot.py")
        (self.folder / "rival" / "bot.sh").write_text(IN_A_SHELL)
        (self.folder / "rival" / "program").write_text("secret")
        (self.folder / "rival" / "program").chmod(0o755)
        (self.folder / "attacker" / "syntax_error.py").write_text("def")
        (self.folder / "attacker" / "not_executable").write_text("")
        missing = self._compile()
        if self._user is not None:
            self.folder.chmod(0o755)
            for name in ("attacker", "scratch"):
                os.chown(self.folder / name, self._user, self._user)
        return missing

    def _compile(self) -> str:
        """Compile the bots in C into the folder; return why that failed, or ""."""
        compiler = shutil.which(os.environ.get("CC", "cc"))
        if compiler is None:
            return "no C compiler: install cc, or name one in CC"
        for name, where in PROGRAMS.items():
            made = self.folder / where / name
            words = [compiler, "-std=c11", "-O2", "-pthread", "-o", str(made), str(FAULTY / f"{name}.c")]
            try:
                done = subprocess.run(
                    words, capture_output=True, text=True, errors="replace", check=False,
                    timeout=COMPILE_SECONDS,
                )  # fmt: skip
            except (OSError, subprocess.TimeoutExpired) as error:
                return f"{compiler} does not run: {error}"
            if done.returncode != 0:
                return f"{compiler} cannot compile {name}.c: {done.stderr.partition(chr(10))[0]}"
            if not os.access(made, os.X_OK):
                return f"{self.folder.parent} forbids running programs: set TMPDIR to a folder that allows it"
        return ""

    def program(self, name: str) -> str:
        """Return the path of an attacker's program in C."""
        return str(self.folder / PROGRAMS[name] / name)

    def attack(self, name: str, *arguments: str) -> dict[str, Any]:
        """Return an attacker as a player; writes its file ``own`` if that is missing."""
        own = self.folder / "attacker" / "own"
        if not own.exists():
            own.write_text("x")
            self._chown_to_user(own)
        given = [
            "rival={rival}", "referee={referee}", "launcher={launcher}", f"commands={COMMANDS}", *arguments,
            f"mb={MEGABYTES.get(name, 400)}", f"file={self.folder}/rival/program", f"word={self.word}",
            f"scratch={self.folder}/scratch", f"own={own}", f"port={20_000 + os.getpid() % 20_000}",
        ]  # fmt: skip
        script = str(self.folder / "attacker" / self._scripts[name])
        return self.player("attacker", self.python, "-I", "-S", script, name, *given)

    def player(self, name: str, *command: str) -> dict[str, Any]:
        """Return a player that starts in this folder."""
        return {"name": name, "command": command, "folder": str(self.folder)}

    def others(self, name: str = "other") -> list[dict[str, Any]]:
        """Return four players that play legally: victims, or Python bots if there is no compiler."""
        command = [self.python, "-I", "-S", str(self.folder / "rival" / "bot.py")]
        if not self.missing:
            command = [self.program("victim")]
        return [self.player(f"{name}{seat}", *command) for seat in range(4)]

    def job(self, tier: str, players: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
        """Return a job for the worker: one deal of one card, with small limits."""
        job = {"tier": tier, "players": players, "deals": [[1, 0]], "time": SHORT}
        return job | {"memory_bytes": MEMORY_BYTES} | changes

    def ask(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """Have the worker play a job; return its report, or an `error`. A worker that ended is replaced."""
        if self._worker is None:
            self._worker = self._start_worker()
            self.ask(self.job("plain", self.others()))
        worker = self._worker
        assert worker.stdin is not None
        assert worker.stdout is not None
        with suppress(OSError):
            worker.stdin.write(json.dumps(job) + "\n")
            worker.stdin.flush()
        told = ""
        if select.select([worker.stdout], [], [], HUNG_SECONDS)[0]:
            told = worker.stdout.readline()
        if not told.endswith("\n"):
            self._end_worker(at_once=True)
            return {"error": f"the table's process ended, or reported nothing for {HUNG_SECONDS} s"}
        answer: dict[str, Any] = json.loads(told)
        return answer

    def _start_worker(self) -> subprocess.Popen[str]:
        """Start the worker in the folder, as `user` if given, in a new session."""
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        if self._library:
            env["PYTHONPATH"] = self._library
        other: dict[str, Any] = (
            {} if self._user is None else {"user": self._user, "group": self._user, "extra_groups": []}
        )
        # In a new session, so that Ctrl-C does not reach it and it ends after its match.
        return subprocess.Popen(
            [self.python, "-P", "-m", "arbiter.trials.sandboxcheck.attack_worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self.folder, env=env,
            start_new_session=True, **other,
        )  # fmt: skip

    def write_unread_files(self) -> None:
        """Write files that were never read, and one of many pages of which none is in memory."""
        folder = self.folder / "attacker"
        shutil.rmtree(folder / "letters", ignore_errors=True)
        (folder / "letters").mkdir()
        for place in range(LETTERS):
            (folder / "letters" / f"{place:02}").write_text("x")
        with open(folder / "pages", "wb") as file:
            file.truncate(LETTERS * PAGES * 4096)
        for path in (folder / "letters", folder / "pages"):
            self._chown_to_user(path)

    def remove_leftovers(self) -> None:
        """Delete what matches left in the attacker's folders."""
        (self.folder / "attacker" / "own").unlink(missing_ok=True)
        for path in (self.folder / "scratch").iterdir():
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()

    def close(self) -> None:
        """End the worker after its match, and remove the folder and attacks' files outside."""
        try:
            self._end_worker()
        finally:
            shutil.rmtree(self.folder)
            for folder in {*map(Path, OUTSIDE), home(), self.folder.parent}:
                for path in folder.glob(f"arbiter-attack-{self.word}*"):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _end_worker(self, at_once: bool = False) -> None:
        """Wait for the worker's match and its end; kill it `at_once`, or after `HUNG_SECONDS`."""
        worker, self._worker = self._worker, None
        if worker is None:
            return
        if at_once:
            worker.kill()
        try:
            worker.communicate(timeout=HUNG_SECONDS)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.communicate()

    def _chown_to_user(self, path: Path) -> None:
        if self._user is not None:
            os.chown(path, self._user, self._user)


def home() -> Path:
    """Return the user's home, or a folder that does not exist."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/nonexistent")
