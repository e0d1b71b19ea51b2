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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.experiments.rows import SEED
from tsmdbench.experiments.settings import (
    FROM_DATA,
    PERSISTENCE,
    PUBLISHED,
    DataFacts,
    TruthFacts,
)
from tsmdbench.experiments.truth import truth_of, with_channels
from tsmdbench.io import PathLike
from tsmdbench.methods import METHODS
from tsmdbench.metrics import evaluate_many

if TYPE_CHECKING:
    from tsmdbench.experiments.method_info import Described
    from tsmdbench.experiments.store import Store
    from tsmdbench.experiments.tasks import Group

KINDS = ("powers", "full", "paper")
METRIC = "prom_f1"
IN_CHANNELS = "subspace_prom_f1"  # for true sets that have channels
TUNED = "tuning/tuned.toml"  # in a store
MOST_TOML = 4 * 2**20  # bytes of a file of parameters or grids
BARE = re.compile(r"[A-Za-z0-9_-]+")  # names that a heading has without quotes
UNQUOTED = re.compile(r"^[ \t]*\[([^\"'\[\]\n]*:[^\"'\[\]\n]*)\]", re.MULTILINE)
Axes = dict[str, Sequence[Any]]


def settings_for(
    method: Described,
    facts: DataFacts,
    *,
    fixed: Mapping[str, Any] | None = None,
    grid: str | Mapping[str, Mapping[str, Sequence[Any]]] = "powers",
    radius: str = "own",
) -> list[dict[str, Any]]:
    """Return all settings of a grid, with what follows from the data filled in.

    Parameters
    ----------
    method : Described
    facts : DataFacts
    fixed : mapping, optional
        Fields that are given; they replace an axis or a value from the data.
    grid : {"powers", "full", "paper"} or mapping
        The mapping is that of a TOML file: method to axes.
    radius : {"own", "stacked"}
        How the radius follows from the data, see `tsmdbench.experiments.settings`.
    """
    given = dict(fixed or {})
    settings = []
    for point in _points(method, facts, grid, given):
        chosen = {**point, **given}
        channel = chosen.get("channel", 0) if method.univariate else None
        of_data = facts.fields(method.fields, _checked(channel, facts), radius)
        settings.append({**of_data, **chosen})
    return list({repr(sorted(s.items())): s for s in settings}.values())


def untuned(
    method: Described,
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
    for name in method.required:
        if name in axes and name not in given:
            values = _allowed(axes, {**given}, name)
            given[name] = values[len(values) // 2]
    channel = given.get("channel", 0) if method.univariate else None
    of_data = facts.fields(method.fields, _checked(channel, facts), radius)
    return {name: of_data[name] for name in of_data if name not in axes} | given


def truth_setting(
    method: Described, known: TruthFacts, fixed: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the setting of a method on the problem that facts are of.

    Parameters
    ----------
    method : Described
    known : TruthFacts
    fixed : mapping
        Fields that are given; they go before.
    """
    given: dict[str, Any] = dict(PUBLISHED.get(method.name, {}))
    if method.name in PERSISTENCE:
        given["length"] = known.persistence_length
    return untuned(method, known.facts, {**given, **fixed})


def no_grid(method: Described) -> str:
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


def _checked(channel: Any, facts: DataFacts) -> int | None:
    if channel is None or channel == "all":
        return None
    if not isinstance(channel, int) or not 0 <= channel < facts.channels:
        raise InputError(
            f"channel must be below {facts.channels}, the number of channels of the "
            f"data, got {channel!r}"
        )
    return channel


def _points(
    method: Described, facts: DataFacts, grid: Any, given: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the points of a grid in order, without the axes that are given."""
    axes = _axes(method, facts, grid)
    names = [name for name in axes if name not in given]
    for values in product(*(axes[name] for name in names)):
        point = dict(zip(names, values, strict=True))
        if _fits({**point, **given}, axes):
            yield point


def _fits(point: Mapping[str, Any], axes: Axes) -> bool:
    """Check that a word has at most half as many letters as its window samples."""
    if "window" in axes and "word_length" in axes:
        return bool(2 * point["word_length"] <= point["window"])
    return True


def _allowed(axes: Axes, point: Mapping[str, Any], name: str) -> Sequence[Any]:
    """Return the values of an axis that fit the values chosen before."""
    if name == "word_length" and "window" in point:
        return [v for v in axes[name] if 2 * v <= point["window"]]
    return axes[name]


def _axes(method: Described, facts: DataFacts, grid: Any) -> Axes:
    axes: Axes = {}
    if method.univariate and facts.channels > 1 and "channel" in method.fields:
        axes["channel"] = range(facts.channels)
    if isinstance(grid, Mapping) and method.name in grid:
        return _check_axes(method, {**axes, **grid[method.name]})
    own = getattr(method.cls, "grid", {})
    if grid in ("full", "paper"):
        own = getattr(method.cls, f"{grid}_grid", own)
    return _check_axes(method, {**axes, **(own(facts) if callable(own) else own)})


def _check_axes(method: Described, axes: Axes) -> Axes:
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
    method: Described, setting: Mapping[str, Any], repeats: int
) -> list[dict[str, Any]]:
    """Return a setting with as many seeds as it is repeated.

    They begin with the seed that the setting or the class has; with 0 where that is not
    a whole number. A method without a field `seed` runs once.

    Raises
    ------
    InputError
        The field does not count in comparisons, so its runs would be one run.
    """
    if repeats == 1 or not method.has_seed:
        return [dict(setting)]
    counted = method.parameters({SEED: 0, **setting})
    if SEED not in counted:
        raise InputError(
            f"the field 'seed' of {method.name} has compare=False, so runs with "
            f"different seeds cannot be distinguished; remove compare=False"
        )
    given = {**method.parameters(setting), **setting}.get(SEED)
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


@dataclass(frozen=True, eq=False)
class Surface:
    """Every setting of a grid with its score on the validation problems.

    Attributes
    ----------
    group : Group
        Method, settings and validation problems.
    scores : float64[settings]
        Mean F1.
    failed : int64[settings]
        Runs that did not end well.
    seconds, cpu_seconds : float64[settings]
        Mean time of a run, by the clock and of the processor.
    """

    group: Group
    scores: NDArray[np.float64]
    failed: NDArray[np.int64]
    seconds: NDArray[np.float64]
    cpu_seconds: NDArray[np.float64]

    @property
    def best(self) -> int:
        """Position of the winner: the first of the highest."""
        return int(np.argmax(self.scores))

    @property
    def winner(self) -> Mapping[str, Any]:
        """All hyperparameters of the winner."""
        return self.group.settings[self.best]

    @property
    def file(self) -> str:
        """Name of the surface's file in a store."""
        dataset, method = self.group.part.dataset, self.group.method.name
        plain = re.sub(r"\W+", "-", f"{dataset}-{method}")
        return f"tuning/{plain}.parquet"

    def to_parquet(self) -> bytes:
        """Return the surface as a file: a row per setting, in the order of the grid."""
        runs = self.group.runs
        table = pa.table(
            {
                "dataset": [run.dataset for run in runs],
                "method": [run.method for run in runs],
                "version": [run.version for run in runs],
                "parameters": [run.parameters for run in runs],
                "mean_f1": self.scores,
                "problems": [len(self.group.part.problems)] * len(runs),
                "failed": self.failed,
                "mean_seconds": self.seconds,
                "mean_cpu_seconds": self.cpu_seconds,
                "winner": np.arange(len(runs)) == self.best,
            }
        )
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        return bytes(sink.getvalue())


def surface_of(store: Store, group: Group) -> Surface:
    """Compute the surface of a search whose runs are all in a store."""
    known = {
        "dataset": group.part.dataset,
        "split": group.part.split,
        "method": group.method.name,
        "version": group.method.version,
    }
    columns = ["key", "status", "seconds", "cpu_seconds", "found"]
    rows = {row["key"]: row for row in store.table(columns, known).to_pylist()}
    problems = group.part.problems
    truths = [truth_of(problem) for problem in problems]
    sets = [motifs for problem in problems for motifs in problem.truth.values()]
    metric = METRIC if all(one.channels is None for one in sets) else IN_CHANNELS
    scores, failed, spent = [], [], []
    for keys in group.run_keys():
        mine = [rows[key] for key in keys]
        founds = [row["found"] for row in mine]
        pairs = [with_channels(t, f) for t, f in zip(truths, founds, strict=True)]
        scores.append(float(evaluate_many(pairs, [metric])[metric].mean()))
        failed.append(sum(row["status"] != "ok" for row in mine))
        spent.append(
            [
                np.mean(np.array([row[name] for row in mine], dtype=np.float64))
                for name in ("seconds", "cpu_seconds")
            ]
        )
    return Surface(group, np.array(scores), np.array(failed), *np.array(spent).T)


def tuned_toml(
    surfaces: Sequence[Surface], before: Mapping[tuple[str, str], Mapping[str, Any]]
) -> str:
    """Return the winners in the form that ``--params`` reads.

    Parameters
    ----------
    surfaces : sequence of Surface
    before : mapping
        Winners of other searches, which are kept, see `tuned_winners`.
    """
    tables = dict(before)
    for surface in surfaces:
        group = surface.group
        chosen = json.loads(group.runs[surface.best].parameters)
        tables[group.method.name, group.part.dataset] = chosen
    lines = ["# The settings with the highest mean F1 on the validation split."]
    for (method, dataset), fields in tables.items():
        names = ".".join(map(json.dumps, (method, "datasets", dataset)))
        lines += ["", f"[{names}]"]
        lines += [f"{k} = {json.dumps(v)}" for k, v in fields.items() if v is not None]
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
