"""Experiments: many runs, on one machine or on a cluster, that can be resumed.

``run(["locomotif"], ["JapaneseVowels"], "store")`` runs methods on problems and returns
a `RunResult`, ``resume("store")`` runs what is missing, and ``Store("store").table()``
has a row per run.

Seven nouns, in the order in which a run passes them:

`Specification` (`specification`)
    The request: datasets, methods, settings, limits.
`Plan` (`plan`)
    All runs that it stands for, with their data loaded, as groups.
`Group` (`group`)
    One method with its settings on the problems of one split of a dataset. It knows
    which of its runs are missing in a store.
`Job` (`execution.job`)
    Settings of one method that are found together on one series: one call of `sweep`
    or `find`.
`JobBatch` (`execution.job`)
    Jobs of a group that travel to a worker together.
`Run` (`store.rows`)
    What identifies a single setting on a single problem; its key is a hash.
`Outcome` (`store.rows`)
    What a run came to. Run and outcome together are a row of the store.

Read the files in this order. `running` ties everything together. `session` takes
methods that are objects instead of names. `plan` asks
`sources` for problems, `settings` for what follows from validation data, and `grids`
for what a search tries. `execution.driver` takes the missing runs of the groups,
`execution.batching` makes jobs and batches of them, `execution.engine` hands these to
Dask, `execution.worker` receives them, `execution.supervisor` watches over the process
that computes, `execution.child`, and ends it when it breaks a limit. The outcomes
travel back to the driver, the only writer of the store (`store.store`, `store.parts`,
`store.lock`). `tune` picks the winners of a search from the store.
"""

from typing import TYPE_CHECKING

from tsmdbench._lazy import attach

if TYPE_CHECKING:
    from tsmdbench.experiments.environments.environment import Environment
    from tsmdbench.experiments.limits import Limits
    from tsmdbench.experiments.method_fields import PRESETS, preset_params
    from tsmdbench.experiments.presets import (
        PAPER_METHODS,
        experiment,
        extra_methods,
        obtainable,
    )
    from tsmdbench.experiments.progress import Progress, Summary, progress_for
    from tsmdbench.experiments.results import RunResult
    from tsmdbench.experiments.running import resume, run, run_specification
    from tsmdbench.experiments.settings import DataFacts, data_facts
    from tsmdbench.experiments.sources import load_problems
    from tsmdbench.experiments.specification import Specification
    from tsmdbench.experiments.store import Store

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
    "obtainable",
    "preset_params",
    "progress_for",
    "resume",
    "run",
    "run_specification",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "PAPER_METHODS": "presets",
        "PRESETS": "method_fields",
        "DataFacts": "settings",
        "Environment": "environments.environment",
        "Limits": "limits",
        "Progress": "progress",
        "RunResult": "results",
        "Specification": "specification",
        "Store": "store",
        "Summary": "progress",
        "data_facts": "settings",
        "experiment": "presets",
        "extra_methods": "presets",
        "load_problems": "sources",
        "obtainable": "presets",
        "preset_params": "method_fields",
        "progress_for": "progress",
        "resume": "running",
        "run": "running",
        "run_specification": "running",
    },
)
