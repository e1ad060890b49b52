"""Show a replay in a notebook, with the site's viewer.

    from arbiter.notebook import ShownReplay
    ShownReplay(env.record())
    ShownReplay(json.loads(Path("match.json").read_text()), reader="seat:2")

The viewer is a separate page in a sandboxed frame: it cannot access the notebook, and loads nothing.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from arbiter import web
from arbiter.errors import ConfigError
from arbiter.match.record import MatchRecord
from arbiter.replay.svg_elements import MARKS, SCHEMES
from arbiter.replay.visibility import FORMAT, Reader, replay_of
from arbiter.text import svg_text, unmarked
from arbiter.web.rendering.script_bundle import join_modules

STATIC = Path(web.__file__).parent / "static"
HEIGHT = 760
_NAMES = {
    "ground": "ground", "text": "text", "muted": "muted", "accent": "accent", "rule": "rule",
    "s": "spade", "h": "heart", "d": "diamond", "c": "club",
}  # fmt: skip


class ShownReplay:
    """A match to step through.

    `match` is a `MatchRecord`, its JSON, or the JSON of a replay (``arbiter-replay/1``), which is shown
    unchanged; of a record `replay` has sentences (`say`) without bidirectional isolation marks. `reader` is
    as in ``arbiter show --reader``. ConfigError for other types, StoreError for a record that cannot be read
    or replayed.
    """

    def __init__(self, match: object, reader: str = "full") -> None:
        self.replay: Mapping[str, Any]
        self._shown: Mapping[str, Any]
        if isinstance(match, Mapping) and match.get("format") == FORMAT:
            self.replay = self._shown = match
            return
        if isinstance(match, Mapping):
            match = MatchRecord.from_json(match)
        if not isinstance(match, MatchRecord):
            hint = (
                "`arbiter show CONFIG MATCH --format json` prints a record; a site's match page has a replay"
            )
            raise ConfigError("expected a match record or a replay", hint=hint)
        self._shown = dict(replay_of(match, Reader.parse(reader, len(match.players))))
        self.replay = cast("Mapping[str, Any]", unmarked(self._shown))

    def __repr__(self) -> str:
        return (
            f"<ShownReplay: {self._shown.get('id', 'match')}; the last value of a notebook's cell shows it>"
        )

    def page(self) -> str:
        """Return the replay as a self-contained HTML file."""
        style, script = _shipped()
        # The data must not end its script element.
        data = json.dumps(self._shown, separators=(",", ":")).replace("<", "\\u003c")
        title = svg_text(str(self._shown.get("id", "match")))
        policy = f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'"
        return (
            f'<!doctype html><html lang="en"><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
            f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
            f'<style>{style}</style><main id="replay" data-address="off"></main>'
            f'<script type="application/json" id="replay-data">{data}</script>'
            f'<script type="module">{script}</script></html>\n'
        )

    def _repr_html_(self) -> str:
        # In single quotes, as the page has many double ones.
        page = self.page().replace("&", "&amp;").replace("'", "&#39;")
        about = f'title="Replay" sandbox="allow-scripts" style="border:0;height:{HEIGHT}px;width:100%"'
        return f"<iframe {about} srcdoc='{page}'></iframe>"


@lru_cache(maxsize=1)
def _shipped() -> tuple[str, str]:
    """Return the style and the script of the viewer, with the site's colours."""
    light, dark = (
        "".join(f"--{name}:{colours[ours]};" for ours, name in _NAMES.items())
        + "".join(f"--p{number}:{mark};" for number, mark in enumerate(marks))
        for colours, marks in zip(SCHEMES, MARKS, strict=True)
    )
    marks = "".join(f".p{number}{{--p:var(--p{number})}}" for number in range(len(MARKS[0])))
    style = (
        f":root{{color-scheme:light dark;{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f"body{{background:var(--ground);font:16px/1.45 system-ui,sans-serif;margin:4px}}"
        f".pm{{margin-right:.35em}}{marks}"
    )
    return style + (STATIC / "replay.css").read_text(encoding="utf-8"), join_modules(STATIC / "match.js")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
