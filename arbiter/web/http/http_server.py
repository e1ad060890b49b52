"""The server: a socket, uvicorn in a separate thread, and its error log.

The thread is niced and, with two or more cores, pinned to one, so that it does not disturb bots' clocks.
What it starts inherits both; the main thread, which starts the coordinators, has neither.
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import socket
import sys
import threading
from typing import TYPE_CHECKING

import uvicorn

from arbiter.errors import ArbiterError, ConfigError
from arbiter.web.http.connections import HEADER_BYTES, LOOPBACK, MOST, BoundedConnection

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.types import ASGIApp

    from arbiter.web.http.traffic import Log

NICE = 10
KEEP_SECONDS = 5
"""How long an idle connection stays open."""
GRACE_SECONDS = 1
"""How long answers under way may take once the server stops."""
FILES = MOST + 200
SWITCH_SECONDS = 0.0005
"""The switch interval between threads that render pages and the thread that sends answers."""


class ServerFailed(ArbiterError):
    """The server ended unexpectedly."""

    exit_code = 4


def bind_socket(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 picks a free one. ConfigError if it cannot be bound."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        made = socket.create_server(address[:2], family=family, backlog=1024)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = "name another --port; 0 picks a free one"
        raise ConfigError(f"cannot serve at {host} port {port}: {reason}", hint=hint) from None
    made.setblocking(False)
    # Connections inherit it; asyncio does not set it for such a socket, and each answer would wait 40 ms.
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def address_of(listening: socket.socket) -> str:
    """Return the URL of a listening socket: ``http://127.0.0.1:8000/``."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def split_cores() -> tuple[list[int], list[int]]:
    """Return the cores for the site and for the bots; they share the only one if there is one."""
    cores = sorted(os.sched_getaffinity(0))
    return (cores[-1:], cores[:-1]) if len(cores) > 1 else (cores, cores)


class Server(threading.Thread):
    """uvicorn with our limits, in a thread; `ready` is set once it accepts requests or has failed."""

    def __init__(
        self,
        app: ASGIApp,
        listening: Sequence[socket.socket],
        cores: list[int],
        log: Log,
        before_end: Callable[[], None],
        behind_proxy: bool = False,
    ) -> None:
        """With `behind_proxy` a proxy on this machine reports the client's address and the scheme."""
        super().__init__(name="web", daemon=True)
        self._listening, self._cores = listening, cores
        self.ready = threading.Event()
        self.failure = ""
        for name in ("uvicorn.error", "arbiter.web", "asyncio"):
            logger = logging.getLogger(name)
            logger.handlers, logger.propagate = [_ToLog(log)], False
        config = uvicorn.Config(
            app,
            http=BoundedConnection,
            loop="asyncio",
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=behind_proxy,
            forwarded_allow_ips=list(LOOPBACK),
            timeout_keep_alive=KEEP_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
            h11_max_incomplete_event_size=HEADER_BYTES,
        )
        self._uvicorn = _Uvicorn(config, self.ready, before_end)

    def run(self) -> None:
        """Serve until `stop`, on the site's cores at lower priority; `failure` has an error that ended it."""
        _allow_files(FILES)
        sys.setswitchinterval(SWITCH_SECONDS)
        # These apply to this thread and to what it starts.
        os.nice(NICE)
        os.sched_setaffinity(0, self._cores)
        try:
            asyncio.run(self._uvicorn.serve(list(self._listening)))
        except BaseException as error:
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            self.ready.set()

    def stop(self, seconds: float) -> None:
        """Stop within `seconds`: refuse connections, drop listeners, finish answers under way."""
        self._uvicorn.should_exit = True
        self.join(seconds)

    def check(self) -> None:
        """Raise ServerFailed if the server has ended."""
        if not self.is_alive():
            raise ServerFailed(f"the server ended unexpectedly: {self.failure or 'no error was reported'}")


class _Uvicorn(uvicorn.Server):
    """Sets `ready` at startup, polls connections once a second, calls `before_end` at shutdown."""

    def __init__(
        self, config: uvicorn.Config, ready: threading.Event, before_end: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._ready, self._before_end = ready, before_end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready.set()

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:
            for connection in list(self.server_state.connections):
                assert isinstance(connection, BoundedConnection)
                connection.poll(asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._before_end()
        await super().shutdown(sockets)


def _allow_files(wanted: int) -> None:
    """Raise the soft limit of open files to `wanted`, at most to the hard limit; it is never lowered."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class _ToLog(logging.Handler):
    """Writes each error to the log as one line."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.ERROR)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write message and error as one line, with ``ARBITER_DEBUG`` also the traceback."""
        error = record.exc_info[1] if record.exc_info else None
        words = [record.getMessage(), "" if error is None else f"{type(error).__name__}: {error}"]
        self._log.write(" ".join(" ".join(words).split()))
        if record.exc_info and os.environ.get("ARBITER_DEBUG"):
            for line in logging.Formatter().formatException(record.exc_info).splitlines():
                self._log.write(line)
