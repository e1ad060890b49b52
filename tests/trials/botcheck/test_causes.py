"""Each beginner's fault gets its own cause and fix, and nothing is blamed that a bot does not fail by."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.contest.submissions import trial_matches
from arbiter.contest.submissions.inspection_steps import Refused
from arbiter.contest.submissions.trial_matches import TriedProgram
from arbiter.games import make
from arbiter.match.limits import USUAL, override_limits
from arbiter.sandbox.launcher import Launcher
from arbiter.sandbox.player_command import register
from arbiter.trials.botcheck import Step, Subject, check_bot, probes, short_dialogues, verdicts, whole_match
from arbiter.trials.botcheck.probes import PAIRS, is_cause
from arbiter.trials.botcheck.short_dialogues import Patience
from tests.fixtures.bot_template import WITHOUT_FAULT, source_of_bot
from tests.trials.botcheck.beginners import FAULTS, GAMES, OF_GAMES, source_of
from tests.trials.botcheck.test_check_bot import GEN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arbiter.match.spec import Player

pytestmark = pytest.mark.process

FLUSH = r"flush standard output after every reply: print\(\.\.\., flush=True\)"
STRAY = "write one reply to each command to stdout"
BLANK_ENDED = "so it reads the line end as part of the last word"
EXPECTED: dict[str, tuple[str, str, str]] = {
    # the fault: (the step that fails, the cause, the fix)
    "no flush": ("flushes", "the reply came when the input was closed$", f"{FLUSH}$"),
    "debug line": ("only-replies", "text that is no reply: .*thinking", STRAY),
    "no flush, debug line": ("flushes", "closed, with text that is no reply: .*thinking", f"{FLUSH}.*; and {STRAY}"),
    "no flush, no empty line": ("flushes", "closed, without the empty line$", f"{FLUSH}.*; and end every reply with an empty"),
    "no flush, no sign": ("flushes", "closed, without =$", f"{FLUSH}.*; and begin every reply with ="),
    "no sign": ("only-replies", "a reply without =: ", "begin every reply with ="),
    "no sign on news": ("only-replies", "a reply without =: an empty line alone", "begin every reply with ="),
    "no empty line": ("empty-line", "a reply without the empty line", "end every reply with an empty line"),
    "wrong id": ("rules", "more than one word in an answer: 1 ", "write no number after the ="),
    "line end kept": ("matches", BLANK_ENDED, "remove the line end before you split a line"),
    "relative path": ("starts", "FileNotFoundError: ", "which has no 'bots/ann/table.txt': name it 'table.txt'$"),
    "all input first": ("flushes", "the reply came when the input was closed$", f"{FLUSH}; and read the input line by line, not to its end$"),
    "one command": ("opening", "it exited with status 0", "read commands in a loop"),
    "dies of unknown": ("unknown-command", "KeyError: 'no_such_command'", "answer every unknown command with ?"),
    "dies of time_left": ("opening", "KeyError: 'time_left'", "answer every command, an unknown one with ?"),
    "bid too high": ("rules", "3: a declaration is .* legal 0 1 2$", "declare no more tricks than"),
    "bid too low": ("rules", "bid_8: the highest bid is .* already;.* legal pass", "a higher bid than all before, or with pass"),
    "no following": ("rules", "does not follow suit .*; hand .*, legal ", "if your hand has cards of the suit led"),
    "no beating": ("rules", "does not beat .*; hand .*, legal ", "answer with (as many|at least as many) cards"),
}  # fmt: skip
CASES = [
    ("line end kept", "dou_dizhu"),
    *(
        (fault, list(GAMES)[number % len(GAMES)])
        for number, fault in enumerate(FAULTS)
        if "by lot" not in fault
    ),
    *(
        (fault, game)
        for fault, game in OF_GAMES
        if "by lot" not in fault and (fault, game) != ("bid too high", "codepiece")
    ),
]
LIMITS = override_limits(USUAL.limits(), time="1s", start_time="1s", memory=None, isolation="plain")


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that does not end is not waited for long."""
    monkeypatch.setattr(short_dialogues, "PATIENCE", Patience(asleep=0.3))
    monkeypatch.setattr(verdicts, "QUIT_SECONDS", 1.0)
    monkeypatch.setattr(probes, "PAIRS", 2)


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    with closing(Launcher()) as made:
        yield made


def player_of(folder: Path, source: str) -> Player:
    (folder / "bot.py").write_text(source)
    (folder / "table.txt").touch()
    return register("bot", ("python3", "-I", "-S", "bot.py"), folder)


@pytest.mark.parametrize(("fault", "game"), CASES)
def test_a_beginners_bot_is_told_its_own_cause_and_fix(
    fault: str, game: str, tmp_path: Path, launcher: Launcher
) -> None:
    subject = Subject(
        make(game, GAMES[game].options), player_of(tmp_path, source_of(game, fault)), LIMITS, launcher
    )
    failed = [step for step in check_bot(subject) if step.ok is False]
    name, cause, fix = EXPECTED[fault]
    assert [step.name for step in failed] == [name]
    assert re.search(cause, failed[0].detail)
    assert re.search(fix, failed[0].fix)


def test_a_site_tells_the_cause_and_the_fix_that_an_archive_can_follow(tmp_path: Path) -> None:
    game = make("planning", GAMES["planning"].options)
    tried = TriedProgram.of(game, player_of(tmp_path, source_of("planning", "relative path")), LIMITS)
    with pytest.raises(Refused) as refused:
        trial_matches.check(tried)
    assert refused.value.fix.endswith("which has no 'bots/ann/table.txt': name it 'table.txt'")


def test_an_illegal_answer_in_a_trials_match_is_told_the_fix_of_the_rules(tmp_path: Path) -> None:
    player = player_of(tmp_path, source_of("chefs_hat", "no beating"))
    tried = TriedProgram.of(make("chefs_hat", GAMES["chefs_hat"].options), player, LIMITS)
    with pytest.raises(Refused, match=r"^illegal: ") as refused:
        trial_matches.play_matches(tried, [])
    assert re.search(EXPECTED["no beating"][2], refused.value.fix)


def test_a_start_that_computes_too_long_is_told_of_start_time(
    tmp_path: Path, launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_match, "LATE_NS", 10**8)
    limits = override_limits(LIMITS, start_time="100ms")
    bot = player_of(tmp_path, "while True: pass")
    subject = Subject(make("planning", GAMES["planning"].options), bot, limits, launcher)
    step = verdicts.failed_step(subject, whole_match.play(subject, 0), [])
    assert step is not None
    assert step.fix.startswith("it was still computing: ")


def by_lot(folder: Path, does: str, *runs: int) -> Player:
    """A sound bot of Planning that does something else in some of its runs, which are counted from 0."""
    count = "file = open(__file__ + '.runs', 'a+b'); run = file.tell(); file.write(b'.'); file.close()"
    each = does.format(f"run in {runs}")
    return player_of(folder, source_of_bot(**WITHOUT_FAULT, early=count, each=each))


def steps_of(player: Player, launcher: Launcher, sent: bool = False) -> dict[str, Step]:
    game = make("planning", GAMES["planning"].options)
    return {step.name: step for step in check_bot(Subject(game, player, LIMITS, launcher, sent))}


ILLEGAL = GEN + "answer = '= 2Z' if {} else answer"
DIES = "if words[0] == 'set_players' and {}: sys.exit(3)"
# The runs of a sound bot: 0 to 3 in the seats, 4 the opening, 5 an unknown command, 6 blank lines, 7 line ends,
# 8 the same match again, 9 in batches.


@pytest.mark.parametrize(
    ("does", "run", "step", "says"),
    [
        (
            "if words[0] == 'set_deck' and {}: sys.exit(3)",
            5,
            "unknown-command",
            "it also fails without odd lines",
        ),
        (DIES, 6, "blank-lines", "it also fails without odd lines"),
        (DIES, 7, "line-ends", "it also fails without odd lines"),
    ],
)
def test_odd_lines_are_not_blamed_for_what_happens_by_lot(
    does: str, run: int, step: str, says: str, tmp_path: Path, launcher: Launcher
) -> None:
    steps = steps_of(by_lot(tmp_path, does, run), launcher)
    assert steps[step].ok is None
    assert steps[step].detail.startswith(says)
    assert [name for name, one in steps.items() if one.ok is False] == []


def test_batches_are_not_blamed_for_an_illegal_card_by_lot(tmp_path: Path, launcher: Launcher) -> None:
    step = steps_of(by_lot(tmp_path, ILLEGAL, 9), launcher)["batched"]
    assert (step.ok, step.detail.partition(":")[0]) == (
        False,
        "not every time, and not because of the delivery",
    )
    assert "select()" not in step.fix


def test_batches_are_not_blamed_for_another_choice_by_lot(tmp_path: Path, launcher: Launcher) -> None:
    other = "if words[0] == 'gen_declare': answer = '= 1' if {} else '= 0'"
    steps = steps_of(by_lot(tmp_path, other, 9), launcher)
    assert (steps["batched"].ok, steps["same-seed"].ok) == (True, False)


def test_the_line_end_is_not_blamed_for_a_fault_that_a_blank_seems_to_mend(
    tmp_path: Path, launcher: Launcher
) -> None:
    steps = steps_of(by_lot(tmp_path, ILLEGAL, 0, 2, 4), launcher)
    assert steps["rules"].ok is False
    assert "line end" not in steps["rules"].detail + steps["rules"].fix


@given(st.lists(st.booleans(), min_size=2 * PAIRS, max_size=2 * PAIRS))
def test_a_cause_is_blamed_only_where_the_fault_comes_with_it_and_never_without(outcomes: list[bool]) -> None:
    drawn = iter(outcomes)
    blamed = is_cause(lambda: next(drawn), lambda: next(drawn))
    assert blamed == all(outcomes[: 2 * probes.PAIRS])


def test_the_same_match_played_otherwise_is_advice(tmp_path: Path, launcher: Launcher) -> None:
    other = "if words[0] == 'gen_declare': answer = '= 1' if {} else '= 0'"
    step = steps_of(by_lot(tmp_path, other, 8), launcher)["same-seed"]
    assert (step.ok, step.required, step.sent, step.got) == (False, False, "gen_declare", "= 1")
    assert step.text().startswith(
        "FAIL same-seed: (advisory) the same match was played differently: decision 1 was 0, then 1;"
    )


def test_what_cannot_be_set_at_a_site_is_not_advised_there(tmp_path: Path, launcher: Launcher) -> None:
    steps = steps_of(by_lot(tmp_path, "pass"), launcher, sent=True)
    assert steps["batched"].detail == "the same match as in strict delivery"


def test_a_sites_verdict_calls_advice_no_failure(tmp_path: Path) -> None:
    player = player_of(tmp_path, source_of("planning", "dies of unknown"))
    output = trial_matches.check(TriedProgram.of(make("planning", GAMES["planning"].options), player, LIMITS))
    assert "advice unknown-command: it exited with status 1: KeyError" in output
    assert "FAIL" not in output


def test_what_a_bot_says_at_its_end_is_no_reply_held_back(tmp_path: Path, launcher: Launcher) -> None:
    bye = source_of("planning").replace("print(text + '\\n', flush=True)", "pass") + "\nprint('bye')\n"
    steps = steps_of(player_of(tmp_path, bye), launcher)
    assert "when the input was closed" not in steps["flushes"].detail


def test_a_comment_behind_an_illegal_answer_is_no_second_reply(tmp_path: Path, launcher: Launcher) -> None:
    noted = "if words[0] == 'gen_move': os.write(1, b'= 2Z\\n\\n'); time.sleep(0.01); os.write(1, b'# 2Z\\n'); continue"
    assert [
        name for name, step in steps_of(by_lot(tmp_path, noted), launcher).items() if step.ok is False
    ] == ["rules"]
