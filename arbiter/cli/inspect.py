"""`inspect`: build and test submitted programs, and play requested matches."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import click

from arbiter.cli.output import note
from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arbiter.contest.service_loop import Turns
    from arbiter.season.config import Config


@click.command()
@click.argument("configs", metavar="CONFIG...", type=click.Path(), nargs=-1, required=True)
@click.option("--once", is_flag=True, help="End when the queues are empty.")
@click.option("--only", type=(int, int), hidden=True, help="Inspect one submission for the process PARENT.")
def inspect(configs: tuple[str, ...], once: bool, only: tuple[int, int] | None) -> None:
    """Build and test submitted programs, and play requests.

    Each program is unpacked, built, tested, and accepted or refused. `arbiter serve` does this itself; run it
    separately on another machine that shares the folder of archives. It may be stopped at any time, and
    continues when it is run again.

    Example: arbiter inspect configs/demo.yaml --once
    """
    from arbiter.cli.bot_arguments import choose_isolation
    from arbiter.contest.submissions.inspector import Inspector, hold_inspection_lock, inspect_one
    from arbiter.season.config import load

    if only is not None:
        number, parent = only
        end_with_parent(parent)
        inspect_one(choose_isolation(load(configs[0])), number)
        return
    loaded = [load(config) for config in configs]
    for config in loaded:
        if config.submissions is None:
            hint = "write submissions: {} for the defaults"
            raise ConfigError("accepts no programs: it has no `submissions:`", str(config.file), hint)
    with hold_inspection_lock(loaded), _request_worker(loaded, once) as turns:
        Inspector(loaded, note, turns=turns).work(until_empty=once)


@contextmanager
def _request_worker(loaded: Sequence[Config], once: bool) -> Iterator[Turns]:
    """Play requested matches in a thread, taking turns with the inspector; with `once` until none wait."""
    from arbiter.cli.bot_arguments import choose_isolation
    from arbiter.contest.service_loop import Turns

    turns = Turns()
    asking = [choose_isolation(config) for config in loaded if config.requests is not None]
    if not asking:
        yield turns
        return
    from arbiter.contest.requests.request_worker import RequestWorker
    from arbiter.table.executors import processes

    with processes(1) as executor, closing(RequestWorker(asking, executor, turns, note)) as desk:
        working = threading.Thread(target=desk.work, args=(once,), name="desk", daemon=True)
        working.start()
        yield turns
        if once:
            working.join()


def end_with_parent(parent: int) -> None:
    """Let the kernel end this process when `parent` ends; raise KeyboardInterrupt if it already has."""
    from arbiter.sandbox.forkserver.kernel import PR_SET_PDEATHSIG, prctl

    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise KeyboardInterrupt
