"""Texts that organisers and authors write to each other: announcements, questions, answers; their limits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import category

from arbiter.errors import ConfigError
from arbiter.store.clarifications import TooManyOpen
from arbiter.text import counted

if TYPE_CHECKING:
    from arbiter.store import SeasonStore
    from arbiter.store.announcements import Announcement
    from arbiter.store.clarifications import Clarification

LONGEST_QUESTION, LONGEST_ANNOUNCEMENT = 1000, 4000
"""Characters; an answer may be as long as an announcement."""
YEARS = (2000, 9000)
MOST_OPEN = 3
"""Questions of an author without an answer."""
MATCH_NAME = re.compile(
    r"\br(?:ound)?[ .]?(\d{1,6})[\s,/-]{1,3}t(?:able)?[ .]?(\d{1,6})[\s,/-]{1,3}"
    r"m(?:atch)?[ .]?(\d{1,3})\b(\+?)",
    re.ASCII | re.IGNORECASE,
)
"""A match's id as pages, commands and people write it: ``r001/t01/m0``, ``r001-t01-m0``, ``R1 T1 M0``."""
MOST_NAMED = 5
"""The most matches of a question that are linked."""


class BadText(ConfigError):
    """A text that is empty, too long or unprintable."""


class TooManyQuestions(ConfigError):
    """An author has `MOST_OPEN` questions without an answer."""

    def __init__(self) -> None:
        message = f"{counted(MOST_OPEN, 'question')} of yours wait for an answer, which is the limit"
        super().__init__(message, hint="wait for an answer to one of them")


class NotOpen(ConfigError):
    """A question or an announcement that is unknown, or not in the state that an action needs."""


def ids_in(text: str) -> list[str]:
    """Return the ids of the first matches that a text names, whether they exist or not."""
    found = (f"r{int(r):03d}/t{int(t):02d}/m{int(m)}{more}" for r, t, m, more in MATCH_NAME.findall(text))
    return list(dict.fromkeys(found))[:MOST_NAMED]


def id_of(text: str) -> str:
    """Return the match's id that `text` is in one of its forms; another text with ``/`` instead of ``-``."""
    return ids_in(text)[0] if MATCH_NAME.fullmatch(text) else text.replace("-", "/")


def announce(stored: SeasonStore, text: str, who: str, at: str = "") -> Announcement:
    """Store an announcement for a date and time, "" for now; ConfigError for these, BadText for the text."""
    # Not loaded by commands that only read the names of matches.
    from arbiter.season.config.value_types import parse_until

    moment = parse_until(at) if at else None
    if moment is not None and not YEARS[0] <= moment.year <= YEARS[1]:
        raise ConfigError(f"expected a year from {YEARS[0]} to {YEARS[1]}, got {moment.year}")
    return stored.announcements.add(check_message(text, LONGEST_ANNOUNCEMENT), who, moment)


def ask(stored: SeasonStore, author: str, text: str, who: str) -> Clarification:
    """Store a question to the organiser; BadText, or TooManyQuestions beyond `MOST_OPEN` open ones."""
    question = check_message(text, LONGEST_QUESTION)
    try:
        return stored.clarifications.ask(author, who, question, MOST_OPEN)
    except TooManyOpen:
        raise TooManyQuestions from None


def answer(stored: SeasonStore, number: int, text: str, public: bool, who: str) -> Clarification:
    """Store an answer, for the question's author or with `public` for all; BadText, or NotOpen."""
    found = stored.clarifications.answer(number, check_message(text, LONGEST_ANNOUNCEMENT), public, who)
    if found is None:
        raise NotOpen(f"question {number} does not exist, or has an answer")
    return found


def change_announcement(stored: SeasonStore, number: int, text: str | None, who: str) -> Announcement:
    """Correct an announcement, or withdraw it if `text` is None; BadText or NotOpen."""
    checked = None if text is None else check_message(text, LONGEST_ANNOUNCEMENT)
    found = stored.announcements.change(number, checked, who)
    if found is None:
        raise NotOpen(f"announcement {number} does not exist, or is withdrawn")
    return found


def change_answer(stored: SeasonStore, number: int, text: str | None, who: str) -> Clarification:
    """Correct an answer, or withdraw it if `text` is None; BadText or NotOpen."""
    checked = None if text is None else check_message(text, LONGEST_ANNOUNCEMENT)
    found = stored.clarifications.change(number, checked, who)
    if found is None:
        raise NotOpen(f"question {number} does not exist, or has no answer")
    return found


def check_message(text: str, most: int) -> str:
    """Return a text with plain spaces, stripped; BadText if empty, over `most` or with control characters."""
    plain = "".join(" " if category(mark) == "Zs" else mark for mark in text)
    lines = "\n".join(line.rstrip() for line in plain.splitlines()).strip()
    if not lines:
        raise BadText("the text is empty")
    if len(lines) > most:
        raise BadText(f"the text has {len(lines)} characters: {most} at most")
    # Other invisible characters are escaped where they are shown.
    odd = next((mark for mark in lines if category(mark) in ("Cc", "Cs") and mark not in "\n\t"), None)
    if odd is not None:
        raise BadText(f"the text has a control character, U+{ord(odd):04X}: remove it")
    return lines
