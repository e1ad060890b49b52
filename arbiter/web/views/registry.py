"""The views of a season: of each address what it may ask, its figures, its page, and whether it is JSON, too.

A view is a function of one state of the season and of what is asked. From the one table come the pages,
the API with its document, and what of an address tells one answer from another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from arbiter.games.cards import Stream
from arbiter.match.notes import LONGEST_TAG
from arbiter.replay.match_review import Review
from arbiter.replay.schema import Replay
from arbiter.season.snapshot import duplicate_boards, front_page, listings, rejudgings, review_view
from arbiter.season.snapshot import season_figures as figures
from arbiter.season.snapshot.live_round import current_round
from arbiter.season.snapshot.match_schema import MatchPage, MatchRow, Rejudgings
from arbiter.season.snapshot.page_schema import DuplicateBoard, Front, PlayerPage, RoundBoards, Versus
from arbiter.season.snapshot.pagination import ROWS, page_of, window
from arbiter.season.snapshot.schema import Crosstable, History, Round, Standings
from arbiter.web.api.schema import Rules
from arbiter.web.http.query_params import Parameter, Value
from arbiter.web.rendering.template_filters import match_of_part, match_part
from arbiter.web.views import feeds
from arbiter.web.views.match import match_page
from arbiter.web.views.rules import rules, starter

if TYPE_CHECKING:
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.season.snapshot.viewer import Viewer

CARDS_SHOWN = 7
Figures: TypeAlias = Mapping[str, object]


class File(NamedTuple):
    """A view that is a file to take away."""

    name: str
    kind: str
    body: bytes
    is_attached: bool = True


Made: TypeAlias = Callable[..., Figures | File | None]


@dataclass(frozen=True, eq=False)
class View:
    """A view at `path` below a season: a page made by `template`, and JSON where `says` describes it.

    `figures` takes a state and the values of what `of` the path and `asks` name; None where there is nothing.
    `shape` is their type in the API's document. With `personal` they take the `viewer` of an
    author who asks where it says of the state, the eyes and the values that this makes a difference.
    A template takes what it `shows`, and what `values` makes of the figures: by default those under its own
    name, and of a view without JSON the figures themselves.
    """

    path: str
    figures: Made
    template: str = ""
    says: str = ""
    shape: type | None = None
    of: tuple[Parameter, ...] = ()
    asks: tuple[Parameter, ...] = ()
    shows: tuple[Parameter, ...] = ()
    values: Callable[[SeasonState, Figures], Figures] | None = None
    personal: Callable[..., bool] | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of its path; a parameter is "*"."""
        return tuple("*" if part[:1] == "{" else part for part in self.path.split("/")[1:])

    def shown(self, state: SeasonState, figures: Figures) -> Figures:
        """What the template takes of the figures."""
        if self.values is not None:
            return self.values(state, figures)
        return {self.template: figures} if self.says else figures


def _standings(
    state: SeasonState, after_round: int | None, page: int | None, player: str | None
) -> Figures | None:
    if after_round is not None and after_round > state.complete:
        return None
    if player is not None and page is None:
        page = figures.page_with(state, player, after_round)
    return figures.standings_page(state, after_round, page or 1)


def _crosstable(state: SeasonState, page: int, columns: int | None) -> Figures | None:
    return figures.crosstable(state, page=page, columns=columns)


def _crosstable_page(state: SeasonState, figures_: Figures) -> Figures:
    found = {**figures_}
    many = found.get("pages", 1) != 1
    return {"crosstable": found, "blocks": figures.blocks(state) if many else []}


def _front_page(state: SeasonState, found: Figures) -> Figures:
    """With the round under way, who is there, and cards to show what is played with."""
    game = state.file.game
    # From a seed of its own: of the season's deals nothing may be shown here.
    dealt = [game.deal(number, Stream(f"a picture {number}"), None) for number in range(CARDS_SHOWN)]
    cards = [deal.hands[-1][0] for deal in dealt if deal is not None]
    return {
        "front": found,
        "live": current_round(state) if state.begun is not None else None,
        "names": state.names,
        "cards": [game.face(game.card_name(card)) for card in sorted(set(cards))],
        "seatings": len(game.seatings),
    }


def _file(name: str, kind: str, make: Callable[..., bytes | None], is_attached: bool = True) -> Made:
    """Make the figures of a view that is a file; `name` may name the `season` and its `game`."""

    def file(state: SeasonState, *asked: Value) -> File | None:
        body = make(state, *asked)
        named = name.format(season=state.name, game=state.config.game.name)
        return None if body is None else File(named, kind, body, is_attached)

    return file


_feed = partial(_file, "feed.atom", "application/atom+xml", is_attached=False)


def _matches(state: SeasonState, *asked: Any, viewer: Viewer | None = None) -> Figures:
    round_, player, against, tag, limit, cursor = asked
    every, most = listings.matches(state, round_, player, against, tag, viewer), min(limit, ROWS)
    shown = [listings.match_in_short(state, match) for match in every.part(cursor, most)]
    return {"matches": shown, "next": cursor + most if cursor + most < len(every) else None}


def _matches_page(state: SeasonState, *asked: Any, viewer: Viewer | None = None) -> Figures | None:
    """A page of them, by default the last."""
    round_, player, against, tag, page = asked
    every = listings.matches(state, round_, player, against, tag, viewer)
    shown = window(len(every), page or page_of(max(len(every) - 1, 0)))
    return None if shown is None else {
        "matches": [listings.match_in_short(state, match) for match in every.part(shown.first, ROWS)],
        "total": len(every),
        "page_number": shown.page,
        "pages": shown.pages,
        "wanted": {"player": player, "against": against, "round": round_, "tag": tag},
        "names": sorted(state.names, key=str.casefold) if len(state.names) <= ROWS else [],
        "rounds": len(state.rounds),
    }  # fmt: skip


def _asks_for_tag(_state: SeasonState, _eyes: Viewer, *asked: Value) -> bool:
    return asked[WHICH.index(TAG)] is not None


def _board(state: SeasonState, number: int, table: str) -> Figures | None:
    return duplicate_boards.board(state, number, int(table[1:]))


def _live(state: SeasonState, page: int | None) -> Figures | None:
    found = current_round(state, page)
    return None if found is None else {"live": found, "front": front_page.front(state), "names": state.names}


def _rounds(state: SeasonState) -> range:
    return range(len(state.rounds) + 1)


NUMBERS, NAME = range(1, 10**6 + 1), ".{1,200}"
AFTER = Parameter("after_round", NUMBERS, _rounds)
WHO = Parameter("player", NAME, lambda state: state.names)
PAGE = Parameter("page", NUMBERS)
FIRST = replace(PAGE, default=1, says="A page of at most 100 rows; `next` is the one after it.")
TABLE_PAGE = replace(FIRST, says="A page of 25 tables; `next` is the one after it.")
COLUMNS = Parameter(
    "columns", NUMBERS, says="Against the players of this page, by default those of the same."
)
BEFORE = Parameter("before", NUMBERS, says="The last rounds before this one; see `earlier`.")
WITH = replace(WHO, says="The page on which this player stands.")
TAG = Parameter(
    "tag", rf"\S{{1,{LONGEST_TAG}}}", lambda _: (), says="In which a bot noted this tag; see notes."
)
WHICH = (Parameter("round", NUMBERS, _rounds), WHO, replace(WHO, name="against"), TAG)
PART = (
    Parameter("limit", range(1, 1001), default=100, says="At most so many matches; 100 at most are sent."),
    Parameter(
        "cursor", range(10**9), lambda state: range(state.number_of_matches + 1), 0, "`next` of the last."
    ),
)
EYES = Parameter("reader", "(public|seat:[0-9])", default="public", says="public, or seat:K")
RUN = Parameter(
    "run",
    NUMBERS,
    says="Of a match that was played again an earlier run, the first being 1, by default the last.",
)
SHOW = Parameter("show", NAME, lambda _: ("los",))
WALL = Parameter("wall", NAME, lambda _: ("1",))
ROUND, PLAYER = Parameter("number", NUMBERS), Parameter("player", ".*")
MATCH = Parameter("match", ".*", meant=match_of_part, written=match_part)
TABLE = Parameter("table", "t[0-9]{1,6}")

VIEWS = (
    View("", front_page.front, "front",
         "One season: how far it is, its standings, what the last round brought.",
         Front, asks=(AFTER,), values=_front_page),
    View("/standings", _standings, "standings", "The standings after a round, by default the last.",
         Standings, asks=(AFTER, PAGE, WITH)),
    View("/crosstable", _crosstable, "crosstable",
         "Results of each player against each other, and how sure it is who is better.", Crosstable,
         asks=(FIRST, COLUMNS), shows=(SHOW,), values=_crosstable_page),
    View("/history", figures.history_part, "history", "Ratings after each round.", History,
         asks=(FIRST, BEFORE), shows=(WHO,),
         values=lambda state, found: {"history": found, "lines": partial(figures.lines, state)}),
    View("/rules", rules, "rules",
         "What is asked of a bot: the game, limits, what is sent; `manual` and `protocol` are Markdown.",
         Rules),
    View("/rules/starter.zip", _file("starter-{game}.zip", "application/zip", starter)),
    View("/feed.atom", _feed(feeds.season_feed)),
    View("/calendar.ics", _file("{season}.ics", "text/calendar", feeds.calendar)),
    View("/standings.csv", _file("{season} standings.csv", "text/csv", feeds.standings_sheet), asks=(FIRST,)),
    View("/crosstable.csv", _file("{season} crosstable.csv", "text/csv", feeds.crosstable_sheet),
         asks=(FIRST, COLUMNS)),
    View("/players/{player}/feed.atom", _feed(feeds.player_feed), of=(PLAYER,)),
    View("/players/{player}/vs/{other}", listings.versus, "versus",
         "Two players: what each won against the other, and their last matches.", Versus,
         (PLAYER, replace(PLAYER, name="other"))),
    View("/rounds/{number}", listings.round_page, "round", "A round's tables and matches.", Round, (ROUND,),
         (TABLE_PAGE,)),
    View("/boards/{number}", duplicate_boards.round_boards, "boards",
         "What the players of each table of a round made of the same cards.", RoundBoards, (ROUND,),
         (TABLE_PAGE,)),
    View("/boards/{number}/{table}", _board, "board",
         "The duplicate board of a table: each deal as all its matches played it.", DuplicateBoard,
         (ROUND, TABLE), values=lambda state, found: {"board": found, "game": state.file.game}),
    View("/players/{player}", listings.player_page, "player", "All about a player.", PlayerPage,
         of=(PLAYER,), asks=(FIRST,),
         values=lambda state, found: {"player": found, "lines": partial(figures.lines, state),
                                      "currency": state.file.currency},
         personal=listings.is_own),
    View("/matches", _matches, says="Stored matches in the order of the plan.", shape=MatchPage,
         asks=(*WHICH, *PART), personal=_asks_for_tag),
    View("/matches", _matches_page, "matches", asks=(*WHICH, PAGE), personal=_asks_for_tag),
    View("/matches/{match}", listings.match_page, says="A match in short.", shape=MatchRow, of=(MATCH,)),
    View("/matches/{match}", match_page, "match", of=(MATCH,), asks=(RUN,)),
    View("/matches/{match}/replay", listings.replay, shape=Replay, of=(MATCH,), asks=(EYES, RUN),
         says="A match as the public may see it now; through a seat's eyes once its round is complete.",
         personal=listings.has_own),
    View("/matches/{match}/review", review_view.review, shape=Review, of=(MATCH,), personal=listings.has_own,
         says="What each decision of a match cost, where it was reviewed and this may be seen."),
    View("/rejudgings", rejudgings.rejudgings, "rejudgings",
         "Matches that were played again, the last first: why, and what changed.", Rejudgings, asks=(FIRST,)),
    View("/live", _live, "live", asks=(PAGE,), shows=(WALL,)),
)  # fmt: skip
PAGES = {view.parts: view for view in VIEWS if view.template or not view.says}
ANSWERS = {view.parts: view for view in VIEWS if view.says}
