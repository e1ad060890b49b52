"""Rendering of templates, which the site and the report share, and of Markdown.

Manuals are CommonMark with tables. Their HTML is escaped, styles are dropped, and only external links kept.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from jinja2.utils import htmlsafe_json_dumps
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from arbiter.contest.message_texts import MATCH_NAME, ids_in
from arbiter.replay.emblem import dealt
from arbiter.season.snapshot import season_figures
from arbiter.season.snapshot.standing_marks import notices
from arbiter.text import printable
from arbiter.web.rendering import charts
from arbiter.web.rendering.compression import static_url
from arbiter.web.rendering.template_filters import FILTERS, match_part, part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from arbiter.season.snapshot.season_state import SeasonState

CHAPTER = "h2"
SERVED = re.compile("https?://|/(?!/)")
"""Links that pages keep: to other sites, and from the root of this one."""
_TAG = re.compile("(<[^>]*>)")
HERE = Path(__file__).parents[1]


class Section(NamedTuple):
    """A section below a second-level heading; `anchor` is its fragment identifier."""

    anchor: str
    title: str
    body: Markup


@lru_cache(maxsize=16)
def sections(text: str) -> tuple[Section, ...]:
    """Return the sections of a Markdown page, without the text before the first second-level heading."""
    reader = MarkdownIt("commonmark").disable("html_block").disable("html_inline").enable("table")
    found = []
    for title, tokens in _chapters(reader.parse(text)):
        shown = list(_adapt(tokens, title))
        anchor = re.sub(r"\W+", "-", title.lower()).strip("-")
        found.append(Section(anchor, title, Markup(reader.renderer.render(shown, reader.options, {}))))
    return tuple(found)


@lru_cache(maxsize=256)
def prose(text: str) -> Markup:
    """Return a short Markdown text without headings as HTML."""
    without = ["html_block", "html_inline", "heading", "lheading"]
    reader = MarkdownIt("commonmark").disable(without).enable("table")
    tokens = list(_adapt(reader.parse(printable(text)), "A table"))
    return Markup(reader.renderer.render(tokens, reader.options, {}))


def link_matches(state: SeasonState, base: str, text: Markup) -> Markup:
    """Return HTML in which the ids of stored matches outside of links lead to their pages below `base`."""
    text = escape(text)
    known = {match.id for match in state.matches_of(ids_in(_TAG.sub(" ", text)))}
    inside, found = 0, []

    def linked(named: re.Match[str]) -> str:
        (match_id,) = ids_in(named[0])
        if match_id not in known:
            return named[0]
        return f'<a href="{base}/matches/{match_part(match_id)}">{named[0]}</a>'

    for piece in _TAG.split(text) if known else [text]:
        inside += piece.startswith("<a ") - piece.startswith("</a>")
        is_text = not inside and not piece.startswith("<")
        found.append(MATCH_NAME.sub(linked, piece) if is_text else piece)
    return Markup("".join(found))


def _chapters(tokens: Sequence[Token]) -> Iterator[tuple[str, Sequence[Token]]]:
    begins = [k for k, token in enumerate(tokens) if token.type == "heading_open" and token.tag == CHAPTER]
    for begin, end in pairwise([*begins, len(tokens)]):
        # A heading is three tokens, its text in the middle.
        title = "".join(child.content for child in tokens[begin + 1].children or ())
        yield title, tokens[begin + 3 : end]


def _adapt(tokens: Sequence[Token], title: str) -> Iterator[Token]:
    """Yield the tokens without images, file links, styles; wide tables and code scroll, also by keyboard."""
    for token in tokens:
        # The alignment of a table is a style, which the policy forbids.
        token.attrs.pop("style", None)
        if token.type == "th_open":
            token.attrSet("scope", "col")
        if token.type in ("heading_open", "heading_close"):
            # A chapter's title is an h3 on the page.
            token.tag = f"h{min(int(token.tag[1:]) + 1, 6)}"
        if token.children:
            token.children = list(_without_links(token.children))
        if token.type == "table_open":
            label = escape(title)
            opening = f'<div class="wide" role="region" aria-label="{label}" tabindex="0">\n'
            yield Token("html_block", "", 0, content=opening)
        if token.type in ("fence", "code_block"):
            block = f'<pre tabindex="0">{escape(token.content)}</pre>\n'
            yield Token("html_block", "", 0, content=block)
            continue
        yield token
        if token.type == "table_close":
            yield Token("html_block", "", 0, content="</div>\n")


def _without_links(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens without images and without links to files, which the site does not serve."""
    dropped: list[bool] = []
    for token in tokens:
        if token.type == "link_open":
            dropped.append(not SERVED.match(str(token.attrs.get("href", ""))))
            if dropped[-1]:
                continue
        if token.type == "link_close" and dropped.pop():
            continue
        if token.type != "image":
            yield token


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Return the environment of the templates, which escapes all values and rejects undefined ones."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
    made.filters.update(FILTERS)
    made.globals.update(
        spans=charts.spans,
        block_marks=charts.block_marks,
        interval_bars=charts.interval_bars,
        rating_lines=charts.rating_lines,
        ratio_chart=charts.ratio_chart,
        elo_by_round=charts.elo_by_round,
        sections=sections,
        prose=prose,
        notices=notices,
    )
    return made


def json_of(value: object) -> Markup:
    """Return what the filter `tojson` makes of a value."""
    return htmlsafe_json_dumps(value, **environment().policies["json.dumps_kwargs"])


def prepare(texts: Iterable[str]) -> None:
    """Load all templates and parse some texts, so that no request waits for that."""
    made = environment()
    for name in made.list_templates():
        made.get_template(name)
    for text in texts:
        sections(text)


def render(template: str, state: SeasonState | None = None, **values: object) -> str:
    """Render a page, with the menu of the season `state` if given."""
    usual: dict[str, object] = {"page": template, "season": None, "base": "", "static": static_url()}
    usual["linked"] = escape
    if state is not None:
        base = f"/seasons/{part(state.name)}"
        linked = partial(link_matches, state, base)
        usual |= {"season": season_figures.season(state), "base": base, "home": base, "linked": linked}
    with dealt(None if state is None else state.colours):
        return environment().get_template(f"{template}.html").render({**usual, **values})
