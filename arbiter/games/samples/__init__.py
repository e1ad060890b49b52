"""Sample seasons (config, README and bots, or a game's whole ladder), manuals, attacking bots.

`PLACES` lists their folders in the repository; ``setup.py`` copies them into the built package. Each player
gets a separate folder with all that its program imports, as bots may read only their own folders.
"""

from __future__ import annotations

import re
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
PLACES = {
    "bots/python": "bots",
    "bots/cpp": "cpp",
    "bots/faulty": "faulty",
    "bots/js": "js",
    "bots/languages": "languages",
    "bots/languages/chefs_hat": "languages/chefs_hat",
    "bots/languages/codepiece": "languages/codepiece",
    "bots/languages/dou_dizhu": "languages/dou_dizhu",
    "bots/learned": "learned",
    "bots/llm": "llm",
    "configs/ladder": "rungs",
    "docs/reference": "reference",
}
"""Folders of the repository, and their names in the built package."""


def folder_of_samples(folder: str) -> Path:
    """Return the path of a folder of `PLACES`, in an installed package or in a checkout."""
    built = HERE / "bots"
    return HERE / PLACES[folder] if built.is_dir() else HERE.parents[2] / folder


BOTS = folder_of_samples("bots/python")
HARNESS = folder_of_samples("bots/llm") / "llm.py"
"""The harness of language models."""
FAULTY = folder_of_samples("bots/faulty")
"""Programs that attack, and tables of the outcomes allowed for each."""
LEARNED = "bots/learned"
"""Its modules are shared by the bots of all games."""
SEASON, PROTOCOL = "season.yaml", "protocol"


class SampleBot(NamedTuple):
    """A player: its program and the files it imports, and the arguments of its command."""

    name: str
    files: tuple[str, ...]
    words: tuple[str, ...] = ()


_PLANNING_KIT = ("planning_kit.py", "planning_worlds.py")
_SECOND = ("--seed", "2")
_BOTS = {
    "planning": (
        SampleBot("pimc", ("planning_pimc.py", *_PLANNING_KIT)),
        SampleBot("greedy", ("planning_greedy.py", *_PLANNING_KIT)),
        SampleBot("beginner", ("planning_random.py",), _SECOND),
        SampleBot("random", ("planning_random.py",)),
    ),
    "codepiece": (
        SampleBot("pimc", ("codepiece_pimc.py",)),
        SampleBot("rules", ("codepiece_rules.py", "codepiece_kit.py")),
        SampleBot("beginner", ("codepiece_random.py",), _SECOND),
        SampleBot("random", ("codepiece_random.py",)),
    ),
    "dou_dizhu": (
        SampleBot("fewest-turns", ("dou_dizhu_fewest_turns.py", "dou_dizhu_random.py")),
        SampleBot("smallest", ("dou_dizhu_smallest.py", "dou_dizhu_random.py")),
        SampleBot("random", ("dou_dizhu_random.py",)),
    ),
    "chefs_hat": (
        SampleBot("keep-jokers", ("chefs_hat_keep_jokers.py", "chefs_hat_kit.py")),
        SampleBot("larger-value", ("chefs_hat_larger_value.py", "chefs_hat_kit.py")),
        SampleBot("beginner", ("chefs_hat_random.py",), _SECOND),
        SampleBot("random", ("chefs_hat_random.py",)),
    ),
}
"""The players of a game, the house bot last."""
_SHORT = {"chefs_hat": "{name: chefs_hat, matches: 3}"}
"""The game in the season's file, if it is more than a name."""
GAMES = tuple(_BOTS)
"""The games with sample bots."""


def bots_of(game: str) -> tuple[SampleBot, ...]:
    """Return the bots of one of `GAMES`, the best first."""
    return _BOTS[game]


def bot_names(game: str) -> tuple[str, ...]:
    """Return the names of a game's bots, the best first; () for a game without bots."""
    return tuple(bot.name for bot in _BOTS.get(game, ()))


def bot_words(game: str, name: str) -> list[str]:
    """Return the file of a bot of `bot_names`, and the arguments after it."""
    bot = next(bot for bot in _BOTS[game] if bot.name == name)
    return [str(BOTS / bot.files[0]), *bot.words]


def rung_names(game: str) -> list[str]:
    """Return the names of a game's ladder, the house bot among them; [] for a game without a ladder."""
    path = folder_of_samples("configs/ladder") / f"{game}.yaml"
    return re.findall(r"^  - name: (.+)", path.read_text(), re.MULTILINE) if game in _BOTS else []


def season_files(game: str, season: str, language: str | None = None) -> dict[str, bytes]:
    """Read the files of a sample season, and return contents by path in the season's folder.

    `game` is one of `GAMES`; `season` is a name without quotes and backslashes. With a `language` of the
    game, its smallest bot in it plays, too.
    """
    from arbiter.games.samples.sample_languages import MINE, language_bot, language_entry, language_guide

    bots = _BOTS[game]
    house = bots[-1]
    simple = f"bots/{house.name}/{house.files[0]}"
    guide = {
        "build": "",
        "own": f"`{simple}`\nexplains them. Copy it to a new folder under `bots/`, change it, and check that"
        " it plays by the rules:",
        "check": f"$ arbiter check-bot --game {game} -- python3 {simple}",
        "then": "Then add it under `players` in `season.yaml`.",
    }
    words = {
        "season": season,
        "name": game,
        "game": _SHORT.get(game, game),
        "players": "\n".join([*([language_entry(language)] if language else []), *map(_yaml_entry, bots)]),
        "house": house.name,
        **(language_guide(game, language) if language else guide),
    }
    templates = {name: Template((HERE / name).read_text(encoding="utf-8")) for name in (SEASON, "README.md")}
    written = {name: template.substitute(words).encode() for name, template in templates.items()}
    copied = {f"bots/{bot.name}/{file}": (BOTS / file).read_bytes() for bot in bots for file in bot.files}
    if language:
        bot = language_bot(game, language)
        copied[f"bots/{MINE}/{bot.name}"] = bot.read_bytes()
    return written | copied


def programs() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield every bot: its game, its name and its command."""
    for game, bots in _BOTS.items():
        for bot in bots:
            yield game, bot.name, ("python3", *bot_words(game, bot.name))


def shipped_sources() -> Iterator[tuple[Path, bool]]:
    """Yield the shipped sources, each with True if authors may build on it: a kit, or a simplest bot."""
    to_build_on = {file for bots in _BOTS.values() for bot in bots for file in bot.files[1:]}
    to_build_on |= {bots[-1].files[0] for bots in _BOTS.values()}
    for folder in PLACES:
        for path in sorted(folder_of_samples(folder).iterdir()):
            if path.is_file():
                yield path, path.name in to_build_on


def _yaml_entry(bot: SampleBot) -> str:
    # In YAML a number must be quoted to be a string.
    words = "".join(f', "{word}"' if word.isdecimal() else f", {word}" for word in bot.words)
    return f"  - name: {bot.name}\n    command: [python3, bots/{bot.name}/{bot.files[0]}{words}]"


def ladder_files(game: str, season: str) -> dict[str, bytes]:
    """Read the files of a season with the game's whole ladder; see `season_files`."""
    text = _read_files("configs/ladder")[f"{game}.yaml"].decode()
    text = text.replace("../../bots/", "bots/")
    text = re.sub(r"^season: .*", f'season: "{season}"', text, flags=re.MULTILINE)
    text = re.sub(r"^store: .*", "store: sqlite:///season.sqlite", text, flags=re.MULTILINE)
    copied = {
        f"{folder}/{name}": held
        for folder in PLACES
        if f"{folder}/" in text
        for name, held in _read_files(folder).items()
        if name.startswith(f"{game}_")
        or (folder == LEARNED and not name.endswith(".npz"))
        or name == "Makefile"
    }
    return {SEASON: text.encode()} | copied


def _read_files(folder: str) -> dict[str, bytes]:
    """Read the files directly in a folder of `PLACES`; return contents by name."""
    return {
        path.name: path.read_bytes() for path in sorted(folder_of_samples(folder).iterdir()) if path.is_file()
    }


def without_file_links(text: str) -> str:
    """Return Markdown whose links to files are their words alone, for readers who cannot open them."""
    return re.sub(r"\[([^\[\]]*)\]\((?!https?://)[^)\s]*\)", r"\1", text)


def manual_of(name: str) -> str:
    """Read the manual of a game, or the `PROTOCOL` of all, in Markdown; "" for other names."""
    if name not in (*GAMES, PROTOCOL):
        return ""
    return (folder_of_samples("docs/reference") / f"{name}.md").read_text(encoding="utf-8")
