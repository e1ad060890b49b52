"""Season files: every mistake at once, each with its place and a hint."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arbiter.errors import ConfigError
from arbiter.match.spec import Player
from arbiter.sandbox.player_command import readable_rivals, refuse_stray_links, register
from arbiter.season.config import Config, load
from arbiter.season.config.readable_secrets import readable_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from arbiter.season.config import Config
    from tests.fixtures.commands import Run


GOOD = """\
game: planning
players:
  - {name: a, command: [python3, bot.py]}
  - {name: b, command: [python3, bot.py]}
  - {name: c, command: [python3, bot.py]}
  - {name: d, command: [python3, bot.py]}
"""
HOOK = "game: planning\nwebhooks: [{secret_file: k"

Write = "Callable[[str], Path]"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """A config in a folder that has a bot.py."""
    (tmp_path / "bot.py").write_text("")

    def write(text: str) -> Path:
        path = tmp_path / "season.yaml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def problems(write: Callable[[str], Path]) -> Callable[[str], list[str]]:
    """The problems of a text as lines without the file's name."""

    def problems(text: str) -> list[str]:
        path = write(text)
        with pytest.raises(ConfigError) as caught:
            load(path, check_commands=True)
        return [line.removeprefix(f"{path}:") for line in str(caught.value).splitlines()]

    return problems


def test_defaults_are_those_documented(write: Callable[[str], Path]) -> None:
    config = load(write(GOOD))
    assert config.season == "season"
    assert config.store == f"sqlite:///{write(GOOD).parent.resolve() / 'season.sqlite'}"
    assert (config.rounds, config.opening_rounds, config.pairing) == (100, 12, "variance")
    assert config.limits.time.budget_ns == 10 * 10**9
    assert config.limits.start_ns == 5 * 10**9
    assert config.limits.memory_bytes == 400 * 10**6
    assert (config.limits.clock, config.limits.delivery, config.limits.end) == ("adjusted", "strict", "kill")
    assert (config.workers, config.seed, config.house_bots) == (None, "auto", ())


def test_all_mistakes_come_at_once_in_the_order_of_the_file(problems: Callable[[str], list[str]]) -> None:
    found = problems(
        "game: {name: planning, deals: [[1, 0], [14, 7]]}\n"
        "sede: 3\n"
        "time: 3x\n"
        "pairing: variace\n"
        "rounds: 0\n"
        "rounds: 5\n"
        "house_bots: [rando]\n"
        "players:\n"
        "  - name: random\n"
        "    comand: [python3, bot.py]\n"
        "  - {name: random, command: [python3, none.py]}\n"
    )
    assert found == [
        "1:41: game.deals.1.0: 14 cards each: 52 cards give 4 players 1 to 13",
        "1:45: game.deals.1.1: starter 7 is not a seat 0..3",
        "2:1: sede: unknown key (did you mean seed?)",
        "3:1: time: not a time control: '3x' (write 3m, 60s+100ms or 500ms/request)",
        "4:1: pairing: 'variace' is not known (did you mean variance?)",
        "5:1: rounds: should be greater than 0",
        "6:1: rounds: duplicate key, first given in line 5",
        "7:14: house_bots.0: 'rando' is not in players (did you mean random?)",
        "9:5: players.0.command: is required",
        "10:5: players.0.comand: unknown key (did you mean command?)",
        "11:6: players.1.name: 'random' is taken by an earlier player",
        "11:39: players.1.command.1: random: there is no file none.py",
    ]


def test_bubblewrap_is_refused_in_one_line(problems: Callable[[str], list[str]]) -> None:
    assert problems(GOOD + "isolation: bwrap\n") == [
        "7:1: isolation: bubblewrap holds builds alone; no bot plays in it any more (write landlock)"
    ]


def test_every_missing_program_is_named_at_once_whatever_else_is_wrong(
    problems: Callable[[str], list[str]],
) -> None:
    text = GOOD.replace("game: planning", "game: planning\ntime: 3").replace(
        "name: c,", "name: 'c#', read: [x],"
    )
    found = problems(text.replace("bot.py", "gone.py"))
    assert [line.partition(": ")[2] for line in found] == [
        "time: 3 has no unit (write 3s)",
        "players.0.command.1: a: there is no file gone.py",
        "players.1.command.1: b: there is no file gone.py",
        "players.2.name: not a name: 'c#' (up to 64 characters without #, @ or double quotes)",
        "players.2.read.0: c#: there is no x",
        "players.2.command.1: c#: there is no file gone.py",
        "players.3.command.1: d: there is no file gone.py",
    ]


def test_a_missing_folder_of_the_store_is_found_by_who_asks(write: Callable[[str], Path]) -> None:
    path = write(GOOD + "store: sqlite:///none/s.sqlite\n")
    load(path, check_commands=True)
    with pytest.raises(ConfigError) as caught:
        load(path, check_store=True)
    said = f"store: there is no folder {path.parent / 'none'} (make it, or name another one)"
    assert str(caught.value) == f"{path}:7:1: {said}"
    for there in ("sqlite:///s.sqlite", "postgresql://host/db"):
        load(write(GOOD + f"store: {there}\n"), check_store=True)


@pytest.mark.parametrize(
    ("store", "said"),
    [
        ("sqlite:///", "sqlite:/// keeps nothing (name a file)"),
        ("sqlite://", "sqlite:// keeps nothing (name a file)"),
        ("sqlite:////usr", "/usr is a folder (name a file in it)"),
        (
            "sqlite:///x?x=1.sqlite",
            "not a store: 'sqlite:///x?x=1.sqlite' has parameters (only servers accept them; write the file alone)",
        ),
    ],
)
def test_a_store_that_no_season_can_be_kept_in_is_found(
    store: str, said: str, write: Callable[[str], Path]
) -> None:
    path = write(GOOD + f"store: '{store}'\n")
    with pytest.raises(ConfigError) as caught:
        load(path, check_store=True)
    assert str(caught.value) == f"{path}:7:1: store: {said}"


def test_a_moment_that_is_over_draws_a_warning(write: Callable[[str], Path]) -> None:
    (warning,) = load(write(GOOD + "until: 2020-01-01T18:00\n")).warnings
    assert warning == "until: 2020-01-01 18:00 is over: beyond `rounds` no round is played"
    assert not load(write(GOOD + "until: 9999-01-01\n")).warnings
    told = load(write(GOOD + "submissions: {until: 2020-01-01T18:00}\n")).warnings
    assert "submissions: until: 2020-01-01 18:00 is over: no archive is accepted" in told


@pytest.mark.parametrize(
    ("calendar", "warned"), [("", True), ("opens: 2099-01-01\n", False), ("every: 24h\n", False)]
)
def test_a_season_that_takes_programs_and_begins_with_the_first_is_warned_of(
    write: Callable[[str], Path], calendar: str, warned: bool
) -> None:
    said = load(write(f"{GOOD}submissions: {{}}\n{calendar}")).warnings
    assert any(text.startswith("submissions without `opens` or `every`") for text in said) is warned


def test_only_moments_of_an_interval_can_be_missed(write: Callable[[str], Path]) -> None:
    with pytest.raises(ConfigError, match="only moments of `every` can be missed"):
        load(write(f"{GOOD}missed: skip\n"))
    assert load(write(f"{GOOD}every: 24h\nmissed: skip\n")).missed == "skip"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("game: planning", "game: plannin"), "1:1: game: unknown game 'plannin' (did you mean planning?)"),
        (("game: planning\n", ""), "1:1: game: is required"),
        (("game: planning", "game: planning\ndeals: [[1, 0]]"), "2:1: deals: unknown key (options of a game belong in game: {name: planning, deals: ...})"),
        (("game: planning", "game: planning\noptions: {seats: 2}"), "2:1: options: unknown key (options of a game belong in game: {name: planning, seats: ...})"),
        (("game: planning", "game: [planning]\noptions: 3"), "2:1: options: unknown key (options of a game belong in game: {name: GAME, KEY: ...})"),
        (("game: planning", "game: planning\nseason: 007"), "2:1: season: should be a valid string (YAML reads it as a number: quote it)"),
        (("game: planning", "game: planning\nhouse_bots: [no]"), "2:14: house_bots.0: should be a valid string (YAML reads it as true or false: quote it)"),
        (("game: planning", "game: planning\nanchors: {off: 3}"), "2:1: anchors: should be a valid string (YAML reads it as true or false: quote it)"),
        (("game: planning", "game: planning\nseason: 2026-12-01"), "2:1: season: should be a valid string (YAML reads it as a date: quote it)"),
        (("game: planning", "game: planning\nseason: [a]"), "2:1: season: should be a valid string"),
        (("game: planning", "game: {name: planning, seat: 3}"), "1:24: game.seat: unknown option of planning (did you mean seats?)"),
        (("game: planning", "game: {name: planning, seats: 5}"), "1:24: game.seats: 5 is not a number of players from 2 to 4"),
        (("game: planning", "game: planning\nmemory: 400"), "2:1: memory: 400 has no unit (write 400MB)"),
        (("game: planning", "game: planning\nmemory: 4"), "2:1: memory: 4 has no unit (write 4GB)"),
        (("game: planning", "game: planning\nmemory: 400000000"), "2:1: memory: 400000000 has no unit (write 400MB)"),
        (("game: planning", "game: planning\nmemory: true"), "2:1: memory: should be a valid string"),
        (("game: planning", "game: planning\ntime: 3"), "2:1: time: 3 has no unit (write 3s)"),
        (("game: planning", "game: planning\ntime: 0.5"), "2:1: time: 0.5 has no unit (write 0.5s)"),
        (("game: planning", "game: planning\ntime: 1:30"), "2:1: time: 90 has no unit (write 90s)"),
        (("game: planning", "game: planning\ntime: '3'"), "2:1: time: not a time control: '3' (write 3m, 60s+100ms or 500ms/request)"),
        (("game: planning", "game: planning\ntime: -3"), "2:1: time: should be a valid string"),
        (("game: planning", "game: planning\nstart_time: 5"), "2:1: start_time: 5 has no unit (write 5s)"),
        (("game: planning", "game: planning\nmemory: 1KB"), "2:1: memory: not an amount of memory: '1KB' (write 400MB; at least 10MB, at most 1000000GB)"),
        (("game: planning", "game: planning\nstop_when: 0.5"), "2:1: stop_when: 0.5 does not say of what (write {faults: 0.5})"),
        (("game: planning", "game: planning\nstop_when: often"), "2:1: stop_when: should be a mapping of keys"),
        (("game: planning", "game: planning\nstop_when: {faults: x}"), "2:13: stop_when.faults: should be a number"),
        (("game: planning", "game: planning\nstop_when: {faults: 0}"), "2:13: stop_when.faults: should be greater than 0"),
        (("game: planning", "game: planning\nstop_when: {faults: 1.5}"), "2:13: stop_when.faults: should be less than or equal to 1"),
        (("game: planning", "game: planning\nstop_when: {elo: 0}"), "2:13: stop_when.elo: should be greater than 0"),
        (("game: planning", "game: planning\nstop_when: {cost: .inf}"), "2:13: stop_when.cost: should be less than or equal to 1000000000"),
        (("game: planning", "game: planning\nstop_when: {cost: 5}"), "2:13: stop_when.cost: no player here has costs (it is for language models)"),
        (("game: planning", "game: planning\nprices: {a: 3}"), "2:10: prices.a: should be a mapping of keys"),
        (("game: planning", "game: planning\nprices: {a: {input: -1, output: 2}}"), "2:14: prices.a.input: should be greater than or equal to 0"),
        (("game: planning", "game: planning\nprices: {a: {input: 1, output: 2, out: 3}}"), "2:35: prices.a.out: unknown key (did you mean output?)"),
        (("game: planning", "game: planning\nprices: {a: {input: 1}}"), "2:10: prices.a.output: is required"),
        (("game: planning", "game: planning\nanchors: {alice: 3}"), "2:11: anchors.alice: 'alice' is not what a player is rated as (known: a, b, c, d)"),
        (("game: planning", "game: planning\nanchors: {}"), "2:1: anchors: is empty"),
        (("game: planning", "game: planning\nstop_when: {elo: 50}\nanchors: {a: 1, b: 2, c: 3, d: 4}"), "2:13: stop_when.elo: no player's interval counts (those of house bots and anchors do not)"),
        (("game: planning", "game: planning\nsubmissions: true"), "2:1: submissions: should be a mapping of keys"),
        (("game: planning", "game: planning\nsubmissions: {max_size: 10}"), "2:15: submissions.max_size: 10 has no unit (write 10MB)"),
        (("game: planning", "game: planning\nsubmissions: {max_size: 2GB}"), "2:15: submissions.max_size: not a size: '2GB' (write 10MB; at least 1KB, at most 1GB)"),
        (("game: planning", "game: planning\nsubmissions: {perday: 3}"), "2:15: submissions.perday: unknown key (did you mean per_day?)"),
        (("game: planning", "game: planning\nsubmissions: {until: soon}"), "2:15: submissions.until: expected a date and time, got 'soon' (write 2026-12-01T18:00)"),
        (("game: planning", "]"), "1:1: expected a value, got ']' (is a bracket too many, or a quote missing?)"),
        (("game: planning", "game: planning\nworkers: many"), "2:1: workers: 'many' is not known, or should be a valid integer (known: auto)"),
        (("name: d, command: [python3, bot.py]", "name: d, command: []"), "6:15: players.3.command: is empty"),
        (("name: d, command: [python3, bot.py]", "name: d, command: [python3, ./missing.py]"), "6:34: players.3.command.1: d: there is no file ./missing.py"),
        (("name: d, command: [python3, bot.py]", f"name: d, command: [python3, bot.py], read: [{', '.join(['.'] * 33)}]"), "6:43: players.3.read: d: read: expected at most 32 files and folders, got 33: name their folder instead"),
        (("name: d, command: [python3, bot.py]", "name: d, command: [python3, bot.py], read: [/proc/self]"), "6:43: players.3.read: d: read: /proc/self belongs to the kernel, of which bots see copies of a few files: leave it out"),
        (("name: d, command: [python3, bot.py]", "name: d, command: [./bot.py]"), "6:25: players.3.command.0: d: ./bot.py is not executable (chmod +x, or name its interpreter first)"),
        (("name: d, command: [python3, bot.py]", "name: d, command: [no-such-program]"), "6:25: players.3.command.0: d: there is no program no-such-program in PATH"),
        (("name: d,", "name: '..',"), "6:6: players.3.name: not a name: '..' (no page can have the address of . or ..)"),
        (("name: d,", "name: 'd#2',"), "6:6: players.3.name: not a name: 'd#2' (up to 64 characters without #, @ or double quotes)"),
        (("  - {name: d, command: [python3, bot.py]}\n", ""), "2:1: players: 3 players do not fill tables of 4 (name a player in house_bots to fill up)"),
        (("game: planning", "game: planning\n  bad: ]"), "2:6: mapping values are not allowed here"),
        (("game: planning", "game: planning\nseed: 2024-99-99"), "2:1: seed: cannot be read as YAML: month must be in 1..12 (quote it)"),
        (("game: planning", "game: planning\n? [a]\n: b"), "2:3: a key must be a word"),
        (("game: planning", "game: planning\nseed: !!bool x"), "2:1: seed: cannot be read as YAML: this is no bool (quote it)"),
        (("game: planning", "game: planning\nseed: !!timestamp x"), "2:1: seed: cannot be read as YAML: this is no timestamp (quote it)"),
        (("game: planning", 'game: planning\nseed: !!int ""'), "2:1: seed: cannot be read as YAML: this is no int (quote it)"),
        (("game: planning", "game: planning\nseed: 1" + ":59" * 200 + ".5"), "2:1: seed: cannot be read as YAML: this is no float (quote it)"),
        (("game: planning", "game: planning\nseed: \0"), " unacceptable character #x0000: special characters are not allowed"),
        (("game: planning", "game: planning\nx: " + "[" * 30000 + "]" * 30000), " is nested too deeply, or an alias contains itself"),
        (("game: planning", "game: planning\nseed:\t1"), "2:6: found character '\\t' that cannot start any token"),
        (("game: planning", "game: planning\nprices: [a, b?]"), "2:14: expected ',' or ']', but got '?'"),
        (("game: planning", "game: planning\nstore: my.sqlite"), "2:1: store: not a store: 'my.sqlite' (write sqlite:///my.sqlite, or postgresql+psycopg://user@host/database)"),
        (("game: planning", "game: planning\nuntil: tomorrow"), "2:1: until: expected a date and time, got 'tomorrow' (write 2026-12-01T18:00)"),
        (("game: planning", "game: planning\nevery: 30"), "2:1: every: 30 has no unit (write 30m)"),
        (("game: planning", "game: planning\nevery: 10ms"), "2:1: every: not a time between rounds: '10ms' (write 30m; at least 1s, at most 8760h)"),
        (("game: planning", "game: planning\nfreeze: -1"), "2:1: freeze: should be greater than or equal to 0"),
        (("game: planning", "game: planning\nopens: soon"), "2:1: opens: expected a date and time, got 'soon' (write 2026-12-01T18:00)"),
        (("game: planning", "game: planning\nuntil: 2026-12-01\nopens: 2026-12-01T00:00"), "3:1: opens: the season opens after it has ended (write a moment before `until`)"),
        (("game: planning", "game: planning\nuntil: 18"), "2:1: until: expected a date and time, got 18 (write 2026-12-01T18:00)"),
        (("game: planning", "game: planning\nuntil: 18:00"), "2:1: until: expected a date and time, got 18:00 (write 2026-12-01T18:00)"),
        (("game: planning", "game: planning\nuntil: 9:05"), "2:1: until: expected a date and time, got 09:05 (write 2026-12-01T09:05)"),
        (("game: planning", "game: planning\nuntil: 18:00:30"), "2:1: until: expected a date and time, got 18:00:30 (write 2026-12-01T18:00:30)"),
        (("game: planning", "game: planning\nstore: mysql://me:secret@host/db"), "2:1: store: not a kind of store: mysql:// (write sqlite:///file.sqlite or postgresql+psycopg://user@host/database)"),
        (("game: planning", "game: planning\nstore: postgresql+psycopg2://host/db"), "2:1: store: not a kind of store: postgresql+psycopg2:// (write sqlite:///file.sqlite or postgresql+psycopg://user@host/database)"),
        (("game: planning", "game: planning\nuntil: 2026-13-01T18:00"), "2:1: until: expected a date and time, got '2026-13-01T18:00' (write 2026-12-01T18:00)"),
        (("game: planning", "game: planning\nship: [no-such-folder]"), "2:8: ship.0: there is no folder no-such-folder"),
        (("game: planning", "game: planning\nsuspend_share: 0"), "2:1: suspend_share: should be greater than 0"),
        (("game: planning", "game: planning\nsuspend_share: 2"), "2:1: suspend_share: should be less than or equal to 1"),
        (("game: planning", "game: planning\nsuspend_after: -1"), "2:1: suspend_after: should be greater than or equal to 0"),
        (("game: planning", "game: planning\ntime: 9999h"), "2:1: time: too long a duration: '9999h' (at most 8760h)"),
        (("game: planning", "game: planning\nstart_time: 0s"), "2:1: start_time: too short to start a program: '0s' (write 5s, or clock)"),
        (("game: planning", "game: planning\nmemory: 9000000000GB"), "2:1: memory: not an amount of memory: '9000000000GB' (write 400MB; at least 10MB, at most 1000000GB)"),
        (("game: planning", "game: planning\nrounds: '5'"), "2:1: rounds: should be a valid integer"),
        (("game: planning", f"{HOOK}, url: https://u:p@a.example/}}]"), "2:29: webhooks.0.url: an address with a user or password in it (the signature identifies the sender)"),
        (("game: planning", f"{HOOK}, url: ftp://secret/}}]"), "2:29: webhooks.0.url: not an address of http or https: ftp:... (write https://HOST/PATH)"),
        (("game: planning", f"{HOOK}, url: secret}}]"), "2:29: webhooks.0.url: not an address (write https://HOST/PATH)"),
        (("game: planning", f"{HOOK}, url: 'https://[secret'}}]"), "2:29: webhooks.0.url: not an address (write https://HOST/PATH)"),
        (("game: planning", f"{HOOK}, url: 'https://a.example:0/'}}]"), "2:29: webhooks.0.url: not an address: its port (1 to 65535, or none)"),
        (("game: planning", f"{HOOK}, url: 'https://a.example:99999/'}}]"), "2:29: webhooks.0.url: not an address: its port (1 to 65535, or none)"),
        (("game: planning", f"{HOOK}, url: 'https://a.example/#x'}}]"), "2:29: webhooks.0.url: an address with a # in it (no receiver sees what follows)"),
        (("game: planning", f"{HOOK}, url: 'https://ä.example/'}}]"), "2:29: webhooks.0.url: an address has printable ASCII alone (write a name such as xn--..., and %20 for a blank)"),
        (("game: planning", f"{HOOK}, url: https://a.example/, form: teams}}]"), "2:54: webhooks.0.form: 'teams' is not known (known: json, discord, slack)"),
        (("game: planning", f"{HOOK}, url: https://a.example/, events: [round, rounds]}}]"), "2:70: webhooks.0.events.1: 'rounds' is not known (did you mean round?)"),
        (("game: planning", f"{HOOK}, url: https://a.example/, events: []}}]"), "2:54: webhooks.0.events: is empty"),
        (("game: planning", f"{HOOK}, url: https://a.example/}}, {{secret_file: k, url: https://a.example/}}]"), "2:72: webhooks.1.url: is that of an earlier webhook (one is enough)"),
        (("name: d,", "name: d, env: {A=B: x},"), "6:5: players.3: d: 'A=B' is not a variable name"),
        (("name: d,", f"name: d, env: {{A: {'x' * 40000}}},"), "6:5: players.3: d: command and environment: expected at most 32768 bytes, got 40014"),
        (("name: d,", 'name: "\\ud800x",'), None),
        (("game: planning", "game: &a [*a]"), " is nested too deeply, or an alias contains itself"),
        (("game: planning", "game: planning\nx: " + "[" * 60 + "]" * 60), " is nested too deeply, or an alias contains itself"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(
    change: tuple[str, str], expected: str | None, problems: Callable[[str], list[str]]
) -> None:
    found = problems(GOOD.replace(*change))
    assert (expected in found) if expected else found


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-12-01T18:00+01:00", "2026-12-01T17:00:00+00:00"),
        ("2026-12-01T18:00:00Z", "2026-12-01T18:00:00+00:00"),
        ('"2026-12-01 18:00:00+00:00"', "2026-12-01T18:00:00+00:00"),
    ],
)
def test_a_moment_may_be_written_in_many_ways(text: str, moment: str, write: Callable[[str], Path]) -> None:
    until = load(write(GOOD.replace("game: planning", f"game: planning\nuntil: {text}"))).until
    assert until == datetime.fromisoformat(moment)


def test_a_season_with_an_end_has_as_many_rounds_as_fit_unless_it_says_how_many_at_least(
    write: Callable[[str], Path],
) -> None:
    assert load(write(GOOD + "until: 2999-01-01\n")).rounds == 1
    assert load(write(GOOD + "until: 2999-01-01\nrounds: 7\n")).rounds == 7


def test_a_moment_without_a_zone_is_by_this_machines_clock(write: Callable[[str], Path]) -> None:
    for text in ("2026-12-01T18:00", "2026-12-01T18:00:00", "2026-12-01"):
        until = load(write(GOOD.replace("game: planning", f"game: planning\nuntil: {text}"))).until
        assert until == datetime.fromisoformat(text).astimezone()


@pytest.mark.parametrize(
    "line",
    [
        "until: 2026-12-01T18:00",
        "opens: 2026-12-01T18:00",
        "every: 30m",
        "freeze: 5",
        "publish_notes: true",
        "rounds: 7",
        "ship: [.]",
        "workers: 1",
        "store: sqlite:///x.sqlite",
        "seed: x",
        "stop_when: {faults: 0.5}",
        "submissions: {}",
        HOOK[15:] + ", url: https://a.example/}]",
    ],
)
def test_what_changes_no_result_leaves_the_digest_as_it_is(line: str, write: Callable[[str], Path]) -> None:
    assert load(write(GOOD + line)).digest == load(write(GOOD)).digest


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^.*none\.yaml: cannot be read: No such file or directory$"):
        load(tmp_path / "none.yaml")


def test_a_missing_program_does_not_matter_for_reading_results(write: Callable[[str], Path]) -> None:
    assert load(write(GOOD.replace("bot.py", "gone.py"))).rounds == 100


def test_named_files_become_absolute_and_the_last_ones_folder_is_the_bots_own(
    write: Callable[[str], Path], tmp_path: Path
) -> None:
    own = tmp_path / "deep"
    own.mkdir()
    (own / "model.bin").write_text("")
    config = load(
        write(
            GOOD.replace(
                "python3, bot.py]}\n  - {name: b", "python3, bot.py, deep/model.bin, -x]}\n  - {name: b"
            )
        )
    )
    player = config.entries[0].player
    assert player.command == ("python3", str(tmp_path / "bot.py"), str(own / "model.bin"), "-x")
    assert player.folder == str(own)
    assert config.entries[1].player.folder == str(tmp_path)


def test_a_version_makes_another_rated_entry(write: Callable[[str], Path]) -> None:
    config = load(write(GOOD.replace("name: a,", "name: a, version: 2,")))
    assert config.entries[0].player.name == "a@2"


def test_two_versions_of_a_player_are_two_players(
    write: Callable[[str], Path], problems: Callable[[str], list[str]]
) -> None:
    two = GOOD.replace("name: b,", "name: a, version: 2,")
    assert [entry.player.name for entry in load(write(two)).entries] == ["a", "a@2", "c", "d"]
    assert problems(two.replace("name: c,", "name: a, version: 2,")) == [
        "5:6: players.2.name: 'a@2' is taken by an earlier player"
    ]


def test_a_short_seed_draws_a_warning(write: Callable[[str], Path]) -> None:
    assert "guess" in load(write(GOOD + "seed: 1\n")).warnings[0]
    assert load(write(GOOD + f"seed: {'x' * 32}\n")).warnings == ()


def test_all_files_of_an_author_take_no_less_than_one_archive_may(write: Callable[[str], Path]) -> None:
    def total(text: str) -> int:
        terms = load(write(GOOD + f"submissions: {{{text}}}\n")).submissions
        assert terms is not None
        return terms.total

    assert (total(""), total("max_size: 2MB"), total("max_total: 20GB")) == (5 * 10**8, 10**8, 2 * 10**10)
    with pytest.raises(ConfigError, match=r"max_total: 5MB is less than one archive may have .10MB"):
        total("max_total: 5MB")
    with pytest.raises(ConfigError, match="max_total: not a size"):
        total("max_total: much")


def test_a_short_seed_is_refused_where_strangers_send_programs_unless_insisted_on(
    write: Callable[[str], Path],
) -> None:
    weak = write(GOOD + "submissions: {}\nseed: 20261201\n")
    with pytest.raises(ConfigError, match=r"8:1: seed: a seed of 26 bits can be guessed .*weak_seed: true"):
        load(weak, check_commands=True)
    assert load(weak).seed == "20261201", "what is there already can be looked at"
    for more in ("weak_seed: true\nseed: 1\n", f"seed: {'0f' * 8}\n", "seed: auto\n", ""):
        load(write(GOOD + "submissions: {}\n" + more), check_commands=True)
    load(write(GOOD + "seed: 1\n"), check_commands=True)


@pytest.mark.parametrize(
    "bound", ["time: 5s", "clock: wall", "memory: 300MB", "pairing: swiss", "suspend_after: 3"]
)
def test_what_changes_results_is_in_the_digest(bound: str, write: Callable[[str], Path]) -> None:
    assert load(write(GOOD + bound)).digest != load(write(GOOD)).digest


def test_the_shipped_configs_are_valid() -> None:
    seasons = [
        path
        for path in sorted((Path(__file__).parents[3] / "configs").glob("*.yaml"))
        if path.stem not in ("regress", "suite", "tune")
    ]
    assert seasons
    assert all(load(path).entries for path in seasons)


@pytest.mark.parametrize(
    "command",
    [
        "[sh, -c, 'exec ./bot.py']",
        "[python3, -c, print(1/2)]",
        "[cat, 'http://x/y']",
        f"[python3, -c, {'x' * 300}]",
    ],
)
def test_words_that_name_no_file_are_left_alone(command: str, write: Callable[[str], Path]) -> None:
    text = GOOD.replace("name: d, command: [python3, bot.py]", f"name: d, command: {command}")
    assert load(write(text), check_commands=True).entries[3].player.command[0] in ("sh", "python3", "cat")


def test_a_small_deck_gets_as_much_of_the_tournaments_programme_as_it_can_deal(
    write: Callable[[str], Path],
) -> None:
    config = load(write(GOOD.replace("game: planning", "game: {name: planning, deck: 234 CDHS}")))
    assert config.game.options["deals"] == [[1, 0], [2, 1], [3, 2]]


def season_with(folder: Path, *players: str, **keys: str) -> Config:
    path = folder / "season.yaml"
    text = "".join(f"{key}: {value}\n" for key, value in keys.items())
    text += "game: {name: planning, seats: 2}\nplayers:\n" + "".join(f"  - {line}\n" for line in players)
    path.write_text(text)
    return load(path)


@pytest.mark.parametrize("name", ["nosuch", "a\\0b", "x" * 300])
def test_what_is_to_be_read_must_be_there(name: str, tmp_path: Path) -> None:
    reader = f'{{name: a, command: [python3], read: ["{name}"]}}'
    with pytest.raises(ConfigError) as caught:
        season_with(tmp_path, reader, "{name: b, command: [python3]}")
    assert [problem.path for problem in caught.value.problems] == [("players", 0, "read", 0)]


def test_who_may_read_others_files_is_known(tmp_path: Path) -> None:
    for name in ("alice", "alice/bob", "carol"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text("")
    config = season_with(
        tmp_path,
        "{name: alice, command: [python3, alice/bot.py]}",
        "{name: bob, command: [python3, alice/bob/bot.py]}",
        "{name: carol, command: [python3, carol/bot.py], read: [alice]}",
        "{name: dave, command: [python3]}",
    )
    players = [entry.player for entry in config.entries]
    assert readable_rivals(players) == {"alice": ["bob"], "bob": ["alice"], "carol": ["alice", "bob"]}


def players_with_links(folder: Path) -> dict[str, Player]:
    """A rival with a program and a secret, and others of whose links some lead there."""
    for name in ("rival/bin", "linked", "reader", "plain", "shared"):
        (folder / name).mkdir(parents=True)
    for name in ("rival", "linked", "reader", "plain"):
        (folder / name / "bot.py").write_text("")
    for name in ("rival/bin/engine", "shared/engine"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    (folder / "linked" / "engine").symlink_to(folder / "rival" / "bin" / "engine")
    (folder / "reader" / "data").symlink_to("../rival")
    (folder / "plain" / "engine").symlink_to("../shared/engine")
    (folder / "moved").symlink_to("rival")
    commands: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
        "rival": (("python3", "rival/bot.py"), ()),
        "linked": (("linked/engine", "linked/bot.py"), ()),
        "reader": (("python3", "reader/bot.py"), ("reader/data",)),
        "moved": (("python3", "moved/bot.py"), ()),
        "plain": (("plain/engine", "plain/bot.py"), ()),
        "told": (("python3", "plain/bot.py"), ("rival",)),
    }
    return {name: register(name, words, folder, read=read) for name, (words, read) in commands.items()}


@pytest.mark.parametrize("name", ["linked", "reader", "moved"])
def test_a_link_into_another_players_folder_is_refused(name: str, tmp_path: Path) -> None:
    players = players_with_links(tmp_path)
    with pytest.raises(ConfigError, match=f"a link of {name} leads to .*: rival's folder is"):
        refuse_stray_links([players["rival"], players[name]])


@pytest.mark.parametrize("name", ["plain", "told"])
def test_a_link_elsewhere_and_a_folder_that_is_named_are_not(name: str, tmp_path: Path) -> None:
    players = players_with_links(tmp_path)
    refuse_stray_links([players["rival"], players[name]])


def reach_in(folder: Path, *players: str, **keys: str) -> list[str]:
    """What a season's players could read of it."""
    config = season_with(folder, *players, **keys)
    return list(readable_by(config, [entry.player for entry in config.entries]))


def test_a_season_in_a_virtual_environment_is_out_of_reach_but_for_what_lies_among_its_libraries(
    tmp_path: Path,
) -> None:
    for name in ("bin", "lib"):
        (tmp_path / name).mkdir()
    (tmp_path / "pyvenv.cfg").write_text("")
    (tmp_path / "bin" / "python3").write_text("")
    players = "{name: a, command: [bin/python3, -c, pass]}", "{name: b, command: [python3]}"
    assert reach_in(tmp_path, *players) == []
    assert reach_in(tmp_path, *players, store="sqlite:///lib/s.sqlite", submissions="{}") == [
        f"the store is in {tmp_path}/lib, which a may read",
        f"what authors send is in {tmp_path}/lib, which a may read",
    ]
    others = "{name: a, command: [sh]}", "{name: b, command: [sh]}"
    assert reach_in(tmp_path, *others, languages="{python3: {program: /bin/sh, read: [.]}}") == [
        f"the {what} is in {tmp_path}, which {name} may read" for name in "ab" for what in ("config", "store")
    ]


def test_a_script_without_its_interpreter_is_found(tmp_path: Path) -> None:
    for name, first in (("gone", "#!/nowhere/sh\n"), ("none", "import sys\n")):
        (tmp_path / name).write_text(first)
        (tmp_path / name).chmod(0o755)
    text = "game: {name: planning, seats: 2}\nplayers:\n"
    text += "".join(f"  - {{name: {name}, command: [./{name}]}}\n" for name in ("gone", "none"))
    (tmp_path / "s.yaml").write_text(text)
    load(tmp_path / "s.yaml")
    with pytest.raises(ConfigError) as refused:
        load(tmp_path / "s.yaml", check_commands=True)
    assert [(problem.about, problem.message.partition(" (")[0]) for problem in refused.value.problems] == [
        ("gone", "the first line of ./gone names /nowhere/sh, which does not exist"),
        ("none", "the first line of ./none names no interpreter"),
    ]


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        (b"x" * 15 + b"\n", 0o600, "secret has 15 bytes: at least 16, at most 4096"),
        (b"x" * 5000, 0o600, "secret has more than 4096 bytes: at least 16, at most 4096"),
        (b"x" * 16, 0o640, "others may read"),
        (b"x" * 16, 0o604, "others may read"),
        (None, 0, "No such file or directory"),
    ],
)
def test_a_secret_that_no_webhook_can_be_signed_with_is_named(
    write: Callable[[str], Path], content: bytes | None, mode: int, said: str
) -> None:
    file = write(GOOD.replace("game: planning", f"{HOOK}ey/secret, url: https://a.example/}}]"))
    (file.parent / "key").mkdir()
    secret = file.parent / "key" / "secret"
    if content is not None:
        secret.write_bytes(content)
        secret.chmod(mode)
    assert load(file).webhooks[0].secret_file == secret
    with pytest.raises(ConfigError, match=said) as caught:
        load(file, check_secrets=True)
    (problem,) = caught.value.problems
    assert problem.path == ("webhooks", 0, "secret_file")
    secret.write_bytes(b"x" * 16 + b"\n")
    secret.chmod(0o600)
    load(file, check_secrets=True)


def test_the_check_of_a_file_looks_at_secrets(write: Callable[[str], Path], arbiter: Run) -> None:
    file = write(GOOD.replace("game: planning", f"{HOOK}, url: https://a.example/}}]"))
    code, out, err = arbiter("check-config", file)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "2:13: webhooks.0.secret_file: " in err


def test_a_secret_that_bots_could_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    hook = "[{url: https://a.example/, secret_file: lib/secret}]"
    players = "{name: a, command: [sh], read: [lib]}", "{name: b, command: [sh]}"
    assert reach_in(tmp_path, *players, webhooks=hook) == [
        f"the secret of a.example is in {tmp_path}/lib, which a may read"
    ]
