"""Statistics of rankings, from their definitions."""

import itertools
import math

import numpy as np


def tau_b(x, y):
    """Kendall's tau-b by looking at every pair; NaN where x or y orders no pair."""
    alike = differently = ordered_x = ordered_y = 0
    for i in range(len(x)):
        for j in range(i):
            a, b = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
            alike += a * b > 0
            differently += a * b < 0
            ordered_x += a != 0
            ordered_y += b != 0
    if not ordered_x or not ordered_y:
        return math.nan
    return (alike - differently) / math.sqrt(ordered_x * ordered_y)


def mean_rank(values, position, *, lowest_is_best=False):
    """Rank of one value, best is 1; equal values share the mean of their places."""
    value = values[position]
    better = sum(v < value if lowest_is_best else v > value for v in values)
    equal = sum(v == value for v in values)
    return better + (equal + 1) / 2


def signed_rank_p(x, y):
    """Two-sided exact p of Wilcoxon's signed-rank test: all signs, zeros left out."""
    differences = [a - b for a, b in zip(x, y, strict=True) if a != b]
    if not differences:
        return 1.0
    sizes = [abs(d) for d in differences]
    n = len(sizes)
    ranks = [n + 1 - mean_rank(sizes, i) for i in range(n)]
    seen = sum(r for r, d in zip(ranks, differences, strict=True) if d > 0)
    sums = [
        sum(r for r, sign in zip(ranks, signs, strict=True) if sign)
        for signs in itertools.product([0, 1], repeat=n)
    ]
    above = sum(s >= seen for s in sums) / len(sums)
    below = sum(s <= seen for s in sums) / len(sums)
    return min(1.0, 2 * min(above, below))


def holm(p_values, alpha):
    """Which hypotheses Holm's procedure rejects, going from the smallest p upwards."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    rejected = [False] * len(p_values)
    for step, i in enumerate(order):
        if p_values[i] > alpha / (len(p_values) - step):
            break
        rejected[i] = True
    return rejected


def bayesian_signed_rank(differences, rope, draws, seed):
    """Shares of draws in which first, equal, second has most mass: sums in loops.

    Weights of the observation 0, which comes first with pseudo-count one half, and of
    the differences come from gamma variables, one by one. Differences and rope are
    whole numbers, so a sum at the border of the rope is seen: half of it lies inside.
    """
    rng = np.random.RandomState(seed)
    z = [0, *differences]
    wins = [0, 0, 0]
    for _ in range(draws):
        drawn = [rng.gamma(0.5), *(rng.gamma(1.0) for _ in differences)]
        mass = [0.0, 0.0, 0.0]
        for a, u in zip(z, drawn, strict=True):
            for b, v in zip(z, drawn, strict=True):
                side = 0 if a + b > 0 else 2
                outside = 1.0 if abs(a + b) > 2 * rope else 0.0
                if abs(a + b) == 2 * rope:
                    outside = 0.5
                mass[side] += outside * u * v
                mass[1] += (1 - outside) * u * v
        wins[mass.index(max(mass))] += 1
    return [count / draws for count in wins]
