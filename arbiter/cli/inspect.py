"""`inspect`: what authors sent is unpacked, built and tried, as it comes."""

from __future__ import annotations

import os
import signal

import click

from arbiter.cli.bots import settle
from arbiter.cli.output import note
from arbiter.errors import ConfigError


@click.command()
@click.argument("configs", metavar="CONFIG...", type=click.Path(), nargs=-1, required=True)
@click.option("--once", is_flag=True, help="End when nothing waits any more.")
@click.option("--only", type=(int, int), hidden=True, help="Inspect one submission for the process PARENT.")
def inspect(configs: tuple[str, ...], once: bool, only: tuple[int, int] | None) -> None:
    """Inspect what authors send: unpack, build and try each program, and accept or refuse it.

    `arbiter serve` does this beside the site; alone it is for another machine that shares the folder of
    archives. It may be ended at any moment, and goes on where it was.

    Example: arbiter inspect configs/demo.yaml --once
    """
    from arbiter.config import load
    from arbiter.submissions.inspector import Inspector, alone, inspect_one

    if only is not None:
        number, parent = only
        _end_with(parent)
        inspect_one(settle(load(configs[0])), number)
        return
    loaded = [load(config) for config in configs]
    for config in loaded:
        if config.submissions is None:
            hint = "write submissions: {} for the usual terms"
            raise ConfigError("takes no archives: it has no `submissions:`", str(config.file), hint)
    with alone(loaded):
        Inspector(loaded, note).work(until_empty=once)


def _end_with(parent: int) -> None:
    """Be told to end when the inspector ends, however it does; end now if it has."""
    from arbiter.table.forkserver.kernel import PR_SET_PDEATHSIG, prctl

    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        raise KeyboardInterrupt
