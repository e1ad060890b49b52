"""An event in words, made of what everybody may see of a season; the body of a request in each form.

A form is an object for programs, or a message for a channel of a chat. Names and reasons are the words of
others: no form lets them mention somebody or make a link.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

from typing_extensions import TypedDict

from arbiter.replay.frame import names_in_text
from arbiter.replay.result_text import say_match
from arbiter.season.snapshot.history import ratings_after
from arbiter.season.snapshot.rejudgings import rejudgings_of, say_rejudging
from arbiter.store.audit import moment
from arbiter.store.event_log import FROZEN, Happening
from arbiter.text import discord, joined, slack

if TYPE_CHECKING:
    from arbiter.season.config.webhook_settings import Form
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store.event_log import Happened

TEST = "test"
"""The kind of what is sent to see whether it arrives."""
LEADERS = 3
LONGEST = 500
"""Characters of a sentence in a chat: escaped, it takes three times as many at most. Discord takes 2,000."""
POP, OPEN = "\u2069", "\u2068"
STATES = {
    "stopping": "the season stops after the matches under way",
    "playing": "the season goes on",
    "closing": "the season is closed: the round under way is the last one",
    FROZEN: "results are held back from now on until the season is over",
    "over": "the season is over",
}
SUBMITTED = {
    "received": "was received",
    "accepted": "is accepted",
    "refused": "is refused",
}


class NewsObject(TypedDict):
    """What a webhook tells: `subject` is a match's id, a player, a version, a request's id, or "".

    `moment` is when it was stored, null for what was stored before moments were kept; `round` is null where
    an event is of none; `state` is that of a season, a submission or a request, else null; `say` is one
    sentence without the season's name; `url` is its page, null where the site's address is not known.
    """

    season: str
    event: str
    subject: str
    moment: str | None
    round: int | None
    state: str | None
    say: str
    url: str | None


def news_of(event: Happened, state: SeasonState, public: str | None) -> NewsObject:
    """An event as everybody may hear of it; `public` is the site's address, without a slash at its end."""
    subject, word, say, page = _told(event, state)
    return {
        "season": state.name,
        "event": event.kind.value,
        "subject": subject,
        "moment": event.moment,
        "round": event.round or None,
        "state": word,
        "say": say,
        "url": page_of(state.name, page, public),
    }


def test_news(season: str, public: str | None) -> NewsObject:
    """What tells that a webhook works."""
    return {
        "season": season,
        "event": TEST,
        "subject": "",
        "moment": moment(),
        "round": None,
        "state": None,
        "say": "this is a test",
        "url": page_of(season, "", public),
    }


def page_of(season: str, page: str, public: str | None) -> str | None:
    """The address of a page below a season's."""
    return None if public is None else f"{public}/seasons/{quote(season, safe='')}{page}"


def _told(event: Happened, state: SeasonState) -> tuple[str, str | None, str, str]:
    """The subject of an event, the word for its state, the sentence, and the page below the season's."""
    detail, number = event.detail, event.round
    match event.kind:
        case Happening.MATCH:
            page = f"/matches/{event.subject.replace('/', '-')}"
            return event.subject, None, _match(state, event.subject), page
        case Happening.REJUDGED:
            page = f"/matches/{event.subject.replace('/', '-')}"
            return event.subject, None, _rejudged(state, event.subject, int(detail["run"])), page
        case Happening.REVIEW:
            page = f"/matches/{event.subject.replace('/', '-')}"
            return event.subject, None, f"match {event.subject} is reviewed", page
        case Happening.ROUND:
            return "", None, _round(state, number), f"/rounds/{number}"
        case Happening.STANDINGS:
            return "", None, _standings(state, number), "/standings"
        case Happening.STATE:
            return "", event.subject, STATES.get(event.subject, f"the season is {event.subject}"), ""
        case Happening.SUSPENDED:
            player = str(detail["player"])
            say = _suspended(state, player, str(detail["because"]), number)
            return player, None, say, f"/players/{quote(player, safe='')}"
        case Happening.SUBMISSION:
            version, word = f"{detail['author']}@{detail['version']}", str(detail["state"])
            return version, word, f"{_name(version)} {SUBMITTED[word]}", ""
        case Happening.REQUEST:
            word = str(detail["state"])
            say = f"request {event.subject} of {_name(str(detail['author']))} ({detail['kind']}) is {word}"
            return event.subject, word, say, f"/requests/{event.subject}"


def _match(state: SeasonState, match_id: str) -> str:
    found = state.match(match_id)
    return f"match {match_id} is over" if found is None else f"match {match_id}: {say_match(found)}"


def _rejudged(state: SeasonState, match_id: str, run: int) -> str:
    """What became of a match that was played again, as this state has it."""
    match = state.match(match_id)
    told = [] if match is None else rejudgings_of(state, match)[run - 1 : run]
    return say_rejudging(told[0]) if told else f"match {match_id} was played again"


def _round(state: SeasonState, number: int) -> str:
    tables = state.tables(number)
    players = len({name for table in tables for name in table})
    if not players:
        return f"round {number} begins"
    return f"round {number} begins: {players} players at {len(tables)} table{'s' * (len(tables) > 1)}"


def _standings(state: SeasonState, number: int) -> str:
    """Who leads after a round, by the standings as they are now: an order may have corrected them."""
    rows = ratings_after(state, [number], None)[0]["players"] if number <= state.complete else []
    first = [row for row in rows if row["rank"] is not None and row["elo"] is not None][:LEADERS]
    if not first:
        return f"there are standings after round {number}"
    said = [f"{row['rank']}. {_name(row['player'])} (Elo {row['elo']:+.0f})" for row in first]
    return f"after round {number}: {joined(said)}"


def _suspended(state: SeasonState, player: str, because: str, number: int) -> str:
    """Why somebody is suspended, or would be, but plays on."""
    before = state.standings_after(number - 1) if 1 < number <= state.complete + 1 else None
    if before is not None and player in before.get("plays_on", ()):
        return f"{_name(player)}: {because}: it plays on, since no house bot could fill up"
    return f"{_name(player)} is suspended from round {number} on: {because}"


def _name(name: str) -> str:
    """A name in a sentence, kept from turning the text around it."""
    return names_in_text([name])[0]


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
