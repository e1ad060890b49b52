"""Bodies in each form: what names and reasons may not do there."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arbiter.contest.webhooks.news import NewsObject, body_of
from arbiter.season.config.webhook_settings import Form
from arbiter.text import discord, slack
from tests.packaging.test_text import TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

SITE = "https://cards.example.org/seasons/s"
SAY = "\u2068@everyone\u2069 is suspended from round 2 on: see <https://evil.example> and [here](http://evil.example)"


def news(say: str, url: str | None = SITE, season_name: str = "s") -> NewsObject:
    return {
        "season": season_name, "event": "suspended", "subject": "a", "moment": None, "round": 2, "state": None,
        "say": say, "url": url,
    }  # fmt: skip


def body(form: Form, say: str, url: str | None = SITE) -> Mapping[str, object]:
    made: Mapping[str, object] = json.loads(body_of(news(say, url), form))
    return made


def test_programs_get_the_object_itself() -> None:
    assert body("json", SAY) == news(SAY)


def test_discord_gets_a_message_that_mentions_nobody() -> None:
    made = body("discord", SAY)
    assert made == {
        "content": "s\\: \u2068\\@\u200beveryone\u2069 is suspended from round 2 on\\: see"
        " \\<https\\:\\/\\/evil\\.example\\> and \\[here\\]\\(http\\:\\/\\/evil\\.example\\)"
        f" <{SITE}>",
        "allowed_mentions": {"parse": []},
    }
    assert body("discord", "x", None)["content"] == "s\\: x"


def test_slack_gets_a_text_without_links_of_others() -> None:
    made = body("slack", SAY)
    assert made == {
        "text": "s: \u2068@\u200beveryone\u2069 is suspended from round 2 on: see"
        " &lt;https:\u200b//evil.\u200bexample&gt; and [here](http:\u200b//evil.\u200bexample)"
        f" <{SITE}>"
    }
    assert body("slack", "<!channel> & <@U1>", None)["text"] == "s: &lt;!channel&gt; &amp; &lt;@\u200bU1&gt;"


def test_a_site_with_odd_marks_in_its_address_is_linked_whole() -> None:
    assert body("slack", "x", f"{SITE}?a=1&b=2|3")["text"] == f"s: x <{SITE}?a=1&amp;b=2%7C3>"


@given(TEXTS)
@example("@everyone @here <@1> <#2> <:x:3> <t:4> https://a.b discord.gg/x")
def test_no_mark_stands_in_discord_without_a_backslash(text: str) -> None:
    made = discord(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*[!-/:-@\[\]^-`{-~]", made)
    assert not re.search(r"@\w", made)
    assert "\n" not in made


@given(TEXTS)
@example("<!channel> <http://a.b|c> a@b.c #general &lt; www.evil.example")
def test_slack_finds_nothing_to_link_or_call(text: str) -> None:
    made = slack(text)
    assert not re.search(r"[<>]|&(?!(?:amp|lt|gt);)|[@#]\w|://|\w\.\w", made)
    assert "\n" not in made


@given(st.sampled_from(get_args(Form)), st.text("\u2068\u2069@<&a* ", max_size=3000))
def test_a_message_is_as_long_as_a_chat_takes(form: Form, say: str) -> None:
    made = body(form, say)
    if form != "json":
        text = str(made.get("text", made.get("content")))
        assert len(text) <= (2000 if form == "discord" else 4000)


@pytest.mark.parametrize("form", ["discord", "slack"])
def test_a_sentence_that_is_cut_closes_the_names_in_it(form: Form) -> None:
    made = body(form, "\u2068" + "a" * 3000 + "\u2069", None)
    text = str(made.get("text", made.get("content")))
    assert (text.count("\u2068"), text.count("\u2069")) == (1, 1)
