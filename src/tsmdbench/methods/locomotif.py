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
from tsmdbench._kernels.locomotif.paths import SIDE, WORDS
from tsmdbench._kernels.progress import report_progress as tell
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
TURN = 1 << 24  # paths of candidates between which a search may be interrupted
LIMIT = "TSMDBENCH_MEMORY"  # variable with the GB that may lie in memory, 1 if unset
BLOCK = 1 << 24  # cells between which a search may be interrupted
SPREAD = 4.0  # standard errors by which the rank of a sampled quantile may be off
NARROW = 1 << 10  # columns that are worth a thread of their own
VICINITY = 10  # smallest width of the vicinity of a path, in samples
SHORT = 1 << 11  # samples up to which all rows are one strip
STRIP = 1 << 20  # cells of a strip of a longer series, as far as that is possible
WINDOW = 1 << 22  # cells of rows that are settled together, of a short series
AHEAD = 64, 512  # fewest and most rows that are linked before others are settled
GROUP = 18  # lowest bits of a value that do not matter to its group
BATCH = 1 << 16  # ends that are looked at together, unless a group has more
ENDS = 1 << 15  # ends between which a search may be interrupted

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

    @classmethod
    def _warm_up(cls, series: Series) -> None:
        del series
        rows = np.zeros((2, 8), np.uint8)
        strips.require_origins_inplace(rows, rows.copy())  # for long series only

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
    spare = [Storage(len(x), searches) for _ in range(searches)]
    found: list[Found] = [()] * len(methods)
    shares = dict.fromkeys(alike, 0.0)  # fractions done

    def run(
        key: tuple[bool, float, int], similarities: Similarities, tau: np.float32
    ) -> None:
        def report(share: float) -> None:
            shares[key] = share
            tell(sum(shares.values()) / len(shares))

        straight, _, l_min = key
        storage = spare.pop()
        search = Search(similarities, tau, l_min, storage, warping=not straight)
        cells, offsets = search.paths(report)
        spare.append(storage)
        check_stop()
        reverse = len(x) - 1 - cells
        along = similarity.similarities_of(*similarities.source, reverse)
        check_stop()
        # What paths, their mirror images and the main diagonal induce.
        tables = candidates.tabulate(len(x), cells, offsets, along)
        for t in alike[key]:
            found[t] = _motif_sets(methods[t], *tables)

    def run_all() -> None:
        z = _normalized(x, methods[0].normalize).astype(np.float32)
        of_z = Similarities(z, jobs, STORE if len(alike) > 1 else 0)
        if of_z.constant:
            return
        taus = {rho: of_z.quantile(rho) for rho in {rho for _, rho, _ in alike}}
        # What takes longest first, so that no thread is left alone with it at the end.
        tasks = [(key, of_z, taus[key[1]]) for key in sorted(alike)]
        if searches == 1:
            for task in tasks:
                run(*task)
        else:
            of_z.jobs = 1
            with Threads(searches) as pool:
                pool.results([pool.submit(run, *task) for task in tasks])

    # What takes longer is done in a thread of its own, which an interrupt ends: in the
    # main thread it may come while a kernel hands its result over, and what is raised
    # then is not a KeyboardInterrupt.
    if len(methods) * len(x) ** 2 < SOON:
        run_all()
    else:
        with Threads(1) as pool:
            pool.results([pool.submit(run_all)])
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

    Parameters
    ----------
    x : float32[n, d]
        The series. Its variance is taken over all channels and summed in memory
        order, as NumPy does.
    jobs : int, default 1
        Number of threads that share the work on rows. Results do not depend on it.
    most : int, default 0
        Cells up to which all similarities are kept, for several searches.
    """

    def __init__(self, x: Values, jobs: int = 1, most: int = 0) -> None:
        deviation = np.std(x, axis=None)
        self.n, self.jobs, self.pool = len(x), jobs, Threads(jobs)
        self.total = self.n * (self.n + 1) // 2
        self.constant = bool(deviation == 0)
        self.x = np.ascontiguousarray(x[::-1].T)  # in reversed time
        self.gamma = 0.0 if self.constant else float(1 / deviation**2)
        self.packed = np.empty(0, np.float32)
        if not self.constant and self.total <= most:
            self.packed = np.empty(self.total, np.float32)
            self.by_rows(similarity.similarities_inplace, self.packed)

    @property
    def source(self) -> tuple[Values, float, Values]:
        """Series, gamma, and all similarities or none."""
        return self.x, self.gamma, self.packed

    def in_parts(self, work: Callable[[int, int], Any], edges: list[int]) -> list[Any]:
        """Return ``work(first, last)`` for neighbouring edges, shared by threads."""

        def part(first: int, last: int) -> Any:
            check_stop()
            return work(first, last)

        if self.jobs == 1 or len(edges) == 2:
            return [part(*pair) for pair in itertools.pairwise(edges)]
        return list(self.pool.map(part, edges[:-1], edges[1:]))

    def by_columns(self, work: Callable[[int, int], Any], size: int) -> None:
        """Call ``work(first, last)`` for parts of `size` columns."""
        parts = max(1, min(self.jobs, size // NARROW))
        self.in_parts(work, [size * part // parts for part in range(parts + 1)])

    def by_rows(self, work: Callable[..., Any], *given: Any) -> list[Any]:
        """Return what a kernel gives for blocks of rows of all cells."""
        edges = [*range(0, self.n, max(1, BLOCK // self.n)), self.n]
        fixed = self.x, self.gamma, *given
        return self.in_parts(lambda first, last: work(*fixed, first, last), edges)

    def quantile(self, rho: float) -> np.float32:
        """Return a quantile of all similarities, as `np.quantile` gives it.

        NumPy does all of this in float32, also the position ``rho (m - 1)``, which for
        many values is a rough one; so do we. A sample of the cells tells between which
        exponents the wanted ones lie. Only those are listed, all others are counted:
        `np.partition` of all would take a tenth of the time and most of the memory.
        """
        place = (self.total - 1) * np.float32(rho)
        below = np.floor(place)
        # Ranks among exponents: the larger its exponent, the smaller is a similarity.
        ranks = [max(0, self.total - 1 - int(below + t)) for t in (0, 1)]
        if place >= np.float32(self.total - 1):
            ranks = [0, 0]
        count = min(self.total, max(1 << 12, round(self.total ** (2 / 3))))
        # Multiples of an irrational number, taken modulo 1, are spread evenly.
        step = int((math.sqrt(5) - 1) / 2 * self.n**2)
        i, j = np.divmod(np.arange(count) * step % self.n**2, self.n)
        squares = (self.x[:, i] - self.x[:, j]) ** 2
        sample = np.sort(np.sum(self.gamma * squares.astype(float), axis=0))
        sample = np.concatenate([[0.0], sample, [np.finfo(float).max]])
        for errors in SPREAD * 4.0 ** np.arange(99):
            margin = errors * 0.5 * math.sqrt(count) + 2
            around = np.array([ranks[1] / self.total * count - margin, 0])
            around[1] = ranks[0] / self.total * count + margin
            low, high = sample[np.clip(np.round(around), -1, count).astype(int) + 1]
            parts = self.by_rows(similarity.exponents_between, low, high)
            # Ends of the ranks of those below, equal to low, between, equal to high.
            ends = np.cumsum(np.sum([counts for counts, _ in parts], axis=0))
            if ends[0] <= ranks[1] and ranks[0] < ends[3]:
                break
        between = np.concatenate([listed for _, listed in parts])
        inside = sorted({r - ends[1] for r in ranks if ends[1] <= r < ends[2]})
        if inside:
            between.partition(inside)
        found = [
            low if r < ends[1] else high if r >= ends[2] else between[r - ends[1]]
            for r in ranks
        ]
        lower, upper = (np.float32(math.exp(-exponent)) for exponent in found)
        share = np.float32(place - below)
        if share >= 0.5:  # interpolated from the nearer end
            return np.float32(upper - (upper - lower) * (1 - share))
        return np.float32(lower + (upper - lower) * share)


class Storage:
    """Room for a search; used again by the next one.

    Parameters
    ----------
    n : int
        Number of samples.
    searches : int, default 1
        Searches at the same time, each of which has a room; it is checked that there
        is memory and disk for all of them.
    """

    def __init__(self, n: int, searches: int = 1) -> None:
        side = -(-n // SIDE)
        count = side * (side + 1) // 2  # tiles
        pairs, size = count * SIDE**2, count * 8 * WORDS
        # Ends have eight bytes each. Up to 7.2 % of the pairs were ends in series that
        # were tried (drift, rho 0.5); one of ten is reserved.
        free, rest = pairs // 8, size + pairs * 8 // 10
        given = os.environ.get(LIMIT, "").strip() or "1"
        try:
            limit = float(given) * 1e9
        except ValueError:
            limit = math.nan
        if not limit >= 0:
            raise InputError(
                f"{LIMIT} must be a number of GB, such as 1, got {given!r}"
            )
        self.filed = searches * (free + rest) > limit
        if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):  # not on Windows
            room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
            held = free if self.filed else free + rest
            _check(n, searches * held + 4000 * n, room, "memory", "")
        if self.filed:
            folder = tempfile.gettempdir()
            advice = "set TMPDIR to a folder on a larger disk, or "
            room = shutil.disk_usage(folder).free
            _check(n, searches * rest, room, f"disk in {folder}", advice)
            open_file = functools.partial(tempfile.TemporaryFile, buffering=0)
            self.files: list[Any] = [open_file(), open_file()]
            for file in self.files:
                weakref.finalize(self, file.close)
            self.files[0].truncate(size)
            self.map = mmap.mmap(self.files[0].fileno(), size, access=mmap.ACCESS_READ)
            tiles = np.frombuffer(self.map, np.uint64)
        else:
            tiles = np.zeros(count * WORDS, np.uint64)
        self.free = np.zeros((count, SIDE), np.uint64)
        self.tiles = tiles.reshape(count, WORDS)
        self.clear()

    def clear(self) -> None:
        """Remove all ends."""
        self.ends: list[Keys] = []
        self.begins: list[Integers] = []
        self.count = 0

    def write(self, strip: int, codes: Codes, values: Values) -> None:
        """Write the codes of the 64 rows of a strip, and the values of some of them.

        codes: u1[64, .], values: f4[., .], of at least ``64 (strip + 1)`` columns.
        """
        width, first = SIDE * (strip + 1), strip * (strip + 1) // 2
        own = slice(first, first + strip + 1)
        records = np.empty((strip + 1, WORDS), np.uint64)
        for plane, bits in enumerate((5, 6, 0)):  # straight or flat, steep or flat
            mask = bits | (bits or strips.LINK) << strips.ASIDE
            records[:, plane : 3 * SIDE : 3] = _words(codes[:, :width] & mask)
        parts = values[:, :width].reshape(-1, strip + 1, SIDE).swapaxes(0, 1)
        records.view(np.float32)[:, 6 * SIDE :] = parts.reshape(strip + 1, -1)
        self.free[own] = _words(codes[:, :width] & strips.NEEDED)
        if self.filed:
            self._append(0, records, first * records.strides[0])
        else:
            self.tiles[own] = records

    def write_ends(self, keys: Keys, groups: Keys) -> None:
        """Write sorted keys, given with which key each group ends."""
        self.begins.append(self.count + np.searchsorted(keys, groups))
        if self.filed:
            self._append(1, keys, 8 * self.count)
        else:
            self.ends.append(keys)
        self.count += len(keys)

    def _append(self, file: int, array: NDArray[Any], place: int) -> None:
        """Write a whole array to a file, or raise the error of a full disk."""
        try:
            self.files[file].seek(place)
            data = array.reshape(-1).view(np.uint8).data
            while len(data):  # the system may write a part only
                data = data[self.files[file].write(data) :]
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
            if self.filed:
                self.files[1].seek(8 * start)
                keys = np.fromfile(self.files[1], np.uint64, end - start)
            else:
                keys = self.ends[turn][start - begins[0] : end - begins[0]]
            found.append(paths.free_keys(self.free, keys, bits))
        return np.concatenate(found)

    def batches(self) -> list[int]:
        """Return the groups with which batches begin, and where the last one ends."""
        totals = np.cumsum(np.diff(self.begins, axis=1).sum(axis=0))
        chosen = [0]
        while chosen[-1] < len(totals):
            before = totals[chosen[-1] - 1] if chosen[-1] else 0
            end = int(np.searchsorted(totals, before + BATCH, side="right"))
            chosen.append(max(end, chosen[-1] + 1))
        return chosen

    def release(self) -> None:
        """Let the system take back the memory of what was read from a file."""
        if self.filed and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
            self.map.madvise(mmap.MADV_DONTNEED)


def _words(bits: NDArray[Any]) -> Keys:
    """Return a word for each 64 columns of rows, [columns / 64, rows], of its bits."""
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64).T


def _check(n: int, needs: int, room: int, of_what: str, advice: str) -> None:
    """Raise if there is not enough room."""
    if needs > room:
        raise InputError(
            f"LoCoMotif needs {needs:,} bytes of {of_what} for {n:,} samples, but "
            f"there are {room:,}; {advice}resample the series: half the samples "
            "need a quarter"
        )


class Search:
    """Search for the paths of a series, best first.

    Cells are linked a strip of `rows` rows at a time, the first of them at the end of
    the series.

    Parameters
    ----------
    similarities : Similarities
        Of the series. Their threads share the work.
    tau : float32
        Similarity from which on two samples match.
    l_min : int
        Fewest rows or columns of a path.
    storage : Storage
        Room for one search at a time.
    warping : bool
        Whether a path may step over one row or column at a time.
    """

    def __init__(
        self,
        similarities: Similarities,
        tau: np.float32,
        l_min: int,
        storage: Storage,
        *,
        warping: bool,
    ) -> None:
        self.n = n = similarities.n
        self.similarities, self.storage = similarities, storage
        self.tau, self.l_min, self.warping = tau, l_min, warping
        self.band = max(VICINITY, l_min // 2)
        # What the end of a path of useful length exceeds. The end is the largest cell
        # of its path. Either all cells but the first are matches, each adding tau or
        # more, or there is a gap, and what came before a gap that left something was
        # above 4 tau. A little is taken off for rounding.
        steps = -(-(l_min - 1) // 2) if warping else l_min - 1
        self.stop = np.float32(min(4, steps) * float(tau) * (1 - 1e-5))
        side = -(-n // SIDE)
        self.rows = SIDE * (side if n <= SHORT else max(2, STRIP // (SIDE * n)))
        self.strip = np.zeros((self.rows + 2, SIDE * ((n + 2) // SIDE + 1)), np.float32)
        self.above: dict[int, Values] = {}
        # Keys of ends: see `_kernels.locomotif.paths`.
        largest, lowest = np.array([n, self.stop], np.float32).view(np.uint32).tolist()
        self.largest, self.bits = np.uint64(largest), np.uint64(n.bit_length())
        shift = 2 * int(self.bits)
        if (largest - lowest).bit_length() + shift > 64:
            raise InputError(
                f"rho is too small for {n:,} samples: samples match from a similarity "
                f"of {tau:.2g} on; use a larger one"
            )
        groups = np.arange(1, (largest - lowest >> GROUP) + 1, dtype=np.uint64)
        ends = groups << np.uint64(GROUP + shift)
        self.groups = np.concatenate([[np.uint64(0)], ends, [paths.ALL]])

    def paths(
        self, tell: Callable[[float], None] = tell
    ) -> tuple[NDArray[np.int32], Integers]:
        """Return the paths above the main diagonal; `tell` gets the fraction done.

        Cells, int32[m, 2], path after path, and where each begins, int64[p + 1].
        """
        self.storage.clear()
        starts = range(0, self.n, self.rows)
        for turn, a in enumerate(reversed(starts[1:])):
            self._cumulate(a)
            self.above[a - self.rows] = self.strip[:2, : a + 3].copy()
            tell(0.4 * turn / len(starts))
        self._link(tell)
        return self._search(tell)

    def _cumulate(self, a: int) -> None:
        """Fill the strip that begins with row a."""
        rows = min(self.rows, self.n - a)
        above = self.above.get(a, np.zeros((2, 1), np.float32))
        self.strip[rows : rows + 2] = 0
        self.strip[rows : rows + 2, : above.shape[1]] = above
        fixed = self.tau, self.warping, self.strip
        self.similarities.by_columns(
            lambda first, last: strips.cumulate_strip_inplace(
                *self.similarities.source, a, rows, first, last, *fixed
            ),
            a + rows,
        )

    def _link(self, tell: Callable[[float], None]) -> None:
        """Link the cells strip by strip, and store what the search needs of them.

        Whether a cell can matter depends on its tree, which may go on in rows that are
        not linked yet, and through other trees on rows still further up. So rows are
        settled once `ahead` more are linked; see `strips.spread_inplace`. A few cells
        are taken as needed that way although they are not.
        """
        n, rows = self.n, self.rows
        ahead = min(max(AHEAD[0], self.l_min), AHEAD[1])
        step = -(-max(ahead, WINDOW // n - ahead) // rows) * rows
        height = min(step + ahead + rows, n) + SIDE
        codes = np.zeros((height, self.strip.shape[1]), np.uint8)
        state = np.zeros((2, 3, 2, n + strips.PAD), np.float32)
        kept: list[tuple[Keys, Values]] = []  # ends, and some values, of each strip
        low = 0
        for turn, a in enumerate(range(0, n, rows)):
            self._cumulate(a)
            self.above.pop(a, None)
            own = codes[a - low : min(a + rows, n) - low]
            high = a + len(own)
            before, after = state[turn % 2], state[1 - turn % 2]
            fixed = self.warping, self.band, self.l_min, self.stop, before, after, own
            link = functools.partial(strips.link_strip_inplace, self.strip, a, len(own))
            self.similarities.by_columns(
                lambda first, last, link=link, fixed=fixed: link(first, last, *fixed),  # type: ignore[misc]
                high,
            )
            ends = strips.list_ends(own, self.strip, a, self.largest, self.bits)
            # Of each EVERY rows two, those of a tile together.
            some = self.strip[:-2].reshape(-1, paths.EVERY, codes.shape[1])[:, :2]
            kept.append((ends, some.reshape(-1, paths.KEPT, codes.shape[1])))
            if high == n or high >= low + step + ahead:
                settled = n if high == n else low + step
                above = codes[settled - low : high - low].copy()
                rest = codes[: high - low]
                strips.spread_inplace(rest, low, high == n, self.band, self.warping)
                count = -(-(settled - low) // rows)  # strips
                ready, kept = kept[:count], kept[count:]
                values = np.concatenate([values for _, values in ready])
                for i in range(low, settled, SIDE):
                    block = codes[i - low : i - low + SIDE]
                    self.storage.write(i // SIDE, block, values[(i - low) // SIDE])
                keys = np.concatenate([ends for ends, _ in ready])
                # Sorted into an array of their own: others would stay in memory.
                keys = np.sort(paths.free_keys(self.storage.free, keys, self.bits))
                self.storage.write_ends(keys, self.groups)
                if settled < n:
                    below = codes[settled - low - 2 : settled - low].copy()
                    codes[: len(above)] = above
                    codes[len(above) :] = 0
                    strips.require_origins_inplace(codes[: len(above)], below)
                low = settled
            tell(0.4 + 0.4 * turn * rows / n)

    def _search(
        self, tell: Callable[[float], None]
    ) -> tuple[NDArray[np.int32], Integers]:
        """Search for paths, a batch of ends after the other."""
        storage, source = self.storage, self.similarities.source
        fixed = *source, self.tau, self.band, self.l_min, self.stop, self.bits
        cells = storage.free, storage.tiles, storage.tiles.view(np.float32)
        found, lengths = [np.empty((0, 2), np.int32)], [0]
        later = np.empty(0, np.uint64)  # ends that are found on the way
        batches = storage.batches()
        # What is read of a file stays in memory until the end of a turn, so turns are
        # short there, the more so where paths are long.
        size = 1 if storage.filed else ENDS
        for turn, (first, last) in enumerate(itertools.pairwise(batches)):
            end = self.groups[last]
            keys = storage.free_ends(first, last, self.bits)
            keys, later = np.append(keys, later[later < end]), later[later >= end]
            keys.sort()
            while len(keys):
                check_stop()
                part, keys = keys[:size], keys[size:]
                until = keys[0] if len(keys) else end
                own, new = paths.search(*cells, *fixed, part, until)
                found.append(np.concatenate(own))
                lengths += map(len, own[1:])
                if (new < end).any():
                    keys = np.sort(np.append(keys, new[new < end]))
                later = np.append(later, new[new >= end])
                storage.release()
                if storage.filed:
                    size = size // 4 if 8 * len(found[-1]) > self.n else 2 * size
                    size = max(1, min(size, ENDS >> 9))
                tell(0.8 + 0.2 * turn / len(batches))
        tell(1.0)
        return np.concatenate(found), np.cumsum(lengths)
