"""Motif sets as JSON: ``{"label": [[start, end], ...]}``, or a list of lists of pairs.

Bounds are samples, or texts such as ``"1.5s"`` and ``"2024-05-01T12:00:00"``.
``discover`` writes ``{"method": ..., "settings": ..., "source": ..., "units": "s",
"rate": 100.0, "sets": {"label": [[start, end], ...]}}``: the sets with what they were
found with, and all that is needed to turn their bounds into samples.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import (
    UNITS,
    Mark,
    MarkOptions,
    Marks,
    Writing,
    bound_of_number,
    bound_of_text,
)
from tsmdbench.io.paths import brief, read_text
from tsmdbench.io.timebase import Bound, Gap, TimeBase, parse_stamp
from tsmdbench.types import MotifSet


def _read(file: Path, options: MarkOptions) -> Marks:
    value = parse_json(file, read_text(file, options.limit, options.encoding))
    if looks_like_label_studio(value):
        from tsmdbench.io.motifs.label_studio import marks_of_tasks

        return marks_of_tasks(file, value, options.units)
    if not isinstance(value, dict | list):
        raise InputError(
            f'{file}: expected {{"label": [[start, end], ...]}} or a list of lists, '
            f"got {type(value).__name__}"
        )
    units, base = options.units, None
    if isinstance(value, dict) and isinstance(value.get("sets"), dict):
        units, base = _stated(file, value)
        value = value["sets"]
    if units in (None, "samples") and not _has_text(value):
        return Marks(plain=value)
    return Marks(_rows(file, value, units), base=base)


def _stated(file: Path, value: dict[str, Any]) -> tuple[str | None, TimeBase]:
    """Return the units and the time base that a file of `discover` states."""
    units = value.get("units", "samples")
    if units not in (*UNITS, "time"):
        raise InputError(
            f"{file}: units must be one of {', '.join(UNITS)}, got {units!r}"
        )
    rate, start, gaps = value.get("rate"), value.get("start"), value.get("gaps", [])
    if isinstance(start, str):
        start = parse_stamp(start)
    try:
        pairs = tuple(Gap(int(row), int(missing)) for row, missing in gaps)
        base = TimeBase(
            None if rate is None else float(rate),
            start
            if start is None or isinstance(start, np.datetime64)
            else float(start),
            pairs,
        )
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{file}: rate, start or gaps are not those of a recording"
        ) from None
    if base.rate is not None and not 0 < base.rate < float("inf"):
        raise InputError(f"{file}: rate must be a positive number of Hz, got {rate}")
    return None if units == "time" else units, base


def parse_json(file: Path, text: str) -> Any:
    """Return the value of a JSON text, with errors that name line and column."""
    try:
        return json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as cause:
        raise InputError(
            f"{file}, line {cause.lineno}, column {cause.colno}: "
            f"malformed JSON ({cause.msg})"
        ) from None
    except (RecursionError, ValueError) as cause:
        raise InputError(f"{file}: {brief(cause)}") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a label that stands twice: JSON would silently keep the last one."""
    labels = [label for label, _ in pairs]
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InputError(f"the label {twice!r} occurs twice; merge the two sets")
    return dict(pairs)


def looks_like_label_studio(value: Any) -> bool:
    """Whether a value is a task of Label Studio, or a list of them."""
    tasks = value if isinstance(value, list) else [value]
    keys = ({"annotations", "data"}, {"completions", "data"}, {"annotations", "id"})
    return bool(tasks) and all(
        isinstance(task, dict) and any(key <= set(task) for key in keys)
        for task in tasks
    )


def _has_text(value: Any) -> bool:
    """Whether any bound is a text, as times are written."""
    members = value.values() if isinstance(value, dict) else value
    return any(
        isinstance(bound, str)
        for motifs in members
        if isinstance(motifs, list)
        for pair in motifs
        if isinstance(pair, list)
        for bound in pair
    )


def _rows(file: Path, value: Any, units: str | None) -> list[Mark]:
    named = value.items() if isinstance(value, dict) else enumerate(value)
    rows = []
    for label, motifs in named:
        if not isinstance(motifs, list):
            raise InputError(f"{file}, set {label!r}: expected a list of [start, end]")
        for number, pair in enumerate(motifs):
            where = f"{file}, set {label!r}: segment {number}"
            if not isinstance(pair, list) or len(pair) != 2:
                raise InputError(f"{where} is {pair!r}; a segment is [start, end]")
            start, end = (_bound(bound, units, where) for bound in pair)
            rows.append(Mark(label, start, end, where))
    return rows


def _bound(value: Any, units: str | None, where: str) -> Bound:
    if isinstance(value, str):
        return bound_of_text(value, units, where)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(
            f"{where} has the bound {value!r}; bounds are numbers or times"
        )
    return bound_of_number(value, units, where)


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    made = json_of_sets(sets, writing.base, writing.units, writing.facts)
    return (json.dumps(made) + "\n").encode()


def _replace(
    sets: dict[str, MotifSet], writing: Writing, options: MarkOptions
) -> bytes:
    """Keep the facts that a file of `discover` has beside its sets."""
    text = read_text(writing.file, options.limit, options.encoding)
    value = parse_json(writing.file, text)
    if looks_like_label_studio(value):
        raise InputError(f"{writing.file} is an export of Label Studio; choose another")
    if isinstance(value, dict) and isinstance(value.get("sets"), dict):
        of_bounds = ("sets", "units", "rate", "start", "gaps")
        facts = {name: value[name] for name in value if name not in of_bounds}
        writing = replace(writing, facts=facts)
    return _write(sets, writing)


def json_of_sets(
    sets: Mapping[str, MotifSet], base: TimeBase, units: str, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the sets alone, or with their units and the facts about them."""
    lists: dict[str, Any] = {
        label: [list(base.shown(start, end, units)) for start, end in motifs]
        for label, motifs in sets.items()
    }
    if units == "samples" and not facts:
        return lists
    return {**facts, "units": units, **base.to_dict(), "sets": lists}


FORMAT = MotifFormat(
    "json",
    (".json",),
    _read,
    'JSON, {"label": [[start, end], ...]}',
    write=_write,
    replace=_replace,
    holds_empty=True,
)
