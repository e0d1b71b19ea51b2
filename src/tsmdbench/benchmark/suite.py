"""TSMD-Bench: 14 datasets, two splits, the same problems on every machine.

`load_benchmark` needs the archive's data (see `tsmdbench.archive`) and no random
numbers: which instances make up each problem, in which order, is frozen in recipes
that come with the package (`tsmdbench.benchmark.recipes`). Problems are put together
when they are used.

>>> bench = load_benchmark("JapaneseVowels", split="test")
>>> len(bench), bench.frozen
(200, True)
>>> bench[0].name, bench[0].series.shape, sorted(bench[0].truth)
('JapaneseVowels/test/000', (240, 12), ['1', '2'])
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tsmdbench.archive.catalogue import BENCHMARK, check_benchmark_name
from tsmdbench.archive.dataset import Instance
from tsmdbench.archive.loading import load
from tsmdbench.archive.normalize import check_normalize, normalized
from tsmdbench.benchmark.construct import Recipe, truth_of
from tsmdbench.benchmark.noise import Noise, add_noise, check_noise
from tsmdbench.benchmark.recipes import (
    SEED,
    Recipes,
    draw_recipes,
    recipe_sha256,
    recipes_for,
)
from tsmdbench.html_text import html_block, html_facts
from tsmdbench.io import PathLike
from tsmdbench.plural import counted
from tsmdbench.types import Problem
from tsmdbench.validation import check_choice, check_flag, check_integer

SPLITS = ("validation", "test")
DATASETS = BENCHMARK


@dataclass(frozen=True, eq=False)
class Benchmark(Sequence[Problem]):
    """Named problems of one split, which are built when they are used.

    Parameters
    ----------
    name : str
        Of the dataset.
    split : str
        ``"validation"``, ``"test"``, or ``"all"`` for one's own data.
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

    def __len__(self) -> int:
        return len(self.recipes)

    def __repr__(self) -> str:
        how = "frozen" if self.frozen else "drawn here"
        return f"<{self.name}/{self.split}: {counted(len(self), 'problem')}, {how}>"

    def _repr_html_(self) -> str:
        """Show what it is made of, in a notebook."""
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

    @overload
    def __getitem__(self, index: int) -> Problem: ...
    @overload
    def __getitem__(self, index: slice) -> Benchmark: ...
    def __getitem__(self, index: int | slice) -> Problem | Benchmark:
        """Return a problem, or a benchmark of some of the problems."""
        if isinstance(index, slice):
            return replace(
                self,
                recipes=self.recipes[index],
                numbers=self.numbers[index],
                hashes=self.hashes[index],
            )
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

    def __iter__(self) -> Iterator[Problem]:
        return (self[index] for index in range(len(self)))

    def _instance(self, position: int) -> Instance:
        """Return an instance normalised, which is done once."""
        if position not in self._ready:
            self._ready[position] = normalized(self.instances[position], self.normalize)
        return self._ready[position]

    @property
    def recipe_sha256(self) -> str:
        """Hash that names the recipes, whatever copy of the archive is here."""
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
        One of the 14 datasets, see `DATASETS`.
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
    check_benchmark_name(name)
    check_choice(split, "split", SPLITS)
    dataset = load(name, folder, allow_download=allow_download)
    drawn: dict[str, Any] = {
        "g_min": check_integer(g_min, "g_min", minimum=1),
        "seed": check_integer(seed, "seed", minimum=0),
        "leak": check_flag(leak, "leak") and split == "test",
    }
    if drawn == {"g_min": 1, "seed": SEED, "leak": False}:
        found = recipes_for(dataset, split)
    else:
        found = Recipes(draw_recipes(dataset, split, **drawn), frozen=False)
    added = check_noise(Noise(noise, noise_where, noise_seed))
    as_frozen = check_normalize(normalize) == "joint" and added.std == 0
    return Benchmark(
        name,
        split,
        dataset.instances,
        dataset.labels,
        dataset.origins,
        found.recipes,
        tuple(range(len(found.recipes))),
        normalize=normalize,
        noise=added if added.std > 0 else None,
        frozen=found.frozen,
        hashes=found.hashes if as_frozen else (),
        source=dataset.source,
        seed=seed,
        options={**drawn, "normalize": normalize, "noise": added._asdict()},
    )
