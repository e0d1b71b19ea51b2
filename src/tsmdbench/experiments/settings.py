r"""Hyperparameters that follow from the data (section 6.2.2 of the paper).

They come from validation data only, so that a method never knows anything of the
problems that it is tested on.

Conventions
-----------
``length``, ``l_min``, ``l_max``
    The length of the instances. Where it varies: the mean, and the 0.1 and 0.9
    quantiles, rounded to whole samples.
``radius``
    For each class the instance that is most central: whose largest z-normalised
    Euclidean distance to the others of its class is smallest. The radius is the largest
    of these distances over all classes. Where lengths vary, instances are first
    resampled to the mean length, by linear interpolation. The distance is the one that
    the method compares: on its channel for a univariate method, the mean over the
    channels for the others. That is the rule ``"own"``. The rule ``"stacked"`` is that
    of the code of the paper's group: the Euclidean distance of the values of the
    archive as they are, all channels stacked, the same radius for every method. It has
    the unit of the dataset and so may limit nothing, or everything. A radius of 0,
    where classes have one validation instance each, is given as `SMALLEST`, since
    methods need one above 0.
``k_max``
    Twice the largest cardinality of a true motif set of the validation problems.
``max_sets``
    ``g_max = floor((c + 1) / 3)`` for c classes, which is what every method may return.

For TSMD-Bench and the subspace suite, the instances are the validation side of the
split. For problems that were not made of instances they are the true motifs of the
validation problems, and ``max_sets`` is the largest number of true sets. Labels of
annotated recordings name patterns within a recording, so the class of a motif is its
recording and its label.

Parameters from the truth
-------------------------
The protocol ``pvldb`` takes them from the truth of each problem, by other rules.

**Uses the truth.** A method knows what it has to find: how many sets there are,
how long they are and how alike. Scores are upper bounds of what it does on data
without annotations; they are never mixed with those of the other protocol, because the
dataset's name says ``protocol=pvldb``.

All of one problem, as the published code has it:

``max_sets``
    Number of true sets. A-PEPA infers it and does not get it.
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

Departures:

* The published data has one channel. On several, a method that looks at one gets the
  radius of its channel, the first; the others get the mean distance over the channels.
* Lengths below 4, the shortest window of a method, are given as 4, and a `k_max` of 2
  as 3, the smallest that Motiflets takes.
* Of a set with more than 50 occurrences, 50 at equal steps are compared; of an
  occurrence with more than 32 windows, 32 at equal steps.
* LatentMotifs runs once; the publication reports the mean of five seeds.

References
----------
The paper that proposes TSMD-Bench, section 6.2.2. The comparison of motif discovery
methods of PVLDB 2025; ``get_params_by_ts`` and ``compute_empirical_radius`` of its
code, package tsmd 0.1.4 (MIT).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.datasets.cluster import resampled
from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_facts
from tsmdbench.methods.base import MIN_LENGTH
from tsmdbench.types import MotifSet, Problem

Array = NDArray[np.float64]
QUANTILES = (0.1, 0.9)
RADII = ("own", "stacked")
FROM_DATA = ("length", "l_min", "l_max", "radius", "k_max", "max_sets")
SMALLEST = 1e-9  # stands for a radius of 0
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


@dataclass(frozen=True)
class DataFacts:
    """Hyperparameter values derived from validation data; see the module docstring.

    Attributes
    ----------
    channels : int
    channel_radius : tuple of float
        The radius on each channel.
    joint_radius : float
        The radius in the mean distance over the channels.
    stacked_radius : float
        The radius by the rule ``"stacked"``; NaN in manifests that do not have it.
    """

    length: int
    l_min: int
    l_max: int
    k_max: int
    max_sets: int
    channels: int
    channel_radius: tuple[float, ...]
    joint_radius: float
    stacked_radius: float = float("nan")

    def _repr_html_(self) -> str:
        """Show the values in a notebook."""
        radii = ", ".join(f"{radius:.3g}" for radius in self.channel_radius)
        facts = {
            "length": f"{self.length} ({self.l_min} to {self.l_max}) samples",
            "k_max": self.k_max,
            "max_sets": self.max_sets,
            "radius of each channel": radii,
            "radius over all channels": f"{self.joint_radius:.3g}",
        }
        return html_block(html_facts("What the validation data says", facts))

    def fields(
        self, names: Iterable[str], channel: int | None, radius: str = "own"
    ) -> dict[str, Any]:
        """Return values for those of the named fields that follow from data.

        Parameters
        ----------
        names : iterable of str
            Fields of a method.
        channel : int or None
            The one that the method looks at; None if it looks at all.
        radius : {"own", "stacked"}
            By which rule.
        """
        own = self.joint_radius if channel is None else self.channel_radius[channel]
        known = {
            "length": self.length,
            "l_min": self.l_min,
            "l_max": self.l_max,
            "radius": max(self.stacked_radius, SMALLEST)
            if radius == "stacked"
            else own,
            "k_max": self.k_max,
            "max_sets": self.max_sets,
        }
        return {name: known[name] for name in names if name in known}


def data_facts(problems: Sequence[Problem]) -> DataFacts:
    """Derive hyperparameters from the validation problems of a dataset."""
    instances, labels = validation_instances(problems)
    lengths = np.array([len(instance) for instance in instances])
    low, high = np.quantile(lengths, QUANTILES)
    length = round(float(lengths.mean()))
    stacked = resampled(instances, length)
    sets = [motifs for problem in problems for motifs in problem.truth.values()]
    channels = stacked.shape[2]
    if hasattr(problems, "labels"):
        g_max = (len(set(problems.labels)) + 1) // 3
    else:
        g_max = max(len(problem.truth) for problem in problems)
    each = tuple(
        central_radius(stacked[:, :, [channel]], labels) for channel in range(channels)
    )
    joint = each[0] if channels == 1 else central_radius(stacked, labels)
    return DataFacts(
        length,
        round(float(low)),
        round(float(high)),
        2 * max(len(motifs) for motifs in sets),
        g_max,
        channels,
        each,
        joint,
        stacked_radius(stacked, labels),
    )


def central_radius(instances: Array, labels: Sequence[Any]) -> float:
    """Return the largest distance of a class's most central instance, over classes.

    Parameters
    ----------
    instances : float64[k, length, d]
        The distance is the mean of z-normalised Euclidean distances over d channels.
    labels : sequence
        Class of each instance.

    Examples
    --------
    Two shapes and their mean, which is the most central:

    >>> rise, fall = np.arange(4.0), np.array([0.0, 3.0, 1.0, 2.0])
    >>> shapes = np.stack([rise, fall, rise + fall])[:, :, None]
    >>> round(central_radius(shapes, "aaa"), 4)
    1.1431
    """
    # Imported here and below: a leaderboard reads grids and needs no distances.
    from scipy.spatial.distance import cdist

    def mean_distances(members: Array) -> Array:
        channels = [cdist(values, values) for values in np.moveaxis(members, 2, 0)]
        return np.asarray(np.mean(channels, axis=0))

    return _most_central(_znormalized(instances), labels, mean_distances)


def stacked_radius(instances: Array, labels: Sequence[Any]) -> float:
    """Return the same by the Euclidean distance of all values, channels stacked.

    Parameters
    ----------
    instances : float64[k, length, d]
        As in the archive.
    labels : sequence
        Class of each instance.

    Examples
    --------
    >>> stacked_radius(np.array([[[0.0, 0.0]], [[3.0, 4.0]], [[6.0, 8.0]]]), "aaa")
    5.0
    """
    from scipy.spatial.distance import cdist

    def distances(members: Array) -> Array:
        values = members.reshape(len(members), -1)
        return np.asarray(cdist(values, values))

    return _most_central(instances, labels, distances)


def _most_central(
    instances: Array, labels: Sequence[Any], distances: Callable[[Array], Array]
) -> float:
    """Return the largest distance of a class's most central instance, over classes."""
    names = np.array([str(label) for label in labels])
    return max(
        float(distances(instances[names == name]).max(axis=1).min())
        for name in np.unique(names)
    )


def _znormalized(instances: Array) -> Array:
    """Z-normalise each channel of each instance; a constant one becomes zero."""
    centred = instances - instances.mean(axis=1, keepdims=True)
    scale = centred.std(axis=1, keepdims=True)
    flat = scale <= 1e-12 * np.abs(instances).max(axis=1, keepdims=True)
    return np.where(flat, 0.0, centred / np.where(flat, 1.0, scale))


def validation_instances(
    problems: Sequence[Problem],
) -> tuple[list[Array], list[Any]]:
    """Return the labelled instances that validation problems are made of."""
    if getattr(problems, "split", "validation") == "test":
        raise InputError(
            "settings must come from validation problems, not from the test"
        )
    if hasattr(problems, "instances"):
        places = _validation_side(problems)
        instances = [_as_channels(problems.instances[place]) for place in places]
        return instances, [problems.labels[place] for place in places]  # type: ignore[attr-defined]
    if hasattr(problems, "motifs"):  # recordings, which know what their labels mean
        return problems.motifs()  # type: ignore[no-any-return]
    found: list[Array] = []
    labels: list[Any] = []
    for problem in problems:
        series = _as_channels(problem.series)
        for label, motifs in problem.truth.items():
            found.extend(series[start:end] for start, end in motifs)
            labels.extend([label] * len(motifs))
    return found, labels


def _as_channels(series: Array) -> Array:
    return series[:, None] if series.ndim == 1 else series


def _validation_side(problems: Any) -> list[int]:
    """Return positions of all instances on the validation side of the split."""
    from tsmdbench.benchmark import DATASETS
    from tsmdbench.datasets.catalogue import archive_name
    from tsmdbench.datasets.construct import copy_groups, stratified_split
    from tsmdbench.datasets.draws import Draws

    used = {place for recipe in problems.recipes for place in recipe}
    name = archive_name(problems.name)
    if name not in DATASETS:
        return sorted(used)
    groups = copy_groups(problems.instances)
    draws = Draws(problems.seed, name, "split")
    side = stratified_split(problems.labels, groups, draws)["validation"]
    if not used <= set(side):
        raise InputError(
            f"the validation problems of {problems.name} use instances of the test side"
        )
    return list(side)


class TruthFacts(NamedTuple):
    """Hyperparameter values derived from the truth of one problem.

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


def _unit_radii(x: Array, motifs: MotifSet) -> list[float]:
    """Return the radius of a set on each channel, and in the mean over channels."""
    steps = np.linspace(0, len(motifs) - 1, min(len(motifs), MOST_OCCURRENCES))
    chosen = motifs.segments[np.rint(steps).astype(np.int64)]
    length = int(motifs.lengths.min())
    windows = [_unit_windows(x[start:end], length) for start, end in chosen]
    radii = np.zeros(x.shape[1] + 1)
    for first, second in combinations(windows, 2):
        products = first @ np.swapaxes(second, 1, 2)
        norms = (first**2).sum(2)[:, :, None] + (second**2).sum(2)[:, None, :]
        each = np.sqrt(np.maximum(norms - 2 * products, 0.0))  # [d, windows, windows]
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
