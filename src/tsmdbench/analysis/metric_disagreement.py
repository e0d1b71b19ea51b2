"""The results about which two metrics disagree most.

Each metric ranks the results of a dataset, those of all methods together, from best
(rank 1) to worst, as in the paper's examples. A result on which the ranks lie far
apart shows what one metric sees and the other does not; drawn, it explains a tau.

Conventions
-----------
* Equal values share the mean of their ranks: the many results with F = 0 are in the
  middle of the places that they take up. With their best or worst place, a metric with
  ties would seem kinder, or harsher, than one without.
* The order is by the difference as a share of the results of the dataset, so that a
  dataset with fewer runs is not passed over; then by dataset, method and problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tsmdbench.analysis.metric_agreement import COMPARED
from tsmdbench.analysis.scores import Scores
from tsmdbench.validation import check_choice, check_integer

if TYPE_CHECKING:
    pass


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
