"""The rows of a season that is over, without what its people, bots and machine keep to themselves.

For `store.backup.copy_season`. What is left suffices to verify the season: deals, moves, charges, results,
ratings, and the reasons of faults as everyone sees them. Settings lose commands and variables, so they get
new digests.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from arbiter.match.packing import pack_match, unpack
from arbiter.match.record import Fault
from arbiter.season.config.loader import digest_of
from arbiter.season.config.settings_diff import registered_name
from arbiter.store.event_log import SHOWN
from arbiter.store.row_values import row_of

if TYPE_CHECKING:
    from arbiter.match.record import BotReport, Forfeit, MatchRecord
    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

NOT_PUBLISHED = "not-published"
ENDPOINT = f"https://{NOT_PUBLISHED}.invalid/"
WHOLE = frozenset({"ratings", "rankings", "seats", "outlays", "suspensions"})
"""Tables that the site shows as they are."""
SHOWN_WORD = 60
"""Characters of a refused word that everyone sees."""

Row = dict[str, Any]


class PublicCopy:
    """Changes each row for the public; a table without a rule is left out, so new tables stay private."""

    def __init__(self, config: Config, stored: SeasonStore) -> None:
        self._reviewed = config.publish_reviews
        names = stored.seated(len(stored.rounds()))
        self._seated = {registered_name(name) for name in names}
        self._living = {author.name for author in stored.authors.all() if author.alive}
        self._rules: Mapping[str, Callable[[Row], Row | None]] = {
            "seasons": self._season,
            "configs": self._config,
            "rounds": self._round,
            "matches": self._match,
            "annulments": self._annulment,
            "tags": lambda row: row if row["public"] else None,
            "events": lambda row: row if row["kind"] in SHOWN else None,
            "reviews": lambda row: row if self._reviewed else None,
            "authors": self._author,
            "announcements": lambda row: row if row["published"] and row["withdrawn"] is None else None,
        }
        self._digests = {
            stored_round.digest: digest_of(public_settings(settings))
            for stored_round in stored.rounds()
            if (settings := stored.settings(stored_round.digest)) is not None
        }

    def __call__(self, table: str, row: Row) -> Row | None:
        if table in WHOLE:
            return row
        rule = self._rules.get(table)
        return None if rule is None else rule(row)

    def _season(self, row: Row) -> Row:
        """Return the row without its file and stop request."""
        return {**row, "file": None, "stop_asked": None}

    def _config(self, row: Row) -> Row | None:
        """Return public settings under their new digest; None if no round has them."""
        if row["digest"] not in self._digests:
            return None
        return {**row, "digest": self._digests[row["digest"]], "settings": _dumped(row["settings"])}

    def _round(self, row: Row) -> Row:
        """Return the row with the new digest, and its programs without folders."""
        digest = self._digests.get(row["digest"], row["digest"])
        return {**row, "digest": digest, "programs": _without_folders(row["programs"])}

    def _match(self, row: Row) -> Row:
        """Return the row with its record and summary as `public_record` leaves them."""
        return {**row, **_packed_without(row["record"], row["id"])}

    def _annulment(self, row: Row) -> Row:
        """Return the row with a replaced match as `_match` does, and its programs without folders."""
        if row["record"] is None:
            return row
        programs = _without_folders(row["programs"])
        return {**row, **_packed_without(row["record"], row["match_id"]), "programs": programs}

    def _author(self, row: Row) -> Row | None:
        """Return an author that has played; a living one gets the digest of no token."""
        if row["name"] not in self._seated or row["organiser"]:
            return None
        return {**row, "token": secrets.token_hex(32) if row["name"] in self._living else None}


def public_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored settings without commands, variables, paths, and addresses of models."""
    players = [_public_player(player) for player in settings["players"]]
    kept = {key: value for key, value in settings.items() if key != "languages"}
    empty: dict[str, Any] = {"languages": {}} if "languages" in settings else {}
    return {**kept, **empty, "players": players}


def _public_player(player: Mapping[str, Any]) -> dict[str, Any]:
    """Return a player without command, variables and paths, and without a model's endpoint and key."""
    kept = {key: value for key, value in player.items() if key not in ("command", "env", "read", "model")}
    if player.get("model") is None:
        kept["command"] = [NOT_PUBLISHED]
    else:
        kept["model"] = {**player["model"], "endpoint": ENDPOINT, "key_env": None}
    return kept | {key: type(player[key])() for key in ("env", "read") if key in player}


def _dumped(settings: str) -> str:
    """Return stored settings as `public_settings` leaves them."""
    return json.dumps(public_settings(json.loads(settings)))


def _without_folders(programs: str | None) -> str | None:
    """Return the digests of programs by the files' names, without their folders."""
    if programs is None:
        return None
    shape = json.loads(programs)
    return json.dumps({name: files_of(files) for name, files in shape.items()})


def files_of(files: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return digests by the files' names, without their folders."""
    return {PurePath(path).name: digest for path, digest in files.items()}


def _packed_without(packed: bytes, match_id: str) -> Row:
    """Return the columns of a packed match as `public_record` leaves it."""
    return row_of(pack_match(public_record(unpack(packed, match_id))))


def public_record(record: MatchRecord) -> MatchRecord:
    """Return a record without standard error, unpublished notes, raw replies, and the machine's name."""
    public = record.notes_public
    notes = {
        number: note
        for number, note in (record.move_notes or {}).items()
        if number <= len(record.moves) and record.moves[number - 1].seat in public
    }
    return replace(
        record,
        bots=tuple(map(_public_bot, record.bots)),
        forfeit=record.forfeit and _public_forfeit(record.forfeit),
        host={key: value for key, value in record.host.items() if key != "name"},
        move_notes=notes or None,
    )


def _public_bot(bot: BotReport) -> BotReport:
    """Return a report without notes and standard error; a model's thoughts become dashes."""
    model = bot.model
    if model is not None:
        # As long as before: its length bounds the tokens charged.
        calls = [{**call, "thought": "-" * len(call["thought"].encode())} for call in model["calls"]]
        model = {**model, "calls": calls}
    return replace(bot, notes=(), stderr_head="", stderr_tail="", stderr_at=(), model=model)


def _public_forfeit(forfeit: Forfeit) -> Forfeit:
    """Keep of the reply only an illegal word, which everyone sees."""
    word = forfeit.reply.strip()
    alone = "\n" not in word and len(word) <= SHOWN_WORD
    kept = forfeit.reply if forfeit.fault is Fault.ILLEGAL and alone else ""
    return replace(forfeit, private="", reply=kept)
