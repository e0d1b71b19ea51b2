"""LoCoMotif: time-warped motif sets of varying length in one or more channels.

Every sample is compared with every other one. Where one stretch of the series resembles
another, the matching samples form a *path* (`_locomotif`), and the path may
run faster or slower than time itself: so copies of different pace are recognised. A
candidate segment ``[b, e)`` induces a motif set: the stretches to which paths lead from
it. Its fitness is the harmonic mean of the similarity along those paths and of the
coverage, the share of the series that the set covers, both without the candidate
itself. The set of the fittest candidate is reported, its samples are barred, and the
search is repeated.

Conventions
-----------
* Fitness is compared strictly, so the candidate that begins, then ends, first wins.
* Candidates have `l_min` to `l_max` samples; other members may be shorter or longer,
  at most by a factor of two and only with warping.
* `rho` is how strict the match of samples is: the quantile of all similarities that a
  match has to reach; 0.8 with warping and 0.5 without unless given.
* Members of a set overlap by at most the share `overlap` of the shorter one; of each
  reported member the central ``1 - 2 overlap`` of its samples are barred.
* Each channel is z-normalised over the whole series first; a channel that is so to
  within float32 accuracy is left as it is. A constant series has no motifs.

Cost
----
O(d n^2) time for the similarities of d channels and O(n^2) for the paths; the search
for candidates takes O(n (l_max - l_min + 1)) times the number of paths, once per set.
Memory is 2.5 n^2 bytes for similarities and links: 250 MB for n = 10,000. Where the
order of equally good path ends matters, mostly for small `rho`, it takes 4 n^2 bytes
more up to n = 5,792, 2 n^2 and 64 MiB beyond: 0.65 to 0.8 GB in all for n = 10,000.
At most 92,681 samples are taken.

Finds badly
-----------
* Copies at another level or amplitude: channels are z-normalised over the whole series,
  not window by window, and samples are compared as they then are.
* With a `rho` that is too low, chance matches: warping lets much look alike, and sets
  gain false members. What is too low depends on the data; tune it.
* Long series: time and memory grow with the square.
* Patterns in some of the channels only.

References
----------
D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel: LoCoMotif: discovering
time-warped motifs in time series. Data Mining and Knowledge Discovery 38, 2024.
https://doi.org/10.1007/s10618-024-01032-z. The authors' package `dtai-locomotif` 0.2.0
(MIT) is what results are compared with.

Departures
----------
The result is that of the authors' release: on ten problems of instances from each of
twelve archive datasets, with three rho, with and without warping, 720 of 720 outputs
are identical, and so are their scores. What differs is at the edges. NaN and infinite
samples, `l_min` below 4 and series shorter than ``2 l_min`` are errors there is a
sentence for, masks that were passed in are not written to, and the series is
z-normalised, which the authors leave to the caller (``znormalize=False`` does too).
The variance that scales the similarity is summed in float32 in memory order, as theirs
is: a series and its copy in another memory order may differ in the last bit of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import candidates, cumulative
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.methods._grids import Grid
from tsmdbench.methods._locomotif import (
    Paths,
    Scratch,
    Similarities,
    find_paths,
    quantiles,
)
from tsmdbench.methods.base import (
    Found,
    Method,
    Series,
    check_fits,
    check_length,
    check_max_sets,
)
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_flag, check_integer, check_number

NORMALIZED = 1e-5  # mean and deviation that a z-normalised float32 channel is within
KEEP = 1 << 30  # bytes of similarities up to which a sweep keeps a second copy


@dataclass(frozen=True)
class LoCoMotif(Method):
    """Find motif sets by local warping paths and the fitness of what they induce.

    Parameters
    ----------
    l_min, l_max : int
        Shortest and longest candidate in samples, at least 4.
    rho : float, optional
        Strictness in (0, 1); by default 0.8 with warping and 0.5 without.
    warping : bool, default True
        Whether members may be stretched.
    overlap : float, default 0.0
        Largest share that two members may overlap by, in [0, 0.5].
    max_sets : int, optional
        Largest number of motif sets; by default all.
    start_mask, end_mask : sequence of bool, optional
        Samples that a candidate may start at, and that it may have as its last.
    znormalize : bool, default True
        Whether to z-normalise each channel first.
    n_jobs : int, default 1
        Threads that share the similarities and the settings of a sweep; the largest of
        all settings counts. Each takes memory of its own. Results do not depend on it.

    Examples
    --------
    Three waves in noise, found to the sample without warping:

    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=300)
    >>> for start in (30, 130, 240):
    ...     x[start : start + 40] = np.sin(np.arange(40) / 4)
    >>> LoCoMotif(l_min=40, l_max=40, warping=False, max_sets=1).find(x)
    (MotifSet(((30, 70), (130, 170), (240, 280))),)

    With warping, members may differ in length, and noise that happens to fit joins:

    >>> LoCoMotif(l_min=30, l_max=40, max_sets=1).find(x)
    (MotifSet(((29, 70), (130, 170), (240, 282))),)
    """

    l_min: int
    l_max: int
    rho: float | None = None
    warping: bool = True
    overlap: float = 0.0
    max_sets: int | None = None
    start_mask: Sequence[bool] | None = None
    end_mask: Sequence[bool] | None = None
    znormalize: bool = True
    n_jobs: int = field(default=1, compare=False)

    univariate: ClassVar[bool] = False
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "intra"
    symbolic: ClassVar[bool] = False
    grid: ClassVar[Grid] = {
        "warping": (True, False),
        "rho": tuple(tenth / 10 for tenth in range(1, 10)),
    }

    def __post_init__(self) -> None:
        l_min = check_length(self.l_min, "l_min")
        l_max = check_integer(self.l_max, "l_max")
        if l_max < l_min:
            raise InputError(
                f"l_max must be at least l_min, got l_min={l_min} and l_max={l_max}"
            )
        if self.rho is not None and not 0 < check_number(self.rho, "rho") < 1:
            raise InputError(f"rho must lie in (0, 1), got {self.rho}")
        if not 0 <= check_number(self.overlap, "overlap") <= 0.5:
            raise InputError(f"overlap must lie in [0, 0.5], got {self.overlap}")
        for name in ("warping", "znormalize"):
            check_flag(getattr(self, name), name)
        check_max_sets(self.max_sets)
        check_integer(self.n_jobs, "n_jobs", minimum=1)
        for name in ("start_mask", "end_mask"):
            # A tuple, so that methods can be compared, hashed and stored.
            object.__setattr__(self, name, _check_mask(getattr(self, name), name))

    def _checked(self, series: Any) -> Series:
        """Check the series; keep its memory order, which the authors' sums follow."""
        x = super()._checked(series)
        if not np.isfinite(x).all():
            at = int(np.flatnonzero(~np.isfinite(x).all(axis=1))[0])
            raise InputError(
                f"series must be finite, but sample {at} is {x[at].tolist()}; "
                "fill or cut out what is missing"
            )
        fortran = x.shape[1] > 1 and np.isfortran(np.asarray(series))
        return np.asfortranarray(x) if fortran else x

    def _find(self, x: Series) -> Found:
        return _discover(x, [self])[0]

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Find for all settings, computing the similarities once."""
        found: dict[int, Found] = {}
        for choice in (True, False):
            alike = [t for t, m in enumerate(methods) if bool(m.znormalize) == choice]
            if alike:
                chosen = [methods[t] for t in alike]
                x = chosen[0]._checked(series)
                found.update(zip(alike, _discover(x, chosen), strict=True))
        return [found[t] for t in range(len(methods))]

    @property
    def _strictness(self) -> float:
        if self.rho is not None:
            return float(self.rho)
        return 0.8 if self.warping else 0.5

    def _motif_sets(self, found: Paths, along: NDArray[np.float32], n: int) -> Found:
        """Return motif sets, the fittest first, given paths and similarities along."""
        induced = _Induced(found, along, n)
        allowed = np.array([_allowed(self.start_mask, n), _allowed(self.end_mask, n)])
        limits = np.array([self.l_min, self.l_max, np.float32(self.overlap)], float)
        counts = np.zeros((2, n + 1), np.int64)
        counts[1] = np.arange(n + 1)  # at first every sample has changed
        mask = np.zeros(n, np.bool_)
        ends, fitness = np.zeros(n, np.int64), np.zeros(n)
        sets: list[MotifSet] = []
        while self.max_sets is None or len(sets) < self.max_sets:
            candidates.update_candidates_inplace(
                *induced.tables, counts, allowed, limits, ends, fitness
            )
            start = int(np.argmax(fitness))
            if fitness[start] <= 0:
                break
            segments = induced.segments(start, int(ends[start]), counts[0])
            sets.append(MotifSet.from_valid(segments))
            barred = _barred(mask, segments, self.overlap)
            counts[0, 1:] = np.cumsum(barred)
            counts[1, 1:] = np.cumsum(barred & ~mask)
            mask = barred
            allowed[:, mask] = False
        return tuple(sets)


class _Induced:
    """What paths, their mirror images and the main diagonal induce."""

    def __init__(self, found: Paths, along: NDArray[np.float32], n: int) -> None:
        spans, columns, sums = candidates.tabulate(n, found.cells, found.offsets, along)
        spans = spans[np.argsort(spans[:, 0], kind="stable")]
        self.tables = spans, columns, sums

    def segments(
        self, start: int, end: int, masked: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the segments that [start, end) induces on samples not masked."""
        spans, columns, _ = self.tables
        crossing = spans[(spans[:, 0] <= start) & (spans[:, 1] >= end)]
        base = crossing[:, 2] - crossing[:, 0]
        begins = columns[base + start, 1].astype(np.int64)
        stops = columns[base + end - 1, 1].astype(np.int64) + 1
        free = masked[stops] == masked[begins]
        return np.stack([begins[free], stops[free]], axis=1)


def _discover(x: Series, methods: Sequence[LoCoMotif]) -> list[Found]:
    """Find for several settings that agree on z-normalisation."""
    for method in methods:
        check_fits(x, method.l_min, "l_min")
        for name in ("start_mask", "end_mask"):
            _check_mask_length(getattr(method, name), len(x), name)
    n_jobs = max(m.n_jobs for m in methods)
    similarities = Similarities(
        (_znormalized(x) if methods[0].znormalize else x).astype(np.float32), n_jobs
    )
    if similarities.constant:
        return [() for _ in methods]
    alike: dict[tuple[float, bool, int], list[int]] = {}
    for t, m in enumerate(methods):
        alike.setdefault((m._strictness, bool(m.warping), m.l_min), []).append(t)
    packed = similarities.packed()
    taus = quantiles(packed, [rho for rho, _, _ in alike], n_jobs)
    keep = len(alike) > 1 and packed.nbytes <= KEEP
    found: dict[int, Found] = {}
    spare: list[Scratch] = []  # passed on from setting to setting

    def run(tau: np.float32, places: list[int]) -> None:
        """Find for settings that have the paths in common."""
        first = methods[places[0]]
        try:
            scratch = spare.pop()
        except IndexError:  # asked for in one step: another thread may take the last
            scratch = Scratch()
        if keep:
            cells = scratch.array("cells", len(packed), np.float32)
        else:
            cells = packed if not found else similarities.packed(packed)
        cumulative.cumulate_inplace(packed, len(x), tau, first.warping, cells)
        paths = find_paths(
            cells, len(x), tau, first.l_min, warping=first.warping, scratch=scratch
        )
        along = similarities.along(paths, packed if keep else None)
        for t in places:
            found[t] = methods[t]._motif_sets(paths, along, len(x))
        spare.append(scratch)

    # What takes longest first, so that no thread is left alone with it at the end.
    tasks = sorted(zip(alike, taus, strict=True), key=lambda t: (not t[0][1], t[0][0]))
    # Kernels run outside the interpreter lock; without copies they have to take turns.
    jobs = n_jobs if keep else 1
    with ThreadPoolExecutor(min(jobs, len(alike))) as pool:
        list(pool.map(lambda task: run(task[1], alike[task[0]]), tasks))
    return [found[t] for t in range(len(methods))]


def _znormalized(x: Series) -> Series:
    """Z-normalise each channel that is not so already; a constant one becomes 0."""
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    done = (np.abs(mean) < NORMALIZED) & (np.abs(deviation - 1) < NORMALIZED)
    mean[done], deviation[done] = 0.0, 1.0
    deviation[deviation == 0] = 1.0
    normalized: Series = (x - mean) / deviation
    return normalized


def _barred(
    mask: NDArray[np.bool_], segments: NDArray[np.int64], overlap: float
) -> NDArray[np.bool_]:
    """Return `mask` with the central part of each segment added, at least a sample."""
    barred = mask.copy()
    for start, end in segments.tolist():
        length = max(1, int((1 - 2 * overlap) * (end - start)))
        first = start + (end - start - length) // 2
        barred[first : first + length] = True
    return barred


def _check_mask(mask: Any, name: str) -> tuple[bool, ...] | None:
    """Return a mask as a tuple of bool."""
    if mask is None:
        return None
    values = np.asarray(mask)
    if values.ndim != 1 or values.dtype.kind != "b":
        raise InputTypeError(
            f"{name} must be one-dimensional and of bool, got shape {values.shape} "
            f"and type {values.dtype}"
        )
    return tuple(values.tolist())


def _check_mask_length(mask: Sequence[bool] | None, n: int, name: str) -> None:
    """Raise unless a mask has one value per sample."""
    if mask is not None and len(mask) != n:
        raise InputError(
            f"{name} has {len(mask)} values, but the series has {n} samples"
        )


def _allowed(mask: Sequence[bool] | None, n: int) -> NDArray[np.bool_]:
    """Return a mask as an array; all samples where there is none."""
    return np.ones(n, np.bool_) if mask is None else np.array(mask, np.bool_)
