"""Every attack of bots/faulty ends as the tables of its README say, by tier, and harms nobody else."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.clock import TimeControl
from tests.table.sandbox.test_keeper import PLAY_IN_A_SHELL
from tests.tiers import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]
FAULTY = ROOT / "bots" / "faulty"
BUILD = FAULTY / "build"
SYSTEM_PYTHON = "/usr/bin/python3"
NOBODY = 65534
MS = 1_000_000
TRIES, MEASURED = 3, 8
SHORT, LONG, GRACE_NS = "300ms", "2s", 50 * MS
"""Times: of an attack that uses all of it, and of one that ends otherwise, however busy the machine is."""
START_NS = {"never_read": 300 * MS}
MEMORY_BYTES = 200_000_000
MOST_GROWTH_BYTES = 1_000_000
STEP_KB = 160
"""Of two memories that are the same: the kernel counts up to 32 pages of a kind late."""
COMMANDS = 16
"""To each seat, in a match of one deal of one card."""
VOID = "void: "
WITH_GROUPS = "; with control groups "
ARGUMENTS = ("rival={rival}", "referee={referee}", "launcher={launcher}", f"commands={COMMANDS}")
MEGABYTES = {"six_children": 20}
ME, ORDINARY = "me", "an ordinary user"
SEATINGS = [(ME, tier) for tier in ("plain", "landlock")] + [(ORDINARY, "landlock")]


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading of the README, without the two rows on top."""
    section = (FAULTY / "README.md").read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def by_tier(cells: list[str]) -> dict[str, str]:
    return dict(zip(("plain", "landlock"), cells, strict=True))


ENDS = {row[0].strip("`"): by_tier(row[2:]) for row in rows("How a match with an attack ends")}
PROGRAMS = {row[0].strip("`"): by_tier(row[2:]) for row in rows("Programs that are no bots")}
ATTEMPTS: dict[str, dict[str, dict[str, str]]] = {}
for attack, attempt, *cells in rows("What an attack may do"):
    ATTEMPTS.setdefault(attack.strip("`"), {})[attempt] = by_tier(cells)


SCRIPTS = ("attack.py", "whisper.py", "linger.py")
REGISTERED = {
    script: set(re.findall(r'^@at\("\w+"\)\ndef (\w+)', (FAULTY / script).read_text(), re.MULTILINE))
    for script in SCRIPTS
}
LINGERING = {row[0].strip("`"): row[2] for row in rows("What an attack may take from who thinks")}
MOST_TAKEN = re.compile(r"at most (\d+) %")
PAIRS = {
    ("offer", "accept"): "What two bots may do together",
    ("hear", "speak"): "What two bots may tell each other",
    ("queue", "count"): "What a bot may count",
}


@dataclass(frozen=True)
class Place:
    """Who plays, with what and where."""

    python: str
    folder: Path
    ask: Callable[[dict[str, Any]], dict[str, Any]]

    def attack(self, name: str, *arguments: str) -> dict[str, Any]:
        """The attacker as a player."""
        own = self.folder / "attacker" / "own"
        if not own.exists():
            own.write_text("x")
            own.chmod(0o666)
        given = [
            *ARGUMENTS, *arguments,
            f"mb={MEGABYTES.get(name, 400)}", f"file={self.folder}/rival/program",
            f"word={self.folder.name}", f"scratch={self.folder}/scratch", f"own={own}", f"port={20_000 + os.getpid() % 20_000}",
        ]  # fmt: skip
        (of,) = (script for script, names in REGISTERED.items() if name in names)
        script = str(self.folder / "attacker" / of)
        return self.player("attacker", self.python, "-I", "-S", script, name, *given)

    def player(self, name: str, *command: str) -> dict[str, Any]:
        return {"name": name, "command": command, "folder": str(self.folder)}

    def others(self, name: str = "other") -> list[dict[str, Any]]:
        """Four of them that play legally: victims, or Python bots where there is no compiler."""
        victim = self.folder / "rival" / "victim"
        command = (
            (str(victim),)
            if victim.exists()
            else (self.python, "-I", "-S", str(self.folder / "rival" / "bot.py"))
        )
        return [self.player(f"{name}{seat}", *command) for seat in range(4)]


@pytest.fixture(scope="module")
def places() -> Iterator[Callable[[str], Place]]:
    """A worker for each kind of user, started when it is first wanted; all gone at the end."""
    folders: list[Path] = []
    workers: list[subprocess.Popen[str]] = []
    made: dict[str, Place] = {}

    def place(who: str) -> Place:
        if who not in made:
            if who == ORDINARY and (missing := no_ordinary_user()):
                pytest.skip(missing)
            folder = Path(tempfile.mkdtemp(prefix="arbiter-attacks-"))
            folders.append(folder)
            furnish(folder)
            python = SYSTEM_PYTHON if who == ORDINARY else sys.executable
            user: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            worker = subprocess.Popen(
                [python, "-m", "arbiter.attack.worker"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder,
                env={**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
                **(user if who == ORDINARY else {}),
            )  # fmt: skip
            workers.append(worker)

            def ask(job: dict[str, Any]) -> dict[str, Any]:
                assert worker.stdin is not None and worker.stdout is not None
                worker.stdin.write(json.dumps(job) + "\n")
                worker.stdin.flush()
                return json.loads(worker.stdout.readline())

            made[who] = Place(python, folder, ask)
            ask(job_for(made[who], "plain", made[who].others()))
        return made[who]

    yield place
    for worker in workers:
        worker.communicate()
    for folder in folders:
        shutil.rmtree(folder)


def no_ordinary_user() -> str:
    """Why no match can be played as an ordinary user; "" if it can."""
    if os.geteuid() != 0:
        return "not root: the tests run as an ordinary user anyway"
    asked = "import sys, ctypes, hashlib; sys.exit(sys.version_info < (3, 11))"
    try:
        done = subprocess.run(
            [SYSTEM_PYTHON, "-c", asked], user=NOBODY, group=NOBODY, extra_groups=[], check=False
        )
    except OSError as error:
        return f"nothing can be run as user {NOBODY}: {error}"
    return f"{SYSTEM_PYTHON} is not Python >= 3.11" if done.returncode else ""


def furnish(folder: Path) -> None:
    """What a worker and its bots need, readable for every user."""
    folder.chmod(0o755)
    shutil.copytree(ROOT / "arbiter", folder / "arbiter", ignore=shutil.ignore_patterns("__pycache__"))
    for name, mode in ("attacker", 0o777), ("rival", 0o755), ("scratch", 0o777):
        (folder / name).mkdir()
        (folder / name).chmod(mode)
    for name in SCRIPTS:
        shutil.copy(FAULTY / name, folder / "attacker")
    shutil.copy(ROOT / "bots" / "python" / "planning_random.py", folder / "rival" / "bot.py")
    (folder / "rival" / "bot.sh").write_text(PLAY_IN_A_SHELL)
    for name, to in ("victim", "rival"), ("raw", "attacker"), ("memory", "attacker"):
        if (BUILD / name).exists():
            shutil.copy(BUILD / name, folder / to)
    for name, text in {
        "rival/program": "secret",
        "attacker/syntax_error.py": "def",
        "attacker/not_executable": "",
    }.items():
        (folder / name).write_text(text)
    (folder / "rival" / "program").chmod(0o755)


def job_for(place: Place, tier: str, players: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """One deal of one card, with small limits."""
    job = {"tier": tier, "players": players, "deals": [[1, 0]], "time": SHORT}
    return job | {"memory_bytes": MEMORY_BYTES} | changes


def play(place: Place, tier: str, attacker: dict[str, Any], expected: str, **changes: Any) -> dict[str, Any]:
    """What came of a match against an attacker in seat 1.

    Played again where time ran out that the attack does not take: what the hypervisor steals is in
    nobody's account.
    """
    need(tier)
    players = place.others()
    players[1] = attacker
    changes = {"time": time_of(expected), **changes}
    for _ in range(TRIES):
        outcome = place.ask(job_for(place, tier, players, **changes))
        assert "error" not in outcome, outcome
        if expected.startswith(VOID):
            break
        assert outcome["void"] is None
        forfeit = outcome["record"]["forfeit"]
        late = forfeit is not None and forfeit["fault"] == "timeout" and "timeout" not in expected
        if not late and taken_ns(outcome) <= most_ns(expected):
            break
    return outcome


def time_of(expected: str) -> str:
    """The time of a match that ends like this."""
    return SHORT if "timeout" in expected else LONG


def most_ns(expected: str) -> int:
    """That an attacker may be charged, and that it may take to be rid of it."""
    return TimeControl.parse(time_of(expected)).budget_ns + GRACE_NS


def taken_ns(outcome: dict[str, Any]) -> int:
    """What the attacker was charged, and how long it took to be rid of it."""
    bot = outcome["record"]["bots"][1]
    waited_ns = outcome["kill_ns"] if "did not end on quit" not in bot["notes"] else 0
    return int(bot["charged_ns"] + waited_ns)


def assert_ends(outcome: dict[str, Any], expected: str) -> None:
    """The match ended as it should, in time, with nothing left behind and nobody else harmed."""
    if expected.startswith(VOID):
        assert expected.removeprefix(VOID) in outcome["void"]
        assert outcome["left"] == []
        return
    record = outcome["record"]
    without, _, with_groups = expected.partition(WITH_GROUPS)
    if with_groups and "cgroup" in record["isolation"]:
        without = with_groups
    bots, forfeit = record["bots"], record["forfeit"]
    if without == "goes on":
        assert forfeit is None, forfeit
        assert len(record["moves"]) == 8
    else:
        kind, _, words = without.partition(": ")
        assert forfeit is not None, bots[1]
        assert (forfeit["player"], forfeit["fault"]) == ("attacker", kind), forfeit
        assert all(part in forfeit["detail"] for part in words.split(" ... ")), forfeit
    assert taken_ns(outcome) <= most_ns(expected)
    assert_nobody_is_harmed(outcome)


def assert_nobody_is_harmed(outcome: dict[str, Any]) -> None:
    """Nothing is left, the referee has not grown, and the other three are as they were."""
    assert outcome["left"] == []
    assert outcome["growth_bytes"] < MOST_GROWTH_BYTES
    for seat in (0, 2, 3):
        report = outcome["record"]["bots"][seat]
        assert report["exit"] in (None, 0), report
        told = re.fullmatch(r"nice (-?\d+), cores (\d+), descriptors \d+\n", report["stderr_tail"])
        assert told is None or told[1] == "0", report


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize(("who", "tier"), SEATINGS)
def test_a_match_with_an_attack_ends_as_the_table_says(
    who: str, tier: str, name: str, places: Callable[[str], Place]
) -> None:
    place = places(who)
    changes: dict[str, Any] = {"end": "quit"} if name == "deaf_to_quit" else {}
    if name in START_NS:
        changes["start_ns"] = START_NS[name]
    outcome = play(place, tier, place.attack(name), ENDS[name][tier], **changes)
    assert_ends(outcome, ENDS[name][tier])
    bot = outcome["record"]["bots"][1]
    assert len(bot["stderr_tail"].encode()) <= 4096
    if name == "deaf_to_quit":
        # A second of politeness, where the config asks for it.
        assert bot["notes"] == ["did not end on quit"]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("who", "tier"), SEATINGS)
def test_a_program_that_is_no_bot_ends_the_match_as_the_table_says(
    who: str, tier: str, name: str, places: Callable[[str], Place]
) -> None:
    place = places(who)
    expected = PROGRAMS[name][tier]
    if not expected:
        pytest.skip(f"{name}: it depends on the machine")
    program, *arguments = name.split()
    own = place.folder / "attacker" / program
    if program == "raw" and not own.exists():
        pytest.skip("no C compiler: bots/faulty is not built (make bots)")
    if program.endswith(".py"):
        command = [place.python, "-I", "-S", str(own)]
    elif program in ("true", "cat"):
        command = [program]
    else:
        command = [str(own), *arguments]
    outcome = play(place, tier, place.player("attacker", *command), expected)
    assert_ends(outcome, expected)
    if program.endswith(".py"):
        assert expected.partition(": ")[2] in outcome["record"]["bots"][1]["stderr_tail"]


@pytest.mark.parametrize("name", ATTEMPTS)
@pytest.mark.parametrize(("who", "tier"), SEATINGS)
def test_attempts_are_denied_by_name_of_error(
    who: str, tier: str, name: str, places: Callable[[str], Place]
) -> None:
    place = places(who)
    outcome = play(place, tier, place.attack(name), "goes on")
    assert_ends(outcome, "goes on")
    assert_told(outcome["record"]["bots"][1]["stderr_tail"], ATTEMPTS[name], tier)
    rival = outcome["bystander"]
    if tier != "plain":
        assert rival["state"] == "S"
        assert (rival["nice"], rival["policy"]) == (0, 0)
        assert rival["cores"] == rival["all_cores"]
        assert rival["descriptors"] == rival["all_descriptors"]
    (place.folder / "attacker" / "own").unlink(missing_ok=True)
    empty(place.folder / "scratch")


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize(("who", "tier"), SEATINGS)
def test_bots_cannot_talk_to_each_other(
    who: str, tier: str, pair: tuple[str, str], places: Callable[[str], Place]
) -> None:
    place = places(who)
    players = place.others()
    players[1], players[2] = place.attack(pair[0]), place.attack(pair[1]) | {"name": "accomplice"}
    need(tier)
    outcome = place.ask(job_for(place, tier, players))
    assert outcome["record"]["forfeit"] is None, outcome
    if (
        "queue" in pair
        and tier == "landlock"
        and "its own" not in str(outcome["record"]["isolation"].get("user"))
    ):
        pytest.skip("no stage, or a kernel that counts by number alone: bots share a user")
    told = "".join(outcome["record"]["bots"][seat]["stderr_tail"] for seat in (1, 2))
    assert_told(told, {row[0]: by_tier(row[1:]) for row in rows(PAIRS[pair])}, tier)
    empty(place.folder / "scratch")


@pytest.mark.parametrize(("who", "tier"), SEATINGS)
def test_nothing_is_remembered_from_match_to_match(
    who: str, tier: str, places: Callable[[str], Place]
) -> None:
    place = places(who)
    lay_out_letters(place.folder / "attacker")
    told = []
    for arguments in (("write=1",), ()):
        outcome = play(place, tier, place.attack("remember", *arguments), "goes on")
        assert_ends(outcome, "goes on")
        told.append(outcome["record"]["bots"][1]["stderr_tail"])
    found = dict(line.rsplit(": ", 1) for line in told[1].splitlines())
    expected = {row[0]: by_tier(row[1:])[tier] for row in rows("What a bot may remember")}
    assert {way: found[way] for way, cell in expected.items() if cell} == {
        way: cell for way, cell in expected.items() if cell
    }
    if tier != "plain":
        assert told[0].splitlines()[0] == told[1].splitlines()[0]


@pytest.mark.parametrize(("who", "tier"), SEATINGS)
def test_the_memory_of_who_starts_bots_tells_nothing_of_earlier_matches(
    who: str, tier: str, places: Callable[[str], Place]
) -> None:
    place = places(who)
    program = place.folder / "attacker" / "memory"
    if not program.exists():
        pytest.skip("no C compiler: bots/faulty is not built (make bots)")
    (row,) = rows("What a bot may learn of an earlier match")
    assert by_tier(row[1:])[tier] == "the same"
    leaves = [place.player(f"leaves{seat}", str(program), "leave") for seat in range(4)]
    looks = place.player("attacker", str(program), "look")

    def least() -> int:
        """Of three matches: the kernel counts pages in steps."""
        told = [play(place, tier, looks, "goes on")["record"]["bots"][1]["stderr_tail"] for _ in range(3)]
        assert {text.partition(": ")[0] for text in told} == {row[0]}
        return min(int(text.partition(": ")[2]) for text in told)

    before = least()
    outcome = place.ask(job_for(place, tier, leaves, time=LONG))
    assert outcome["record"]["forfeit"] is None, outcome["record"]["forfeit"]
    assert abs(least() - before) < STEP_KB


@pytest.mark.parametrize("who", [ME, ORDINARY])
def test_a_bot_sees_the_same_whether_it_is_tried_or_plays_with_others(
    who: str, places: Callable[[str], Place]
) -> None:
    place = places(who)
    need("landlock")
    if (shell := shutil.which("bash", path="/bin:/usr/bin")) is None:
        pytest.skip("no bash, of which others would bring files")
    alone = place.others()
    alone[1] = place.attack("survey")
    in_a_shell = place.player("shell", shell, str(place.folder / "rival" / "bot.sh"))
    told = []
    for changes, players in (
        ({"tried": True}, alone),
        ({}, [in_a_shell, *alone[2:], alone[0]]),
        ({}, [in_a_shell, *alone[1:]]),
    ):
        outcome = place.ask(job_for(place, "landlock", players, time=LONG, **changes))
        assert_nobody_is_harmed(outcome)
        assert outcome["record"]["forfeit"] is None, outcome["record"]["forfeit"]
        if "system" not in outcome["record"]["isolation"]:
            pytest.skip("no stage")
        told.append(outcome["record"]["bots"][1]["stderr_tail"].splitlines())
    expected = {row[0]: row[2] for row in rows("What a bot may learn of where it plays")}
    tried, played = (dict(line.split(": ", 1) for line in lines) for lines in (told[0], told[-1]))
    assert set(tried) == set(expected)
    assert {what: played[what] == tried[what] for what in tried} == {
        what: cell == "the same" for what, cell in expected.items()
    }


def lay_out_letters(folder: Path) -> None:
    """Files that nobody has read yet, and one of many pages of which none is in memory."""
    shutil.rmtree(folder / "letters", ignore_errors=True)
    (folder / "letters").mkdir()
    for place in range(32):
        (folder / "letters" / f"{place:02}").write_text("x")
    with open(folder / "pages", "wb") as file:
        file.truncate(32 * 64 * 4096)
    for path in (folder, folder / "letters", folder / "pages"):
        path.chmod(0o777)


def assert_told(told: str, table: dict[str, dict[str, str]], tier: str) -> None:
    """What a bot told of its attempts, line by line; a cell may name what comes with and without a stage, or say
    that nothing is told.
    """
    found = dict(line.rsplit(": ", 1) for line in told.splitlines())
    assert set(found) <= set(table)
    expected = {attempt: cells[tier].split(" or ") for attempt, cells in table.items() if cells[tier]}
    wrong = {attempt: found.get(attempt, "silence") for attempt in expected}
    assert {attempt: came for attempt, came in wrong.items() if came not in expected[attempt]} == {}


def empty(folder: Path) -> None:
    """Remove what an attack under `plain` has left."""
    for path in folder.iterdir():
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


DISTURBERS = {
    "plain": ("spinning_threads", "spinning_children", "noisy_threads"),
    "landlock": ("spinning_threads", "error_flood", "noisy_threads"),
}


@pytest.mark.parametrize(("who", "tier"), SEATINGS)
def test_a_victim_is_charged_the_same_whoever_sits_with_it(
    who: str, tier: str, places: Callable[[str], Place]
) -> None:
    place = places(who)
    if not (place.folder / "rival" / "victim").exists():
        pytest.skip("no C compiler: bots/faulty is not built (make bots)")
    need(tier)
    alone = place.others("victim")
    beset = [alone[0], *(place.attack(name) | {"name": name} for name in DISTURBERS[tier])]
    # Worker and bots on one core, as in a season.
    changes = {"deals": [[6, 0]], "time": "20s", "core": min(os.sched_getaffinity(0))}
    charged: list[tuple[int, ...]] = []
    for _ in range(3 * MEASURED):
        pair = []
        for players in (alone, beset):
            outcome = place.ask(job_for(place, tier, players, **changes))
            assert outcome["record"]["forfeit"] is None, outcome["record"]["forfeit"]
            pair.append(outcome["record"]["bots"][0]["charged_ns"])
            assert outcome["left"] == []
        charged.append(tuple(pair))
        # What the hypervisor steals, and other programs' use of the caches, only ever adds.
        least_alone, least_beset = map(min, zip(*charged, strict=True))
        if abs(least_beset / least_alone - 1) <= 0.05:
            return
    pytest.fail(f"charged alone and beset: {charged}")


@pytest.mark.parametrize("name", LINGERING)
@pytest.mark.parametrize("who", [ME, ORDINARY])
def test_who_is_not_to_move_takes_little_from_who_thinks(
    who: str, name: str, places: Callable[[str], Place]
) -> None:
    place = places(who)
    victim = place.folder / "rival" / "victim"
    if not victim.exists():
        pytest.skip("no C compiler: bots/faulty is not built (make bots)")
    need("landlock")
    players = [place.player(f"victim{seat}", str(victim), "30") for seat in range(4)]
    players[1] = place.attack(name)
    changes = {"deals": [[3, 0]], "time": "20s", "core": min(os.sched_getaffinity(0))}
    expected = MOST_TAKEN.fullmatch(LINGERING[name])
    assert expected is not None
    shares = []
    for _ in range(MEASURED):
        outcome = place.ask(job_for(place, "landlock", players, **changes))
        assert_nobody_is_harmed(outcome)
        assert outcome["record"]["forfeit"] is None, outcome["record"]["forfeit"]
        taken, thought = outcome["beside"]["taken"], outcome["beside"]["thought"]
        # Twelve decisions of 30 ms.
        assert thought > 350 * MS
        shares.append(taken / thought)
        # The referee's looks come late where the core has other things to do.
        if shares[-1] <= int(expected[1]) / 100:
            return
    pytest.fail(f"took {shares} of what others needed to think")


def test_every_attack_stands_in_the_table() -> None:
    together = {name for pair in PAIRS for name in pair}
    assert set.union(*REGISTERED.values()) == {*ENDS, *ATTEMPTS, *LINGERING, *together, "remember", "survey"}
