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

The walk of one run, file by file: `session` takes methods that are objects instead of
names, and `running` ties everything together. `tasks` makes tasks of the
`specification`; it asks `sources` for problems, `method_info` and `code_hash` for the
method and its version, `settings` and `grids` for its settings. `execution.driver`
hands batches of tasks to `execution.engine` (this machine) or `execution.cluster`
(Dask). There, `execution.supervisor` watches over the process that computes,
`execution.child`, and ends it when it breaks a limit. The outcomes travel back to the
driver, the only writer of the store (`store.store`, `store.parts`, `store.rows`).
`tune` picks the winners of a search from the store.
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
    from tsmdbench.experiments.store.edit import merge_stores

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
        "merge_stores": "store.edit",
        "obtainable": "presets",
        "preset_params": "method_fields",
        "progress_for": "progress",
        "resume": "running",
        "run": "running",
        "run_specification": "running",
    },
)
