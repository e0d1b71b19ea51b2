"""A task: settings of one method that are computed together on one series.

The same object is made by the driver, travels in a batch to a worker, and is handed
by the worker to the process that computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.experiments.environments.environment import Environment
from tsmdbench.experiments.store.rows import Run


@dataclass(frozen=True, eq=False)
class Task:
    """One or more settings of a method on one series, which are found together.

    Parameters
    ----------
    method : str
        Name of the method, or ``module:Class``.
    settings : tuple of dict
        All hyperparameters of each setting.
    series : float64[n] or float64[n, d]
    runs : tuple of Run
        What each setting is stored as. Only the driver needs them: they do not travel,
        and are empty on the other side.
    code : bytes
        The method itself, by value, where it is an object of the driver's session that
        nobody else can import (`tsmdbench.experiments.session.by_value`).
    environment : Environment, optional
        Where the method is, if not here.
    """

    method: str
    settings: tuple[dict[str, Any], ...]
    series: NDArray[np.float64]
    runs: tuple[Run, ...] = ()
    code: bytes = b""
    environment: Environment | None = None

    def __reduce__(self) -> tuple[type[Task], tuple[Any, ...]]:
        travels = self.method, self.settings, self.series, (), self.code
        return Task, (*travels, self.environment)

    def halves(self) -> tuple[Task, Task]:
        """Return two tasks with half of the settings each."""
        middle = len(self.settings) // 2
        return self._part(slice(middle)), self._part(slice(middle, None))

    def _part(self, part: slice) -> Task:
        return Task(
            self.method,
            self.settings[part],
            self.series,
            self.runs[part],
            self.code,
            self.environment,
        )
