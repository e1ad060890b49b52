"""A user's script, never run: `make check` has its types checked strictly, and both mistakes must be found."""

import arbiter


def first(observation: object, mask: object) -> int:
    return 0


results = arbiter.play("planning", [first, "greedy", ["./bot"], "random"], matches=4, seed=1)
elo: float | None = arbiter.fit(results)["first"].elo
better: bool = arbiter.compare("planning", first, "greedy", max_blocks=3).better
with arbiter.open_season("season.yaml") as season:
    points: tuple[int, ...] | None = season.record("r001/t01/m0").points
arbiter.play("planning", matches="4")  # type: ignore[call-arg, arg-type]
wrong = arbiter.fit(results).elo  # type: ignore[attr-defined]
