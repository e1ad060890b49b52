"""What is said of what an attack met, and what is read again of it."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from arbiter.errors import ConfigError
from arbiter.trials.sandboxcheck import covert_channels
from arbiter.trials.sandboxcheck.attack_record import broken_promises, read_record, row
from arbiter.trials.sandboxcheck.attack_suite import AttackResult
from arbiter.trials.sandboxcheck.covert_channels import ELSEWHERE, UNSTAGED
from arbiter.trials.sandboxcheck.expectations import Promise
from tests.trials.sandboxcheck.made_attack_record import LOOK, SPAWN, STAGE, made_record

ISOLATION = Path(__file__).parents[3] / "docs" / "explanation" / "isolation.md"


@pytest.mark.parametrize(
    ("plain", "landlock", "tier", "met", "outcome"),
    [
        ("goes on", "crash: PermissionError", "landlock", "crash: it ended: PermissionError", "stopped"),
        ("goes on", "crash: PermissionError", "landlock", "timeout: no reply", "stopped"),
        ("goes on", "crash: PermissionError", "landlock", "goes on", "got through"),
        ("goes on", "crash: PermissionError", "plain", "goes on", "open"),
        ("crash: PermissionError", "crash: PermissionError", "plain", "goes on", "got through"),
        ("goes on", "goes on", "landlock", "goes on", "harmless"),
        ("crash: allowed", "crash: EPERM", "landlock", "crash: status 7: allowed", "got through"),
        ("allowed", "EPERM", "landlock", "EACCES", "stopped"),
        ("allowed", "EPERM", "landlock", "EINVAL", "unclear"),
        ("allowed", "EPERM", "landlock", "allowed", "got through"),
        ("allowed", "EPERM", "landlock", "", "unclear"),
        ("", "EPERM", "plain", "allowed", "open"),
        ("", "EPERM", "plain", "EPERM", "stopped"),
        ("", "EPERM", "plain", "EFAULT", "open"),
        ("allowed", "allowed", "plain", "allowed", "harmless"),
        ("", "at most 10 %", "landlock", "9.9 %", "stopped"),
        ("", "at most 10 %", "landlock", "10.1 %", "got through"),
        ("", "at most 10 %", "plain", "10.1 %", "open"),
    ],
)
def test_what_an_attempt_met_is_judged_by_its_tiers_promise(
    plain: str, landlock: str, tier: str, met: str, outcome: str
) -> None:
    assert Promise("", {"plain": plain, "landlock": landlock}).judge(tier, met) == outcome


def test_what_only_a_stage_refuses_is_open_without_one() -> None:
    promise = Promise("", {"plain": "allowed", "landlock": "ENOENT or allowed"})
    assert [promise.judge("landlock", "allowed", stage) for stage in (True, False)] == ["harmless", "open"]
    promise = Promise("", {"plain": "allowed", "landlock": "ENOENT; without a stage allowed"})
    assert [promise.judge("landlock", "allowed", stage) for stage in (True, False)] == ["got through", "open"]
    assert promise.judge("landlock", "ENOENT", stage=False) == "stopped"


def test_a_cell_tells_the_machines_apart() -> None:
    promise = Promise(
        "", {"plain": "goes on; with control groups memory: limited", "landlock": "x; without a stage y"}
    )
    assert [promise.under("plain", stage=True, groups=groups) for groups in (False, True)] == [
        "goes on",
        "memory: limited",
    ]
    assert [promise.under("landlock", stage=stage, groups=True) for stage in (False, True)] == ["y", "x"]


def test_an_attack_is_as_bad_as_its_worst_attempt() -> None:
    told = row(
        AttackResult(
            LOOK, "landlock", {"list a folder": "allowed", "its own time": "allowed"}, isolation=STAGE
        )
    )
    assert (told["outcome"], told["ok"]) == ("got through", False)
    assert [one["outcome"] for one in told["attempts"]] == ["got through", "harmless"]


def test_harm_to_others_got_through_whatever_was_refused() -> None:
    told = row(AttackResult(SPAWN, "plain", {"": "crash: PermissionError"}, harm="2 processes are left"))
    assert (told["outcome"], told["ok"]) == ("got through", False)


def test_what_stopped_an_attack_is_told_in_the_promises_words() -> None:
    found = made_record()
    assert [one["stopped_by"] for one in found["attacks"]] == ["crash: PermissionError", "EACCES", "", ""]
    assert found["tiers"]["landlock"]["say"] == "2 attacks: 2 stopped. None got through."
    assert found["tiers"]["plain"]["say"].endswith(
        "plain does not protect against these attacks: run only bots that you trust."
    )


def test_a_record_is_read_as_it_was_written() -> None:
    found = made_record()
    assert read_record(json.loads(json.dumps(found)), "attacks.json") == found
    assert broken_promises(found) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda found: found.update(format="arbiter-replay/1"), "is not a record of attacks"),
        (lambda found: found["attacks"][0].update(outcome="fine"), "attacks.0.outcome: input should be"),
        (lambda found: found["attacks"][1].pop("tries"), "attacks.1.tries: field required"),
        (lambda found: found["open"][0].update(bits_per_second=math.nan), "open.0.bits_per_second"),
        (lambda found: found["machine"].update(kernel="\ud800"), "contains half a surrogate pair"),
        (lambda found: found.update(when="soon"), "when: value error"),
        (lambda found: found.update(attacks="none"), "attacks: input should be"),
    ],
)
def test_what_is_no_record_is_refused_in_a_line(change: Any, said: str) -> None:
    found: Any = made_record()
    change(found)
    with pytest.raises(ConfigError, match=re.escape(said)) as error:
        read_record(found, "attacks.json")
    assert "\n" not in str(error.value)


def test_figures_from_elsewhere_are_those_of_the_page_on_isolation() -> None:
    table = (
        ISOLATION.read_text(encoding="utf-8").partition("## What remains, measured")[2].partition("\n## ")[0]
    )
    rows = [line for line in table.splitlines() if line.startswith("|")]
    text = " ".join(table.split())
    for one, places in [*((one, rows) for one in ELSEWHERE), *((one, [text]) for one in UNSTAGED)]:
        bits = [] if one.bits_per_second is None else [f"{one.bits_per_second:,.0f}"]
        figures = bits + re.findall(r"\d[\d,.]*", one.say) or [one.say]
        assert any(all(figure in place for figure in figures) for place in places), one


@pytest.mark.parametrize(
    ("right", "symbols", "bits"),
    [(512, 2, 512), (256, 2, 0), (290, 2, 0), (0, 2, 0), (501, 2, 435), (14, 4, 28)],
)
def test_what_comes_through_is_counted_less_what_wrong_bits_cost(
    right: int, symbols: int, bits: float
) -> None:
    all_ = 14 if symbols == 4 else 512
    assert round(covert_channels._bits(right, all_, symbols)) == bits


def test_only_turns_between_which_the_speaker_had_one_are_heard() -> None:
    moves = [{"request": "gen_move", "seat": seat} for seat in (1, 2, 1, 2, 2, 1, 1, 2)]
    said = ["1 in 10 us", "3 in 30 us", "0 in 5 us", "2 in 20 us"]
    heard = ["100 in 7 us", "104 in 7 us", "105 in 7 us", "108 in 7 us"]
    record = {"moves": moves, "bots": [{"stderr_tail": "\n".join(lines)} for lines in ([], said, heard)]}
    found = covert_channels._threads_channel(record, "landlock")
    assert (found.bits_per_second, found.say) == (0, "1 of 1 turns were right, as chance may be")
