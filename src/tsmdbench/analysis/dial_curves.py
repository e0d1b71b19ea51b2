"""Results by difficulty dial: how scores fall, and where a method breaks.

A store of ``tsmdbench run dials`` has a dataset per position of a dial
(`tsmdbench.datasets.dials`). `dial_scores` puts their means in order: a curve per dial
and method that starts at the common default. `breaking_points` says where a method
*breaks*: the first position at which its mean score is at most half of what it is at
the default.

Conventions
-----------
* Datasets with one dial moved, and the default, are used. Others are ignored: two
  dials moved at once, another seed, the protocol that uses the truth.
* Positions are in the order of the dial, from easy to hard, which is that of their
  values for all dials.
* A method that scores 0 at the default has nothing to lose, and a method without a run
  there nothing to compare with: no breaking point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tsmdbench.analysis.bootstrap import intervals
from tsmdbench.analysis.scores import Scores
from tsmdbench.arrays import Floats
from tsmdbench.datasets.dials import Difficulty, dial_names
from tsmdbench.errors import DataError, InputError
from tsmdbench.experiments.sources import difficulty_of
from tsmdbench.validation import check_number

if TYPE_CHECKING:
    import pandas as pd

LOST = 0.5  # share of its score that a method has lost where it breaks
CURVES = ["dial", "position", "label", "mean", "low", "high", "problems"]
BREAKS = ["label", "dial", "default", "breaks_at", "hardest", "score_there"]


def has_dials(scores: Scores) -> bool:
    """Tell whether there are results at more than one position of a dial."""
    return bool(_moved(scores))


def dial_scores(scores: Scores, metric: str = "prom_f1") -> pd.DataFrame:
    """Return the mean score with its interval at each position of each dial.

    Parameters
    ----------
    scores : Scores
        Of a store of ``tsmdbench run dials``.
    metric : str, default "prom_f1"

    Returns
    -------
    pandas.DataFrame
        A row per dial, position and method: ``dial``, ``position``, ``label``,
        ``mean``, ``low`` and ``high`` (95% bootstrap interval over problems),
        ``problems``. The default stands in every dial.

    Raises
    ------
    DataError
        There is no dataset with a dial moved.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("emma", "dials", 1, 0.8), ("emma", "dials?noise=0.5", 1, 0.2)]
    >>> columns = ["label", "dataset", "problem", "prom_f1"]
    >>> found = dial_scores(Scores(pd.DataFrame(rows, columns=columns)))
    >>> found[["dial", "position", "mean"]].values.tolist()
    [['noise', 0.1, 0.8], ['noise', 0.5, 0.2]]
    """
    import pandas as pd

    moved = _moved(scores)
    if not moved:
        raise DataError(
            "there is no result with a difficulty dial moved; make some with "
            "'tsmdbench run dials'"
        )
    kept = [*moved, *(d for d in scores.datasets if _is_default(d))]
    found = intervals(scores.only(datasets=kept), metric)
    start = Difficulty()
    parts = []
    for dial in dial_names():
        at = {name: place for name, (one, place) in moved.items() if one == dial}
        if not at:
            continue
        at |= {d: float(getattr(start, dial)) for d in kept if _is_default(d)}
        part = found[found["dataset"].isin(list(at))]
        parts.append(part.assign(dial=dial, position=part["dataset"].map(at)))
    table = pd.concat(parts, ignore_index=True)
    order = {label: place for place, label in enumerate(scores.labels)}
    keys = table.assign(
        dial=table["dial"].map({d: k for k, d in enumerate(dial_names())}),
        label=table["label"].map(order),
    )
    rows = keys.sort_values(["dial", "label", "position"], kind="stable").index
    return table.loc[rows, CURVES].reset_index(drop=True)


def breaking_points(
    scores: Scores, metric: str = "prom_f1", *, lost: float = LOST
) -> pd.DataFrame:
    """Return for each method and dial the position at which the method breaks.

    Parameters
    ----------
    scores : Scores
        Of a store of ``tsmdbench run dials``.
    metric : str, default "prom_f1"
        A metric of which the highest is best and 0 the worst.
    lost : float, default 0.5
        Share of the score at the default that a method has lost where it breaks, in
        ``(0, 1]``.

    Returns
    -------
    pandas.DataFrame
        A row per method and dial: ``label``, ``dial``, ``default`` (mean score at the
        default), ``breaks_at`` (the first position with a mean of at most
        ``(1 - lost) * default``; NaN where there is none), ``hardest`` (the last
        position) and ``score_there``.

    Raises
    ------
    DataError
        There is no dataset with a dial moved.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("emma", "dials", 1, 0.8), ("emma", "dials?sets=3", 1, 0.5),
    ...         ("emma", "dials?sets=4", 1, 0.4), ("emma", "dials?sets=5", 1, 0.6)]
    >>> columns = ["label", "dataset", "problem", "prom_f1"]
    >>> found = breaking_points(Scores(pd.DataFrame(rows, columns=columns)))
    >>> found[["default", "breaks_at", "hardest", "score_there"]].values.tolist()
    [[0.8, 4.0, 5.0, 0.6]]
    """
    import pandas as pd

    if not 0.0 < check_number(lost, "lost") <= 1.0:
        raise InputError(f"lost must lie in (0, 1], got {lost!r}")
    curves = dial_scores(scores, metric)
    start = Difficulty()
    rows = []
    for (label, dial), curve in curves.groupby(["label", "dial"], sort=False):
        at = curve["position"].to_numpy(dtype=np.float64)
        means = curve["mean"].to_numpy(dtype=np.float64)
        first = means[at == float(getattr(start, dial))]
        default = float(first[0]) if len(first) else float("nan")
        broken = first_broken(means, default, lost)
        where = float("nan") if broken is None else float(at[broken])
        rows.append((label, dial, default, where, float(at[-1]), float(means[-1])))
    table = pd.DataFrame(rows, columns=BREAKS)
    order = {label: place for place, label in enumerate(scores.labels)}
    sorted_rows = table["label"].map(order).sort_values(kind="stable").index
    return table.loc[sorted_rows].reset_index(drop=True)


def first_broken(means: Floats, default: float, lost: float = LOST) -> int | None:
    """Return the index of the first mean at which a method breaks; None without one.

    >>> first_broken(np.array([0.8, 0.5, 0.4, 0.6]), 0.8)
    2
    """
    broken = np.flatnonzero(means <= (1.0 - lost) * default)
    return int(broken[0]) if default > 0.0 and len(broken) else None


def _is_default(dataset: str) -> bool:
    found = difficulty_of(dataset)
    return found is not None and not found.moved


def _moved(scores: Scores) -> dict[str, tuple[str, float]]:
    """Return dial and position of the datasets with one dial moved."""
    moved = {}
    for dataset in scores.datasets:
        found = difficulty_of(dataset)
        if found is not None and len(found.moved) == 1:
            ((dial, position),) = found.moved.items()
            moved[dataset] = dial, float(position)
    return moved
