"""`announce`, `announcements`, `questions`: texts of the organiser for the site, and answers to authors."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime

import click

from arbiter.cli.open_season import open_stored
from arbiter.cli.options import (
    CommandGroup,
    config_argument,
    format_option,
    season_output_options,
    store_option,
)
from arbiter.cli.output import note, print_json, print_table, say
from arbiter.contest import message_texts
from arbiter.store.audit import CONSOLE

SHOWN = 1000
"""Texts that are listed at most."""
number_argument = click.argument("number", type=click.IntRange(1, 10**9))


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

    # Also before the first round, as for `authors add`.
    settled = load(config, check_store=store_url is None)
    with closing(Store(store_url or settled.store)) as store:
        made = message_texts.announce(Season.open(settled, store).stored, text, CONSOLE, at_text)
    if style == "json":
        print_json(made._asdict())
    else:
        say(f"announcement {made.number} is visible from {made.moment} on")


@click.group(cls=CommandGroup)
def announcements() -> None:
    """List, correct and withdraw announcements.

    Example: arbiter announcements list configs/demo.yaml
    """


@announcements.command("list")
@season_output_options
def list_announcements(config: str, store_url: str | None, style: str) -> None:
    """List all announcements, the last first.

    Example: arbiter announcements list configs/demo.yaml
    """
    book = open_stored(config, store_url)[1].announcements
    found = [*book.scheduled(), *book.shown(datetime.now(UTC), SHOWN)]
    if style == "json":
        print_json([one._asdict() for one in found])
    elif found:
        rows = [[one.number, one.moment, one.corrected or "", one.question or "", one.text] for one in found]
        print_table(["number", "visible from", "corrected", "question", "text"], rows, left=range(1, 5))
    else:
        say("no announcements yet")


@announcements.command("correct")
@config_argument
@number_argument
@click.argument("text")
@store_option
def correct_announcement(config: str, number: int, text: str, store_url: str | None) -> None:
    """Replace the text of an announcement.

    TEXT is Markdown. The page marks it as corrected; the feed and the webhooks report it again.

    Example: arbiter announcements correct configs/demo.yaml 2 "The deadline is Thursday, 18:00."
    """
    message_texts.change_announcement(open_stored(config, store_url)[1], number, text, CONSOLE)
    note(f"announcement {number} is corrected")


@announcements.command("withdraw")
@config_argument
@number_argument
@store_option
def withdraw_announcement(config: str, number: int, store_url: str | None) -> None:
    """Withdraw an announcement.

    The site shows it no longer; the feed and the webhooks report that it is withdrawn. A question that it
    answers waits for another answer.

    Example: arbiter announcements withdraw configs/demo.yaml 2
    """
    message_texts.change_announcement(open_stored(config, store_url)[1], number, None, CONSOLE)
    note(f"announcement {number} is withdrawn")


@click.group(cls=CommandGroup)
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
@number_argument
@click.argument("text")
@click.option("--public", is_flag=True, help="Announce question and answer, without the author's name.")
@store_option
def answer(config: str, number: int, text: str, public: bool, store_url: str | None) -> None:
    """Answer a question, to its author or to all.

    TEXT is Markdown.

    Example: arbiter questions answer configs/demo.yaml 3 "Yes, NumPy is installed." --public
    """
    found = message_texts.answer(open_stored(config, store_url)[1], number, text, public, CONSOLE)
    note(f"question {number} of {found.author} is answered{', to all' if public else ''}")


@questions.command("correct")
@config_argument
@number_argument
@click.argument("text")
@store_option
def correct_answer(config: str, number: int, text: str, store_url: str | None) -> None:
    """Replace the answer to a question.

    TEXT is Markdown. An answer to all is corrected in its announcement, too.

    Example: arbiter questions correct configs/demo.yaml 3 "Yes, NumPy 2.1 is installed."
    """
    found = message_texts.change_answer(open_stored(config, store_url)[1], number, text, CONSOLE)
    note(f"the answer to question {number} of {found.author} is corrected")


@questions.command("withdraw")
@config_argument
@number_argument
@store_option
def withdraw_answer(config: str, number: int, store_url: str | None) -> None:
    """Withdraw the answer to a question, which then waits for another one.

    Of an answer to all the announcement is withdrawn, too.

    Example: arbiter questions withdraw configs/demo.yaml 3
    """
    found = message_texts.change_answer(open_stored(config, store_url)[1], number, None, CONSOLE)
    note(f"the answer to question {number} of {found.author} is withdrawn")
