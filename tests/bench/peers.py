"""Other packages beside ours, in one run on the same input; each is skipped by name where it is missing.

make bench-peers        # installs what it can, prints one JSON object
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arbiter.games import make
from arbiter.games.dou_dizhu.combinations import PASS, UNITS, table
from arbiter.games.dou_dizhu.moves import follow, lead
from rating.crosstable import PairTable
from rating.evidence import confidence_sequence
from rating.fit.bayeselo import bayeselo
from rating.threads import one_thread
from tests.bench import chefs_hat_env, referees
from tests.bench.environments import COMPILED, FIGURES, SIDE_BY_SIDE, in_c_and_python
from tests.bench.play import deals_per_second
from tests.bench.ratings import made_season, timed
from tests.fixtures.simulated_blocks import simulate_blocks

PLAYERS, RESULTS = 1000, 1_000_000


def evalica_figures(season_results: dict[str, Any], ours: float) -> dict[str, float | str]:
    """Bradley-Terry by evalica, from the same results as indices and winners."""
    try:
        import evalica
    except ImportError:
        return {"skipped": "evalica is not installed"}
    names = season_results["players"]
    first = [names[k] for k in season_results["first"].tolist()]
    second = [names[k] for k in season_results["second"].tolist()]
    sides = {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}
    winners = [sides[outcome] for outcome in season_results["outcome"].tolist()]
    seconds, _ = timed(lambda: evalica.bradley_terry(first, second, winners), 1)
    return {"cpu_seconds": round(seconds, 3), "ratio_to_ours": round(seconds / ours, 1)}


def trueskill_figures(season_results: dict[str, Any], ours: float) -> dict[str, float | str]:
    """One pass of trueskill over a hundredth of the results, scaled to all of them."""
    try:
        from trueskill import TrueSkill
    except ImportError:
        return {"skipped": "trueskill is not installed"}
    share = 100
    environment = TrueSkill(tau=0.0)
    ratings = [environment.create_rating() for _ in season_results["players"]]
    columns = (season_results[name][: RESULTS // share].tolist() for name in ("first", "second", "outcome"))
    results = list(zip(*columns, strict=True))

    def one_pass() -> None:
        for first, second, outcome in results:
            ranks = [outcome < 0, outcome > 0]
            pair = [(ratings[first],), (ratings[second],)]
            (ratings[first],), (ratings[second],) = environment.rate(pair, ranks=ranks)

    seconds = timed(one_pass, 1)[0] * share
    return {"cpu_seconds": round(seconds, 1), "ratio_to_ours": round(seconds / ours, 1), "scaled_from": share}


PEERS: dict[str, Callable[[dict[str, Any], float], dict[str, float | str]]] = {
    "evalica": evalica_figures,
    "trueskill": trueskill_figures,
}


PEERS_PYTHON = Path(sys.prefix) / "peers" / "bin" / "python"
"""Packages of games want other versions of numpy than ours, so they have an interpreter of their own."""
OURS: dict[str, Callable[[], float]] = {
    "rlcard": lambda: deals_per_second(make("dou_dizhu", {})),
    "rlcard_environment": lambda: FIGURES["dou_dizhu_vector_and_legal_ids"](),
    "chefshatgym": lambda: deals_per_second(make("chefs_hat", {})),
    "openspiel_dou_dizhu": lambda: deals_per_second(make("dou_dizhu", {})),
    "openspiel_oh_hell": lambda: deals_per_second(make("planning", {"deals": [[12, 0]]})),
}
"""The same of ours: states and legal actions alone, but beside an environment what it shows, too."""

UNITS_OF = {make("dou_dizhu", {}).card_name(card): UNITS[card] for card in range(54)}


def games() -> dict[str, Any]:
    """Random legal play in published packages beside ours, in this run."""
    if not PEERS_PYTHON.exists():
        return {"skipped": f"{PEERS_PYTHON} is not there (make bench-peers)"}
    script = Path(__file__).with_name("peer_games.py")
    done = subprocess.run([PEERS_PYTHON, script], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"skipped": f"{script.name} failed: {done.stderr.strip().splitlines()[-1]}"}
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    for peer, figure in figures.items():
        if theirs := figure.get("games_per_second"):
            mine = OURS[peer]()
            figure |= {"ours": mine, "ratio_of_ours": round(mine / theirs, 1)}
    figures["batch_actions_per_second"] = {
        name: in_c_and_python(name)[str(SIDE_BY_SIDE)] for name in COMPILED
    }
    # Beside what was published of these two: figures by RLCard's, on one machine.
    figures["ours"] = {name: FIGURES[name]() for name in ("dou_dizhu_v4_with_masks", "codepiece_engine")}
    if "skipped" not in figures["chefshatgym"]:
        figures["chefshatgym"] |= chefs_hat_env.figures(2.0, str(PEERS_PYTHON))
    return figures


def evidence() -> dict[str, Any]:
    """Intervals of mean scores that hold at all times: confseq beside ours, on the same blocks."""
    if not PEERS_PYTHON.exists():
        return {"skipped": f"{PEERS_PYTHON} is not there (make bench-peers)"}
    scores = simulate_blocks(10, 500, 20.0, seed=1)[0]
    asked = json.dumps({"runs": scores.tolist(), "level": 0.95})
    script = Path(__file__).with_name("peer_evidence.py")
    done = subprocess.run([PEERS_PYTHON, script], input=asked, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"confseq": {"skipped": f"confseq: {done.stderr.strip().splitlines()[-1]}"}}
    theirs = json.loads(done.stdout)
    seconds, ours = timed(lambda: [confidence_sequence(run) for run in scores], 3)
    width = {"ours": ours, "confseq": theirs["ends"]}
    widths = {
        name: round(sum(high - low for low, high in ends) / len(ends), 4) for name, ends in width.items()
    }
    return {
        "ours": {"width": widths["ours"], "cpu_seconds": round(seconds, 4)},
        "confseq": {
            "width": widths["confseq"],
            "cpu_seconds": round(theirs["cpu_seconds"], 3),
            "ratio_to_ours": round(theirs["cpu_seconds"] / seconds, 1),
        },
    }


def rules() -> dict[str, Any]:
    """Dou Dizhu's plays: all of OpenSpiel's beside ours, and DouZero's in the decisions of random deals."""
    if not PEERS_PYTHON.exists():
        return {"skipped": f"{PEERS_PYTHON} is not there (make bench-peers)"}
    return {
        "openspiel": compare_rules(all_plays, "openspiel"),
        "douzero": compare_rules(decisions, "douzero", "200"),
    }


def compare_rules(compare: Callable[[list[Any]], dict[str, Any]], *words: str) -> dict[str, Any]:
    script = Path(__file__).with_name("peer_rules.py")
    done = subprocess.run([PEERS_PYTHON, script, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"skipped": done.stderr.strip().splitlines()[-1]}
    return compare([json.loads(line) for line in done.stdout.splitlines()])


def all_plays(lines: list[Any]) -> dict[str, Any]:
    ours, theirs = set(table().names[:PASS]), set(lines[0])
    alone = {"ours_only": len(ours - theirs), "theirs_only": len(theirs - ours)}
    return {"ours": len(ours), "theirs": len(theirs), **alone}


def decisions(lines: list[Any]) -> dict[str, Any]:
    """Which plays one of the two has alone, and in how many decisions."""
    names = table().names
    alone: dict[str, Counter[str]] = {"ours_only": Counter(), "theirs_only": Counter()}
    for hand, best, theirs in lines:
        held = sum(UNITS_OF[card] for card in hand)
        ours = {names[action] for action in (follow(held, names.index(best)) if best else lead(held))}
        given = {word or names[PASS] for word in theirs}
        alone["ours_only"].update(ours - given)
        alone["theirs_only"].update(given - ours)
    return {"decisions": len(lines), **{side: dict(found) for side, found in alone.items()}}


def main() -> None:
    season = made_season(PLAYERS, RESULTS)
    with one_thread():
        ours, _ = timed(lambda: bayeselo(PairTable.from_results(**season)), 3)
        figures: dict[str, Any] = {"ours": {"cpu_seconds": round(ours, 3), "reading_arrays": True}}
        for name, measure in PEERS.items():
            print(f"bench-peers: {name}", file=sys.stderr)
            figures[name] = measure(season, ours)
    found: dict[str, Any] = {"rating": {"players": PLAYERS, "results": RESULTS, **figures}}
    for name, part in (
        ("evidence", evidence),
        ("games", games),
        ("rules", rules),
        ("referees", referees.figures),
    ):
        print(f"bench-peers: {name}", file=sys.stderr)
        found[name] = part()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
