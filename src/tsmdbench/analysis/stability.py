"""Does the ranking hang on one dataset? Ranks when each is left out in turn.

Conventions
-----------
* Only datasets that all methods have take part, see `tsmdbench.analysis.average_ranks`.
* A position is the rank of a method's average rank: 1 for the best average. A move is
  the position without the dataset less the position with all: positive means that the
  method falls when the dataset is gone.
* tau compares the two orders of methods (Kendall's tau-b; 1: the same). NaN where one
  of them is no order, all methods being tied.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tsmdbench.analysis.average_ranks import ranks
from tsmdbench.analysis.scores import Scores
from tsmdbench.html_text import html_block, html_frame, html_lines

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Stability:
    """Average ranks without each dataset.

    Parameters
    ----------
    ranks : pandas.DataFrame
        Average rank of each label (column) without a dataset (row).
    tau : pandas.Series
        For each dataset, Kendall's tau-b between the orders with and without it.
    moves : pandas.DataFrame
        By how many positions a label moves when a dataset is left out.
    average : pandas.Series
        Average rank of each label with all datasets.
    left_out : mapping of str to str
        Datasets that take no part, and why.
    note : str
        Why there is no row, or empty.
    """

    ranks: pd.DataFrame
    tau: pd.Series
    moves: pd.DataFrame
    average: pd.Series
    left_out: Mapping[str, str]
    note: str

    def _repr_html_(self) -> str:
        """Show average ranks without each dataset in a notebook."""
        return html_block(
            html_frame(self.ranks, 2), html_lines(filter(None, [self.note]))
        )


def leave_one_out(scores: Scores, metric: str = "prom_f1") -> Stability:
    """Rank the methods without each dataset in turn.

    With fewer than two datasets that all methods have nothing is left to rank by: the
    tables are empty and `Stability.note` says so.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("a", "A", 0, 0.9), ("a", "B", 0, 0.1), ("a", "C", 0, 0.2)]
    >>> rows += [("b", name, 0, 0.3) for name in "ABC"]
    >>> names = ["label", "dataset", "problem", "prom_f1"]
    >>> found = leave_one_out(Scores(pd.DataFrame(rows, columns=names)))
    >>> found.ranks.loc["A"].tolist(), found.ranks.loc["B"].tolist()
    ([2.0, 1.0], [1.5, 1.5])
    """
    import pandas as pd

    whole = ranks(scores, metric)
    table = whole.table
    count = len(table)
    if count < 2:
        empty = table.iloc[:0]
        note = (
            "Fewer than two datasets have results of all methods; none can be left out."
        )
        none = pd.Series(index=empty.index, dtype=np.float64)
        return Stability(empty, none, empty, whole.average, whole.left_out, note)
    without = (table.sum(axis=0) - table) / (count - 1)
    moves = without.round(9).rank(axis=1) - whole.average.round(9).rank()
    taus = {
        name: _tau(whole.average.to_numpy(), line.to_numpy())
        for name, line in without.iterrows()
    }
    tau = pd.Series(taus, dtype=np.float64)
    return Stability(without, tau, moves, whole.average, whole.left_out, "")


def _tau(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    from scipy.stats import kendalltau

    rounded = first.round(9), second.round(9)  # sums of halves, divided: no last bit
    if any(np.ptp(values) == 0 for values in rounded):
        return float("nan")
    return float(kendalltau(*rounded).statistic)
