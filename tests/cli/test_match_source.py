"""Matches from anywhere: a file of records, a replay, a site's address; whoever wrote them."""

from __future__ import annotations

import json
import random
import re
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.cli import match_source
from arbiter.cli.match_text import print_match
from arbiter.errors import ArbiterError
from arbiter.match.record import BotReport, MatchRecord
from arbiter.replay.visibility import Reader, replay_of
from tests.fixtures.commands import BOTS
from tests.fixtures.profiles import examples
from tests.fixtures.receiving import receiving
from tests.fixtures.replays import OPTIONS, faulty, match_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.fixtures.commands import Run
    from tests.fixtures.receiving import Got, Receiver

PATIENCE = 60.0


def with_id(number: int) -> MatchRecord:
    return replace(match_of("planning", seed=number), id=f"r001/t01/m{number}")


def sent(record: MatchRecord) -> bytes:
    return json.dumps(replay_of(record, Reader("public"))).encode()


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """A file of three matches."""
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(with_id(number).to_json()) + "\n" for number in range(3)))
    return path


@pytest.fixture
def site() -> Iterator[Receiver]:
    """A server whose answer is a replay."""
    with receiving() as server:
        server.answer = lambda _: http(sent(with_id(1)))
        yield server


def http(body: bytes, status: str = "200 OK", more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{more}\r\n".encode() + body


def shown(result: tuple[int, str, str]) -> str:
    assert (result[0], result[2]) == (0, "")
    return result[1]


def test_a_file_of_several_matches_is_listed(arbiter: Run, lines: Path) -> None:
    out = shown(arbiter("show", lines))
    assert [line.split()[:3] for line in out.splitlines() if "r001/" in line] == [
        [str(number + 1), f"r001/t01/m{number}", "planning"] for number in range(3)
    ]


@pytest.mark.parametrize("which", ["2", "r001/t01/m1"])
def test_one_of_them_is_chosen_by_its_number_or_its_id(arbiter: Run, lines: Path, which: str) -> None:
    assert json.loads(shown(arbiter("show", lines, which, "--format", "json"))) == json.loads(
        json.dumps(with_id(1).to_json())
    )


def test_matches_are_counted_from_one(arbiter: Run, lines: Path) -> None:
    code, _, err = arbiter("show", lines, "0")
    assert (code, "counted from 1, got 0" in err) == (2, True)


def test_a_record_and_its_replay_show_the_same_play(arbiter: Run, tmp_path: Path) -> None:
    record, replay = tmp_path / "record.json", tmp_path / "replay.json"
    match = match_of("planning")
    record.write_text(json.dumps(match.to_json()))
    replay.write_bytes(sent(match))
    texts = [shown(arbiter("show", path)) for path in (record, replay)]
    assert texts[0].partition("\ndeal 1 ")[2] == texts[1].partition("\ndeal 1 ")[2] != ""
    assert match.points is not None
    assert texts[1].splitlines()[4].split() == ["0", match.players[0], str(match.points[0])]


def test_a_replay_has_the_fault_of_its_match(arbiter: Run, tmp_path: Path) -> None:
    path = tmp_path / "replay.json"
    path.write_bytes(sent(faulty(match_of("planning"), 30)))
    out = shown(arbiter("show", path))
    assert "forfeits: illegal\n  why      9C: it is not in hand" in out
    again = f"again    arbiter console --record {path} --from r001/t01/m0 --until 30 --seat "
    assert re.search(rf"position hand .+, legal .+\n  {again}\d=bot:COMMAND\n", out)


def test_the_console_takes_one_match_of_a_file(arbiter: Run, lines: Path) -> None:
    words = ("console", "--record", lines, "--until", "2", "--isolation", "plain")
    assert "fed 2 of 2" in arbiter(*words, "--from", "r001/t01/m2")[1]
    assert arbiter(*words)[2] == (
        f"{lines}: has 3 matches: give the id or the number of one (arbiter show {lines} lists them)\n"
    )


def test_a_file_of_matches_is_exported(arbiter: Run, lines: Path) -> None:
    out = shown(arbiter("export", lines, "--as", "csv", "--output", "-"))
    assert {line.split(",")[5] for line in out.splitlines()[1:]} == {f"r001/t01/m{n}" for n in range(3)}


def test_matches_of_two_games_are_no_data_set(arbiter: Run, lines: Path, tmp_path: Path) -> None:
    with lines.open("a") as file:
        file.write(json.dumps(match_of("codepiece").to_json()))
    code, _, err = arbiter("export", lines, "--as", "parquet", "--output", tmp_path / "x.parquet")
    assert code == 2
    assert "has matches of planning and of codepiece" in err


@pytest.mark.process
def test_a_match_of_a_file_is_reviewed_by_a_command(arbiter: Run, lines: Path) -> None:
    pimc = f"python3 {BOTS / 'planning_pimc.py'}"
    words = ("review", lines, "1", "--by", pimc, "--seat", "0", "--budget", "100ms", "--format", "json")
    code, out, _ = arbiter(*words)
    found = json.loads(out)
    assert (code, found["by"]) == (0, "planning_pimc")
    assert {decision["seat"] for decision in found["decisions"]} == {0}


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("seasons/s/matches/r001-t01-m1", "/api/v1/seasons/s/matches/r001-t01-m1/replay"),
        ("seasons/s/matches/r001/t01/m1/", "/api/v1/seasons/s/matches/r001/t01/m1/replay"),
        ("seasons/s/matches/r001-t01-m1?run=1", "/api/v1/seasons/s/matches/r001-t01-m1/replay?run=1"),
        ("cup/seasons/s/matches/r1", "/cup/api/v1/seasons/s/matches/r1/replay"),
        ("api/v1/seasons/s/matches/r1/replay", "/api/v1/seasons/s/matches/r1/replay"),
        ("files/replay.json", "/files/replay.json"),
    ],
)
def test_the_page_of_a_match_leads_to_its_replay(arbiter: Run, site: Receiver, path: str, asked: str) -> None:
    assert "r001/t01/m1: planning" in shown(arbiter("show", site.url + path))
    assert [one.path for one in site.got] == [asked]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (http(b"<title>\x1b[2J</title>"), "neither a match record nor a replay"),
        (http(b"[]"), "neither a match record nor a replay"),
        (http(b'{"format": "arbiter-replay/1"}'), "is not a whole replay"),
        (http(b'{"error": {"message": "there is nothing here"}}', "404 Not Found"), "there is nothing here"),
        (http(b"", "302 Found", "Location: http://other/\r\n"), "redirects to http://other/"),
        (http(b" " * 2001), "its answer has more than 2000 bytes"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{", "neither a match record nor a replay"),
    ],
)
def test_another_answer_is_one_line(
    arbiter: Run, site: Receiver, monkeypatch: pytest.MonkeyPatch, answer: bytes, said: str
) -> None:
    monkeypatch.setattr(match_source, "MOST_CHARACTERS", 2000)
    site.answer = lambda _: answer
    code, out, err = arbiter("show", site.url)
    assert (code > 0, out, err.count("\n")) == (True, "", 1)
    assert said in err
    assert "\x1b" not in err


def test_a_site_that_never_ends_its_answer_is_left(
    arbiter: Run, site: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_source, "FETCH_SECONDS", 0.05)
    left = threading.Event()

    def answer(_: Got) -> bytes:
        left.wait(PATIENCE)
        return b""

    site.answer = answer
    code, _, err = arbiter("show", site.url)
    assert code == 1
    assert "no whole answer within 0.05 s" in err
    left.set()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", ":1: is not JSON"),
        ("\n[]", ":2: cannot be read: it is neither a match record nor a replay"),
        ("", ": has no match"),
        (json.dumps(with_id(0).to_json() | {"deals": []}), "belongs to no deal"),
        (json.dumps(with_id(0).to_json() | {"players": ["a"]}), "cannot be read"),
    ],
)
def test_a_bad_file_is_one_line(arbiter: Run, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    code, out, err = arbiter("show", path, *(["1"] if text else []))
    assert (code > 1, out, err.count("\n")) == (True, "", 1)
    assert said in err.replace("no match '1'", "has no match")


def test_a_seasons_file_in_json_stays_one(arbiter: Run, tmp_path: Path) -> None:
    path = tmp_path / "season.json"
    path.write_text('{"game": "planning", "players": [{"name": "a", "command": ["python3"]}]}')
    assert not match_source.is_match_source(str(path))
    code, _, err = arbiter("show", path)
    assert code == 5
    assert "no store" in err


WRONG: list[Any] = [None, 5, 1.5, "x", "\x1b[2J", 10**30, -1, [], {}, [[]], {"hands": None}, "planning"]


@pytest.mark.parametrize("name", OPTIONS)
@examples(200)
@given(seed=st.integers(0, 2**32), wrong=st.sampled_from(WRONG), with_fault=st.booleans())
def test_no_change_of_a_record_is_a_failure_of_ours(
    name: str, seed: int, wrong: Any, with_fault: bool
) -> None:
    lot, match = random.Random(seed), match_of(name)
    bots = tuple(
        BotReport(player, stderr_tail="x", stderr_at=((0, "during", 1),)) for player in match.players
    )
    match = replace(faulty(match, 5) if with_fault else match, bots=bots)
    shape = json.loads(json.dumps(match.to_json()))
    place: Any = shape
    while True:
        key = lot.choice(list(place) if isinstance(place, dict) else range(len(place)))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or lot.random() < 0.1:
            break
        place = inner
    place[key] = wrong
    try:
        found = match_source.verify_record(match_source.record_from(shape, "x.json"), "x.json")
    except ArbiterError:
        return
    print_match(found)
