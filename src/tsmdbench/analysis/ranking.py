r"""Ranks over datasets, and the tests behind a critical difference diagram.

On each dataset the methods are ranked by their mean score over its problems, best
first; a method's average rank is the mean over datasets. Friedman's test decides
whether the methods differ at all; if so, Wilcoxon's signed-rank test decides it for
each pair, with Holm's correction for the number of pairs, as Benavoli et al. (2016)
suggest, whom the paper follows, at level 0.05. Tests on mean ranks (Nemenyi) are not
used: their result for two methods depends on which others are compared.
`leave_one_out` shows how much the ranks depend on single datasets.

Conventions
-----------
* Rank 1 is best; for a cost that is the lowest value. Equal means share the mean of
  their ranks. Means that agree to `DECIMALS` decimals are equal, so that rounding in
  the last bit never decides a rank.
* Only datasets that all compared methods have a score on are used; ``left_out`` names
  the others and who is missing, of many the first three. A rank among fewer methods
  would not be comparable.
* Friedman's test is scipy's. Wilcoxon's is two-sided. Differences of 0 are left out, as
  Wilcoxon did; without any other, p = 1. Up to 50 datasets it is exact, ties or not:
  the statistic is the sum of the ranks of the positive differences, and its
  distribution over all :math:`2^n` signs is counted rank by rank, in :math:`O(n^3)`.
  Tied differences share the mean of their ranks; doubled, it is a whole number.
* Holm: the :math:`i`-th smallest of :math:`m` p-values is compared with
  :math:`\alpha / (m - i + 1)`; the first that exceeds it, and all after it, are not
  significant.
* A **clique** is a largest group of methods of which no two differ: a bar of the
  diagram, and a letter of `Significance.letters`. Two methods share a bar if and only
  if they do not differ. They need not be neighbours in the order of average ranks.
* Nothing here raises for ties, equal columns, one dataset or two methods:
  `Significance.note` says why a test is missing.

Departures
----------
aeon and scipy agree with the signed-rank test where they are exact (tests compare), but
with ties or zeros they try all :math:`2^n` signs, and beyond thirteen datasets they
fall back to a normal approximation.

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
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tsmdbench.analysis.scores import Scores
from tsmdbench.arrays import Floats
from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_frame, html_lines
from tsmdbench.plural import counted
from tsmdbench.validation import check_choice, check_number

Truths = NDArray[np.bool_]
DECIMALS = 9  # far below any difference between scores, far above rounding
FEWEST_FOR_FRIEDMAN = 3  # methods
MOST_EXACT = 50  # datasets; beyond, the normal approximation is scipy's choice too


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
    means, left_out = comparable_means(scores, metric)
    table = means.rank(axis=1, ascending=not scores.higher_is_better(metric))
    return Ranks(table, table.mean(axis=0), tuple(means.index), left_out)


def comparable_means(
    scores: Scores, metric: str
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the means on datasets that all methods have, and why others are left out.

    The means are rounded to `DECIMALS`.
    """
    means = scores.means(metric).round(DECIMALS)
    missing = means.isna()
    left_out = {}
    for dataset, line in missing[missing.any(axis=1)].iterrows():
        names = list(means.columns[line])
        others = [f"{len(names) - 3} other methods"] if len(names) > 4 else []
        shown = names[:3] if others else names
        left_out[str(dataset)] = f"no result of {', '.join([*shown, *others])}"
    return means[~missing.any(axis=1)], left_out


@dataclass(frozen=True, eq=False)
class Stability:
    """Average ranks without each dataset.

    Parameters
    ----------
    ranks : pandas.DataFrame
        Average rank of each label (column) without a dataset (row).
    tau : pandas.Series
        For each dataset, Kendall's tau-b between the orders of methods with and without
        it: 1 if they are the same, NaN if all methods are tied in one of them.
    moves : pandas.DataFrame
        By how many positions a label falls when a dataset is left out. A position is
        the rank of the average rank.
    average : pandas.Series
        Average rank of each label with all datasets.
    left_out : mapping of str to str
        Datasets that are not used, and why.
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
    from scipy.stats import kendalltau

    whole = ranks(scores, metric)
    table = whole.table
    note = ""
    if len(table) < 2:
        table = table.iloc[:0]
        note = (
            "Fewer than two datasets have results of all methods; none can be left out."
        )
    without = (table.sum(axis=0) - table) / max(len(table) - 1, 1)
    # Sums of halves, divided: rounding in the last bit does not decide an order.
    rounded, average = without.round(9), whole.average.round(9)
    tau = pd.Series(
        {
            name: float(kendalltau(average, line).statistic)
            if np.ptp(average) and np.ptp(line)
            else np.nan
            for name, line in rounded.iterrows()
        },
        index=table.index,
        dtype=np.float64,
    )
    moves = rounded.rank(axis=1) - average.rank()
    return Stability(without, tau, moves, whole.average, whole.left_out, note)


@dataclass(frozen=True, eq=False)
class Significance:
    """Results of the tests, methods in the order of their average rank.

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
        datasets, methods = len(self.datasets_used), len(self.labels)
        return min(datasets, methods - 1) > 0 and not _about_power(
            datasets, methods, self.alpha, "holm"
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
    by_holm = check_choice(procedure, "procedure", ("holm", "aeon")) == "holm"
    if not 0.0 < check_number(alpha, "alpha") < 1.0:
        raise InputError(f"alpha must lie in (0, 1), got {alpha!r}")
    ranked = ranks(scores, metric)
    average = ranked.average.sort_values(kind="stable")
    labels = [str(label) for label in average.index]
    means, left_out = comparable_means(scores, metric)
    # Whole numbers: their differences are exact, so ties among these are seen.
    values = np.rint(means[labels].to_numpy(dtype=np.float64) * 10**DECIMALS)
    higher = scores.higher_is_better(metric)
    datasets, methods = values.shape
    friedman = float("nan")
    columns = ranked.table[average.index].to_numpy()
    if methods >= FEWEST_FOR_FRIEDMAN and (columns != columns[:, :1]).any():
        from scipy.stats import friedmanchisquare

        friedman = float(friedmanchisquare(*columns.T).pvalue)
    pairs = np.triu_indices(methods, 1)
    raw = np.array(
        [_p_value(values[:, i] - values[:, j], procedure, higher=higher)
         for i, j in zip(*pairs, strict=True)]
    )  # fmt: skip
    p_values, adjusted = np.eye(methods), np.eye(methods)
    for table, upper in (
        (p_values, raw),
        (adjusted, holm(raw) if by_holm else np.minimum(raw * (methods - 1), 1.0)),
    ):
        table[pairs] = upper
        table.T[pairs] = upper
    rejected = adjusted <= alpha
    if methods >= FEWEST_FOR_FRIEDMAN and not friedman < alpha:
        rejected[:] = False
    groups: list[list[int]] = []
    if datasets:
        groups = largest_groups(~rejected) if by_holm else _aeon_runs(rejected)
    frame = {"index": labels, "columns": labels}
    return Significance(
        labels=tuple(labels),
        average_ranks=average.set_axis(labels),
        p_values=pd.DataFrame(p_values, **frame),
        adjusted=pd.DataFrame(adjusted, **frame),
        rejected=pd.DataFrame(rejected, **frame),
        cliques=[tuple(labels[place] for place in group) for group in groups],
        friedman_p=friedman,
        alpha=alpha,
        datasets_used=ranked.datasets_used,
        left_out=left_out,
        note=_note(scores, values, friedman, alpha, left_out, procedure),
    )


def _p_value(differences: Floats, procedure: str, *, higher: bool) -> float:
    """Return the p-value of a pair; with aeon, that the one of lower rank is better."""
    if not len(differences):
        return float("nan")
    if procedure == "holm":
        return signed_rank(differences)
    if not differences.any():
        return 1.0  # scipy has no p-value for methods with equal scores
    from scipy.stats import wilcoxon

    better = "greater" if higher else "less"
    # aeon calls scipy's test with these arguments.
    found = wilcoxon(differences, zero_method="wilcox", alternative=better)
    return float(found.pvalue)


def signed_rank(differences: Floats) -> float:
    """Return the p-value of Wilcoxon's signed-rank test, two-sided.

    Differences of 0 are left out; without any other it is 1. Ties are seen where sizes
    are equal to the last bit.

    >>> signed_rank(np.array([1.0, 2.0, 3.0, 0.0]))
    0.25
    """
    moved = differences[differences != 0]
    if not len(moved):
        return 1.0
    if len(differences) > MOST_EXACT:
        from scipy.stats import wilcoxon

        return float(wilcoxon(differences).pvalue)
    doubled = np.rint(2 * pd.Series(np.abs(moved)).rank()).to_numpy(np.int64)
    seen = int(doubled[moved > 0].sum())
    # How many of the 2**n choices of signs give each sum: exact, up to 2**50.
    counts = np.zeros(int(doubled.sum()) + 1)
    counts[0] = 1.0
    for rank in doubled:
        counts[rank:] += counts[:-rank].copy()
    share = counts / 2.0 ** len(doubled)
    return min(1.0, 2 * float(min(share[seen:].sum(), share[: seen + 1].sum())))


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
    """Return the maximal cliques of two or more, by Bron and Kerbosch with a pivot."""
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
    """Return what a reader must know about the tests."""
    datasets, methods = values.shape
    said = [f"{name} was left out: {why}." for name, why in left_out.items()]
    if methods == 1:
        return " ".join([*said, "There is one method only, so there is no test."])
    if not datasets:
        return " ".join([*said, "No dataset is left, so there is no test."])
    uneven = [name for name in scores.uneven() if name not in left_out]
    if uneven:
        said.append(f"Methods ran on different problems of {', '.join(uneven)}.")
    said += _about_power(datasets, methods, alpha, procedure)
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


def _about_power(
    datasets: int, methods: int, alpha: float, procedure: str
) -> list[str]:
    """Return a sentence if even the clearest result could not be significant."""
    smallest = 2.0**-datasets * (2 if procedure == "holm" else 1)
    tests = methods * (methods - 1) // 2 if procedure == "holm" else methods - 1
    if smallest * tests <= alpha:
        return []
    return [
        f"With {counted(datasets, 'dataset')} and {methods} methods no difference can "
        f"be significant: the smallest possible p-value, {smallest:.3g}, exceeds "
        f"{alpha:g} / {tests}. Compare fewer methods, or use more datasets."
    ]
