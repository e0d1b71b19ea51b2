"""Measure how well a method finds motif sets in time series.

>>> from tsmdbench import evaluate
>>> truth = {"a": [(0, 50), (100, 150)], "b": [(200, 240), (300, 340)]}
>>> found = [[(2, 52), (101, 149)], [(200, 240), (400, 440)]]
>>> evaluate(truth, found, ["prom_precision", "prom_recall", "prom_f1"])
{'prom_precision': 0.75, 'prom_recall': 0.75, 'prom_f1': 0.75}
"""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.methods import METHODS
from tsmdbench.metrics import METRICS, evaluate, evaluate_many, explain, prom
from tsmdbench.types import MotifSet, Problem

if TYPE_CHECKING:
    from tsmdbench.benchmark import build_benchmark, load_benchmark

__version__ = version("tsmdbench")

_FROM_BENCHMARK = ("build_benchmark", "load_benchmark")

__all__ = [
    "METHODS",
    "METRICS",
    "InputError",
    "InputTypeError",
    "MotifSet",
    "Problem",
    "__version__",
    "build_benchmark",
    "evaluate",
    "evaluate_many",
    "explain",
    "load_benchmark",
    "prom",
]


def __getattr__(name: str) -> Any:
    """Import what the benchmark offers when it is asked for: it is not light."""
    if name in _FROM_BENCHMARK:
        from tsmdbench import benchmark

        return getattr(benchmark, name)
    raise AttributeError(f"module 'tsmdbench' has no attribute {name!r}")
