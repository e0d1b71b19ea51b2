"""SubTSMD: a univariate method on every channel, and its sets merged across channels.

A pattern of a multivariate series often lives in some of the channels. A univariate
method finds it in each of them, at about the same times. Sets of different channels
whose motifs overlap are merged: the result is a set that lives in the channels of both,
with an interval per channel.

Conventions
-----------
The *linked overlap* of two motifs is the overlap of their intervals, intersection by
union, over all pairs of a channel of the one and a channel of the other: its mean, or
its minimum. Two motifs match if it exceeds `delta`, best overlap first and one to one.
Two sets without a common channel can be merged if at least two motifs match. The pair
of sets with the most matching motifs is merged first; of equal ones that with the
larger mean overlap, then that whose intervals come first in order, and only then the
lower channels. So another order of channels only renames them. The motifs that match
form the new set. Both sets keep the others, and are dropped when fewer than two are
left. Merging ends when no pair is left. Sets are returned with the most channels first,
then the largest; at most as many as the method may return.

`SubspaceMerge` takes a method. On the command line, in grids and in stores a method
has a name and plain fields, so every method ``X`` has a class ``SubX`` with the fields
of ``X``, except `channel`, and `delta` and `linkage`. `SubLoCoMotif`, `SubMotiflets`,
`SubGVRePair`, `SubSetFinder` and `SubLatentMotifs` have names (``sub_locomotif``);
others are written as ``tsmdbench.methods.subspace:SubSTOMP``.

Cost
----
The method once per channel. Merging keeps the pairs of motifs that overlap: time and
memory grow with their number, at most m^2 for m motifs. Settings of a sweep that differ
in `delta` and `linkage` only share what the method finds.

Limitations
-----------
* A motif set must be found in each of its channels. Channels in which a pattern is weak
  are missed.
* Sets with fewer than two motifs in common are never merged.

References
----------
ML-KULeuven/SubTSMD, commit b14e1bc, MIT. There is no paper yet. On its 100 recorded
merges with two linkages, results are equal in 159 of the 162 cases in which the order
of channels does not matter there. In the other three, the order of sets matters.

Departures
----------
* The authors merge channel by channel and set by set, in the order in which they come,
  and a motif matches the first free one. Here no order matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, make_dataclass, replace
from functools import cache, partial
from heapq import heappop, heappush
from importlib import import_module
from typing import Any, ClassVar, Literal, Self

import numpy as np

from tsmdbench.errors import InputTypeError
from tsmdbench.methods._grids import Axes, Facts
from tsmdbench.methods.base import Found, Method, Series
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_choice, check_range

Motif = dict[int, tuple[int, int]]  # an interval per channel
Pair = tuple[int, int]  # numbers of two sets, the smaller first
Rank = tuple[int, float]  # number of matches and mean overlap, both negative
GONE = -1  # in place of the set of a motif
check_delta = partial(
    check_range, name="delta", rule="lie in [0.5, 1]", holds=lambda v: 0.5 <= v <= 1
)
LINKAGES = ("mean", "minimum")
DELTAS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class SubspaceMerge(Method):
    """Find motif sets that live in some of the channels, with a univariate method.

    Parameters
    ----------
    method : Method
        Finds the sets of each channel. Its own choice of a channel does not matter.
        Its `max_sets` limits the sets of each channel, and the sets of the result.
    delta : float, default 0.5
        Least linked overlap of motifs that match, exclusive, in [0.5, 1]. With 1
        nothing is merged.
    linkage : {"mean", "minimum"}
        The linked overlap is the mean or the minimum over pairs of channels.

    Examples
    --------
    >>> import numpy as np
    >>> from tsmdbench.methods import STOMP
    >>> series = np.random.default_rng(1).normal(size=(200, 3))
    >>> for start in (50, 90, 130):
    ...     series[start : start + 20, 1:] = np.sin(np.arange(20))[:, None]
    >>> SubspaceMerge(STOMP(length=20, max_sets=1)).find(series)
    (MotifSet(((50, 70), (90, 110), (130, 150)), channels=(1, 2)),)
    """

    method: Method
    delta: float = 0.5
    linkage: Literal["mean", "minimum"] = "mean"

    univariate: ClassVar[bool] = False
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "intra"
    symbolic: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.method, Method):
            raise InputTypeError(
                f"method must be a method such as LoCoMotif(l_min=20, l_max=30), got "
                f"{type(self.method).__name__}"
            )
        check_delta(self.delta)
        check_choice(self.linkage, "linkage", LINKAGES)

    def _find(self, x: Series) -> Found:
        return self._sweep(x, [self])[0]

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Find the sets of each channel once for all values of delta and linkage."""
        x = methods[0]._checked(series) if methods else series
        ones: list[Any] = [method.method for method in methods]
        for place, one in enumerate(ones):
            if "channel" in one.__dataclass_fields__:
                ones[place] = replace(one, channel=0)
        found: dict[Method, list[Found]] = {one: [] for one in ones}
        kinds: dict[type[Method], None] = dict.fromkeys(map(type, found))
        for kind in kinds:
            own = [one for one in found if type(one) is kind]
            for channel in x.T:
                swept = kind.sweep(np.ascontiguousarray(channel), own)
                for one, sets in zip(own, swept, strict=True):
                    found[one].append(sets)
        return [
            merge_channels(found[one], method.delta, method.linkage)[
                : getattr(one, "max_sets", None)
            ]
            for method, one in zip(methods, ones, strict=True)
        ]

    @property
    def _shortest(self) -> int:
        return self.method._shortest


@dataclass(frozen=True, kw_only=True, repr=False)
class Lifted(Method):
    """`SubspaceMerge` with the fields of the method that it lifts as its own."""

    delta: float = 0.5
    linkage: Literal["mean", "minimum"] = "mean"

    lifted: ClassVar[type[Method]]
    univariate: ClassVar[bool] = False
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "intra"

    def __post_init__(self) -> None:
        _ = self._merge  # checks the fields

    @property
    def _merge(self) -> SubspaceMerge:
        names = [field.name for field in fields(self.lifted) if field.name != "channel"]
        method = self.lifted(**{name: getattr(self, name) for name in names})
        return SubspaceMerge(method, self.delta, self.linkage)

    def _find(self, x: Series) -> Found:
        return self._merge.find(x)

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        return SubspaceMerge._sweep(series, [method._merge for method in methods])

    @classmethod
    def _warm_up(cls, series: Series) -> None:
        cls.lifted._warm_up(series)


@cache
def lift(cls: type[Method]) -> type[Lifted]:
    """Return the class ``SubX`` of a method class ``X``."""
    own = {
        one.name: field(default=one.default, kw_only=one.kw_only, compare=one.compare)
        for one in fields(cls)
        if one.name != "channel"
    }
    name = cls.__name__
    facts: dict[str, Any] = {
        "__doc__": f"""Find motif sets in some of the channels, with {name} on each.

        `SubspaceMerge` of a `{name}`: its parameters are those of `{name}`, except
        `channel`, and `delta` and `linkage`.
        """,
        "__module__": __name__,
        "lifted": cls,
    }
    for fact in ("symbolic", "takes_missing", "warm_up", "constant"):
        if hasattr(cls, fact) and fact not in own:
            facts[fact] = getattr(cls, fact)
    for grid in ("grid", "full_grid", "paper_grid"):
        if hasattr(cls, grid):
            facts[grid] = staticmethod(_lifted_grid(getattr(cls, grid)))
    return make_dataclass(
        f"Sub{name}",
        [(name, Any, one) for name, one in own.items()],
        bases=(Lifted,),
        namespace=facts,
        frozen=True,
        repr=False,
    )


def _lifted_grid(own: Any) -> Callable[[Facts], Axes]:
    def grid(facts: Facts) -> Axes:
        axes = own(facts) if callable(own) else own
        return {**axes, "linkage": LINKAGES, "delta": DELTAS}

    return grid


def __getattr__(name: str) -> Any:
    """Return ``SubX`` for a method ``X`` of this package."""
    package = import_module("tsmdbench.methods")
    known = getattr(package, name[3:], None) if name.startswith("Sub") else None
    if isinstance(known, type) and issubclass(known, Method) and known is not Method:
        return lift(known)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def merge_channels(
    found: Sequence[Sequence[MotifSet]], delta: float = 0.5, linkage: str = "mean"
) -> Found:
    """Merge the motif sets of channels where their motifs overlap.

    Parameters
    ----------
    found : sequence of sequences of MotifSet
        The plain sets of each channel.
    delta, linkage
        As for `SubspaceMerge`.

    Returns
    -------
    tuple of MotifSet
        Sets with channels; those with the most channels first, then the largest.

    Examples
    --------
    >>> low = [MotifSet([(0, 10), (50, 60), (90, 100)])]
    >>> high = [MotifSet([(1, 11), (51, 60)])]
    >>> merge_channels([low, high])[0]
    MotifSet((((0, 10), (1, 11)), ((50, 60), (51, 60))), channels=(0, 1))
    """
    check_delta(delta)
    check_choice(linkage, "linkage", LINKAGES)
    merging = _Merging(found, delta, linkage)
    while pair := merging.best():
        merging.merge(*pair)
    sets = [
        MotifSet([[one[c] for c in channels] for one in motifs], channels)
        for channels, motifs in merging.sets()
    ]
    return tuple(sorted(sets, key=lambda one: (-len(one.channels or ()), -len(one))))


class _Merging:
    """Motif sets, the linked overlap of their motifs, and the pairs that can merge.

    Motifs and sets are numbered; merged motifs form new ones. As in a clustering by
    average or complete linkage, the overlaps of a new motif follow from those of its
    two parts. Most motifs do not overlap, so only overlaps above 0 are kept.

    Pairs of sets wait in a heap, by their numbers of matching motifs and overlaps. Its
    ranks are computed when a pair comes first. Motifs only leave a set, so an older
    rank is never too low, and a pair whose rank is up to date is the best.
    """

    def __init__(
        self, found: Sequence[Sequence[MotifSet]], delta: float, linkage: str
    ) -> None:
        self.delta, self.linkage = delta, linkage
        self.channels: list[frozenset[int]] = []  # of each set
        self.members: list[list[int]] = []  # of each set
        self.motifs: list[Motif] = []
        for channel, sets in enumerate(found):
            for one in sets:
                first = len(self.motifs)
                self.motifs += [{channel: segment} for segment in one]
                self.channels.append(frozenset([channel]))
                self.members.append(list(range(first, len(self.motifs))))
        # The set of each motif; GONE once it has become part of another motif, or is
        # left alone.
        self.owner = [s for s, own in enumerate(self.members) for _ in own]
        self.linked = _overlap_rates(self.motifs)
        # By pair of sets: overlap (negative) and numbers of motifs that may match.
        self.near: dict[Pair, list[tuple[float, int, int]]] = {}
        self.heap: list[tuple[Rank, Pair]] = []
        self._add(range(len(self.members)))

    def _add(self, sets: Iterable[int]) -> None:
        """Put the pairs of new sets with all sets before them into the heap."""
        for t in sets:
            pairs: dict[Pair, list[tuple[float, int, int]]] = {}
            for two in self.members[t]:
                for one, overlap in self.linked[two].items():
                    s = self.owner[one]
                    if overlap > self.delta and s < t:
                        pairs.setdefault((s, t), []).append((-overlap, one, two))
            for pair, entries in pairs.items():
                if len(entries) > 1:
                    self.near[pair] = entries
                    heappush(self.heap, ((-len(entries), -1.0), pair))

    def best(self) -> Pair | None:
        """Return the pair of sets to merge next; None if there is none.

        Most matches first, then largest mean overlap, then smallest content.
        """
        equal: list[tuple[Rank, Pair]] = []
        while self.heap and (not equal or self.heap[0][0] <= equal[0][0]):
            known, pair = heappop(self.heap)
            matched = self._matched(pair)
            if len(matched) < 2:
                del self.near[pair]
                continue
            rank = -len(matched), sum(overlap for overlap, *_ in matched) / len(matched)
            if rank == known:
                equal.append((rank, pair))
            else:
                heappush(self.heap, (rank, pair))
        if not equal:
            return None
        chosen = equal[0]
        if len(equal) > 1:
            contents = {s: self._content(s) for _, pair in equal for s in pair}
            chosen = min(equal, key=lambda one: sorted(contents[s] for s in one[1]))
        for one in equal:
            if one is not chosen:
                heappush(self.heap, one)
        return chosen[1]

    def _matched(self, pair: Pair) -> list[tuple[float, int, int]]:
        """Return the motifs of two sets that match, one to one."""
        left = [
            entry
            for entry in self.near[pair]
            if self.owner[entry[1]] != GONE and self.owner[entry[2]] != GONE
        ]
        self.near[pair] = left
        left.sort(key=self._order)
        matched: list[tuple[float, int, int]] = []
        used: set[int] = set()
        for entry in left:
            if used.isdisjoint(entry[1:]):
                used.update(entry[1:])
                matched.append(entry)
        return matched

    def _order(self, entry: tuple[float, int, int]) -> tuple[Any, ...]:
        """Sort motifs that match: largest overlap, then smallest intervals."""
        return entry[0], sorted(map(self._intervals, entry[1:])), entry[1:]

    def _content(self, s: int) -> tuple[Any, ...]:
        """Return what sorts sets: their intervals, and only then their channels."""
        intervals = sorted(map(self._intervals, self.members[s]))
        return intervals, sorted(self.channels[s])

    def _intervals(self, motif: int) -> list[tuple[int, int]]:
        return sorted(self.motifs[motif].values())

    def merge(self, s: int, t: int) -> None:
        """Replace the motifs of two sets that match by a new set."""
        matched = self._matched((s, t))
        del self.near[s, t]
        new, first = len(self.members), len(self.motifs)
        ones, twos = {one for _, one, _ in matched}, {two for *_, two in matched}
        for old, gone in ((s, ones), (t, twos)):
            rest = [m for m in self.members[old] if m not in gone]
            self.members[old] = rest if len(rest) > 1 else []
            for m in gone | set(rest) - set(self.members[old]):
                self.owner[m] = GONE
        self.channels.append(self.channels[s] | self.channels[t])
        self.members.append(list(range(first, first + len(matched))))
        self.owner += [new] * len(matched)
        self.motifs += [{**self.motifs[a], **self.motifs[b]} for _, a, b in matched]
        apart = [own.isdisjoint(self.channels[new]) for own in self.channels]
        apart.append(False)  # of GONE, the last place
        p, q = len(self.channels[s]), len(self.channels[t])
        for motif, (_, a, b) in enumerate(matched, first):
            one, two, both = self.linked[a], self.linked[b], dict[int, float]()
            for m in {**one, **two}:
                if apart[self.owner[m]]:
                    x, y = one.get(m, 0.0), two.get(m, 0.0)
                    mean = (x * p + y * q) / (p + q)
                    overlap = mean if self.linkage == "mean" else min(x, y)
                    if overlap:
                        both[m] = self.linked[m][motif] = overlap
            self.linked.append(both)
            self.linked[a] = self.linked[b] = {}
        self._add([new])

    def sets(self) -> Iterator[tuple[tuple[int, ...], list[Motif]]]:
        """Yield channels and motifs of the sets that are left, in order of content."""
        left = [s for s, own in enumerate(self.members) if len(own) > 1]
        for s in sorted(left, key=self._content):
            channels = tuple(sorted(self.channels[s]))
            yield channels, [self.motifs[m] for m in self.members[s]]


def _overlap_rates(motifs: Sequence[Motif]) -> list[dict[int, float]]:
    """Return, for each motif, those of other channels that it overlaps, and the rates.

    Each motif has one channel. The rate is intersection by union.
    """
    linked: list[dict[int, float]] = [{} for _ in motifs]
    if not motifs:
        return linked
    channels = np.array([channel for one in motifs for channel in one])
    starts, ends = np.array([segment for one in motifs for segment in one.values()]).T
    # Of motifs sorted by start, one overlaps those after it that start before it ends.
    order = np.argsort(starts, kind="stable")
    first = np.arange(1, len(order) + 1)
    counts = np.searchsorted(starts[order], ends[order]) - first
    one = np.repeat(order, counts)
    within = np.arange(len(one)) - np.repeat(np.cumsum(counts) - counts, counts)
    two = order[np.repeat(first, counts) + within]
    apart = channels[one] != channels[two]
    one, two = one[apart], two[apart]
    shared = np.minimum(ends[one], ends[two]) - starts[two]
    lengths = ends - starts
    rates = shared / (lengths[one] + lengths[two] - shared)
    for a, b, rate in zip(one.tolist(), two.tolist(), rates.tolist(), strict=True):
        linked[a][b] = linked[b][a] = rate
    return linked
