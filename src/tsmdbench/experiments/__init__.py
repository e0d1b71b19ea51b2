"""Experiments: many runs, on one machine or on a cluster, that can be resumed.

``run(["locomotif"], ["JapaneseVowels"], "store")`` runs methods on problems and returns
a `RunResult`, ``resume("store")`` runs what is missing, and ``Store("store").table()``
has a row per run.

Three nouns, in the order in which a run passes them:

`Specification`
    The request: datasets, methods, settings, limits.
`Task`
    Settings of one method that are found together on one series: one call of `sweep` or
    `find`.
`Outcome`
    The result of one setting on one problem: a row of the store.

The walk of one run, file by file:

1. `running`: `run` and `resume`; the driver, which alone writes the store.
2. `method_info`: a record of each method, given by name or as an object of the session.
3. `specification`: the request, with its limits; `sources`: the datasets that it names.
4. `tasks`: the tasks that it stands for, those that are missing, and the next batch.
5. `code_hash`: the version of a method, which decides whether it runs again.
6. `settings`: the hyperparameters, from validation data, from grids and from searches.
7. `engine`: starts the computing process, sends it tasks and ends it at a limit.
   `cluster` does the same on the workers of Dask.
8. `child`: the program that runs methods, in our and in other `environments`.
9. `rows`, `truth`, `store`: the row of the run, the truth of its problem, the files,
   which hold motif sets in the form of `packed_sets`.
10. `results`: progress, and what `run` returns.

`edit` changes stores, `presets` has the named experiments, and `submission` the rules
and the file of a leaderboard.
"""

from typing import TYPE_CHECKING

from tsmdbench._lazy import attach

if TYPE_CHECKING:
    from tsmdbench.experiments.edit import merge_stores
    from tsmdbench.experiments.environments import Environment
    from tsmdbench.experiments.presets import (
        PRESETS,
        experiment,
        extra_methods,
        obtainable,
        preset_params,
    )
    from tsmdbench.experiments.results import Progress, RunResult, Summary, progress_for
    from tsmdbench.experiments.running import resume, run, run_specification
    from tsmdbench.experiments.settings import DataFacts, data_facts
    from tsmdbench.experiments.sources import load_problems
    from tsmdbench.experiments.specification import Limits, Specification
    from tsmdbench.experiments.store import Store
    from tsmdbench.methods import PAPER_METHODS

__all__ = [
    "PAPER_METHODS",
    "PRESETS",
    "DataFacts",
    "Environment",
    "Limits",
    "Progress",
    "RunResult",
    "Specification",
    "Store",
    "Summary",
    "data_facts",
    "experiment",
    "extra_methods",
    "load_problems",
    "merge_stores",
    "obtainable",
    "preset_params",
    "progress_for",
    "resume",
    "run",
    "run_specification",
]

__getattr__, __dir__ = attach(__name__)
