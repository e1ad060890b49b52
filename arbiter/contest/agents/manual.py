"""The manual of an arena: its terms, the rules and commands of its game, the protocol of all games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arbiter.contest.agents.agent_programs import FILES
from arbiter.contest.agents.answer_limits import cut, text_page
from arbiter.contest.agents.gauntlet_rounds import WHY
from arbiter.contest.submissions.build_recipe import KNOWN, WRITTEN
from arbiter.contest.submissions.languages import languages
from arbiter.games.samples import PROTOCOL, manual_of, without_file_links
from arbiter.match.clock import time_limit_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arbiter.contest.agents.arena import AgentArena


def rules(arena: AgentArena, page: int = 1) -> dict[str, Any]:
    """Return a page of the terms, the game's manual and the protocol, as Markdown."""
    game = arena.config.game
    parts = ["\n".join(_terms_as_markdown(arena)), game.manual or manual_of(game.name), manual_of(PROTOCOL)]
    text = without_file_links("\n\n".join(filter(None, parts)))
    return {"player": arena.name, "game": game.name, **text_page(text, page)}


def _terms_as_markdown(arena: AgentArena) -> Iterator[str]:
    """Yield lines on the season's terms, with the languages found on this machine."""
    config = arena.config
    game, limits = config.game, config.limits
    yield "# This arena"
    yield ""
    rungs = ", ".join(arena.rungs) or "nobody"
    yield f"- Your bots play {game.title} as `{arena.name}@VERSION` against {rungs}."
    for name, why in arena.missing.items():
        yield f"- {name} is missing: {cut(why, WHY)}."
    options = ", ".join(f"{key} {value}" for key, value in game.options.items() if value is not None)
    yield f"- Options of the game: {options or 'none'}."
    start = "" if limits.start_ns is None else f"; {time_limit_text(limits.start_ns)} to the first reply"
    memory = f"{limits.memory_bytes / 1e6:g} MB of memory"
    yield f"- A bot has {limits.time.description()}{start}; {memory}; isolation `{limits.isolation}`."
    yield f"- A program is a file, a folder or a ZIP file of at most {arena.terms.max_size}."
    known = ", ".join(KNOWN)
    yield f"- The bot is `command` in `{WRITTEN}`, else the first of {known}, else the only program."
    yield f"- Source text needs a language: {', '.join(FILES)}."
    there = [f"{one.word} {one.version}".strip() for one in languages(config)]
    yield f"- This machine has {', '.join(there)}."
    libraries = [f"{name} {at}".strip() for one in languages(config) for name, at in one.libraries.items()]
    if libraries:
        yield f"- Of Python's libraries: {', '.join(libraries)}."
