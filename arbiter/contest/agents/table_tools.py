"""A seat at a visitors' table of a remote site, as a Model Context Protocol server.

The match is unrated, against house bots, on deals that no season uses. The client sends the same requests as
the table's page. The site closes a table without a decision for five minutes or a request for 90 s.
"""

from __future__ import annotations

import io
import json
import threading
import time
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

import anyio
import anyio.to_thread
from mcp.server.mcpserver.exceptions import ToolError

from arbiter import __version__
from arbiter.contest.agents.answer_limits import LONGEST_ERROR, MOST, text_page
from arbiter.contest.agents.strict_server import StrictServer
from arbiter.contest.submissions.client import SiteAddress, SiteUnreachable
from arbiter.contest.submissions.match_log import lines_of
from arbiter.errors import ArbiterError, ConfigError
from arbiter.text import UNMARKED, printable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence

    from mcp.server import MCPServer

    from arbiter.contest.submissions.client import SiteAnswer
    from arbiter.replay.schema import Replay

INSTRUCTIONS = """\
You sit at a card table with programs. Read `rules`; look at `state`, which waits for your turn; `play` one of
the legal words, until the match is over. `history` is what happened so far."""
SEASONS, TABLE = "/seasons/", "/table"
GONE, TOO_SOON = 404, 429
LEGAL = 200
"""The most legal answers listed: Dou Dizhu may have thousands."""
TRIES, TRY_SECONDS = 10, 0.5
"""Attempts to start a table while the site is full."""
LOOKS = 3
"""Long polls for the bots, 20 s each, before returning a state at another's turn."""
AT_A_TURN = (
    "seat",
    "players",
    "to_act",
    "request",
    "must",
    "hint",
    "made",
    "over",
    "result",
    "failed",
    "seconds_left",
)
OF_A_FRAME = ("table", "counts", "roles", "points")
ASK_SECONDS = 30.0
"""The interval of keep-alive requests: the site closes a table without a request for 90 s."""


class RemoteSeat:
    """HTTP client of a seat at a site's visitor table: one match at a time, started by `state`."""

    def __init__(self, url: str) -> None:
        """Create a seat at the table page of a season; ConfigError for another address."""
        self._address = SiteAddress(url)
        before, found, season = self._address.path.removesuffix(TABLE).partition(SEASONS)
        if not found or not season or "/" in season:
            hint = "write the address of the visitors' page, http://127.0.0.1:8000/seasons/NAME/table"
            raise ConfigError(f"{url}: not the address of a table", hint=hint)
        self._rules = f"{before}/api/v1{SEASONS}{season}/rules"
        self._table = f"{before}{SEASONS}{season}{TABLE}"
        self._key = ""
        self._one = threading.Lock()

    def rules(self, page: int = 1) -> dict[str, Any]:
        """Request the season's limits and the game's manual from the site; return a page, as Markdown."""
        manual = self._parse_answer(self._address.ask("GET", self._rules, {}))
        game, limits = manual["game"], manual["limits"]
        options = ", ".join(f"{one['option']} {one['value']}" for one in game["options"])
        terms = f"Bots have {limits['time_says']}, a visitor five minutes for each decision."
        text = f"# {game['title']}\n\nOptions: {options}. {terms}\n\n{manual['manual']}"
        return {"season": manual["season"], "game": game["name"], **text_page(printable(text), page)}

    def state(self, new: bool = False) -> dict[str, Any]:
        """Wait for the seat's turn or the end and return the table; start a match if none, or if `new`."""
        with self._one:
            if new:
                self._leave_table()
            if not self._key:
                self._request_table()
            return self._with_frame(self._wait_for_turn())

    def play(self, word: str) -> dict[str, Any]:
        """Send an answer, wait, return the table at the next turn; ConfigError if invalid, or no table."""
        with self._hold_lock():
            self._post("decide", {"word": word})
            return self._with_frame(self._wait_for_turn())

    def history(self, page: int = 1) -> dict[str, Any]:
        """Request the match so far as the seat knows it; return a page, as text."""
        with self._hold_lock():
            replay = self._post("replay")
            seat = next(one["seat"] for one in replay["players"] if replay["reader"] == f"seat:{one['seat']}")
            lines = lines_of(cast("Replay", replay), seat, lambda hand: " ".join(hand or ("?",)))
            return text_page(printable("\n".join(lines)), page)

    def keep(self) -> None:
        """Send a keep-alive request, if there is a table."""
        with self._one:
            if self._key:
                self._post("state")

    def leave(self) -> None:
        """Leave the table, if there is one, which frees it for others."""
        with self._one:
            self._leave_table()

    @contextmanager
    def _hold_lock(self) -> Iterator[None]:
        """Hold the seat's lock; ConfigError without a table."""
        with self._one:
            if not self._key:
                raise ConfigError("there is no table yet", hint="look at the state first")
            yield

    def _request_table(self) -> None:
        """Ask the site for a table, again while the last one is being closed; keep its key."""
        for tries_left in reversed(range(TRIES)):
            answer = self._send_request("new")
            if answer.status != TOO_SOON or not tries_left:
                break
            # A table that was left is free only once its bots have ended.
            time.sleep(TRY_SECONDS)
        self._key = str(self._parse_answer(answer)["key"])

    def _leave_table(self) -> None:
        """Leave the table, if there is one, and forget its key."""
        if self._key:
            self._send_request("leave")
            self._key = ""

    def _wait_for_turn(self) -> dict[str, Any]:
        """Poll the site while bots act, up to `LOOKS` more times; return the state, even if they still do."""
        state = self._post("state")
        for _ in range(LOOKS):
            if not state["running"]:
                break
            state = self._post("state", {"after": state["revision"] - 1})
        return state

    def _with_frame(self, state: Mapping[str, Any]) -> dict[str, Any]:
        """Request the replay; return the state with the cards on the table and the legal answers."""
        frame = frame_of(self._post("replay")["events"])
        legal: Sequence[str] = state["legal"]
        return {
            **{key: state[key] for key in AT_A_TURN},
            "your_turn": state["to_act"] == state["seat"],
            "legal": legal[:LEGAL],
            "legal_in_all": len(legal),
            "hand": frame["hands"][state["seat"]],
            **{key: frame[key] for key in OF_A_FRAME},
            "say": frame["say"].translate(UNMARKED),
        }

    def _post(self, verb: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request to the table; ConfigError, and its key is forgotten, if the site has closed it."""
        answer = self._send_request(verb, body)
        if answer.status == GONE and self._key and answer.words is None:
            self._key = ""
            raise ConfigError("the site closed the table: no decision in time", hint="state starts a new one")
        return self._parse_answer(answer)

    def _send_request(self, verb: str, body: Mapping[str, Any] | None = None) -> SiteAnswer:
        """Send a request as JSON with the table's key; return the answer, also a refusal."""
        sent = json.dumps(body or {}).encode()
        headers = {"x-table": self._key, "content-type": "application/json"}
        return self._address.ask("POST", f"{self._table}/{verb}", headers, io.BytesIO(sent), len(sent))

    def _parse_answer(self, answer: SiteAnswer) -> dict[str, Any]:
        """Return the JSON of an answer; ConfigError for a refusal, SiteUnreachable if no site answered."""
        if answer.words is not None:
            raise SiteUnreachable(f"{self._address.url}: {answer.words.said}; {answer.words.fix}")
        if answer.status == GONE:
            raise ConfigError(
                f"{self._address.url}: has no visitors' table", hint="ask the organiser for the address"
            )
        if answer.status >= 400:
            raise ConfigError(answer.error())
        return answer.shape


def frame_of(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Fold a replay's events into the last frame: the cards on the table and in hands, counts, points."""
    frame: dict[str, Any] = {"roles": {}}
    for event in events:
        shown = event.get("shown", {})
        frame |= {**shown, "roles": {**frame["roles"], **shown.get("roles", {})}}
        if (laid := frame.pop("laid", None)) is not None:
            seat, _, cards = laid
            frame["table"] = [*frame["table"], laid]
            frame["counts"] = [many - len(cards) * (at == seat) for at, many in enumerate(frame["counts"])]
            left = list(frame["hands"][seat] or ())
            for card in cards if left else ():
                left.remove(card)
            frame["hands"] = [left if at == seat and hand else hand for at, hand in enumerate(frame["hands"])]
    return frame


def seat_server(url: str) -> StrictServer:
    """Return an MCP server with the tools of a seat; ConfigError for an address that is not a table's."""
    home = RemoteSeat(url)

    @asynccontextmanager
    async def living(_: MCPServer[Any]) -> AsyncIterator[None]:
        """Keep the table alive while the server runs; then leave it."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_keep_alive_forever, home)
            try:
                yield None
            finally:
                tasks.cancel_scope.cancel()
                with anyio.CancelScope(shield=True), suppress(ArbiterError):
                    await anyio.to_thread.run_sync(home.leave)

    made = StrictServer(
        "arbiter-table", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING", lifespan=living
    )
    tools = SeatTools(home)
    for tool in (tools.rules, tools.state, tools.play, tools.history):
        made.add_tool(tool, structured_output=False)
    return made


class SeatTools:
    """The tools; their docstrings are the descriptions that the model reads."""

    def __init__(self, home: RemoteSeat) -> None:
        self._home = home

    async def rules(self, page: int = 1) -> str:
        """The rules of the game and the form of its answers: read all pages."""
        return await _call_in_thread(self._home.rules, page)

    async def state(self, new: bool = False) -> str:
        """Your hand, the table, the legal answers, at your turn; `new` starts another match."""
        return await _call_in_thread(self._home.state, new)

    async def play(self, word: str) -> str:
        """Answer with one of the legal words; returns the state at your next turn."""
        return await _call_in_thread(self._home.play, word)

    async def history(self, page: int = 1) -> str:
        """All that you have seen of this match, in order."""
        return await _call_in_thread(self._home.history, page)


async def _call_in_thread(ask: Callable[..., dict[str, Any]], *arguments: object) -> str:
    """Call `ask` in a thread and return its result as JSON; ToolError if it fails or is too long."""

    def call_as_json() -> str:
        try:
            text = json.dumps(ask(*arguments))
        except ArbiterError as error:
            raise ToolError(str(error)[:LONGEST_ERROR]) from None
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise ToolError("the site's answer is not that of a table") from None
        if len(text) > MOST:
            raise ToolError(f"the site's answer: expected at most {MOST} bytes, got {len(text)}")
        return text

    return await anyio.to_thread.run_sync(call_as_json, abandon_on_cancel=True)


async def _keep_alive_forever(home: RemoteSeat) -> None:
    while True:
        await anyio.sleep(ASK_SECONDS)
        with suppress(ArbiterError):
            await anyio.to_thread.run_sync(home.keep, abandon_on_cancel=True)
