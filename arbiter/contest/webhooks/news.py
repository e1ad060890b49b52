"""An event as a message, made of the public state of a season; the request body in each form.

A form is a JSON object for programs, or a chat message. Names and reasons are untrusted: no form lets them
mention users or create links.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

from typing_extensions import TypedDict

from arbiter.replay.frame import names_in_text
from arbiter.replay.result_text import say_match
from arbiter.season.snapshot.history import ratings_after
from arbiter.season.snapshot.rejudgings import rejudging_text, rejudgings_of
from arbiter.store.audit import timestamp
from arbiter.store.event_log import FROZEN, EventKind
from arbiter.text import discord, joined, signed, slack

if TYPE_CHECKING:
    from arbiter.season.config.webhook_settings import Form
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store.event_log import LoggedEvent

TEST = "test"
"""The kind of a test message."""
LEADERS = 3
LONGEST = 500
"""Characters of a chat message: escaping at most triples them. Discord's limit is 2,000."""
POP, OPEN = "\u2069", "\u2068"
STATES = {
    "stopping": "the season stops after the matches under way",
    "playing": "the season continues",
    "closing": "the season is closed: the current round is the last one",
    FROZEN: "results are held back until the season is over",
    "over": "the season is over",
}
SUBMITTED = {
    "received": "was received",
    "accepted": "is accepted",
    "refused": "is refused",
}


class NewsObject(TypedDict):
    """A message of a webhook: `subject` is a match's id, a player, a version, a number, or "".

    `timestamp` is when the event was stored, null if not recorded; `round` is null for events without one;
    `state` is that of a season, submission or request, else null; `say` is one sentence without the season's
    name; `url` is its page, null if the site's address is unknown.
    """

    season: str
    event: str
    subject: str
    moment: str | None
    round: int | None
    state: str | None
    say: str
    url: str | None


def news_of(event: LoggedEvent, state: SeasonState, public: str | None) -> NewsObject:
    """Return an event as a public message; `public` is the site's address without a final slash."""
    subject, word, say, page = _event_parts(event, state)
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
    """Return a test message."""
    return {
        "season": season,
        "event": TEST,
        "subject": "",
        "moment": timestamp(),
        "round": None,
        "state": None,
        "say": "this is a test",
        "url": page_of(season, "", public),
    }


def page_of(season: str, page: str, public: str | None) -> str | None:
    """Return the address of a page below a season's, None if the site's address is unknown."""
    return None if public is None else f"{public}/seasons/{quote(season, safe='')}{page}"


def _event_parts(event: LoggedEvent, state: SeasonState) -> tuple[str, str | None, str, str]:
    """Return an event's subject, its state, the sentence, and the page below the season's."""
    detail, number = event.detail, event.round
    match event.kind:
        case EventKind.MATCH:
            page = f"/matches/{event.subject.replace('/', '-')}"
            return event.subject, None, _match_sentence(state, event.subject), page
        case EventKind.REJUDGED:
            page = f"/matches/{event.subject.replace('/', '-')}"
            return event.subject, None, _rejudged_sentence(state, event.subject, int(detail["run"])), page
        case EventKind.REVIEW:
            page = f"/matches/{event.subject.replace('/', '-')}"
            return event.subject, None, f"match {event.subject} is reviewed", page
        case EventKind.ROUND:
            return "", None, _round_sentence(state, number), f"/rounds/{number}"
        case EventKind.STANDINGS:
            return "", None, _leaders_sentence(state, number), "/standings"
        case EventKind.STATE:
            return "", event.subject, STATES.get(event.subject, f"the season is {event.subject}"), ""
        case EventKind.SUSPENDED:
            player = str(detail["player"])
            say = _suspended_sentence(state, player, str(detail["because"]), number)
            return player, None, say, f"/players/{quote(player, safe='')}"
        case EventKind.SUBMISSION:
            version, word = f"{detail['author']}@{detail['version']}", str(detail["state"])
            return version, word, f"{_name(version)} {SUBMITTED[word]}", ""
        case EventKind.ANNOUNCEMENT:
            return event.subject, None, _announcement(state, int(event.subject)), ""
        case EventKind.REQUEST:
            word = str(detail["state"])
            say = f"request {event.subject} of {_name(str(detail['author']))} ({detail['kind']}) is {word}"
            return event.subject, word, say, f"/requests/{event.subject}"


def _match_sentence(state: SeasonState, match_id: str) -> str:
    found = state.match(match_id)
    return f"match {match_id} is over" if found is None else f"match {match_id}: {say_match(found)}"


def _rejudged_sentence(state: SeasonState, match_id: str, run: int) -> str:
    """Return a sentence on a match that was played again, as this state shows it."""
    match = state.match(match_id)
    told = [] if match is None else rejudgings_of(state, match)[run - 1 : run]
    return rejudging_text(told[0]) if told else f"match {match_id} was played again"


def _round_sentence(state: SeasonState, number: int) -> str:
    tables = state.tables(number)
    players = len({name for table in tables for name in table})
    if not players:
        return f"round {number} begins"
    return f"round {number} begins: {players} players at {len(tables)} table{'s' * (len(tables) > 1)}"


def _leaders_sentence(state: SeasonState, number: int) -> str:
    """Return the leaders after a round, by its present standings: an order may have corrected them."""
    rows = ratings_after(state, [number], None)[0]["players"] if number <= state.complete else []
    first = [row for row in rows if row["rank"] is not None and row["elo"] is not None][:LEADERS]
    if not first:
        return f"there are standings after round {number}"
    said = [f"{row['rank']}. {_name(row['player'])} (Elo {signed(row['elo'])})" for row in first]
    return f"after round {number}: {joined(said)}"


def _suspended_sentence(state: SeasonState, player: str, because: str, number: int) -> str:
    """Return a sentence on a player who is suspended, or would be but plays on."""
    before = state.standings_after(number - 1) if 1 < number <= state.complete + 1 else None
    if before is not None and player in before.get("plays_on", ()):
        return f"{_name(player)}: {because}: not suspended, since no house bot could fill the seat"
    return f"{_name(player)} is suspended from round {number} on: {because}"


def _announcement(state: SeasonState, number: int) -> str:
    """Load an announcement, as it is now, as one line."""
    found = state.stored.announcements.one(number)
    if found is None:
        return f"announcement {number} is withdrawn"
    said = f"announcement: {found.text}"
    if found.question is not None:
        said = f"question: {found.question} answer: {found.text}"
    if found.corrected is not None:
        said = f"corrected {said}"
    return " ".join(said.split())


def _name(name: str) -> str:
    """Return a name isolated, so that it cannot reverse the direction of the text around it."""
    return names_in_text([name])[0]


def body_of(news: NewsObject, form: Form) -> str:
    """Return a message as ASCII JSON, for Slack and Discord its sentence and address alone."""
    if form == "json":
        return json.dumps(news)
    say, url = _truncate(f"{news['season']}: {news['say']}"), news["url"]
    if form == "slack":
        return json.dumps({"text": slack(say) + (f" <{slack_link(url)}>" if url else "")})
    # Angle brackets suppress the link preview.
    content = discord(say) + (f" <{url}>" if url else "")
    return json.dumps({"content": content, "allowed_mentions": {"parse": []}})


def slack_link(url: str) -> str:
    """Escape an address of this site for Slack's angle brackets, where only these characters matter."""
    return url.replace("&", "&amp;").replace("|", "%7C")


def _truncate(text: str) -> str:
    """Truncate a sentence to `LONGEST`, and close the isolation of names in it."""
    if len(text) <= LONGEST:
        return text
    text = text[: LONGEST - 10]
    return text + POP * (text.count(OPEN) - text.count(POP)) + " ..."
