"""Slow, obvious twins of the symbolic methods; imports nothing from the package."""

from __future__ import annotations

import itertools
from statistics import NormalDist

import numpy as np


def cuts(size: int) -> list[float]:
    return [NormalDist().inv_cdf(k / size) for k in range(1, size)]


def letters(window: np.ndarray, word_length: int, size: int) -> tuple[int, ...]:
    """SAX letters of one window, by repeating every sample `word_length` times."""
    deviation = window.std()
    if np.ptp(window) == 0:
        shape = np.zeros(len(window))
    else:
        shape = (window - window.mean()) / deviation
    means = np.repeat(shape, word_length).reshape(word_length, -1).mean(axis=1)
    # The slack decides ties, which rounding would decide differently each time.
    return tuple(sum(mean + 1e-9 >= cut for cut in cuts(size)) for mean in means)


def sax_words(x, window, word_length, size, numerosity):
    """Kept words and their starts; None for the first of windows without a word."""
    words, starts = [], []
    for start in range(len(x) - window + 1):
        samples = x[start : start + window]
        if not np.isfinite(samples).all():
            if not words or words[-1] is not None:
                words.append(None)
                starts.append(start)
            continue
        word = letters(samples, word_length, size)
        last = words[-1] if words else None
        if last is not None and numerosity != "none":
            apart = max(abs(a - b) for a, b in zip(word, last, strict=True))
            if apart <= (1 if numerosity == "mindist" else 0):
                continue
        words.append(word)
        starts.append(start)
    return words, starts


def bodies(symbols, offsets) -> list[list[int]]:
    bounds = list(offsets)
    return [
        [int(symbol) for symbol in symbols[start:end]]
        for start, end in itertools.pairwise(bounds)
    ]


def expansions(rules: list[list[int]]) -> list[list[int]]:
    """Words of every rule; -k refers to rule k. Loops instead of recursing deeply."""
    done: dict[int, list[int]] = {}
    while len(done) < len(rules):
        for k, body in enumerate(rules):
            if k not in done and all(-s in done for s in body if s < 0):
                done[k] = [w for s in body for w in (done[-s] if s < 0 else [s])]
    return [done[k] for k in range(len(rules))]


def grammar_faults(rules: list[list[int]]) -> list[str]:
    """What Sequitur promises and a grammar breaks: unique pairs, used rules."""
    faults = []
    uses = [0] * len(rules)
    places: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for k, body in enumerate(rules):
        if k and len(body) < 2:
            faults.append(f"rule {k} has the body {body}")
        for i, symbol in enumerate(body):
            if symbol < 0:
                uses[-symbol] += 1
            if i:
                places.setdefault((body[i - 1], symbol), []).append((k, i))
    for pair, found in places.items():
        for i, (rule, at) in enumerate(found):
            for other_rule, other in found[i + 1 :]:
                if rule != other_rule or abs(at - other) > 1:
                    faults.append(f"{pair} at {rule, at} and {other_rule, other}")
    faults += [f"rule {k} is used {n} times" for k, n in enumerate(uses) if k and n < 2]
    return faults


def repair(words: list[int]) -> list[list[int]]:
    """Re-Pair by recounting every pair in every round."""
    sequence = list(words)
    top = max(words, default=-1) + 1
    pairs: list[tuple[int, int]] = []
    while True:
        counts: dict[tuple[int, int], int] = {}
        last: dict[tuple[int, int], int] = {}
        for i, pair in enumerate(itertools.pairwise(sequence)):
            if last.get(pair) == i - 1:
                continue  # overlaps the one before
            counts[pair] = counts.get(pair, 0) + 1
            last[pair] = i
        if not counts or max(counts.values()) < 2:
            break
        best = max(counts, key=counts.__getitem__)  # the first of equal ones
        replaced, i = [], 0
        while i < len(sequence):
            if tuple(sequence[i : i + 2]) == best:
                replaced.append(top + len(pairs))
                i += 2
            else:
                replaced.append(sequence[i])
                i += 1
        sequence = replaced
        pairs.append(best)
    rules = [sequence, *map(list, pairs)]
    return [[s if s < top else -(s - top + 1) for s in body] for body in rules]


def in_order(rules: list[list[int]]) -> list[list[int]]:
    """Renumber the rules by where they first occur, the outer first."""
    number = {0: 0}

    def visit(rule: int) -> None:
        for symbol in rules[rule]:
            if symbol < 0 and -symbol not in number:
                number[-symbol] = len(number)
                visit(-symbol)

    visit(0)
    order = sorted(number, key=number.__getitem__)
    return [[s if s >= 0 else -number[-s] for s in rules[k]] for k in order]


def occurrences(rules: list[list[int]]) -> dict[int, list[int]]:
    """First words of the nodes of the derivation tree, by rule."""
    found: dict[int, list[int]] = {k: [] for k in range(len(rules))}
    lengths = [len(words) for words in expansions(rules)]

    def visit(rule: int, at: int) -> None:
        found[rule].append(at)
        for symbol in rules[rule]:
            if symbol < 0:
                visit(-symbol, at)
            at += lengths[-symbol] if symbol < 0 else 1

    visit(0, 0)
    return found


def disjoint(segments):
    kept = []
    for start, end in segments:
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def accept(groups, n, share, limit):
    """Indices of groups of which accepted ones cover at most a share."""
    covered = np.zeros(n, bool)
    chosen = []
    for k, segments in enumerate(groups):
        if len(chosen) == limit:
            break
        inside = sum(int(covered[start:end].sum()) for start, end in segments)
        if inside > share * sum(end - start for start, end in segments):
            continue
        chosen.append(k)
        for start, end in segments:
            covered[start:end] = True
    return chosen


def mean_squared_distance(windows: list[np.ndarray]) -> float:
    shapes = [
        np.zeros(len(w)) if np.ptp(w) == 0 else (w - w.mean()) / w.std()
        for w in windows
    ]
    pairs = [
        float(((a - b) ** 2).sum()) for i, a in enumerate(shapes) for b in shapes[:i]
    ]
    return sum(pairs) / len(pairs)


def mrmotif(x, length, levels, limit, share=0.5):
    """MrMotif from its definition, one window at a time."""
    ordered = []
    for level in levels:
        places: dict[tuple[int, ...], list[int]] = {}
        for start in range(len(x) - length + 1):
            samples = x[start : start + length]
            if np.isfinite(samples).all():
                places.setdefault(letters(samples, 8, level), []).append(start)
        sets = []
        for starts in places.values():
            first = [s for s in starts if s - 1 not in starts]
            segments = disjoint([(s, s + length) for s in first])
            if len(segments) > 1:
                apart = mean_squared_distance([x[a:b] for a, b in segments])
                sets.append((-len(segments), round(apart, 9), segments))
        ordered += [segments for *_, segments in sorted(sets)]
    return [ordered[k] for k in accept(ordered, len(x), share, limit)]
