"""Modules that had another place in earlier documentation, for one version more.

``from tsmdbench.experiments.run import run`` keeps working, with a `DeprecationWarning`
that names the new place. The finder is asked only for modules that do not exist, so it
costs nothing otherwise.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# Old module: the names that users had from it, each with its new place. A name that is
# called differently now is given as "place:name".
MOVED: dict[str, dict[str, str]] = {
    "tsmdbench.analysis.agreement": {
        "Agreement": "tsmdbench.analysis",
        "agreement": "tsmdbench.analysis",
    },
    "tsmdbench.analysis.cost": {
        "cost": "tsmdbench.analysis",
        "pareto": "tsmdbench.analysis",
        "time_and_quality": "tsmdbench.analysis",
    },
    "tsmdbench.analysis.disagreements": {
        "Disagreement": "tsmdbench.analysis",
        "disagreements": "tsmdbench.analysis",
    },
    "tsmdbench.analysis.leaderboard": {
        "Leaderboard": "tsmdbench.analysis",
        "leaderboard": "tsmdbench.analysis",
    },
    "tsmdbench.analysis.ranks": {
        "Ranks": "tsmdbench.analysis",
        "ranks": "tsmdbench.analysis",
    },
    "tsmdbench.analysis.significance": {
        "Significance": "tsmdbench.analysis",
        "significance": "tsmdbench.analysis",
    },
    "tsmdbench.analysis.summary": {"summary": "tsmdbench.analysis"},
    "tsmdbench.experiments.failure": {
        "ExperimentError": "tsmdbench.errors",
        "StoreError": "tsmdbench.errors",
    },
    "tsmdbench.experiments.run": {
        "resume": "tsmdbench.experiments",
        "run": "tsmdbench.experiments:run_specification",
    },
    "tsmdbench.metrics.curve": {
        "PromCurve": "tsmdbench.metrics",
        "prom_curve": "tsmdbench.metrics",
    },
    "tsmdbench.metrics.diagnose": {"explain": "tsmdbench.metrics"},
    "tsmdbench.metrics.explanation": {
        "Explanation": "tsmdbench.metrics",
        "FoundMotif": "tsmdbench.metrics",
        "SetRelation": "tsmdbench.metrics",
        "TrueMotif": "tsmdbench.metrics",
    },
    "tsmdbench.report.reproduce": {
        "Reproduction": "tsmdbench.report",
        "reproduce": "tsmdbench.report",
    },
}


def install() -> None:
    """Let the import system find the modules of `MOVED`, once."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())


class _Finder(MetaPathFinder, Loader):
    """Make a stand-in for a module that has moved."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 (the import system gives it)
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, self) if fullname in MOVED else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name, f"Moved, see {__name__}.")

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: a stand-in has no code."""


class _StandIn(ModuleType):
    """Has the names of a module that has moved, and warns when one is looked up."""

    def __getattr__(self, name: str) -> Any:
        if name not in MOVED[self.__name__]:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        place, _, now = MOVED[self.__name__][name].partition(":")
        warnings.warn(
            f"{self.__name__}.{name} is deprecated and will be removed in the next "
            f"version; use 'from {place} import {now or name}'",
            DeprecationWarning,
            stacklevel=2,
        )
        self._step_aside()
        return getattr(import_module(place), now or name)

    def _step_aside(self) -> None:
        """Give the package its public name back if the import system took it.

        After ``import tsmdbench.experiments.run`` the package's ``run`` is this module
        instead of the function.
        """
        package, _, name = self.__name__.rpartition(".")
        names = vars(sys.modules[package])
        if names.get(name) is self:
            del names[name]
