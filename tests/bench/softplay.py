"""How often soft play is found, and how often it is asked about where there is none.

    python -m tests.bench.softplay made --seasons 1000 --style 30
    python -m tests.bench.softplay made --seasons 100 --gain 150 250 350 --loss 100
    python -m tests.bench.softplay planning --seasons 50 --helper feed
    python -m tests.bench.softplay store configs/ladder/planning.yaml

Twelve players, sixty rounds, three tables of four in all rotations, tables by the rules of a season (by lot for
twelve rounds, then by ratings, `--rule`), a look after each round. The first player helps the second, or nobody.

- `made`: made seasons (`rating.simulation`). Strengths have a standard deviation of 150 Elo; how well one
  likes another at the table, of `--style` Elo. The helped is stronger by `--gain` where both sit, the helper
  weaker by `--loss`.
- `planning`: matches of Planning between players of rules of thumb, which differ in what they declare, in how
  cheaply they take a trick and in how often they err. The helper knows its friend's seat, sees no hidden card,
  and plays that share of its cards (`--share`) for the friend's declaration, not for its own (`feed`); one that
  does not mind to `lose` declares all tricks besides.
- `store`: a season that was played, as it is stored.
"""

from __future__ import annotations

import argparse
import json
import random
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arbiter.contest.integrity.soft_play import find_soft_play as find_in_season
from arbiter.games.planning import Planning
from arbiter.match.position import planned_deal
from arbiter.season.config import load
from arbiter.store import Store
from rating.crosstable import PairTable
from rating.fit.bayeselo import bayeselo
from rating.matches import Match
from rating.meetings import LEAST
from rating.pairing.rounds import next_round
from rating.pairing.rules import rule_of_round
from rating.simulation import play_round
from rating.softplay import PlayedTables, find_soft_play
from rating.threads import one_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from arbiter.games.planning import PlanningState
    from rating.pairing.rules import Rule

PLAYERS, ROUNDS = 12, 60
NAMES = [f"p{number:02}" for number in range(1, PLAYERS + 1)]
HELPER, HELPED = NAMES[:2]
GAME = Planning()


def play_season(play: Callable[[list[list[str]], int], list[Match]], rule: Rule, seed: str) -> list[Match]:
    """The matches of a season: `play` has a round's tables and its number."""
    table, start, matches = PairTable.from_matches((), players=NAMES), None, list[Match]()
    for number in range(1, ROUNDS + 1):
        chosen = rule_of_round(rule, number, 12)
        fit = bayeselo(table, start=start) if chosen != "random" else None
        start = None if fit is None else fit.elo
        played = play(next_round(fit or table, NAMES, rule=chosen, seed=f"{seed}|{number}"), number)
        matches += played
        table = table.append(played)
    return matches


def made(seed: int, rule: Rule, style: float, gain: float, loss: float) -> list[Match]:
    rng = np.random.default_rng([seed, 2])
    strength = dict(zip(NAMES, rng.normal(0.0, 150.0, PLAYERS).tolist(), strict=True))
    likes = {one: dict(zip(NAMES, rng.normal(0.0, style, PLAYERS), strict=True)) for one in NAMES}

    def play(tables: list[list[str]], number: int) -> list[Match]:
        now = {}
        for names in tables:
            for name in names:
                now[name] = strength[name] + sum(likes[name][other] for other in names if other != name)
            if {HELPER, HELPED} <= set(names):
                now[HELPED] += gain
                now[HELPER] -= loss
        return play_round(tables, now, round=number, seed=seed)

    return play_season(play, rule, f"made {seed}")


@dataclass(frozen=True)
class Thumb:
    """A player of Planning by rules of thumb.

    It declares its chances, times `bold`, takes tricks as `cheaply` as it can or with its best card, throws
    its highest losing card or its lowest when it has enough, and errs in the share `errs` of its cards.
    """

    bold: float
    cheaply: bool
    sheds: bool
    errs: float

    def declare(self, state: PlanningState, seat: int) -> int:
        deck, tricks = GAME.deck, GAME.tricks
        dealt = state.size * GAME.seats / len(deck)
        chance = 0.0
        for action in tricks.actions_of(state.hands[seat]):
            suit, value = deck.suit(action - tricks.offset), (action - tricks.offset) % len(deck.values)
            above = (len(deck.values) - 1 - value) * dealt
            chance += max(0.0, 1.0 - 0.15 * above if suit == 0 else 0.8 - 0.3 * above)
        return min(state.size, int(chance * self.bold + 0.5))

    def card(self, state: PlanningState, seat: int, rng: random.Random) -> int:
        legal = list(state.legal(seat))
        if rng.random() < self.errs:
            return rng.choice(legal)
        strength = strengths(state, legal)
        takes, fails = taking(state, legal)
        if (state.declared[seat] or 0) > state.taken[seat]:
            if not takes:
                return min(legal, key=strength)
            return min(takes, key=strength) if self.cheaply and state.trick else max(takes, key=strength)
        if self.sheds and fails and state.trick:
            return max(fails, key=strength)
        return min(legal, key=strength)


def strengths(state: PlanningState, legal: Sequence[int]) -> Callable[[int], int]:
    """What a card is worth in the trick, trumps above all."""
    return lambda card: GAME.tricks.strength[(state.trick or (card,))[0]][card] * 100 + (card - 14) % 13


def taking(state: PlanningState, legal: Sequence[int]) -> tuple[list[int], list[int]]:
    """The cards that would be the best so far, and those that would not."""
    if not state.trick:
        return list(legal), []
    row = GAME.tricks.strength[state.trick[0]]
    best = max(row[card] for card in state.trick)
    return [card for card in legal if row[card] > best], [card for card in legal if row[card] <= best]


def help_friend(state: PlanningState, seat: int, friend: int) -> int:
    """The card of a helper: the friend is to take as many tricks as it declared, the others are not."""
    legal = list(state.legal(seat))
    strength = strengths(state, legal)
    takes, fails = taking(state, legal)
    played = {(state.leader + place) % GAME.seats: card for place, card in enumerate(state.trick or ())}
    row = GAME.tricks.strength[state.trick[0]] if state.trick else ()
    ahead = max(played, key=lambda at: row[played[at]]) if played else None
    needs = [(declared or 0) - taken for declared, taken in zip(state.declared, state.taken, strict=True)]
    still = 0 <= needs[friend] <= state.size - sum(state.taken)
    if still and (ahead == friend or friend not in played):
        if needs[friend]:
            return max(fails, key=strength) if fails else min(legal, key=strength)
        return max(takes, key=strength) if takes else min(legal, key=strength)
    # The friend has nothing to do with it: a rival that needs the trick is not to have it.
    rival = ahead if ahead is not None else (seat + 1) % GAME.seats
    if needs[rival] > 0 and takes:
        return max(takes, key=strength)
    return max(fails, key=strength) if fails else min(legal, key=strength)


def planning(seed: int, rule: Rule, helper: str, share: float) -> list[Match]:
    rng = random.Random(f"players {seed}")
    thumbs = {
        name: Thumb(rng.uniform(0.8, 1.2), rng.random() < 0.5, rng.random() < 0.5, rng.uniform(0.0, 0.3))
        for name in NAMES
    }

    def play(tables: list[list[str]], number: int) -> list[Match]:
        deals = [planned_deal(GAME, f"deals {seed}", number, deal, None) for deal in range(13)]
        found = []
        for table, names in enumerate(tables, 1):
            for places in GAME.seatings:
                seated = [names[place] for place in places]
                lots = random.Random(f"{seed} {number} {table} {places}")
                points = [0] * GAME.seats
                for deal in deals:
                    assert deal is not None
                    for seat, more in enumerate(one_deal(GAME.start(deal), seated, lots)):
                        points[seat] += more
                found.append(Match(seated, points, round=number, table=table))
        return found

    def one_deal(state: PlanningState, seated: list[str], lots: random.Random) -> tuple[int, ...]:
        friend = seated.index(HELPED) if helper != "none" and {HELPER, HELPED} <= set(seated) else None
        while state.to_act:
            seat = state.to_act[0]
            thumb = thumbs[seated[seat]]
            for_friend = friend is not None and seated[seat] == HELPER
            if state.trick is None:
                action = state.size if for_friend and helper == "lose" else thumb.declare(state, seat)
            elif friend is not None and for_friend and lots.random() < share:
                action = help_friend(state, seat, friend)
            else:
                action = thumb.card(state, seat, lots)
            state = state.apply(seat, action)
        return state.points()

    return play_season(play, rule, f"planning {seed}")


def looked(matches: list[Match], every: int = 1) -> tuple[dict[tuple[str, str], int], Any]:
    """The round in which each pair was first asked about, and what is known of the planted pair at the end."""
    tables, first = PlayedTables.from_matches(matches), dict[tuple[str, str], int]()
    for number in range(2 * LEAST, ROUNDS + 1, every):
        for one in find_soft_play(tables, number, ROUNDS):
            first.setdefault((one.helper, one.helped), number)
    return first, next((one for one in find_soft_play(tables, ROUNDS, ROUNDS) if one.helper == HELPER), None)


def measure(play: Callable[[int], list[Match]], seeds: range, planted: bool) -> dict[str, Any]:
    """How many seasons had the pair found, others asked about, and the median round of the first.

    `gain_loss` are means over the seasons in which the pair is asked about at the end.
    """
    found, wrong, rounds, gains = 0, 0, [], []
    with one_thread():
        for seed in seeds:
            first, at_end = looked(play(seed))
            at = first.pop((HELPER, HELPED), None) if planted else None
            found += at is not None
            wrong += bool(first)
            rounds += [at] if at else []
            gains += [(at_end.gain, at_end.loss)] if at_end else []
    many = len(seeds)
    return {
        "seasons": many,
        **({"found": found} if planted else {}),
        "wrong": wrong,
        "wrong_share": round(wrong / many, 4),
        "error": round(float(np.sqrt(max(wrong, 1) * (many - wrong) / many**3)), 4),
        **({"median_round": float(np.median(rounds))} if rounds else {}),
        **({"gain_loss": np.mean(gains, axis=0).round().tolist()} if gains else {}),
    }


def stored(config_file: Path) -> dict[str, Any]:
    """What was asked of a stored season after each of its rounds."""
    config = load(config_file)
    with closing(Store(config.store)) as store:
        kept = store.season(config.season)
        assert kept is not None
        asked = {
            number: [
                (row["helper"], row["helped"], row["q"]) for row in find_in_season(kept, config, number)[0]
            ]
            for number in range(1, kept.complete + 1)
        }
        rounds = kept.complete
    return {
        "season": config.season,
        "rounds": rounds,
        "asked": {of: rows for of, rows in asked.items() if rows},
    }


def rows(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    seeds = range(given.first_seed, given.first_seed + given.seasons)
    if given.what == "made":
        for style in given.style:
            for gain in given.gain:
                for loss in given.loss:
                    play = partial(made, rule=given.rule, style=style, gain=gain, loss=loss)
                    yield {"style": style, "gain": gain, "loss": loss} | measure(play, seeds, gain + loss > 0)
    elif given.what == "planning":
        for share in given.share:
            play = partial(planning, rule=given.rule, helper=given.helper, share=share)
            yield {"helper": given.helper, "share": share} | measure(play, seeds, given.helper != "none")
    else:
        for config in given.configs:
            yield stored(Path(config))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["made", "planning", "store"])
    parser.add_argument("configs", nargs="*")
    parser.add_argument("--seasons", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--rule", default="variance")
    parser.add_argument("--style", type=float, nargs="*", default=[30.0])
    parser.add_argument("--gain", type=float, nargs="*", default=[0.0])
    parser.add_argument("--loss", type=float, nargs="*", default=[0.0])
    parser.add_argument("--helper", choices=["none", "feed", "lose"], default="feed")
    parser.add_argument("--share", type=float, nargs="*", default=[1.0])
    for row in rows(parser.parse_args()):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
