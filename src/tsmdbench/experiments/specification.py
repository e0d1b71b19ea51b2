"""The request for an experiment: enough to repeat it, kept in the manifest.

The manifest also has versions, host and speed of the machine: times of two stores can
be compared only if they come from machines of known speed. Each machine that writes to
a store therefore measures a fixed piece of work, `tsmdbench._kernels.calibration`,
once: the shortest processor time of some repetitions. It says how fast one core
computes, and nothing of little memory or many threads. Where two stores have that
number, times of one are scaled to the machine of the other; otherwise they are shown as
not comparable.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import platform
import re
import socket
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any, NamedTuple, Self

import numpy as np

from tsmdbench.benchmark import SPLITS
from tsmdbench.errors import ExperimentError, InputError
from tsmdbench.experiments.environments import Environment
from tsmdbench.experiments.settings import KINDS, RADII
from tsmdbench.experiments.sources import (
    dataset_of,
    identified,
    runs_code,
    uses_truth,
)
from tsmdbench.validation import (
    check_choice,
    check_integer,
    check_positive,
    check_shape,
)

# What Dask raises for a text that is not a time or size, such as an empty one.
FAULTS = (ValueError, KeyError, IndexError, OverflowError)
# Types that a manifest must have, where the checks below would not notice another one.
FIELDS: dict[str, Any] = {
    "datasets": (list, tuple),
    "methods": (list, tuple),
    "split": str,
    "tune": bool,
    "params": dict,
    "grid": (str, dict),
    "folders": dict,
}
SMALLEST_MEMORY = 256 * 2**20  # an interpreter with a compiled method needs as much
MACHINES = "machines"  # field of the manifest: machine to what was measured
KERNEL = 1  # number of the work; only equal ones can be compared
SAMPLES, WINDOW, REPEATS = 1200, 64, 7
SEVERAL = "scheduler"  # stands for machines of unknown speed
SAME = 1.15  # ratio of two speeds up to which machines count as equal


@dataclass(frozen=True)
class Limits:
    """Limits of a run: time and memory.

    Parameters
    ----------
    seconds : float
        Longest time of a run, compilation and warm-up excluded.
    memory : int
        Largest resident memory of the computing process in bytes, including the
        interpreter.
    grace : float
        Seconds beyond `seconds` that the first, unmeasured run of a method in a
        process may take, since it may compile.
    max_motifs : int
        Largest number of motifs that a run may return, where each set counts as one
        more. Very large results would make reading the store slow.
    """

    seconds: float = 600.0
    memory: int = 4 * 2**30
    grace: float = 60.0
    max_motifs: int = 1_000_000

    @classmethod
    def of(
        cls,
        time: str,
        memory: str,
        grace: float = 60.0,
        max_motifs: int = 1_000_000,
    ) -> Self:
        """Read limits as a person writes them: ``600s``, ``10m``; ``4GiB``."""
        check_integer(max_motifs, "max_motifs", minimum=1)
        return cls(parse_seconds(time), parse_bytes(memory), grace, max_motifs)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """Rebuild them from a manifest; raise where a value is not a limit."""
        limits = cls(**kept)
        for name, value in vars(limits).items():
            check_positive(value, name)
        return limits


def parse_seconds(text: str) -> float:
    """Return a time limit in seconds, written as Dask reads it, or in ``min``.

    >>> parse_seconds("10m"), parse_seconds("2.5"), parse_seconds("1h")
    (600.0, 2.5, 3600.0)
    """
    from dask.utils import parse_timedelta

    seconds = -1.0
    with suppress(*FAULTS):
        plain = re.sub(r"min$", "m", text.strip(), flags=re.IGNORECASE)
        seconds = float(parse_timedelta(plain))
    if not seconds > 0:
        raise InputError(
            f"time limit must be written like 600s, 10m, 1h, got {text!r}; it must be "
            f"above 0"
        )
    return seconds


def parse_bytes(text: str) -> int:
    """Return a memory limit in bytes, written as Dask reads it.

    >>> parse_bytes("4GiB"), parse_bytes("500MB")
    (4294967296, 500000000)
    """
    from dask.utils import parse_bytes as parse_size

    size = 0
    with suppress(*FAULTS):
        size = int(parse_size(text))
    if size < SMALLEST_MEMORY:
        raise InputError(
            f"memory limit must be written like 4GiB, 500MB, and at least 256MiB, "
            f"which the interpreter needs, got {text!r}"
        )
    return size


class Shard(NamedTuple):
    """A part of a request: every `total`-th task, beginning with task `number`.

    >>> Shard.of("3/40")
    Shard(number=3, total=40)
    """

    number: int = 1
    total: int = 1

    @classmethod
    def of(cls, text: str) -> Self:
        """Read a part as it is typed."""
        typed = re.fullmatch(r"([0-9]+)/([0-9]{1,9})", text)
        shard = cls(*map(int, typed.groups())) if typed else cls(0)
        if not 1 <= shard.number <= shard.total:
            raise InputError(
                f"a shard must be written like 3/40, the third of 40 parts, got "
                f"{text!r:.40}"
            )
        return shard

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"


WHOLE = Shard()


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
        Search each method's grid on the validation split first; not for datasets whose
        parameters come from the truth (``?protocol=pvldb``).
    params : mapping
        Method to fields that are given, see `fixed_fields`.
    grid : "powers", "full", "paper" or mapping
        See `tsmdbench.experiments.settings`.
    radius : {"own", "stacked"}
        How the radius follows from the data, see `tsmdbench.experiments.settings`.
    limit : int, optional
        Only the first problems of each split.
    limit_validation : int, optional
        Only the first problems of the validation split, in place of `limit`.
    limits : Limits
    repeats : int
        Seeds of a method that has a field `seed`: its own one and those that follow.
    environment : Environment, optional
        Where methods that are named ``file.py:Class`` or ``module:Class`` are, if not
        here.
    folders : mapping, optional
        Folders of benchmarks that `tsmdbench build` wrote, by identity. A dataset that
        is given as ``folder/name`` is replaced by its identity ``name@hash``, and its
        folder is added here.
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
    radius: str = "own"
    repeats: int = 1
    environment: Environment | None = None
    folders: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        stored = [identified(dataset) for dataset in self.datasets]
        object.__setattr__(self, "datasets", tuple(name for name, _ in stored))
        found = {k: v for _, folder in stored for k, v in folder.items()}
        object.__setattr__(self, "folders", {**self.folders, **found})
        check_choice(self.split, "split", SPLITS)
        for name in ("limit", "limit_validation"):
            if getattr(self, name) is not None:
                check_integer(getattr(self, name), name, minimum=1)
        check_choice(self.radius, "radius", RADII)
        check_integer(self.repeats, "repeats", minimum=1)
        if isinstance(self.grid, str):
            check_choice(self.grid, "grid", KINDS)
        if not self.datasets or not self.methods:
            raise InputError("name at least one dataset and one method")
        if self.tune and all(map(uses_truth, self.datasets)):
            raise InputError(
                "the protocol pvldb takes parameters from the truth, so there is "
                "nothing to tune; leave out tune (--tune)"
            )
        if self.environment is not None and not any(map(runs_code, self.methods)):
            raise InputError(
                f"{self.environment} needs a method that is named file.py:Class or "
                f"module:Class; name one with --method"
            )
        for name in (*self.datasets, *self.methods):
            check_storable(name, "the name of a dataset or a method")

    def limit_of(self, split: str) -> int | None:
        """Return how many problems of a split are wanted; None for all."""
        if split == "validation" and self.limit_validation is not None:
            return self.limit_validation
        return self.limit

    @property
    def imports(self) -> tuple[str, ...]:
        """Datasets and methods whose names import, and so run, a module."""
        return tuple(filter(runs_code, (*self.datasets, *self.methods)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types, without empty defaults."""
        kept = dataclasses.asdict(self)
        optional = ("environment", "folders")
        return {k: v for k, v in kept.items() if v or k not in optional}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """Rebuild it from a manifest.

        Raises
        ------
        InputError
            The manifest holds something else.
        """
        try:
            rest = dict(kept)
            for name, kinds in FIELDS.items():
                if name in rest:
                    check_shape(rest[name], kinds, name)
            for name in ("datasets", "methods"):
                check_shape(list(rest[name]), [str], name)
                rest[name] = tuple(rest[name])
            rest["limits"] = Limits.from_dict(rest["limits"])
            if rest.get("environment") is not None:
                rest["environment"] = Environment.from_dict(rest["environment"])
            return cls(**rest)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"the manifest of the store is damaged: what was requested cannot be "
                f"read ({type(error).__name__}: {error})"
            ) from None

    def fixed_fields(self, method: str, dataset: str) -> dict[str, Any]:
        """Return the fields that are given for a method on a dataset.

        In a file: ``[locomotif]`` for all datasets, and
        ``[locomotif.datasets.JapaneseVowels]`` for one and its variants, which goes
        before.
        """

        def table(value: Any, name: str) -> dict[str, Any]:
            if isinstance(value, Mapping):
                return dict(value)
            raise InputError(
                f"parameters: [{name}] must be a table of names and values, got "
                f"{value!r}"
            )

        given = table(self.params.get(method, {}), method)
        own = table(given.pop("datasets", {}), f"{method}.datasets")
        base = dataset_of(dataset)
        for name in (base.rpartition("@")[0], base, dataset):
            given |= table(own.get(name, {}), f"{method}.datasets.{name}")
        return given


def check_storable(text: str, name: str) -> None:
    """Raise if UTF-8 cannot encode a text that identifies runs."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{name} must be valid UTF-8 text, got {text!r}") from None


def provenance() -> dict[str, str]:
    """Return the versions and the host that an experiment runs with."""
    packages = ("tsmdbench", "numpy", "numba", "scipy", "pyarrow", "distributed")
    return {
        **{name: version(name) for name in packages},
        "python": platform.python_version(),
        "system": platform.platform(),
        "host": socket.gethostname(),
    }


def check_platform(system: str = sys.platform) -> list[str]:
    """Return what this system cannot enforce; raise where nothing runs (Windows).

    >>> check_platform("linux")
    []
    """
    if system == "win32":
        raise ExperimentError(
            "experiments cannot run on Windows, which lacks process groups and file "
            "locks; use the Windows Subsystem for Linux"
        )
    if system == "linux":
        return []
    return [
        "on this system the peak memory of a run is that of its process since its "
        "start, which may include earlier runs; the memory limit is enforced"
    ]


# The machine


def machine_name() -> str:
    """Return an anonymous name of this machine."""
    about = f"{platform.node()} {platform.machine()} {platform.processor()}"
    return hashlib.blake2b(about.encode(), digest_size=6).hexdigest()


@cache
def kernel_seconds() -> float:
    """Return the processor time of the fixed kernel on this machine, once measured."""
    from tsmdbench._kernels.calibration import sliding_distances

    x = np.sin(np.arange(SAMPLES) ** 1.5)
    sliding_distances(x[: WINDOW + 1], WINDOW)  # compiles
    spent = []
    for _ in range(REPEATS):
        begin = time.process_time()
        sliding_distances(x, WINDOW)
        spent.append(time.process_time() - begin)
    return min(spent)


def note_machine(manifest: dict[str, Any], *, on_cluster: bool = False) -> None:
    """Note the speed of this machine; that of the workers of a cluster is unknown."""
    machines = manifest.setdefault(MACHINES, {})
    name = SEVERAL if on_cluster else machine_name()
    if name not in machines:
        seconds = None if on_cluster else kernel_seconds()
        machines[name] = {"kernel": KERNEL, "seconds": seconds}


def speed_of(manifest: Mapping[str, Any]) -> float | None:
    """Return the kernel's seconds on the machine that a store was made on.

    None where it is not known, or where machines of different speed were used: a row
    does not say on which of them it was made.

    >>> speed_of({"machines": {"a": {"kernel": 1, "seconds": 0.02}}})
    0.02
    """
    machines, known = manifest.get(MACHINES) or {}, []
    with suppress(InputError):
        check_shape(machines, {...: {"kernel": int, "seconds": (int, float)}}, MACHINES)
        known = [one["seconds"] for one in machines.values() if one["kernel"] == KERNEL]
    sound = all(math.isfinite(seconds) and seconds > 0 for seconds in known)
    if not known or len(known) < len(machines) or not sound:
        return None
    return float(np.median(known)) if max(known) <= SAME * min(known) else None


def is_mixed(manifest: Mapping[str, Any]) -> bool:
    """Return True if a store was made on machines of different or unknown speed.

    >>> is_mixed({"machines": {"scheduler": {"kernel": 1, "seconds": None}}})
    True
    """
    return bool(manifest.get(MACHINES)) and speed_of(manifest) is None


def joint_machines(manifests: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the machines of several stores as those of one; none if one is unknown."""
    found: dict[str, Any] = {}
    for manifest in manifests:
        if not manifest.get(MACHINES):
            return {}
        found |= manifest[MACHINES]
    return {MACHINES: found}
