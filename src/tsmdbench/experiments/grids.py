"""Grids: which settings of a method are tried (section 6.2.2 of the paper).

| method | axes |
|---|---|
| emma | word_length {4, 8, ... <= l / 2}, alphabet_size {2, 4, 8, 16} |
| gv_sequitur, gv_repair | window {8, 16, ..., 2^round(log2(2 l_max))}, |
|  | word_length {4, 8, ... <= window / 2}, alphabet_size {2, 4, 8, 16} |
| valmod, stomp, panmp | radius_factor {2, ..., 6} |
| locomotif | warping {true, false}, rho {0.1, ..., 0.9} |
| univariate methods on d > 1 channels | channel {0, ..., d - 1}, the first axis |

The paper writes ``{4, ..., l / 2}``, which is read as powers of two; the grid ``full``
takes every whole number. The grid ``paper`` is that of the code of the paper's group,
which for the two gv methods ends at words of 32 letters. Other methods have one
setting, that of the data.

A method, ours or of another package, names its grid by an attribute `grid` of its
class: a mapping of field to values, or a function of `DataFacts` that returns one. An
attribute `full_grid` or `paper_grid` of the same form is what the grid ``full`` or
``paper`` takes instead. The axis of channels is put before them here. A TOML file
overrides both::

    [locomotif]
    rho = [0.5, 0.7]
    warping = [true]

The order of a grid is that of its axes, the last one fastest; ties in a search go to
the first setting in this order.

A search takes the setting with the highest mean F1 over all validation problems: that
of PROM, or of subspace PROM where true sets have channels. Failed runs score 0. Runs of
a search are rows of the store like others, so a search can be interrupted; its surface,
every setting with its score, is written to
``tuning/<dataset>-<method>.parquet``, and the winners of all searches to
``tuning/tuned.toml``, which `tsmdbench run --params` reads.

A field named `seed` makes a method random. The runs of several seeds differ in this
field only; their scores are averaged where runs become scores. A search tries one seed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import product
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tsmdbench.errors import InputError
from tsmdbench.experiments.rows import SEED
from tsmdbench.experiments.settings import (
    FROM_DATA,
    PERSISTENCE,
    PUBLISHED,
    DataFacts,
    TruthFacts,
)
from tsmdbench.experiments.truth import Truth, with_channels
from tsmdbench.io import PathLike
from tsmdbench.methods import METHODS
from tsmdbench.methods.info import MethodInfo
from tsmdbench.metrics import evaluate_many
from tsmdbench.validation import check_options

if TYPE_CHECKING:
    from tsmdbench.experiments.store import Store
    from tsmdbench.experiments.tasks import Task

KINDS = ("powers", "full", "paper")
METRIC = "prom_f1"
IN_CHANNELS = "subspace_prom_f1"  # for true sets that have channels
TUNED = "tuning/tuned.toml"  # in a store
MOST_TOML = 4 * 2**20  # bytes of a file of parameters or grids
BARE = re.compile(r"[A-Za-z0-9_-]+")  # names that a heading has without quotes
UNQUOTED = re.compile(r"^[ \t]*\[([^\"'\[\]\n]*:[^\"'\[\]\n]*)\]", re.MULTILINE)
Axes = dict[str, Sequence[Any]]
Winners = Mapping[tuple[str, str], Mapping[str, Any]]  # by method and dataset


def settings_for(
    method: MethodInfo,
    facts: DataFacts,
    *,
    fixed: Mapping[str, Any] | None = None,
    grid: str | Mapping[str, Mapping[str, Sequence[Any]]] = "powers",
    radius: str = "own",
) -> list[dict[str, Any]]:
    """Return all settings of a grid, with what follows from the data filled in.

    Parameters
    ----------
    method : MethodInfo
    facts : DataFacts
    fixed : mapping, optional
        Fields that are given; they replace an axis or a value from the data.
    grid : {"powers", "full", "paper"} or mapping
        The mapping is that of a TOML file: method to axes.
    radius : {"own", "stacked"}
        How the radius follows from the data, see `tsmdbench.experiments.settings`.
    """
    given = dict(fixed or {})
    axes = _axes(method, facts, grid)
    names = [name for name in axes if name not in given]
    words = {"window", "word_length"} <= set(axes)
    settings: dict[str, dict[str, Any]] = {}
    for values in product(*(axes[name] for name in names)):
        chosen = dict(zip(names, values, strict=True)) | given
        # A word has at most half as many letters as its window has samples.
        if words and 2 * chosen["word_length"] > chosen["window"]:
            continue
        setting = {**_of_data(method, facts, chosen, radius), **chosen}
        settings[repr(sorted(setting.items()))] = setting
    return list(settings.values())


def untuned(
    method: MethodInfo,
    facts: DataFacts,
    fixed: Mapping[str, Any] | None = None,
    radius: str = "own",
) -> dict[str, Any]:
    """Return the setting that is used without a search.

    Fields that follow from the data take this value, unless they are an axis of the
    grid; others keep their default. One that has none and does not follow from the data
    takes the value in the middle of its axis.
    """
    given = dict(fixed or {})
    axes = _axes(method, facts, "powers")
    for name in method.parameters:
        if name in axes and name not in given:
            values = axes[name]
            if name == "word_length" and "window" in given:
                values = [v for v in values if 2 * v <= given["window"]]
            given[name] = values[len(values) // 2]
    of_data = _of_data(method, facts, given, radius)
    return {name: of_data[name] for name in of_data if name not in axes} | given


def truth_setting(
    method: MethodInfo, known: TruthFacts, fixed: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the setting on a problem whose truth is known; given fields come first."""
    given: dict[str, Any] = dict(PUBLISHED.get(method.name, {}))
    if method.name in PERSISTENCE:
        given["length"] = known.persistence_length
    return untuned(method, known.facts, {**given, **fixed})


def complete(method: MethodInfo, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all hyperparameters for the given ones, checked by the method.

    Raises
    ------
    InputError
        The method refuses them, or one is missing; the message names the method.
    """
    if method.values is not None:
        if given:
            raise InputError(
                f"{method.name} is an instance, so params cannot change it; give the "
                f"class, or another instance"
            )
        return dict(method.values)
    check_options(given, method.fields, method.name)
    missing = [name for name in method.parameters if name not in given]
    if missing:
        raise InputError(
            f"{method.name} needs {', '.join(missing)}, which the data does not give; "
            f"give it in a file, --params FILE with the lines "
            f"{toml_heading(method.name)} and {missing[0]} = ..., or name values to "
            f"try in the class: grid = {{{missing[0]!r}: [...]}}"
        )
    try:
        made = method.cls(**given)
    except InputError as error:
        raise type(error)(f"{method.name}: {error}") from None
    except (Exception, SystemExit) as error:  # code of others
        raise InputError(
            f"{method.name} cannot be made of {dict(given)}: "
            f"{type(error).__name__}: {error}"
        ) from error
    if not is_dataclass(method.cls):
        return dict(given)
    # Fields that do not count in comparisons do not change what is found.
    counted = [field.name for field in fields(method.cls) if field.compare]
    return {name: getattr(made, name) for name in counted if name in method.fields}


def no_grid(method: MethodInfo) -> str:
    """Return the message for a method without hyperparameters to tune."""
    known = {*FROM_DATA, "channel", SEED}
    free = [name for name in method.fields if name not in known]
    if not free:
        return f"{method.name} has no field to tune, so it runs as it is"
    return (
        f"{method.name} has no grid, so it is not tuned; name values to try in its "
        f"class, grid = {{{free[0]!r}: [...]}}, or in a file, --grid FILE with the "
        f"lines {toml_heading(method.name)} and {free[0]} = [...]"
    )


def _of_data(
    method: MethodInfo, facts: DataFacts, chosen: Mapping[str, Any], radius: str
) -> dict[str, Any]:
    """Return the fields that follow from the data, on the channel that is chosen."""
    channel = chosen.get("channel", 0) if method.univariate else None
    channel = None if channel == "all" else channel
    if channel is not None and not (
        isinstance(channel, int) and 0 <= channel < facts.channels
    ):
        raise InputError(
            f"channel must be below {facts.channels}, the number of channels of the "
            f"data, got {channel!r}"
        )
    return facts.fields(method.fields, channel, radius)


def _axes(method: MethodInfo, facts: DataFacts, grid: Any) -> Axes:
    """Return the axes of a grid, of which channels are the first."""
    if isinstance(grid, Mapping) and method.name in grid:
        own = grid[method.name]
    else:
        own = getattr(method.cls, "grid", {})
        if grid in ("full", "paper"):
            own = getattr(method.cls, f"{grid}_grid", own)
        own = own(facts) if callable(own) else own
    axes: Axes = {}
    if method.univariate and facts.channels > 1 and "channel" in method.fields:
        axes["channel"] = range(facts.channels)
    axes |= own
    for name, values in axes.items():
        if name not in method.fields:
            raise InputError(
                f"the grid of {method.name} names {name!r}; its fields are "
                f"{', '.join(method.fields)}"
            )
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise InputError(
                f"the grid of {method.name} needs a list of values for {name!r}, "
                f"got {values!r}"
            )
    return axes


def seeded_settings(
    method: MethodInfo, setting: Mapping[str, Any], repeats: int
) -> list[dict[str, Any]]:
    """Return a setting with as many seeds as it is repeated.

    They begin with the seed that the setting or the class has; with 0 where that is not
    a whole number. A method without a field `seed` runs once.

    Raises
    ------
    InputError
        The field does not count in comparisons, so its runs would be one run.
    """
    if repeats == 1 or SEED not in method.fields:
        return [dict(setting)]
    if SEED not in complete(method, {SEED: 0, **setting}):
        raise InputError(
            f"the field 'seed' of {method.name} has compare=False, so runs with "
            f"different seeds cannot be distinguished; remove compare=False"
        )
    given = {**complete(method, setting), **setting}.get(SEED)
    whole = isinstance(given, Integral) and not isinstance(given, bool)
    first = int(given) if whole and given is not None else 0
    return [{**setting, SEED: first + number} for number in range(repeats)]


def read_toml(path: PathLike, what: str) -> dict[str, Any]:
    """Read a TOML file with a table per method."""
    file = Path(path)
    try:
        if not file.is_file():
            raise InputError(f"{file} does not exist or is not a file")
        if file.stat().st_size > MOST_TOML:
            raise InputError(f"{file} has more than {MOST_TOML} bytes; it must be less")
        text = file.read_text(encoding="utf-8")
        tables = tomllib.loads(text)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file} is not a TOML file: {error}{_unquoted(text)}") from (
            None
        )
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is not a TOML file: {error}") from None
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise InputError(
                f"{file}: {what} are given by method; put {name!r} under a heading "
                f"like [locomotif]"
            )
    return tables


def check_headings(
    tables: Mapping[str, Any], file: PathLike, methods: Iterable[str]
) -> None:
    """Raise if a heading is the name of no method, so that it would change nothing.

    A file may have tables of methods that are not run this time.
    """
    wanted = list(methods)
    for heading in tables:
        if heading in wanted or heading in METHODS or ":" in heading:
            continue
        raise InputError(
            f"{file}: the heading {toml_heading(heading)} is not the name of a method; "
            f"this run has {', '.join(map(toml_heading, wanted))}"
        )


def _unquoted(text: str) -> str:
    """Return a hint where a heading has a colon outside quotes."""
    found = UNQUOTED.search(text)
    if found is None:
        return ""
    method, *rest = re.split(r"(?=\.datasets\b)", found[1].strip(), maxsplit=1)
    right = f'["{method}"{"".join(rest)}]'
    return f"; a heading with a colon needs quotes: write {right}"


def toml_heading(method: str) -> str:
    """Return the heading of a method in a file of parameters or grids.

    >>> toml_heading("stomp"), toml_heading("naive:Naive")
    ('[stomp]', '["naive:Naive"]')
    """
    return f"[{method}]" if BARE.fullmatch(method) else f"[{json.dumps(method)}]"


# Searches


class Surface(NamedTuple):
    """Every setting of a grid with its score on the validation problems.

    Attributes
    ----------
    dataset, method : str
    winner : mapping
        All hyperparameters of the first setting with the highest score.
    table : pyarrow.Table
        A row per setting, in the order of the grid.
    """

    dataset: str
    method: str
    winner: Mapping[str, Any]
    table: pa.Table

    @property
    def file(self) -> str:
        """Name of the surface's file in a store."""
        plain = re.sub(r"\W+", "-", f"{self.dataset}-{self.method}")
        return f"tuning/{plain}.parquet"

    def to_parquet(self) -> bytes:
        """Return the file."""
        sink = pa.BufferOutputStream()
        pq.write_table(self.table, sink, compression="zstd")
        return bytes(sink.getvalue())


def surface_of(
    store: Store, tasks: Iterable[Task], truths: Mapping[str, Truth]
) -> Surface:
    """Compute the surface of a search whose runs are all in a store.

    The tasks are those of one method on the validation problems of one dataset, and the
    truths those of these problems, by name.
    """
    settings = {}  # by their texts, in the order of the grid
    keys: dict[str, list[str]] = {}
    for task in tasks:
        for run, setting in zip(task.runs, task.settings, strict=True):
            settings[run.parameters] = setting
            keys.setdefault(run.parameters, []).append(run.key)
    known = {name: getattr(run, name) for name in ("dataset", "method", "version")}
    columns = ["key", "status", "seconds", "cpu_seconds", "found"]
    rows = store.table(columns, {**known, "split": run.split}).to_pylist()
    by_key = {row["key"]: row for row in rows}
    plain = all(
        len(motif) == 2 for t in truths.values() for sets in t.sets for motif in sets
    )
    metric = METRIC if plain else IN_CHANNELS
    scored = []
    for each in keys.values():
        mine = [by_key[key] for key in each]
        founds = [row["found"] for row in mine]
        pairs = map(with_channels, truths.values(), founds)
        scored.append(
            {
                "mean_f1": float(evaluate_many(list(pairs), [metric])[metric].mean()),
                "problems": len(mine),
                "failed": sum(row["status"] != "ok" for row in mine),
                "mean_seconds": np.mean([float(r["seconds"]) for r in mine]),
                "mean_cpu_seconds": np.mean([float(r["cpu_seconds"]) for r in mine]),
            }
        )
    best = int(np.argmax([row["mean_f1"] for row in scored]))
    texts = list(settings)
    lines = [
        {**known, "parameters": text, **row, "winner": place == best}
        for place, (text, row) in enumerate(zip(texts, scored, strict=True))
    ]
    winner = settings[texts[best]]
    return Surface(run.dataset, run.method, winner, pa.Table.from_pylist(lines))


def tuned_toml(surfaces: Sequence[Surface], before: Winners) -> str:
    """Return the winners, and those of searches before, as ``--params`` reads them."""
    tables = dict(before)
    for surface in surfaces:
        (won,) = surface.table.filter(surface.table["winner"]).to_pylist()
        tables[surface.method, surface.dataset] = json.loads(won["parameters"])
    lines = ["# The settings with the highest mean F1 on the validation split."]
    for (method, dataset), setting in tables.items():
        names = ".".join(map(json.dumps, (method, "datasets", dataset)))
        lines += ["", f"[{names}]"]
        lines += [f"{k} = {json.dumps(v)}" for k, v in setting.items() if v is not None]
    return "\n".join(lines) + "\n"


def tuned_winners(store: PathLike) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the settings that won the searches of a store, by method and dataset."""
    file = Path(store) / TUNED
    try:
        tables = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
        return {
            (method, dataset): dict(setting)
            for method, table in tables.items()
            for dataset, setting in table["datasets"].items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"{file} cannot be read ({error}); repeat the same 'tsmdbench run'"
        ) from None


def chosen_fields(setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a search chooses: repeats differ from the winner in the seed."""
    return {k: v for k, v in setting.items() if v is not None and k != SEED}
