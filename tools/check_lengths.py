"""Compare ways to estimate the length of motifs on the recordings suite.

    python tools/check_lengths.py [--every N] [--split validation]

Prints a Markdown table: for each dataset and way, the number of problems whose
estimate lies within a factor of two of the mean true length. The rivals are those of
A. Ermshaus, P. Schäfer, U. Leser, "Window Size Selection in Unsupervised Time Series
Analytics: A Review and Benchmark", AALTD 2022; SuSS and the multi-window finder are
written from its text. Needs the data of the suite (TSMDBENCH_DATA).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from tsmdbench.benchmark import RECORDINGS_SUITE, load_recordings_suite
from tsmdbench.methods import estimate_length

Floats = NDArray[np.float64]
SHORTEST = 10
THRESHOLD = 0.89  # of SuSS


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="take every Nth problem")
    parser.add_argument("--split", default="test", choices=("test", "validation"))
    given = parser.parse_args()
    print("| dataset | problems | " + " | ".join(WAYS) + " |")
    print("|---|--:|" + "--:|" * len(WAYS))
    for name in RECORDINGS_SUITE:
        chosen = load_recordings_suite(name, given.split)[:: given.every]
        hits = np.zeros(len(WAYS), dtype=int)
        for problem in chosen:
            lengths = [motifs.lengths for motifs in problem.truth.values()]
            true = float(np.concatenate(lengths).mean())
            found = [way(problem.series) for way in WAYS.values()]
            hits += [true / 2 <= one <= 2 * true for one in found]
        cells = " | ".join(f"{hit}" for hit in hits)
        print(f"| {name} | {len(chosen)} | {cells} |", flush=True)


def per_channel(way: Callable[[Floats], int]) -> Callable[[Floats], float]:
    """Return the median over at most five channels."""

    def median(series: Floats) -> float:
        x = series[:, None] if series.ndim == 1 else series
        step = max(1, x.shape[1] // 5)
        return float(np.median([way(channel) for channel in x.T[::step]]))

    return median


def moving_mean(x: Floats, window: int) -> Floats:
    """Return the mean of every window."""
    sums = np.cumsum(np.concatenate([[0.0], x]))
    return (sums[window:] - sums[:-window]) / window


def fourier(x: Floats) -> int:
    """Return the period of the highest Fourier coefficient."""
    n = len(x)
    power = np.abs(np.fft.rfft(x - x.mean())) ** 2
    periods = n / np.maximum(np.arange(len(power)), 1)
    power[(periods < SHORTEST) | (periods > n / 4)] = 0
    power[0] = 0
    return round(n / max(1, int(power.argmax())))


def autocorrelation(x: Floats) -> int:
    """Return the lag of the highest peak."""
    n, lags = len(x), len(x) // 4
    power = np.abs(np.fft.rfft(x - x.mean(), 2 * n)) ** 2
    curve = np.fft.irfft(power)[:lags] / (n - np.arange(lags))
    inner = np.arange(SHORTEST, lags - 1)
    rising, falling = curve[inner] > curve[inner - 1], curve[inner] >= curve[inner + 1]
    peaks = inner[rising & falling]
    return int(peaks[curve[peaks].argmax()]) if len(peaks) else 0


def suss(x: Floats) -> int:
    """Return twice the shortest window whose statistics are those of the series."""
    x = (x - x.min()) / (np.ptp(x) or 1.0)
    whole = np.array([x.mean(), x.std(), np.ptp(x)])

    def score(window: int) -> float:
        mean = moving_mean(x, window)
        variance = np.maximum(moving_mean(x * x, window) - mean**2, 0)
        spread = maximum_filter1d(x, window) - minimum_filter1d(x, window)
        middle = spread[window // 2 : window // 2 + len(mean)]
        of_windows = np.stack([mean, np.sqrt(variance), middle])
        off = np.linalg.norm(of_windows - whole[:, None], axis=0) / np.sqrt(window)
        return float(off.mean())

    highest, lowest = score(1), score(len(x) - 1)
    low, high = SHORTEST, len(x) // 4
    while low < high:
        middle = (low + high) // 2
        alike = 1 - (score(middle) - lowest) / (highest - lowest)
        low, high = (middle + 1, high) if alike < THRESHOLD else (low, middle)
    return 2 * low


def multi_window(x: Floats) -> int:
    """Return the mean of the first three lengths whose moving means vary least."""
    windows = np.arange(SHORTEST, min(1000, len(x) // 4), 4)
    off = []
    for window in windows:
        means = moving_mean(x, int(window))
        off.append(np.log(np.abs(means - means.mean()).sum() + 1e-300))
    curve = np.array(off)
    inner = np.arange(1, len(curve) - 1)
    low = inner[(curve[inner] < curve[inner - 1]) & (curve[inner] < curve[inner + 1])]
    first = windows[low[:3]] / np.arange(1, len(low[:3]) + 1)
    return round(float(first.mean())) if len(first) else 0


WAYS: dict[str, Callable[[Floats], float]] = {
    "contrast (ours)": lambda series: estimate_length(series).length,
    "Fourier": per_channel(fourier),
    "autocorrelation": per_channel(autocorrelation),
    "SuSS": per_channel(suss),
    "multi-window": per_channel(multi_window),
}

if __name__ == "__main__":
    main()
