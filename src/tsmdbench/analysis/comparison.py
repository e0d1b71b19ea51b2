r"""Compare methods: on this benchmark, and on other data.

Two questions need two answers.

*On this benchmark*: do two methods differ on more problems of these datasets? The
datasets are fixed, and the problems are a sample. The difference of two methods is the
mean over datasets of the mean difference over problems. Its interval is that of a
paired bootstrap: problems are drawn again within each dataset, the same for both
methods. Its p-value is that of a sign-flip permutation test within datasets: if two
methods do not differ, the difference on a problem is as likely to be positive as
negative. Holm's correction is over all pairs.

*On other data*: would they differ on datasets that are not in the benchmark? The
datasets are the sample, as in the paper. Wilcoxon's signed-rank test over datasets
compares one reference with each other method, with Holm's correction over these
:math:`k - 1` tests. Twelve datasets can decide them, but not all pairs. The Bayesian
signed-rank test adds the probability that the reference is better, or practically
equal, which a test of significance cannot say.

Conventions
-----------
* Only datasets that all methods have are used, and of these the problems that all
  methods have. `Comparison.left_out` names the other datasets.
* Differences are turned so that positive means that the first method (or the
  reference) is better.
* Permutations and bootstrap samples depend only on the seed, and on the name and the
  number of problems of each dataset. The difference, interval and p-value of a pair
  therefore do not depend on the other methods, if these ran on the same problems.
* The reference of three or more methods is never chosen by its scores: the correction
  for k - 1 tests is too weak if the best method is the reference. With 16 methods that
  do not differ, on 12 datasets, tests against the best found a difference in 13 % of
  1,000 simulations, and tests against a fixed method in 3 %.
* A p-value of the permutation test is (1 + number of permutations at least as
  extreme) / (1 + permutations), so it is never 0.
* Wilcoxon's test is that of `significance`: exact up to 50 datasets, without
  differences of 0.
* Bayesian test: the differences on the datasets, and one prior observation of 0 with
  weight 0.5, get weights :math:`w` from a Dirichlet distribution. With differences
  :math:`z` and a region of practical equivalence (rope) of half width :math:`r`,

  .. math:: \theta_{first} = \sum_{i,j} w_i w_j [z_i + z_j > 2 r], \quad
            \theta_{second} = \sum_{i,j} w_i w_j [z_i + z_j < -2 r]

  and the rest is :math:`\theta_{equal}`. The probability that the first is better is
  the share of draws in which :math:`\theta_{first}` is the largest of the three. A sum
  at the very border counts half on each side. With ``rope=0`` there is no region: the
  two probabilities sum to 1, and equal methods have 0.5 each. 50,000 draws leave a
  standard error of at most 0.0023.

References
----------
B. Phipson, G. K. Smyth, "Permutation p-values should never be zero", Statistical
Applications in Genetics and Molecular Biology 9(1), 2010.
A. Benavoli, G. Corani, J. Demsar, M. Zaffalon, "Time for a change: a tutorial for
comparing multiple classifiers through Bayesian analysis", JMLR 18(77), 2017.
A. Benavoli, F. Mangili, G. Corani, M. Zaffalon, F. Ruggeri, "A Bayesian Wilcoxon
signed-rank test based on the Dirichlet process", ICML 2014.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tsmdbench.analysis.bootstrap import dataset_rng, draw_weights
from tsmdbench.analysis.ranking import (
    DECIMALS,
    comparable_means,
    holm,
    largest_groups,
    letters_of,
    signed_rank,
)
from tsmdbench.analysis.scores import Scores, own_labels
from tsmdbench.arrays import Floats
from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_frame, html_lines
from tsmdbench.plural import counted
from tsmdbench.validation import check_choice, check_integer, check_number

BLOCK = 4_000_000  # random signs at a time, to bound memory
PRODUCT = 2**18  # multiplications at a time: small enough for caches and for one thread
PAIR = 2  # methods, of which either can be the reference: it is one test
BOOTSTRAPS = 2000
ALPHA = 0.05
ROPE = 0.01  # a difference up to which two methods are practically equal
PRIOR = 0.5  # weight of the prior observation of 0
OTHER_DATA = ["label", "difference", "p", "p_reference", "p_equal", "p_other"]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Differences between methods, on this benchmark and on other data.

    Parameters
    ----------
    on_benchmark : pandas.DataFrame
        A row per pair, the better method first: ``first``, ``second``, ``difference``,
        ``low`` and ``high`` (95 % interval; NaN if a dataset has one problem), ``p``,
        ``p_holm``, ``different`` (``p_holm`` is at most 0.05).
    on_other_data : pandas.DataFrame
        A row per method other than the reference: ``label``, ``difference`` (reference
        minus method), ``p``, ``p_holm``, ``different``, and the probabilities that the
        reference is better, that both are practically equal (within 0.01), and that the
        method is better: ``p_reference``, ``p_equal``, ``p_other``; NaN with one
        dataset. Without rows if there is no reference.
    reference : str
        The method that the others are compared with on other data; "" without one.
    letters : mapping of str to str
        Two methods share a letter if and only if they do not differ on this benchmark.
    datasets_used : tuple of str
        Those with problems that all methods have.
    left_out : mapping of str to str
        Datasets that were not used, and why.
    notes : tuple of str
        A line per question: what was tested, or why it was not.
    means : pandas.DataFrame
        Mean of each method (column, best first) on each dataset that was used (row);
        costs are negative.
    """

    on_benchmark: pd.DataFrame
    on_other_data: pd.DataFrame
    reference: str
    letters: Mapping[str, str]
    datasets_used: tuple[str, ...]
    left_out: Mapping[str, str]
    notes: tuple[str, ...]
    means: pd.DataFrame

    def with_reference(
        self, reference: str, *, draws: int = 50_000, seed: int = 0
    ) -> Comparison:
        """Return the same comparison with another reference on other data.

        Parameters
        ----------
        reference : str
            One of the methods.
        draws, seed : int
            As for `compare`.
        """
        import pandas as pd

        check_choice(reference, "reference", list(self.means.columns))
        count = len(self.means)
        weights = _weights(count, draws, seed)
        # Whole numbers: their differences are exact, so ties among these are seen.
        whole = (self.means * 10**DECIMALS).round()
        rows = []
        for label in whole.columns.drop(reference):
            differences = (whole[reference] - whole[label]).to_numpy(dtype=np.float64)
            scaled = differences / 10**DECIMALS
            found = (np.nan,) * 4  # one dataset says nothing about others
            if count > 1:
                found = (
                    signed_rank(differences),
                    *_probabilities(scaled, ROPE, weights),
                )
            rows.append((label, scaled.mean() if count else np.nan, *found))
        other = _corrected(pd.DataFrame(rows, columns=OTHER_DATA))
        notes = _notes(len(whole.columns), count, reference)
        return replace(self, on_other_data=other, reference=reference, notes=notes)

    def against_reference(self) -> pd.DataFrame:
        """Return both answers about the reference and each other method.

        Returns
        -------
        pandas.DataFrame
            A row per method, in the order of the means: ``label``; reference minus
            method on this benchmark: ``difference``, ``low``, ``high``, ``p_benchmark``
            (corrected for all pairs); and of `on_other_data` ``p_other_data``
            (corrected) and the three probabilities. Without rows if there is no
            reference.
        """
        import pandas as pd

        pairs = self.on_benchmark[
            (self.on_benchmark[["first", "second"]] == self.reference).any(axis=1)
        ]
        ahead = pairs["first"] == self.reference
        turned = pd.DataFrame(
            {
                "label": pairs["second"].where(ahead, pairs["first"]),
                "difference": pairs["difference"].where(ahead, -pairs["difference"]),
                "low": pairs["low"].where(ahead, -pairs["high"]),
                "high": pairs["high"].where(ahead, -pairs["low"]),
                "p_benchmark": pairs["p_holm"],
            }
        )
        other = self.on_other_data.rename(columns={"p_holm": "p_other_data"})
        other = other.drop(columns=["difference", "p", "different"]).set_index("label")
        turned = turned.reset_index(drop=True)
        other = other.reindex(turned["label"]).reset_index(drop=True)
        return pd.concat([turned, other], axis=1)

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return how many methods each is better and worse than on this benchmark."""
        found = self.on_benchmark[self.on_benchmark["different"]]
        better = found["first"].value_counts()
        worse = found["second"].value_counts()
        return {
            label: (int(better.get(label, 0)), int(worse.get(label, 0)))
            for label in self.letters
        }

    def _repr_html_(self) -> str:
        """Show both tables in a notebook, each with its question."""
        said = [f"left out: {name} ({why})" for name, why in self.left_out.items()]
        return html_block(
            html_lines(self.notes[:1]),
            html_frame(self.on_benchmark.set_index(["first", "second"])),
            html_lines(self.notes[1:]),
            html_frame(self.on_other_data.set_index("label")),
            html_lines(said),
        )


def compare(
    scores: Scores,
    metric: str = "prom_f1",
    *,
    reference: str | None = None,
    permutations: int = 19_999,
    draws: int = 50_000,
    seed: int = 0,
) -> Comparison:
    """Compare all pairs on this benchmark, and one reference with all on other data.

    `Comparison.on_benchmark` answers whether two methods differ on more problems of
    these datasets: difference with interval (paired bootstrap), p-value (sign-flip
    permutation test), letters. `Comparison.on_other_data` answers whether the reference
    differs from a method on other datasets: p-value (Wilcoxon), probabilities (Bayesian
    signed-rank test). ``p_holm`` is corrected for the number of rows.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare.
    metric : str, default "prom_f1"
        What they are compared by.
    reference : str, optional
        The method that is compared with all others on other data. By default your own
        method. For three methods or more, if none, or more than one, is yours, there is
        no comparison on other data without it.
    permutations : int, default 19999
        Of the test on this benchmark. With the default, the smallest p-value is
        1 / 20000, which Holm's correction leaves below 0.05 for up to 45 methods.
    draws : int, default 50000
        Of the Bayesian test.
    seed : int, default 0
        Of all random numbers.

    Raises
    ------
    InputError
        The metric or the reference is unknown, or a number is out of range.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(label, f"d{n}", problem, value + (7 * n + 3 * problem) % 5 / 50)
    ...     for label, value in (("a", 0.3), ("b", 0.3), ("c", 0.6))
    ...     for n in range(8) for problem in range(4)
    ... ]
    >>> table = pd.DataFrame(rows, columns=["label", "dataset", "problem", "prom_f1"])
    >>> found = compare(Scores(table), reference="c")
    >>> found.letters
    {'c': 'a', 'a': 'b', 'b': 'b'}
    >>> found.on_other_data[["label", "difference", "p_holm"]].round(3).values.tolist()
    [['a', 0.3, 0.016], ['b', 0.3, 0.016]]
    """
    check_integer(permutations, "permutations", minimum=1)
    check_integer(draws, "draws", minimum=1)
    check_integer(seed, "seed", minimum=0)
    scores.check_metric(metric)
    if reference is not None:
        check_choice(reference, "reference", scores.labels)
    candidates, left_out = comparable_means(scores, metric)
    columns = list(scores.labels)
    sign = 1.0 if scores.higher_is_better(metric) else -1.0
    values: dict[str, Floats] = {}
    table = scores.table[["label", "dataset", "problem", metric]]
    for dataset, rows in table.groupby("dataset", sort=False):
        if dataset not in candidates.index:
            continue
        wide = rows.pivot(index="problem", columns="label", values=metric)
        common = wide[columns].dropna().to_numpy(dtype=np.float64)
        if len(common):
            values[dataset] = sign * common
        else:
            left_out[dataset] = "no problem that all methods have"
    means = pd.DataFrame(
        [one.mean(axis=0) for one in values.values()],
        index=list(values),
        columns=columns,
    )
    # As for ranks, rounding in the last bit does not decide the order.
    order = np.argsort(-means.mean().round(DECIMALS).to_numpy(), kind="stable")
    labels = [columns[place] for place in order]
    own = own_labels(scores)
    if reference is None and (len(own) == 1 or len(labels) <= PAIR):
        reference = own[0] if len(own) == 1 else labels[0]
    on_benchmark = _on_benchmark(
        {name: one[:, order] for name, one in values.items()},
        labels,
        permutations,
        seed,
    )
    alike = np.ones((len(labels), len(labels)), dtype=bool)
    alike[np.triu_indices(len(labels), 1)] = ~on_benchmark["different"]
    groups = largest_groups(alike & alike.T)
    found = Comparison(
        on_benchmark=on_benchmark,
        on_other_data=_corrected(pd.DataFrame(columns=OTHER_DATA)),
        reference="",
        letters=letters_of(labels, [[labels[n] for n in group] for group in groups])
        if values
        else {},
        datasets_used=tuple(values),
        left_out=left_out,
        notes=_notes(len(labels), len(values), None),
        means=means[labels],
    )
    if reference is None:
        return found
    return found.with_reference(reference, draws=draws, seed=seed)


def _on_benchmark(
    values: Mapping[str, Floats], labels: list[str], permutations: int, seed: int
) -> pd.DataFrame:
    """Compare all pairs over the problems of each dataset."""
    flipped = np.zeros((permutations, len(labels)))
    drawn = np.zeros((BOOTSTRAPS, len(labels)))
    overall = np.full(len(labels), 0.0 if values else np.nan)
    for dataset, scored in values.items():
        count = len(scored)
        # A signed sum of differences is the difference of signed sums, so that one
        # product does for all pairs; and with bits b, the sum of (2 b - 1) x is twice
        # the sum of b x, minus that of x, which is the same in all permutations.
        rng = dataset_rng(dataset, count, seed + 1)
        total, scale = scored.sum(axis=0), count * len(values)
        step = max(1, BLOCK // count)
        for first in range(0, permutations, step):
            block = flipped[first : first + step]
            size = len(block) * count
            random = np.frombuffer(rng.bytes(size // 8 + 1), dtype=np.uint8)
            bits = np.unpackbits(random, count=size).reshape(len(block), count)
            block += (2.0 * _product(bits, scored) - total) / scale
        weights = draw_weights(dataset, count, BOOTSTRAPS, seed)
        drawn += _product(weights, scored) / len(values)
        overall += scored.mean(axis=0) / len(values)
    i, j = np.triu_indices(len(labels), 1)
    differences = overall[i] - overall[j]
    low, high, p = np.full((3, len(i)), np.nan)
    if values:
        signed = np.ascontiguousarray(flipped.T)
        extreme = [
            np.count_nonzero(np.abs(signed[a] - signed[b]) >= abs(difference) - 1e-12)
            for a, b, difference in zip(i, j, differences, strict=True)
        ]
        p = (1 + np.array(extreme)) / (1 + permutations)
    if values and min(map(len, values.values())) > 1:
        low, high = np.quantile(drawn[:, i] - drawn[:, j], [0.025, 0.975], axis=0)
    columns = {
        "first": [labels[place] for place in i],
        "second": [labels[place] for place in j],
        "difference": differences,
        "low": low,
        "high": high,
        "p": p,
    }
    return _corrected(columns)


def _product(left: NDArray[Any], right: Floats) -> Floats:
    """Multiply in parts so small that one thread computes them.

    More threads would take more processor time than they save.
    """
    rows = max(1, PRODUCT // max(1, right.size))
    starts = range(0, len(left), rows)
    parts = [left[first : first + rows].astype(np.float64) @ right for first in starts]
    return np.concatenate(parts)


def _corrected(columns: Mapping[str, Any] | pd.DataFrame) -> pd.DataFrame:
    """Return the columns as a table, with Holm's correction beside the p-values."""
    table = pd.DataFrame(columns)
    place = table.columns.get_loc("p") + 1
    corrected = holm(table["p"].to_numpy(dtype=np.float64))
    table.insert(place, "p_holm", corrected)
    table.insert(place + 1, "different", corrected <= ALPHA)
    return table


def _notes(methods: int, datasets: int, reference: str | None) -> tuple[str, ...]:
    """Return one line per question: the test, or the reason why there is none."""
    if methods < PAIR or not datasets:
        return ()
    pairs = counted(methods * (methods - 1) // 2, "pair")
    benchmark = (
        f"on this benchmark (other problems of the same datasets): sign-flip "
        f"permutation tests within datasets, Holm's correction over {pairs}"
    )
    if reference is None:
        return (
            benchmark,
            "on other data (other datasets): not tested, since no method is the "
            "reference; name one that was chosen without looking at the scores "
            "(--reference): tests against the best of 16 equal methods found a "
            "difference in 13 % of 1,000 simulations",
        )
    if datasets == 1:
        return benchmark, "on other data: not tested, one dataset says nothing about it"
    tests = methods - 1
    other = (
        f"on other data (other datasets): {reference} and each other method, "
        f"Wilcoxon's test over {counted(datasets, 'dataset')}, Holm's correction over "
        f"{counted(tests, 'test')}; Bayesian probabilities"
    )
    smallest = 2.0 ** (1 - datasets)
    if smallest * tests > ALPHA:
        other += (
            f"; no difference can be significant, since the smallest possible p-value, "
            f"{smallest:.3g}, exceeds {ALPHA} / {tests}"
        )
    return benchmark, other


def bayesian_signed_rank(
    scores: Scores,
    metric: str = "prom_f1",
    *,
    rope: float = ROPE,
    draws: int = 50_000,
    seed: int = 0,
) -> pd.DataFrame:
    """Return for each pair how probable it is that either is better.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare, on the datasets that all of them have.
    metric : str, default "prom_f1"
        What they are compared by.
    rope : float, default 0.01
        Difference up to which two methods are practically equal, at least 0, in the
        unit of the metric.
    draws : int, default 50000
        Draws of the weights.
    seed : int, default 0
        Of the draws.

    Returns
    -------
    pandas.DataFrame
        A row per pair, in the order of `Scores.labels`: ``first``, ``second``,
        ``p_first``, ``p_equal``, ``p_second``, which sum to 1. NaN if no dataset could
        be used.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [
    ...     (label, f"d{n}", 0, n / 10 + shift)
    ...     for label, shift in (("a", 0.0), ("b", 0.001), ("c", 0.5))
    ...     for n in range(8)
    ... ]
    >>> table = pd.DataFrame(rows, columns=["label", "dataset", "problem", "prom_f1"])
    >>> bayesian_signed_rank(Scores(table)).round(2).to_numpy().tolist()
    [['a', 'b', 0.0, 1.0, 0.0], ['a', 'c', 0.0, 0.0, 1.0], ['b', 'c', 0.0, 0.0, 1.0]]
    """
    if not check_number(rope, "rope") >= 0.0:
        raise InputError(f"rope must be at least 0, got {rope!r}")
    check_integer(draws, "draws", minimum=1)
    check_integer(seed, "seed", minimum=0)
    means, _ = comparable_means(scores, metric)
    sign = 1.0 if scores.higher_is_better(metric) else -1.0
    weights = _weights(len(means), draws, seed)
    rows = []
    for first, second in combinations(means.columns, 2):
        differences = sign * (means[first] - means[second]).to_numpy(dtype=np.float64)
        rows.append((first, second, *_probabilities(differences, rope, weights)))
    names = ["first", "second", "p_first", "p_equal", "p_second"]
    return pd.DataFrame(rows, columns=names)


def _weights(datasets: int, draws: int, seed: int) -> Floats:
    """Draw weights of the prior observation and of each dataset."""
    rng = np.random.default_rng([seed, datasets])
    return rng.dirichlet([PRIOR, *np.ones(datasets)], size=draws)


def _probabilities(
    differences: Floats, rope: float, weights: Floats
) -> tuple[float, float, float]:
    """Return the shares of draws in which first, neither, second is better."""
    if not len(differences):
        return (float("nan"),) * 3
    # Rounded, so that a sum at the border is seen to be there.
    z = np.array([0.0, *differences.round(DECIMALS)])
    sums = (z[:, None] + z).round(DECIMALS)
    border = round(2.0 * rope, DECIMALS)
    first, second = (
        ((weights @ ((side > border) + 0.5 * (side == border))) * weights).sum(axis=1)
        for side in (sums, -sums)
    )
    if not rope:
        better = np.where(np.isclose(first, second, atol=1e-12), 0.5, first > second)
        share = float(better.mean())
        return share, 0.0, 1.0 - share
    winner = np.argmax([1.0 - first - second, first, second], axis=0)
    equal, one, two = (np.bincount(winner, minlength=3) / len(winner)).tolist()
    return one, equal, two
