"""What was asked for: enough to do it again, kept in the store's manifest."""

from __future__ import annotations

import dataclasses
import platform
import socket
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from tsmdbench.benchmark import SPLITS
from tsmdbench.errors import InputError
from tsmdbench.experiments.grids import KINDS
from tsmdbench.experiments.limits import Limits
from tsmdbench.experiments.sources import dataset_of
from tsmdbench.io import PathLike
from tsmdbench.validation import check_choice, check_integer


@dataclass(frozen=True)
class Specification:
    """Which methods on which problems, with which settings and limits.

    Parameters
    ----------
    datasets : tuple of str
        See `tsmdbench.experiments.sources`.
    methods : tuple of str
        Names out of `METHODS`, or ``module:Class``.
    split : {"test", "validation"}
    tune : bool
        Search each method's grid on the validation split first.
    params : mapping
        Method to fields that are given, see `fixed_fields`.
    grid : "powers", "full" or mapping
        See `tsmdbench.experiments.grids`.
    limit : int, optional
        Only the first problems of each split.
    limit_validation : int, optional
        Only the first problems of the validation split, in place of `limit`.
    limits : Limits
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    split: str = "test"
    tune: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)
    grid: str | Mapping[str, Any] = "powers"
    limit: int | None = None
    limit_validation: int | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        check_choice(self.split, "split", SPLITS)
        for name in ("limit", "limit_validation"):
            if getattr(self, name) is not None:
                check_integer(getattr(self, name), name, minimum=1)
        if isinstance(self.grid, str):
            check_choice(self.grid, "grid", KINDS)
        if not self.datasets or not self.methods:
            raise InputError("name at least one dataset and one method")

    def limit_of(self, split: str) -> int | None:
        """Return how many problems of a split are wanted; None for all."""
        if split == "validation" and self.limit_validation is not None:
            return self.limit_validation
        return self.limit

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """Rebuild it from a manifest."""
        rest = dict(kept)
        rest["limits"] = Limits(**rest["limits"])
        rest["datasets"], rest["methods"] = map(
            tuple, (rest["datasets"], rest["methods"])
        )
        return cls(**rest)

    def fixed_fields(self, method: str, dataset: str) -> dict[str, Any]:
        """Return the fields that are given for a method on a dataset.

        In a file: ``[locomotif]`` for all datasets, and
        ``[locomotif.datasets.JapaneseVowels]`` for one and its variants, which goes
        before.
        """
        given = dict(self.params.get(method, {}))
        own = given.pop("datasets", {})
        return {**given, **own.get(dataset_of(dataset), {}), **own.get(dataset, {})}


def read_toml(path: PathLike, what: str) -> dict[str, Any]:
    """Read a TOML file with a table per method."""
    file = Path(path)
    try:
        tables = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        raise InputError(f"{file} does not exist") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} is no TOML file: {error}") from None
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise InputError(
                f"{file}: {what} are given by method; put {name!r} under a heading "
                f"like [locomotif]"
            )
    return tables


def provenance() -> dict[str, str]:
    """Return the versions and the host that an experiment runs with."""
    packages = ("tsmdbench", "numpy", "numba", "scipy", "pyarrow", "distributed")
    return {
        **{name: version(name) for name in packages},
        "python": platform.python_version(),
        "system": platform.platform(),
        "host": socket.gethostname(),
    }
