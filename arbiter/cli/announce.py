"""`announce`, `questions`: texts of the organiser for the site, and answers to authors."""

from __future__ import annotations

from contextlib import closing

import click

from arbiter.cli.open_season import open_stored
from arbiter.cli.options import config_argument, format_option, season_output_options, store_option
from arbiter.cli.output import note, print_json, print_table, say
from arbiter.contest import message_texts

SHOWN = 1000
"""Questions that are listed at most."""


@click.command()
@config_argument
@click.argument("text")
@click.option(
    "--at",
    "at_text",
    default="",
    help="When it appears, such as 2026-12-01T18:00.  [default: now]",
)
@store_option
@format_option
def announce(config: str, text: str, at_text: str, store_url: str | None, style: str) -> None:
    """Announce a text on the site.

    TEXT is Markdown. It appears on the list of seasons and the season's page, in its feed and its webhooks,
    also while results are held back.

    Example: arbiter announce configs/demo.yaml "The deadline is now Friday, 18:00."
    """
    from arbiter.season.config import load
    from arbiter.season.season import Season
    from arbiter.store import Store
    from arbiter.store.audit import CONSOLE

    # Also before the first round, as for `authors add`.
    settled = load(config, check_store=store_url is None)
    with closing(Store(store_url or settled.store)) as store:
        made = message_texts.announce(Season.open(settled, store).stored, text, CONSOLE, at_text)
    if style == "json":
        print_json(made._asdict())
    else:
        say(f"announcement {made.number} is visible from {made.moment} on")


@click.group()
def questions() -> None:
    """List and answer the questions of authors.

    Authors ask on the site's page /me.

    Example: arbiter questions list configs/demo.yaml
    """


@questions.command("list")
@season_output_options
def list_(config: str, store_url: str | None, style: str) -> None:
    """List the questions of authors, those without an answer first.

    Example: arbiter questions list configs/demo.yaml
    """
    found = open_stored(config, store_url)[1].clarifications.last(SHOWN)
    if style == "json":
        print_json([one._asdict() for one in found])
    elif found:
        rows = [
            [one.number, one.author, one.asked, one.text, one.answer or "", "to all" if one.public else ""]
            for one in found
        ]
        print_table(["number", "author", "asked", "question", "answer", ""], rows, left=range(1, 6))
    else:
        say("no questions yet")


@questions.command()
@config_argument
@click.argument("number", type=click.IntRange(1, 10**9))
@click.argument("text")
@click.option("--public", is_flag=True, help="Announce question and answer, without the author's name.")
@store_option
def answer(config: str, number: int, text: str, public: bool, store_url: str | None) -> None:
    """Answer a question, to its author or to all.

    TEXT is Markdown.

    Example: arbiter questions answer configs/demo.yaml 3 "Yes, NumPy is installed." --public
    """
    from arbiter.store.audit import CONSOLE

    found = message_texts.answer(open_stored(config, store_url)[1], number, text, public, CONSOLE)
    note(f"question {number} of {found.author} is answered{', to all' if public else ''}")
