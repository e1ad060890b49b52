"""Matches for people: text and pictures with all hands, tables in notebooks; and data sets.

Pictures need the extra ``render``: resvg renders them, Pillow decodes them.
"""

from __future__ import annotations

import atexit
import io
from functools import lru_cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from arbiter.envs.argument_checks import NoMatch, check_action
from arbiter.errors import ConfigError
from arbiter.replay.frame import NOBODY, frame_of, hand_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.ImageFont import FreeTypeFont

    from arbiter.envs.dataset_writer import DatasetWriter
    from arbiter.envs.match_state import Play
    from arbiter.envs.observers import Observer
    from arbiter.errors import IllegalAction
    from arbiter.games.game import Seat
    from arbiter.match.record import MatchRecord

FONT = "Aileron"
Pixels: TypeAlias = NDArray[np.uint8]
_PLAIN = str.maketrans(
    {"\N{MINUS SIGN}": "-", "\N{MULTIPLICATION SIGN}": "x", "\N{EN DASH}": "-"}
    | {"\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{HORIZONTAL ELLIPSIS}": "..."}
    | dict.fromkeys("\N{BLACK CLUB SUIT}\N{BLACK DIAMOND SUIT}\N{BLACK HEART SUIT}\N{BLACK SPADE SUIT}")
    | dict.fromkeys("\N{FIRST STRONG ISOLATE}\N{POP DIRECTIONAL ISOLATE}")
)
"""Replacements for characters that Pillow's font lacks."""
RGB = "rgb_array"
RENDER_MODES = ("human", "ansi", RGB)


class Renderable:
    """An environment whose matches can be shown and recorded."""

    play: Play
    observer: Observer
    render_mode: str | None
    _whose = "this environment"
    _note = ""
    _writer: DatasetWriter | None = None

    def write_to(self, dataset: str) -> None:
        """Write every match that ends from now on to a data set, complete after `close`: a file, .csv or
        .parquet, or ``minari:FOLDER``. ConfigError if it cannot be written.
        """
        # Imported here: most environments write nothing.
        from arbiter.envs.dataset_writer import DatasetWriter

        self._close_dataset()
        self._writer = DatasetWriter(dataset, self.play.game)

    def render(self) -> str | Pixels | None:
        """Show the match so far with all hands: print it, or return text (``ansi``) or a picture
        (``rgb_array``).

        A picture is uint8 (height, width, 3), always of one size; ConfigError without the extra
        ``render``. Without a render mode, return None.
        """
        return render_match(self.play, self._names_by_seat(), self._note, self.render_mode)

    def record(self) -> MatchRecord:
        """Return the record of the finished match, without times; `arbiter.notebook` shows it.

        RuntimeError before its end, and if an illegal move or a bot's fault ended it.
        """
        from arbiter.envs.dataset_writer import record_of

        if not self.play.begun or not self.play.over or self.play.state.to_act:
            raise NoMatch("no complete match: play one to its end")
        return record_of(self.play, "m1", self._names_by_seat())

    def _repr_html_(self) -> str:
        """Return the table for a notebook, as the seat to act sees it; at the end without hands."""
        if not self.play.begun:
            return self.play._repr_html_()
        return self.play.svg(self._viewer(), self._names_by_seat(), self._note)

    def _viewer(self) -> Seat:
        return self.play.turn

    def action_name(self, action: int) -> str:
        """Return the game's name of an id: ``TD``, ``34567``."""
        return self.observer.action_name(self._check_id(action))

    def close(self) -> None:
        """Complete the data set, if any."""
        self._close_dataset()

    def _names_by_seat(self) -> Sequence[str]:
        raise NotImplementedError

    def _check_id(self, action: object) -> int:
        return check_action(action, self.observer.actions, self._whose)

    def _close_dataset(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def _illegal_reason(self, action: int, error: IllegalAction) -> str:
        return error.with_word(self.observer.action_name(action))


def env_metadata(name: str = "arbiter") -> dict[str, Any]:
    """Return the `metadata` of an environment for PettingZoo and Gymnasium, a new dictionary."""
    return {
        "name": name,
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }


def check_mode(render_mode: str | None) -> str | None:
    """Return a valid render mode or None; ConfigError."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        hint = "`arbiter report --matches N` draws matches of a season"
        raise ConfigError(f"render_mode is {render_mode!r}, not one of {', '.join(RENDER_MODES)}", hint=hint)
    return render_mode


def render_match(play: Play, names: Sequence[str], note: str, render_mode: str | None) -> str | Pixels | None:
    """Print or return a match by render mode, with `names` by seat, `note` last; see `Renderable.render`."""
    if render_mode is None:
        return None
    if render_mode == RGB:
        return render_svg(play.svg(None, names, note))
    shown = match_text(play, names, note)
    if render_mode == "ansi":
        return shown
    print(shown)
    return None


def match_text(play: Play, agents: Sequence[str], note: str = "") -> str:
    """Return a match as text: points, hands, the actions of this deal, and who is to act.

    `agents` are the names by seat, `note` a last line.
    """
    # At the end of the match the last deal is in `played`, and shown.
    number = len(play.played) + bool(play.state.to_act)
    frame = frame_of(play.game, play.state, points=play.totals, to_act=play.turn)
    width = max(map(len, agents)) + 2
    points = "   ".join(f"{name}: {total}" for name, total in zip(agents, frame.points, strict=True))
    lines = [f"{play.game.title}, deal {number}   points  {points}"]
    for seat, (name, hand) in enumerate(zip(agents, frame.hands, strict=True)):
        mark = " <" if seat == frame.to_act else ""
        lines.append(f"{name:{width}}{hand_line(play.game, hand)}{mark}")
    lines += play.scoresheet()
    if frame.to_act == NOBODY:
        lines.append("the match is over")
    if note:
        lines.append(note)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def render_svg(svg: str) -> Pixels:
    """Render an SVG in light colours as uint8 (height, width, 3); ConfigError without the extra ``render``.

    Uses Pillow's font, which is the same on all machines; only text with other characters, such as a name,
    uses system fonts.
    """
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:
        hint = "pip install 'arbiter-cards[render]'"
        raise ConfigError(f"rgb_array needs the package {error.name}", hint=hint) from None

    plain = svg.translate(_PLAIN)
    fonts: dict[str, Any] = {"font_files": [_font()], "sans_serif_family": FONT, "skip_system_fonts": True}
    painted = (
        resvg_py.svg_to_bytes(svg_string=plain, **fonts) if plain.isascii() else resvg_py.svg_to_bytes(svg)
    )
    return np.array(Image.open(io.BytesIO(bytes(painted))).convert("RGB"))


@lru_cache(maxsize=1)
def _font() -> str:
    """Write the font to a temporary file, removed when the process ends. Return its path."""
    from PIL import ImageFont

    folder = mkdtemp(prefix="arbiter-")
    atexit.register(rmtree, folder, ignore_errors=True)
    file = Path(folder, "font.ttf")
    file.write_bytes(cast("FreeTypeFont", ImageFont.load_default(12)).font_bytes)
    return str(file)
