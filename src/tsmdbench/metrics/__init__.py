"""Metrics: how well found motif sets agree with the true ones.

Always ``(truth, found)``, in this order and by these names. `evaluate` computes any
of the metrics that `METRICS` lists, `evaluate_many` does so for thousands of results;
`explain` shows which errors were made, and `check_metric` shows which errors your own
metric detects.
"""

from tsmdbench.metrics.correctness import correctness
from tsmdbench.metrics.evaluate import evaluate, evaluate_many
from tsmdbench.metrics.explain import (
    Explanation,
    FoundMotif,
    SetRelation,
    TrueMotif,
    explain,
)
from tsmdbench.metrics.metric import METRICS, Metric
from tsmdbench.metrics.pair_overlap import pair_overlap
from tsmdbench.metrics.prom import prom, prom_curve
from tsmdbench.metrics.prom_result import Averages, Prom, PromCurve
from tsmdbench.metrics.properties import Scorecard, check_metric
from tsmdbench.metrics.ranged import ranged
from tsmdbench.metrics.score import score
from tsmdbench.metrics.single_set import single_set
from tsmdbench.metrics.subspace import subspace_prom, subspace_prom_curve

__all__ = [
    "METRICS",
    "Averages",
    "Explanation",
    "FoundMotif",
    "Metric",
    "Prom",
    "PromCurve",
    "Scorecard",
    "SetRelation",
    "TrueMotif",
    "check_metric",
    "correctness",
    "evaluate",
    "evaluate_many",
    "explain",
    "pair_overlap",
    "prom",
    "prom_curve",
    "ranged",
    "score",
    "single_set",
    "subspace_prom",
    "subspace_prom_curve",
]
