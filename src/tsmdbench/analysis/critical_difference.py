r"""Which methods differ significantly: the tests behind a critical difference diagram.

The methods are compared on their mean scores per dataset. Friedman's test says whether
they differ at all; if so, Wilcoxon's signed-rank test says it of each pair, with Holm's
correction for the number of pairs, as Benavoli et al. (2016) suggest, whom the paper
follows, at level 0.05. Tests on mean ranks (Nemenyi) are not used: by them the verdict
on two methods depends on which others are compared.

Conventions
-----------
* Friedman's test is scipy's. Wilcoxon's is two-sided and exact up to 50 datasets, ties
  or not, see `tsmdbench.analysis.signed_rank`. Differences of 0 are left out, as
  Wilcoxon did; without any other, p = 1.
* Holm: the :math:`i`-th smallest of :math:`m` p-values is compared with
  :math:`\alpha / (m - i + 1)`; the first that exceeds it, and all after it, are not
  significant.
* A **clique** is a largest group of methods of which no two differ: a bar of the
  diagram, and a letter of `Significance.letters`. Two methods share a bar if and only
  if they do not differ. They need not be neighbours in the order of average ranks.
* Only datasets that all methods have are used. Nothing here raises for ties, equal
  columns, one dataset or two methods: `Significance.note` says why a test is missing.

Departures
----------
aeon's diagram differs in three points, which ``procedure="aeon"`` follows, with the
tests that aeon calls, in order to compare with diagrams drawn by it. It tests one side
only, the one that the average ranks suggest. It compares every p-value with
:math:`\alpha / (k - 1)` for :math:`k` methods, where Holm's first comparison is with
:math:`2 \alpha / (k (k - 1))`. And a run is only compared with its best method, so that
a bar can join two that differ. It therefore finds more differences, and more that are
none: of eleven methods on 14 datasets, one far better and ten alike, it found a
difference among the ten in 24 % of 300 simulations, Holm's procedure in 1 %, at a level
of 5 %.

References
----------
A. Benavoli, G. Corani, F. Mangili, "Should we really use post-hoc tests based on
mean-ranks?", JMLR 17(5), 2016.
S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal
of Statistics 6(2), 1979.
C. Bron, J. Kerbosch, "Algorithm 457: finding all cliques of an undirected graph",
Communications of the ACM 16(9), 1973.
J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7(1),
2006.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from tsmdbench.analysis.average_ranks import DECIMALS, comparable_means, rank_rows
from tsmdbench.analysis.scores import Scores
from tsmdbench.analysis.signed_rank import signed_rank
from tsmdbench.arrays import Floats
from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_frame, html_lines
from tsmdbench.validation import check_choice, check_number

if TYPE_CHECKING:
    import pandas as pd

Truths = NDArray[np.bool_]
FEWEST_FOR_FRIEDMAN = 3  # methods


@dataclass(frozen=True, eq=False)
class Significance:
    """What the tests say, methods in the order of their average rank.

    Parameters
    ----------
    labels : tuple of str
        Best first.
    average_ranks : pandas.Series
        Of each label; NaN without a common dataset.
    p_values : pandas.DataFrame
        Of Wilcoxon's test for each pair, not corrected; 1 on the diagonal, NaN where
        there is no test.
    adjusted : pandas.DataFrame
        The same, corrected: at most `alpha` where the difference is significant, if
        Friedman's test finds any.
    rejected : pandas.DataFrame
        Whether the two methods differ significantly.
    cliques : list of tuples of str
        Groups of two or more methods that do not differ: the bars of the diagram.
    friedman_p : float
        Of Friedman's test; NaN with fewer than three methods or without a difference.
    alpha : float
        Level of the tests.
    datasets_used : tuple of str
        Those that all methods have.
    left_out : mapping of str to str
        Datasets that were not used, and why.
    note : str
        What a reader must know, in sentences; empty if there is nothing.
    """

    labels: tuple[str, ...]
    average_ranks: pd.Series
    p_values: pd.DataFrame
    adjusted: pd.DataFrame
    rejected: pd.DataFrame
    cliques: list[tuple[str, ...]]
    friedman_p: float
    alpha: float
    datasets_used: tuple[str, ...]
    left_out: Mapping[str, str]
    note: str

    @property
    def testable(self) -> bool:
        """Whether a difference could be significant with so few datasets, by Holm."""
        shape = len(self.datasets_used), len(self.labels)
        return min(shape[0], shape[1] - 1) > 0 and not _about_power(
            shape, self.alpha, "holm"
        )

    @property
    def letters(self) -> dict[str, str]:
        """Letters of each method: two share one if and only if they do not differ.

        A letter stands for a clique; a method that differs from all others has one of
        its own. Empty without a test.
        """
        if not self.datasets_used or len(self.labels) < 2:
            return {}
        return letters_of(self.labels, self.cliques)

    def _repr_html_(self) -> str:
        """Show average ranks and corrected p-values in a notebook."""
        average = self.average_ranks.rename("average rank")
        said = [f"p-values with correction, level {self.alpha:g}", self.note]
        return html_block(
            html_frame(average, 2),
            html_lines(filter(None, said)),
            html_frame(self.adjusted),
        )


def significance(
    scores: Scores,
    metric: str = "prom_f1",
    alpha: float = 0.05,
    procedure: Literal["holm", "aeon"] = "holm",
) -> Significance:
    """Test which methods differ over datasets.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare.
    metric : str, default "prom_f1"
        What they are compared by.
    alpha : float, default 0.05
        Level, in ``(0, 1)``.
    procedure : {"holm", "aeon"}
        Two-sided tests with Holm's correction, or what aeon's diagram does (see
        *Departures* above).

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [
    ...     (label, f"d{n}", 0, n / 10 + shift)
    ...     for label, shift in (("a", 0.0), ("b", 0.001), ("c", 0.5))
    ...     for n in range(8)
    ... ]
    >>> table = pd.DataFrame(rows, columns=["label", "dataset", "problem", "prom_f1"])
    >>> found = significance(Scores(table))
    >>> found.labels, found.cliques, float(found.p_values.loc["a", "c"])
    (('c', 'b', 'a'), [], 0.0078125)
    """
    check_choice(procedure, "procedure", ("holm", "aeon"))
    if not 0.0 < check_number(alpha, "alpha") < 1.0:
        raise InputError(f"alpha must lie in (0, 1), got {alpha!r}")
    means, left_out = comparable_means(scores, metric)
    # Whole numbers: their differences are exact, so ties among these are seen.
    values = np.rint(means.to_numpy(dtype=np.float64) * 10**DECIMALS)
    higher = scores.higher_is_better(metric)
    ranks = rank_rows(values, higher=higher)
    average = ranks.mean(axis=0) if len(means) else np.full(values.shape[1], np.nan)
    order = np.argsort(average, kind="stable")
    values, ranks = values[:, order], ranks[:, order]
    friedman = _friedman(ranks)
    if not len(means):
        p_values = np.where(np.eye(len(order)) == 1, 1.0, np.nan)
    elif procedure == "holm":
        p_values = _p_values(values)
    else:
        p_values = _one_sided(values, higher=higher)
    adjusted = _adjusted(p_values, by_holm=procedure == "holm")
    rejected = adjusted <= alpha
    if ranks.shape[1] >= FEWEST_FOR_FRIEDMAN and not friedman < alpha:
        rejected[:] = False
    groups: list[list[int]] = []
    if len(means):
        groups = (
            largest_groups(~rejected) if procedure == "holm" else _aeon_runs(rejected)
        )
    labels = tuple(str(label) for label in means.columns[order])
    return Significance(
        labels=labels,
        average_ranks=_series(average[order], labels),
        p_values=_frame(p_values, labels),
        adjusted=_frame(adjusted, labels),
        rejected=_frame(rejected, labels),
        cliques=[tuple(labels[place] for place in group) for group in groups],
        friedman_p=friedman,
        alpha=alpha,
        datasets_used=tuple(means.index),
        left_out=left_out,
        note=_note(scores, values, friedman, alpha, left_out, procedure),
    )


def _friedman(ranks: Floats) -> float:
    """Return the p-value of Friedman's test, NaN where there is none."""
    datasets, methods = ranks.shape
    tied = (ranks == ranks[:, :1]).all()
    if methods < FEWEST_FOR_FRIEDMAN or not datasets or tied:
        return float("nan")
    from scipy.stats import friedmanchisquare

    return float(friedmanchisquare(*ranks.T).pvalue)


def _p_values(values: Floats) -> Floats:
    """Return the two-sided p-values of all pairs."""
    p_values = np.eye(values.shape[1])
    for i, j in zip(*np.triu_indices(len(p_values), 1), strict=True):
        p_values[i, j] = signed_rank(values[:, i] - values[:, j]).two_sided
    return np.maximum(p_values, p_values.T)


def _one_sided(values: Floats, *, higher: bool) -> Floats:
    """Return aeon's p-values that of each pair the one of lower rank is better.

    aeon calls scipy's test with these arguments.
    """
    from scipy.stats import wilcoxon

    better = "greater" if higher else "less"
    p_values = np.eye(values.shape[1])
    for i, j in zip(*np.triu_indices(len(p_values), 1), strict=True):
        differences = values[:, i] - values[:, j]
        # scipy has no p-value for methods with equal scores.
        p_values[i, j] = (
            wilcoxon(differences, zero_method="wilcox", alternative=better).pvalue
            if differences.any()
            else 1.0
        )
    return np.maximum(p_values, p_values.T)


def _adjusted(p_values: Floats, *, by_holm: bool) -> Floats:
    """Correct for the number of tests; what is at most alpha is significant."""
    methods = len(p_values)
    above = np.triu_indices(methods, 1)
    raw = p_values[above]
    corrected = holm(raw) if by_holm else raw * (methods - 1)
    adjusted = np.eye(methods)
    adjusted[above] = np.minimum(corrected, 1.0)
    return np.maximum(adjusted, adjusted.T)


def holm(p_values: Floats) -> Floats:
    """Return p-values with Holm's correction; at most alpha is significant.

    statsmodels gives the same to the last bit, but takes seconds to import.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    steps = (len(p_values) - np.arange(len(p_values))) * p_values[order]
    corrected = np.empty_like(p_values)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def letters_of(
    labels: Sequence[str], cliques: Iterable[Sequence[str]]
) -> dict[str, str]:
    """Give each clique a letter, and one to each method that is in none."""
    groups = [tuple(clique) for clique in cliques]
    joined = {label for clique in groups for label in clique}
    groups += [(label,) for label in labels if label not in joined]
    groups.sort(key=lambda group: [labels.index(label) for label in group])
    # After z come a2, b2, ...: a letter never stands for two groups.
    signs = [
        ascii_lowercase[place % 26] + (str(place // 26 + 1) if place >= 26 else "")
        for place in range(len(groups))
    ]
    named = dict(zip(signs, groups, strict=True))
    return {
        label: "".join(sign for sign, group in named.items() if label in group)
        for label in labels
    }


def largest_groups(alike: Truths) -> list[list[int]]:
    """Return the maximal cliques of two or more, by Bron and Kerbosch with a pivot.

    Parameters
    ----------
    alike : bool[k, k]
        Whether two methods do not differ.
    """
    near = [
        {other for other in np.flatnonzero(row).tolist() if other != place}
        for place, row in enumerate(alike)
    ]
    found: list[list[int]] = []

    def grow(clique: set[int], candidates: set[int], done: set[int]) -> None:
        """Extend a clique by `candidates`; those in `done` were tried before."""
        if not candidates and not done and len(clique) > 1:
            found.append(sorted(clique))
        if not candidates:
            return
        # Any maximal clique has the pivot or one that is not its neighbour.
        pivot = max(candidates | done, key=lambda place: len(near[place] & candidates))
        for place in candidates - near[pivot]:
            grow(clique | {place}, candidates & near[place], done & near[place])
            candidates = candidates - {place}
            done = done | {place}

    grow(set(), set(range(len(near))), set())
    return sorted(found)


def _aeon_runs(rejected: Truths) -> list[list[int]]:
    """Return the longest runs of neighbours that do not differ from their first."""
    runs: list[list[int]] = []
    for first in range(len(rejected)):
        differ = np.flatnonzero(rejected[first, first:])
        last = first + int(differ[0]) - 1 if len(differ) else len(rejected) - 1
        if last > first and (not runs or last > runs[-1][-1]):
            runs.append(list(range(first, last + 1)))
    return runs


def _note(
    scores: Scores,
    values: Floats,
    friedman: float,
    alpha: float,
    left_out: Mapping[str, str],
    procedure: str,
) -> str:
    """Say what a reader must know about the tests."""
    datasets, methods = values.shape
    said = [f"{name} was left out: {why}." for name, why in left_out.items()]
    if methods == 1:
        return " ".join([*said, "There is one method only, so there is no test."])
    if not datasets:
        return " ".join([*said, "No dataset is left, so there is no test."])
    uneven = [name for name in scores.uneven() if name not in left_out]
    if uneven:
        said.append(f"Methods ran on different problems of {', '.join(uneven)}.")
    said += _about_power(values.shape, alpha, procedure)
    if methods < FEWEST_FOR_FRIEDMAN:
        said.append("Friedman's test needs three methods; only the pair was tested.")
    elif np.isnan(friedman):
        said.append("All methods are equal on all datasets.")
    elif friedman >= alpha:
        said.append(
            f"Friedman's test finds no difference (p = {friedman:.3g}), so no pair "
            f"counts as different."
        )
    return " ".join(said)


def _about_power(shape: tuple[int, ...], alpha: float, procedure: str) -> list[str]:
    """Say so if even the clearest result could not be significant."""
    datasets, methods = shape
    smallest = 2.0**-datasets * (2 if procedure == "holm" else 1)
    tests = methods * (methods - 1) // 2 if procedure == "holm" else methods - 1
    if smallest * tests <= alpha:
        return []
    plural = "s" if datasets > 1 else ""
    return [
        f"With {datasets} dataset{plural} and {methods} methods no difference can be "
        f"significant: the smallest possible p-value, {smallest:.3g}, exceeds "
        f"{alpha:g} / {tests}. Compare fewer methods, or use more datasets."
    ]


def _series(values: Floats, labels: tuple[str, ...]) -> pd.Series:
    import pandas as pd

    return pd.Series(values, index=list(labels))


def _frame(values: Floats | Truths, labels: tuple[str, ...]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(values, index=list(labels), columns=list(labels))
