"""Measure how well a method finds motif sets in time series.

>>> from tsmdbench import evaluate
>>> truth = {"a": [(0, 50), (100, 150)], "b": [(200, 240), (300, 340)]}
>>> found = [[(2, 52), (101, 149)], [(200, 240), (400, 440)]]
>>> evaluate(truth, found, ["prom_precision", "prom_recall", "prom_f1"])
{'prom_precision': 0.75, 'prom_recall': 0.75, 'prom_f1': 0.75}

The public names are those in ``__all__`` of this package and of `tsmdbench.metrics`,
`tsmdbench.methods`, `tsmdbench.archive`, `tsmdbench.benchmark`,
`tsmdbench.experiments`, `tsmdbench.analysis`, `tsmdbench.report`, `tsmdbench.paper`,
`tsmdbench.io`, `tsmdbench.errors` and `tsmdbench.example`. Everything else may change
in any version.
"""

from typing import TYPE_CHECKING, Any

from tsmdbench._lazy import attach
from tsmdbench.errors import InputError, InputTypeError

if TYPE_CHECKING:
    from tsmdbench.analysis import leaderboard
    from tsmdbench.benchmark import build_benchmark, load_benchmark
    from tsmdbench.discovery import discover
    from tsmdbench.experiments import run
    from tsmdbench.methods import METHODS
    from tsmdbench.metrics import METRICS, evaluate, evaluate_many, explain, prom
    from tsmdbench.types import MotifSet, Problem

    __version__: str

__all__ = [
    "METHODS",
    "METRICS",
    "InputError",
    "InputTypeError",
    "MotifSet",
    "Problem",
    "__version__",
    "build_benchmark",
    "discover",
    "evaluate",
    "evaluate_many",
    "explain",
    "leaderboard",
    "load_benchmark",
    "prom",
    "run",
]

# The command line must be able to report what goes wrong, or that it is interrupted,
# while these are imported.
_public, __dir__ = attach(__name__)


def __getattr__(name: str) -> Any:
    """Import a public name, or read the version, on first use."""
    if name == "__version__":
        from importlib.metadata import version

        return version("tsmdbench")
    return _public(name)
