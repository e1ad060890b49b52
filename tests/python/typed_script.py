"""A user's script, never run: `make check` has its types checked strictly, and all mistakes must be found."""

import arbiter
from arbiter.types import MatchRow, PolicyLike


def first(observation: object, mask: object) -> int:
    return 0


players: list[arbiter.Contestant] = [first, "greedy", ["./bot"], "random"]
results = arbiter.play("planning", players, matches=4, seed=1, workers=None, progress=True)
joined: arbiter.MatchResults = sum([results, results], arbiter.MatchResults())
elo: float | None = arbiter.fit(results)["first"].elo
wins: int = joined.totals()[0]["wins"]
decisions: list[dict[str, object]] = [
    {"match": record.id, "player": record.players[move.seat], **move._asdict()}
    for record in results
    for move in record.moves
]
found = arbiter.compare("planning", first, "greedy", max_blocks=3)
with arbiter.open_season("season.yaml") as season:
    lost: list[MatchRow] = [match for match in season.matches() if match["fault"]]
    points: tuple[int, ...] | None = season.record("r001/t01/m0").points
    rows = season.standings()["players"]
    rank: int | None = rows[0]["rank"]
    best, listed = arbiter.fit(season)[rows[0]["player"]].elo, rows[0]["elo"]
    same: bool = best is not None and listed is not None and abs(best - listed) < 1e-6
arbiter.fit(results.table())
policy: PolicyLike = first
elos: list[float | None] = arbiter.evaluate(
    first, "planning", ["random"], workers=None, progress=True
).table()["elo"]
arbiter.play("planning", matches="4")  # type: ignore[call-arg, arg-type]
arbiter.play("planning", [first, None])  # type: ignore[list-item]
arbiter.evaluate("greedy", "planning", ["random"])  # type: ignore[arg-type]
arbiter.fit("results.jsonl")  # type: ignore[arg-type]
wrong = arbiter.fit(results).elo  # type: ignore[attr-defined]
losses = joined.totals()[0]["lost"]  # type: ignore[typeddict-item]
better = found.verdict == "beter"  # type: ignore[comparison-overlap]
