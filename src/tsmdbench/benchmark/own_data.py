"""A benchmark out of anybody's labelled instances, or an annotated recording.

`build_benchmark` applies the construction of TSMD-Bench
(`tsmdbench.benchmark.construct`) to instances that are given; `from_annotations` makes
a problem out of a series that somebody has annotated, without constructing anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tsmdbench.archive.draws import Draws
from tsmdbench.archive.normalize import check_normalize
from tsmdbench.benchmark.construct import Pool, draw_recipe
from tsmdbench.benchmark.instances import check_instances
from tsmdbench.benchmark.noise import Noise, check_noise
from tsmdbench.benchmark.split import MIN_PER_SIDE, copy_groups, stratified_split
from tsmdbench.benchmark.suite import SPLITS, Benchmark
from tsmdbench.errors import InputError
from tsmdbench.io import Recording, read_annotations, read_recording
from tsmdbench.types import Problem
from tsmdbench.validation import (
    check_choice,
    check_integer,
    check_series,
    check_truth,
)

OWN_PART = "own"  # the part that recipes of one's own data name


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
    pool = _pool(classes, copy_groups(arrays), split, seed)
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


def _pool(
    classes: Sequence[str], groups: Sequence[int], split: str | None, seed: int
) -> Pool:
    """Return what problems are drawn from: all instances, or one side of the split."""
    everything = Pool(classes, groups)
    if split is None:
        return everything
    check_choice(split, "split", SPLITS)
    for label, members in everything.by_class.items():
        different = len({groups[position] for position in members})
        if different < 2 * MIN_PER_SIDE:
            raise InputError(
                f"class {label!r} has {different} different instances; a split into "
                f"validation and test needs {2 * MIN_PER_SIDE}: add instances, drop "
                f"the class, or build without a split"
            )
    sides = stratified_split(classes, groups, Draws(seed, "own data", "split"))
    return Pool(classes, groups, getattr(sides, split))


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
