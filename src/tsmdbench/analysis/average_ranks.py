"""Average ranks of methods over datasets.

On each dataset the methods are ranked by their mean score over its problems, best
first; a method's average rank is the mean over datasets. Datasets have the same weight,
however many problems they have and however far apart the scores lie.

Conventions
-----------
* Rank 1 is best; for a cost that is the lowest value. Equal means share the mean of
  their ranks. Means that agree to `DECIMALS` decimals are equal, so that rounding in
  the last bit never decides a rank.
* Only datasets that all compared methods have a score on are used; ``left_out`` names
  the others and who is missing. A rank among fewer methods would not be comparable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tsmdbench.analysis.scores import Scores
from tsmdbench.html_text import html_block, html_frame, html_lines

if TYPE_CHECKING:
    import pandas as pd

DECIMALS = 9  # far below any difference between scores, far above rounding


@dataclass(frozen=True, eq=False)
class Ranks:
    """Ranks of methods on datasets.

    Parameters
    ----------
    table : pandas.DataFrame
        Rank of each label (column) on each dataset that was used (row).
    average : pandas.Series
        Average rank of each label; NaN if no dataset could be used.
    datasets_used : tuple of str
        Those that all methods have.
    left_out : mapping of str to str
        Datasets that were not used, and why.
    """

    table: pd.DataFrame
    average: pd.Series
    datasets_used: tuple[str, ...]
    left_out: Mapping[str, str]

    def _repr_html_(self) -> str:
        """Show average ranks and the ranks per dataset in a notebook."""
        average = self.average.rename("average rank").sort_values()
        said = [f"left out: {name} ({why})" for name, why in self.left_out.items()]
        return html_block(
            html_frame(average, 2), html_frame(self.table, 1), html_lines(said)
        )


def ranks(scores: Scores, metric: str = "prom_f1") -> Ranks:
    """Rank the methods on each dataset, and on average.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare.
    metric : str, default "prom_f1"
        What they are ranked by.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("a", "A", 1, 0.9), ("b", "A", 1, 0.1), ("b", "B", 1, 0.5)]
    >>> names = ["label", "dataset", "problem", "prom_f1"]
    >>> found = ranks(Scores(pd.DataFrame(rows, columns=names)))
    >>> found.average.to_dict(), found.left_out
    ({'a': 1.0, 'b': 2.0}, {'B': 'no result of a'})
    """
    import pandas as pd

    means, left_out = comparable_means(scores, metric)
    table = pd.DataFrame(
        rank_rows(means.to_numpy(), higher=scores.higher_is_better(metric)),
        index=means.index,
        columns=means.columns,
    )
    return Ranks(table, table.mean(axis=0), tuple(means.index), left_out)


def comparable_means(
    scores: Scores, metric: str
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the means on datasets that all methods have, and why others are left out.

    The means are rounded to `DECIMALS`.
    """
    means = scores.means(metric).round(DECIMALS)
    missing = means.isna()
    left_out = {
        dataset: f"no result of {', '.join(means.columns[line])}"
        for dataset, line in zip(means.index, missing.to_numpy(), strict=True)
        if line.any()
    }
    return means[~missing.any(axis=1)], left_out


def rank_rows(values: NDArray[np.float64], *, higher: bool) -> NDArray[np.float64]:
    """Rank each row, the highest or the lowest first, ties by their mean."""
    from scipy.stats import rankdata

    if not values.size:
        return np.zeros(values.shape)
    signed = -values if higher else values
    ranked: NDArray[np.float64] = rankdata(signed, axis=1)
    return ranked
