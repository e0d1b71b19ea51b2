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
per pair is written once and read back along paths, and so are the ends of paths, eight
bytes each: in memory up to a limit of 1 GB, which the environment variable
``TSMDBENCH_MEMORY`` sets, in GB, and beyond it, which is from about 33,000 samples on,
in a temporary file of up to 0.85 n^2 bytes. It is gone when the search ends, also after
an interrupt. If memory or disk are too small, an error states the number of bytes
before any work. Of a path that is found only the ends are kept until the bits are gone;
then it takes about 30 bytes per cell.

Measured in total, interpreter included, on noise, a drift, an ECG and a sine with `rho`
0.5 and 0.8: 0.24 to 0.30 GB for 10,000 samples, 0.27 to 0.47 GB for 50,000 and 0.4 to
1.3 GB for 100,000, in 34 to 238 s of processor time. For 200,000 with `rho` 0.8 it was
0.7 GB on noise, where few cells are needed, and 2.9 to 3.0 GB on the others, in 144 to
593 s; with 0.5 it is more. 2.5 GB are bits (``benchmarks/locomotif.py memory``).

The authors' package has a variant for long series, `LargeScaleLoCoMotif`. On noise with
`rho` 0.8 it took 4.7 and 124 s of processor time for 4,000 and 8,000 samples, with the
processes that it starts, and 0.4 GB; this class at most 0.2 s, and 0.25 to 0.33 GB
(``python benchmarks/locomotif.py variant``).

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

import contextlib
import ctypes
import functools
import itertools
import math
import mmap
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import candidates, paths, similarity, strips
from tsmdbench._kernels.locomotif.paths import SIDE
from tsmdbench._kernels.progress import report_progress
from tsmdbench._kernels.threads import SOON, Threads, check_stop, thread_count
from tsmdbench.arrays import Integers
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.methods._grids import Grid
from tsmdbench.methods.base import (
    Found,
    Method,
    Series,
    check_fields,
    check_fits,
)
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_choice, check_flag, check_number

NORMALIZE = ("joint", "channel")
NORMALIZED = 1e-5  # mean and deviation that a z-normalised float32 series is within
STORE = 1 << 28  # cells up to which a sweep keeps all similarities, four bytes each
STEP = 1 << 24  # paths of candidates between which a search may be interrupted
LIMIT = "TSMDBENCH_MEMORY"  # variable with the GB that may lie in memory, 1 if unset
BLOCK = 1 << 24  # cells between which a search may be interrupted
SPREAD = 2.0  # standard errors of the rank of a sampled quantile that are tried first
NARROW = 1 << 10  # columns that are worth a thread of their own
VICINITY = 10  # smallest width of the vicinity of a path, in samples
SHORT = 1 << 11  # samples up to which all rows are one strip
STRIP = 1 << 20  # most cells of a strip of a longer series, unless it has 64 rows
AHEAD = 64  # rows that are linked before others are settled
GROUP = 15  # lowest bits of a value that do not matter to its group
PART = 1 << 16  # bytes that are written at once
RUN = 1 << 20  # ends that are sorted at once
BATCH = 1 << 16  # ends that are looked at together, unless a group has more
TURN = 1 << 20  # cells of paths between which a search may be interrupted
IN_FILE = 1 << 14  # and between which the pages that were read are given back

Codes = NDArray[np.uint8]
Values = NDArray[np.float32]
Keys = NDArray[np.uint64]


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
        check_fields(self)
        if self.rho is not None and not 0 < check_number(self.rho, "rho") < 1:
            raise InputError(f"rho must lie in (0, 1), got {self.rho}")
        if not 0 <= check_number(self.overlap, "overlap") <= 0.5:
            raise InputError(f"overlap must lie in [0, 0.5], got {self.overlap}")
        check_flag(self.warping, "warping")
        if self.normalize is not None:
            check_choice(self.normalize, "normalize", NORMALIZE)
        for name in ("start_mask", "end_mask"):
            if (mask := getattr(self, name)) is None:
                continue
            values = np.asarray(mask)
            if values.ndim != 1 or values.dtype.kind != "b":
                raise InputTypeError(
                    f"{name} must be one-dimensional and of bool, got shape "
                    f"{values.shape} and type {values.dtype}"
                )
            # A tuple, so that methods can be compared, hashed and stored.
            object.__setattr__(self, name, tuple(values.tolist()))

    def _checked(self, series: Any) -> Series:
        """Check the series; keep its memory order, which the authors' sums follow."""
        x = super()._checked(series)
        fortran = x.shape[1] > 1 and np.isfortran(np.asarray(series))
        return np.asfortranarray(x) if fortran else x

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
    """Find for several settings that agree on the normalisation."""
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
    in_file = _needs_file(len(x), searches)
    found: list[Found] = [()] * len(methods)
    shares = dict.fromkeys(alike, 0.0)  # fractions done

    def find_all() -> None:
        z = _normalized(x, methods[0].normalize).astype(np.float32)
        if np.std(z) == 0:  # constant
            return
        of_z = Similarities(z, jobs, STORE if len(alike) > 1 else 0)
        taus = {rho: of_z.quantile(rho) for rho in {rho for _, rho, _ in alike}}

        def find(key: tuple[bool, float, int]) -> None:
            def report(share: float) -> None:
                shares[key] = share
                report_progress(sum(shares.values()) / len(shares))

            straight, rho, l_min = key
            fixed = of_z, taus[rho], l_min
            tables = Search(*fixed, warping=not straight, in_file=in_file).paths(report)
            for t in alike[key]:
                found[t] = _motif_sets(methods[t], *tables)

        # What takes longest first, so that no thread is left alone with it at the end.
        if searches == 1:
            for key in sorted(alike):
                find(key)
        else:
            of_z.jobs = 1
            with Threads(searches) as pool:
                pool.results([pool.submit(find, key) for key in sorted(alike)])

    # What takes longer is done in a thread of its own, which an interrupt ends: in the
    # main thread it may come while a kernel hands its result over, and what is raised
    # then is not a KeyboardInterrupt.
    if len(methods) * len(x) ** 2 < SOON:
        find_all()
    else:
        with Threads(1) as pool:
            pool.results([pool.submit(find_all)])
    return found


def _motif_sets(method: LoCoMotif, spans: Integers, columns: Any, sums: Any) -> Found:
    """Return motif sets, the fittest first; see `candidates` for the tables."""
    n = int(spans[0, 1])  # of the main diagonal
    spans = spans[np.argsort(spans[:, 0], kind="stable")]
    allowed = np.ones((2, n), np.bool_)
    for row, given in enumerate((method.start_mask, method.end_mask)):
        if given is not None:
            allowed[row] = given
    limits = np.array([method.l_min, method.l_max, np.float32(method.overlap)], float)
    counts = np.zeros((2, n + 1), np.int64)
    counts[1] = np.arange(n + 1)  # at first every sample has changed
    mask = np.zeros(n, np.bool_)
    ends, fitness = np.zeros(n, np.int64), np.zeros(n)
    starts = n - method.l_min + 1
    width = method.l_max - method.l_min + 1
    turn = max(1, STEP * n // (len(columns) * width))
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
        for begin, stop in sets[-1]:
            # The central part, at least a sample.
            length = max(1, int((1 - 2 * method.overlap) * (stop - begin)))
            middle = begin + (stop - begin - length) // 2
            mask[middle : middle + length] = True
        counts[0, 1:] = np.cumsum(mask)
        counts[1, 1:] = np.cumsum(mask & ~before)
        allowed[:, mask] = False
    return tuple(sets)


def _normalized(x: Series, how: str | None) -> Series:
    """Z-normalise unless already done; constant channels become 0."""
    if how is None:
        return x
    axis = None if how == "joint" else 0
    mean, deviation = x.mean(axis=axis), x.std(axis=axis)
    done = (np.abs(mean) < NORMALIZED) & (np.abs(deviation - 1) < NORMALIZED)
    mean = np.where(done, 0.0, mean)
    deviation = np.where(done | (deviation == 0), 1.0, deviation)
    normalized: Series = (x - mean) / deviation
    return normalized


# Paths. All values are float32 and computed in the order of operations of the authors'
# release, so that thresholds, values and comparisons agree with it bit for bit.
#
# Values are not held for all pairs of samples. Strips of rows are computed twice: from
# the beginning of the series on, to keep two rows above each strip, the *checkpoints*;
# then, from these, from the end of the series on, to link cells with where their values
# come from. What the search needs of a cell goes to `Storage`.


class Similarities:
    """The similarities of a series: all, if that is requested, or as they are needed.

    `x` is f4[n, d] and not constant. Its variance is taken over all channels and summed
    in memory order, as NumPy does. `jobs` threads share the work on rows; results do
    not depend on it. Up to `most` cells are kept, for several searches.
    """

    def __init__(self, x: Values, jobs: int = 1, most: int = 0) -> None:
        self.n, self.jobs, self.pool = len(x), jobs, Threads(jobs)
        self.total = self.n * (self.n + 1) // 2
        self.x = np.ascontiguousarray(x[::-1].T)  # in reversed time
        self.gamma = float(1 / np.std(x, axis=None) ** 2)
        self.packed = np.empty(0, np.float32)
        if self.total <= most:
            self.packed = similarity.all_similarities(self.x, self.gamma)

    @property
    def source(self) -> tuple[Values, float, Values]:
        """Series, gamma, and all similarities or none."""
        return self.x, self.gamma, self.packed

    def in_parts(self, work: Callable[[int, int], Any], edges: list[int]) -> list[Any]:
        """Return ``work(first, last)`` for neighbouring edges, shared by threads."""

        def part(first: int, last: int) -> Any:
            check_stop()
            return work(first, last)

        alone = self.jobs == 1 or len(edges) == 2
        return list((map if alone else self.pool.map)(part, edges[:-1], edges[1:]))

    def quantile(self, rho: float) -> np.float32:
        """Return a quantile of all similarities, as `np.quantile` gives it.

        NumPy did all of this in float32, also the position ``rho (m - 1)``, which for
        many values is a rough one; so do we. A sample of the cells shows between which
        exponents the wanted ones lie. Only those are listed, all others are counted:
        `np.partition` of all would take most of the time and of the memory.
        """
        place = (self.total - 1) * np.float32(rho)
        below = np.floor(place)
        # Ranks among exponents: the larger its exponent, the smaller is a similarity.
        ranks = np.maximum([self.total - 1 - int(below + t) for t in (0, 1)], 0)
        count = max(1 << 12, round(self.total ** (2 / 3)))
        i, j = np.random.default_rng(0).integers(self.n, size=(2, count))
        squares = (self.x[:, i] - self.x[:, j]) ** 2
        sample = np.sort(np.sum(self.gamma * squares.astype(float), axis=0))
        sample = np.concatenate([[0.0], sample, [np.finfo(float).max]])
        edges = [*range(0, self.n, max(1, BLOCK // self.n)), self.n]
        margin = SPREAD * 0.5 * math.sqrt(count) + 2
        while True:
            around = ranks[::-1] / self.total * count + [-margin, margin]
            low, high = sample[np.clip(np.round(around), -1, count).astype(int) + 1]
            between = functools.partial(
                similarity.exponents_between, self.x, self.gamma, low, high
            )
            counts, listed = zip(*self.in_parts(between, edges), strict=True)
            # Ends of the ranks of those below, equal to low, between, equal to high.
            ends = np.cumsum(np.sum(counts, axis=0))
            if ends[0] <= ranks[1] and ranks[0] < ends[3]:
                break
            margin *= 4
        exponents = np.concatenate([[low], *listed, [high]])
        places = np.clip(ranks - ends[1] + 1, 0, len(exponents) - 1)
        exponents.partition(places)
        lower, upper = (np.float32(math.exp(-exponents[at])) for at in places)
        share = np.float32(place - below)
        if share >= 0.5:  # interpolated from the nearer end
            return np.float32(upper - (upper - lower) * (1 - share))
        return np.float32(lower + (upper - lower) * share)


class Storage:
    """Room for one search: in memory, or all but `free` in a temporary file.

    See `_kernels.locomotif.paths` for `free`, `tiles` and the keys of ends, whose
    groups end before the keys `groups`. Until a strip of tiles is written, its room has
    the first two rows of values.
    """

    def __init__(self, n: int, groups: Keys, *, in_file: bool) -> None:
        side = -(-n // SIDE)
        count = side * (side + 1) // 2  # tiles
        self.free = np.zeros((count, SIDE), np.uint64)
        self.groups = groups
        self.ends: list[Keys] = []
        self.begins: list[Integers] = []
        self.count = 0
        self.size = 8 * count * paths.WORDS
        self.file: Any = None
        if in_file:
            self.file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
            weakref.finalize(self, self.file.close)
            self.file.truncate(self.size)
            self.map = mmap.mmap(self.file.fileno(), self.size, access=mmap.ACCESS_READ)
            whole = np.frombuffer(self.map, np.uint64)
            self.room = np.empty((side, paths.WORDS), np.uint64)  # of a strip
        else:
            whole = np.zeros(self.size // 8, np.uint64)
        self.tiles = whole.reshape(count, paths.WORDS)

    def rows(self, strip: int) -> Values:
        """Return the first two rows of values of a strip that is not written yet."""
        words = self._strip(self.tiles, strip).reshape(-1)[: SIDE * (strip + 1)]
        return words.view(np.float32).reshape(2, -1)

    def write_rows(self, strip: int, values: Values) -> None:
        """Write the first two rows of values of a strip of tiles, f4[2, .]."""
        values = values[:, : SIDE * (strip + 1)]
        if self.file:
            self._append(np.ascontiguousarray(values), self._place(strip))
        else:
            self.rows(strip)[:] = values

    def write_strip(self, strip: int, codes: Codes, values: Values) -> None:
        """Write a strip of tiles from codes, u1[64, .], and values, f4[KEPT, .]."""
        tiles = self._strip(self.tiles, strip)
        if self.file:
            tiles = self.room[: strip + 1]
        paths.pack_inplace(codes, values, self._strip(self.free, strip), tiles)
        if self.file:
            self._append(tiles, self._place(strip))

    def _strip(self, tiles: Keys, strip: int) -> Keys:
        """Return the part of all tiles that belongs to a strip."""
        first = strip * (strip + 1) // 2
        return tiles[first : first + strip + 1]

    def _place(self, strip: int) -> int:
        """Return where in the file a strip begins."""
        return 8 * paths.WORDS * (strip * (strip + 1) // 2)

    def write_ends(self, parts: list[Keys]) -> None:
        """Write the keys of ends, sorted."""
        keys = np.concatenate(parts)
        keys.sort()
        self.begins.append(self.count + np.searchsorted(keys, self.groups))
        if self.file:
            self._append(keys, self.size + 8 * self.count)
        else:
            self.ends.append(keys)
        self.count += len(keys)

    def _append(self, array: NDArray[Any], place: int) -> None:
        """Write a whole array to the file, or raise the error of a full disk."""
        try:
            self.file.seek(place)
            data = array.reshape(-1).view(np.uint8).data
            while len(data):
                # The system may write a part only. Linux later reads as much at once
                # as was written at once, which would fill the memory.
                data = data[self.file.write(data[:PART]) :]
        except OSError as error:
            raise OSError(
                error.errno,
                f"LoCoMotif cannot write its temporary file ({error.strerror}); set "
                "TMPDIR to a folder on a larger disk, or resample the series",
                tempfile.gettempdir(),
            ) from error

    def free_ends(self, first: int, last: int, bits: np.uint64) -> Keys:
        """Return the keys of groups `first` to `last` - 1 whose cells are free."""
        found = [np.empty(0, np.uint64)]
        for turn, begins in enumerate(self.begins):
            start, end = int(begins[first]), int(begins[last])
            if self.file:
                self.file.seek(self.size + 8 * start)
                keys = np.fromfile(self.file, np.uint64, end - start)
            else:
                keys = self.ends[turn][start - begins[0] : end - begins[0]]
            found.append(paths.free_keys(self.free, keys, bits))
        return np.sort(np.concatenate(found))

    def release(self) -> None:
        """Let the system take back what was read from the file, and freed memory."""
        if self.file and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
            self.map.madvise(mmap.MADV_DONTNEED)
            # The C library of Linux keeps much of it otherwise; others lack this.
            with contextlib.suppress(AttributeError):
                ctypes.CDLL(None).malloc_trim(0)


def _needs_file(n: int, searches: int) -> bool:
    """Return whether searches at the same time use files; raise if there is no room."""
    pairs = searches * (n + SIDE) ** 2 // 2
    # Seven bytes for eight pairs, and eight for an end. Up to 7.6 % of the pairs were
    # ends in series that were tried (drift, rho 0.5); one of ten is reserved.
    free, rest = pairs // 8, pairs * 67 // 40
    given = os.environ.get(LIMIT) or "1"
    try:
        limit = float(given) * 1e9
    except ValueError:
        limit = math.nan
    if not limit >= 0:
        raise InputError(f"{LIMIT} must be a number of GB, such as 1, got {given!r}")
    in_file = free + rest > limit
    rooms = []
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):  # not on Windows
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        held = 4000 * n + (free if in_file else free + rest)
        rooms.append((held, memory, "memory", ""))
    if in_file:
        folder = tempfile.gettempdir()
        advice = "set TMPDIR to a folder on a larger disk, or "
        free_disk = shutil.disk_usage(folder).free
        rooms.append((rest, free_disk, f"disk in {folder}", advice))
    for needed, room, of_what, advice in rooms:
        if needed > room:
            raise InputError(
                f"LoCoMotif needs {needed:,} bytes of {of_what} for {n:,} samples, "
                f"but there are {room:,}; {advice}resample the series: half the "
                "samples need a quarter"
            )
    return in_file


class Search:
    """Search for paths of at least `l_min` rows or columns, best first.

    Two samples match from the similarity `tau` on. Only with warping may a path step
    over one row or column at a time. Cells are linked a strip of `rows` rows at a time,
    the first of them at the end of the series. The threads of `similarities` share the
    work; with `in_file`, most of what is stored lies in a temporary file.
    """

    def __init__(
        self,
        similarities: Similarities,
        tau: np.float32,
        l_min: int,
        *,
        warping: bool,
        in_file: bool = False,
    ) -> None:
        self.n = n = similarities.n
        self.similarities = similarities
        self.tau, self.l_min, self.warping = tau, l_min, warping
        self.band = max(VICINITY, l_min // 2)
        # What the end of a path of useful length exceeds. The end is the largest cell
        # of its path. Either all cells but the first are matches, each adding tau or
        # more, or there is a gap, and what came before a gap that left something was
        # above 4 tau. A little is taken off for rounding.
        steps = -(-(l_min - 1) // 2) if warping else l_min - 1
        self.stop = np.float32(min(4, steps) * float(tau) * (1 - 1e-5))
        self.rows = SIDE * max(1, STRIP // (SIDE * n) if n > SHORT else -(-n // SIDE))
        self.strip = np.zeros((self.rows + 2, SIDE * ((n + 2) // SIDE + 1)), np.float32)
        # Keys of ends: see `_kernels.locomotif.paths`.
        largest, lowest = np.array([n, self.stop], np.float32).view(np.uint32).tolist()
        self.largest, self.bits = np.uint64(largest), np.uint64(n.bit_length())
        shift = 2 * int(self.bits)
        if (largest - lowest).bit_length() + shift > 64:
            raise InputError(
                f"rho is too small for {n:,} samples: samples match from a similarity "
                f"of {tau:.2g} on; use a larger one"
            )
        groups = np.arange((largest - lowest >> GROUP) + 1, dtype=np.uint64)
        self.groups = np.append(groups << np.uint64(GROUP + shift), paths.ALL)
        self.storage = Storage(n, self.groups, in_file=in_file)

    def paths(
        self, report: Callable[[float], None] = report_progress
    ) -> tuple[Integers, NDArray[np.int32], Values]:
        """Search, and return the tables of `candidates`: spans, columns and sums.

        Of the main diagonal, then of all paths above it in the order found, then of
        their mirror images. `report` gets the fraction done.
        """
        self.report = report
        starts = range(0, self.n, self.rows)
        for turn, a in enumerate(reversed(starts)):
            self._cumulate(a)
            self.storage.write_rows(a // SIDE, self.strip[:2])
            self.report(0.4 * turn / len(starts))
        self._link()
        del self.strip
        found = self._search()
        self.storage.free = np.empty((0, SIDE), np.uint64)
        self.report(1.0)
        return self._tabulate(found)

    def _cumulate(self, a: int) -> None:
        """Fill the strip that begins with row a."""
        rows = min(self.rows, self.n - a)
        self.strip[rows : rows + 2] = 0
        if a + rows < self.n:
            above = self.storage.rows((a + rows) // SIDE)
            self.strip[rows : rows + 2, : above.shape[1]] = above
            self.storage.release()
        fixed = *self.similarities.source, self.tau, self.warping, self.strip, a, rows
        cumulate = functools.partial(strips.cumulate_strip_inplace, *fixed)
        self._by_columns(cumulate, a + rows)

    def _by_columns(self, work: Callable[[int, int], Any], size: int) -> None:
        """Call ``work(first, last)`` for parts of `size` columns."""
        parts = max(1, min(self.similarities.jobs, size // NARROW))
        edges = [size * part // parts for part in range(parts + 1)]
        self.similarities.in_parts(work, edges)

    def _link(self) -> None:
        """Link the cells strip by strip, and store what the search needs of them.

        Whether a cell can matter depends on its tree, which may go on in rows that are
        not linked yet, and through other trees on rows still further up. So a strip is
        settled once `AHEAD` more rows are linked; see `strips.spread_inplace`. A few
        cells are taken as needed that way although they are not.
        """
        n, rows, width = self.n, self.rows, self.strip.shape[1]
        # The last two rows that are settled, and those above them, from row `low` on.
        codes = np.zeros((2 + min(2 * rows, n) + SIDE, width), np.uint8)
        state = np.zeros((2, 3, 3, n + strips.PAD), np.float32)
        listed: list[Keys] = []  # ends of each strip
        values: list[Values] = []  # that are kept, of each strip of tiles
        ready: list[Keys] = []  # ends of settled strips
        low = 0
        for turn, a in enumerate(range(0, n, rows)):
            if a:
                self._cumulate(a)
            own = codes[2 + a - low : 2 + min(a + rows, n) - low]
            high = a + len(own)
            state = state[::-1]  # of the rows below, and of these
            fixed = self.warping, self.band, self.l_min, self.stop, *state, own
            link = functools.partial(strips.link_strip_inplace, *fixed, self.strip, a)
            self._by_columns(link, high)
            listed.append(strips.list_ends(own, self.strip, a, self.largest, self.bits))
            some = self.strip[:-2].reshape(-1, paths.EVERY, width)[:, :2]
            values.extend(some.reshape(-1, paths.KEPT, width))
            self.report(0.4 + 0.4 * turn * rows / n)
            if high < min(n, low + rows + AHEAD):
                continue
            settled = n if high == n else low + rows
            rest = codes[2 + settled - low : 2 + high - low].copy()
            window = codes[: 2 + high - low]
            strips.spread_inplace(window, low - 2, high == n, self.band)
            for i in range(low, settled, SIDE):
                own = codes[2 + i - low :][:SIDE]
                self.storage.write_strip(i // SIDE, own, values.pop(0))
            count = -(-(settled - low) // rows)  # strips
            for keys in listed[:count]:
                ready.append(paths.free_keys(self.storage.free, keys, self.bits))
            del listed[:count]
            if high == n or sum(map(len, ready)) > RUN:
                self.storage.write_ends(ready)
                ready = []
                self.storage.release()
            codes[:2] = codes[settled - low : settled - low + 2]
            codes[2 : 2 + len(rest)] = rest
            codes[2 + len(rest) :] = 0
            low = settled

    def _search(self) -> Integers:
        """Search for paths, a batch of ends after the other; see `paths.search`."""
        storage, source = self.storage, self.similarities.source
        fixed = *source, self.tau, self.band, self.l_min, self.stop, self.bits
        # What is read of a file stays in memory until the end of a turn.
        most = IN_FILE if storage.file else TURN
        found = []
        later = np.empty(0, np.uint64)  # ends that are found on the way
        totals = np.sum(storage.begins, axis=0)
        batches = [0, *np.flatnonzero(np.diff(totals // BATCH)) + 1, len(totals) - 1]
        for first, last in itertools.pairwise(batches):
            keys, end = storage.free_ends(first, last, self.bits), self.groups[last]
            turn, new, rest = 0, np.sort(later[later < end]), [later[later >= end]]
            while turn < len(keys) or len(new):
                check_stop()
                own, turn, new, later = paths.search(
                    storage.free, storage.tiles, *fixed, keys, turn, new, end, most
                )
                found.append(own)
                rest.append(later)
                storage.release()
            if sum(map(len, rest)) > RUN:
                storage.write_ends(rest)
                rest = [later[:0]]
            later = np.concatenate(rest)
            self.report(0.8 + 0.2 * last / len(totals))
        return np.concatenate([np.empty((0, 5), np.int64), *found])

    def _tabulate(self, found: Integers) -> tuple[Integers, NDArray[np.int32], Values]:
        """Return the tables of paths that were found."""
        n, count = self.n, len(found)
        stops, starts = n - found[:, :2], n - 1 - found[:, 2:4]
        spans = np.zeros((2 * count + 1, 4), np.int64)
        spans[:, 0] = np.concatenate([[0], starts[:, 1], starts[:, 0]])
        spans[:, 1] = np.concatenate([[n], stops[:, 1], stops[:, 0]])
        widths = np.cumsum(spans[:, 1] - spans[:, 0])
        spans[1:, 2] = widths[:-1]
        # A path and its mirror image have the sums in common.
        sizes = np.cumsum(np.append(n, found[:, 4]) + 1)
        both = spans[1:].reshape(2, count, 4)
        both[:, :, 3] = sizes[:-1]
        columns = np.empty((widths[-1], 2), np.int32)
        columns[:n] = np.arange(n)[:, None]
        sums = np.empty(sizes[-1], np.float32)
        sums[: n + 1] = np.arange(n + 1)
        fixed = self.storage.tiles, *self.similarities.source, found
        turns = 1 + int(sizes[-1]) // IN_FILE
        for turn in range(turns):  # long ones, which come first, in different turns
            check_stop()
            paths.tabulate_inplace(*fixed, turn, turns, both, columns, sums)
            self.storage.release()
        return spans, columns, sums
