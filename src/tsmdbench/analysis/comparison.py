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
signed-rank test adds the probability that the reference is better.

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

References
----------
B. Phipson, G. K. Smyth, "Permutation p-values should never be zero", Statistical
Applications in Genetics and Molecular Biology 9(1), 2010.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from tsmdbench.analysis.average_ranks import DECIMALS, comparable_means
from tsmdbench.analysis.bayes import PRIOR, probabilities
from tsmdbench.analysis.bootstrap import dataset_rng, draw_weights
from tsmdbench.analysis.critical_difference import holm, largest_groups, letters_of
from tsmdbench.analysis.scores import Scores
from tsmdbench.analysis.selection import own_labels
from tsmdbench.analysis.signed_rank import signed_rank
from tsmdbench.arrays import Floats
from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_frame, html_lines
from tsmdbench.validation import check_choice, check_integer

if TYPE_CHECKING:
    import pandas as pd

PAIR = 2  # methods, of which either can be the reference: it is one test
BOOTSTRAPS = 2000
ALPHA = 0.05
ROPE = 0.01  # a difference up to which two methods are practically equal


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
        method is better: ``p_reference``, ``p_equal``, ``p_other``.
    reference : str
        The method that the others are compared with on other data.
    letters : mapping of str to str
        Two methods share a letter if and only if they do not differ on this benchmark.
    datasets_used : tuple of str
        Those with problems that all methods have.
    left_out : mapping of str to str
        Datasets that were not used, and why.
    """

    on_benchmark: pd.DataFrame
    on_other_data: pd.DataFrame
    reference: str
    letters: Mapping[str, str]
    datasets_used: tuple[str, ...]
    left_out: Mapping[str, str]

    def _repr_html_(self) -> str:
        """Show both tables in a notebook, each with its question."""
        said = [f"left out: {name} ({why})" for name, why in self.left_out.items()]
        return html_block(
            html_lines(["On this benchmark: all pairs, over problems"]),
            html_frame(self.on_benchmark.set_index(["first", "second"])),
            html_lines([f"On other data: {self.reference} and others, over datasets"]),
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
        method. Needed for three methods or more if none, or more than one, is yours.
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
        The metric or the reference is unknown, a reference is needed, or a number is
        out of range.

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
    import pandas as pd

    check_integer(permutations, "permutations", minimum=1)
    check_integer(draws, "draws", minimum=1)
    check_integer(seed, "seed", minimum=0)
    scores.check_metric(metric)
    own = own_labels(scores)
    if reference is not None:
        check_choice(reference, "reference", scores.labels)
    elif len(own) != 1 and len(scores.labels) > PAIR:
        raise InputError(
            f"give reference, the method that the others are compared with on other "
            f"data: one of {', '.join(scores.labels)}; do not choose it by its scores"
        )
    candidates, left_out = comparable_means(scores, metric)
    columns = list(scores.labels)
    sign = 1.0 if scores.higher_is_better(metric) else -1.0
    values: dict[str, Floats] = {}
    table = scores.table[["label", "dataset", "problem", metric]]
    for dataset in candidates.index:
        wide = table[table["dataset"] == dataset].pivot_table(
            index="problem", columns="label", values=metric
        )
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
    overall = means.mean().round(DECIMALS)
    order = np.argsort(-overall.to_numpy(), kind="stable")
    labels = [columns[place] for place in order]
    if reference is None:
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
    return Comparison(
        on_benchmark=on_benchmark,
        on_other_data=_on_other_data(means[labels], reference, draws, seed),
        reference=reference,
        letters=letters_of(labels, [[labels[n] for n in group] for group in groups])
        if values
        else {},
        datasets_used=tuple(values),
        left_out=left_out,
    )


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
        # product does for all pairs.
        rng = dataset_rng(dataset, count, seed + 1)
        signs = 2.0 * rng.integers(2, size=(permutations, count), dtype=np.int8) - 1.0
        flipped += signs @ scored / count / len(values)
        drawn += draw_weights(dataset, count, BOOTSTRAPS, seed) @ scored / len(values)
        overall += scored.mean(axis=0) / len(values)
    several = bool(values) and min(map(len, values.values())) > 1
    rows = []
    for i, j in combinations(range(len(labels)), 2):
        difference = overall[i] - overall[j]
        extreme = np.abs(flipped[:, i] - flipped[:, j]) >= abs(difference) - 1e-12
        p = (1 + int(extreme.sum())) / (1 + permutations) if values else np.nan
        ends = np.quantile(drawn[:, i] - drawn[:, j], [0.025, 0.975])
        low, high = ends if several else (np.nan, np.nan)
        rows.append((labels[i], labels[j], difference, low, high, p))
    return _corrected(rows, ["first", "second", "difference", "low", "high", "p"])


def _on_other_data(
    means: pd.DataFrame, reference: str, draws: int, seed: int
) -> pd.DataFrame:
    """Compare the reference with each other method over datasets."""
    rng = np.random.default_rng([seed, len(means)])
    weights = rng.dirichlet([PRIOR, *np.ones(len(means))], size=draws)
    # Whole numbers: their differences are exact, so ties among these are seen.
    whole = (means * 10**DECIMALS).round()
    rows = []
    for label in means.columns.drop(reference):
        differences = (whole[reference] - whole[label]).to_numpy(dtype=np.float64)
        p = signed_rank(differences).two_sided if len(means) else np.nan
        scaled = differences / 10**DECIMALS
        mean = scaled.mean() if len(means) else np.nan
        rows.append((label, mean, p, *probabilities(scaled, ROPE, weights)))
    names = ["label", "difference", "p", "p_reference", "p_equal", "p_other"]
    return _corrected(rows, names)


def _corrected(rows: Sequence[tuple[object, ...]], columns: list[str]) -> pd.DataFrame:
    """Return the rows as a table, with Holm's correction beside the p-values."""
    import pandas as pd

    table = pd.DataFrame(rows, columns=columns)
    place = columns.index("p") + 1
    corrected = holm(table["p"].to_numpy(dtype=np.float64))
    table.insert(place, "p_holm", corrected)
    table.insert(place + 1, "different", corrected <= ALPHA)
    return table
