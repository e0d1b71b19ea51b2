"""Recipes: which instances, in which order, make up each problem.

Frozen
------
For 12 of the 14 datasets the recipes are a file of the package
(``data/recipes.parquet``: dataset, split, number of the problem, the official part of
each instance and its row there, and the SHA-256 of the series). They were drawn once,
by ``tools/freeze_recipes.py``, from seed 0: a stratified 20/80 split of TRAIN + TEST,
50 problems from the one side and 200 from the other, g uniform on [1, g_max].

The files of Mallat and Cricket were unavailable when the others were frozen; their
recipes are drawn from the same seed by the same code on first use. The draws do not
depend on any library (see `tsmdbench.archive.draws`), so they are the same
everywhere, as long as the copies of the archive have the same byte-identical instances.

The SHA-256 is that of the copies that the recipes were frozen from. A copy that keeps
other digits gives the same problems within that rounding, but other bytes; therefore
the data is verified with a tolerance (`tsmdbench.archive.verify`) and the hashes only
tell whether a copy is the very same (`Benchmark.same_bytes`).

A change of a frozen recipe would be a new benchmark and needs a new name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from tsmdbench.archive.cache import read_table
from tsmdbench.archive.dataset import Dataset
from tsmdbench.archive.draws import Draws
from tsmdbench.benchmark.construct import Pool, Recipe, draw_recipe
from tsmdbench.benchmark.split import copy_groups, stratified_split

SEED = 0
PROBLEMS = {"validation": 50, "test": 200}


class Recipes(NamedTuple):
    """The recipes of one split, and where they come from."""

    recipes: tuple[Recipe, ...]
    frozen: bool
    hashes: tuple[bytes, ...] = ()


def recipes_for(dataset: Dataset, split: str) -> Recipes:
    """Return the frozen recipes of a dataset, or draw them where none are frozen."""
    frozen = frozen_recipes().get((dataset.name, split))
    if frozen is not None:
        position = {origin: place for place, origin in enumerate(dataset.origins)}
        found = [tuple(map(position.__getitem__, row)) for row in frozen.origins]
        return Recipes(tuple(found), frozen=True, hashes=frozen.hashes)
    return Recipes(draw_recipes(dataset, split), frozen=False)


def draw_recipes(
    dataset: Dataset,
    split: str,
    *,
    seed: int = SEED,
    n_problems: int | None = None,
    g_min: int = 1,
    g_max: int | None = None,
    leak: bool = False,
) -> tuple[Recipe, ...]:
    """Draw the recipes of one split from one side of the stratified split.

    Parameters
    ----------
    dataset : Dataset
        Whole: TRAIN and TEST.
    split : {"validation", "test"}
    seed : int, default 0
    n_problems : int, optional
        50 for validation and 200 for test, unless given.
    g_min, g_max : int
        Range of the number of motif sets; `g_max` is as large as the classes allow
        unless given.
    leak : bool, default False
        Whether the instances of both splits may be used, as in the public code of the
        paper. For studies of what that changes.
    """
    groups = copy_groups(dataset.instances)
    sides = stratified_split(dataset.labels, groups, Draws(seed, dataset.name, "split"))
    either = (*sides.validation, *sides.test)
    own = sorted(either) if leak else getattr(sides, split)
    pool = Pool(dataset.labels, groups, own)
    number = PROBLEMS[split] if n_problems is None else n_problems
    return tuple(
        draw_recipe(
            pool, Draws(seed, dataset.name, split, problem), g_min=g_min, g_max=g_max
        )
        for problem in range(number)
    )


def recipe_sha256(origins: Iterable[Sequence[tuple[str, int]]]) -> str:
    """Return the hash that names a list of recipes, ``(part, row)`` each."""
    lines = (" ".join(f"{part}:{row}" for part, row in recipe) for recipe in origins)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


class FrozenRecipes(NamedTuple):
    """What the package ships for one split of a dataset."""

    origins: tuple[tuple[tuple[str, int], ...], ...]
    hashes: tuple[bytes, ...]


@cache
def frozen_recipes() -> dict[tuple[str, str], FrozenRecipes]:
    """Read the recipes in the package: (dataset, split) to recipes."""
    resource = files("tsmdbench.benchmark") / "data" / "recipes.parquet"
    table = read_table(resource.read_bytes())
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        rows.setdefault((row["dataset"], row["split"]), []).append(row)
    return {
        key: FrozenRecipes(
            tuple(tuple(zip(r["parts"], r["rows"], strict=True)) for r in found),
            tuple(r["sha256"] for r in found),
        )
        for key, found in rows.items()
    }
