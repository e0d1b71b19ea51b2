r"""Compare methods: on this benchmark, and on other data.

Two questions have two answers, and a number must say which one it answers.

*On this benchmark* the datasets are fixed and the problems are a sample. The difference
of two methods is the mean over datasets of the mean over problems. Its interval is a
paired bootstrap: problems are drawn again within each dataset, the same for both
methods. Its p-value is that of a sign-flip permutation test: if two methods do not
differ, the difference on a problem is as likely to be positive as negative.
Holm's correction is over all pairs.

*On other data* the datasets are the sample, as in the paper. Wilcoxon's signed-rank
test over datasets compares each method with one reference, with Holm's correction over
these :math:`k - 1` tests: 12 datasets can decide them, but not all pairs.
Beside it are the probabilities of the Bayesian signed-rank test.

Conventions
-----------
* The reference is the best of one's own methods if there are any, or else the best.
* Only datasets that all methods have are used, and of these the problems that all
  methods have.
* Differences are turned so that positive means that the first method is better.
* Permutations and bootstrap samples depend on the seed and on the names of the datasets
  only. A p-value is (1 + number of permutations at least as extreme) / (1 + draws), so
  it is never 0.

References
----------
B. Phipson, G. K. Smyth, "Permutation p-values should never be zero", Statistical
Applications in Genetics and Molecular Biology 9(1), 2010.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from tsmdbench.analysis.average_ranks import DECIMALS, comparable_means
from tsmdbench.analysis.bayes import PRIOR, probabilities
from tsmdbench.analysis.bootstrap import dataset_rng, draw_weights
from tsmdbench.analysis.critical_difference import holm, largest_groups, letters_of
from tsmdbench.analysis.scores import Scores, higher_is_better
from tsmdbench.analysis.selection import own_labels
from tsmdbench.analysis.signed_rank import signed_rank
from tsmdbench.arrays import Floats
from tsmdbench.validation import check_choice

if TYPE_CHECKING:
    import pandas as pd

PERMUTATIONS = 19_999  # the smallest p-value, 1 / 20000, survives Holm over 500 pairs
BOOTSTRAPS = 2000
ALPHA = 0.05
ROPE = 0.01
DRAWS = 50_000


@dataclass(frozen=True, eq=False)
class Comparison:
    """Differences between methods, on this benchmark and on other data.

    Attributes
    ----------
    on_benchmark : pandas.DataFrame
        A row per pair: first, second, difference, low, high (95 % interval), p, p_holm,
        different.
    on_other_data : pandas.DataFrame
        A row per method but the reference: label, difference (of the reference and the
        method), p, p_holm, different, p_reference, p_equal, p_other (probabilities that
        the reference is better, none is, or the other).
    reference : str
    letters : mapping
        Methods that share a letter do not differ on this benchmark.
    datasets_used : tuple of str
    left_out : mapping of str to str
        Datasets that were not used, and why.
    """

    on_benchmark: pd.DataFrame
    on_other_data: pd.DataFrame
    reference: str
    letters: Mapping[str, str]
    datasets_used: tuple[str, ...]
    left_out: Mapping[str, str]


def compare(
    scores: Scores,
    metric: str = "prom_f1",
    *,
    reference: str | None = None,
    permutations: int = PERMUTATIONS,
    draws: int = DRAWS,
    seed: int = 0,
) -> Comparison:
    """Compare all pairs on this benchmark, and one reference with all on other data.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare.
    metric : str, default "prom_f1"
        What they are compared by.
    reference : str, optional
        Whom all others are compared with on other data.
    permutations : int, default 19999
        Of the test on this benchmark.
    draws : int, default 50000
        Of the Bayesian test.
    seed : int, default 0
        Of all random numbers.
    """
    import pandas as pd

    scores.check_metric(metric)
    means, left_out = comparable_means(scores, metric)
    sign = 1.0 if higher_is_better(metric) else -1.0
    means = sign * means
    order = means.mean().sort_values(ascending=False, kind="stable").index
    labels = [str(label) for label in order]
    if reference is None:
        own = [label for label in labels if label in own_labels(scores)]
        reference = (own or labels)[0]
    check_choice(reference, "reference", labels)
    used = tuple(means.index)
    flipped = np.zeros((permutations, len(labels)))
    drawn = np.zeros((BOOTSTRAPS, len(labels)))
    overall = np.zeros(len(labels))
    smallest = 0
    for dataset in used:
        rows = scores.table[scores.table["dataset"] == dataset]
        wide = rows.pivot_table(index="problem", columns="label", values=metric)
        values: Floats = sign * wide[labels].dropna().to_numpy(dtype=np.float64)
        count = len(values)
        smallest = min(smallest or count, count)
        # Sums of signed differences are differences of signed sums: one product for all
        # pairs.
        signs = (
            2.0
            * dataset_rng(dataset, count, seed + 1).integers(
                2, size=(permutations, count)
            )
            - 1.0
        )
        flipped += signs @ values / count / len(used)
        drawn += draw_weights(dataset, count, BOOTSTRAPS, seed) @ values / len(used)
        overall += values.mean(axis=0) / len(used)
    pairs = list(combinations(range(len(labels)), 2))
    rows = []
    for i, j in pairs:
        difference = overall[i] - overall[j]
        extreme = np.abs(flipped[:, i] - flipped[:, j]) >= abs(difference) - 1e-12
        p = (1 + int(extreme.sum())) / (1 + permutations)
        ends = np.quantile(drawn[:, i] - drawn[:, j], [0.025, 0.975])
        low, high = ends if smallest > 1 else (np.nan, np.nan)
        rows.append((labels[i], labels[j], difference, low, high, p))
    columns = ["first", "second", "difference", "low", "high", "p"]
    table = pd.DataFrame(rows, columns=columns)
    table["p_holm"] = holm(table["p"].to_numpy(dtype=np.float64))
    table["different"] = table["p_holm"] <= ALPHA
    alike = np.ones((len(labels), len(labels)), dtype=bool)
    for (i, j), different in zip(pairs, table["different"], strict=True):
        alike[i, j] = alike[j, i] = not different
    return Comparison(
        table,
        _on_other_data(means[labels], reference, draws, seed),
        reference,
        letters_of(labels, [[labels[n] for n in g] for g in largest_groups(alike)]),
        used,
        left_out,
    )


def _on_other_data(
    means: pd.DataFrame, reference: str, draws: int, seed: int
) -> pd.DataFrame:
    """Test a reference against each of the others, over datasets."""
    import pandas as pd

    rng = np.random.default_rng([seed, len(means)])
    weights = rng.dirichlet([PRIOR, *np.ones(len(means))], size=draws)
    rows = []
    for label in means.columns.drop(reference):
        # Whole numbers: ties among differences are seen.
        whole = np.rint(means[[reference, label]].to_numpy() * 10**DECIMALS)
        differences = (whole[:, 0] - whole[:, 1]) / 10**DECIMALS
        p = signed_rank(whole[:, 0] - whole[:, 1]).two_sided
        shares = probabilities(differences, ROPE, weights)
        rows.append((label, differences.mean(), p, *shares))
    columns = ["label", "difference", "p", "p_reference", "p_equal", "p_other"]
    table = pd.DataFrame(rows, columns=columns)
    table.insert(3, "p_holm", holm(table["p"].to_numpy(dtype=np.float64)))
    table.insert(4, "different", table["p_holm"] <= ALPHA)
    return table
