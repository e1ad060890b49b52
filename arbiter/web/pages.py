"""Pages rendered from figures: one set of templates for the site and for the report."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from arbiter.picture import figures
from arbiter.picture.marks import notices
from arbiter.web import drawing, manual
from arbiter.web.words import FILTERS, part

if TYPE_CHECKING:
    from arbiter.picture.state import State

HERE = Path(__file__).parent
STATIC = HERE / "static"


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
        interval_bars=drawing.interval_bars,
        rating_lines=drawing.rating_lines,
        elo_by_round=drawing.elo_by_round,
        sections=manual.sections,
        notices=notices,
    )
    return made


def render(template: str, state: State | None = None, **values: object) -> str:
    """A page as text, of a season or of none."""
    usual: dict[str, object] = {"page": template, "season": None, "base": "", "static": "/static"}
    if state is not None:
        usual |= {"season": figures.season(state), "base": f"/seasons/{part(state.name)}"}
    return environment().get_template(f"{template}.html").render({**usual, **values})
