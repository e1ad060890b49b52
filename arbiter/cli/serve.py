"""`serve`: seasons in a browser, and played if asked to."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.bots import prepare
from arbiter.cli.output import say
from arbiter.errors import ConfigError

if TYPE_CHECKING:
    from arbiter.web.coordinators import Coordinators
    from arbiter.web.serving import Server

END_SECONDS = 4.0
"""From the wish to end until whoever has not ended is killed."""
LOOK_SECONDS = 0.2


@click.command()
@click.argument("configs", metavar="CONFIG...", type=click.Path(), nargs=-1, required=True)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="0 takes one that is free.",
)
@click.option("--play", is_flag=True, help="Play the seasons, too, each in a process of its own.")
def serve(configs: tuple[str, ...], host: str, port: int, play: bool) -> None:
    """Show seasons in a browser: standings, charts, replays, and rounds as they are played.

    Without --play it shows what others play. SIGTERM or Ctrl-C ends it and all that it started;
    the same command goes on.

    Example: arbiter serve configs/demo.yaml --play
    """
    try:
        from arbiter.web import serving
        from arbiter.web.coordinators import Coordinators, refuse_shared_files
        from arbiter.web.live import Live
        from arbiter.web.seasons import Seasons
        from arbiter.web.site import make_site
        from arbiter.web.traffic import Log
    except ModuleNotFoundError as error:
        message = f"serve needs the package {error.name}"
        raise ConfigError(message, hint="pip install 'arbiter-cards[web]'") from None
    from arbiter.store.address import file_of

    files = [Path(config) for config in configs]
    if play:
        settled = [prepare(config) for config in configs]
        refuse_shared_files((config.season, file_of(config.store)) for config in settled)
    seasons = Seasons(files)
    for _state in seasons.states():
        # A store that cannot be read is named now, not to the first visitor.
        pass
    listening = serving.bound_socket(host, port)
    log, live = Log(), Live(seasons)
    web, others = serving.share_cores()
    played = {name: season.path for name, season in seasons.watched.items()} if play else {}
    coordinators = Coordinators(played, others, log, seasons.is_paused)
    sent = (one.path for one in seasons.watched.values() if one.config.submissions is not None)
    coordinators.inspect(sent, web, log)
    site = make_site(seasons, live, log, coordinators.ended)
    server = serving.Server(site, listening, web, log, live.close)
    try:
        server.start()
        server.ready.wait()
        server.check()
        with suppress(KeyboardInterrupt):
            say(f"serving {serving.address_of(listening)}")
            _run(server, coordinators)
    finally:
        until = time.monotonic() + END_SECONDS
        coordinators.ask_to_end()
        server.stop(END_SECONDS / 2)
        coordinators.end(until)
        seasons.close()
        log.close()


def _run(server: Server, coordinators: Coordinators) -> None:
    """Until a signal ends it; ServerFailed if the server ends before."""
    coordinators.start()
    while True:
        coordinators.look()
        server.check()
        time.sleep(LOOK_SECONDS)
