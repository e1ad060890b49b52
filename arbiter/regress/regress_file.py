"""A regression test's file as written: names of keys, types, ranges, defaults."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictInt

from arbiter.config.season_file import TableModel, Version
from arbiter.config.values import Seed, StoreUrl, Word

Risk = Annotated[float, Field(gt=0, lt=0.5, strict=True)]
Elo = Annotated[float, Field(ge=-1000, le=1000, strict=True, allow_inf_nan=False)]
LEVELS = {False: (0.0, 10.0), True: (-10.0, 0.0)}
"""Defaults of elo0 and elo1, by `non_regression`."""


class RegressModel(TableModel):
    """The file of `arbiter regress`; each key is an option of the command too.

    `field` is a season's file, whose players are met instead of the other version.
    """

    base: Version
    candidate: Version
    game: str | dict[str, Any] | None = None
    field: Word | None = None
    seed: Seed = "auto"
    store: StoreUrl | None = None
    workers: Literal["auto"] | Annotated[StrictInt, Field(gt=0)] = "auto"
    elo0: Elo | None = None
    elo1: Elo | None = None
    alpha: Risk = 0.05
    beta: Risk = 0.05
    measure: Literal["results", "points"] = "results"
    bounds: Literal["logistic", "normalized"] = "logistic"
    non_regression: StrictBool = False
    max_blocks: Annotated[StrictInt, Field(gt=0)] | None = None
    faults: Literal["count", "fail"] = "count"

    @property
    def levels(self) -> tuple[float, float]:
        elo0, elo1 = LEVELS[self.non_regression]
        return elo0 if self.elo0 is None else self.elo0, elo1 if self.elo1 is None else self.elo1
