"""LatentMotifs from its description, with every window built."""

import numpy as np


def windows(x, m):
    cut = np.lib.stride_tricks.sliding_window_view(x, m)
    return (cut - cut.mean(axis=1, keepdims=True)) / cut.std(axis=1, keepdims=True)


def objective(x, centres, square, alpha):
    """Frequency and penalty, term by term."""
    k, m = centres.shape
    cut = windows(x, m)
    frequency = 0.0
    for centre in centres:
        for window in cut:
            frequency += np.exp(-alpha / square * ((window - centre) ** 2).sum())
    penalty = 0.0
    for p in range(k):
        for q in range(p + 1, k):
            gap = ((centres[p] - centres[q]) ** 2).sum()
            penalty += max(0.0, 1 - gap / (2 * square)) ** 2
    if k > 1:
        penalty *= 2 / (k * (k - 1))
    return frequency / (k * len(cut)), penalty


def slope(x, centres, square, alpha, step=1e-5):
    """Derivative of frequency - penalty by central differences."""
    result = np.empty_like(centres)
    for place in np.ndindex(*centres.shape):
        ends = []
        for sign in (1, -1):
            moved = centres.copy()
            moved[place] += sign * step
            frequency, penalty = objective(x, moved, square, alpha)
            ends.append(frequency - penalty)
        result[place] = (ends[0] - ends[1]) / (2 * step)
    return result


def climb(x, centres, square, alpha, rate, iterations):
    """AdaGrad with the gradients of all windows and centres as one tensor."""
    k, m = centres.shape
    cut = windows(x, m)
    traces = np.zeros_like(centres)
    for _ in range(iterations):
        gaps = cut[:, None] - centres
        shares = np.exp(-alpha / square * (gaps**2).sum(axis=2))
        pull = (shares[..., None] * gaps).sum(axis=0)
        gradient = 2 * alpha / (k * len(cut) * square) * pull
        between = centres[:, None] - centres
        near = np.maximum(0, 2 * square - (between**2).sum(axis=2))
        push = (near[..., None] * between).sum(axis=1)
        gradient = gradient + 2 / (k * (k - 1) * square**2) * push
        traces += gradient**2
        centres = centres + rate * gradient / np.sqrt(traces)
    return centres
