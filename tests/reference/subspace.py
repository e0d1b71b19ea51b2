"""Subspace PROM by its definition: sets are (channels, motifs), motifs lists of pairs.

Slow and obvious on purpose; imports nothing from the package. Step 1 is replaced; the
rest is `tests/reference/prom.py`. And merging sets of channels: here the overlap of two
motifs is computed from their intervals whenever it is needed.
"""

from fractions import Fraction
from itertools import combinations, product

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


def linked_overlap(one, two, linkage):
    """Return the mean or least overlap rate over pairs of channels."""
    rates = [overlap_rate(a, b) for a, b in product(one.values(), two.values())]
    return min(rates) if linkage == "minimum" else sum(rates) / len(rates)


def matched(one, two, delta, linkage):
    """Return pairs of motifs of two sets, best first and one to one, and overlaps."""
    pairs = []
    for (i, a), (j, b) in product(enumerate(one), enumerate(two)):
        rate = linked_overlap(a, b, linkage)
        if rate > delta:
            pairs.append((-rate, sorted(sorted(m.values()) for m in (a, b)), i, j))
    chosen = []
    for rate, _, i, j in sorted(pairs):
        if all(i != left and j != right for _, left, right in chosen):
            chosen.append((-rate, i, j))
    return chosen


def merged(found, delta, linkage):
    """Return merged sets: lists of motifs, each a dict of channel to interval."""
    sets = [
        [{channel: segment} for segment in motifs]
        for channel, sets in enumerate(found)
        for motifs in sets
    ]
    while True:
        sets = [one for one in sets if len(one) > 1]
        content = [sorted(sorted(motif.values()) for motif in one) for one in sets]
        ranked = []
        for s, t in combinations(range(len(sets)), 2):
            if not sets[s][0].keys() & sets[t][0].keys():
                pairs = matched(sets[s], sets[t], delta, linkage)
                if len(pairs) > 1:
                    mean = sum(rate for rate, *_ in pairs) / len(pairs)
                    both = sorted((content[k], sorted(sets[k][0])) for k in (s, t))
                    ranked.append((-len(pairs), -mean, both, s, t, pairs))
        if not ranked:
            return sets
        *_, s, t, pairs = min(ranked)
        new = [{**sets[s][i], **sets[t][j]} for _, i, j in pairs]
        for k, gone in ((s, {i for _, i, _ in pairs}), (t, {j for *_, j in pairs})):
            sets[k] = [motif for i, motif in enumerate(sets[k]) if i not in gone]
        sets.append(new)
