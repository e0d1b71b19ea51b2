"""Measure how well a method finds motif sets in time series.

>>> from tsmdbench.metrics import prom
>>> truth = {"a": [(0, 50), (100, 150)], "b": [(200, 240), (300, 340)]}
>>> found = [[(2, 52), (101, 149)], [(200, 240), (400, 440)]]
>>> prom(truth, found).f1
0.75
"""

from importlib.metadata import version

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.types import MotifSet, Problem

__version__ = version("tsmdbench")

__all__ = ["InputError", "InputTypeError", "MotifSet", "Problem", "__version__"]
