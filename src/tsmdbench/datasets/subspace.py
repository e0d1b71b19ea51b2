"""Sub-TSMD-Bench: the problems of TSMD-Bench, with each pattern in some channels only.

``Sub-NATOPS`` has the problems of NATOPS on more channels than the data has: problem k
has the instances of problem k of TSMD-Bench, in the same order, so no instance is in
both splits and each true set has at least two motifs. Each repeating class has channels
of its own, and its motifs lie in these. All else is filled with instances of the
classes that do not repeat. ``SubShift-NATOPS`` has the same problems with shifts: a
motif starts at another time in each of its channels.

>>> from tsmdbench.benchmark import load_benchmark
>>> problem = load_benchmark("Sub-JapaneseVowels")[0]
>>> problem.series.shape
(240, 18)
>>> {label: len(motifs.channels) for label, motifs in problem.truth.items()}
{'1': 12, '2': 12}

Conventions
-----------
* Of data with d channels, a problem with g sets has d + 1 channels if g = 1, otherwise
  uniform on d + 1, ..., g d. Each repeating class gets d of them, unused ones first.
* A block of the series is as long as its instance of TSMD-Bench. A motif covers the
  block in the channels of its class, source channel by source channel. A separator
  covers d channels in any order. *Fillers*, resampled to the length of the block, cover
  the other channels, up to d each.
* No instance, nor a copy of one, is twice in one channel. Of the possible fillers that
  is taken which covers the most channels, then whose class is in the fewest of them,
  then which is used least. With d = 1 there are more blocks than classes, so other
  instances of a filler's class are in its channel, and are not truth.
* With shifts, the block of a motif is a quarter longer, and in each channel the motif
  starts at a time of its own within the block, drawn uniformly; a filler is under it.
  Data of one channel has no such variant.

Frozen recipes
--------------
``data/subspace.parquet`` has the fillers of every problem and SHA-256 of the series
with and without shifts. Numbers of channels, places and shifts are drawn when a problem
is built, by draws that are the same everywhere (`tsmdbench.datasets.draws`).

References
----------
The benchmark of SubTSMD (ML-KULeuven, MIT licence, commit b14e1bc); no paper yet.

Departures
----------
The public code places one motif fewer than it draws, so that 12 to 48 % of its series
have a true set of one motif; its test problems have instances of its validation
problems; and its fillers are copies of the block before. Here none of this occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tsmdbench.datasets.catalogue import archive_name
from tsmdbench.datasets.construct import Pool, Recipe, add_noise
from tsmdbench.datasets.dataset import Instance, label_order, shipped_rows
from tsmdbench.datasets.draws import Draws
from tsmdbench.datasets.suite import Benchmark, pool_of, recipe_sha256
from tsmdbench.errors import InputError
from tsmdbench.types import Label, MotifSet, Problem

SHIFT = 4  # the room for shifts is the length of the motif by this


class Filled(NamedTuple):
    """An instance in a block, and which of its channels lies in which of the series."""

    position: int
    sources: list[int]
    channels: list[int]


class Layout(NamedTuple):
    """Where the instances of a problem lie."""

    width: int  # channels of the series
    homes: dict[str, list[int]]  # channels of each repeating class, by source channel
    blocks: list[list[Filled]]  # what is under or beside the motif of each block


def lay_out(
    recipe: Recipe,
    labels: Sequence[str],
    d: int,
    draws: Draws,
    choose: Callable[[list[int], dict[int, int], dict[str, int]], int],
) -> Layout:
    """Draw the channels of a problem, and place instances in them.

    `choose` returns the next filler. It is called with the channels that are to be
    filled, and for instances and classes with bit masks of the channels that have them.
    """
    kinds = list(dict.fromkeys(labels[position] for position in recipe[::2]))
    more = 1 if len(kinds) == 1 else 1 + draws.below((len(kinds) - 1) * d)
    width = d + more
    unused = draws.shuffled(range(width))
    homes = {}
    for kind in kinds:
        own, unused = unused[:d], unused[d:]
        others = [channel for channel in range(width) if channel not in own]
        homes[kind] = draws.shuffled(own + draws.sample(others, d - len(own)))
    has: dict[int, int] = {}
    has_class: dict[str, int] = {}
    blocks = []
    for place, position in enumerate(recipe):
        free = draws.shuffled(range(width))
        block: list[Filled] = []
        while free:
            first = place % 2 == 1 and not block
            filler = position if first else choose(free, has, has_class)
            label = labels[filler]
            fits = [c for c in free if not has.get(filler, 0) >> c & 1]
            taken = sorted(fits, key=lambda c: has_class.get(label, 0) >> c & 1)[:d]
            mask = sum(1 << channel for channel in taken)
            has[filler] = has.get(filler, 0) | mask
            has_class[label] = has_class.get(label, 0) | mask
            block.append(Filled(filler, draws.sample(range(d), len(taken)), taken))
            free = [channel for channel in free if channel not in taken]
        blocks.append(block)
    return Layout(width, homes, blocks)


def draw_fillers(
    recipe: Recipe, pool: Pool, d: int, draws: Draws, key: Draws
) -> Recipe:
    """Draw the fillers of a problem from the classes that do not repeat.

    `draws` decide the order in which instances are taken, `key` the layout.
    """
    repeating = {pool.labels[position] for position in recipe[::2]}
    kinds = [label for label in pool.classes if label not in repeating]
    used = {pool.groups[position]: position for position in recipe}
    rows: list[list[int]] = []
    for label in draws.shuffled(kinds):
        one = {pool.groups[p]: p for p in draws.shuffled(pool.by_class[label])}
        rows.append([p for group, p in one.items() if used.get(group, p) == p])
    longest = max(map(len, rows))
    turns = [row[turn] for turn in range(longest) for row in rows if turn < len(row)]
    candidates = turns[: 4 * len(recipe)]
    if len(candidates) < len(recipe):
        raise InputError(
            f"the classes that do not repeat have {len(candidates)} instances, but a "
            f"channel with {len(recipe)} blocks needs as many; add instances"
        )
    uses = dict.fromkeys(candidates, 0)
    found: list[int] = []

    def choose(free: list[int], has: dict[int, int], has_class: dict[str, int]) -> int:
        wanted = sum(1 << channel for channel in free)

        def cost(p: int) -> tuple[int, int, int]:
            covered = (wanted & ~has.get(p, 0)).bit_count()
            again = (wanted & has_class.get(pool.labels[p], 0)).bit_count()
            return -min(d, covered), again, uses[p]

        best = min(candidates, key=cost)
        uses[best] += 1
        found.append(best)
        return best

    lay_out(recipe, pool.labels, d, key, choose)
    return tuple(found)


@dataclass(frozen=True, eq=False, repr=False)
class SubspaceBenchmark(Benchmark):
    """Problems of a benchmark, spread over channels; see the module."""

    fillers: tuple[Recipe, ...] = ()  # positions, in order of use
    shifted: bool = False  # whether motifs are shifted between channels

    per_problem: ClassVar[tuple[str, ...]] = (*Benchmark.per_problem, "fillers")

    def _problem(self, index: int) -> Problem:
        recipe, layout = self.recipes[index], self.layout(index)
        shifts = self._draws(index, "shifts")
        intervals: dict[str, list[list[tuple[int, int]]]] = {}
        blocks, start = [], 0
        for place, position in enumerate(recipe):
            values = self._instance(position)
            length, is_motif = len(values), place % 2 == 0
            room = length // SHIFT if self.shifted and is_motif else 0
            block = np.empty((length + room, layout.width))
            for filler, sources, channels in layout.blocks[place]:
                whole = stretched(self._instance(filler), length + room)
                block[:, channels] = whole[:, sources]
            if is_motif:
                label = self.labels[position]
                begins = [shifts.below(room + 1) for _ in layout.homes[label]]
                for source, channel in enumerate(layout.homes[label]):
                    begin = begins[source]
                    block[begin : begin + length, channel] = values[:, source]
                intervals.setdefault(label, []).append(
                    [(start + begin, start + begin + length) for begin in begins]
                )
            blocks.append(block)
            start += len(block)
        truth: dict[Label, MotifSet] = {
            label: MotifSet(intervals[label], channels=layout.homes[label])
            for label in sorted(intervals, key=label_order)
        }
        problem = Problem(
            np.concatenate(blocks),
            truth,
            f"{self.name}/{self.split}/{self.numbers[index]:03d}",
            tuple(self.origins[p] for p in (*recipe, *self.fillers[index])),
        )
        return problem if self.noise is None else add_noise(problem, self.noise)

    def layout(self, index: int) -> Layout:
        """Return where the instances of a problem lie."""
        fillers, d = iter(self.fillers[index]), self.instances[0].shape[1]
        draws = self._draws(index, "subspace")
        recipe = self.recipes[index]
        return lay_out(recipe, self.labels, d, draws, lambda *_: next(fillers))

    def _draws(self, index: int, what: str) -> Draws:
        name, number = archive_name(self.name), self.numbers[index]
        return Draws(self.seed, name, self.split, number, what)

    @property
    def recipe_sha256(self) -> str:
        """Hash of recipes and fillers, the same for every copy of the archive."""
        pairs = zip(self.recipes, self.fillers, strict=True)
        return recipe_sha256([self.origins[p] for p in (*a, *b)] for a, b in pairs)


def stretched(values: Instance, length: int) -> Instance:
    """Resample to a length by linear interpolation, the same bytes on every machine.

    >>> stretched(np.array([[0.0], [3.0]]), 4).ravel().tolist()
    [0.0, 1.0, 2.0, 3.0]
    """
    if len(values) == length:
        return values
    at = np.arange(length) * ((len(values) - 1) / max(1, length - 1))
    left = np.minimum(at.astype(np.int64), max(0, len(values) - 2))
    right = np.minimum(left + 1, len(values) - 1)
    weight = (at - left)[:, None]
    return np.asarray(values[left] * (1.0 - weight) + values[right] * weight)


def spread(bench: Benchmark, name: str) -> SubspaceBenchmark:
    """Return a benchmark spread over channels, with shifts if the name says so."""
    shifted = name.startswith("SubShift-")
    kept = {f.name: getattr(bench, f.name) for f in fields(Benchmark)} | {"name": name}
    frozen = frozen_fillers().get((bench.name, bench.split))
    if bench.frozen and frozen is not None:
        hashes = [row[1 + shifted] for row in frozen] if bench.hashes else []
        kept["hashes"] = tuple(sha for sha in hashes if sha is not None)
        fillers = tuple(row[0] for row in frozen)
    else:
        kept |= {"hashes": (), "frozen": False}
        fillers = drawn_fillers(bench)
    return SubspaceBenchmark(**kept, fillers=fillers, shifted=shifted)


def drawn_fillers(bench: Benchmark) -> tuple[Recipe, ...]:
    """Draw the fillers of a benchmark of TSMD-Bench, from the side of its split."""
    leak = bool(bench.options.get("leak"))
    pool = pool_of(bench, bench.split, bench.seed, leak=leak)
    d = bench.instances[0].shape[1]
    found = []
    for recipe, number in zip(bench.recipes, bench.numbers, strict=True):
        key = (bench.seed, bench.name, bench.split, number)
        order = Draws(*key, "fillers")
        found.append(draw_fillers(recipe, pool, d, order, Draws(*key, "subspace")))
    return tuple(found)


@cache
def frozen_fillers() -> dict[tuple[str, str], list[tuple[Any, ...]]]:
    """Read the fillers in the package: (dataset, split) to fillers and hashes."""
    found: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for row in shipped_rows("subspace"):
        entry = (tuple(row["fillers"]), row["sha256"], row["shifted"])
        found.setdefault((row["dataset"], row["split"]), []).append(entry)
    return found
