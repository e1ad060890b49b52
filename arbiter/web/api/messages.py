"""The API for messages: announcements of organisers, questions of authors and their answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from fastapi import APIRouter
from pydantic import BaseModel
from typing_extensions import TypedDict

from arbiter.contest import message_texts
from arbiter.errors import ConfigError
from arbiter.season.snapshot.page_schema import AnnouncementRow
from arbiter.web.api.authors import BEARER, REFUSALS, Author
from arbiter.web.api.organisers import Organiser
from arbiter.web.http.http_errors import Refusal, not_found, to_refusal
from arbiter.web.http.request_guard import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.store import SeasonStore
    from arbiter.store.announcements import Announcement
    from arbiter.store.clarifications import Clarification
    from arbiter.web.http.authentication import Caller

SHOWN = 100
"""Questions in a list."""
router = APIRouter(responses=REFUSALS, dependencies=[BEARER])
BASE = "/seasons/{season}"


class Message(BaseModel):
    """A text: of a question plain, else Markdown."""

    text: str


class AnnouncementMessage(Message):
    """A text in Markdown, and the date and time from which on it is visible, by default now."""

    at: str = ""


class AnswerMessage(Message):
    """An answer in Markdown; with `public` it is announced with the question, without the author's name."""

    public: bool = False


class QuestionRow(TypedDict):
    """A question of an author, and the answer, None before it; `public` answers are announced.

    `corrected` is when the answer was last changed, `withdrawn` when an earlier one was withdrawn.
    """

    number: int
    author: str
    asked: str
    text: str
    answer: str | None
    answered: str | None
    public: bool
    corrected: str | None
    withdrawn: str | None


class AskedRow(QuestionRow):
    """A new question; `missing` are the ids in it of matches that do not exist."""

    missing: Sequence[str]


class QuestionList(TypedDict):
    """Questions, the newest first; for organisers those of all authors, first those without an answer."""

    questions: Sequence[QuestionRow]


@router.post(f"{BASE}/announcements", status_code=201)
def announce(what: AnnouncementMessage, caller: Organiser) -> AnnouncementRow:
    """Announce a text to everyone, at once or at a moment."""
    try:
        made = message_texts.announce(caller.state.stored, what.text, caller.who, what.at)
    except ConfigError as error:
        raise to_refusal(error, 422, "invalid") from None
    return cast("AnnouncementRow", made._asdict())


@router.get(f"{BASE}/questions")
def list_questions(caller: Author) -> QuestionList:
    """Return your questions; to organisers those of all authors."""
    return {"questions": [_row(one) for one in questions_of(caller)]}


@router.post(f"{BASE}/questions", status_code=201)
def ask(what: Message, caller: Author) -> AskedRow:
    """Ask the organiser."""
    if caller.author.organiser:
        raise Refusal(409, "conflict", "organisers answer questions", "use the token of an author")
    try:
        asked = message_texts.ask(caller.state.stored, caller.author.name, what.text, caller.who)
    except message_texts.BadText as error:
        raise to_refusal(error, 422, "invalid") from None
    except ConfigError as error:
        raise to_refusal(error, 409, "conflict") from None
    return {**_row(asked), "missing": missing_matches(caller.state, asked.text)}


@router.post(f"{BASE}/questions/{{number}}/answer")
def answer(number: str, what: AnswerMessage, caller: Organiser) -> QuestionRow:
    """Answer a question, to its author or to everyone."""
    known = number_of(number)
    if known is None:
        raise not_found()
    try:
        found = message_texts.answer(caller.state.stored, known, what.text, what.public, caller.who)
    except message_texts.BadText as error:
        raise to_refusal(error, 422, "invalid") from None
    except ConfigError as error:
        raise to_refusal(error, 409, "conflict") from None
    return _row(found)


@router.post(f"{BASE}/announcements/{{number}}/correct")
def correct_announcement(number: str, what: Message, caller: Organiser) -> AnnouncementRow:
    """Replace the text of an announcement."""
    return cast("AnnouncementRow", _change(message_texts.change_announcement, number, what.text, caller))


@router.post(f"{BASE}/announcements/{{number}}/withdraw")
def withdraw_announcement(number: str, caller: Organiser) -> AnnouncementRow:
    """Withdraw an announcement; a question that it answers waits for another answer."""
    return cast("AnnouncementRow", _change(message_texts.change_announcement, number, None, caller))


@router.post(f"{BASE}/questions/{{number}}/correct")
def correct_answer(number: str, what: Message, caller: Organiser) -> QuestionRow:
    """Replace the answer to a question, with `public` its announcement too."""
    return cast("QuestionRow", _change(message_texts.change_answer, number, what.text, caller))


@router.post(f"{BASE}/questions/{{number}}/withdraw")
def withdraw_answer(number: str, caller: Organiser) -> QuestionRow:
    """Withdraw the answer to a question, which then waits for another one."""
    return cast("QuestionRow", _change(message_texts.change_answer, number, None, caller))


def _change(
    change: Callable[[SeasonStore, int, str | None, str], Announcement | Clarification],
    number: str,
    text: str | None,
    caller: Caller,
) -> dict[str, Any]:
    """Correct or withdraw (`text` is None) a text; return its row. Refusal as for `answer`."""
    known = number_of(number)
    if known is None:
        raise not_found()
    try:
        return change(caller.state.stored, known, text, caller.who)._asdict()
    except message_texts.BadText as error:
        raise to_refusal(error, 422, "invalid") from None
    except ConfigError as error:
        raise to_refusal(error, 409, "conflict") from None


def change_text(caller: Caller, verb: str, fields: Mapping[str, str]) -> None:
    """Correct or withdraw the announcement of a form, or else the answer to its question."""
    what = Message(text=fields.get("text", ""))
    if number := fields.get("announcement", ""):
        if verb == "correct":
            correct_announcement(number, what, caller)
        else:
            withdraw_announcement(number, caller)
    elif verb == "correct":
        correct_answer(fields.get("question", ""), what, caller)
    else:
        withdraw_answer(fields.get("question", ""), caller)


def questions_of(caller: Caller) -> list[Clarification]:
    """Load the questions that a caller sees: an author's, or for organisers the last of all."""
    book = caller.state.stored.clarifications
    return book.last(SHOWN) if caller.author.organiser else book.of(caller.author.name)[:SHOWN]


def missing_matches(state: SeasonState, text: str) -> list[str]:
    """Return the ids of matches that a text names and the state does not have."""
    ids = message_texts.ids_in(text)
    known = {match.id for match in state.matches_of(ids)}
    return [name for name in ids if name not in known]


def _row(found: Clarification) -> QuestionRow:
    return cast("QuestionRow", found._asdict())
