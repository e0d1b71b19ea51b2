"""PROM by its definition: every matching of sets is tried, in exact fractions.

Slow and obvious on purpose; imports nothing from the package.
"""

from fractions import Fraction
from itertools import permutations


def overlap_rate(a, b):
    common = max(0, min(a[1], b[1]) - max(a[0], b[0]))
    return Fraction(common, (a[1] - a[0]) + (b[1] - b[0]) - common)


def best_sets(beta, found, threshold):
    """Return the found sets that hold a segment of the best rate, if matchable."""
    best = {
        j: max((overlap_rate(alpha, beta) for alpha in motifs), default=Fraction(0))
        for j, motifs in enumerate(found)
    }
    top = max(best.values(), default=Fraction(0))
    return {j for j, rate in best.items() if rate == top} if top > threshold else set()


def matchings(g, d):
    """Yield every one-to-one matching of min(g, d) pairs."""
    if g <= d:
        for columns in permutations(range(d), g):
            yield list(zip(range(g), columns, strict=True))
    else:
        for rows in permutations(range(g), d):
            yield list(zip(rows, range(d), strict=True))


def ratio(over, under):
    return Fraction(over) / under if under else Fraction(0)


def evaluate(truth, found, threshold=Fraction(1, 2)):
    """Return the best matching's numbers, with and without off-target penalty."""
    tied = [[best_sets(beta, found, threshold) for beta in motifs] for motifs in truth]
    return summarise(tied, truth, found)


def summarise(tied, truth, found):
    """Do steps 2 and 3, given the found sets that each true motif may count for."""
    g, d = len(truth), len(found)
    hits = [[sum(j in sets for sets in row) for j in range(d)] for row in tied]

    def worth(pairs):
        return (
            sum(hits[i][j] for i, j in pairs),
            -sum(len(found[j]) for _, j in pairs),
            -sum(len(truth[i]) for i, _ in pairs),
            sum(ratio(2 * hits[i][j], len(truth[i]) + len(found[j])) for i, j in pairs),
            sum(ratio(hits[i][j], len(found[j])) for i, j in pairs),
            sum(ratio(hits[i][j], len(truth[i])) for i, j in pairs),
        )

    pairs = max(matchings(g, d), key=worth)
    tp, _, _, f1, precision, recall = worth(pairs)
    in_pairs = sum(len(found[j]) for _, j in pairs)
    everything = sum(map(len, found))
    motifs = sum(map(len, truth))
    answer = {}
    for penalize, counted in ((False, in_pairs), (True, everything)):
        sets = d if penalize else len(pairs)
        answer[penalize] = {
            "tp": tp,
            "fp": counted - tp,
            "fn": motifs - tp,
            "precision": ratio(tp, counted),
            "recall": ratio(tp, motifs),
            "f1": ratio(2 * tp, counted + motifs),
            "macro_precision": ratio(precision, sets),
            "macro_recall": ratio(recall, g),
            "macro_f1": ratio(f1, max(g, d) if penalize else g),
        }
    return answer


def plain_f1(truth, found):
    """Return micro F1 as a person would first write it: loops over all pairs.

    Greedy where sets tie, so only for inputs whose best matching is unique; this is
    the yardstick of the speed comparison.
    """
    counts = [[0] * len(found) for _ in truth]
    for i, motifs in enumerate(truth):
        for start, end in motifs:
            best, winner = 0.5, None
            for j, others in enumerate(found):
                for other_start, other_end in others:
                    common = min(end, other_end) - max(start, other_start)
                    if common > 0:
                        rate = common / (max(end, other_end) - min(start, other_start))
                        if rate > best:
                            best, winner = rate, j
            if winner is not None:
                counts[i][winner] += 1
    pairs = max(
        matchings(len(truth), len(found)),
        key=lambda pairs: sum(counts[i][j] for i, j in pairs),
    )
    tp = sum(counts[i][j] for i, j in pairs)
    counted = sum(len(found[j]) for _, j in pairs)
    return 2 * tp / (counted + sum(map(len, truth)))
