"""Time controls and the clock: integers throughout."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.errors import ConfigError
from arbiter.match.clock import MS, SECOND, Clock, TimeControl, parse_duration, spent_budget_text, time_left

FORMS = [
    ("3m", TimeControl(180 * SECOND)),
    ("10s", TimeControl(10 * SECOND)),
    ("1h", TimeControl(3600 * SECOND)),
    ("1.5s", TimeControl(1500 * MS)),
    ("2500us", TimeControl(2_500_000)),
    (" 10s ", TimeControl(10 * SECOND)),
    ("60s+100ms", TimeControl(60 * SECOND, 100 * MS)),
    ("3m + 1s", TimeControl(180 * SECOND, SECOND)),
    ("500ms/request", TimeControl(500 * MS, per_request=True)),
    ("1ms", TimeControl(MS)),
]
BAD_FORMS = [
    "", "3", "m", "3 m", "-3m", "+3m", "3min", "3M", "1e3s", "1,5s", ".5s", "5.s", "3m+", "+1s", "3m+1",
    "500ms/", "500ms/move", "/request", "60s+1s/request", "1s+1s+1s", "inf", "nan", "\u0663m",
    "9" * 5000 + "s", "999us", "0s", "0s+1s",
]  # fmt: skip


@pytest.mark.parametrize(("text", "control"), FORMS)
def test_every_form_of_a_time_control_is_read(text, control):
    assert TimeControl.parse(text) == control


@pytest.mark.parametrize("text", BAD_FORMS)
def test_a_bad_time_control_is_refused_with_the_known_forms(text):
    with pytest.raises(ConfigError) as caught:
        TimeControl.parse(text)
    assert caught.value.problems[0].hint == "write 3m, 60s+100ms or 500ms/request"


@pytest.mark.parametrize("text", ["too long", "3m too long", "1s+too long", "too long/request"])
def test_a_time_control_that_speaks_of_length_is_told_what_the_forms_are(text):
    with pytest.raises(ConfigError, match=r"not a time control: .*500ms/request"):
        TimeControl.parse(text)


@pytest.mark.parametrize("text", ["9000h", "1s+9000h", "9000h/request"])
def test_a_time_control_beyond_a_year_is_told_that(text):
    with pytest.raises(ConfigError, match="too long a duration: '9000h'"):
        TimeControl.parse(text)


def test_a_bad_duration_is_refused_with_a_hint():
    with pytest.raises(ConfigError, match=r"not a duration: 'soon' \(write 3m, 10s or 500ms\)"):
        parse_duration("soon")


@pytest.mark.parametrize(
    ("text", "ns"), [("0.1s", 100_000_000), ("0.3s", 300_000_000), ("4.35m", 261_000_000_000)]
)
def test_decimal_durations_are_exact(text, ns):
    assert parse_duration(text) == ns


@given(whole=st.integers(0, 10**6), digits=st.text("0123456789", min_size=1, max_size=9))
def test_a_duration_of_nine_decimals_is_exact_to_the_nanosecond(whole, digits):
    assert parse_duration(f"{whole}.{digits}s") == whole * SECOND + int(digits.ljust(9, "0"))


@given(costs=st.lists(st.integers(0, 10**9), max_size=30))
def test_a_budget_is_used_up_by_what_is_charged_and_by_nothing_else(costs):
    clock = Clock(TimeControl(10 * SECOND), 2)
    for ns in costs:
        clock.charge([0], [ns], (SECOND, SECOND))
    assert (clock.left, clock.used) == ([10 * SECOND - sum(costs), 10 * SECOND], [sum(costs), 0])


def test_an_increment_is_added_by_reward_to_that_seat_alone():
    clock = Clock(TimeControl(SECOND, 100 * MS), 2)
    clock.charge([1], [300 * MS], clock.allowed())
    clock.add_increment(1)
    assert clock.left == [SECOND, 800 * MS]


def test_a_limit_per_request_starts_anew_with_every_command():
    clock = Clock(TimeControl.parse("500ms/request"), 1)
    for _ in range(5):
        assert clock.allowed() == (500 * MS,)
        assert clock.charge([0], [400 * MS], clock.allowed()) is None
    assert clock.used == [5 * 400 * MS]


@pytest.mark.parametrize("text", ["3m", "60s+100ms", "500ms/request"])
def test_what_is_left_of_so_much_is_what_the_clock_has_left(text):
    control = TimeControl.parse(text)
    clock = Clock(control, 1)
    left = clock.left[0]
    clock.charge([0], [7 * MS], clock.allowed())
    assert control.left_after(left, 7 * MS) == clock.left[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [("0.2s", "41.3 ms left of 0.2 s"), ("500ms/request", "41.3 ms for each command")],
)
def test_what_is_left_is_said_with_what_it_is_of(text, said):
    assert TimeControl.parse(text).time_left_text(41_300_000) == said


@pytest.mark.parametrize(("ns", "said"), [(1_999_999, "time_left 1"), (-MS, "time_left 0")])
def test_a_seat_is_told_whole_ms_and_never_less_than_none(ns, said):
    assert time_left(ns) == said


def test_a_batch_may_use_the_limits_of_all_its_commands():
    clock = Clock(TimeControl.parse("500ms/request"), 1)
    assert clock.allowed(4) == (2 * SECOND,)


def test_a_batch_shares_one_budget():
    clock = Clock(TimeControl(SECOND), 1)
    assert clock.allowed(7) == (SECOND,)


def test_the_first_seat_over_what_it_was_allowed_is_told():
    clock = Clock(TimeControl(SECOND), 4)
    allowed = clock.allowed()
    assert clock.charge([0, 1, 2, 3], [SECOND] * 4, allowed) is None
    assert clock.charge([3, 2, 1], [0, 1, 1], clock.allowed()) == 2


def test_seats_without_a_cost_are_not_charged():
    clock = Clock(TimeControl(SECOND), 3)
    clock.charge([0, 1, 2], [5, 6], clock.allowed())
    assert clock.used == [5, 6, 0]


def test_clocks_hold_integers_only():
    clock = Clock(TimeControl.parse("1.5s+0.1s"), 1)
    clock.charge([0], [333], clock.allowed())
    clock.add_increment(0)
    values = [clock.left[0], clock.used[0], clock.allowed()[0]]
    assert [type(value) for value in values] == [int] * 3


ANSWERS = [("gen_declare", 0, 600 * MS), ("gen_move", 4, 301 * MS)]


@pytest.mark.parametrize(
    ("time", "earlier", "words"),
    [
        ("1s", 901 * MS, "1 s: 901 ms on earlier answers, slowest gen_declare in deal 1: 600 ms"),
        (
            "9s",
            921 * MS,
            "9 s: 901 ms on earlier answers, 20 ms on news, slowest gen_declare in deal 1: 600 ms",
        ),
        (
            "1s+10ms",
            901 * MS,
            "1 s + 2 x 10 ms: 901 ms on earlier answers, slowest gen_declare in deal 1: 600 ms",
        ),
        ("9.1s", 901 * MS, ""),
        ("1s/request", 901 * MS, ""),
    ],
)
def test_how_a_budget_went_is_told_where_a_tenth_of_it_went_before(time, earlier, words):
    assert spent_budget_text(TimeControl.parse(time), earlier, ANSWERS) == words


@pytest.mark.parametrize("text", ["3m", "1.5s", "60s+100ms", "500ms/request", "2500us"])
def test_a_time_control_reads_back_what_it_writes(text):
    control = TimeControl.parse(text)
    assert TimeControl.parse(str(control)) == control


@pytest.mark.parametrize(
    ("text", "granted", "match", "longest"),
    [
        ("10s", 10_000, 10_000, 40_000),
        ("10s+1s", 13_000, 10_000, 60_000),
        ("10ms/request", 10, None, 1_000),
    ],
)
def test_what_follows_from_a_time_control_is_its_own_arithmetic(text, granted, match, longest):
    control = TimeControl.parse(text)
    found = control.granted_ns(3), control.match_ns, control.longest_ns(4, 100, 20)
    assert found == (granted * MS, None if match is None else match * MS, longest * MS)
