"""`notify`: deliver a season's events to its webhooks."""

from __future__ import annotations

import secrets
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from arbiter.cli.output import note, say
from arbiter.errors import ArbiterError, ConfigError, NoStore
from arbiter.season.config import load
from arbiter.season.config.webhook_settings import check_url
from arbiter.text import counted

if TYPE_CHECKING:
    from arbiter.season.config import Config
    from arbiter.season.config.webhook_settings import Webhook


@click.command()
@click.argument("configs", metavar="CONFIG...", type=click.Path(), nargs=-1, required=True)
@click.option("--once", is_flag=True, help="End when no event can be sent now.")
@click.option("--try", "trying", is_flag=True, help="Only send each webhook a test event.")
@click.option("--public-url", "public", metavar="URL", help="The site's address, for links to its pages.")
def notify(configs: tuple[str, ...], once: bool, trying: bool, public: str | None) -> None:
    """Deliver a season's webhooks.

    Events are sent as signed requests, and retried until the receiver accepts them. `arbiter serve` does this
    itself. It may be stopped at any time, and continues when it is run again. Exit 1 with --once if events
    still wait, with --try if a receiver did not accept the test.

    Example: arbiter notify configs/demo.yaml --try
    """
    if once and trying:
        raise ConfigError("--once and --try: give one of them")
    loaded = [load(config, check_secrets=True) for config in configs]
    for config in loaded:
        if not config.webhooks:
            hint = "write webhooks: [{url: https://HOST/PATH, secret_file: FILE}]"
            raise ConfigError("has no `webhooks:`", str(config.file), hint)
    site = None if public is None else _parse_site(public)
    if trying:
        _send_tests(loaded, site)
        return
    from arbiter.contest.webhooks.notifier import hold_webhook_lock
    from arbiter.contest.webhooks.notifier import notify as tell_all

    with hold_webhook_lock(loaded):
        if not tell_all(loaded, note, site, once):
            raise ArbiterError("events still wait: run the same command again to continue")


def _parse_site(address: str) -> str:
    """Return a site's address without a trailing slash; ConfigError if it is not one."""
    with suppress(ConfigError):
        check_url(address)
        found = urlsplit(address)
        if found.path in ("", "/") and not found.query:
            return f"{found.scheme}://{found.netloc}"
    message = f"--public-url: expected the address of a whole site, got {address}"
    raise ConfigError(message, hint="give scheme and host, as in https://cards.example.org")


def _send_tests(configs: list[Config], public: str | None) -> None:
    """Send each webhook a test event, and print the result; ArbiterError if one fails."""
    failed = sum(not _send_test(config, webhook, public) for config in configs for webhook in config.webhooks)
    if failed:
        raise ArbiterError(f"{counted(failed, 'webhook')} did not accept the test")


def _send_test(config: Config, webhook: Webhook, public: str | None) -> bool:
    """Send a webhook a test event and print the result; True if the receiver accepted it."""
    from arbiter.contest.webhooks.http_post import post
    from arbiter.contest.webhooks.news import TEST, body_of, test_news
    from arbiter.contest.webhooks.sender import webhook_name

    body = body_of(test_news(config.season, public), webhook.form)
    began = time.monotonic()
    receipt = post(webhook, TEST, secrets.token_hex(16), body.encode())
    took = f"{1000 * (time.monotonic() - began):.0f} ms"
    word, said = ("ok", f"status {receipt.status}, {took}") if receipt.ok else ("FAIL", receipt.problem)
    which = f"{config.season}: {webhook_name(config, webhook)}, {webhook.form}"
    say(f"{word} {which}: {said}{_hurry_queue(config, webhook, receipt.ok)}")
    return receipt.ok


def _hurry_queue(config: Config, webhook: Webhook, works: bool) -> str:
    """Return the state of a webhook's queue in words; hurry its next delivery if it `works`."""
    from arbiter.store import Store

    with suppress(NoStore), closing(Store(config.store, create=False)) as store:
        season = store.season(config.season)
        told = None if season is None else season.deliveries.read(webhook.digest)
        if season is not None and told is not None:
            if works and (told.ended or told.telling):
                season.deliveries.retry_now(webhook.digest)
            waiting = season.deliveries.count_waiting(webhook.digest, webhook.events, config.freeze > 0)
            last = "" if told.problem is None else f", the first because of: {told.problem}"
            counts = f"delivered {told.told}, given up {told.dropped}, waiting {waiting}"
            return f"; {counts}{last if waiting else ''}"
    return ""
