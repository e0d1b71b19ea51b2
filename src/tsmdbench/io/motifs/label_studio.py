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
from tsmdbench.io.marks import (
    Mark,
    MarkOptions,
    Marks,
    Writing,
    bound_of_number,
    bound_of_text,
)
from tsmdbench.io.motifs.json_sets import looks_like_label_studio, parse_json
from tsmdbench.io.paths import read_text
from tsmdbench.io.timebase import Bound
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet

KEY = "timeserieslabels"


def _read(file: Path, options: MarkOptions) -> Marks:
    value = parse_json(file, read_text(file, options.limit, options.encoding))
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
    marks = Marks(format="label-studio")
    skipped = 0
    for number, region in enumerate(_regions(done[0], file)):
        if region.get("type") != KEY:
            skipped += 1
            continue
        marks.rows += _marks(region, units, f"{file}, region {number}")
    if not marks.rows:
        raise InputError(f"{file} holds no region with {KEY}")
    if skipped:
        marks.left_out.append(f"{counted(skipped, 'other region')} left out")
    return marks


def _regions(annotation: Any, file: Path) -> list[dict[str, Any]]:
    result = annotation.get("result") if isinstance(annotation, dict) else None
    if not isinstance(result, list) or not all(isinstance(r, dict) for r in result):
        raise InputError(f"{file}: the annotation has no list 'result' of regions")
    return result


def _marks(region: dict[str, Any], units: str | None, where: str) -> list[Mark]:
    value = region.get("value")
    if not isinstance(value, dict) or not {"start", "end", KEY} <= set(value):
        raise InputError(f"{where} lacks start, end or {KEY}")
    labels = value[KEY]
    if not isinstance(labels, list) or not labels:
        raise InputError(f"{where} has no label; give it one, or remove it")
    start, end = (_bound(value[side], units, where) for side in ("start", "end"))
    if value.get("instant") or start == end:
        raise InputError(
            f"{where} marks a point in time; a motif has a start and an end"
        )
    return [Mark(str(label), start, end, where) for label in labels]


def _bound(value: Any, units: str | None, where: str) -> Bound:
    if isinstance(value, str):
        return bound_of_text(value, units, where)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(
            f"{where} has the bound {value!r}; bounds are numbers or times"
        )
    if units is None:
        raise InputError(
            f"{where} has the bound {value!r}, and the export does not say what it "
            f"counts; give units (--units samples, s, ms or epoch-ms)"
        )
    return bound_of_number(value, units, where)


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
