"""Split results into chunks, each checked and made a batch.

Thousands of results are flattened, checked and laid end to end together. Only if one
of them is not a plain list, or is wrong, are the results of a chunk checked one by
one, so that an error can name its row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.metrics._batch.batch import Batch, fits
from tsmdbench.metrics._batch.flat import Flat, flat_sets
from tsmdbench.types import MotifSets
from tsmdbench.validation import check_motif_sets, check_truth, plain_segments

Pair = tuple[Any, Any]  # truth and found, checked, in any form
CHUNK = 4096  # results that are laid end to end at a time


def batches(results: Any) -> Iterator[tuple[Batch, Sequence[Pair]]]:
    """Yield the results in batches, each with its pairs of truth and found.

    Raises
    ------
    InputError
        The message names the row whose truth or found is wrong.
    """
    rows, first = iter(_rows(results)), 0
    while chunk := list(islice(rows, CHUNK)):
        yield from _plain_batches(chunk) or _checked_batches(chunk, first)
        first += len(chunk)


def _rows(results: Any) -> Iterable[Any]:
    """Return pairs, from pairs or from the columns of a table."""
    names = getattr(results, "column_names", results)  # a Parquet table lists them
    if not hasattr(results, "keys") and not hasattr(results, "column_names"):
        return results  # type: ignore[no-any-return]
    for name in ("truth", "found"):
        if name not in names:
            raise InputError(f"the table of results lacks the column {name!r}")
    columns = [results["truth"], results["found"]]
    plain = [c.to_pylist() if hasattr(c, "to_pylist") else c for c in columns]
    return zip(*plain, strict=True)


def _plain_batches(rows: list[Any]) -> list[tuple[Batch, Sequence[Pair]]]:
    """Return valid plain results in batches, nothing where a row needs a look."""
    if not set(map(type, rows)) <= {list, tuple} or set(map(len, rows)) != {2}:
        return []
    truth = _flattened([row[0] for row in rows])
    found = _flattened([row[1] for row in rows])
    if (
        truth is None
        or found is None
        or not truth.sizes.all()
        or not truth.counts.all()
    ):
        return []
    made = _fitting(rows, truth, found)
    return [] if any(batch.truth_overlaps for batch, _ in made) else made


def _flattened(problems: list[Any]) -> Flat | None:
    """Put the sets of all problems below each other where they are plain lists."""
    kinds = set(map(type, problems))
    if kinds == {MotifSets}:
        return flat_sets(problems)
    if dict in kinds:
        problems = [[*p.values()] if type(p) is dict else p for p in problems]
    if not kinds <= {list, tuple, dict}:
        return None
    members = list(chain.from_iterable(problems))
    segments = plain_segments(members)
    if segments is None:
        return None
    sizes = np.fromiter(map(len, members), np.int64, len(members))
    return Flat(segments, sizes, np.fromiter(map(len, problems), np.int64))


def _checked_batches(rows: list[Any], first: int) -> list[tuple[Batch, Sequence[Pair]]]:
    """Check the results one after the other, naming the row of a wrong one."""
    pairs = []
    for number, row in enumerate(rows, first):
        try:
            truth, found = row
        except (TypeError, ValueError):
            raise InputError(f"row {number} is not a pair of truth and found") from None
        try:
            pairs.append((check_truth(truth), check_motif_sets(found, "found")))
        except InputError as error:
            raise type(error)(f"row {number}: {error}") from None
    truths, founds = zip(*pairs, strict=True)
    return _fitting(pairs, flat_sets(truths), flat_sets(founds))


def _fitting(
    pairs: Sequence[Pair], truth: Flat, found: Flat
) -> list[tuple[Batch, Sequence[Pair]]]:
    """Halve the problems until their stretches of time fit behind each other."""
    if len(pairs) == 1 or fits(truth, found):
        return [(Batch(truth, found), pairs)]
    middle = len(pairs) // 2
    halves = zip(truth.cut(middle), found.cut(middle), strict=True)
    parts = zip((pairs[:middle], pairs[middle:]), halves, strict=True)
    return [made for part, sides in parts for made in _fitting(part, *sides)]
