"""An inspection ends in a version that is whole, or in none; its steps say why, in words of ours or the bot's."""

from __future__ import annotations

import errno
import json
import os
import platform
import random
import re
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from arbiter.contest.submissions import inspection
from arbiter.contest.submissions import trial_matches as trial
from arbiter.contest.submissions.build_recipe import Program
from arbiter.contest.submissions.inspection import InspectionVerdict, inspect
from arbiter.contest.submissions.inspection_steps import InspectionStep, longest_trial
from arbiter.contest.submissions.languages import missing_program_advice
from arbiter.contest.submissions.trial_matches import TriedProgram
from arbiter.errors import ConfigError, StoreError, VoidMatch
from arbiter.match.clock import TimeControl
from arbiter.match.position import Position
from arbiter.sandbox.build import problem
from arbiter.sandbox.tiers import choose
from arbiter.season.config import Config, load
from arbiter.table.conductor import close_table
from arbiter.trials.botcheck.whole_match import SEED
from tests.contest.submissions.archives import packed
from tests.fixtures.commands import BOTS, COMPILED
from tests.trials.botcheck.beginners import source_of

pytestmark = pytest.mark.process
confined = pytest.mark.skipif(choose("auto")[0] == "plain", reason="this machine has no tier above plain")
STEPS = ["unpacked", "built", "checked", "matches"]
RANDOM = (BOTS / "planning_random.py").read_text()
GOOD: dict[str, str | bytes] = (
    {"bot.yaml": "command: [./bot]\n", "bot": COMPILED.read_bytes()}
    if COMPILED.exists()
    else {"bot.py": RANDOM}
)
"""A bot that starts in 2 ms where there was a compiler."""
FAILING = "import sys\nprint(__file__, 'is where it fails', file=sys.stderr)\nsys.exit(3)\n"
SEASON = """
game: {name: planning, deals: [[1, 0]]}
store: sqlite:///season.sqlite
house_bots: [filler]
players:
  - {name: filler, command: [HOUSE], house: true}
  - {name: bob, command: [HOUSE]}
"""


class Inspector:
    """Inspects archives for a season; `reported_steps` are the steps of the last one."""

    def __init__(self, folder: Path) -> None:
        self.root, self.folder = folder, folder / "season.submissions" / "ann" / "1"
        (folder / "house").mkdir()
        self.reported_steps: list[InspectionStep] = []
        self.use(GOOD)

    def use(self, house: dict[str, str | bytes]) -> None:
        """Play against a house bot of these files."""
        for name, content in house.items():
            path = self.root / "house" / name
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            path.chmod(0o755)
        words = "./house/bot" if "bot" in house else "python3, house/bot.py"
        (self.root / "season.yaml").write_text(SEASON.replace("HOUSE", words))

    def says(self, line: str) -> None:
        """Add a line to the season's file."""
        file = self.root / "season.yaml"
        file.write_text(f"{file.read_text()}{line}\n")

    @property
    def config(self) -> Config:
        return load(self.root / "season.yaml")

    def inspect(
        self, files: dict[str, str | bytes], tell: Callable[[InspectionStep], None] = lambda _: None
    ) -> InspectionVerdict:
        (self.root / "sent.zip").write_bytes(packed(files))
        self.reported_steps = []

        def hear(step: InspectionStep) -> None:
            self.reported_steps.append(step)
            tell(step)

        return inspect(self.root / "sent.zip", self.folder, self.config, "ann", hear)

    def refused(self, files: dict[str, str | bytes]) -> InspectionStep:
        """The step that refused these files; nothing is left of them."""
        verdict = self.inspect(files)
        assert (verdict.state, verdict.program) == ("refused", None)
        assert [step.ok for step in verdict.steps] == [True] * (len(verdict.steps) - 1) + [False]
        assert self.left() == []
        return verdict.steps[-1]

    def left(self) -> list[str]:
        return sorted(path.name for path in self.folder.parent.iterdir())


@pytest.fixture
def inspector(tmp_path: Path) -> Inspector:
    return Inspector(tmp_path)


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are neither checked nor played."""
    monkeypatch.setattr(inspection, "check", lambda _: "")
    monkeypatch.setattr(inspection, "play_matches", lambda *_: "")


def accepted(inspector: Inspector, files: dict[str, str | bytes] = GOOD) -> Program:
    program = inspector.inspect(files).program
    assert program is not None
    return program


def test_a_good_bot_is_accepted_step_by_step_and_whole(inspector: Inspector) -> None:
    verdict = inspector.inspect(GOOD)
    assert verdict.state == "accepted"
    assert [step.name for step in inspector.reported_steps] == STEPS
    assert all(step.ok and not step.fix for step in inspector.reported_steps)
    assert list(verdict.steps) == inspector.reported_steps
    assert "against filler, filler#2, filler#3: complete" in verdict.steps[-1].detail
    program = verdict.program
    assert inspector.left() == ["1"]
    assert program is not None
    assert set(program.files) == {f"source/{name}" for name in GOOD}
    player = program.player("ann@1", inspector.folder)
    assert all(Path(file).is_relative_to(inspector.folder) and Path(file).is_file() for file in player.files)


def test_what_a_program_writes_when_it_is_tried_is_no_part_of_it(
    inspector: Inspector, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play(trial: TriedProgram, _house: object) -> str:
        Path(trial.player.folder, "games.txt").write_text("lost")
        return ""

    monkeypatch.setattr(inspection, "check", lambda _: "")
    monkeypatch.setattr(inspection, "play_matches", play)
    program = accepted(inspector)
    assert set(program.files) == {f"source/{name}" for name in GOOD}


@pytest.mark.skipif(bool(problem()), reason=f"nothing can be built here: {problem()}")
@pytest.mark.usefixtures("untried")
def test_what_was_built_counts_by_its_digest(inspector: Inspector) -> None:
    program = accepted(inspector, {"Makefile": "bot:\n\tcp Makefile bot\n"})
    assert program.files["source/bot"] == program.files["source/Makefile"]


def test_sources_are_refused_where_the_season_builds_nothing(inspector: Inspector) -> None:
    inspector.says("submissions: {builds: false}")
    step = inspector.refused({"main.c": "int main(void) { return 0; }"})
    assert (step.name, step.detail[:18]) == ("built", "it needs a build (")


def test_an_archive_that_is_none_is_refused(inspector: Inspector) -> None:
    inspector.says("submissions: {max_size: 1KB}")
    step = inspector.refused({"bot.py": random.Random(1).randbytes(2000)})
    assert step.name == "unpacked"
    assert step.detail.endswith("the limit is 1,000")


SPY = """
import sys
from pathlib import Path
season = Path("ROOT")
found = []
for name in ("season.sqlite", "season.yaml", "season.submissions", "data"):
    try:
        [*(season / name).iterdir()] if (season / name).is_dir() else (season / name).read_bytes()
        found.append(name)
    except OSError:
        pass
print("reached", *found, "by", sys.executable, file=sys.stderr)
sys.exit(3)
"""


@confined
@pytest.mark.parametrize("library", ["lib", ".local/lib"])
def test_a_program_reaches_nothing_of_a_season_that_lies_around_an_interpreter_on_our_path(
    inspector: Inspector, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    prefix = (inspector.root / library).parent
    for folder in ("bin", "lib"):
        (prefix / folder).mkdir(parents=True)
    (prefix / "pyvenv.cfg").write_text("home = /usr/bin\n")
    (prefix / "bin" / "python3").symlink_to(sys.executable)
    (inspector.root / "season.sqlite").write_text("the seed")
    monkeypatch.setenv("PATH", f"{prefix}/bin:{os.environ['PATH']}")
    spy = SPY.replace("ROOT", str(inspector.root))
    step = inspector.refused({"bot.py": spy})
    assert (step.name, "reached by /usr" in step.detail) == ("checked", True), step
    if not problem():
        step = inspector.refused({"bot.yaml": "command: [./bot]\nbuild: [python3, spy.py]\n", "spy.py": spy})
        assert (step.name, "reached by /usr" in step.output) == ("built", True), step


@confined
def test_a_program_reads_what_its_seasons_languages_name(inspector: Inspector) -> None:
    (inspector.root / "data").mkdir()
    inspector.says(f"languages: {{python3: {{program: {sys.executable}, read: [data]}}}}")
    step = inspector.refused({"bot.py": SPY.replace("ROOT", str(inspector.root))})
    assert f"reached data by {sys.executable}" in step.detail


def test_whose_program_lacks_a_module_is_told_what_this_machine_has(inspector: Inspector) -> None:
    inspector.says(f"languages: {{python3: {sys.executable}}}")
    step = inspector.refused({"bot.py": "import no_such_module\n"})
    assert step.fix.startswith(f"python3 {platform.python_version()} runs here, with numpy {np.__version__}")
    assert step.fix.endswith("put other modules into the archive, or ask the organiser for them")
    assert "read:" not in step.fix + step.detail + step.output


def test_whose_command_names_no_program_is_told_which_there_are(inspector: Inspector) -> None:
    step = inspector.refused({"bot.yaml": "command: [cobol, bot.cob]\n"})
    assert (step.name, step.detail) == ("built", "there is no program cobol in PATH")
    assert re.match(
        r"this machine has .*bash \d.*: name one of them, or ask the organiser for more", step.fix
    )


@pytest.mark.parametrize("missing", ["cobol", ""])
@pytest.mark.parametrize("said", ["there is no program cobol in PATH", "", "all is well"])
def test_which_programs_there_are_is_told_where_one_is_missing_whatever_is_said(
    inspector: Inspector, said: str, missing: str
) -> None:
    told = missing_program_advice(load(inspector.root / "season.yaml"), "cobol", said, missing)
    assert told.startswith("this machine has ") is bool(missing)


@confined
def test_nothing_is_started_where_an_interpreter_opens_the_store(inspector: Inspector) -> None:
    for folder in ("bin", "share"):
        (inspector.root / folder).mkdir()
    (inspector.root / "pyvenv.cfg").write_text("")
    (inspector.root / "bin" / "python3").symlink_to(sys.executable)
    inspector.says("languages: {python3: bin/python3}")
    file = inspector.root / "season.yaml"
    file.write_text(file.read_text().replace("season.sqlite", "share/season.sqlite"))
    with pytest.raises(ConfigError, match=r"the store is in \S+/share, which ann may read"):
        inspector.inspect({"bot.py": SPY})


def test_a_bot_that_fails_is_refused_with_its_own_words_and_the_fix(inspector: Inspector) -> None:
    step = inspector.refused({"bot.py": FAILING})
    assert (step.name, step.detail) == (
        "checked",
        "starts: it exited with status 3: bot.py is where it fails",
    )
    assert step.fix.startswith("make the program run and answer the first command in time")
    assert "stderr: bot.py is where it fails" in step.output


ABROAD = "import sys\nsys.stderr.write('PermissionError: no')\nsys.exit(1)\n"
SLOW = "import time\nfor _ in iter(input, ''): time.sleep(99)\n"
GREEDY = "block = 'x' * (1 << 30)\n"


@pytest.mark.skipif(choose("auto")[0] == "plain", reason="nothing is refused to bots here")
@pytest.mark.parametrize(
    ("program", "said"), [(ABROAD, "; this season refuses "), (GREEDY, "use less memory"), (SLOW, "standard")]
)
def test_a_verdict_advises_what_its_author_can_do(inspector: Inspector, program: str, said: str) -> None:
    inspector.says("time: 1s\nstart_time: 1s\nmemory: 100MB")
    step = inspector.refused({"bot.py": program})
    told = f"{step.detail} {step.fix} {step.output}"
    assert said in step.fix
    assert not [
        word for word in ("--isolation", "--time", "--memory", "--read", "read:", "docs/") if word in told
    ]


def test_no_step_shows_a_path_of_ours(inspector: Inspector) -> None:
    inspector.refused({"bot.py": "import os\nprint(os.getcwd())\n" + FAILING})
    inspector.reported_steps += inspector.inspect(
        {"bot.yaml": "command: [./run]\n", "run": "#!/no/such/program\n"}
    ).steps
    shown = json.dumps([asdict(step) for step in inspector.reported_steps])
    assert str(inspector.root) not in shown
    assert "Traceback" not in shown


def test_texts_of_a_bot_steer_no_terminal_and_are_cut(inspector: Inspector) -> None:
    text = "import sys\nsys.stderr.write('\\x1b[2J' + 'x' * 3000)\nsys.exit(1)\n"
    step = inspector.refused({"bot.py": text})
    assert "\x1b" not in step.detail + step.output
    assert len(step.detail) <= 1000


def test_a_fault_in_a_match_refuses_with_the_referees_words(
    inspector: Inspector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspection, "check", lambda _: "")
    step = inspector.refused({"bot.py": FAILING})
    assert step.name == "matches"
    assert step.detail.startswith("crash: it exited with status 3")
    assert step.fix == "read its standard error; at home arbiter console plays the match by hand"
    assert step.output == "bot.py is where it fails\n"


def test_a_bot_that_knows_the_cards_of_a_check_at_home_meets_others_in_its_inspection(
    inspector: Inspector,
) -> None:
    text = (inspector.root / "season.yaml").read_text()
    (inspector.root / "season.yaml").write_text(text.replace("[[1, 0]]", "[[9, 0]]"))
    position = Position.opening(inspector.config.game, SEED)
    known = [told.command for told in position.news if told.command.startswith("set_cards")]
    assert len(known) == 4
    loop = "for line in sys.stdin:\n"
    wary = f"{loop}    if line.startswith('set_cards') and line.strip() not in {known!r}:\n"
    wary += "        sys.exit('these are not the cards of the check')\n"
    assert loop in RANDOM
    step = inspector.refused({"bot.py": RANDOM.replace(loop, wary)})
    assert step.name == "checked"
    assert "these are not the cards of the check" in step.detail + step.output


def test_a_program_is_tried_on_one_core_as_it_will_play(
    inspector: Inspector, monkeypatch: pytest.MonkeyPatch
) -> None:
    cores = os.sched_getaffinity(0)
    seen: list[set[int]] = []

    def check_bot(_: object) -> tuple[()]:
        seen.append(os.sched_getaffinity(0))
        return ()

    monkeypatch.setattr(trial, "check_bot", check_bot)
    inspector.inspect(GOOD)
    assert [len(one) for one in seen] == [1]
    assert os.sched_getaffinity(0) == cores


def test_a_fault_of_a_house_bot_refuses_nobody(inspector: Inspector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspection, "check", lambda _: "")
    inspector.use({"bot.py": FAILING})
    verdict = inspector.inspect(GOOD)
    assert verdict.state == "accepted"
    assert "ended by a fault of filler" in verdict.steps[-1].detail


def test_without_house_bots_it_meets_random_players(
    inspector: Inspector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspection, "check", lambda _: "")
    text = (inspector.root / "season.yaml").read_text()
    lines = [line for line in text.splitlines() if "filler" not in line]
    (inspector.root / "season.yaml").write_text("\n".join(lines))
    assert "against random players: complete" in inspector.inspect(GOOD).steps[-1].detail


def test_the_whole_is_bounded_in_time(inspector: Inspector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "longest_trial", lambda _: 0.3)
    step = inspector.refused({"bot.py": "import time\ntime.sleep(60)\n"})
    assert (step.name, step.detail) == ("checked", "check and matches took longer than 0 s in all")


def test_a_trial_takes_no_longer_than_its_matches_may(inspector: Inspector) -> None:
    limits = inspector.config.limits
    assert longest_trial(limits) == 300
    inspector.says("time: 3m")
    assert longest_trial(inspector.config.limits) == 12 * 185
    increments = replace(limits, time=TimeControl.parse("60s+1s"))
    assert longest_trial(increments) == 12 * (60 + 100 + 5)


@pytest.mark.parametrize("failure", [VoidMatch("no memory"), OSError(errno.ENOSPC, "no room")])
@pytest.mark.parametrize("part", ["unpack", "check", "play_matches"])
def test_where_our_side_fails_nothing_is_decided_and_nothing_left(
    inspector: Inspector, part: str, failure: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> str:
        raise failure

    monkeypatch.setattr(inspection, "check", lambda _: "")
    monkeypatch.setattr(inspection, part, fail)
    with pytest.raises((VoidMatch, StoreError), match=r"no (memory|room)"):
        inspector.inspect(GOOD)
    assert inspector.left() == []


def test_nothing_is_inspected_on_a_disk_that_is_nearly_full_or_where_nobody_can_be_isolated(
    inspector: Inspector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspection, "prepare_folder", lambda _, wanted: wanted < 200_000_000)
    with pytest.raises(StoreError, match="less than 400,000,000 bytes are free"):
        inspector.inspect(GOOD)
    monkeypatch.setattr(inspection, "choose", lambda *_: ("plain", ""))
    with pytest.raises(ConfigError, match="no isolation tier above plain"):
        inspector.inspect(GOOD)


def test_a_trial_is_tried_again_where_our_side_failed_once(
    inspector: Inspector, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def walk(subject: object) -> list[object]:
        tries.append(subject)
        if len(tries) == 1:
            raise VoidMatch("the process that starts bots has died")
        return []

    monkeypatch.setattr(trial, "check_bot", walk)
    assert inspector.inspect(GOOD).state == "accepted"
    assert len(tries) == 2


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize("step", STEPS)
def test_killed_at_any_step_it_can_be_run_again(inspector: Inspector, step: str) -> None:
    def die(reported: InspectionStep) -> None:
        if reported.name == step:
            os.kill(os.getpid(), signal.SIGKILL)

    close_table()
    if (child := os.fork()) == 0:
        try:
            inspector.inspect(GOOD, die)
        finally:
            # It must not go on as a second run of the tests.
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert inspector.inspect(GOOD).state == "accepted"
    assert inspector.left() == ["1"]


@pytest.mark.usefixtures("untried")
def test_a_program_is_tried_where_it_will_play(inspector: Inspector, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def check(trial: TriedProgram) -> str:
        tried.extend(trial.player.files)
        return ""

    monkeypatch.setattr(inspection, "check", check)
    program = accepted(inspector)
    assert tried == list(program.player("ann", inspector.folder).files)


@pytest.mark.usefixtures("untried")
def test_what_an_earlier_inspection_left_is_replaced(inspector: Inspector) -> None:
    inspector.inspect({"bot.py": "old", "more.py": ""})
    program = accepted(inspector, {"bot.py": "new"})
    assert set(program.files) == {"source/bot.py"}
    assert [path.name for path in (inspector.folder / "source").iterdir()] == ["bot.py"]


def test_a_module_that_a_program_does_without_is_not_blamed_for_another_fault(inspector: Inspector) -> None:
    inspector.says(f"languages: {{python3: {sys.executable}}}")
    warned = "import sys\nprint('No module named numpy, so it is slower', file=sys.stderr)\n"
    step = inspector.refused({"bot.py": warned + source_of("planning", "bid too high")})
    assert step.fix == "declare no more tricks than the number of cards in set_cards"
