"""`check-bot`: good bots pass every step, and a bot with one fault fails exactly the step that names it."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.match.limits import USUAL
from arbiter.match.spec import Player
from arbiter.trials.botcheck import STEPS, Step, _check_memory, is_required, probes, short_dialogues
from arbiter.trials.botcheck.cures import EXEC, ONE_LINE_LATE
from arbiter.trials.botcheck.short_dialogues import Patience
from arbiter.trials.botcheck.verdicts import escaped
from tests.fixtures.bot_template import WITHOUT_FAULT, source_of_bot
from tests.fixtures.tiers import need

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fixtures.commands import Run

    Write = Callable[[dict[str, str]], Path]


pytestmark = pytest.mark.process

BOTS = Path(__file__).parents[3] / "bots"
PYTHON = (sys.executable, "-I", "-S")
ADVISORY = ("unknown-command", "blank-lines", "line-ends", "same-seed", "batched", "quit", "end-of-input")
"""Without a season that needs them."""
ADVICE = "{}: not needed under these settings: advice, not a failure"
SHORT = ("--option", "deals=[[2, 0], [3, 1]]")

GEN = "if words[0] == 'gen_move': "
DECLARE = "if words[0] == 'gen_declare': "

FAULTS: dict[str, tuple[dict[str, str], str, str]] = {
    # what it does: (how it differs from the good one, the step it fails, words of the line)
    "ends at once": ({"early": "sys.exit(3)"}, "starts", "it exited with status 3"),
    "says nothing": ({"say": "pass"}, "flushes", "it read set_deck and waits for the next command without replying: perhaps it does not flush its output"),
    "says nothing to a request": ({"each": GEN + "continue"}, "matches", "it read gen_move and waits for the next command without replying; sent 'gen_move', got nothing"),
    "keeps the line end and is silent": (
        {"split": "' '", "each": "if words[0].startswith('gen_') and answer[0] == '?': continue"},
        "matches",
        "so it reads the line end as part of the last word; sent 'gen_declare', got nothing; fix: remove",
    ),
    "refuses every word": (
        {"each": "answer = '? ' + words[0]"},
        "opening",
        "every command, gen_declare too, the first with '? set_deck'; sent 'set_deck 23456789TJQKA CDHS', got '? set_deck\\n\\n'",
    ),
    "refuses its cards": (
        {"each": "if words[0] in ('set_cards', 'gen_declare'): answer = '? no ' + words[0]"},
        "matches",
        "refused to answer gen_declare; before that it refused set_cards: '? no set_cards\\n\\n'; sent 'gen_declare'",
    ),
    "starts late": ({"early": "time.sleep(0.7)"}, "starts", "no reply at all"),
    "ends no line": ({"say": "sys.stdout.write(text[:-2]); sys.stdout.flush()"}, "empty-line", "without the end of its line"),
    "forgets the empty line of an answer": (
        {"each": GEN + "answer = answer + '\\n'; os.write(1, answer.encode()); continue"},
        "empty-line",
        "seat 0, after 1 decision: a reply without the empty line",
    ),
    "does not flush its answers": (
        {"each": GEN + "sys.stdout.write(answer + '\\n\\n'); continue"},
        "flushes",
        "no reply while the input was open; the reply came when the input was closed; sent 'gen_move'",
    ),
    "answers with more words": ({"each": GEN + "answer = '= a reply longer than 65536 bytes'"}, "rules", "more than one word in an answer: a reply longer than 65536 bytes"),
    "answers with a NUL byte": ({"each": GEN + "answer = '= longer' + 5000 * ' ' + chr(0)"}, "only-replies", "text that is no reply: a NUL byte in a reply"),
    "answers twice": ({"each": GEN + "answer += '\\n\\n' + answer"}, "only-replies", "more replies than commands"),
    "dies of a long list": ({"each": "if words[0] == 'set_game': os._exit(1)"}, "opening", "sent 'set_game"),
    "is silent on what it does not know": ({"each": "if answer[0] == '?': continue"}, "unknown-command", "no reply: "),
    "takes what it does not know": ({"each": "answer = answer.replace('?', '=')"}, "unknown-command", "it accepted (=) an unknown command"),
    "answers blank lines": ({"blank": "say('? empty\\n\\n')"}, "blank-lines", "fix: ignore blank lines"),
    "dies of blank lines": ({"blank": "words[0]"}, "blank-lines", "IndexError: list index out of range; sent ' \\n, then set_deck 23456789TJQKA CDHS\\n'"),
    "trips over carriage returns": ({"each": "if line.endswith('\\r\\n'): answer = '?'"}, "line-ends", "it refused what it otherwise accepts; sent 'set_deck 23456789TJQKA CDHS\\r\\n'"),
    "declares without a word": ({"each": DECLARE + "answer = '='"}, "rules", "an answer without a word"),
    "crashes in the third deal": ({"each": GEN + "assert len(hand) < 3, 'too many cards'"}, "matches", "AssertionError: too many cards"),
    "refuses to play": ({"each": GEN + "answer = '? no'"}, "matches", "refused to answer gen_move"),
    "computes until the next line comes": ({"early": "import select", "each": GEN + "\n        while not select.select([0], [], [], 0)[0]: pass"}, "time", "no reply at all"),
    "drips comments": ({"each": GEN + "\n        while True: say('# thinking\\n'); time.sleep(0.01)"}, "time", "charged"),
    "hoards from the opening on": ({"each": "if words[0] == 'set_players': x = bytearray(b'x') * 500_000_000"}, "memory", "limited to 200 MB"),
    "hoards": ({"each": GEN + "x = bytearray(500_000_000)"}, "memory", "limited to 200 MB"),
    "mixes select with buffers": (
        {
            "early": "import select\nclass Input:\n    def __iter__(self):\n        while True:\n"
            "            select.select([0], [], [])\n            line = real.readline()\n"
            "            if not line: return\n            yield line\nreal = sys.stdin\nsys.stdin = Input()"
        },
        "batched",
        "fix: read line by line",
    ),
    "plays otherwise when it is asked in batches": (
        {
            "early": "class Input:\n    def __iter__(self):\n        global many\n        rest = b''\n"
            "        while chunk := os.read(0, 65536):\n            *lines, rest = (rest + chunk).split(b'\\n')\n"
            "            many = len(lines) > 1\n            for line in lines: yield line.decode()\n"
            "many = False\nsys.stdin = Input()",
            "each": GEN + "answer = '= ' + (follow or hand)[-1 if many else 0]",
        },
        "batched",
        "in strict delivery and",
    ),
    "ignores quit": ({"end": "pass"}, "quit", "it still runs: it has slept for 0."),
    "ignores the end of input": ({"end": "if words[0] == 'quit': os._exit(0)", "early": "import atexit\natexit.register(time.sleep, 60)"}, "end-of-input", "it still runs: it has slept for 0."),
}  # fmt: skip


@pytest.fixture
def check(arbiter: Run) -> Run:
    """Runs the command on a bot: exit code, standard output, standard error."""

    def call(*command: str | Path, options: tuple[str, ...] = SHORT) -> tuple[int, str, str]:
        tier = () if "--isolation" in options else ("--isolation", "plain")
        return arbiter("check-bot", "--game", "planning", *options, *tier, "--", *command)

    return call


@pytest.fixture
def bot(tmp_path: Path) -> Write:
    """Writes a bot that differs from the good one."""

    def write(changes: dict[str, str]) -> Path:
        path = tmp_path / "bot.py"
        path.write_text(source_of_bot(**WITHOUT_FAULT | changes))
        return path

    return write


def assert_all_passed(result: tuple[int, str, str]) -> None:
    code, out, err = result
    assert code == 0, out + err
    lines = steps_of(out)
    assert [line.partition(":")[0] for line in lines] == [f"ok {name}" for name in STEPS]
    assert "set batched: true" in lines[STEPS.index("batched")]


def steps_of(out: str) -> list[str]:
    """The lines of the steps, without the interpreter and what the bot wrote to standard error."""
    return [line for line in out.splitlines() if not line.startswith(("  stderr: ", "interpreter: "))]


@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_bot_fails_the_step_that_names_its_fault(
    name: str, check: Run, bot: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes, step, words = FAULTS[name]
    monkeypatch.setattr(short_dialogues, "PATIENCE", Patience(asleep=0.3))
    monkeypatch.setattr(probes, "PAIRS", 1)
    start = "300ms" if name == "starts late" else "5s"
    limits = ("--time", "300ms", "--start-time", start, "--memory", "200MB", *SHORT)
    code, out, err = check(*PYTHON, bot(changes), options=limits)
    lines = steps_of(out)
    failed = [line for line in lines if line.startswith("FAIL ")]
    assert [line.partition(":")[0] for line in failed] == [f"FAIL {step}"], out
    assert words in failed[0]
    assert "; sent '" in failed[0]
    assert "; fix: " in failed[0]
    if step in ADVISORY:
        assert failed[0].startswith(f"FAIL {step}: (advisory) ")
        assert (code, err.splitlines()[-1]) == (0, f"arbiter: {ADVICE.format(step)}")
    else:
        assert code == 3
        assert err.splitlines()[-1].startswith(f"arbiter: the bot failed {step}; first {step}: ")
    # Every step is there: done, failed or left out with the reason.
    names = [line.partition(":")[0].removeprefix("left out ").split(" ")[-1] for line in lines]
    assert names == list(STEPS)


def test_the_good_bot_of_these_tests_passes_every_step(check: Run, bot: Write) -> None:
    assert_all_passed(check(*PYTHON, bot({})))


@pytest.mark.parametrize(
    ("program", "command", "options"),
    [
        (BOTS / "python" / "planning_greedy.py", (sys.executable, "-S"), SHORT),
        (BOTS / "cpp" / "build" / "planning_random", (), ()),
        (BOTS / "js" / "planning_random.js", ("node",), SHORT),
    ],
)
def test_the_shipped_bots_pass_every_step(
    program: Path, command: tuple[str, ...], options: tuple[str, ...], check: Run
) -> None:
    if not program.exists() or (command and shutil.which(command[0]) is None):
        pytest.skip(f"{program.name} is not built (make -C bots/cpp), or there is no node")
    assert_all_passed(check(*command, program, options=options))


def test_two_and_three_seats_are_checked_too(check: Run) -> None:
    options = ("--option", "seats=3", "--option", "deck=789 AB", "--option", "deals=[[2, 2]]")
    code, out, _ = check(*PYTHON, BOTS / "python" / "planning_random.py", options=options)
    assert code == 0
    assert "ok matches: in each of the 3 seats" in out


def test_the_report_as_json(check: Run, bot: Write) -> None:
    script = bot({"early": "print('hello', flush=True); sys.stderr.write('no\\nblank line')"})
    code, out, _ = check(*PYTHON, script, options=(*SHORT, "--format", "json"))
    shape: dict[str, Any] = json.loads(out)
    assert (code, shape["ok"], shape["isolation"]) == (3, False, "plain")
    assert [step["name"] for step in shape["steps"]] == list(STEPS)
    assert {step["name"] for step in shape["steps"] if not step["required"]} == set(ADVISORY)
    (failed,) = [step for step in shape["steps"] if step["ok"] is False]
    assert failed["name"] == "only-replies"
    assert failed["stderr"] == ["no", "blank line"]
    assert failed["sent"] == "set_deck 23456789TJQKA CDHS"
    assert failed["got"] == "hello\\n=\\n\\n"
    assert failed["fix"].startswith("write one reply to each command to stdout, and nothing else")
    omitted = [step for step in shape["steps"] if step["ok"] is None]
    assert {step["detail"] for step in omitted} == {"the first command had no good reply (see only-replies)"}


def test_play_that_cannot_be_repeated_is_reported_and_no_fault(check: Run, bot: Write) -> None:
    moody = bot({"each": "if words[0] == 'gen_declare': answer = f'= {random.randrange(len(hand) + 1)}'"})
    code, out, _ = check(*PYTHON, moody, options=())
    assert code == 0
    assert "FAIL same-seed: (advisory) the same match was played differently: decision " in out
    assert "ok batched: played to its end; set batched: true" in out


def shell_script(folder: Path, last: str) -> Path:
    script = folder / "run.sh"
    script.write_text(f"#!/bin/sh\n{last}\n")
    script.chmod(0o755)
    return script


def test_a_script_that_forks_is_told_to_exec(check: Run, tmp_path: Path) -> None:
    started = f"{' '.join(PYTHON)} {BOTS / 'python' / 'planning_random.py'}"
    code, out, _ = check(shell_script(tmp_path, f"{started}\ntrue"))
    assert code == 0
    assert "; a script that starts a bot ends better with exec" in steps_of(out)[0]
    (memory,) = [line for line in steps_of(out) if line.startswith("ok memory")]
    assert memory.endswith(", its 2 processes together")
    code, out, _ = check(shell_script(tmp_path, f"exec {started}"))
    assert "exec" not in out
    refused = shell_script(tmp_path, "echo 'run.sh: 1: Cannot fork' >&2; exit 2")
    code, out, _ = check(refused)
    assert (code, EXEC in steps_of(out)[0]) == (3, True)


@pytest.mark.usefixtures("landlock", "a_stage")
def test_a_script_that_starts_a_process_for_a_reply_is_told_when_it_may(check: Run, tmp_path: Path) -> None:
    shutil.copy(BOTS / "python" / "planning_random.py", tmp_path)
    options = (*SHORT, "--isolation", "landlock")
    loop = "while read -r line; do echo; printf '%s\\n\\n' \"$(echo =)\"; done"
    code, out, _ = check(shell_script(tmp_path, loop), options=options)
    assert (code, EXEC in out) == (3, True), out
    # What it is told to do instead is enough.
    assert 'cd "${0%/*}"; exec ' in EXEC
    line = 'cd "${0%/*}"; exec /usr/bin/python3 planning_random.py'
    code, out, _ = check(shell_script(tmp_path, line), options=options)
    assert (code, "FAIL" in out) == (0, False), out


@pytest.mark.usefixtures("landlock")
@pytest.mark.parametrize(
    "early",
    [
        "import os; os.setsid()",
        "open('/usr/log', 'w')",
    ],
)
def test_what_a_tier_refuses_is_told_with_the_tier(early: str, check: Run, bot: Write) -> None:
    script = bot({"early": early})
    code, out, _ = check("/usr/bin/python3", script, options=(*SHORT, "--isolation", "landlock"))
    line = steps_of(out)[0]
    assert code == 3
    assert re.match("FAIL starts: it exited with status 1: (PermissionError|OSError.*Read-only)", line)
    assert (
        "the tier landlock refuses processes after the first reply, sockets, writing but in TMPDIR, and reading outside the bot's folder (docs/howto/sandbox.md)"
        in line
    )


def test_no_tier_is_blamed_where_there_is_none(check: Run, bot: Write) -> None:
    code, out, _ = check(*PYTHON, bot({"early": "raise PermissionError(13, 'Permission denied')"}))
    assert (code, "the tier" in out) == (3, False)


def test_standard_error_is_shown_below_a_failed_step(check: Run, bot: Write) -> None:
    script = bot({"blank": "sys.exit('no\\nblank line')"})
    _, out, _ = check(*PYTHON, script)
    lines = out.splitlines()[1:]
    (failed,) = [number for number, line in enumerate(lines) if line.startswith("FAIL ")]
    assert lines[failed].startswith("FAIL blank-lines")
    assert lines[failed + 1 : failed + 3] == ["  stderr: no", "  stderr: blank line"]
    assert lines[failed + 3].startswith("ok line-ends")


@pytest.mark.parametrize("isolation", ["plain", "landlock"])
def test_a_script_that_is_there_is_not_said_to_be_missing(isolation: str, check: Run, tmp_path: Path) -> None:
    need(isolation)
    script = tmp_path / "run.sh"
    for first, words in (
        (
            "#!/bin/bash\r",
            "'/bin/bash\\r'; sent 'set_deck 23456789TJQKA CDHS', got nothing; fix: save the script",
        ),
        (
            "#!/bin/nothing",
            "'/bin/nothing'; sent 'set_deck 23456789TJQKA CDHS', got nothing; fix: name an existing program",
        ),
    ):
        script.write_bytes(f"{first}\nexec python3 bot.py\n".encode())
        script.chmod(0o755)
        code, out, _ = check(script, options=(*SHORT, "--isolation", isolation))
        assert code == 3
        said = f"FAIL starts: {script} exists, but the program named in its first line does not: {words}"
        assert out.startswith(said)
        assert "[Errno" not in out


def test_a_first_line_that_passes_several_words_to_env_is_named(check: Run, tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("#!/usr/bin/env sh -x\n")
    script.chmod(0o755)
    _, out, _ = check(script)
    assert out.startswith(f"FAIL starts: the first line of {script} passes 'sh -x' as one argument (write ")


def test_a_bot_cannot_steer_the_terminal_of_its_author(check: Run, bot: Write) -> None:
    for changes in ({"early": "print('\\x1b[2J', flush=True)"}, {"early": "sys.exit('\\x1b[2J')"}):
        _, out, err = check(*PYTHON, bot(changes))
        assert "\x1b" not in out + err
        assert "\\x1b[2J" in out


def test_a_command_that_is_not_there_is_a_usage_error(check: Run) -> None:
    code, out, err = check("./nowhere")
    assert (code, out) == (2, "")
    assert err == "arbiter: ./nowhere: there is no program ./nowhere\n"


def test_raw_bytes_are_cut_and_escaped() -> None:
    assert escaped(b"= \xff\n\n") == "= \\xff\\n\\n"
    assert escaped(b"x" * 300) == "x" * 200 + "... (300 bytes)"
    line = Step("flushes", False, "gen_move", "", "flush", "no reply").text()
    assert line == "FAIL flushes: no reply; sent 'gen_move', got nothing; fix: flush"


@pytest.mark.parametrize(
    ("terms", "required"),
    [
        ({}, set()),
        ({"end": "quit"}, {"quit"}),
        ({"delivery": "batched"}, {"batched"}),
        ({"delivery": "batched", "end": "quit"}, {"quit", "batched"}),
    ],
)
def test_a_season_requires_the_steps_that_its_matches_come_to(
    terms: dict[str, Any], required: set[str]
) -> None:
    limits = replace(USUAL.limits(), **terms)
    batched, strict = (Player("alice", ("bot",), "/", batched=said) for said in (True, False))
    assert {name for name in ADVISORY if is_required(name, batched, limits)} == required
    assert {name for name in ADVISORY if is_required(name, strict, limits)} == required - {"batched"}
    assert all(is_required(name, strict, limits) for name in STEPS if name not in ADVISORY)


@pytest.mark.parametrize(
    ("peak", "ok", "text"),
    [
        (390, True, "at most 390 MB (limit 400 MB)"),
        (410, True, "at most 410 MB (limit 400 MB); 16 MB more are allowed"),
        (500, False, "at most 500 MB (limit 400 MB), for a moment between two checks"),
    ],
)
def test_a_peak_above_the_limit_is_named_even_if_no_check_saw_it(peak: int, ok: bool, text: str) -> None:
    match = SimpleNamespace(
        process=SimpleNamespace(end=SimpleNamespace(peak_memory_bytes=peak * 10**6)), family=()
    )
    subject = SimpleNamespace(limits=SimpleNamespace(memory_bytes=400 * 10**6), sent=False)
    step = _check_memory(subject, [match])  # type: ignore[arg-type, list-item]
    assert (step.ok, step.detail) == (ok, text)


def test_a_reply_whose_empty_line_is_held_back_is_told_to_flush(check: Run, tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text(
        "import os, sys\nfor _ in sys.stdin:\n    os.write(1, b'=\\n')\n    sys.stdout.write('\\n')\n"
    )
    code, out, _ = check(*PYTHON, script)
    assert code == 3
    assert "FAIL flushes: the reply's line came at once, its empty line when the input was closed" in out


def test_a_reply_that_comes_with_the_next_line_is_told_how_to_read(check: Run, tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    loop = "line = sys.stdin.readline()\nwhile sys.stdin.readline():\n    print('=\\n', flush=True)\n"
    script.write_text(f"import sys\n{loop}")
    code, out, _ = check(*PYTHON, script)
    assert (code, ONE_LINE_LATE in out) == (3, True)


@pytest.mark.usefixtures("landlock")
def test_a_refused_process_that_is_called_a_lack_of_memory_is_none(check: Run, bot: Write) -> None:
    each = (
        "if words[0] == 'gen_declare':\n"
        "    kept = bytearray(b'x') * 60_000_000\n"
        "    try:\n        os.fork()\n    except OSError:\n        sys.exit('Cannot allocate memory')"
    )
    options = (*SHORT, "--isolation", "landlock", "--memory", "100MB")
    code, out, _ = check("/usr/bin/python3", bot({"each": each}), options=options)
    assert (code, "FAIL memory" in out, EXEC in out) == (3, False, True)
