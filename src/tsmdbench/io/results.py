"""Motif sets from the results of other packages and from objects in memory.

Every function returns a list of `MotifSet`, or a mapping, in the order given; its
docstring says what is lost.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.io.marks import marks_of_frame, to_samples
from tsmdbench.io.recording import Recording
from tsmdbench.io.timebase import TimeBase
from tsmdbench.types import MotifSet


def from_stumpy(indices: Any, length: int) -> list[MotifSet]:
    """Return the sets of ``stumpy.motifs``: a row of starts each, filled up with -1.

    Lost: the distances, and which start is the motif that the others match.

    Examples
    --------
    >>> from_stumpy([[3, 40, -1], [10, 20, 60]], length=5)[0]
    MotifSet(((3, 8), (40, 45)))
    """
    array = np.asarray(indices)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise InputError(
            f"stumpy's indices are whole numbers of shape (sets, matches), got "
            f"{array.dtype} of shape {array.shape}"
        )
    if array.size and int(array.min()) < -1:
        raise InputError(f"a start is at least 0, or -1 to fill up, got {array.min()}")
    return [MotifSet.from_starts(row[row >= 0], length) for row in array]


def from_locomotif(result: Iterable[Any]) -> list[MotifSet]:
    """Return the sets of ``locomotif.apply_locomotif``: (representative, segments).

    Lost: which segment is the representative.

    Examples
    --------
    >>> from_locomotif([((0, 10), [(0, 10), (50, 61)])])
    [MotifSet(((0, 10), (50, 61)))]
    """
    sets = []
    for place, item in enumerate(result):
        try:
            _, segments = item
        except (TypeError, ValueError):
            raise InputError(
                f"item {place} of LoCoMotif's result is not (representative, segments)"
            ) from None
        sets.append(MotifSet([tuple(map(int, pair)) for pair in segments]))
    return sets


def from_motiflets(result: Sequence[Any], length: int | None = None) -> list[MotifSet]:
    """Return the sets at the elbows of ``motiflets``, smallest first.

    `result` is what ``search_k_motiflets_elbow`` returns (with the length), or what
    ``Motiflets.fit_k_elbow`` returns (then give `length`). Lost: the distances, and the
    sets of sizes that are not an elbow.
    """
    if len(result) not in (3, 5):
        raise InputError(
            f"motiflets returns 3 values (fit_k_elbow) or 5 "
            f"(search_k_motiflets_elbow), got {len(result)}"
        )
    found = int(result[3]) if len(result) == 5 else length
    return _at_elbows(result[1], result[2], found, length)


def from_leitmotifs(result: Sequence[Any], length: int | None = None) -> list[MotifSet]:
    """Return the sets at the elbows of ``leitmotifs``, smallest first.

    `result` is what ``search_leitmotifs_elbow`` returns. Lost: the distances, the
    channels of each set, and the sets of sizes that are not an elbow.
    """
    if len(result) != 6:
        raise InputError(f"search_leitmotifs_elbow returns 6 values, got {len(result)}")
    return _at_elbows(result[1], result[3], int(result[4]), length)


def _at_elbows(
    candidates: Any, elbows: Any, length: int | None, given: int | None
) -> list[MotifSet]:
    """Return the candidates at elbow points, of each rank where there are several."""
    if length is None:
        raise InputError("the result does not hold the motif length; give length")
    if given not in (None, length):
        raise InputError(f"length is {given}, but the result says {length}")
    ranked = isinstance(elbows, list) and all(np.ndim(rank) == 1 for rank in elbows)
    ranks = list(elbows) if ranked else [np.asarray(elbows)]
    sets = []
    for rank, sizes in enumerate(ranks):
        for size in np.asarray(sizes, dtype=np.int64).tolist():
            starts = candidates[size]
            if starts is None:
                raise InputError(f"there is no candidate of {size} motifs at an elbow")
            if np.ndim(starts[0]) == 1:  # several candidates of one size, best first
                if not ranked and len(starts) > 1:
                    raise InputError(
                        "the result has several candidates per size, and the elbows do "
                        "not say whose they are; give what search_k_motiflets_elbow "
                        "returns"
                    )
                starts = starts[rank]
            sets.append(MotifSet.from_starts([int(start) for start in starts], length))
    return sets


def from_sample_labels(
    labels: Sequence[Any], *, background: Hashable
) -> dict[Any, MotifSet]:
    """Return the runs of equal labels as motif sets.

    Parameters
    ----------
    labels : sequence
        One label per sample.
    background : hashable
        The label of samples outside of motifs.

    Lost: occurrences of one pattern that touch become one segment.

    Examples
    --------
    >>> from_sample_labels([0, 1, 1, 0, 2, 1], background=0)
    {1: MotifSet(((1, 3), (5, 6))), 2: MotifSet(((4, 5),))}
    """
    plain = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    sets: dict[Any, list[tuple[int, int]]] = {}
    start = 0
    for label, members in itertools.groupby(plain):
        end = start + sum(1 for _ in members)
        if label != background:
            sets.setdefault(label, []).append((start, end))
        start = end
    return {label: MotifSet(pairs) for label, pairs in sets.items()}


def from_frame(
    frame: Any,
    *,
    recording: Recording | None = None,
    rate: float | None = None,
    units: str | None = None,
) -> dict[Any, MotifSet]:
    """Return motif sets from a pandas or polars frame with label, start and end.

    Bounds are samples, numbers in `units`, time stamps or durations; times are rounded
    to samples of `recording`, or by `rate`. Lost: all other columns.
    """
    base = TimeBase(rate) if recording is None else recording.timebase
    sets, _ = to_samples(marks_of_frame(frame, "the frame", units).rows, base)
    return {label: MotifSet(pairs) for label, pairs in sets.items()}


def plain_segments_of(motifs: Any, where: str) -> Any:
    """Return slices and pandas intervals of samples as pairs; leave others alone."""
    if isinstance(motifs, str | bytes | Mapping | np.ndarray | MotifSet):
        return motifs
    if (
        hasattr(motifs, "left")
        and hasattr(motifs, "closed")
        and hasattr(motifs, "tolist")
    ):
        motifs = motifs.tolist()  # an IntervalIndex or IntervalArray
    if not isinstance(motifs, list | tuple):
        return motifs
    return [_pair(motif, f"{where}: segment {at}") for at, motif in enumerate(motifs)]


def _pair(motif: Any, where: str) -> Any:
    if isinstance(motif, slice):
        if motif.step not in (None, 1) or motif.start is None or motif.stop is None:
            raise InputError(
                f"{where} is {motif}; a slice needs start and stop, no step"
            )
        return (motif.start, motif.stop)
    if hasattr(motif, "left") and hasattr(motif, "closed"):
        after_left = motif.closed in ("right", "neither")
        after_right = motif.closed in ("right", "both")
        try:
            return (motif.left + int(after_left), motif.right + int(after_right))
        except TypeError:
            raise InputError(
                f"{where} is {motif}; intervals in memory are in samples; put times "
                f"into a frame and use from_frame"
            ) from None
    return motif
