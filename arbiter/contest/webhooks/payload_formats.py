"""The body of a request in each form: an object for programs, a message for a channel of a chat.

Names and reasons are others' words: no form lets them mention somebody or make a link.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from arbiter.text import discord, slack

if TYPE_CHECKING:
    from arbiter.contest.webhooks.news import NewsObject
    from arbiter.season.config.webhook_settings import Form

LONGEST = 500
"""Characters of a sentence in a chat: escaped, it takes three times as many at most. Discord takes 2,000."""
POP = "\u2069"
OPEN = "\u2068"


def body_of(news: NewsObject, form: Form) -> str:
    """The body as JSON text, all ASCII."""
    if form == "json":
        return json.dumps(news)
    say, url = _short(f"{news['season']}: {news['say']}"), news["url"]
    if form == "slack":
        return json.dumps({"text": slack(say) + (f" <{slack_link(url)}>" if url else "")})
    # In angle brackets a link brings no preview with it.
    content = discord(say) + (f" <{url}>" if url else "")
    return json.dumps({"content": content, "allowed_mentions": {"parse": []}})


def slack_link(url: str) -> str:
    """An address of ours between angle brackets: quoted as it is, only these have a meaning there."""
    return url.replace("&", "&amp;").replace("|", "%7C")


def _short(text: str) -> str:
    """A sentence that is cut where it is too long, and names in it closed."""
    if len(text) <= LONGEST:
        return text
    text = text[: LONGEST - 10]
    return text + POP * (text.count(OPEN) - text.count(POP)) + " ..."
