"""Pages rendered from figures: one set of templates for the site and for the report.

A game's page of Markdown is read as CommonMark with tables. HTML in it is text, it brings no styles, and its
links lead to other sites alone.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from arbiter.season.snapshot import season_figures
from arbiter.season.snapshot.standing_marks import notices
from arbiter.web.rendering import charts
from arbiter.web.rendering.compression import assets_at
from arbiter.web.rendering.template_filters import FILTERS, part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from arbiter.season.snapshot.season_state import SeasonState

CHAPTER = "h2"
ELSEWHERE = ("https://", "http://")
HERE = Path(__file__).parents[1]


class Section(NamedTuple):
    """A section below a heading of the second level; `anchor` is good for an address."""

    anchor: str
    title: str
    body: Markup


@lru_cache(maxsize=16)
def sections(text: str) -> tuple[Section, ...]:
    """The sections of a page; what stands before the first heading of the second level is left out."""
    reader = MarkdownIt("commonmark").disable("html_block").disable("html_inline").enable("table")
    found = []
    for title, tokens in _chapters(reader.parse(text)):
        shown = list(_ours(tokens, title))
        anchor = re.sub(r"\W+", "-", title.lower()).strip("-")
        found.append(Section(anchor, title, Markup(reader.renderer.render(shown, reader.options, {}))))
    return tuple(found)


def _chapters(tokens: Sequence[Token]) -> Iterator[tuple[str, Sequence[Token]]]:
    begins = [k for k, token in enumerate(tokens) if token.type == "heading_open" and token.tag == CHAPTER]
    for begin, end in pairwise([*begins, len(tokens)]):
        # A heading is three tokens, its text in the middle.
        title = "".join(child.content for child in tokens[begin + 1].children or ())
        yield title, tokens[begin + 3 : end]


def _ours(tokens: Sequence[Token], title: str) -> Iterator[Token]:
    """The tokens as this site's pages write them: what may be wide scrolls within itself, by keys too."""
    for token in tokens:
        # A table's alignment would be a style.
        token.attrs.pop("style", None)
        if token.type == "th_open":
            token.attrSet("scope", "col")
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
    """The same without links into files that the site has not, and without pictures."""
    dropped: list[bool] = []
    for token in tokens:
        if token.type == "link_open":
            dropped.append(not str(token.attrs.get("href", "")).startswith(ELSEWHERE))
            if dropped[-1]:
                continue
        if token.type == "link_close" and dropped.pop():
            continue
        if token.type != "image":
            yield token


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The templates; what is not there is an error, and everything is escaped."""
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
        notices=notices,
    )
    return made


def prepare(texts: Iterable[str]) -> None:
    """Load all templates, and read some texts, so that nobody who asks waits for that."""
    made = environment()
    for name in made.list_templates():
        made.get_template(name)
    for text in texts:
        sections(text)


def render(template: str, state: SeasonState | None = None, **values: object) -> str:
    """A page as text, of a season or of none."""
    usual: dict[str, object] = {"page": template, "season": None, "base": "", "static": assets_at()}
    if state is not None:
        base = f"/seasons/{part(state.name)}"
        usual |= {"season": season_figures.season(state), "base": base, "home": base}
    return environment().get_template(f"{template}.html").render({**usual, **values})
