"""LoCoMotif: time-warped motif sets of varying length in one or more channels.

Every sample is compared with every other sample. Where one part of the series is
similar to another, the matching samples form a *path* in the matrix of similarities.
The slope of a path may vary, so copies at different speeds are recognised (time
warping). A candidate segment ``[b, e)`` induces a motif set: the segments that paths
connect with it. Its fitness is the harmonic mean of the similarity along these paths
and of the coverage, the share of the series that the set covers, both without the
candidate itself. The set of the candidate with the highest fitness is reported, its
samples are excluded, and the search is repeated.

Conventions
-----------
* Of candidates with equal fitness, the one with the lower start, then with the lower
  end, is chosen.
* Candidates have `l_min` to `l_max` samples; other members may be shorter or longer,
  at most by a factor of two and only with warping.
* `rho` is the strictness of the match of samples: the quantile of all similarities that
  a match must reach. The default is 0.8 with warping and 0.5 without.
* Members of a set overlap by at most the share `overlap` of the shorter one; of each
  reported member, the central share ``1 - 2 overlap`` of its samples is excluded.
* The series is z-normalised first, by default all channels jointly: with one mean and
  one standard deviation, which keeps the relative scale of channels. A series that is
  already normalised to within float32 accuracy is not changed. A constant series has no
  motifs.
* Of equally good ends of paths, the latest is taken first.

Normalisation matters if channels have different scales. Mean F1 on the 200 test
problems of multivariate datasets of TSMD-Bench, with the grid searched on 50 validation
problems (``python tools/normalization.py STORE``), is higher with ``"joint"`` than with
``"channel"`` on NATOPS (0.606 and 0.479), SpokenArabicDigits (0.549 and 0.379) and
JapaneseVowels (0.707 and 0.665); on the five others it differs by at most 0.005.

Cost
----
O(d n^2) time for the similarities of d channels and O(n^2) for the paths; the search
for candidates takes O(n (l_max - l_min + 1)) times the number of paths, once per set.
Memory depends on the number of samples and hardly on the data. One bit per pair of
samples, which changes during the search, is in memory: n^2 / 16 bytes. About one byte
per pair is written once and read back along paths, and so are the ends of
paths, eight bytes each. All of this is in memory up to a limit of 1 GB, which the
environment variable ``TSMDBENCH_MEMORY`` sets, in GB. Beyond it, which is from about
36,000 samples on, it is in temporary files of up to 0.8 n^2 bytes. They are gone when
the search ends, also after an interrupt. Measured in total, interpreter included, on
noise, a drift, an ECG and a sine with `rho` 0.5 and 0.8: 0.27 to 0.35 GB for 10,000
samples; on a drift 1.0 GB for 50,000 (``python benchmarks/locomotif.py memory``).
The authors' package has a variant for long series, `LargeScaleLoCoMotif`. On noise with
`rho` 0.8 it took 4.7 and 124 s of processor time for 4,000 and 8,000 samples, with the
processes that it starts, and 0.4 GB; this class at most 0.2 s, and 0.25 to 0.33 GB
(``python benchmarks/locomotif.py variant``).
If memory or disk are too small, an error states the number of bytes before any work.

Limitations
-----------
* Copies with a different level or amplitude are missed: the series is z-normalised as a
  whole, not window by window.
* If `rho` is too low, sets contain false positives, because warping makes many segments
  similar. Suitable values depend on the data; tune it.
* Long series are slow: time grows with the square of the length.
* Patterns that occur in some of the channels only are missed.

References
----------
D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel: LoCoMotif: discovering
time-warped motifs in time series. Data Mining and Knowledge Discovery 38, 2024.
https://doi.org/10.1007/s10618-024-01032-z. Results are compared with the authors'
package `dtai-locomotif` 0.2.0 (MIT).

Departures
----------
The result is the same as that of the authors' release, called as its documentation
describes, except for the order of exactly equal ends of paths. In the release this
order depends on an unstable sort; here the latest end comes first. The release with a
stable sort gives identical motif sets. Other differences: NaN and infinite samples,
`l_min` below 4 and series shorter than ``2 l_min`` raise an `InputError`; masks are not
modified; and the series is z-normalised, which the authors leave to the caller
(``normalize=None`` does this, too). The variance that scales the similarity is summed
in float32 in memory order, as in the authors' code, so it may differ in the last bit
for a copy of a series in another memory order.

Against the unmodified release, on five test problems of each of the 12 datasets with
the 18 settings of the grid, 94 % of the outputs are identical: all on ECG5000, Fungi,
PenDigits, Plane and Symbols, 71 % on ArticularyWordRecognition, 86 % on NATOPS, 87 % on
SpokenArabicDigits, and 96 % to 99 % on the others. Mean F1 is 0.440 with both; it
differs by at most 0.008 on a dataset (``python benchmarks/locomotif.py parity``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np

from tsmdbench._kernels.locomotif import candidates, needed
from tsmdbench._kernels.locomotif.similarity import similarities_of
from tsmdbench._kernels.progress import tell
from tsmdbench._kernels.threads import SOON, Threads, check_stop, thread_count
from tsmdbench.arrays import Floats
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.methods._grids import Grid
from tsmdbench.methods._locomotif import Paths, Search, Similarities, Storage
from tsmdbench.methods.base import (
    Found,
    Method,
    Series,
    check_fits,
    check_length,
    check_max_sets,
    check_n_jobs,
)
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_choice, check_flag, check_integer, check_number

NORMALIZE = ("joint", "channel")
NORMALIZED = 1e-5  # mean and deviation that a z-normalised float32 series is within
STORE = 1 << 28  # cells up to which a sweep keeps all similarities, four bytes each
TURN = 1 << 24  # paths of candidates between which a search may be interrupted


@dataclass(frozen=True)
class LoCoMotif(Method):
    """Find motif sets by local warping paths and the fitness of what they induce.

    Parameters
    ----------
    l_min, l_max : int
        Shortest and longest candidate in samples, at least 4.
    rho : float, optional
        Strictness in (0, 1); None means 0.8 with warping and 0.5 without.
    warping : bool, default True
        Whether members may be stretched.
    overlap : float, default 0.0
        Largest share by which two members may overlap, in [0, 0.5].
    max_sets : int, optional
        Largest number of sets; None for all.
    start_mask, end_mask : sequence of bool, optional
        Samples at which a candidate may start, and which may be its last sample.
    normalize : {"joint", "channel", None}, default "joint"
        How to z-normalise the series: all channels together, as the authors do, each
        channel separately, or not at all.
    n_jobs : int, default 1
        Number of threads; -1 means one per processor. They share the rows of a long
        series, or the settings of a sweep, in which each thread needs its own memory
        and the largest `n_jobs` of all settings is used. Results do not depend on it.

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
    normalize: Literal["joint", "channel"] | None = "joint"
    n_jobs: int = field(default=1, compare=False)

    univariate: ClassVar[bool] = False
    takes_missing: ClassVar[bool] = False
    constant: ClassVar[str] = "keep"
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "intra"
    paper: ClassVar[Mapping[str, Any]] = {
        "overlap": 0.0,
        "start_mask": None,
        "end_mask": None,
        "normalize": "joint",
    }
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
        check_flag(self.warping, "warping")
        if self.normalize is not None:
            check_choice(self.normalize, "normalize", NORMALIZE)
        check_max_sets(self.max_sets)
        check_n_jobs(self.n_jobs)
        for name in ("start_mask", "end_mask"):
            # A tuple, so that methods can be compared, hashed and stored.
            object.__setattr__(self, name, _check_mask(getattr(self, name), name))

    def _checked(self, series: Any) -> Series:
        """Check the series; keep its memory order, which the authors' sums follow."""
        x = super()._checked(series)
        fortran = x.shape[1] > 1 and np.isfortran(np.asarray(series))
        return np.asfortranarray(x) if fortran else x

    @classmethod
    def _warm_up(cls, series: Series) -> None:
        del series
        rows = np.zeros((2, 8), np.uint8)
        needed.require_origins_inplace(rows, rows.copy())  # for long series only

    def _find(self, x: Series) -> Found:
        return _discover(x, [self])[0]

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Find for all settings, computing the similarities once."""
        found: dict[int, Found] = {}
        for choice in ("joint", "channel", None):
            alike = [t for t, m in enumerate(methods) if m.normalize == choice]
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


def _discover(x: Series, methods: Sequence[LoCoMotif]) -> list[Found]:
    """Find for several settings that agree on the normalisation.

    What takes longer is done in a thread of its own, which an interrupt ends: in the
    main thread it may come while a kernel hands its result over, and what is raised
    then is not a KeyboardInterrupt.
    """
    if len(methods) * len(x) ** 2 < SOON:
        return _found(x, methods)
    with Threads(1) as pool:
        (found,) = pool.results([pool.submit(_found, x, methods)])
    return list(found)


def _found(x: Series, methods: Sequence[LoCoMotif]) -> list[Found]:
    """Find for several settings; see `_discover`."""
    alike: dict[tuple[bool, float, int], list[int]] = {}  # have the paths in common
    for t, m in enumerate(methods):
        check_fits(x, m.l_min, "l_min")
        for name in ("start_mask", "end_mask"):
            mask = getattr(m, name)
            if mask is not None and len(mask) != len(x):
                raise InputError(
                    f"{name} has {len(mask)} values, but the series has {len(x)} "
                    "samples"
                )
        alike.setdefault((not m.warping, m._strictness, m.l_min), []).append(t)
    # Several settings are shared by threads; a single one shares its rows.
    jobs = max(thread_count(m.n_jobs) for m in methods)
    searches = min(jobs, len(alike))
    spare = [Storage(len(x), searches) for _ in range(searches)]
    z = _normalized(x, methods[0].normalize).astype(np.float32)
    similarities = Similarities(z, jobs, STORE if len(alike) > 1 else 0)
    if similarities.constant:
        return [() for _ in methods]
    taus = {rho: similarities.quantile(rho) for _, rho, _ in alike}
    if searches > 1:
        similarities.jobs = 1
    found: dict[int, Found] = {}
    shares = dict.fromkeys(alike, 0.0)  # fractions done

    def run(key: tuple[bool, float, int]) -> None:
        def report(share: float) -> None:
            shares[key] = share
            tell(sum(shares.values()) / len(shares))

        straight, rho, l_min = key
        storage = spare.pop()
        search = Search(similarities, taus[rho], l_min, storage, warping=not straight)
        paths = search.paths(report)
        spare.append(storage)
        check_stop()
        reverse = len(x) - 1 - paths.cells
        along = similarities_of(*similarities.source, reverse)
        for t in alike[key]:
            found[t] = _motif_sets(methods[t], paths, along, len(x))

    # What takes longest first, so that no thread is left alone with it at the end.
    if searches == 1:
        for key in sorted(alike):
            run(key)
    else:
        with Threads(searches) as pool:
            list(pool.map(run, sorted(alike)))
    return [found[t] for t in range(len(methods))]


def _motif_sets(method: LoCoMotif, paths: Paths, along: Floats, n: int) -> Found:
    """Return motif sets, the fittest first, given paths and similarities along them."""
    # What paths, their mirror images and the main diagonal induce.
    check_stop()
    spans, columns, sums = candidates.tabulate(n, paths.cells, paths.offsets, along)
    check_stop()
    spans = spans[np.argsort(spans[:, 0], kind="stable")]
    allowed = np.ones((2, n), np.bool_)
    for row, given in enumerate((method.start_mask, method.end_mask)):
        allowed[row] = True if given is None else given
    limits = np.array([method.l_min, method.l_max, np.float32(method.overlap)], float)
    counts = np.zeros((2, n + 1), np.int64)
    counts[1] = np.arange(n + 1)  # at first every sample has changed
    mask = np.zeros(n, np.bool_)
    ends, fitness = np.zeros(n, np.int64), np.zeros(n)
    starts = n - method.l_min + 1
    width = method.l_max - method.l_min + 1
    turn = max(1, TURN * n // (len(columns) * width))
    sets: list[MotifSet] = []
    while method.max_sets is None or len(sets) < method.max_sets:
        for first in range(0, starts, turn):
            part = first, min(first + turn, starts)
            candidates.update_candidates_inplace(
                spans, columns, sums, counts, allowed, limits, ends, fitness, *part
            )
            check_stop()
        start = int(np.argmax(fitness))
        if fitness[start] <= 0:
            break
        end = int(ends[start])
        crossing = spans[(spans[:, 0] <= start) & (spans[:, 1] >= end)]
        base = crossing[:, 2] - crossing[:, 0]
        begins = columns[base + start, 1].astype(np.int64)
        stops = columns[base + end - 1, 1].astype(np.int64) + 1
        free = counts[0, stops] == counts[0, begins]
        sets.append(MotifSet.from_valid(np.stack([begins[free], stops[free]], axis=1)))
        before = mask.copy()
        for begin, stop in zip(
            begins[free].tolist(), stops[free].tolist(), strict=True
        ):
            # The central part, at least a sample.
            length = max(1, int((1 - 2 * method.overlap) * (stop - begin)))
            middle = begin + (stop - begin - length) // 2
            mask[middle : middle + length] = True
        counts[0, 1:] = np.cumsum(mask)
        counts[1, 1:] = np.cumsum(mask & ~before)
        allowed[:, mask] = False
    return tuple(sets)


def _normalized(x: Series, how: str | None) -> Series:
    """Z-normalise what is not so already; what is constant becomes 0."""
    if how is None:
        return x
    axis = None if how == "joint" else 0
    mean, deviation = x.mean(axis=axis), x.std(axis=axis)
    done = (np.abs(mean) < NORMALIZED) & (np.abs(deviation - 1) < NORMALIZED)
    mean = np.where(done, 0.0, mean)
    deviation = np.where(done | (deviation == 0), 1.0, deviation)
    normalized: Series = (x - mean) / deviation
    return normalized


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
