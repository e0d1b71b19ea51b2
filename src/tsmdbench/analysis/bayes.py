r"""How probable is it that one method is better? The Bayesian signed-rank test.

A test of significance cannot say that two methods are practically equal; this can. The
differences between two methods on the datasets, and one prior observation of 0, get
random weights: each draw from a Dirichlet distribution is a belief about how often
which difference occurs. With weights :math:`w` and differences :math:`z`,

.. math:: \theta_{first} = \sum_{i,j} w_i w_j [z_i + z_j > 2 r], \quad
          \theta_{second} = \sum_{i,j} w_i w_j [z_i + z_j < -2 r]

and the rest, :math:`\theta_{equal}`, lies in the region of practical equivalence (rope)
of half width :math:`r`. The probability that the first is better is the share of draws
in which :math:`\theta_{first}` is the largest of the three.

Conventions
-----------
* The prior observation has weight :math:`s = 0.5`; a difference is that of the means
  on a dataset, turned so that positive means that the first is better.
* A sum at the very border of the region counts half on each side. With ``rope=0``
  there is no region: the two probabilities sum to 1, and equal methods have 0.5 each.
* Only datasets that all methods have are used, as for ranks.
* 50,000 draws leave a standard error of at most 0.0023.

References
----------
A. Benavoli, G. Corani, J. Demsar, M. Zaffalon, "Time for a change: a tutorial for
comparing multiple classifiers through Bayesian analysis", JMLR 18(77), 2017.
A. Benavoli, F. Mangili, G. Corani, M. Zaffalon, F. Ruggeri, "A Bayesian Wilcoxon
signed-rank test based on the Dirichlet process", ICML 2014.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from tsmdbench.analysis.average_ranks import DECIMALS, comparable_means
from tsmdbench.analysis.scores import Scores
from tsmdbench.arrays import Floats
from tsmdbench.errors import InputError
from tsmdbench.validation import check_integer, check_number

if TYPE_CHECKING:
    import pandas as pd

PRIOR = 0.5  # weight of the observation of 0 that is there before any other


def bayesian_signed_rank(
    scores: Scores,
    metric: str = "prom_f1",
    *,
    rope: float = 0.01,
    draws: int = 50_000,
    seed: int = 0,
) -> pd.DataFrame:
    """Return for each pair how probable it is that either is better.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare.
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
    >>> rows = [(label, f"d{n}", 0, value + n / 100)
    ...     for label, value in (("a", 0.3), ("b", 0.301), ("c", 0.6))
    ...     for n in range(8)
    ... ]
    >>> table = pd.DataFrame(rows, columns=["label", "dataset", "problem", "prom_f1"])
    >>> bayesian_signed_rank(Scores(table)).round(2).to_numpy().tolist()
    [['a', 'b', 0.0, 1.0, 0.0], ['a', 'c', 0.0, 0.0, 1.0], ['b', 'c', 0.0, 0.0, 1.0]]
    """
    import pandas as pd

    if not check_number(rope, "rope") >= 0.0:
        raise InputError(f"rope must be at least 0, got {rope!r}")
    check_integer(draws, "draws", minimum=1)
    check_integer(seed, "seed", minimum=0)
    means, _ = comparable_means(scores, metric)
    sign = 1.0 if scores.higher_is_better(metric) else -1.0
    rng = np.random.default_rng([seed, len(means)])
    weights = rng.dirichlet([PRIOR, *np.ones(len(means))], size=draws)
    rows = []
    for first, second in combinations(means.columns, 2):
        differences = sign * (means[first] - means[second]).to_numpy(dtype=np.float64)
        rows.append((first, second, *probabilities(differences, rope, weights)))
    names = ["first", "second", "p_first", "p_equal", "p_second"]
    return pd.DataFrame(rows, columns=names)


def probabilities(
    differences: Floats, rope: float, weights: Floats
) -> tuple[float, float, float]:
    """Return the shares of draws that first, nobody, second wins."""
    if not len(differences):
        return (float("nan"),) * 3
    # Rounded, so that a sum at the border is seen to be there.
    z = np.array([0.0, *differences.round(DECIMALS)])
    sums = (z[:, None] + z).round(DECIMALS)
    border = round(2.0 * rope, DECIMALS)
    first, second = (_mass(side * sums, border, weights) for side in (1.0, -1.0))
    if not rope:
        better = np.where(np.isclose(first, second, atol=1e-12), 0.5, first > second)
        share = float(better.mean())
        return share, 0.0, 1.0 - share
    winner = np.argmax([1.0 - first - second, first, second], axis=0)
    equal, one, two = (np.bincount(winner, minlength=3) / len(winner)).tolist()
    return one, equal, two


def _mass(sums: Floats, border: float, weights: Floats) -> Floats:
    """Return for each draw the mass of the pairs whose sum lies beyond the border."""
    beyond = (sums > border) + 0.5 * (sums == border)
    mass: Floats = ((weights @ beyond) * weights).sum(axis=1)
    return mass
