"""Motif sets as JSON: ``{"label": [[start, end], ...]}``, or a list of lists of pairs.

A set with channels is ``{"channels": [0, 2], "segments": [...]}``, where a motif is
``[start, end]`` or a list with one such pair for each channel.
Bounds are samples, or texts such as ``"1.5s"`` and ``"2024-05-01T12:00:00"``.
``discover`` writes ``{"method": ..., "settings": ..., "source": ..., "units": "s",
"rate": 100.0, "sets": {"label": [[start, end], ...]}}``: the sets with what they were
found with, and all that is needed to turn their bounds into samples.

The JSON export of Label Studio for time series is recognised by its content; of it, the
regions with ``timeserieslabels`` are read. Texts are time stamps. Numbers are what the
time column of the project held, which the export does not say, so `units` must. A
region with two labels is a mark for each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.io.files import brief, read_text
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import Mark, MarkOptions, Marks, Writing, as_bound
from tsmdbench.io.timebase import WRITTEN, Gap, TimeBase, check_units, parse_stamp
from tsmdbench.plural import counted
from tsmdbench.segments import check_channels
from tsmdbench.types import MotifSet

OF_BOUNDS = ("sets", "units", "rate", "start", "gaps")
REGION = "timeserieslabels"


def _read(file: Path, options: MarkOptions) -> Marks:
    value, units, base = _parsed(file, options), options.units, None
    if _is_label_studio(value):
        return _marks_of_tasks(file, value, units)
    if not isinstance(value, dict | list):
        raise InputError(
            f'{file}: expected {{"label": [[start, end], ...]}} or a list of lists, '
            f"got {type(value).__name__}"
        )
    if isinstance(value, dict) and isinstance(value.get("sets"), dict):
        units, base = _stated(file, value)
        value = value["sets"]
    members = list(value.items() if isinstance(value, dict) else enumerate(value))
    texts = any(isinstance(bound, str) for _, m in members for bound in _bounds(m))
    if units in (None, "samples") and not texts:
        return Marks(plain=value)
    marks = Marks(base=base)
    for label, motifs in members:
        channels: tuple[int, ...] = ()
        place = f"{file}, set {label!r}"
        if isinstance(motifs, dict) and {*motifs} == {"channels", "segments"}:
            channels, _ = check_channels(motifs["channels"], f"{place}: channels")
            if list(channels) != motifs["channels"]:
                raise InputError(f"{place}: channels must be in ascending order")
            motifs = motifs["segments"]
        if not isinstance(motifs, list):
            raise InputError(f"{place}: expected a list of [start, end]")
        for number, motif in enumerate(motifs):
            where = f"{place}: segment {number}"
            parts, held = [motif], [channels]
            nested = isinstance(motif, list) and motif and isinstance(motif[0], list)
            if channels and nested:
                parts, held = motif, [(channel,) for channel in channels]
            if len(parts) != len(held):
                raise InputError(
                    f"{where} has {len(parts)} intervals in {len(held)} channels; give "
                    f"one for each channel, or one for all"
                )
            for pair, some in zip(parts, held, strict=True):
                if not isinstance(pair, list) or len(pair) != 2:
                    raise InputError(f"{where} is {pair!r}; a segment is [start, end]")
                start, end = (as_bound(bound, units, where) for bound in pair)
                marks.rows.append(Mark(label, start, end, where, number, some))
    return marks


def _parsed(file: Path, options: MarkOptions) -> Any:
    """Return the value of a JSON file, with errors that name line and column."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Raise for a label that occurs twice: JSON would keep the last one."""
        labels = [label for label, _ in pairs]
        if len(set(labels)) < len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            raise ValueError(f"the label {twice!r} occurs twice; merge the two sets")
        return dict(pairs)

    text = read_text(file, options.max_bytes, options.encoding)
    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as cause:
        raise InputError(
            f"{file}, line {cause.lineno}, column {cause.colno}: "
            f"malformed JSON ({cause.msg})"
        ) from None
    except (RecursionError, ValueError) as cause:
        raise InputError(f"{file}: {brief(cause)}") from None


def _bounds(value: Any) -> Iterator[Any]:
    """Yield what is in nested lists, and in the segments of a set with channels."""
    if isinstance(value, dict):
        value = value.get("segments")
    if not isinstance(value, list):
        yield value
        return
    for each in value:
        yield from _bounds(each)


def _stated(file: Path, value: dict[str, Any]) -> tuple[str | None, TimeBase]:
    """Return the units and the time base that a file of `discover` states."""
    units = check_units(value.get("units", "samples"), WRITTEN, f"{file}: units")
    rate, start = value.get("rate"), value.get("start")
    try:
        if isinstance(start, str):
            start = parse_stamp(start)
        elif start is not None:
            start = float(start)
        gaps = tuple(Gap(int(row), int(lost)) for row, lost in value.get("gaps", []))
        base = TimeBase(None if rate is None else float(rate), start, gaps)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{file}: rate, start or gaps are not those of a recording"
        ) from None
    return None if units == "time" else units, base


def json_of_sets(
    sets: Mapping[str, MotifSet], base: TimeBase, units: str, facts: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the sets alone, or with their units and the facts about them."""

    def shown(value: Any) -> Any:
        """Return nested lists of pairs with their bounds in the units."""
        if value and not isinstance(value[0], list):
            start, end = value
            return list(base.shown(start, end, units))
        return [shown(each) for each in value]

    lists: dict[str, Any] = {}
    for label, motifs in sets.items():
        made = motifs.to_json()
        channels = isinstance(made, dict)
        lists[label] = (
            {**made, "segments": shown(made["segments"])} if channels else shown(made)
        )
    if units == "samples" and not facts:
        return lists
    return {**facts, "units": units, **base.to_dict(), "sets": lists}


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    made = json_of_sets(sets, writing.base, writing.units, writing.facts)
    return (json.dumps(made) + "\n").encode()


def _replace(
    sets: dict[str, MotifSet], writing: Writing, options: MarkOptions
) -> bytes:
    """Keep the facts that a file of `discover` has beside its sets."""
    value = _parsed(writing.file, options)
    if _is_label_studio(value):
        raise InputError(f"{writing.file} is an export of Label Studio; choose another")
    if isinstance(value, dict) and isinstance(value.get("sets"), dict):
        facts = {name: value[name] for name in value if name not in OF_BOUNDS}
        writing = replace(writing, facts=facts)
    return _write(sets, writing)


def _is_label_studio(value: Any) -> bool:
    """Return True for a task of Label Studio, or a list of them."""
    tasks = value if isinstance(value, list) else [value]
    keys = ({"annotations", "data"}, {"completions", "data"}, {"annotations", "id"})
    return bool(tasks) and all(
        isinstance(task, dict) and any(key <= set(task) for key in keys)
        for task in tasks
    )


def _read_label_studio(file: Path, options: MarkOptions) -> Marks:
    value = _parsed(file, options)
    if not _is_label_studio(value):
        raise InputError(f"{file} is not an export of Label Studio (JSON)")
    return _marks_of_tasks(file, value, options.units)


def _marks_of_tasks(file: Path, value: Any, units: str | None) -> Marks:
    """Return the regions of an export that has one task with one annotation."""
    tasks = value if isinstance(value, list) else [value]
    if len(tasks) > 1:
        raise InputError(
            f"{file} holds {len(tasks)} tasks, which are different recordings; export "
            f"one of them"
        )
    done = tasks[0].get("annotations", tasks[0].get("completions"))
    if not isinstance(done, list) or len(done) != 1:
        count = len(done) if isinstance(done, list) else 0
        raise InputError(
            f"{file} holds {count} annotations of the task; exactly one is the truth, "
            f"so remove the others"
        )
    regions = done[0].get("result") if isinstance(done[0], dict) else None
    if not isinstance(regions, list) or not all(isinstance(r, dict) for r in regions):
        raise InputError(f"{file}: the annotation has no list 'result' of regions")
    marks, others = Marks(format="label-studio"), 0
    for number, region in enumerate(regions):
        if region.get("type") != REGION:
            others += 1
            continue
        where, given = f"{file}, region {number}", region.get("value")
        if not isinstance(given, dict) or not {"start", "end", REGION} <= set(given):
            raise InputError(f"{where} lacks start, end or {REGION}")
        labels, bounds = given[REGION], (given["start"], given["end"])
        if not isinstance(labels, list) or not labels:
            raise InputError(f"{where} has no label; give it one, or remove it")
        for bound in bounds:
            is_number = isinstance(bound, int | float) and not isinstance(bound, bool)
            if units is None and is_number:
                raise InputError(
                    f"{where} has the bound {bound!r}, and the export does not say "
                    f"what it counts; give units (--units samples, s, ms or epoch-ms)"
                )
        start, end = (as_bound(bound, units, where) for bound in bounds)
        if given.get("instant") or start == end:
            raise InputError(
                f"{where} marks a point in time; a motif has a start and an end"
            )
        marks.rows += [Mark(str(label), start, end, where) for label in labels]
    if not marks.rows:
        raise InputError(f"{file} holds no region with {REGION}")
    if others:
        marks.left_out.append(f"{counted(others, 'other region')} left out")
    return marks


def _write_label_studio(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    regions = [
        {
            "id": f"m{number}",
            "type": REGION,
            "from_name": "label",
            "to_name": "ts",
            "value": {"start": start, "end": end, "instant": False, REGION: [label]},
        }
        for number, (label, start, end) in enumerate(writing.rows(sets))
    ]
    task = {"id": 1, "data": {}, "annotations": [{"id": 1, "result": regions}]}
    return (json.dumps([task], indent=1) + "\n").encode()


FORMATS = (
    MotifFormat(
        "json",
        (".json",),
        _read,
        'JSON, {"label": [[start, end], ...]}',
        write=_write,
        channels=True,
        replace=_replace,
        holds_empty=True,
    ),
    MotifFormat(
        "label-studio",
        (),
        _read_label_studio,
        "JSON export of Label Studio",
        write=_write_label_studio,
        exported=True,
        loses="what numbers count: reading the file again needs --units",
    ),
)
