"""The published baselines: results that a new method is ranked among.

Three stores come with the package: what methods found on the test split, with the
settings that a grid search on the validation split chose, the surfaces of these
searches, and a manifest that says how it was made.

``paper``
    TSMD-Bench, with methods as their public code is.
``best``
    TSMD-Bench, with methods as we recommend them (`method_fields`).
``recordings``
    The recordings suite, with methods as we recommend them, by both protocols: tuned
    on validation records, and with parameters from the truth.

Scores are computed from what was found, on loading, so they follow every change of a
metric.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Literal

from tsmdbench.experiments.method_fields import PRESETS
from tsmdbench.experiments.store import Store
from tsmdbench.validation import check_choice

FOLDER = "baselines"
RECORDINGS = "recordings"
STORES = (*PRESETS, RECORDINGS)


def load_baselines(
    which: Literal["paper", "best", "recordings"] | str = "best",
) -> Store:
    """Return a store that comes with the package.

    Parameters
    ----------
    which : {"paper", "best", "recordings"}
        TSMD-Bench with one of the presets, or the recordings suite.

    Examples
    --------
    >>> store = load_baselines()
    >>> sorted({row[2] for row in store.counts()})[:3]
    ['apepa', 'emma', 'gv_repair']
    """
    check_choice(which, "which", STORES)
    return Store(Path(str(files("tsmdbench") / "data" / FOLDER / which)))


def is_baselines(name: str) -> bool:
    """Tell whether a name stands for baselines: "baselines", "baselines/paper", etc.

    >>> is_baselines("baselines"), is_baselines("baselines/paper"), is_baselines("mine")
    (True, True, False)
    """
    return name in (FOLDER, *(f"{FOLDER}/{which}" for which in STORES))


def named_baselines(name: str) -> Store:
    """Return the baselines of such a name; ``"baselines"`` is ``"baselines/best"``."""
    return load_baselines(name.partition("/")[2] or "best")
