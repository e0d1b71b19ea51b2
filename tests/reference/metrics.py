"""The other metrics by their definitions: every matching is tried.

Slow and obvious on purpose; imports nothing from the package.
"""

from fractions import Fraction
from itertools import combinations, permutations

from tests.reference.prom import matchings, overlap_rate, ratio


def common_samples(a, b):
    return max(0, min(a[1], b[1]) - max(a[0], b[0]))


def correctness(truth, found, threshold=Fraction(1, 2)):
    """Return C_m and C_g."""
    if not found:
        return Fraction(0), Fraction(0)

    def worth(i, j):
        rates = [overlap_rate(a, b) for b in truth[i] for a in found[j]]
        return Fraction(sum(rate for rate in rates if rate > threshold)) / len(truth[i])

    best = max(
        sum(worth(i, j) for i, j in pairs)
        for pairs in matchings(len(truth), len(found))
    )
    return best / min(len(truth), len(found)), best / len(truth)


def partial_matchings(left, right):
    """Yield every way to pair some of `left` with some of `right`."""
    for size in range(min(len(left), len(right)) + 1):
        for chosen in combinations(range(len(left)), size):
            for partners in permutations(range(len(right)), size):
                yield list(zip(chosen, partners, strict=True))


def motif_cost(true, found):
    """Return the cheapest matching of the motifs of two sets."""
    costs = []
    for pairs in partial_matchings(true, found):
        if any(not common_samples(true[i], found[j]) for i, j in pairs):
            continue
        cost = sum(abs(true[i][0] - found[j][0]) for i, j in pairs)
        cost += length(true[i] for i in set(range(len(true))) - {i for i, _ in pairs})
        cost += length(found[j] for j in set(range(len(found))) - {j for _, j in pairs})
        costs.append(cost)
    return min(costs)


def length(segments):
    return sum(end - start for start, end in segments)


def score(truth, found, penalize=False):
    totals = []
    for pairs in matchings(len(truth), len(found)):
        total = sum(motif_cost(truth[i], found[j]) for i, j in pairs)
        rows, columns = {i for i, _ in pairs}, {j for _, j in pairs}
        total += sum(length(truth[i]) for i in range(len(truth)) if i not in rows)
        if penalize:
            total += sum(length(f) for j, f in enumerate(found) if j not in columns)
        totals.append(total)
    return min(totals)


def largest_matching(true, found, counts):
    return max(
        len(pairs)
        for pairs in partial_matchings(true, found)
        if all(counts(true[i], found[j]) for i, j in pairs)
    )


def ranged(truth, found, share=Fraction(1, 2)):
    """Return macro and weighted precision, recall and F1."""

    def values(i, j):
        precise = largest_matching(
            truth[i],
            found[j],
            lambda b, a: common_samples(a, b) > share * (a[1] - a[0]),
        )
        recalled = largest_matching(
            truth[i],
            found[j],
            lambda b, a: common_samples(a, b) > share * (b[1] - b[0]),
        )
        p, r = ratio(precise, len(found[j])), ratio(recalled, len(truth[i]))
        return p, r, ratio(2 * p * r, p + r)

    def worth(pairs):
        shared = sum(
            common_samples(a, b) for i, j in pairs for b in truth[i] for a in found[j]
        )
        scores = [(values(i, j), len(truth[i])) for i, j in pairs]
        f1_first = (2, 0, 1)
        macro = [sum(s[k] for s, _ in scores) for k in f1_first]
        weighted = [sum(s[k] * w for s, w in scores) for k in f1_first]
        return shared, *macro, *weighted

    pairs = max(matchings(len(truth), len(found)), key=worth)
    motifs = sum(map(len, truth))
    scores = [(values(i, j), len(truth[i])) for i, j in pairs]
    macro = [Fraction(sum(s[k] for s, _ in scores)) / len(truth) for k in range(3)]
    weighted = [Fraction(sum(s[k] * w for s, w in scores)) / motifs for k in range(3)]
    return macro, weighted


def single_set(true, found, sample=False):
    def similar(a, b):
        common = common_samples(a, b)
        if sample:
            return common > 0
        return 2 * common > a[1] - a[0] and 2 * common > b[1] - b[0]

    hits = sum(any(similar(a, b) for b in true) for a in found)
    recalled = sum(any(similar(a, b) for a in found) for b in true)
    return ratio(hits, len(found)), ratio(recalled, len(true))


def pair_overlap(truth, found, rate):
    """Match greedily, the most overlapping pairs first; None where a tie decides."""
    table = {
        (i, j): max(
            rate(b[0], a[0]) + rate(b[1], a[1]), rate(b[0], a[1]) + rate(b[1], a[0])
        )
        for i, b in enumerate(truth)
        for j, a in enumerate(found)
    }
    total = Fraction(0)
    while table:
        i, j = max(table, key=table.get)
        rivals = [(k, m) for (k, m), v in table.items() if v == table[i, j] > 0]
        if any((k == i) != (m == j) for k, m in rivals):
            return None
        total += table[i, j] / 2
        table = {(k, m): v for (k, m), v in table.items() if k != i and m != j}
    return total / len(truth)
