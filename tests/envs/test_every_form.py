"""What all forms of environment promise alike: seeds, masks, mistakes, given deals, copies, text."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from hashlib import sha256
from typing import Any, cast

import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded

from arbiter import envs
from arbiter.envs import dou_dizhu_v4
from arbiter.envs.chefs_hat import Room
from arbiter.errors import ConfigError, IllegalAction
from arbiter.games import make
from tests.envs.forms import (
    FORMS,
    OPTIONS,
    RENDERED,
    Cycle,
    Form,
    Hat,
    OfCodepiece,
    Parallel,
    Roles,
    RolesAtOnce,
    SideBySide,
    made,
    name_of,
    turns,
)  # fmt: skip

WRONG_TYPES: tuple[Any, ...] = (None, "no", 1.5, True, {}, object(), np.float32(1))
NONE_SUCH = (-1, 10**6, 10**30, np.int64(10**6))


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> Form:
    kind, build = FORMS[request.param]
    return kind(build())


@pytest.fixture(params=RENDERED)
def build(request: pytest.FixtureRequest) -> Callable[..., Form]:
    kind, make = RENDERED[request.param]
    return lambda **more: kind(make(**more))


def same(one: Any, other: Any) -> bool:
    return one is other or bool(one == other)


# Seeds.


def test_a_seed_decides_a_match_and_those_after_it(form: Form) -> None:
    found = []
    for _ in range(2):
        form.reset(seed=4)
        found.append(form.play_randomly(4, 12))
        form.reset()
        found.append(form.play_randomly(4, 12))
    assert found[:2] == found[2:]
    assert found[0] != found[1]


def test_a_seed_is_an_integer_from_0_of_any_kind_or_none(form: Form) -> None:
    views = []
    for seed in (7, np.int64(7), np.array(7), None):
        form.reset(seed=seed)
        views.append([view.tolist() for view in form.seen()])
    assert views[0] == views[1] == views[2] != views[3]
    for wrong in (True, 1.5, [1], b"x"):
        with pytest.raises(TypeError, match=r"a seed .*is an integer from 0"):
            form.reset(seed=wrong)
    with pytest.raises(ValueError, match=r"a seed .*is an integer from 0"):
        form.reset(seed=-1)
    if form.numbers_alone:
        with pytest.raises(TypeError, match=r"a seed .*is an integer from 0"):
            form.reset(seed="spring")
    else:
        form.reset(seed="spring")


def test_without_any_seed_deals_are_secret(build: Callable[..., Form]) -> None:
    forms = [build() for _ in range(4)]
    for form in forms:
        form.reset()
    assert len({str([view.tolist() for view in form.seen()]) for form in forms}) > 1


# Masks and observations.


def test_masks_are_legal_ids_and_observations_in_their_space(form: Form) -> None:
    form.reset(seed=1)
    for step in range(60):
        legal = form.legal()
        assert legal == sorted(set(legal))
        assert legal
        assert np.flatnonzero(form.mask()).tolist() == legal
        assert type(form) is not Form or form.mask().dtype == bool  # as MaskablePPO asks for it
        space = form.space()
        for view in form.seen():
            assert view.dtype == space.dtype
            assert len(view) <= space.shape[0] or "dou_dizhu_v4" in str(getattr(form.env, "metadata", ""))
            assert space.low.min() <= view.min() <= view.max() <= space.high.max()
        form.step(legal[step * 7 % len(legal)])
        if form.over():
            break


def alike(kind: str) -> tuple[list[Form], Any]:
    """Forms that play the same match, and the seed of it; the last one is a batch."""
    if "v4" in kind:
        shows = kind == "dou_dizhu_v4, hands"
        one, all_, many = dou_dizhu_v4.env(shows), dou_dizhu_v4.parallel_env(shows), dou_dizhu_v4.batch
        return [Roles(one), RolesAtOnce(all_), SideBySide(many(1, opponents_hand_visible=shows))], 7
    forms = [Cycle(made(kind)), Form(turns(kind)), Parallel(made(kind, envs.parallel))]
    if "planning" in kind:
        del forms[2]  # declarations are one step of all there
    return [*forms, SideBySide(envs.batch(make(name_of(kind), OPTIONS[kind]), 1))], "7/0"


@pytest.mark.parametrize("illegal", [None, 20])
@pytest.mark.parametrize("kind", [*OPTIONS, "dou_dizhu_v4", "dou_dizhu_v4, hands"])
def test_a_match_is_the_same_step_for_step_in_every_form(kind: str, illegal: int | None) -> None:
    forms, seed = alike(kind)
    one, batch = forms[0], forms[-1]
    for form in forms:
        form.reset(seed=7 if form is batch else seed)
    for step in range(2000):
        legal, view, agent = one.legal(), one.view(), one.env.agent_selection
        for form in forms[1:]:
            assert form.legal() == legal
            shown = form.view()
            assert np.array_equal(shown[: len(view)], view)
            assert not shown[len(view) :].any()
        action = legal[step * 7 % len(legal)]
        if step == illegal:
            action = max({*range(one.env.observer.actions)} - {*legal})
        for form in forms:
            form.step(action)
            assert form.over() == one.over()
        if one.over():
            break
    assert step == illegal or illegal is None or step < illegal
    assert all(form.rewards() == one.rewards() for form in forms)
    # The last view of a match that a batch goes on after is that of who acted last.
    last = one.env.vector(agent)
    assert np.array_equal(batch.env.ends[0][: len(last)], last)


@pytest.mark.slow
def test_matches_are_what_they_have_always_been(golden: Callable[[str, str], None]) -> None:
    """A digest of all that is seen along a match by lot, form by form."""
    lines = []
    for name, (kind, build) in FORMS.items():
        form = kind(build())
        form.reset(seed=1)
        lines.append(f"{sha256(repr(form.play_randomly(1)).encode()).hexdigest()[:16]} {name}\n")
    golden("environments.txt", "".join(lines))


# Mistakes.


def test_actions_that_are_none_raise_and_change_nothing(form: Form) -> None:
    form.reset(seed=0)
    before = form.state()
    cases: list[tuple[Any, type[Exception]]] = [(wrong, TypeError) for wrong in WRONG_TYPES]
    cases += [(wrong, ValueError) for wrong in NONE_SUCH]
    for wrong, error in cases:
        if isinstance(wrong, str) and isinstance(form, Hat | OfCodepiece):
            error = Exception  # words are actions in the engine, though not this one
        if wrong == 10**30 and isinstance(form, SideBySide):
            error = TypeError  # no number of an array
        with pytest.raises(error, match="action") as caught:
            form.step(wrong)
        assert isinstance(caught.value, InvalidAction)
    assert same(form.state(), before)
    for right in (np.int32, np.int64, np.uint16, np.array):
        form.reset(seed=0)
        form.step(right(form.legal()[0]))
        assert not same(form.state(), before)


def test_an_illegal_action_ends_the_match_or_is_refused(form: Form) -> None:
    for after in (0, 1, 5):
        form.reset(seed=3)
        form.play_randomly(after, after)
        legal = form.legal()
        illegal = next(action for action in range(10**6) if action not in legal)
        state = None if isinstance(form, Parallel | SideBySide) or form.refuses else form.env.play.state
        if isinstance(form, OfCodepiece):
            with pytest.raises(IllegalAction):
                form.step(illegal)
        else:
            form.step(illegal)
        assert form.over() != form.refuses
        assert state is None or form.env.play.state is state
        if form.refuses:
            assert form.legal() == legal
        elif not isinstance(form, SideBySide):
            assert not form.mask().any() or form.env.compat
            assert not form.legal()


def test_a_step_without_a_match_is_a_runtime_error(build: Callable[..., Form]) -> None:
    form = build()
    with pytest.raises(RuntimeError, match="call reset") as caught:
        form.env.step({} if hasattr(form, "mover") else 0)
    assert isinstance(caught.value, ResetNeeded)


NO_OPTIONS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"deals": []}, "list of one or more"),
    ({"deals": "2C"}, "list of one or more"),
    ({"deals": [7]}, "given deal 0 is not"),
    ({"deals": [{"hands": [["ZZ"]] * 4}]}, "ZZ|card"),
    ({"deals": [{}]}, "hands"),
    ({"deal": []}, "did you mean deals"),
)


def test_options_of_a_reset_that_cannot_be_change_nothing(build: Callable[..., Form]) -> None:
    form = build()
    form.reset(seed=9)
    form.step(form.legal()[0])
    before = form.state()
    for options, problem in NO_OPTIONS:
        with pytest.raises(ConfigError, match=problem):
            form.reset(seed=1, **options)
        assert same(form.state(), before)
    with pytest.raises(ConfigError, match="mapping"):
        form.env.reset(seed=1, options=[])
    with pytest.raises((TypeError, ValueError)):
        form.reset(seed=-1)
    assert same(form.state(), before)


# Copies and text.


def test_a_copy_goes_its_own_way(form: Form) -> None:
    form.reset(seed=2)
    form.play_randomly(2, 3)
    before, seen = form.state(), [view.tolist() for view in form.seen()]
    for double in (copy.deepcopy(form), pickle.loads(pickle.dumps(form))):
        assert [view.tolist() for view in double.seen()] == seen
        double.step(double.legal()[0])
        assert same(form.state(), before)


@pytest.mark.filterwarnings("ignore:.*not in the possible render_modes:UserWarning")
def test_a_match_in_words(build: Callable[..., Form], capsys: pytest.CaptureFixture[str]) -> None:
    form = build(render_mode="ansi")
    form.reset(seed=2)
    shown = [form.env.render()]
    chance = np.random.default_rng(2)
    while not form.over():
        form.step(int(chance.choice(form.legal())))
        # Most of it is alike, and takes longer than the match.
        if len(shown) < 20 or form.over():
            shown.append(form.env.render())
    assert all(" deal " in text and "\n" in text for text in shown)
    assert shown[-1].endswith("the match is over\n")
    assert len(set(shown)) > len(shown) // 2
    assert capsys.readouterr().out == ""
    form = build(render_mode="human")
    form.reset(seed=2)
    assert " deal 1 " in capsys.readouterr().out
    form.step(next(action for action in range(10**6) if action not in form.legal()))
    assert "possible" in (out := capsys.readouterr().out) or "illegal move" in out
    form = build()
    form.reset(seed=2)
    assert form.env.render() is None
    assert capsys.readouterr().out == ""
    with pytest.raises(ConfigError, match=r"human, ansi"):
        build(render_mode="rgb_arrays")


def test_a_rooms_seed_is_one_like_any_other() -> None:
    def least(seen: Any, info: Any) -> int:
        return int(np.flatnonzero(seen[28:] == 1)[0])

    room = Room(dict.fromkeys("abcd", least), rules="gym2", matches=1)
    assert room.play(seed=cast("int", np.int64(7))) == room.play(seed=7)
    room.play(seed="spring")
    with pytest.raises(TypeError, match="a seed is an integer from 0"):
        room.play(seed=True)
    with pytest.raises(ValueError, match="a seed is an integer from 0"):
        room.play(seed=-1)
