"""The views of a season: for each path its parameters, its figures, its template, and its JSON.

A view is a function of a state of the season and of parameters. The table yields the pages, the API with its
OpenAPI document, and the cache keys of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

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
from arbiter.web.views.late_reply import LateRule
from arbiter.web.views.match import match_page
from arbiter.web.views.rules import kit_languages, rules, starter
from arbiter.web.views.sample_trick import sample_trick

if TYPE_CHECKING:
    from arbiter.season.snapshot.season_state import SeasonState
    from arbiter.season.snapshot.viewer import Viewer

CARDS_SHOWN = 7
LAST_MATCHES = 3
Figures: TypeAlias = Mapping[str, object]


class File(NamedTuple):
    """A view that is a file to download."""

    name: str
    kind: str
    body: bytes
    is_attached: bool = True


Made: TypeAlias = Callable[..., Figures | File | None]


@dataclass(frozen=True, eq=False)
class View:
    """A view at `path` below a season: a page from `template`, and JSON if it has a `description`.

    `figures` takes a state and the values of the parameters `in_path` and `in_query`, and returns None if
    there is nothing; `shape` is their type in the OpenAPI document. `personal(state, viewer, *values)` is
    True if the answer depends on the author who asks; `figures` then takes the `viewer`. The template gets
    the values of `page_only` and the result of `values`: by default the figures under the template's name,
    or without JSON the figures themselves.
    """

    path: str
    figures: Made
    template: str = ""
    description: str = ""
    shape: type | None = None
    in_path: tuple[Parameter, ...] = ()
    in_query: tuple[Parameter, ...] = ()
    page_only: tuple[Parameter, ...] = ()
    values: Callable[[SeasonState, Figures], Figures] | None = None
    personal: Callable[..., bool] | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The segments of its path; a parameter is "*"."""
        return tuple("*" if part[:1] == "{" else part for part in self.path.split("/")[1:])

    def shown(self, state: SeasonState, figures: Figures) -> Figures:
        """Return the values that the template takes of the figures."""
        if self.values is not None:
            return self.values(state, figures)
        return {self.template: figures} if self.description else figures


def _standings_figures(
    state: SeasonState, after_round: int | None, page: int | None, player: str | None
) -> Figures | None:
    """Return a page of standings, by default the first or that with `player`; None if there is none."""
    if after_round is not None and after_round > state.complete:
        return None
    if player is not None and page is None:
        page = figures.page_with(state, player, after_round)
    return figures.standings_page(state, after_round, page or 1)


def _crosstable_figures(state: SeasonState, page: int, columns: int | None) -> Figures | None:
    return figures.crosstable(state, page=page, columns=columns)


def _crosstable_page(state: SeasonState, figures_: Figures) -> Figures:
    found = {**figures_}
    many = found.get("pages", 1) != 1
    return {"crosstable": found, "blocks": figures.blocks(state) if many else []}


def _front_page(state: SeasonState, found: Figures) -> Figures:
    """Return the values of the front page, with the round under way, the players, and sample cards."""
    game = state.file.game
    # From a separate seed: the season's deals must not be shown here.
    dealt = [game.deal(number, Stream(f"a picture {number}"), None) for number in range(CARDS_SHOWN)]
    cards = [deal.hands[-1][0] for deal in dealt if deal is not None]
    return {
        "front": found,
        "live": current_round(state) if state.begun is not None else None,
        "names": state.names,
        "cards": [game.face(game.card_name(card)) for card in sorted(set(cards))],
        "seatings": len(game.seatings),
    }


def _file_maker(name: str, kind: str, make: Callable[..., bytes | None], is_attached: bool = True) -> Made:
    """Return the maker of a view's file; `name` may contain `{season}` and `{game}`."""

    def make_file(state: SeasonState, *asked: Value) -> File | None:
        body = make(state, *asked)
        named = name.format(season=state.name, game=state.config.game.name)
        return None if body is None else File(named, kind, body, is_attached)

    return make_file


_feed = partial(_file_maker, "feed.atom", "application/atom+xml", is_attached=False)


def _matches_figures(state: SeasonState, *asked: Any, viewer: Viewer | None = None) -> Figures:
    """Return matches from the cursor on, as many as `limit` allows, and the next cursor or None."""
    round_, player, against, tag, limit, cursor = asked
    every, most = listings.matches(state, round_, player, against, tag, viewer), min(limit, ROWS)
    shown = [listings.match_in_short(state, match) for match in every.part(cursor, most)]
    return {"matches": shown, "next": cursor + most if cursor + most < len(every) else None}


def _matches_page(state: SeasonState, *asked: Any, viewer: Viewer | None = None) -> Figures | None:
    """Return a page of the matches, by default the last; None if there is no such page."""
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


def _round_page(state: SeasonState, found: Figures) -> Figures:
    number = cast("int", found["round"])
    return {"round": found, "short": front_page.highlights(state, number) if found["complete"] else None}


def _player_page(state: SeasonState, found: Figures) -> Figures:
    """Return the values of a player's page, with its last matches, the last first."""
    every = listings.matches(state, None, cast("str", found["player"]))
    last = every.part(max(len(every) - LAST_MATCHES, 0), LAST_MATCHES)
    return {
        "player": found,
        "lines": partial(figures.lines, state),
        "currency": state.file.currency,
        "last": [listings.match_in_short(state, match) for match in last][::-1],
    }


def _asks_for_tag(_state: SeasonState, _viewer: Viewer, *asked: Value) -> bool:
    return asked[WHICH.index(TAG)] is not None


def _board_figures(state: SeasonState, number: int, table: str) -> Figures | None:
    return duplicate_boards.board(state, number, int(table[1:]))


def _live_figures(state: SeasonState, page: int | None) -> Figures | None:
    found = current_round(state, page)
    return None if found is None else {"live": found, "front": front_page.front(state), "names": state.names}


def _round_numbers(state: SeasonState) -> range:
    return range(len(state.rounds) + 1)


NUMBERS, NAME = range(1, 10**6 + 1), ".{1,200}"
AFTER = Parameter("after_round", NUMBERS, _round_numbers)
WHO = Parameter("player", NAME, lambda state: state.names)
PAGE = Parameter("page", NUMBERS)
FIRST = replace(PAGE, default=1, description="A page of at most 100 rows; `next` is the one after it.")
TABLE_PAGE = replace(FIRST, description="A page of 25 tables; `next` is the one after it.")
COLUMNS = Parameter(
    "columns", NUMBERS, description="Opponents are the players of this page, by default of the same one."
)
BEFORE = Parameter("before", NUMBERS, description="The last rounds before this one; see `earlier`.")
WITH = replace(WHO, description="The page with this player.")
TAG = Parameter(
    "tag", rf"\S{{1,{LONGEST_TAG}}}", lambda _: (), description="Matches in which a bot noted this tag."
)
WHICH = (Parameter("round", NUMBERS, _round_numbers), WHO, replace(WHO, name="against"), TAG)
PART = (
    Parameter("limit", range(1, 1001), default=100, description="Matches; at most 100 are sent."),
    Parameter(
        "cursor", range(10**9), lambda state: range(state.number_of_matches + 1), 0, "`next` of the last."
    ),
)
EYES = Parameter("reader", "(public|seat:[0-9])", default="public", description="public, or seat:K")
RUN = Parameter(
    "run",
    NUMBERS,
    description="A replaced run of a match, the first being 1, by default the run that counts.",
)
SHOW = Parameter("show", NAME, lambda _: ("los",))
WALL = Parameter("wall", NAME, lambda _: ("1",))
ROUND, PLAYER = Parameter("number", NUMBERS), Parameter("player", ".*")
MATCH = Parameter("match", ".*", decode=match_of_part, encode=match_part)
TABLE = Parameter("table", "t[0-9]{1,6}")
KIT = Parameter("language", "[a-z0-9+#]{1,20}", lambda state: kit_languages(state.config))

VIEWS = (
    View("", front_page.front, "front",
         "A season: its progress, its standings, the highlights of the last round.",
         Front, in_query=(AFTER,), values=_front_page),
    View("/standings", _standings_figures, "standings", "The standings after a round, by default the last.",
         Standings, in_query=(AFTER, PAGE, WITH)),
    View("/crosstable", _crosstable_figures, "crosstable",
         "Results of each pair of players, and the probability that one is better.", Crosstable,
         in_query=(FIRST, COLUMNS), page_only=(SHOW, WHO), values=_crosstable_page),
    View("/history", figures.history_part, "history", "Ratings after each round.", History,
         in_query=(FIRST, BEFORE), page_only=(WHO,),
         values=lambda state, found: {"history": found, "lines": partial(figures.lines, state)}),
    View("/rules", rules, "rules",
         "The rules for bots: game, limits, submissions; `manual` and `protocol` are Markdown.", Rules,
         values=lambda state, found: {"rules": found, "trick": sample_trick(state.file.game),
                                      "about": state.file.game.about, "takes": state.file.game.takes,
                                      "late_rules": tuple(LateRule)}),
    View("/rules/starter.zip", _file_maker("starter-{game}.zip", "application/zip", starter),
         in_query=(KIT,)),
    View("/feed.atom", _feed(feeds.season_feed)),
    View("/calendar.ics", _file_maker("{season}.ics", "text/calendar", feeds.calendar)),
    View("/standings.csv", _file_maker("{season} standings.csv", "text/csv", feeds.standings_csv),
         in_query=(FIRST,)),
    View("/crosstable.csv", _file_maker("{season} crosstable.csv", "text/csv", feeds.crosstable_csv),
         in_query=(FIRST, COLUMNS)),
    View("/players/{player}/feed.atom", _feed(feeds.player_feed), in_path=(PLAYER,)),
    View("/players/{player}/vs/{other}", listings.versus, "versus",
         "Two players: their results against each other, and their last matches.", Versus,
         (PLAYER, replace(PLAYER, name="other"))),
    View("/rounds/{number}", listings.round_page, "round", "A round's tables and matches.", Round, (ROUND,),
         (TABLE_PAGE,), values=_round_page),
    View("/boards/{number}", duplicate_boards.round_boards, "boards",
         "The results of each table of a round, whose matches share the cards.", RoundBoards, (ROUND,),
         (TABLE_PAGE,)),
    View("/boards/{number}/{table}", _board_figures, "board",
         "The duplicate board of a table: each deal in all its matches.", DuplicateBoard,
         (ROUND, TABLE), values=lambda state, found: {"board": found, "game": state.file.game}),
    View("/players/{player}", listings.player_page, "player", "A player's rating and matches.", PlayerPage,
         (PLAYER,), (FIRST,),
         values=_player_page,
         personal=listings.is_own),
    View("/matches", _matches_figures, description="Stored matches in planned order.", shape=MatchPage,
         in_query=(*WHICH, *PART), personal=_asks_for_tag),
    View("/matches", _matches_page, "matches", in_query=(*WHICH, PAGE), personal=_asks_for_tag),
    View("/matches/{match}", listings.match_page, description="A summary of a match.", shape=MatchRow,
         in_path=(MATCH,)),
    View("/matches/{match}", match_page, "match", in_path=(MATCH,), in_query=(RUN,)),
    View("/matches/{match}/replay", listings.replay, shape=Replay, in_path=(MATCH,), in_query=(EYES, RUN),
         description="A match for the public, or once its round is complete for a seat.",
         personal=listings.has_own),
    View("/matches/{match}/review", review_view.review, shape=Review, in_path=(MATCH,),
         description="The loss of each decision of a reviewed match, if it may be shown.",
         personal=listings.has_own),
    View("/rejudgings", rejudgings.rejudgings, "rejudgings",
         "Replayed matches, the last first: the reasons and the changes.", Rejudgings, in_query=(FIRST,)),
    View("/live", _live_figures, "live", in_query=(PAGE,), page_only=(WALL,)),
)  # fmt: skip
PAGES = {view.parts: view for view in VIEWS if view.template or not view.description}
ANSWERS = {view.parts: view for view in VIEWS if view.description}
