r"""Hyperparameters from the truth of each problem: the protocol ``pvldb``.

**Uses the truth.** A method is told what it is asked to find: how many sets there are,
how long they are and how alike. Scores are upper bounds of what it does on data that
nobody has annotated; they are never mixed with those of the other protocol, because the
dataset's name says ``protocol=pvldb``.

Conventions
-----------
All of one problem, as the published code has it:

``max_sets``
    Number of true sets. A-PEPA infers it, so it is not told.
``length``
    Mean length of the sets, weighted by their numbers of occurrences, whole samples.
    For PEPA and A-PEPA this minus the largest standard deviation of a set.
``l_min``, ``l_max``
    Shortest and longest occurrence.
``k_max``
    Number of occurrences of the largest set.
``radius``
    Of one set: half of the largest distance between two occurrences, where the distance
    is the smallest between windows of the length of the set's shortest occurrence. Of
    the problem: the mean weighted by numbers of occurrences. It is published for unit
    vectors, ``sqrt(2 (1 - correlation))`` with two decimals, and is multiplied by the
    root of `length` for z-normalised windows.

Other fields keep the values of the published code where it has the method
(`PUBLISHED`), otherwise the defaults of the class. Failed runs score 0.

Departures
----------
* The published data has one channel. On several, a method that looks at one gets the
  radius of its channel, the first; the others get the mean distance over the channels.
* Lengths below 4, the shortest window of a method, are given as 4, and a `k_max` of 2
  as 3, the smallest that Motiflets takes.
* Of a set with more than 50 occurrences, 50 at equal steps are compared; of an
  occurrence with more than 32 windows, 32 at equal steps.
* LatentMotifs runs once; the publication reports the mean of five seeds.

References
----------
The comparison of motif discovery methods of PVLDB 2025; ``get_params_by_ts`` and
``compute_empirical_radius`` of its code, package tsmd 0.1.4 (MIT).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.experiments.grids import untuned
from tsmdbench.experiments.method_info import Described
from tsmdbench.experiments.settings import SMALLEST, DataFacts
from tsmdbench.methods.base import MIN_LENGTH
from tsmdbench.types import MotifSet, Problem

Array = NDArray[np.float64]
MOST_OCCURRENCES = 50
MOST_WINDOWS = 32
MIN_K = 3
DECIMALS = 2  # of a published radius
PERSISTENCE = ("pepa", "apepa")
_GRAMMAR = {"window": 30, "word_length": 10, "alphabet_size": 5}
# Fields that the published code has as defaults, where ours has another or none.
PUBLISHED: Mapping[str, Mapping[str, Any]] = {
    "apepa": {"max_sets": None},
    "gv_sequitur": _GRAMMAR,
    "gv_repair": _GRAMMAR,
    "locomotif": {"rho": 0.8, "warping": True},
    "panmp": {"radius_factor": 3.0},
    "stomp": {"radius_factor": 3.0},
    "valmod": {"radius_factor": 3.0},
}


class TruthFacts(NamedTuple):
    """What the truth of one problem says.

    Attributes
    ----------
    facts : DataFacts
        Lengths, radii and numbers; see the module.
    persistence_length : int
        The window of PEPA and A-PEPA.
    """

    facts: DataFacts
    persistence_length: int


def truth_facts(problem: Problem) -> TruthFacts:
    """Derive hyperparameters from the truth of a problem.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = {"a": MotifSet([(0, 20), (40, 62)]), "b": MotifSet([(70, 80)] * 2)}
    >>> found = truth_facts(Problem(rng.normal(size=100), truth))
    >>> found.facts.length, found.facts.l_min, found.facts.l_max, found.facts.k_max
    (15, 10, 22, 3)
    >>> found.persistence_length
    14
    """
    x = problem.series[:, None] if problem.series.ndim == 1 else problem.series
    sets = [motifs for motifs in problem.truth.values() if len(motifs)]
    counts = np.array([len(motifs) for motifs in sets])
    mean = np.average([motifs.lengths.mean() for motifs in sets], weights=counts)
    length = max(MIN_LENGTH, int(mean))
    deviation = int(max(motifs.lengths.std() for motifs in sets))
    lengths = np.concatenate([motifs.lengths for motifs in sets])
    radii = np.array([_unit_radii(x, motifs) for motifs in sets]).round(DECIMALS)
    weighted = np.average(radii, axis=0, weights=counts).round(DECIMALS)
    scaled = [max(float(r) * math.sqrt(length), SMALLEST) for r in weighted]
    l_min = max(MIN_LENGTH, int(lengths.min()))
    facts = DataFacts(
        length,
        l_min,
        max(l_min, int(lengths.max())),
        max(MIN_K, int(counts.max())),
        len(sets),
        x.shape[1],
        tuple(scaled[:-1]),
        scaled[-1],
    )
    return TruthFacts(facts, max(MIN_LENGTH, int(mean) - deviation))


def truth_setting(
    method: Described, known: TruthFacts, fixed: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the setting of a method on the problem that facts are of.

    Parameters
    ----------
    method : Described
    known : TruthFacts
    fixed : mapping
        Fields that are given; they go before.
    """
    given: dict[str, Any] = dict(PUBLISHED.get(method.name, {}))
    if method.name in PERSISTENCE:
        given["length"] = known.persistence_length
    return untuned(method, known.facts, {**given, **fixed})


def _unit_radii(x: Array, motifs: MotifSet) -> list[float]:
    """Return the radius of a set on each channel, and in the mean over channels."""
    steps = np.linspace(0, len(motifs) - 1, min(len(motifs), MOST_OCCURRENCES))
    chosen = motifs.segments[np.rint(steps).astype(np.int64)]
    length = int(motifs.lengths.min())
    windows = [_unit_windows(x[start:end], length) for start, end in chosen]
    radii = np.zeros(x.shape[1] + 1)
    for first, second in combinations(windows, 2):
        each = _distances(first, second)
        joint = each.mean(axis=0).min()
        radii = np.maximum(radii, [*each.min(axis=(1, 2)), joint])
    return [float(radius) / 2 for radius in radii]


def _unit_windows(segment: Array, length: int) -> Array:
    """Return windows of a segment, ``[d, windows, length]``, centred and of norm 1."""
    views = np.lib.stride_tricks.sliding_window_view(segment, length, axis=0)
    number = min(len(views), MOST_WINDOWS)
    steps = np.rint(np.linspace(0, len(views) - 1, number)).astype(np.int64)
    windows = np.moveaxis(views[steps], 1, 0)
    centred = windows - windows.mean(axis=2, keepdims=True)
    norm = np.linalg.norm(centred, axis=2, keepdims=True)
    flat = norm <= 1e-12 * np.abs(windows).max(axis=2, keepdims=True)
    unit: Array = np.where(flat, 0.0, centred / np.where(flat, 1.0, norm))
    return unit


def _distances(first: Array, second: Array) -> Array:
    """Return Euclidean distances, ``[d, windows, windows]``."""
    products = first @ np.swapaxes(second, 1, 2)
    norms = (first**2).sum(2)[:, :, None] + (second**2).sum(2)[:, None, :]
    squares: Array = np.maximum(norms - 2 * products, 0.0)
    return np.sqrt(squares)
