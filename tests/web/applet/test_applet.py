"""`arbiter applet` with real bots in a real process: what it prints, bad bots, and how it ends."""

from __future__ import annotations

import signal
import socket
import sys
from typing import TYPE_CHECKING

import httpx2
import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'arbiter-cards[web]'")

from tests.fixtures.commands import RANDOM
from tests.fixtures.round_processes import assert_all_end, watched
from tests.fixtures.running_applet import PATIENCE, running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.fixtures.commands import Run


SMALL = ("--game", "planning", "--option", "deals=[[1, 0], [2, 1]]", "--isolation", "plain")
BOTS = [word for _ in range(4) for word in ("--seat", f"bot:{RANDOM}")]
BAD = {
    "hangs": "import time\nfor line in sys.stdin: time.sleep(600)",
    "crashes": "sys.exit('boom')",
    "floods": "while True: print('= x\\n' * 1000, flush=True)",
    "nonsense": "for line in sys.stdin: print('\\x1b[2J<script>\\x00', flush=True)",
}


@pytest.fixture
def bad(tmp_path: Path) -> Callable[[str], str]:
    """Writes a bot that does a bad thing; who that is for a seat."""

    def write(name: str) -> str:
        path = tmp_path / f"{name}.py"
        path.write_text(f"import sys\n{BAD[name]}\n")
        return f"bot:{sys.executable} -I -S {path}"

    return write


@pytest.mark.process
def test_a_match_of_bots_is_played_and_they_are_told_quit(tmp_path: Path) -> None:
    with running(*SMALL, *BOTS, folder=tmp_path) as applet:
        assert applet.said.startswith("open http://127.0.0.1:")
        left = watched(applet.process.pid)
        applet.post("/play", {})
        assert applet.wait()["over"]
        record = applet.get("/record")
        applet.post("/load", {**record, "until": 3, "seats": [f"bot:{RANDOM}"]})
        assert applet.wait()["made"] == 3
        ended = applet.post("/quit")["ended"]
        assert ended[0] == {"seat": 0, "said": "ended with status 0"}
        assert applet.process.wait(PATIENCE) == 0
        assert_all_end(left)


@pytest.mark.process
def test_a_bot_hears_quit_at_the_end_of_the_match_and_before_undo(tmp_path: Path) -> None:
    bot, log = tmp_path / "bot.py", tmp_path / "log"
    bot.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    word, *rest = line.split()\n"
        "    card = rest[-1] if word == 'set_cards' else card if 'card' in globals() else ''\n"
        f"    if word == 'quit': sys.exit(open({str(log)!r}, 'a').write('saved ') and None)\n"
        "    answer = {'gen_declare': ' 0', 'gen_move': ' ' + card}.get(word, '')\n"
        "    print(f'={answer}\\n', flush=True)\n"
    )
    game = ("--game", "planning", "--option", "deals=[[1, 0]]", "--isolation", "plain")
    with running(*game, "--seat", f"bot:{sys.executable} -I -S {bot}", folder=tmp_path) as applet:
        applet.post("/play", {})
        assert applet.wait()["over"]
        assert log.read_text() == "saved "
        applet.post("/undo", {"decisions": 1})
        assert log.read_text() == "saved "
        applet.post("/undo", {"decisions": 1})
        assert log.read_text() == "saved saved "


@pytest.mark.process
def test_bad_bots_are_explained_and_the_table_stays_usable(bad: Callable[[str], str], tmp_path: Path) -> None:
    seats = [word for name in BAD for word in ("--seat", bad(name))]
    with running(*SMALL, *seats, "--start-time", "60s", folder=tmp_path) as applet:
        left = watched(applet.process.pid)
        applet.post("/step")
        assert applet.get("/state")["running"]
        applet.post("/stop")
        kinds = [applet.wait()["trouble"]["kind"]]
        for _ in list(BAD)[1:]:
            applet.post("/skip")
            applet.post("/step")
            state = applet.wait()
            kinds.append(state["trouble"]["kind"])
            assert state["trouble"]["explanation"]
        assert (kinds[0], kinds[1], kinds[3]) == ("interrupted", "crash", "malformed")
        # What of a flood comes first is chance.
        assert kinds[2] in ("malformed", "out_of_turn", "output")
        applet.post("/seat", {"seat": 0, "who": "random"})
        told = applet.get("/exchanges")["exchanges"]
        assert "boom" in told[1]["stderr"]
        assert told[-1]["raw"].startswith("\\x1b[2J<script>\\x00")
        applet.process.send_signal(signal.SIGINT)
        assert applet.process.wait(PATIENCE) in (0, 130)
        assert_all_end(left)


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_leaves_no_process_while_a_bot_hangs(
    bad: Callable[[str], str], number: int, tmp_path: Path
) -> None:
    with running(*SMALL, "--seat", bad("hangs"), "--start-time", "60s", folder=tmp_path) as applet:
        left = watched(applet.process.pid)
        applet.post("/play", {})
        assert applet.get("/state")["running"]
        applet.process.send_signal(number)
        code = applet.process.wait(PATIENCE)
        assert code in ((-number,) if number == signal.SIGKILL else (0, 130))
        assert_all_end(left)


@pytest.mark.process
def test_a_bot_for_a_debugger_is_named_on_a_page_that_one_address_alone_serves(tmp_path: Path) -> None:
    with running(*SMALL, *BOTS[:2], "--debug", "0", folder=tmp_path) as applet:
        assert applet.said.startswith("open http://127.0.0.1:")
        assert applet.get("/state")["notes"][0].startswith("seat 0 has process ")
        port = applet.browser.base_url.port
        assert port is not None
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port))


@pytest.mark.process
def test_the_browser_is_led_to_an_address_that_no_other_server_had_before(tmp_path: Path) -> None:
    code = "import os, sys, webbrowser; os.environ['DISPLAY'] = ':0'; sys.argv.remove('--no-browser')"
    code += "; webbrowser.open = lambda link: print(link, flush=True)"
    with running(*SMALL, *BOTS, folder=tmp_path, code=code) as applet:
        assert applet.process.stdout is not None
        opened = httpx2.URL(applet.process.stdout.readline().strip())
        assert opened.port == httpx2.URL(applet.link).port
        assert opened.host.startswith("127.")
        assert opened.host != "127.0.0.1"
        assert applet.browser.headers["X-CSRF-Token"] in httpx2.get(opened).text


@pytest.mark.process
def test_it_ends_when_no_page_has_listened_for_a_while(tmp_path: Path) -> None:
    code = "import arbiter.cli.applet as applet; applet.ALONE_SECONDS = 0.1"
    with running(*SMALL, *BOTS, folder=tmp_path, code=code) as applet:
        left = watched(applet.process.pid)
        with applet.browser.stream("GET", "/events") as events:
            assert next(events.iter_lines())
        assert applet.process.wait(PATIENCE) == 0
        assert_all_end(left)


def test_without_its_packages_it_says_what_to_install(arbiter: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    for name in [name for name in sys.modules if name.startswith("arbiter.web.applet")]:
        monkeypatch.delitem(sys.modules, name)
    code, out, err = arbiter("applet", "--game", "planning")
    assert (code, out) == (2, "")
    assert err == "arbiter: applet needs the package fastapi (pip install 'arbiter-cards[web]')\n"


def test_a_port_that_is_taken_is_one_line(arbiter: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, out, err = arbiter("applet", "--game", "planning", "--port", str(taken.getsockname()[1]))
    assert (code, out, err.count("\n")) == (2, "", 1)
