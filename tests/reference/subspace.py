"""Subspace PROM by its definition: sets are (channels, motifs), motifs lists of pairs.

Slow and obvious on purpose; imports nothing from the package. Step 1 is replaced; the
rest is `tests/reference/prom.py`.
"""

from fractions import Fraction

from tests.reference.prom import overlap_rate, summarise


def overlap(true_set, true_motif, found_set, found_motif, tau):
    """Return the lowest overlap rate over common channels of comparable sets, or 0."""
    ours, theirs = set(true_set[0]), set(found_set[0])
    if Fraction(len(ours & theirs), len(ours | theirs)) < tau:
        return Fraction(0)
    mine = dict(zip(true_set[0], true_motif, strict=True))
    other = dict(zip(found_set[0], found_motif, strict=True))
    return min(overlap_rate(mine[c], other[c]) for c in ours & theirs)


def evaluate(truth, found, tau, threshold=Fraction(1, 2)):
    """Return the best matching's numbers, with and without off-target penalty."""
    tied = []
    for true_set in truth:
        row = []
        for motif in true_set[1]:
            best = {
                j: max(
                    (overlap(true_set, motif, found_set, m, tau) for m in found_set[1]),
                    default=Fraction(0),
                )
                for j, found_set in enumerate(found)
            }
            top = max(best.values(), default=Fraction(0))
            reached = {j for j, rate in best.items() if rate == top}
            row.append(reached if top > threshold else set())
        tied.append(row)
    return summarise(tied, [s[1] for s in truth], [s[1] for s in found])
