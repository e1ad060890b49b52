"""A policy against a ladder of opponents."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from arbiter import envs
from arbiter.errors import ArbiterError, BotCheckFailed, ConfigError, VoidMatch
from arbiter.match.limits import WrittenLimits
from tests.envs.forms import first, last

LIMITS = WrittenLimits(isolation="plain").limits()


def drawing(_: Any, mask: Any) -> int:
    return int(random.choice(mask.nonzero()[0]))


def test_each_rung_has_a_match_from_every_seat_for_every_round() -> None:
    found = envs.evaluate(first, "chefs_hat", ["random", last], rounds=12, matches=1)
    assert (found.game, found.rounds, [rung.opponent for rung in found.rungs]) == (
        "chefs_hat",
        12,
        ["random", "last"],
    )
    for rung in found.rungs:
        assert rung.matches == 48
        assert rung.wins + rung.draws + rung.losses == 3 * 48
        # A place counts 3, 2, 1 or 0 points, which is the number of opponents that it beats.
        assert rung.points_a_match == pytest.approx(rung.wins / 48)
        assert (rung.illegal, rung.opponent_faults) == (0, 0)


def test_the_interval_holds_the_rating_and_says_who_is_better() -> None:
    (better,), (worse,) = (
        envs.evaluate(policy, "chefs_hat", [other], rounds=15, matches=1).rungs
        for policy, other in ((first, last), (last, first))
    )
    assert better.low is not None and better.elo is not None and better.high is not None
    assert worse.high is not None
    assert better.low <= better.elo <= better.high
    assert better.low > 0 > worse.high


def test_the_same_seed_is_the_same_result_and_rungs_have_the_same_deals() -> None:
    hands: list[Any] = []

    def looking(observation: Any, mask: Any) -> int:
        hands.append(observation[:52].tolist())
        return first(observation, mask)

    options: dict[str, Any] = {"deals": [[1, 0]]}
    once, again = (
        envs.evaluate(looking, "planning", ["random", first], rounds=3, **options) for _ in range(2)
    )
    assert once == again
    # Two decisions a match of one card: 12 matches a rung, two rungs, twice.
    assert hands[:24] == hands[24:48] == hands[48:72]


def test_who_acts_illegally_loses_to_all() -> None:
    rung = envs.evaluate(lambda *_: 65, "planning", ["random"], rounds=2).rungs[0]
    assert (rung.illegal, rung.wins, rung.losses, rung.points_a_match) == (8, 0, 24, 0.0)


@pytest.mark.process
def test_a_bots_fault_loses_to_the_policy(tmp_path: Path) -> None:
    (tmp_path / "silent.py").write_text("raise SystemExit")
    bot = [sys.executable, "-S", str(tmp_path / "silent.py")]
    rung = envs.evaluate(first, "dou_dizhu", [bot], rounds=1, limits=LIMITS).rungs[0]
    assert (rung.opponent, rung.matches, rung.opponent_faults, rung.losses) == ("silent", 3, 3, 0)
    assert rung.wins


async def asynchronous(observation: Any, mask: Any) -> int:
    return first(observation, mask)


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"against": []}, ConfigError, "against: expected a list of one or more opponents"),
        ({"against": "random"}, ConfigError, "against: expected a list of one or more opponents"),
        ({"against": [5]}, ConfigError, "5 is not a player"),
        ({"against": ["gredy"]}, ConfigError, "did you mean greedy"),
        ({"rounds": 0}, ConfigError, "rounds: expected an integer from 1, got 0"),
        ({"seed": -1}, ValueError, "seed: expected an integer from 0, or a string, got -1"),
        ({"policy": 7}, TypeError, "a policy is a function"),
        ({"policy": lambda _: 0}, ConfigError, r"a policy is a function of .*, not <lambda>\(_\)"),
        ({"policy": asynchronous}, ConfigError, "not async asynchronous"),
        ({"policy": "greedy"}, ConfigError, r"arbiter\.compare take commands"),
        ({"dealer": 1}, ConfigError, "unknown option of planning"),
        ({"round": 1}, ConfigError, "did you mean rounds"),
        ({"strict": True}, ConfigError, r"arbiter\.play and arbiter\.compare have it"),
        ({"workers": 0}, ConfigError, "workers: expected an integer from 1"),
        ({"policy": lambda _, __: 99}, ArbiterError, "decision 1: an action of the policy <lambda> is"),
    ],
)
def test_what_cannot_be_is_refused(more: dict[str, Any], error: type[Exception], words: str) -> None:
    usual: dict[str, Any] = {"policy": first, "game": "planning", "against": ["random"], "rounds": 1}
    with pytest.raises(error, match=words):
        envs.evaluate(**(usual | more))


def raising(observation: Any, mask: Any) -> int:
    raise KeyError("no idea")


def ending(observation: Any, mask: Any) -> int:
    os._exit(1)


def leaving(observation: Any, mask: Any) -> int:
    raise SystemExit(3)


def test_an_exception_names_policy_seat_and_decision() -> None:
    what = r"raised KeyError: 'no idea' \(test_evaluation\.py:\d+\)"
    with pytest.raises(
        BotCheckFailed, match=f"seat 0, round 1, deal 1, decision 1: the policy raising {what}"
    ) as one:
        envs.evaluate(raising, "planning", ["random"], rounds=1)
    assert isinstance(one.value.__cause__, KeyError)
    with pytest.raises(
        BotCheckFailed, match=f"seat 1, round 1, deal 1, decision 2: the opponent raising {what}"
    ):
        envs.evaluate(first, "planning", [raising], rounds=1)
    with pytest.raises(BotCheckFailed, match="the policy leaving raised SystemExit: 3"):
        envs.evaluate(leaving, "planning", ["random"], rounds=1)


@pytest.mark.process
def test_workers_play_what_one_process_plays() -> None:
    shown: list[tuple[int, int | None]] = []
    call: dict[str, Any] = {"rounds": 3, "options": {"deals": [[1, 0]]}}
    against: list[Any] = ["random", last]
    alone = envs.evaluate(first, "planning", against, progress=lambda *at: shown.append(at), **call)
    assert shown == [(done, 24) for done in range(4, 28, 4)]
    assert envs.evaluate(first, "planning", against, workers=2, **call) == alone
    policies: dict[str, Any] = {"least": first, "random": "random"}
    one, two = (envs.crossplay(policies, "planning", workers=number, **call) for number in (1, 2))
    assert one == two
    random.seed(0)
    drawn = envs.evaluate(drawing, "planning", ["random"], workers=2, **call)
    random.seed(1)
    assert envs.evaluate(drawing, "planning", ["random"], workers=2, **call) == drawn
    with pytest.raises(VoidMatch, match=r"ending against last, round \d: the worker process .* died"):
        envs.evaluate(ending, "planning", [last], workers=2, **call)
    with pytest.raises(BotCheckFailed, match="decision 1: the policy raising raised KeyError"):
        envs.evaluate(raising, "planning", against, workers=2, **call)


def test_it_adds_points_to_tensorboards_curves(tmp_path: Path) -> None:
    pytest.importorskip("tensorboardX")
    from tensorboardX import SummaryWriter
    from tensorboardX.proto.event_pb2 import Event

    with SummaryWriter(str(tmp_path)) as writer:
        for step in (1, 2):
            found = envs.evaluate(first, "planning", ["random"], rounds=3, seed=step, deals=[[2, 0]])
            found.log(writer, step)
    (file,) = tmp_path.iterdir()
    written, at, curves = file.read_bytes(), 0, {}
    while at < len(written):
        # A record: its length in eight bytes, a checksum of four, the event, another checksum.
        length = int.from_bytes(written[at : at + 8], "little")
        event = Event.FromString(written[at + 12 : at + 12 + length])
        curves.update({value.tag: (event.step, value.simple_value) for value in event.summary.value})
        at += length + 16
    assert curves.keys() == {f"planning/random/{name}" for name in ("points_a_match", "elo", "low", "high")}
    assert curves["planning/random/points_a_match"] == (2, pytest.approx(found.rungs[0].points_a_match))


def test_a_rung_without_results_adds_no_elo() -> None:
    class Writer(dict[str, float]):
        def add_scalar(self, tag: str, value: float, step: int) -> None:
            self[tag] = value

    written, rung = Writer(), envs.evaluate(first, "planning", ["random"], rounds=1, deals=[[1, 0]]).rungs[0]
    none = rung._replace(elo=None, low=None, high=None)
    envs.Evaluation("planning", 1, (none,)).log(written, 5)
    assert list(written) == ["planning/random/points_a_match"]


def test_options_are_a_mapping_or_keywords() -> None:
    ways: list[dict[str, Any]] = [{"options": {"deals": [[1, 0]]}}, {"deals": [[1, 0]]}]
    one, other = (envs.evaluate(first, "planning", ["random"], rounds=1, **way) for way in ways)
    assert one == other
    with pytest.raises(ConfigError, match="deals is given twice"):
        envs.evaluate(first, "planning", ["random"], options={"deals": [[1, 0]]}, deals=[[2, 0]])
    assert repr(one) == "<Evaluation: planning, 1 round against random>"
    assert "<td" in one._repr_html_()
