"""`inspect`: what authors send is looked at, what they ask for is played."""

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
@click.option("--once", is_flag=True, help="End when nothing waits any more.")
@click.option("--only", type=(int, int), hidden=True, help="Inspect one submission for the process PARENT.")
def inspect(configs: tuple[str, ...], once: bool, only: tuple[int, int] | None) -> None:
    """Inspect what authors send: unpack, build and try each program, and accept or refuse it; play what they
    ask for.

    `arbiter serve` does this beside the site; alone it is for another machine that shares the folder of
    archives. It may be ended at any moment, and goes on where it was.

    Example: arbiter inspect configs/demo.yaml --once
    """
    from arbiter.cli.bot_arguments import settle
    from arbiter.contest.submissions.inspector import Inspector, hold_inspection_lock, inspect_one
    from arbiter.season.config import load

    if only is not None:
        number, parent = only
        end_with(parent)
        inspect_one(settle(load(configs[0])), number)
        return
    loaded = [load(config) for config in configs]
    for config in loaded:
        if config.submissions is None:
            hint = "write submissions: {} for the usual terms"
            raise ConfigError("takes no archives: it has no `submissions:`", str(config.file), hint)
    with hold_inspection_lock(loaded), _desk(loaded, once) as turns:
        Inspector(loaded, note, turns=turns).work(until_empty=once)


@contextmanager
def _desk(loaded: Sequence[Config], once: bool) -> Iterator[Turns]:
    """Play what authors ask for, in turns with who inspects; with `once` until nothing waits."""
    from arbiter.cli.bot_arguments import settle
    from arbiter.contest.service_loop import Turns

    turns = Turns()
    asking = [settle(config) for config in loaded if config.requests is not None]
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


def end_with(parent: int) -> None:
    """Have the kernel end this process when the inspector ends, however it does; end now if it has."""
    from arbiter.sandbox.forkserver.kernel import PR_SET_PDEATHSIG, prctl

    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise KeyboardInterrupt
