"""Metrics: how well found motif sets agree with the true ones.

Always ``(truth, found)``, in this order and by these names.
"""

from tsmdbench.metrics.curve import PromCurve, prom_curve
from tsmdbench.metrics.prom import prom
from tsmdbench.metrics.prom_result import Averages, Prom

__all__ = ["Averages", "Prom", "PromCurve", "prom", "prom_curve"]
