"""A benchmark from labelled instances, or a problem from an annotated recording.

`build_benchmark` applies the construction of TSMD-Bench
(`tsmdbench.datasets.construct`) to instances that are given; `from_annotations` makes
a problem of a series and its annotations, without constructing anything.

Files of labelled instances
---------------------------
* ``.ts``: the format of the archive.
* ``.csv`` and ``.parquet``, one line per sample: the columns ``instance``, ``label``,
  then one per channel. Lines of one instance follow each other and have one label.
* ``.csv``, one line per instance, one channel: the header starts with ``label``, the
  samples follow; cells at the end may be empty where instances differ in length.
* Cells of ``.csv`` are separated by commas, semicolons or tabs; with the latter two,
  a comma is a decimal sign.
* ``.npz``: ``labels``, and ``instances`` of shape (count, length), (count, length, d)
  or (count, d, length), see `build_benchmark`; or ``values`` of shape (total, d) and
  ``lengths``, whose layout is unambiguous. Nothing is unpickled.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tsmdbench.datasets.construct import (
    MIN_PER_SIDE,
    Noise,
    Pool,
    check_noise,
    check_normalize,
    copy_groups,
    draw_recipe,
    stratified_split,
)
from tsmdbench.datasets.dataset import Instance, read_ts
from tsmdbench.datasets.draws import Draws
from tsmdbench.datasets.suite import SPLITS, Benchmark
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.io import PathLike, Recording, read_annotations, read_recording
from tsmdbench.io.files import (
    MAX_SERIES_BYTES,
    check_size,
    read_arrays,
    read_cells,
    read_parquet,
)
from tsmdbench.io.formats.ts import canonical_label
from tsmdbench.methods.base import MIN_LENGTH
from tsmdbench.plural import counted
from tsmdbench.types import Problem
from tsmdbench.validation import (
    check_choice,
    check_integer,
    check_series,
    check_truth,
)

OWN_PART = "own"  # the part that recipes of own data name
LONG = ["instance", "label"]
FIRST, LAST = TIME_AXES = ("first", "last")  # where time is in an instance


def build_benchmark(
    instances: Sequence[object],
    labels: Sequence[object],
    n_problems: int = 200,
    seed: int = 0,
    g_max: int | None = None,
    *,
    g_min: int = 1,
    normalize: str | None = "joint",
    split: str | None = None,
    noise: float = 0.0,
    noise_where: str = "all",
    name: str = "own",
    time_axis: str | None = None,
) -> Benchmark:
    """Make motif problems with ground truth out of labelled instances.

    Parameters
    ----------
    instances : sequence of arrays of shape (length,), (length, d) or (d, length)
        At least two different instances per class, of at least 4 samples; lengths may
        differ. Samples at the end that are NaN in every channel are padding.
    labels : sequence
        Class of each instance; compared as text, with ``1.0`` the same as ``1``.
    n_problems : int, default 200
        Number of problems.
    seed : int, default 0
        The same seed gives the same problems, on every machine.
    g_max : int, optional
        Largest number of motif sets; ``floor((c + 1) / 3)`` for c classes by default.
    g_min : int, default 1
        Smallest number of motif sets.
    normalize : {"joint", "channel", None}, default "joint"
        How instances are z-normalised: all channels together, each channel separately,
        or not at all.
    split : {None, "validation", "test"}
        None uses all instances. ``"validation"`` uses a stratified fifth of the
        instances, and ``"test"`` the rest, so no instance is in problems of both.
    noise : float, default 0.0
        Standard deviation of Gaussian noise that is added.
    noise_where : {"all", "motifs", "separators"}
        Where noise is added.
    name : str, default "own"
        First part of the problems' names.
    time_axis : {None, "first", "last"}
        Axis of time in an instance with channels: ``"first"`` for (length, d),
        ``"last"`` for (d, length), the layout of aeon. None takes it from the shapes,
        and raises an error where both are possible.

    Returns
    -------
    Benchmark
        A sequence of `Problem`; the recipe of a problem names ``("own", position)``.

    Raises
    ------
    InputError
        Too few classes, a class with one instance, a `g_max` beyond what the classes
        allow, missing labels or values, instances of fewer than 4 samples, channels
        that differ in number, or a layout that the shapes leave open.

    Examples
    --------
    >>> import numpy as np
    >>> waves = [np.sin(np.arange(30) * (1 + k % 5)) + k for k in range(20)]
    >>> bench = build_benchmark(waves, [k % 5 for k in range(20)], n_problems=3)
    >>> bench[0].name, len(bench[0].series), bench[0].truth
    ('own/all/000', 210, {'2': MotifSet(((0, 30), (60, 90), (120, 150), (180, 210)))})
    """
    arrays, classes = check_instances(instances, labels, time_axis=time_axis)
    check_integer(n_problems, "n_problems", minimum=1)
    check_integer(seed, "seed", minimum=0)
    check_normalize(normalize)
    added = check_noise(Noise(noise, noise_where, seed))
    groups = copy_groups(arrays)
    pool = Pool(classes, groups)
    if split is not None:
        check_choice(split, "split", SPLITS)
        for label, members in pool.by_class.items():
            different = len({groups[position] for position in members})
            if different < 2 * MIN_PER_SIDE:
                raise InputError(
                    f"class {label!r} has {different} different instances; a split "
                    f"into validation and test needs {2 * MIN_PER_SIDE}: add "
                    f"instances, drop the class, or build without a split"
                )
        sides = stratified_split(classes, groups, Draws(seed, "own data", "split"))
        pool = Pool(classes, groups, sides[split])
    pool.check_g(g_min, g_max)
    side = split or "all"
    recipes = tuple(
        draw_recipe(pool, Draws(seed, "own data", side, i), g_min=g_min, g_max=g_max)
        for i in range(n_problems)
    )
    return Benchmark(
        name,
        side,
        arrays,
        classes,
        tuple((OWN_PART, position) for position in range(len(arrays))),
        recipes,
        tuple(range(n_problems)),
        normalize=normalize,
        noise=added if added.std > 0 else None,
        source="own data",
        seed=seed,
        options={
            "n_problems": n_problems,
            "seed": seed,
            "g_min": g_min,
            "g_max": g_max,
            "normalize": normalize,
            "noise": added._asdict(),
        },
    )


def from_annotations(
    series: Any, annotations: Any, *, name: str = "", **options: Any
) -> Problem:
    """Make a problem from a recording and its annotated motif sets.

    Parameters
    ----------
    series : array-like, Recording or path
        The recording: an array, or a file that `tsmdbench.io.read_recording` reads.
    annotations : path, mapping, or sequence
        A CSV file with the header ``set,start,end``, in samples or times, end
        exclusive; another file that `tsmdbench.io.read_annotations` reads; or motif
        sets in any form that the metrics take.
    name : str, optional
        By default the name of the file of the series.
    **options
        Of `tsmdbench.io.read_annotations`, for a file of annotations: ``units``,
        ``tier``, ``rate``, ...

    Raises
    ------
    InputError
        A segment ends beyond the series, or two segments overlap.

    Examples
    --------
    >>> import numpy as np
    >>> problem = from_annotations(np.zeros(100), {"step": [(10, 20), (50, 62)]})
    >>> problem.truth
    {'step': MotifSet(((10, 20), (50, 62)))}
    """
    if isinstance(series, str | Path):
        name = name or Path(series).stem
        series = read_recording(series)
    values = check_series(series)
    if isinstance(annotations, str | Path):
        recording = series if isinstance(series, Recording) else None
        read = read_annotations(annotations, recording=recording, **options)
        annotations = read.sets
    elif options:
        raise InputError(
            f"{', '.join(options)}: options of reading need a file of annotations"
        )
    sets = check_truth(annotations, "annotations", n=len(values))
    return Problem(values, dict(zip(sets.labels, sets.sets, strict=True)), name)


def check_instances(
    instances: Sequence[object],
    labels: Sequence[object],
    name: str = "instances",
    *,
    time_axis: str | None = None,
) -> tuple[tuple[Instance, ...], tuple[str, ...]]:
    """Return labelled instances as read-only ``float64[length, d]`` and text labels.

    Each instance is ``(length,)``, ``(length, d)`` or ``(d, length)``, see `_layout`.
    Samples at the end that are NaN in every channel are padding and left out; other
    missing values are refused.
    """
    for what, given in (("instances", instances), ("labels", labels)):
        if not isinstance(given, Sequence) and np.ndim(given) == 0:
            raise InputTypeError(
                f"{name}: {what} must be a sequence with one entry per instance, "
                f"got {type(given).__name__} without dimensions"
            )
    if len(instances) != len(labels):
        raise InputError(
            f"{name}: there are {len(instances)} instances but {len(labels)} labels; "
            f"every instance needs one"
        )
    if not len(instances):
        raise InputError(f"{name} is empty; give labelled instances")
    read = []
    for row, (value, label) in enumerate(zip(instances, labels, strict=True)):
        missing = label is None or (isinstance(label, float) and label != label)
        if missing or not str(label).strip():
            raise InputError(f"{name}: instance {row} has no label")
        try:
            array = np.array(value, dtype=np.float64)
        except (TypeError, ValueError) as cause:
            raise InputError(
                f"{name}: instance {row} is not numeric ({cause})"
            ) from None
        if array.ndim not in (1, 2) or not array.size:
            raise InputError(
                f"{name}: instance {row} has shape {array.shape}; an instance is "
                f"(length,) or (length, channels) and not empty"
            )
        read.append(array)
    stacked = isinstance(instances, np.ndarray)
    turned = _layout(read, name, time_axis, stacked=stacked) == LAST
    arrays: list[Instance] = []
    for row, array in enumerate(read):
        array = array[:, None] if array.ndim == 1 else array.T if turned else array
        kept = np.flatnonzero(~np.isnan(array).all(axis=1))
        array = np.ascontiguousarray(array[: kept[-1] + 1 if len(kept) else None])
        if not np.isfinite(array).all():
            raise InputError(
                f"{name}: instance {row} holds missing or infinite values; "
                f"fill them in or leave the instance out"
            )
        array.flags.writeable = False
        arrays.append(array)
        if array.shape[1] != arrays[0].shape[1]:
            raise InputError(
                f"{name}: instance {row} has {array.shape[1]} channels where instance "
                f"0 has {arrays[0].shape[1]}; all need the same number"
            )
        if len(array) < MIN_LENGTH:
            raise InputError(
                f"{name}: instance {row} has {counted(len(array), 'sample')}, but the "
                f"smallest window of a method has {MIN_LENGTH}; leave it out"
            )
    return tuple(arrays), tuple(map(canonical_label, labels))


def _layout(
    arrays: Sequence[Instance], name: str, time_axis: str | None, *, stacked: bool
) -> str:
    """Return which axis of the instances is time, as far as shapes determine it.

    The number of channels is the same for all instances, so an axis along which they
    differ is time. Where all have one shape, time is the axis that is long enough for
    a window, or the one with padding at its end. Otherwise single arrays are taken as
    (length, channels) unless they have more channels than samples; one array of three
    dimensions may be of either layout.
    """
    if time_axis is not None:
        return check_choice(time_axis, "time_axis", TIME_AXES)
    tables = [array for array in arrays if array.ndim == 2]
    sizes = [{array.shape[axis] for array in tables} for axis in (0, 1)]
    if not tables or len(sizes[0]) > 1:
        return FIRST
    if len(sizes[1]) > 1:
        return LAST
    (rows,), (columns,) = sizes
    if min(rows, columns) < MIN_LENGTH:
        return FIRST if rows >= columns else LAST
    ends = any(np.isnan(array[-1]).all() for array in tables)
    sides = any(np.isnan(array[:, -1]).all() for array in tables)
    if ends != sides:
        return FIRST if ends else LAST
    if not stacked and rows >= columns:
        return FIRST
    raise InputError(
        f"{name}: instances of shape {rows} x {columns} may be {rows} samples of "
        f"{columns} channels or the reverse; give time_axis='first' for (length, "
        f"channels), or time_axis='last' for (channels, length), aeon's layout"
    )


def read_instances(
    path: PathLike, *, time_axis: str | None = None
) -> tuple[tuple[Instance, ...], tuple[str, ...]]:
    """Return the instances of a file, as (length, channels), and their labels.

    Parameters
    ----------
    path : path
    time_axis : {None, "first", "last"}
        Layout of the array ``instances`` of a ``.npz`` file, see `build_benchmark`.

    Raises
    ------
    InputError
        Names the file, and the line where there is one.
    """
    file = Path(path)
    readers: dict[str, Any] = {
        ".ts": read_ts,
        ".csv": _from_csv,
        ".npz": _from_npz,
        ".parquet": _from_parquet,
    }
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise InputError(
            f"{file}: unknown format {file.suffix!r}; known: {', '.join(readers)}"
        )
    if not file.is_file():
        raise InputError(f"{file} does not exist or is not a file")
    instances, labels = reader(file)
    known = None if isinstance(instances, np.ndarray) else "first"
    return check_instances(instances, labels, str(file), time_axis=known or time_axis)


def _from_csv(file: Path) -> tuple[Sequence[Any], Sequence[Any]]:
    header, lines, separator = read_cells(file, MAX_SERIES_BYTES)
    long = header[:2] == LONG and len(header) > 2
    if not long and (header[:1] != ["label"] or len(header) < 2):
        raise InputError(
            f"{file}, line 1: the header must start with instance,label and name the "
            f"channels (one line per sample), or with label (one line per instance), "
            f"got {','.join(header)[:60]!r}"
        )
    rows = []
    for where, cells in lines:
        values = cells[2:] if long else cells[1:]
        if long and len(cells) != len(header):
            raise InputError(
                f"{where}: {len(values)} channels where the header names "
                f"{len(header) - 2}"
            )
        while not long and values and not values[-1].strip():
            values.pop()  # instances may differ in length
        if separator != ",":  # then a comma may be the decimal sign
            values = [cell.replace(",", ".") for cell in values]
        try:
            rows.append((cells[0], cells[1] if long else "", [*map(float, values)]))
        except ValueError as cause:
            raise InputError(f"{where}: {cause}") from None
    if long:
        return _grouped(file, rows)
    return [values for _, _, values in rows], [label for label, _, _ in rows]


def _grouped(
    file: Path, rows: list[tuple[Any, Any, list[float]]]
) -> tuple[list[Any], list[Any]]:
    """Gather the samples of each instance, which follow each other."""
    instances: dict[Any, list[list[float]]] = {}
    labels: dict[Any, Any] = {}
    last: Any = object()
    for key, label, values in rows:
        if key != last and key in labels:
            raise InputError(
                f"{file}: the samples of instance {key!r} do not follow each other"
            )
        if label != labels.setdefault(key, label):
            raise InputError(
                f"{file}: instance {key!r} has two labels, {labels[key]!r} and "
                f"{label!r}"
            )
        instances.setdefault(key, []).append(values)
        last = key
    return list(instances.values()), list(labels.values())


def _from_parquet(file: Path) -> tuple[Sequence[Any], Sequence[Any]]:
    check_size(file, MAX_SERIES_BYTES, "instances")
    table = read_parquet(file)
    if table.column_names[:2] != LONG or table.num_columns < 3:
        raise InputError(
            f"{file}: the columns must be instance, label and one per channel, "
            f"got {', '.join(table.column_names)[:80]}"
        )
    keys, labels = (table.column(name).to_pylist() for name in LONG)
    values = np.stack([column.to_numpy() for column in table.columns[2:]], axis=1)
    return _grouped(file, list(zip(keys, labels, values.tolist(), strict=True)))


def _from_npz(file: Path) -> tuple[Any, Sequence[Any]]:
    content = read_arrays(file, MAX_SERIES_BYTES)
    if isinstance(content, np.ndarray) or "labels" not in content:
        raise InputError(f"{file} lacks the array 'labels'")
    labels = content["labels"].tolist()
    for name, array in content.items():
        if not array.ndim:
            raise InputError(f"{file}: the array {name!r} has no dimensions")
    if "instances" in content:
        return content["instances"], labels
    if not {"values", "lengths"} <= set(content):
        raise InputError(
            f"{file} has {', '.join(sorted(content))}; it needs labels and instances, "
            f"or labels, values and lengths"
        )
    values, lengths = content["values"], content["lengths"]
    whole = lengths.ndim == 1 and lengths.dtype.kind in "iu" and (lengths > 0).all()
    if not whole or int(lengths.sum()) != len(values):
        raise InputError(
            f"{file}: lengths must be positive whole numbers that add up to "
            f"{len(values)}, the number of samples"
        )
    return np.split(values, np.cumsum(lengths)[:-1]), labels
