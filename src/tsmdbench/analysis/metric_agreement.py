r"""Do the metrics rank results alike? Kendall's tau between their rankings.

Every result of every method is ranked from best to worst by each of the six metrics
of the paper's section 6.1: F, P, R (PROM), C_m, C_g (correctness) and S (score). Two
metrics agree to the extent that they order pairs of results alike.

`disagreements` lists the results about which two metrics differ most: each metric ranks
the results of a dataset, those of all methods together, from best (rank 1) to worst.

Conventions
-----------
* **tau-b**, which corrects for ties:

  .. math:: \tau_b = \frac{n_c - n_d}{\sqrt{(n_0 - n_x)(n_0 - n_y)}}

  with :math:`n_c, n_d` the pairs that both metrics order, alike and differently,
  :math:`n_0` all pairs and :math:`n_x, n_y` the pairs that one metric does not order.
  Ties are frequent (many results have F = 0); without the correction, tau-a, a metric
  would not even agree with itself.
* S is a cost: its ranking is reversed, so that 1 means agreement for it too.
* PROM and S do not penalise off-target sets, as in the paper.
* ``overall`` takes the results of all datasets together. S depends on the lengths of
  the motifs, so for S only ``by_dataset``, the mean over datasets, means something.
* Where a metric gives all results of a dataset one value it ranks nothing, and tau is
  not defined (NaN). The mean leaves such a dataset out; ``counts`` says how many are
  in it.
* Results for which one of the six metrics is NaN are left out.
* In `disagreements`, equal values share the mean of their ranks. The order is by the
  difference as a share of the results of the dataset; then by dataset, method and
  problem.

References
----------
M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33(3), 1945,
doi:10.1093/biomet/33.3.239.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import pandas as pd

from tsmdbench.analysis.scores import Scores
from tsmdbench.errors import DataError
from tsmdbench.html_text import html_block, html_frame, html_lines
from tsmdbench.validation import check_choice, check_integer

# What the paper calls the metrics that it compares.
COMPARED = {
    "F": "prom_f1",
    "P": "prom_precision",
    "R": "prom_recall",
    "C_m": "correctness_m",
    "C_g": "correctness_g",
    "S": "score",
}


@dataclass(frozen=True, eq=False)
class Agreement:
    """Kendall's tau-b between the rankings by the metrics.

    Parameters
    ----------
    overall : pandas.DataFrame
        Metric by metric, over all results together.
    by_dataset : pandas.DataFrame
        Mean over datasets of what is computed for each.
    per_dataset : mapping of str to pandas.DataFrame
        What is computed for each.
    counts : pandas.DataFrame
        Number of datasets behind each mean.
    results : int
        Number of results that were ranked.
    """

    overall: pd.DataFrame
    by_dataset: pd.DataFrame
    per_dataset: Mapping[str, pd.DataFrame]
    counts: pd.DataFrame
    results: int

    def _repr_html_(self) -> str:
        """Show both tables in a notebook."""
        return html_block(
            html_lines([f"Kendall's tau-b, {self.results} results"]),
            html_frame(self.overall, 2),
            html_lines(["mean over datasets"]),
            html_frame(self.by_dataset, 2),
        )

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics, as in the paper."""
        return tuple(self.overall.columns)


def agreement(scores: Scores) -> Agreement:
    """Compare the rankings of all results by the six metrics of the paper.

    Raises
    ------
    InputError
        One of the metrics was not computed.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": "m", "dataset": "A", "problem": range(3)})
    >>> for name in COMPARED.values():
    ...     table[name] = [0.0, 0.5, 1.0]
    >>> float(agreement(Scores(table)).overall.loc["F", "S"])  # S is a cost
    -1.0
    """
    for metric in COMPARED.values():
        scores.check_metric(metric)
    table = scores.table.dropna(subset=list(COMPARED.values()))
    if not len(table):
        raise DataError("every result has a metric that is NaN; nothing can be ranked")
    signs = [1 if scores.higher_is_better(m) else -1 for m in COMPARED.values()]
    taus = {
        name: _taus(table[table["dataset"] == name], signs)
        for name in scores.datasets
        if name in set(table["dataset"])
    }
    by_metric = pd.concat(taus).groupby(level=1, sort=False)
    return Agreement(
        overall=_taus(table, signs),
        by_dataset=by_metric.mean(),
        per_dataset=taus,
        counts=by_metric.count(),
        results=len(table),
    )


def _taus(table: pd.DataFrame, signs: Sequence[int]) -> pd.DataFrame:
    """Return tau-b between all metrics, NaN where one of them ranks nothing."""
    names = list(COMPARED)
    goodness = table[list(COMPARED.values())].set_axis(names, axis=1) * signs
    varied = goodness.loc[:, goodness.nunique() > 1]
    # Reversed: tau(x, y) and tau(y, x) differ in the last bit, and tables show it.
    taus = varied.iloc[:, ::-1].corr(method="kendall")
    return taus.reindex(index=names, columns=names)


class Disagreement(NamedTuple):
    """A result that two metrics rank differently.

    ``first`` and ``second`` are the values, ``difference`` is ``rank_second -
    rank_first``: positive if the first metric ranks the result higher.
    """

    dataset: str
    problem: str
    label: str
    first: float
    second: float
    rank_first: float
    rank_second: float
    difference: float


def disagreements(
    scores: Scores,
    first: str,
    second: str,
    *,
    count: int = 10,
    one_per: Literal["dataset", "label"] | None = None,
) -> list[Disagreement]:
    """Return the results whose ranks by two metrics lie farthest apart.

    Parameters
    ----------
    scores : Scores
        Of at least these two metrics.
    first, second : str
        Names of metrics, or what the paper calls them: F, P, R, C_m, C_g, S.
    count : int, default 10
        How many results at most.
    one_per : {"dataset", "label"}, optional
        At most one result of each dataset, or of each method, for variety.

    Returns
    -------
    list of Disagreement
        Largest difference first; results that both rank alike are not in it.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": "m", "dataset": "A", "problem": ["x", "y", "z"]})
    >>> table["prom_f1"], table["prom_recall"] = [0.1, 0.2, 0.3], [0.1, 0.2, 0.0]
    >>> worst, *others = disagreements(Scores(table), "F", "R")
    >>> worst.problem, worst.rank_first, worst.rank_second
    ('z', 1.0, 3.0)
    """
    check_integer(count, "count", minimum=1)
    if one_per is not None:
        check_choice(one_per, "one_per", ("dataset", "label"))
    names = [scores.check_metric(COMPARED.get(name, name)) for name in (first, second)]
    table = scores.table.dropna(subset=names)
    grouped = table.groupby("dataset")
    ranks = [  # of the results of each dataset, best first, ties by their mean
        grouped[name].rank(ascending=not scores.higher_is_better(name))
        for name in names
    ]
    difference = ranks[1] - ranks[0]
    results = grouped["label"].transform("size")
    rows = table[["dataset", "problem", "label"]].assign(
        first=table[names[0]],
        second=table[names[1]],
        rank_first=ranks[0],
        rank_second=ranks[1],
        difference=difference,
    )
    size = (difference.abs() / results).sort_values(ascending=False, kind="stable")
    rows = rows.loc[size.index[size > 0]]
    if one_per is not None:
        rows = rows.drop_duplicates(one_per)
    return [Disagreement(*row) for row in rows.head(count).itertuples(index=False)]
