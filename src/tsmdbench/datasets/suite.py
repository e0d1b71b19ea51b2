"""TSMD-Bench: 14 datasets, two splits, the same problems on every machine.

`load_benchmark` needs the archive's data (see `tsmdbench.archive`) and no random
numbers: which instances make up each problem, in which order, is frozen in recipes
that come with the package. Problems are put together when they are used.

>>> bench = load_benchmark("JapaneseVowels", split="test")
>>> len(bench), bench.frozen
(200, True)
>>> bench[0].name, bench[0].series.shape, sorted(bench[0].truth)
('JapaneseVowels/test/000', (240, 12), ['1', '2'])

Frozen recipes
--------------
For 12 of the 14 datasets the recipes are a file of the package
(``data/recipes.parquet``: dataset, split, number of the problem, the official part of
each instance and its row there, and the SHA-256 of the series). They were drawn once,
by ``tools/freeze_recipes.py``, from seed 0: a stratified 20/80 split of TRAIN + TEST,
50 problems from the one side and 200 from the other, g uniform on [1, g_max].

The files of Mallat and Cricket were unavailable when the others were frozen; their
recipes are drawn from the same seed by the same code on first use. The draws do not
depend on any library (see `tsmdbench.datasets.draws`), so they are the same
everywhere, as long as the copies of the archive have the same byte-identical instances.

The SHA-256 is that of the copies that the recipes were frozen from. A copy that keeps
other digits gives the same problems within that rounding, but other bytes; therefore
the data is verified with a tolerance (`tsmdbench.datasets.dataset`) and the hashes only
show whether a copy is identical (`Benchmark.same_bytes`).

A change of a frozen recipe would be a new benchmark and needs a new name.

Overview
--------
`overview` puts the table of section 5.2 beside ours. The paper's text says that g is
uniform on [1, g_max]. Its mean lengths say otherwise: with c classes and no class that
runs out, a problem with g sets has 2 (c - g) + 1 instances, and the paper's n_avg
agrees with g >= 2 for ECG5000, Plane, Symbols, ERing and NATOPS (also Mallat and
PenDigits, within one percent), but with g >= 1 for UWaveGestureLibrary. The frozen
recipes follow the text; `g_min` is a parameter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.datasets.archive import load, locate, places
from tsmdbench.datasets.catalogue import (
    BENCHMARK,
    PAPER,
    SHIFTED_SUITE,
    SUBSPACE_SUITE,
    PaperRow,
    archive_name,
    check_benchmark_name,
)
from tsmdbench.datasets.construct import (
    Noise,
    Pool,
    Problems,
    Recipe,
    add_noise,
    check_noise,
    check_normalize,
    copy_groups,
    draw_recipe,
    largest_g,
    normalized,
    stratified_split,
    truth_of,
)
from tsmdbench.datasets.dataset import Dataset, Instance, describe, shipped_rows
from tsmdbench.datasets.draws import Draws
from tsmdbench.errors import DataError
from tsmdbench.html_text import html_block, html_facts
from tsmdbench.io import PathLike
from tsmdbench.plural import counted
from tsmdbench.types import Problem
from tsmdbench.validation import check_choice, check_flag, check_integer

SPLITS = ("validation", "test")
SEED = 0
PROBLEMS = {"validation": 50, "test": 200}
DATASETS = BENCHMARK
AGREES = 0.01  # of the paper's n_avg


@dataclass(frozen=True, eq=False)
class Benchmark(Problems):
    """Named problems of one split, which are built when they are used.

    Parameters
    ----------
    name : str
        Of the dataset.
    split : str
        ``"validation"``, ``"test"``, or ``"all"`` for own data.
    instances : tuple of float64[length, d]
        Of the whole dataset, not normalised.
    labels : tuple of str
        Class of each instance.
    origins : tuple of (str, int)
        Official part and row of each instance.
    recipes : tuple of tuple of int
        For each problem the positions of its instances, motifs at even places.
    numbers : tuple of int
        Number of each problem within the split; a slice keeps them.
    normalize : {"joint", "channel", None}
        How instances are z-normalised.
    noise : Noise, optional
        Noise that every problem gets.
    frozen : bool
        Whether the recipes come with the package.
    hashes : tuple of bytes
        SHA-256 of each series as it was frozen; empty where nothing is frozen.
    source : str
        Where the data was found.
    seed : int
        What the split into validation and test was drawn from.
    options : mapping
        What it was built with.
    """

    name: str
    split: str
    instances: tuple[Instance, ...]
    labels: tuple[str, ...]
    origins: tuple[tuple[str, int], ...]
    recipes: tuple[Recipe, ...]
    numbers: tuple[int, ...]
    normalize: str | None = "joint"
    noise: Noise | None = None
    frozen: bool = False
    hashes: tuple[bytes, ...] = ()
    source: str = ""
    seed: int = SEED
    options: Mapping[str, Any] = field(default_factory=dict)
    _ready: dict[int, Instance] = field(default_factory=dict, repr=False)

    per_problem: ClassVar[tuple[str, ...]] = ("recipes", "numbers", "hashes")

    def __repr__(self) -> str:
        how = "frozen" if self.frozen else "drawn here"
        return f"<{self.name}/{self.split}: {counted(len(self), 'problem')}, {how}>"

    def _repr_html_(self) -> str:
        """Show the content in a notebook."""
        facts = {
            "problems": len(self),
            "instances": len(self.instances),
            "classes": len(set(self.labels)),
            "recipes": "frozen" if self.frozen else "drawn here",
            "normalization": self.normalize or "none",
            "noise": self.noise or "none",
            "source": self.source,
        }
        return html_block(html_facts(f"{self.name}/{self.split}", facts))

    def _problem(self, index: int) -> Problem:
        recipe = self.recipes[index]
        number = self.numbers[index]
        parts = [self._instance(position) for position in recipe]
        series = np.concatenate(parts)
        labels = [self.labels[position] for position in recipe]
        problem = Problem(
            series[:, 0] if series.shape[1] == 1 else series,
            truth_of(labels, [len(part) for part in parts]),
            f"{self.name}/{self.split}/{number:03d}",
            tuple(self.origins[position] for position in recipe),
        )
        return problem if self.noise is None else add_noise(problem, self.noise)

    def _instance(self, position: int) -> Instance:
        """Return an instance normalised, which is done once."""
        if position not in self._ready:
            self._ready[position] = normalized(self.instances[position], self.normalize)
        return self._ready[position]

    @property
    def recipe_sha256(self) -> str:
        """Hash of the recipes, the same for every copy of the archive."""
        origins = self.origins
        return recipe_sha256(
            [origins[position] for position in recipe] for recipe in self.recipes
        )

    def same_bytes(self) -> int:
        """Return how many series equal the frozen ones byte for byte.

        Another copy of the archive may be rounded differently: its problems are the
        same, sample for sample within the rounding, but not all in every byte. 0 where
        nothing is frozen.
        """
        pairs = zip(self, self.hashes, strict=True) if self.hashes else ()
        return sum(series_sha256(problem.series) == sha for problem, sha in pairs)


def series_sha256(series: NDArray[np.float64]) -> bytes:
    """Return SHA-256 of shape and little-endian samples, in order of time."""
    shape = "x".join(map(str, series.shape))
    values = np.ascontiguousarray(series, dtype="<f8")
    return hashlib.sha256(f"{shape}\n".encode() + values.tobytes()).digest()


def load_benchmark(
    name: str,
    split: str = "test",
    *,
    folder: PathLike | None = None,
    allow_download: bool = True,
    g_min: int = 1,
    seed: int = SEED,
    leak: bool = False,
    normalize: str | None = "joint",
    noise: float = 0.0,
    noise_where: str = "all",
    noise_seed: int = 0,
) -> Benchmark:
    """Load one split of a dataset of TSMD-Bench: 50 or 200 problems.

    The defaults give the benchmark; other values of the options are for studies.

    Parameters
    ----------
    name : str
        One of the 14 datasets, see `DATASETS`; or one of `SUBSPACE_SUITE` and
        `SHIFTED_SUITE`, see `tsmdbench.datasets.subspace`.
    split : {"test", "validation"}
        No instance of the archive is in problems of both.
    folder : path, optional
        Folder that is searched first for the files of the archive.
    allow_download : bool, default True
        Whether missing files may be downloaded.
    g_min : int, default 1
        Smallest number of motif sets. Values other than 1 draw other recipes, from the
        same split and seed; the mean lengths in the paper suggest 2.
    seed : int, default 0
        Values other than 0 draw another split into validation and test, and other
        recipes.
    leak : bool, default False
        Whether test problems may use validation instances, as in the public code of the
        paper; draws other recipes of the test split.
    normalize : {"joint", "channel", None}, default "joint"
        How instances are z-normalised.
    noise : float, default 0.0
        Standard deviation of noise that is added.
    noise_where : {"all", "motifs", "separators"}
    noise_seed : int, default 0

    Returns
    -------
    Benchmark
        A sequence of `Problem`. Its attribute `frozen` is False for Mallat and
        Cricket, whose recipes are drawn here, from the same seed everywhere.
    """
    in_channels = name in (*SUBSPACE_SUITE, *SHIFTED_SUITE)
    archived = archive_name(name) if in_channels else check_benchmark_name(name)
    check_choice(split, "split", SPLITS)
    dataset = load(archived, folder, allow_download=allow_download)
    drawn: dict[str, Any] = {
        "g_min": check_integer(g_min, "g_min", minimum=1),
        "seed": check_integer(seed, "seed", minimum=0),
        "leak": check_flag(leak, "leak") and split == "test",
    }
    if drawn == {"g_min": 1, "seed": SEED, "leak": False}:
        recipes, hashes = recipes_for(dataset, split)
    else:
        recipes, hashes = draw_recipes(dataset, split, **drawn), None
    added = check_noise(Noise(noise, noise_where, noise_seed))
    as_frozen = check_normalize(normalize) == "joint" and added.std == 0
    bench = Benchmark(
        archived,
        split,
        dataset.instances,
        dataset.labels,
        dataset.origins,
        recipes,
        tuple(range(len(recipes))),
        normalize=normalize,
        noise=added if added.std > 0 else None,
        frozen=hashes is not None,
        hashes=hashes if hashes and as_frozen else (),
        source=dataset.source,
        seed=seed,
        options={**drawn, "normalize": normalize, "noise": added._asdict()},
    )
    if not in_channels:
        return bench
    from tsmdbench.datasets.subspace import spread

    return spread(bench, name)


def unseen_problems(
    name: str, seed: int, number: int, *, folder: PathLike | None = None
) -> Benchmark:
    """Draw unseen test problems by a secret seed (other than 0, that of the frozen).

    They follow the rules of the frozen ones: their instances are on the test side of
    the published split, so no method was tuned on them. Recipes that are frozen are
    left out.
    """
    check_benchmark_name(name)
    check_integer(seed, "seed", minimum=1)
    check_integer(number, "problems", minimum=2)
    bench = load_benchmark(name, folder=folder)
    drawn = draw_recipes(bench, "test", n_problems=number + 10, recipe_seed=seed)
    recipes = tuple(one for one in drawn if one not in bench.recipes)[:number]
    return replace(
        bench,
        recipes=recipes,
        numbers=tuple(range(len(recipes))),
        frozen=False,
        hashes=(),
        options={},
    )


def recipes_for(
    dataset: Dataset, split: str
) -> tuple[tuple[Recipe, ...], tuple[bytes, ...] | None]:
    """Return the frozen recipes of a dataset and hashes, or drawn ones and None."""
    frozen = frozen_recipes().get((dataset.name, split))
    if frozen is None:
        return draw_recipes(dataset, split), None
    position = {origin: place for place, origin in enumerate(dataset.origins)}
    found = (tuple(map(position.__getitem__, row)) for row in frozen.origins)
    return tuple(found), frozen.hashes


def pool_of(
    data: Dataset | Benchmark, split: str, seed: int, *, leak: bool = False
) -> Pool:
    """Return the instances of one side of the stratified split, or of both."""
    groups = copy_groups(data.instances)
    sides = stratified_split(data.labels, groups, Draws(seed, data.name, "split"))
    return Pool(data.labels, groups, None if leak else sides[split])


def draw_recipes(
    dataset: Dataset | Benchmark,
    split: str,
    *,
    seed: int = SEED,
    n_problems: int | None = None,
    g_min: int = 1,
    leak: bool = False,
    recipe_seed: int | None = None,
) -> tuple[Recipe, ...]:
    """Draw the recipes of one split from one side of the stratified split.

    `n_problems` is 50 for validation and 200 for test unless given, `recipe_seed` that
    of the split. With `leak`, as in the public code of the paper, the instances of
    both sides may be used.
    """
    drawn_by = seed if recipe_seed is None else recipe_seed
    pool = pool_of(dataset, split, seed, leak=leak)
    return tuple(
        draw_recipe(pool, Draws(drawn_by, dataset.name, split, problem), g_min=g_min)
        for problem in range(n_problems or PROBLEMS[split])
    )


def recipe_sha256(origins: Iterable[Sequence[tuple[str, int]]]) -> str:
    """Return the hash that names a list of recipes, ``(part, row)`` each."""
    lines = (" ".join(f"{part}:{row}" for part, row in recipe) for recipe in origins)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


class FrozenRecipes(NamedTuple):
    """Shipped recipes of one split of a dataset, and hashes of the series."""

    origins: tuple[tuple[tuple[str, int], ...], ...]
    hashes: tuple[bytes, ...]


@cache
def frozen_recipes() -> dict[tuple[str, str], FrozenRecipes]:
    """Read the recipes in the package: (dataset, split) to recipes."""
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in shipped_rows("recipes"):
        rows.setdefault((row["dataset"], row["split"]), []).append(row)
    return {
        key: FrozenRecipes(
            tuple(tuple(zip(r["parts"], r["rows"], strict=True)) for r in found),
            tuple(r["sha256"] for r in found),
        )
        for key, found in rows.items()
    }


class OverviewRow(NamedTuple):
    """One dataset; values are None if the data is unavailable.

    `trouble` is the reason why data that was found cannot be used. `n_avg` is
    the mean length of the problems of the test split; `n_avg_g1` and
    `n_avg_g2` are what g uniform on [1, g_max] and on [2, g_max] lead one to expect
    where no class runs out of instances. `paper_g_min` is the one of the two that the
    paper's n_avg agrees with.
    """

    dataset: str
    available: str | None
    frozen: bool
    classes: int | None
    l_min: int | None
    l_max: int | None
    channels: int | None
    g_max: int | None
    n_avg: float | None
    n_avg_g1: float | None
    n_avg_g2: float | None
    paper: PaperRow
    paper_g_min: int | None
    trouble: str | None = None


def overview(folder: PathLike | None = None) -> list[OverviewRow]:
    """Return the 14 datasets in the order of the paper; nothing is downloaded."""
    places(folder)  # a missing folder concerns all datasets
    return [_row(name, folder) for name in BENCHMARK]


def expected_length(classes: int, mean_length: float, g_min: int) -> float:
    """Return the expected length of a problem where no class runs out.

    >>> expected_length(5, 140, 1), expected_length(5, 140, 2)
    (1120.0, 980.0)
    """
    sets = range(g_min, largest_g(classes) + 1)
    return float(np.mean([2 * (classes - g) + 1 for g in sets]) * mean_length)


def _row(name: str, folder: PathLike | None) -> OverviewRow:
    paper, place, dataset, trouble = PAPER[name], None, None, None
    try:
        place = locate(name, folder)
        if place is not None:
            dataset = load(name, folder, allow_download=False)
    except DataError as cause:
        trouble = str(cause)
    seen: tuple[Any, ...] = (None,) * 6
    classes, mean = paper.classes, float(paper.l_min)
    if dataset is not None:
        found = describe(dataset)
        classes, mean = found.classes, found.l_mean
        recipes, _ = recipes_for(dataset, "test")
        lengths = [dataset.lengths[list(recipe)].sum() for recipe in recipes]
        seen = (*found[:4], largest_g(classes), float(np.mean(lengths)))
    known = dataset is not None or paper.l_min == paper.l_max
    expected = [expected_length(classes, mean, g_min) for g_min in (1, 2)]
    agrees = [
        g_min
        for g_min, length in zip((1, 2), expected, strict=True)
        if known and abs(length - paper.n_avg) <= AGREES * paper.n_avg
    ]
    seen += tuple(expected) if known else (None, None)
    seen += (paper, agrees[0] if agrees else None, trouble)
    return OverviewRow(
        name,
        None if dataset is None or place is None else place.kind,
        (name, "test") in frozen_recipes(),
        *seen,
    )
