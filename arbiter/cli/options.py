"""Arguments and options that several commands share."""

from __future__ import annotations

import click

config_argument = click.argument("config", type=click.Path())
store_option = click.option("--store", "store_url", help="Another store than the config's, as a URL.")
workers_option = click.option(
    "--workers", type=click.IntRange(min=1), help="Matches at once; never more than cores."
)
accept_option = click.option("--accept-changes", is_flag=True, help="Go on although the config has changed.")
format_option = click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="A table for people, or JSON.",
)
table_format_option = click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json", "csv", "markdown"]),
    default="text",
    show_default=True,
    help="A table for people, JSON, or a table for other programs.",
)
