"""Label Studio's JSON export of time series: the regions with ``timeserieslabels``.

Texts are time stamps. Numbers are what the time column of the project held, which the
export does not say, so `units` must. A region with two labels is a mark for each.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import Mark, MarkOptions, Marks, Writing, as_bound
from tsmdbench.io.motifs.json_sets import looks_like_label_studio, parse_json
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet

KEY = "timeserieslabels"


def _read(file: Path, options: MarkOptions) -> Marks:
    value = parse_json(file, options)
    if not looks_like_label_studio(value):
        raise InputError(f"{file} is not an export of Label Studio (JSON)")
    return marks_of_tasks(file, value, options.units)


def marks_of_tasks(file: Path, value: Any, units: str | None) -> Marks:
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
        if region.get("type") == KEY:
            marks.rows += _marks(region, units, f"{file}, region {number}")
        else:
            others += 1
    if not marks.rows:
        raise InputError(f"{file} holds no region with {KEY}")
    if others:
        marks.left_out.append(f"{counted(others, 'other region')} left out")
    return marks


def _marks(region: dict[str, Any], units: str | None, where: str) -> list[Mark]:
    value = region.get("value")
    if not isinstance(value, dict) or not {"start", "end", KEY} <= set(value):
        raise InputError(f"{where} lacks start, end or {KEY}")
    labels, bounds = value[KEY], (value["start"], value["end"])
    if not isinstance(labels, list) or not labels:
        raise InputError(f"{where} has no label; give it one, or remove it")
    for bound in bounds:
        number = isinstance(bound, int | float) and not isinstance(bound, bool)
        if units is None and number:
            raise InputError(
                f"{where} has the bound {bound!r}, and the export does not say what it "
                f"counts; give units (--units samples, s, ms or epoch-ms)"
            )
    start, end = (as_bound(bound, units, where) for bound in bounds)
    if value.get("instant") or start == end:
        raise InputError(
            f"{where} marks a point in time; a motif has a start and an end"
        )
    return [Mark(str(label), start, end, where) for label in labels]


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    regions = [
        {
            "id": f"m{number}",
            "type": KEY,
            "from_name": "label",
            "to_name": "ts",
            "value": {"start": start, "end": end, "instant": False, KEY: [label]},
        }
        for number, (label, start, end) in enumerate(writing.rows(sets))
    ]
    task = {"id": 1, "data": {}, "annotations": [{"id": 1, "result": regions}]}
    return (json.dumps([task], indent=1) + "\n").encode()


FORMAT = MotifFormat(
    "label-studio",
    (),
    _read,
    "JSON export of Label Studio",
    write=_write,
    exported=True,
    loses="what numbers count: reading the file again needs --units",
)
