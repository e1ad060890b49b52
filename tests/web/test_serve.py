"""`arbiter serve`: what it prints, what it plays, how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import urllib.request
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from arbiter.contest.submissions.author_accounts import add_authors
from arbiter.season.config import load
from arbiter.season.season import Season
from arbiter.store import Store
from arbiter.trials.regression.runner import open_experiment
from arbiter.web.http.http_server import bind_socket
from tests.fixtures.records import play_trial
from tests.fixtures.round_processes import assert_all_end, gate_opened, run, watched, with_gate, write_config
from tests.fixtures.served_site import PATIENCE, Served, everything, serving
from tests.fixtures.simulated_regression import InMemory, experiment
from tests.fixtures.site import until
from tests.fixtures.zoo import Kept

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fixtures.commands import Run


def refused(result: tuple[int, str, str], words: str, code: int = 2) -> None:
    assert (result[0], result[1], result[2].count("\n")) == (code, "", 1)
    assert words in result[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("small.yaml", "wrong.yaml", "--port", "0"), "round: unknown key (did you mean rounds?)"),
        (("small.yaml", "small.yaml", "--port", "0"), "the seasons of a site need different names"),
        (("small.yaml", "--host", "203.0.113.1", "--port", "0"), "cannot serve at 203.0.113.1"),
        (("small.yaml", "--public-url", "cards.example.org"), "expected a scheme and a name alone"),
    ],
)
def test_what_cannot_be_served_is_said_in_a_line(
    arbiter: Run, kept: Kept, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(kept.file.parent)
    kept.file.with_name("wrong.yaml").write_text(kept.file.read_text().replace("rounds: 4", "round: 4"))
    refused(arbiter("serve", *words), said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Give a CONFIG, --tests STORE or --attacks FILE."),
        (("--play", "--tests", "t.sqlite"), "--play needs a CONFIG."),
        (("--tables", "1", "--tests", "t.sqlite"), "--tables needs a CONFIG."),
    ],
)
def test_without_a_season_there_are_tests_alone(arbiter: Run, words: tuple[str, ...], said: str) -> None:
    code, out, err = arbiter("serve", *words)
    assert (code, out) == (2, "")
    assert said in err


def test_a_store_of_tests_that_is_missing_is_one_line(arbiter: Run, tmp_path: Path) -> None:
    missing = arbiter("serve", "--tests", tmp_path / "t.sqlite")
    refused(missing, "t.sqlite yet (arbiter regress --store", code=5)
    refused(arbiter("serve", "--tests", "mysql://x"), "no driver for the store mysql", code=5)


@pytest.mark.process
def test_tests_are_shown_alone(tmp_path: Path) -> None:
    test = experiment(folder=tmp_path, max_blocks=2)
    with closing(Store(test.store)) as store:
        play_trial(test, open_experiment(test, store), InMemory(), 1)
    with (
        serving("--tests", tmp_path / "test.sqlite", folder=tmp_path) as served,
        urllib.request.urlopen(f"{served.address}tests/{test.name}", timeout=PATIENCE) as page,
    ):
        assert b"Undecided after 2 blocks" in page.read()


def test_two_seasons_in_one_file_cannot_be_played_at_once(arbiter: Run, tmp_path: Path) -> None:
    first = write_config(tmp_path)
    first.write_text(first.read_text() + "\nseason: one\nstore: sqlite:///s.sqlite")
    other = tmp_path / "other.yaml"
    other.write_text(first.read_text().replace("season: one", "season: two"))
    refused(arbiter("serve", first, other, "--play", "--port", "0"), "give each a separate store", code=5)


def test_a_port_in_use_is_one_line(arbiter: Run, kept: Kept) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused(arbiter("serve", kept.file, "--port", port), f"port {port}: Address already in use")


@pytest.mark.process
def test_answers_wait_for_no_acknowledgement() -> None:
    with (
        closing(bind_socket("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()),
    ):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.process
def test_it_shows_what_others_play_off_their_cores_under_its_name_and_ends_well(
    kept: Kept, tmp_path: Path
) -> None:
    with serving(kept.file, "--public-url", "https://cards.example.org", folder=tmp_path) as served:
        assert served.said == f"serving http://127.0.0.1:{served.port}/\n"
        with urllib.request.urlopen(f"{served.address}seasons/small?secret=1", timeout=PATIENCE) as answer:
            assert (answer.status, answer.headers["server"]) == (200, None)
        for host, expected in ((b"cards.example.org", b"200"), (b"evil.example", b"421")):
            told = served.tell(b"GET /seasons HTTP/1.0\r\nHost: " + host + b"\r\n\r\n")
            assert told.split(b" ")[1] == expected
        tasks = [int(task) for task in os.listdir(f"/proc/{served.process.pid}/task")]
        nices = {task: os.getpriority(os.PRIO_PROCESS, task) for task in tasks}
        main = nices.pop(served.process.pid)
        assert main == os.getpriority(os.PRIO_PROCESS, 0)
        niced = [task for task, nice in nices.items() if nice > main]
        assert niced
        cores = sorted(os.sched_getaffinity(0))
        assert {frozenset(os.sched_getaffinity(task)) for task in niced} == {frozenset(cores[-1:])}
        with urllib.request.urlopen(f"{served.address}api/v1/seasons/small/events", timeout=PATIENCE):
            served.process.send_signal(signal.SIGTERM)
            assert served.process.wait(PATIENCE) == 0
    assert "GET /seasons/small 200" in served.log()
    assert "secret" not in served.log()
    assert "Traceback" not in served.log()


FORWARDED = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}


@pytest.mark.process
@pytest.mark.parametrize("given", [(), ("--behind-proxy",)])
def test_a_proxy_is_believed_when_the_organiser_says_so(
    kept: Kept, tmp_path: Path, given: tuple[str, ...]
) -> None:
    with serving(kept.file, *given, folder=tmp_path) as served:
        for _ in range(2):
            request = urllib.request.Request(f"{served.address}login", headers=FORWARDED)
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                secure = "; Secure" in answer.headers["set-cookie"]
    log = served.log()
    assert secure == bool(given)
    assert ("203.0.113.7 GET /login 200" in log) == bool(given)
    assert log.count("add --behind-proxy") == (not given)


def make(config: Path) -> None:
    """Begin a season, so that there is something to listen to from the first moment on."""
    settled = load(config)
    with closing(Store(settled.store)) as store:
        Season.open(settled, store)


def wait_for_event(served: Served, season_name: str, event: str, wanted: Any = None) -> Any:
    """The data of the first event of a kind, from the season's beginning on; of the first that is `wanted`."""
    address = f"{served.address}api/v1/seasons/{season_name}/events"
    request = urllib.request.Request(address, headers={"Last-Event-ID": "0"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as news:
        for line in news:
            if line == f"event: {event}\n".encode():
                data = json.loads(next(news).removeprefix(b"data: "))
                if wanted in (None, data):
                    return data
    raise AssertionError(f"nothing was told of {event}")


@pytest.mark.process
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL], ids=["terminated", "killed"])
def test_what_it_plays_ends_with_it_and_goes_on_under_the_same_ids(
    tmp_path: Path, ending: signal.Signals
) -> None:
    config = with_gate(write_config(tmp_path), matches=1)
    make(config)
    with serving(config, "--play", folder=tmp_path) as served:
        match = wait_for_event(served, "season", "match")["id"]
        watching = watched(served.process.pid)
        served.process.send_signal(ending)
        code = served.process.wait(PATIENCE)
    assert code == (0 if ending == signal.SIGTERM else -ending)
    assert_all_end(watching)
    (tmp_path / "gate").unlink()
    assert run("run-season", config, "--rounds", "1")[0] == 0
    listed = json.loads(run("matches", config, "--format", "json")[1])["matches"]
    assert match in {one["id"] for one in listed}
    assert sorted(one["id"] for one in listed) == [f"r001/t0{t}/m{m}" for t in (1, 2) for m in range(4)]
    assert all(one["fault"] is None for one in listed)


@pytest.mark.process
def test_two_seasons_are_played_by_one_command(tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        config = write_config(tmp_path / name)
        config.write_text(config.read_text().replace("rounds: 2", "rounds: 1") + f"\nseason: {name}")
        make(config)
        files.append(config)
    with serving(*files, "--play", folder=tmp_path) as served:
        assert (
            wait_for_event(served, "one", "state")
            == wait_for_event(served, "two", "state")
            == {"state": "over"}
        )
    assert "one: arbiter: round 1: 8 matches" in served.log()


@pytest.mark.process
def test_a_site_stays_while_its_season_is_stopped_changed_accepted_and_played_on(tmp_path: Path) -> None:
    config = with_gate(write_config(tmp_path), matches=1)
    make(config)
    with (
        closing(Store(load(config).store)) as store,
        serving(config, "--play", folder=tmp_path) as served,
    ):
        wait_for_event(served, "season", "match")
        assert run("stop", config)[0] == 0
        with gate_opened(config):
            assert run("stop", config, "--wait")[0] == 0
        config.write_text(config.read_text().replace("\ntime: 60s", "\ntime: 50s"))
        assert run("resume", config)[0] == 0
        # The round that was begun is finished as it was begun.
        stored = store.season("season")
        assert stored is not None
        until(lambda: stored.running.question() is not None)
        assert run("accept", config)[:2] == (0, "accepted: time: 60s -> 50s\n")
        assert wait_for_event(served, "season", "state", {"state": "over"})
        assert served.process.poll() is None
    assert "accept its changes (arbiter accept)" in served.log()
    assert "arbiter resume" in served.log()


@pytest.mark.process
def test_an_upload_that_is_under_way_when_the_site_is_stopped_is_told_to_come_again(
    kept: Kept, tmp_path: Path
) -> None:
    kept.file.write_text(kept.file.read_text() + "submissions: {}\n")
    ((_, token),) = add_authors(load(kept.file), kept.season, ["ann"], False, "test")
    head = f"PUT /api/v1/seasons/small/submissions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    with serving(kept.file, folder=tmp_path) as served, served.connect() as client:
        client.sendall(f"{head}Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n".encode())
        # The body is read from here on.
        assert client.recv(100).startswith(b"HTTP/1.1 100 ")
        client.sendall(b"PK")
        served.process.send_signal(signal.SIGTERM)
        answer = everything(client)
        assert served.process.wait(PATIENCE) == 0
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"] == {
        "code": "unavailable",
        "message": "the site is being stopped",
        "hint": "try again when it is back",
    }
