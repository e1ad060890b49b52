"""`serve`: seasons in a browser, and played if asked to."""

from __future__ import annotations

import gc
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.bot_arguments import prepare
from arbiter.cli.options import needing, read_json
from arbiter.cli.output import say
from arbiter.errors import ConfigError
from arbiter.season.config import load

if TYPE_CHECKING:
    from arbiter.season.config import Config
    from arbiter.web.child_processes import Coordinators
    from arbiter.web.http.http_server import Server
    from arbiter.web.http.traffic import Log
    from arbiter.web.pages.visitor_tables import Tables

END_SECONDS = 4.0
"""From the wish to end until what has not ended is killed."""
LOOK_SECONDS = 0.2


@click.command()
@click.argument("configs", metavar="[CONFIG]...", type=click.Path(), nargs=-1)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes one that is free."
)
@click.option("--play", is_flag=True, help="Play the seasons, too, each in a process of its own.")
@click.option(
    "--tables",
    "most_tables",
    type=click.IntRange(0, 50),
    default=0,
    metavar="N",
    help="Visitors play house bots, unrated, at N tables at most.",
)
@click.option("--tests", metavar="STORE", help="Show the regression tests of this store, too, or alone.")
@click.option(
    "--attacks", "attacked", type=click.Path(), metavar="FILE", help="Show what `arbiter attack` has written."
)
@click.option(
    "--public-url",
    "public",
    metavar="URL",
    multiple=True,
    help="Where visitors find it, as https://cards.example.org; several are possible.",
)
@click.option("--behind-proxy", is_flag=True, help="Believe X-Forwarded-For and -Proto of this machine.")
def serve(
    configs: tuple[str, ...],
    host: str,
    port: int,
    play: bool,
    most_tables: int,
    tests: str | None,
    attacked: str | None,
    public: tuple[str, ...],
    behind_proxy: bool,
) -> None:
    """Show seasons in a browser: standings, charts, replays, and rounds as they are played.

    Without --play it shows what others play. SIGTERM or Ctrl-C ends it and all that it started;
    the same command goes on.

    Example: arbiter serve configs/demo.yaml --play
    """
    if not configs and ((tests is None and attacked is None) or play or most_tables):
        option = "--play" if play else "--tables" if most_tables else ""
        alone = "Give a CONFIG, --tests STORE or --attacks FILE."
        raise click.UsageError(f"{option} needs a CONFIG." if option else alone)
    with needing("serve", "web"):
        from arbiter.web.child_processes import Coordinators, refuse_shared_files
        from arbiter.web.http import http_server
        from arbiter.web.http.live_events import Live
        from arbiter.web.http.request_guard import Hosts
        from arbiter.web.http.traffic import Log
        from arbiter.web.http.watched_seasons import Seasons
        from arbiter.web.pages.regression_watch import Trials
        from arbiter.web.site import make_site
    from arbiter.store.address import file_of
    from arbiter.trials.sandboxcheck.attack_record import MOST_CHARACTERS, read_record

    attacks = None if attacked is None else read_record(read_json(attacked, MOST_CHARACTERS), attacked)
    hosts = Hosts(host, public)
    files = [Path(config) for config in configs]
    settled = [prepare(config) for config in configs] if play or most_tables else []
    if play:
        refuse_shared_files((config.season, file_of(config.store)) for config in settled)
    with ExitStack() as stack:
        seasons = stack.enter_context(closing(Seasons(files)))
        trials = None if tests is None else stack.enter_context(closing(Trials(tests)))
        for _state in seasons.states():
            # A store that cannot be read is named now, not to the first visitor.
            pass
        if trials is not None:
            trials.page(1)
        log, live = Log(), Live(seasons)
        web, others = http_server.share_cores()
        played = {name: season.path for name, season in seasons.watched.items()} if play else {}
        coordinators = Coordinators(played, others, log, seasons.wish)
        tables = _tables(settled, most_tables, web, others if play else [], log) if most_tables else None
        listening = http_server.bound_socket(host, port)
        sent = (one.path for one in seasons.watched.values() if one.config.submissions is not None)
        coordinators.help_with("inspect", sent, web, log)
        told = [one.path for one in seasons.watched.values() if one.config.webhooks]
        for path in told:
            # A secret that cannot be used is named now, not in the log.
            load(path, check_secrets=True)
        site_address = ["--public-url", public[0]] if public else []
        coordinators.help_with("notify", told, web, log, *site_address)
        # The collector looks through all that lives: not through this, each time, in the middle of an answer.
        gc.collect()
        gc.freeze()
        site = make_site(seasons, live, log, coordinators.ended, tables, hosts, behind_proxy, trials, attacks)
        server = http_server.Server(site, [listening], web, log, live.close, behind_proxy)
        try:
            server.start()
            server.ready.wait()
            server.check()
            with suppress(KeyboardInterrupt):
                say(f"serving {http_server.address_of(listening)}")
                _run(server, coordinators, tables)
        finally:
            until = time.monotonic() + END_SECONDS
            coordinators.ask_to_end()
            if tables is not None:
                tables.close()
            server.stop(max(LOOK_SECONDS, (until - time.monotonic()) / 2))
            coordinators.end(until)
            log.close()


def _tables(settled: list[Config], most: int, web: list[int], bots: list[int], log: Log) -> Tables:
    """Tables for visitors; `bots` are the cores of those that play for ratings here, if any do."""
    from arbiter.web.pages.visitor_tables import Tables, offer_of

    found = {config.season: offer_of(config) for config in settled}
    offers = {season: offer for season, offer in found.items() if offer is not None}
    if not offers:
        raise ConfigError("--tables: no season has a house bot", hint="give a player house: true")
    if set(bots) & set(web):
        raise ConfigError("--tables with --play needs two cores: visitors would slow rated matches down")
    return Tables(offers, most, web, log)


def _run(server: Server, coordinators: Coordinators, tables: Tables | None) -> None:
    """Until a signal ends it; ServerFailed if the server ends before."""
    coordinators.start()
    while True:
        coordinators.look()
        if tables is not None:
            tables.look()
        server.check()
        time.sleep(LOOK_SECONDS)
