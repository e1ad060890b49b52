"""Is the new version of a bot better? Two versions on identical deals, until the answer is sure.

| module | job |
|---|---|
| `regress_file` | a test's file: keys, types, defaults |
| `experiment` | what is compared, how, and its name in the store |
| `blocks` | the matches of a block, and what they say about the two versions |
| `trial` | blocks in their order, faults, the verdict |
| `run` | played against a store, in one piece, in slices, or put together |
"""

from __future__ import annotations

from arbiter.regress.experiment import BASE, CANDIDATE, Experiment, experiment_of
from arbiter.regress.run import merge_parts, open_experiment, play_on, resume
from arbiter.regress.trial import Trial, VerdictOfTrial

__all__ = [
    "BASE",
    "CANDIDATE",
    "Experiment",
    "Trial",
    "VerdictOfTrial",
    "experiment_of",
    "merge_parts",
    "open_experiment",
    "play_on",
    "resume",
]
