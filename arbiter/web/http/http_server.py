"""The server: a socket, uvicorn in a thread of its own, and what it says to the organiser.

The thread is niced and stays on a core of its own where there are two or more, so that bots' clocks do not
feel it. What it starts inherits both; the main thread, which starts the coordinators, has neither.
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
"""An idle connection stays open for another request."""
GRACE_SECONDS = 1
"""Answers under way at the end of the server."""
FILES = MOST + 200
SWITCH_SECONDS = 0.0005
"""After which a thread that makes pages gives way to the one that sends answers."""


class ServerFailed(ArbiterError):
    """The server ended though nobody asked it to."""

    exit_code = 4


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that listens; ConfigError where it cannot. Port 0 takes one that is free."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        made = socket.create_server(address[:2], family=family, backlog=1024)
    except (OSError, UnicodeError) as error:
        # Port 0 asks for any, so it is never the one that is taken.
        reason = getattr(error, "strerror", None) or str(error)
        hint = "name another --port; 0 takes one that is free"
        raise ConfigError(f"cannot serve at {host} port {port}: {reason}", hint=hint) from None
    made.setblocking(False)
    # Inherited by connections; asyncio sets it on none of a socket made so, and each answer then waits 40 ms.
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def address_of(listening: socket.socket) -> str:
    """The address of the site on this machine: ``http://127.0.0.1:8000/``."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def share_cores() -> tuple[list[int], list[int]]:
    """The web's cores and those of the bots; the same one where there is but one."""
    cores = sorted(os.sched_getaffinity(0))
    return (cores[-1:], cores[:-1]) if len(cores) > 1 else (cores, cores)


class Server(threading.Thread):
    """uvicorn with our limits, in a thread; `ready` is set when it answers, or has failed."""

    def __init__(
        self,
        app: ASGIApp,
        listening: Sequence[socket.socket],
        cores: list[int],
        log: Log,
        before_end: Callable[[], None],
        behind_proxy: bool = False,
    ) -> None:
        """`behind_proxy`: who asks, and whether encrypted, is what a proxy on this machine says."""
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
        _allow_files(FILES)
        sys.setswitchinterval(SWITCH_SECONDS)
        # Of this thread, and of those that it starts, alone.
        os.nice(NICE)
        os.sched_setaffinity(0, self._cores)
        try:
            asyncio.run(self._uvicorn.serve(list(self._listening)))
        except BaseException as error:
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            self.ready.set()

    def stop(self, seconds: float) -> None:
        """End: no further connections, those that listen dropped, answers under way sent if that is quick."""
        self._uvicorn.should_exit = True
        self.join(seconds)

    def check(self) -> None:
        if not self.is_alive():
            raise ServerFailed(f"the server has ended: {self.failure or 'nobody asked it to'}")


class _Uvicorn(uvicorn.Server):
    """Says when it answers, looks at connections once a second, and lets listeners go at its end."""

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
                connection.look(asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._before_end()
        await super().shutdown(sockets)


def _allow_files(wanted: int) -> None:
    """As many open files as there may be connections, if the system lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class _ToLog(logging.Handler):
    """Failures as one line each."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.ERROR)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        words = [record.getMessage(), "" if error is None else f"{type(error).__name__}: {error}"]
        self._log.write(" ".join(" ".join(words).split()))
        if record.exc_info and os.environ.get("ARBITER_DEBUG"):
            for line in logging.Formatter().formatException(record.exc_info).splitlines():
                self._log.write(line)
