"""A season of thousands of players and a hundred thousand matches, made up in a minute or two.

No bot plays: of each round one match is played in memory, and the others are this one between other players,
with points of their own. Ratings after the last round are true; those of earlier rounds lie around them.
"""

from __future__ import annotations

import json
import zlib
from contextlib import closing
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
import yaml

from arbiter.match.packing import PackedMatch, pack
from arbiter.match.record import Fault, Forfeit
from arbiter.season.config import load
from arbiter.season.schedule import match_specs
from arbiter.season.season import Season
from arbiter.store import Store, db_schema
from arbiter.store.seats import seats_of
from arbiter.testing import play_by_policy, random_policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from arbiter.season.config import Config
    from arbiter.store import SeasonStore

SEED = "a seed of 128 bits or more, for nobody to guess"
STARTED = "2026-01-01T12:00:00+00:00"
FAULTS = 0.004
"""The share of matches that end by a fault."""
LEVEL = 1
"""Of zlib: this is not about the size of the store."""


def make_big_season(folder: Path, players: int = 2000, rounds: int = 50, under_way: int = 700) -> Path:
    """The file of a season with so many complete rounds, and one with so many matches."""
    shape = {
        "season": "big",
        "game": "planning",
        "seed": SEED,
        "rounds": 2 * rounds,
        "suspend_after": 0,
        "players": [{"name": f"player-{number:04d}", "command": ["python3"]} for number in range(players)],
    }
    file = folder / "big.yaml"
    file.write_text(yaml.dump(shape, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper)))
    config = load(file)
    with closing(Store(config.store)) as store:
        opened_season = Season.open(config, store)
        stored = opened_season.stored
        for number in range(1, rounds + 2):
            _play(config, store, number, None if number <= rounds else under_way)
            if number < rounds:
                # In place of its ratings, which would take the longest.
                with store.transaction() as connection:
                    done = sa.update(db_schema.rounds).filter_by(number=number)
                    connection.execute(done.values(complete=True))
            elif number == rounds:
                _rate(store, stored, number, opened_season.rounds.finish(number))
    return file


def _play(config: Config, store: Store, number: int, most: int | None) -> None:
    """Plan a round by lot and store its matches."""
    stored = store.season(config.season)
    assert stored is not None
    lot = Random(number)
    names = [entry.player.name for entry in config.entries]
    strength = {name: 30.0 * place / len(names) for place, name in enumerate(names)}
    lot.shuffle(names)
    seats = config.game.seats
    tables = [names[first : first + seats] for first in range(0, len(names), seats)]
    stored.add_round(number, config.digest, tables, config.settings)
    _store(store, stored, _matches(config, number, tables, strength, lot, most))


def _matches(
    config: Config,
    number: int,
    tables: Sequence[Sequence[str]],
    strength: Mapping[str, float],
    lot: Random,
    most: int | None,
) -> Iterator[PackedMatch]:
    specs = list(match_specs(config, SEED, number, tables))
    record = play_by_policy(config.game, random_policy(specs[0].id), specs[0], cost=150_000)
    shape: dict[str, Any] = json.loads(zlib.decompress(pack(record)))
    moves = json.dumps(shape["moves"], separators=(",", ":"))
    for spec in specs[:most]:
        seated = tuple(player.name for player in spec.players)
        points: tuple[int, ...] | None = tuple(int(lot.gauss(60 + strength[name], 20)) for name in seated)
        forfeit = None
        if lot.random() < FAULTS:
            seat = lot.randrange(len(seated))
            points, forfeit = None, Forfeit(seat, seated[seat], Fault.TIMEOUT, "too slow", "gen_move", "")
        made = replace(
            record, id=spec.id, table=spec.table, rotation=spec.rotation, players=seated,
            points=points, forfeit=forfeit, started=STARTED, wall_ns=10**9, moves=(),
            bots=tuple(replace(bot, player=name) for bot, name in zip(record.bots, seated, strict=True)),
        )  # fmt: skip
        head = json.dumps({**made.to_json(), "deals": shape["deals"], "moves": "*"}, separators=(",", ":"))
        packed = zlib.compress(head.replace('"*"', moves, 1).encode(), LEVEL)
        yield PackedMatch(made.summary(), made.wall_ns, packed)


def _store(store: Store, stored: SeasonStore, matches: Iterable[PackedMatch]) -> None:
    """Store matches as whoever plays does, all in one transaction."""
    with store.transaction() as connection:
        number = stored.last_event()
        rows, events, seats = [], [], []
        for match in matches:
            short = match.summary
            row = {"season_id": 1, "id": short.id, "round": short.round, "wall_ns": match.wall_ns}
            rows.append(row | {"summary": json.dumps(short.to_json()), "record": match.record})
            seats += seats_of(1, short)
            number += 1
            event = {"season_id": 1, "number": number, "kind": "match", "round": short.round}
            events.append(event | {"subject": short.id, "shown": number})
        connection.execute(sa.insert(db_schema.matches), rows)
        connection.execute(sa.insert(db_schema.events), events)
        connection.execute(sa.insert(db_schema.seats), seats)
        connection.execute(sa.update(db_schema.seasons).values(events=number))


def _rate(store: Store, stored: SeasonStore, last: int, standings: dict[str, Any]) -> None:
    """Keep standings for the rounds before the last one, which look like it, the less the earlier."""
    lot, ranking = Random(0), stored.ranking(last)
    for number in range(1, last):
        share, noise = number / last, 200 / number**0.5
        rows = []
        for row in standings["players"]:
            shift = lot.gauss(0, noise)
            rows.append(
                {
                    **row,
                    **{key: row[key] + shift for key in ("elo", "low", "high")},
                    **{
                        key: int(row[key] * share)
                        for key in ("matches", "results", "wins", "draws", "losses")
                    },
                }
            )
        rows.sort(key=lambda row: -row["elo"])
        ranked = [{**row, "rank": rank} for rank, row in enumerate(rows, 1)]
        stored.complete_round(number, {**standings, "rounds_played": number, "players": ranked})
    # Once more: how sure ratings are is kept of the round that was rated last.
    stored.complete_round(last, standings, ranking=ranking)
