"""Prompts of a seat's information, and parsing of answers.

A prompt is made of a frame of the seat, its commands, and the rules, and cannot contain more:
`tests/table/llm/test_prompts.py` exchanges hidden cards and gets the same texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.games.cards import Stream
from arbiter.games.labels import SUITS
from arbiter.replay.frame import hand_line, seat_line, signed, table_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from arbiter.games.game import AnyGame, Seat
    from arbiter.replay.frame import Frame

RANKS = "23456789TJQKA"
MOST_LEGAL = 500
"""The most legal answers that are listed; of more, their number is given."""
LONGEST_WORD = 80
_CARD = re.compile(rf"(?<![A-Za-z0-9])([{RANKS}])([{''.join(SUITS)}])(?![A-Za-z0-9])")
_SUIT = re.compile(rf"(\btrump\W{{1,20}}|trump_)([{''.join(SUITS)}])\b|\b({'|'.join(SUITS.values())})\b")
_ANSWER = re.compile(r"^\W*answer\W*?:(.*)$", re.IGNORECASE | re.MULTILINE)
_AROUND = " \t\r*`\"'."
_BEGINS = """\
You play {title} for {seats} players. Seats count from 0 to {last}, clockwise; you are seat {seat}.
You are asked for one decision at a time, and told all that your seat may know. Think as long as you need \
within your tokens, then end with one line

ANSWER: X

where X is what a program writes after `=` in reply to the request. An answer that the rules forbid loses \
the match."""


class PromptForm(NamedTuple):
    """The form of prompts: `state` "whole" or "conversation", `legal` answers shown or not, `names` of cards.

    `names` maps each rank and suit to its replacement; empty if names are not exchanged.
    """

    state: str = "whole"
    legal: bool = False
    names: Mapping[str, str] = {}


def system_text(game: AnyGame, seat: Seat, rules: str, form: PromptForm) -> str:
    """Return the first message: the task, the exchanged names of cards if any, the rules.

    Of `form` only the names are used.
    """
    begins = _BEGINS.format(title=game.title or game.name, seats=game.seats, last=game.seats - 1, seat=seat)
    parts = [begins, _names_text(form.names)] if form.names else [begins]
    return "\n\n".join([*parts, "The rules, as they are written for programs:", rules])


def frame_lines(game: AnyGame, frame: Frame, seat: Seat, must: str = "") -> list[str]:
    """Return a seat's frame as lines of text."""
    others = {key: value for key, value in frame.roles.items() if not isinstance(value, list)}
    lines = [f"{key}: {value}" for key, value in others.items() if value not in (None, "")]
    for who, count in enumerate(frame.counts):
        said = seat_line(frame.roles, who)
        you = " (you)" if who == seat else ""
        lines.append(f"seat {who}{you}: {count} cards{f', {said}' if said else ''}")
    lines.append(f"on the table: {table_line(frame) or 'nothing'}")
    lines.append(f"your hand: {hand_line(game, frame.hands[seat])}")
    if must:
        lines.append(f"you have to {must}")
    return lines


def question(
    game: AnyGame,
    frame: Frame,
    seat: Seat,
    deal: int,
    before: Sequence[str],
    must: str,
    left: Mapping[str, int],
    form: PromptForm,
) -> str:
    """Return the message for one decision in deal `deal`, from 0; `before` are the lines of earlier events.

    `left` are the remaining tokens and attempts from the gateway.
    """
    points = ", ".join(f"seat {who} {won}" for who, won in enumerate(signed(frame.points or (0,))))
    lines = [f"Deal {deal + 1}." + (f" Points before it: {points}." if deal else "")]
    lines += ["", *before] if before else []
    lines += ["", *frame_lines(game, frame, seat, must)]
    if form.legal:
        lines.append(f"Legal answers: {_first_answers(frame.legal)}")
    tokens = f"{left['move']} for this decision, {left['match']} for the match"
    lines += ["", f"Tokens left: {tokens}. Attempts: {left['attempts']}.", f"Request: {frame.request}"]
    return rename_cards("\n".join(lines), form.names)


def answer_in(text: str, number: int, names: Mapping[str, str]) -> str | None:
    """Return the answer of `number` words in a model's text, or None.

    It follows the last ``ANSWER:``, or is the whole text.
    """
    found = _ANSWER.findall(text)
    words = (found[-1] if found else text).strip(_AROUND).split()
    word = " ".join(words)
    if len(words) != number or len(word) > LONGEST_WORD or not (word.isascii() and word.isprintable()):
        return None
    return rename_cards(word, {shown: own for own, shown in names.items()})


def rename_cards(text: str, names: Mapping[str, str]) -> str:
    """Return a text with the names of suits and ranks replaced."""
    if not names:
        return text

    def rename_suit(found: re.Match[str]) -> str:
        if found[2]:
            return found[1] + names[found[2]]
        letter = next(letter for letter, word in SUITS.items() if word == found[3])
        return SUITS[names[letter]]

    return _CARD.sub(lambda found: names[found[1]] + names[found[2]], _SUIT.sub(rename_suit, text))


def other_names(game: AnyGame, draw: Any) -> dict[str, str]:
    """Return random replacements of suits and ranks, drawn by `draw`; {} for a game without suits."""
    if not has_suits(game):
        return {}
    letters = "".join(SUITS)
    return dict(zip(letters, _random_derangement(letters, draw), strict=True)) | dict(
        zip(RANKS, _random_derangement(RANKS, draw), strict=True)
    )


def has_suits(game: AnyGame) -> bool:
    """Return True for a game whose cards are a rank and a suit, such as ``TD``."""
    deal = game.next_deal(0, Stream("arbiter-names", 0), None)
    cards = [game.card_name(card) for hand in deal.hands for card in hand] if deal is not None else []
    return bool(cards) and all(_CARD.fullmatch(name) for name in cards)


def _random_derangement(names: str, draw: Any) -> str:
    """Return a random order of the names without fixed points."""
    order = list(names)
    # Sattolo's algorithm: one cycle through all.
    for place in range(len(order) - 1, 0, -1):
        other = draw(place)
        order[place], order[other] = order[other], order[place]
    return "".join(order)


def _names_text(names: Mapping[str, str]) -> str:
    """Return the paragraph with the other name of every rank and suit in this match."""
    ranks = ", ".join(f"{own} is {names[own]}" for own in RANKS)
    suits = ", ".join(f"{own} ({SUITS[own]}) is {names[own]}" for own in SUITS)
    return (
        "In this match, and in your answers, ranks and suits have other names than on the page of rules."
        f" Ranks, from the page's name to the match's: {ranks}. Suits: {suits}."
    )


def _first_answers(legal: Iterable[str]) -> str:
    """Return the first `MOST_LEGAL` answers, and the number of the others."""
    words = list(legal)
    more = len(words) - MOST_LEGAL
    return ", ".join(words[:MOST_LEGAL]) + (f", and {more} more" if more > 0 else "")
