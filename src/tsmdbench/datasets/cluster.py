"""Clustering without labels, and how well it finds the classes of a dataset.

Motif problems can only be made from classes whose instances look alike, so a dataset
is suitable when clustering finds its classes again: k-medoids with as many clusters as
classes, once under Euclidean distance and once under dependent DTW, each compared with
the labels by the adjusted Rand index (1: the classes; 0: chance).

References
----------
E. Schubert, P. J. Rousseeuw, "Fast and eager k-medoids clustering", Information
Systems 101, 2021, doi:10.1016/j.is.2021.101804 (FasterPAM, of the package kmedoids).
L. Hubert, P. Arabie, "Comparing partitions", Journal of Classification 2, 1985,
doi:10.1007/BF01908075 (the adjusted Rand index).

Departures
----------
The paper does not say how k-medoids was started. FasterPAM is a local search, so it is
started `RESTARTS` times from random medoids and the lowest loss counts.

Distances
---------
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

from tsmdbench.datasets.construct import normalized
from tsmdbench.datasets.dataset import Instance, label_order
from tsmdbench.datasets.draws import Draws
from tsmdbench.io.files import import_optional
from tsmdbench.validation import check_choice

RESTARTS = 10
THRESHOLD = 0.5  # mean adjusted Rand index of a suitable dataset
Matrix = NDArray[np.float32]
Progress = Callable[[int, int], None]
BLOCK_CELLS = 2**21  # 16 MiB of float64 per block
DISTANCES = ("euclidean", "dtw")


def class_balanced(
    labels: Sequence[str], max_instances: int | None, seed: int = 0
) -> list[int]:
    """Return positions of at most `max_instances` instances, as even as classes allow.

    Small classes are kept whole; what they leave is shared by the larger ones.

    >>> kept = class_balanced("a" * 90 + "b" * 5, 20)
    >>> len(kept), sum(position >= 90 for position in kept)
    (20, 5)
    """
    if max_instances is None or len(labels) <= max_instances:
        return list(range(len(labels)))
    draws = Draws(seed, "class balanced part")
    members: dict[str, list[int]] = {}
    for position, label in enumerate(labels):
        members.setdefault(label, []).append(position)
    queues = [draws.shuffled(members[label]) for label in sorted(members)]
    rounds = max(map(len, queues))
    in_turn = [q[turn] for turn in range(rounds) for q in queues if turn < len(q)]
    return sorted(in_turn[:max_instances])


def distance_matrix(
    instances: Sequence[Instance],
    distance: str,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Matrix:
    """Return float32 distances between jointly z-normalised instances.

    ``"dtw"`` is the squared cost of aeon, ``"dtw_root"`` its root, which dtaidistance,
    the package that the paper's authors use, returns.
    """
    check_choice(distance, "distance", (*DISTANCES, "dtw_root"))
    unit = [normalized(instance, "joint") for instance in instances]
    if distance == "euclidean":
        return euclidean_matrix(unit)
    squared = dtw_matrix(unit, jobs=jobs, progress=progress)
    return np.sqrt(squared) if distance == "dtw_root" else squared


def adjusted_rand_of_classes(
    distances: Matrix, labels: Sequence[str], *, seed: int = 0
) -> float:
    """Return the adjusted Rand index of the clustering of lowest loss."""
    from sklearn.metrics import adjusted_rand_score

    need = "clustering needs kmedoids"
    fasterpam = import_optional("kmedoids", need, "archive").fasterpam
    k = len(set(labels))
    found = []
    for start in range(RESTARTS):
        draws = Draws(seed, "medoids", start)
        medoids = np.array(draws.sample(range(len(distances)), k), dtype=np.uint64)
        found.append(fasterpam(distances, medoids, n_cpu=1))
    best = min(found, key=lambda one: one.loss)  # the first of equal ones
    return float(adjusted_rand_score(list(labels), best.labels))


def near_duplicate_classes(
    distances: Matrix, labels: Sequence[str], *, ratio: float = 1.1
) -> list[tuple[str, str]]:
    """Return pairs of classes that lie hardly further apart than they are wide.

    A pair counts when the mean distance between the two classes is below `ratio`
    times the mean distance within them.
    """
    names = sorted(set(labels), key=label_order)
    members = {name: np.flatnonzero(np.array(labels) == name) for name in names}
    within = {}
    for name, own in members.items():
        pairs_within = len(own) * (len(own) - 1)
        within[name] = distances[np.ix_(own, own)].sum() / max(pairs_within, 1)
    pairs = []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            between = distances[np.ix_(members[first], members[second])].mean()
            if between < ratio * (within[first] + within[second]) / 2:
                pairs.append((first, second))
    return pairs


def resampled(instances: Sequence[Instance], length: int) -> NDArray[np.float64]:
    """Return all instances at `length` samples, by linear interpolation.

    >>> resampled([np.array([[0.0], [2.0]])], 3)[0].ravel().tolist()
    [0.0, 1.0, 2.0]
    """
    out = np.empty((len(instances), length, instances[0].shape[1]))
    at = np.linspace(0.0, 1.0, length)
    for row, instance in enumerate(instances):
        if len(instance) == length:
            out[row] = instance
            continue
        own = np.linspace(0.0, 1.0, len(instance))
        for channel, values in enumerate(instance.T):
            out[row, :, channel] = np.interp(at, own, values)
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

    `progress` is called with the rows done and the rows in all.
    """
    aeon = import_optional("aeon.distances", "DTW distances need aeon", "archive")
    arrays: Any = [np.ascontiguousarray(instance.T) for instance in instances]
    if len({array.shape for array in arrays}) == 1:
        arrays = np.stack(arrays)  # aeon is faster on one array than on a list
    n = len(arrays)
    out = np.zeros((n, n), dtype=np.float32)
    # Few enough rows that progress moves, many enough that a call's cost is lost.
    rows = max(1, min(BLOCK_CELLS // n, -(-n // 20)))
    for start in range(0, n, rows):
        block = arrays[start : start + rows]
        with warnings.catch_warnings():
            # numba's remark on an index inside aeon, of no consequence here
            warnings.filterwarnings("ignore", message="(?s).*unsafe cast from uint64")
            found = aeon.dtw_pairwise_distance(block, arrays[start:], n_jobs=jobs)
        end = start + len(block)
        square = np.triu(found[:, : len(block)], 1)
        out[start:end, start:end] = square + square.T
        out[start:end, end:] = found[:, len(block) :]
        out[end:, start:end] = found[:, len(block) :].T
        if progress is not None:
            progress(min(start + rows, n), n)
    return out
