"""Results by properties of datasets: what the hard ones have in common.

`dataset_properties` measures properties on the truth of a store, so that no data is
needed; `property_correlations` ranks datasets by a property and by the mean score of a
method, and compares the two orders with Spearman's rank correlation. A negative
correlation says that a method is worse where there is more of the property.

Datasets differ in many properties at once, and there are few of them, so a correlation
is a hint. Where one property at a time should be varied, use the difficulty dials
(`tsmdbench.analysis.dial_curves`).

Conventions
-----------
``channels``
    Number of channels.
``series_length``
    Mean length of a series in samples.
``motif_length``
    Mean length of a true motif in samples.
``length_variation``
    Standard deviation of the lengths within a true set over their mean, averaged over
    the sets.
``sets``
    Mean number of true sets per problem.
``motifs_per_set``
    Mean number of motifs per true set.
``imbalance``
    Size of the largest true set over the mean size, minus 1, averaged over problems.
``covered``
    Mean share of the samples that true motifs cover.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from tsmdbench.analysis.scores import Scores
from tsmdbench.analysis.truths import truths
from tsmdbench.arrays import Floats
from tsmdbench.benchmark import SPLITS
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.truth import Truth
from tsmdbench.io import PathLike
from tsmdbench.validation import check_choice

if TYPE_CHECKING:
    import pandas as pd

PROPERTIES = (
    "channels",
    "series_length",
    "motif_length",
    "length_variation",
    "sets",
    "motifs_per_set",
    "imbalance",
    "covered",
)
FEWEST_DATASETS = 4  # a rank correlation of three is -1, -0.5, 0.5 or 1 by chance


def dataset_properties(
    store: PathLike, datasets: Iterable[str] | None = None, *, split: str = "test"
) -> pd.DataFrame:
    """Measure properties of the datasets of a store.

    Parameters
    ----------
    store : Store or path
    datasets : iterable of str, optional
        Which of them; all by default.
    split : {"test", "validation"}

    Returns
    -------
    pandas.DataFrame
        A row per dataset, a column per property; see the module for each.
    """
    import pandas as pd

    opened = Store(store)
    check_choice(split, "split", SPLITS)
    names = sorted(_stored(opened, split) if datasets is None else datasets)
    found: dict[str, list[Truth]] = {name: [] for name in names}
    for (dataset, _), truth in truths(opened, names, split).items():
        if dataset in found:
            found[dataset].append(truth)
    rows = {name: _properties(list_) for name, list_ in found.items() if list_}
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(PROPERTIES))


def property_correlations(
    scores: Scores, properties: pd.DataFrame, metric: str = "prom_f1"
) -> pd.DataFrame:
    """Return the rank correlation of score and property for each method.

    Parameters
    ----------
    scores : Scores
    properties : pandas.DataFrame
        From `dataset_properties`, or any numbers by dataset.
    metric : str, default "prom_f1"

    Returns
    -------
    pandas.DataFrame
        A row per property and method: ``property``, ``label``, ``rho`` (Spearman's,
        ties at their mean rank), ``p`` (two-sided, not corrected for the number of
        tests) and ``datasets``. NaN with fewer than four datasets, or where all
        datasets, or scores, are equal.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("emma", name, 1, score) for name, score in zip("ABCD", (4, 3, 2, 1))]
    >>> columns = ["label", "dataset", "problem", "prom_f1"]
    >>> channels = pd.DataFrame({"channels": [1, 2, 3, 9]}, index=list("ABCD"))
    >>> found = property_correlations(
    ...     Scores(pd.DataFrame(rows, columns=columns)), channels
    ... )
    >>> found[["property", "label", "rho", "datasets"]].values.tolist()
    [['channels', 'emma', -1.0, 4]]
    """
    import pandas as pd

    means = scores.means(metric)
    rows = []
    for name in properties.columns:
        for label in scores.labels:
            both = pd.DataFrame({"x": properties[name], "y": means[label]}).dropna()
            x, y = both["x"].to_numpy(np.float64), both["y"].to_numpy(np.float64)
            rows.append((name, label, *_spearman(x, y), len(both)))
    return pd.DataFrame(rows, columns=["property", "label", "rho", "p", "datasets"])


def _stored(store: Store, split: str) -> set[str]:
    """Return the datasets that have runs in a split."""
    return {dataset for dataset, part, *_ in store.counts() if part == split}


def _properties(problems: list[Truth]) -> tuple[float, ...]:
    """Return the properties of one dataset, in the order of `PROPERTIES`."""
    sets = [
        np.array([end - start for start, end in motifs], dtype=np.float64)
        for problem in problems
        for motifs in problem.sets
    ]
    lengths = np.concatenate(sets)
    sizes = [np.array([len(s) for s in problem.sets]) for problem in problems]
    covered = [
        sum(end - start for motifs in p.sets for start, end in motifs) / p.n
        for p in problems
    ]
    return (
        float(np.mean([problem.channels for problem in problems])),
        float(np.mean([problem.n for problem in problems])),
        float(lengths.mean()),
        float(np.mean([one.std() / one.mean() for one in sets])),
        float(np.mean([len(one) for one in sizes])),
        float(np.mean(np.concatenate(sizes))),
        float(np.mean([one.max() / one.mean() - 1.0 for one in sizes])),
        float(np.mean(covered)),
    )


def _spearman(x: Floats, y: Floats) -> tuple[float, float]:
    from scipy.stats import spearmanr

    if len(x) < FEWEST_DATASETS or len(set(x)) < 2 or len(set(y)) < 2:
        return float("nan"), float("nan")
    found = spearmanr(x, y)
    return float(found.statistic), float(found.pvalue)
