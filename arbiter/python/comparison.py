"""Test whether one bot is better than another, by the sequential test of `arbiter regress`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from arbiter.errors import ConfigError
from arbiter.python.contenders import Table, contender, game_of_call
from arbiter.python.match_loop import play_through
from arbiter.python.match_results import forfeit_lines
from arbiter.python.playing import event_of, seed_text
from arbiter.python.rating_fit import check_number
from arbiter.season.settings import REGRESS
from arbiter.text import counted, html_table, svg_text
from arbiter.trials.regression.experiment import LEVELS, Experiment, stop_rule
from arbiter.trials.regression.figures import figures
from arbiter.trials.regression.program_identity import BASE, CANDIDATE
from arbiter.trials.regression.report_text import headline, rows
from arbiter.trials.regression.trial_state import Trial
from rating.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from arbiter.games.game import AnyGame
    from arbiter.match.spec import MatchSpec
    from arbiter.python.match_results import MatchResults
    from arbiter.python.table_types import Contestant
    from arbiter.table.match_progress import ProgressLike
    from arbiter.trials.regression.figures import TrialFigures
    from arbiter.trials.regression.trial_state import VerdictOfTrial


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """The outcome of a comparison; as text and in a notebook, the verdict, its figures, the first forfeits.

    `verdict` is ``better``, ``not_better``, ``out_of_budget``, ``identical_play``, ``candidate_faulty`` or
    ``base_faulty``. `figures` are as in ``arbiter regress --format json``: llr, bounds, elo, low,
    high, blocks, matches, wins, draws, losses, faults and others. `results` are all matches.
    """

    verdict: VerdictOfTrial
    headline: str
    rows: tuple[tuple[str, str], ...]
    figures: TrialFigures
    results: MatchResults

    @property
    def better(self) -> bool:
        """True if the candidate is better, or with `non_regression` no worse."""
        return self.verdict == "better"

    @property
    def elo(self) -> float | None:
        """The candidate's Elo above the base, None before the first block."""
        return self.figures["elo"]

    def __repr__(self) -> str:
        return f"<Comparison: {self.headline}; {counted(len(self.results), 'match')}>"

    def __str__(self) -> str:
        width = max(10, *(len(label) for label, _ in self.rows))
        shown = (f"  {label:<{width}} {text}" for label, text in self.rows)
        return "\n".join([self.headline, *shown, *forfeit_lines(self.results)])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{svg_text(note)}</p>" for note in forfeit_lines(self.results))
        return f"<p>{svg_text(self.headline)}</p>" + html_table(("figure", "value"), self.rows) + notes


def compare(
    game: str | AnyGame,
    base: Contestant,
    candidate: Contestant,
    *,
    elo0: float | None = None,
    elo1: float | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    measure: Literal["results", "points"] = "results",
    non_regression: bool = False,
    faults: Literal["count", "fail"] = "count",
    max_blocks: int | None = None,
    seed: int | str | None = None,
    options: Mapping[str, Any] | None = None,
    limits: Mapping[str, str] | None = None,
    strict: bool = False,
    workers: int | None = 1,
    progress: ProgressLike = False,
) -> Comparison:
    """Test whether `candidate` is better than `base`, by the sequential test of ``arbiter regress``.

    Both are players as in `play`. They play the same deals, block by block, until the test is decided or
    `max_blocks` are played; a block is one set of deals in balanced seatings of the two. `elo0` (0) is the
    difference that is not enough, `elo1` (10) the expected one, `alpha` and `beta` the risks of a wrong
    verdict; with `non_regression` they are -10 and 0. `measure` compares who was ahead, or the ``points``.
    `faults` count as losses, or with ``fail`` the first one ends the test. `seed`, `options`, `limits`,
    `strict`, `workers` and `progress` as in `play`. Nothing is stored: ``arbiter regress`` continues after an
    interruption.

    ConfigError for a game, players or values that do not fit; BotCheckFailed for the first forfeit if strict;
    VoidMatch if the machine failed and PlayInterrupted, both with the results so far.
    """
    made, text = game_of_call(game, options, None), seed_text(seed)
    levels = LEVELS[non_regression]
    keys: dict[str, Any] = {
        "elo0": levels[0] if elo0 is None else elo0,
        "elo1": levels[1] if elo1 is None else elo1,
        "alpha": alpha,
        "beta": beta,
        "measure": measure,
        "non_regression": non_regression,
        "evidence": True,
    }
    for name in ("elo0", "elo1", "alpha", "beta"):
        check_number(name, keys[name])
    if faults not in ("count", "fail"):
        raise ConfigError(f"faults: expected count or fail, got {faults!r}")
    if max_blocks is not None and (type(max_blocks) is not int or max_blocks < 1):
        raise ConfigError(f"max_blocks: expected an integer from 1, got {max_blocks!r}")
    try:
        rule = stop_rule(made, keys, most_blocks=max_blocks)
    except OptionError as error:
        raise ConfigError(str(error)) from None
    sides = {BASE: base, CANDIDATE: candidate}
    named = {side: contender(one, made.name, side) for side, one in sides.items()}
    event = event_of(made, text, [*named.values()])
    pair = [replace(one, player=replace(one.player, name=name)) for name, one in named.items()]
    with Table(made, pair, limits, strict) as table:
        trial = Trial(
            Experiment(
                name=f"{REGRESS}{event}",
                game=made,
                base=pair[0].player,
                candidate=pair[1].player,
                field=(),
                limits=table.limits,
                test=rule,
                non_regression=non_regression,
                fail_at_once=faults == "fail",
                seed=text,
            )
        )
        results = play_through(
            table,
            _specs(trial, event, text),
            workers,
            progress,
            None if max_blocks is None else max_blocks * rule.matches,
            lambda record: trial.add(record.summary()),
        )
    assert trial.verdict is not None
    return Comparison(
        verdict=trial.verdict,
        headline=headline(trial),
        rows=tuple(rows(trial)),
        figures=figures(trial),
        results=results,
    )


def _specs(trial: Trial, event: str, seed: str) -> Iterator[MatchSpec]:
    """Yield the matches until the verdict, under ids that no other comparison has."""
    for block in trial.matches_to_play(seed):
        for spec in block:
            if trial.verdict is not None:
                return
            yield replace(spec, id=f"{event}/{spec.id}")
