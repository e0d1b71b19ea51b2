"""The published baselines: results that a new method is ranked among.

They are a store that comes with the package: what the methods of the paper found on the
test split of TSMD-Bench, with the settings that a grid search on the validation split
chose, the surfaces of these searches, and a manifest that says how it was made. Scores
are computed from what was found, on loading, so they follow every change of a metric.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from tsmdbench.experiments.store import Store

FOLDER = "baselines"


def load_baselines() -> Store:
    """Return the store that comes with the package.

    Examples
    --------
    >>> store = load_baselines()
    >>> sorted({row[2] for row in store.counts()})[:3]
    ['emma', 'gv_repair', 'gv_sequitur']
    """
    return Store(Path(str(files("tsmdbench") / "data" / FOLDER)))
