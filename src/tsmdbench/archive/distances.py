"""Distances between all instances of a dataset: Euclidean and dependent DTW.

Euclidean distance needs one length, so instances of several lengths are resampled,
linearly, to the mean length. DTW is aeon's (squared differences, summed over channels,
all channels warped together, no window); its matrix is filled in row blocks, so that
beside the matrix itself, kept in float32, only one block of float64 is in memory.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.archive.dataset import Instance
from tsmdbench.errors import MissingExtraError

Matrix = NDArray[np.float32]
Progress = Callable[[int, int], None]
BLOCK_CELLS = 2**21  # 16 MiB of float64 per block
DISTANCES = ("euclidean", "dtw")


def resampled(instances: Sequence[Instance], length: int) -> NDArray[np.float64]:
    """Return all instances at `length` samples, by linear interpolation.

    >>> resampled([np.array([[0.0], [2.0]])], 3)[0].ravel().tolist()
    [0.0, 1.0, 2.0]
    """
    d = instances[0].shape[1]
    out = np.empty((len(instances), length, d))
    at = np.linspace(0.0, 1.0, length)
    for row, instance in enumerate(instances):
        if len(instance) == length:
            out[row] = instance
            continue
        own = np.linspace(0.0, 1.0, len(instance))
        for channel in range(d):
            out[row, :, channel] = np.interp(at, own, instance[:, channel])
    return out


def euclidean_matrix(instances: Sequence[Instance]) -> Matrix:
    """Return all Euclidean distances; several lengths are resampled to their mean."""
    from scipy.spatial.distance import cdist

    lengths = [len(instance) for instance in instances]
    length = max(1, round(sum(lengths) / len(lengths)))
    flat = resampled(instances, length).reshape(len(instances), -1)
    n = len(flat)
    out = np.empty((n, n), dtype=np.float32)
    rows = max(1, BLOCK_CELLS // n)
    for start in range(0, n, rows):
        out[start : start + rows] = cdist(flat[start : start + rows], flat)
    return out


def dtw_matrix(
    instances: Sequence[Instance], *, jobs: int = 1, progress: Progress | None = None
) -> Matrix:
    """Return all dependent DTW distances (aeon's: costs are squared differences).

    Parameters
    ----------
    jobs : int
        Threads that aeon uses; -1 for all cores.
    progress : callable, optional
        Called with the rows done and the rows in all.
    """
    pairwise = _aeon_dtw()
    arrays = [np.ascontiguousarray(instance.T) for instance in instances]
    n = len(arrays)
    out = np.zeros((n, n), dtype=np.float32)
    # Few enough rows that progress moves, many enough that a call's cost is lost.
    rows = max(1, min(BLOCK_CELLS // n, -(-n // 20)))
    for start in range(0, n, rows):
        block = _stacked(arrays[start : start + rows])
        with warnings.catch_warnings():
            # numba's remark on an index inside aeon, of no consequence here
            warnings.filterwarnings("ignore", message="(?s).*unsafe cast from uint64")
            found = pairwise(block, _stacked(arrays[start:]), n_jobs=jobs)
        end = start + len(block)
        square = np.triu(found[:, : len(block)], 1)
        out[start:end, start:end] = square + square.T
        out[start:end, end:] = found[:, len(block) :]
        out[end:, start:end] = found[:, len(block) :].T
        if progress is not None:
            progress(min(start + rows, n), n)
    return out


def _stacked(arrays: list[NDArray[np.float64]]) -> Any:
    """Give aeon one array where lengths agree: it is faster than a list."""
    if len({array.shape for array in arrays}) == 1:
        return np.stack(arrays)
    return arrays


def _aeon_dtw() -> Any:
    try:
        from aeon.distances import dtw_pairwise_distance
    except ImportError:
        raise MissingExtraError("DTW distances need aeon", "archive") from None
    return dtw_pairwise_distance
