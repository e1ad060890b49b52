"""`serve`: serve seasons as a web site, and play them with --play."""

from __future__ import annotations

import gc
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.bot_arguments import load_to_play
from arbiter.cli.options import read_json, require_extra
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
"""Seconds from the request to end until child processes are killed."""
LOOK_SECONDS = 0.2


@click.command()
@click.argument("configs", metavar="[CONFIG]...", type=click.Path(), nargs=-1)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free port."
)
@click.option("--play", is_flag=True, help="Also play the seasons, each in a separate process.")
@click.option(
    "--tables",
    "most_tables",
    type=click.IntRange(0, 50),
    default=0,
    metavar="N",
    help="Let visitors play house bots, unrated, at up to N tables.",
)
@click.option("--tests", metavar="STORE", help="Also show the regression tests of this store.")
@click.option(
    "--attacks",
    "attacked",
    type=click.Path(),
    metavar="FILE",
    help="Show the results that `arbiter attack` wrote.",
)
@click.option(
    "--public-url",
    "public",
    metavar="URL",
    multiple=True,
    help="The site's public address, such as https://cards.example.org; may be repeated.",
)
@click.option("--behind-proxy", is_flag=True, help="Trust X-Forwarded-For and -Proto from this machine.")
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
    """Serve seasons as a web site, and play them with --play.

    The site shows standings, charts, replays, and live rounds. Ctrl-C or SIGTERM ends it with its child
    processes; run the same command again to continue.

    Example: arbiter serve configs/demo.yaml --play
    """
    if not configs and ((tests is None and attacked is None) or play or most_tables):
        option = "--play" if play else "--tables" if most_tables else ""
        alone = "Give a CONFIG, --tests STORE or --attacks FILE."
        raise click.UsageError(f"{option} needs a CONFIG." if option else alone)
    with require_extra("serve", "web"):
        from arbiter.web.child_processes import Coordinators, check_separate_stores
        from arbiter.web.http import http_server
        from arbiter.web.http.live_events import LiveEvents
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
    settled = [load_to_play(config) for config in configs] if play or most_tables else []
    if play:
        check_separate_stores((config.season, file_of(config.store)) for config in settled)
    with ExitStack() as stack:
        seasons = stack.enter_context(closing(Seasons(files)))
        trials = None if tests is None else stack.enter_context(closing(Trials(tests)))
        for _state in seasons.states():
            # An unreadable store is reported now, not to the first visitor.
            pass
        if trials is not None:
            trials.page(1)
        log, live = Log(), LiveEvents(seasons)
        web, others = http_server.split_cores()
        played = {name: season.path for name, season in seasons.watched.items()} if play else {}
        coordinators = Coordinators(played, others, log, seasons.read_run_order)
        tables = _tables(settled, most_tables, web, others if play else [], log) if most_tables else None
        listening = http_server.bind_socket(host, port)
        sent = (one.path for one in seasons.watched.values() if one.config.submissions is not None)
        coordinators.add_helper("inspect", sent, web, log)
        told = [one.path for one in seasons.watched.values() if one.config.webhooks]
        for path in told:
            # An unusable secret is reported now, not in the log.
            load(path, check_secrets=True)
        site_address = ["--public-url", public[0]] if public else []
        coordinators.add_helper("notify", told, web, log, *site_address)
        # Objects that live until the end are excluded from the collections that delay answers.
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
    """Make the visitors' tables, on the cores `web`; `bots` are the cores that play rated matches."""
    from arbiter.web.pages.visitor_tables import Tables, offer_of

    found = {config.season: offer_of(config) for config in settled}
    offers = {season: offer for season, offer in found.items() if offer is not None}
    if not offers:
        raise ConfigError("--tables: no season has a house bot", hint="give a player house: true")
    if set(bots) & set(web):
        raise ConfigError("--tables with --play needs two cores: visitors would slow down rated matches")
    return Tables(offers, most, web, log)


def _run(server: Server, coordinators: Coordinators, tables: Tables | None) -> None:
    """Run until a signal; ServerFailed if the server ends first."""
    coordinators.start()
    while True:
        coordinators.poll()
        if tables is not None:
            tables.poll()
        server.check()
        time.sleep(LOOK_SECONDS)
