"""Settings of methods: from the data, from grids, and what a search chooses.

docs/experiments/settings.md has the definitions (section 6.2.2 of the paper): settings
come from validation data only, so that a method never knows anything of the problems
that it is tested on. The protocol ``pvldb`` takes them **from the truth** of each
problem instead (docs/experiments/pvldb.md): a method knows what it has to find, and
scores are upper bounds. They are never mixed with those of the other protocol, because
the dataset's name says ``protocol=pvldb``.

A search takes the first setting of a grid, in the order of its axes, with the highest
mean F1 over the validation problems. Its runs are rows of the store like others, so it
can be interrupted; its surface and the winners of all searches are files in ``tuning``.
A field named `seed` makes a method random: repeats differ in this field only.

References
----------
The paper that proposes TSMD-Bench, section 6.2.2. The comparison of motif discovery
methods of PVLDB 2025; ``get_params_by_ts`` and ``compute_empirical_radius`` of its
code, package tsmd 0.1.4 (MIT).
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import combinations, product
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tsmdbench.datasets.cluster import resampled
from tsmdbench.errors import InputError
from tsmdbench.experiments.rows import CHECKED, SEED, parameters_text
from tsmdbench.experiments.truth import Truth, with_channels
from tsmdbench.html_text import html_block, html_facts
from tsmdbench.io import PathLike
from tsmdbench.io.files import parquet_bytes
from tsmdbench.methods import METHODS
from tsmdbench.methods.base import MIN_LENGTH
from tsmdbench.methods.info import MethodInfo
from tsmdbench.metrics import evaluate_many
from tsmdbench.types import MotifSet, Problem
from tsmdbench.validation import check_options

if TYPE_CHECKING:
    from tsmdbench.experiments.store import Store
    from tsmdbench.experiments.tasks import Task

Array = NDArray[np.float64]
QUANTILES = (0.1, 0.9)
RADII = ("own", "stacked")
FROM_DATA = ("length", "l_min", "l_max", "radius", "k_max", "max_sets")
SMALLEST = 1e-9  # stands for a radius of 0
MOST_OCCURRENCES = 50
MOST_WINDOWS = 32
MIN_K = 3
DECIMALS = 2  # of a published radius
PERSISTENCE = ("pepa", "apepa")
_GRAMMAR = {"window": 30, "word_length": 10, "alphabet_size": 5}
# Fields that the published code has as defaults, where ours has another or none.
PUBLISHED: Mapping[str, Mapping[str, Any]] = {
    "apepa": {"max_sets": None},
    "gv_sequitur": _GRAMMAR,
    "gv_repair": _GRAMMAR,
    "locomotif": {"rho": 0.8, "warping": True},
    "panmp": {"radius_factor": 3.0},
    "stomp": {"radius_factor": 3.0},
    "valmod": {"radius_factor": 3.0},
}
KINDS = ("powers", "full", "paper")  # of grids
METRIC = "prom_f1"
IN_CHANNELS = "subspace_prom_f1"  # for true sets that have channels
TUNED = "tuning/tuned.toml"  # in a store
MOST_TOML = 4 * 2**20  # bytes of a file of parameters or grids
BARE = re.compile(r"[A-Za-z0-9_-]+")  # names that a heading has without quotes
UNQUOTED = re.compile(r"^[ \t]*\[([^\"'\[\]\n]*:[^\"'\[\]\n]*)\]", re.MULTILINE)
Axes = dict[str, Sequence[Any]]
Winners = Mapping[tuple[str, str], Mapping[str, Any]]  # by method and dataset


# From validation data


@dataclass(frozen=True)
class DataFacts:
    """Hyperparameter values derived from validation data.

    Attributes
    ----------
    channels : int
    channel_radius : tuple of float
        The radius on each channel.
    joint_radius : float
        The radius in the mean distance over the channels.
    stacked_radius : float
        The radius by the rule ``"stacked"``; NaN in manifests that do not have it.
    """

    length: int
    l_min: int
    l_max: int
    k_max: int
    max_sets: int
    channels: int
    channel_radius: tuple[float, ...]
    joint_radius: float
    stacked_radius: float = float("nan")

    def _repr_html_(self) -> str:
        """Show the values in a notebook."""
        radii = ", ".join(f"{radius:.3g}" for radius in self.channel_radius)
        facts = {
            "length": f"{self.length} ({self.l_min} to {self.l_max}) samples",
            "k_max": self.k_max,
            "max_sets": self.max_sets,
            "radius of each channel": radii,
            "radius over all channels": f"{self.joint_radius:.3g}",
        }
        return html_block(html_facts("What the validation data says", facts))

    def fields(
        self, names: Iterable[str], channel: int | None, radius: str = "own"
    ) -> dict[str, Any]:
        """Return values for those of the named fields that follow from data.

        A method that looks at one `channel` gets its radius, one that looks at all
        (None) the joint one, by the rule ``"own"`` or ``"stacked"``.
        """
        own = self.joint_radius if channel is None else self.channel_radius[channel]
        stacked = max(self.stacked_radius, SMALLEST)
        known = vars(self) | {"radius": stacked if radius == "stacked" else own}
        return {name: known[name] for name in names if name in FROM_DATA}


def data_facts(problems: Sequence[Problem]) -> DataFacts:
    """Derive hyperparameters from the validation problems of a dataset."""
    instances, labels = validation_instances(problems)
    lengths = np.array([len(instance) for instance in instances])
    low, high = np.quantile(lengths, QUANTILES)
    length = round(float(lengths.mean()))
    stacked = resampled(instances, length)
    sets = [motifs for problem in problems for motifs in problem.truth.values()]
    channels = stacked.shape[2]
    if hasattr(problems, "labels"):
        g_max = (len(set(problems.labels)) + 1) // 3
    else:
        g_max = max(len(problem.truth) for problem in problems)
    each = tuple(
        central_radius(stacked[:, :, [channel]], labels) for channel in range(channels)
    )
    joint = each[0] if channels == 1 else central_radius(stacked, labels)
    return DataFacts(
        length,
        round(float(low)),
        round(float(high)),
        2 * max(len(motifs) for motifs in sets),
        g_max,
        channels,
        each,
        joint,
        central_radius(stacked, labels, stacked=True),
    )


def central_radius(
    instances: Array, labels: Sequence[Any], *, stacked: bool = False
) -> float:
    """Return the largest distance of a class's most central instance, over classes.

    `instances` are ``float64[k, length, d]``, of which `labels` are the classes. The
    distance is the mean of the z-normalised Euclidean ones of d channels, or with
    `stacked` that of all values. Two shapes and their mean, which is the most central:

    >>> rise, fall = np.arange(4.0), np.array([0.0, 3.0, 1.0, 2.0])
    >>> shapes = np.stack([rise, fall, rise + fall])[:, :, None]
    >>> round(central_radius(shapes, "aaa"), 4)
    1.1431
    >>> values = np.array([[[0.0, 0.0]], [[3.0, 4.0]], [[6.0, 8.0]]])
    >>> central_radius(values, "aaa", stacked=True)
    5.0
    """
    # Imported here and below: a leaderboard reads grids and needs no distances.
    from scipy.spatial.distance import cdist

    if stacked:
        compared = instances.reshape(len(instances), -1, 1)
    else:
        centred = instances - instances.mean(axis=1, keepdims=True)
        scale = centred.std(axis=1, keepdims=True)
        flat = scale <= 1e-12 * np.abs(instances).max(axis=1, keepdims=True)
        compared = np.where(flat, 0.0, centred / np.where(flat, 1.0, scale))
    names = np.array([str(label) for label in labels])
    radii = []
    for name in np.unique(names):
        channels = np.moveaxis(compared[names == name], 2, 0)
        distances = np.mean([cdist(values, values) for values in channels], axis=0)
        radii.append(float(distances.max(axis=1).min()))
    return max(radii)


def validation_instances(
    problems: Sequence[Problem],
) -> tuple[list[Array], list[Any]]:
    """Return the labelled instances that validation problems are made of."""
    if getattr(problems, "split", "validation") == "test":
        raise InputError(
            "settings must come from validation problems, not from the test"
        )
    if hasattr(problems, "instances"):
        places = _validation_side(problems)
        instances = [_as_channels(problems.instances[place]) for place in places]
        return instances, [problems.labels[place] for place in places]  # type: ignore[attr-defined]
    if hasattr(problems, "motifs"):  # recordings, which know what their labels mean
        return problems.motifs()  # type: ignore[no-any-return]
    labelled = [
        (_as_channels(problem.series)[start:end], label)
        for problem in problems
        for label, motifs in problem.truth.items()
        for start, end in motifs
    ]
    return [motif for motif, _ in labelled], [label for _, label in labelled]


def _as_channels(series: Array) -> Array:
    return series[:, None] if series.ndim == 1 else series


def _validation_side(problems: Any) -> list[int]:
    """Return positions of all instances on the validation side of the split."""
    from tsmdbench.benchmark import DATASETS
    from tsmdbench.datasets.catalogue import archive_name
    from tsmdbench.datasets.construct import copy_groups, stratified_split
    from tsmdbench.datasets.draws import Draws

    used = {place for recipe in problems.recipes for place in recipe}
    name = archive_name(problems.name)
    if name not in DATASETS:
        return sorted(used)
    draws = Draws(problems.seed, name, "split")
    groups = copy_groups(problems.instances)
    side = list(stratified_split(problems.labels, groups, draws)["validation"])
    if not used <= set(side):
        raise InputError(
            f"the validation problems of {problems.name} use instances of the test side"
        )
    return side


# From the truth


class TruthFacts(NamedTuple):
    """Hyperparameter values derived from the truth of one problem."""

    facts: DataFacts
    persistence_length: int  # the window of PEPA and A-PEPA


def truth_facts(problem: Problem) -> TruthFacts:
    """Derive hyperparameters from the truth of a problem.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = {"a": MotifSet([(0, 20), (40, 62)]), "b": MotifSet([(70, 80)] * 2)}
    >>> found = truth_facts(Problem(rng.normal(size=100), truth))
    >>> found.facts.length, found.facts.l_min, found.facts.l_max, found.facts.k_max
    (15, 10, 22, 3)
    >>> found.persistence_length
    14
    """
    x = _as_channels(problem.series)
    sets = [motifs for motifs in problem.truth.values() if len(motifs)]
    counts = np.array([len(motifs) for motifs in sets])
    mean = np.average([motifs.lengths.mean() for motifs in sets], weights=counts)
    length = max(MIN_LENGTH, int(mean))
    deviation = int(max(motifs.lengths.std() for motifs in sets))
    lengths = np.concatenate([motifs.lengths for motifs in sets])
    radii = np.array([_unit_radii(x, motifs) for motifs in sets]).round(DECIMALS)
    weighted = np.average(radii, axis=0, weights=counts).round(DECIMALS)
    scaled = [max(float(r) * math.sqrt(length), SMALLEST) for r in weighted]
    l_min = max(MIN_LENGTH, int(lengths.min()))
    facts = DataFacts(
        length,
        l_min,
        max(l_min, int(lengths.max())),
        max(MIN_K, int(counts.max())),
        len(sets),
        x.shape[1],
        tuple(scaled[:-1]),
        scaled[-1],
    )
    return TruthFacts(facts, max(MIN_LENGTH, int(mean) - deviation))


def _unit_radii(x: Array, motifs: MotifSet) -> list[float]:
    """Return the radius of a set on each channel, and in the mean over channels."""

    def steps(count: int, most: int) -> NDArray[np.int64]:
        return np.rint(np.linspace(0, count - 1, min(count, most))).astype(np.int64)

    length = int(motifs.lengths.min())
    units = []  # windows of an occurrence, [d, windows, length], centred, of norm 1
    for start, end in motifs.segments[steps(len(motifs), MOST_OCCURRENCES)]:
        views = np.lib.stride_tricks.sliding_window_view(x[start:end], length, axis=0)
        windows = np.moveaxis(views[steps(len(views), MOST_WINDOWS)], 1, 0)
        centred = windows - windows.mean(axis=2, keepdims=True)
        norm = np.linalg.norm(centred, axis=2, keepdims=True)
        flat = norm <= 1e-12 * np.abs(windows).max(axis=2, keepdims=True)
        units.append(np.where(flat, 0.0, centred / np.where(flat, 1.0, norm)))
    radii = np.zeros(x.shape[1] + 1)
    for first, second in combinations(units, 2):
        products = first @ np.swapaxes(second, 1, 2)
        norms = (first**2).sum(2)[:, :, None] + (second**2).sum(2)[:, None, :]
        each = np.sqrt(np.maximum(norms - 2 * products, 0.0))  # [d, windows, windows]
        joint = each.mean(axis=0).min()
        radii = np.maximum(radii, [*each.min(axis=(1, 2)), joint])
    return [float(radius) / 2 for radius in radii]


# Grids


def settings_for(
    method: MethodInfo,
    facts: DataFacts,
    *,
    fixed: Mapping[str, Any] | None = None,
    grid: str | Mapping[str, Mapping[str, Sequence[Any]]] = "powers",
    radius: str = "own",
) -> list[dict[str, Any]]:
    """Return all settings of a grid, with what follows from the data filled in.

    Fields that are `fixed` replace an axis or a value from the data. The grid is one by
    name, or the mapping of a TOML file: method to axes.
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
    """Return all hyperparameters for the given ones, checked by the method."""
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
    a whole number. A method without a field `seed` runs once. `InputError` says that
    the field does not count in comparisons, so its runs would be one run.
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


def read_tables(
    file: Path, what: str, methods: Sequence[str], typed: Mapping[str, str]
) -> dict[str, Any]:
    """Read a TOML file with a table per method, as it is named or was `typed`.

    A heading that does not name a method is refused, since it would change nothing.
    The file may have tables of methods that are not run.
    """
    text, hint = "", ""
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
    except (ValueError, RecursionError) as error:
        if unquoted := UNQUOTED.search(text):  # a heading with a colon outside quotes
            method, dot, rest = unquoted[1].strip().partition(".datasets")
            right = f'["{method}"{dot}{rest}]'
            hint = f"; a heading with a colon needs quotes: write {right}"
        raise InputError(f"{file} is not a TOML file: {error}{hint}") from None
    read = {typed.get(name, name): table for name, table in tables.items()}
    for name, table in read.items():
        if not isinstance(table, dict):
            raise InputError(
                f"{file}: {what} are given by method; put {name!r} under a heading "
                f"like [locomotif]"
            )
        if name not in methods and name not in METHODS and ":" not in name:
            raise InputError(
                f"{file}: the heading {toml_heading(name)} is not the name of a "
                f"method; this run has {', '.join(map(toml_heading, methods))}"
            )
    return read


def toml_heading(method: str) -> str:
    """Return the heading of a method in a file of parameters or grids.

    >>> toml_heading("stomp"), toml_heading("naive:Naive")
    ('[stomp]', '["naive:Naive"]')
    """
    return f"[{method}]" if BARE.fullmatch(method) else f"[{json.dumps(method)}]"


# Searches


def surface_of(
    store: Store, tasks: Iterable[Task], truths: Mapping[str, Truth]
) -> tuple[dict[str, Any], pa.Table]:
    """Return the winner of a search whose runs are all in a store, and its surface.

    The winner is the first setting with the highest score; the surface has a row per
    setting, in the order of the grid. The tasks are those of one method on the
    validation problems of one dataset, and the truths those of these problems, by name.
    """
    settings: dict[str, dict[str, Any]] = {}  # by their texts, in the order of the grid
    keys: dict[str, list[str]] = {}
    for task in tasks:
        for run, setting in zip(task.runs, task.settings, strict=True):
            settings[run.parameters] = setting
            keys.setdefault(run.parameters, []).append(run.key)
    known = {name: getattr(run, name) for name in ("dataset", "method", "version")}
    columns = ["key", "status", "seconds", "cpu_seconds", "found"]
    rows = store.table(columns, {**known, "split": run.split}).to_pylist()
    by_key = {row["key"]: row for row in rows}
    motifs = (motif for t in truths.values() for sets in t.sets for motif in sets)
    metric = METRIC if all(len(motif) == 2 for motif in motifs) else IN_CHANNELS
    surface = []
    for text, each in keys.items():
        mine = [by_key[key] for key in each]
        pairs = map(with_channels, truths.values(), [row["found"] for row in mine])
        surface.append(
            {
                **known,
                "parameters": text,
                "mean_f1": float(evaluate_many(list(pairs), [metric])[metric].mean()),
                "problems": len(mine),
                "failed": sum(row["status"] != "ok" for row in mine),
                "mean_seconds": np.mean([float(r["seconds"]) for r in mine]),
                "mean_cpu_seconds": np.mean([float(r["cpu_seconds"]) for r in mine]),
            }
        )
    best = int(np.argmax([row["mean_f1"] for row in surface]))
    table = pa.Table.from_pylist(surface)
    winner = pa.array(place == best for place in range(len(surface)))
    return settings[surface[best]["parameters"]], table.append_column("winner", winner)


def surface_parquet(surface: pa.Table) -> bytes:
    """Return a surface as a file: most of one is small, so without what is optional."""
    least = dict.fromkeys(("use_dictionary", "write_statistics", "store_schema"), False)
    return parquet_bytes(surface, **CHECKED, compression_level=19, **least)


def tuned_toml(winners: Winners) -> str:
    """Return the winners of searches as ``--params`` reads them."""
    lines = ["# The settings with the highest mean F1 on the validation split."]
    for (method, dataset), setting in winners.items():
        names = ".".join(map(json.dumps, (method, "datasets", dataset)))
        plain = json.loads(parameters_text(setting))
        lines += ["", f"[{names}]"]
        lines += [f"{k} = {json.dumps(v)}" for k, v in plain.items() if v is not None]
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
