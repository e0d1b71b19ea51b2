"""Run methods with one field changed at a time, tuned again for each change.

    python tools/ablations.py FOLDER [--problems 20] [--validation 12] [--dataset NAME]
        [--method NAME] [--workers N]

What is recommended (the preset ``best``) is the beginning; each change gives one field
the value that the public code has (the preset ``paper``), or all of them, or takes the
radius by the rule of stacked channels. Every change is a store of its own in FOLDER,
beside the stores ``best`` and ``paper`` of all methods; each method is tuned on the
first validation problems, with the change made, and then run on the first test
problems. An interrupted run continues. ``tools/write_explanations.py FOLDER`` writes
the page.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tsmdbench.experiments.presets import (
    GRIDS,
    PRESETS,
    experiment,
    obtainable,
    preset_params,
)
from tsmdbench.experiments.results import progress_for
from tsmdbench.experiments.running import run_specification
from tsmdbench.experiments.specification import Limits, Specification
from tsmdbench.methods import METHODS, PAPER_METHODS
from tsmdbench.methods.info import method_info

CHANGES = "changes.json"


class Change(NamedTuple):
    """A method with other values of some fields, or another rule for its radius."""

    method: str
    fields: Mapping[str, Any]
    radius: str = "own"

    @property
    def name(self) -> str:
        """Name of the store."""
        what = "-".join(self.fields) if len(self.fields) < 2 else "all"
        return f"{self.method}-{what or self.radius}"


def changes(methods: Sequence[str] = PAPER_METHODS) -> list[Change]:
    """Return one change per field in which the presets differ, and all together."""
    made = []
    for method in methods:
        best = method_info(method).options
        differ = {
            name: value
            for name, value in METHODS[method].paper.items()
            if value != best[name]
        }
        made += [Change(method, {name: value}) for name, value in differ.items()]
        if len(differ) > 1:
            made.append(Change(method, differ))
        if "radius" in METHODS[method].__dataclass_fields__:
            made.append(Change(method, {}, "stacked"))
    return made


def main() -> None:
    """Run everything that is missing."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--problems", type=int, default=20)
    parser.add_argument("--validation", type=int, default=12)
    parser.add_argument("--dataset", action="append")
    parser.add_argument("--method", action="append")
    parser.add_argument("--workers", type=int)
    given = parser.parse_args()
    progress = progress_for(quiet=False)
    wanted = given.dataset or experiment("best")["datasets"]
    size = {
        "datasets": obtainable(wanted, progress.say),
        "tune": True,
        "limit": given.problems,
        "limit_validation": given.validation,
        "limits": Limits(),
    }
    methods = tuple(given.method or PAPER_METHODS)
    asked = {
        which: Specification(
            methods=methods, params=preset_params(which), grid=GRIDS[which], **size
        )
        for which in PRESETS
    }
    listed = changes(methods)
    for change in listed:
        params = preset_params("best")
        params[change.method].update(change.fields)
        asked[change.name] = Specification(
            methods=(change.method,), params=params, radius=change.radius, **size
        )
    given.folder.mkdir(parents=True, exist_ok=True)
    known = [{**change._asdict(), "name": change.name} for change in listed]
    (given.folder / CHANGES).write_text(json.dumps(known, indent=1))
    for name, specification in asked.items():
        progress.say(f"{name} ...")
        summary = run_specification(
            specification, given.folder / name, workers=given.workers, progress=progress
        )
        progress.say(str(summary))


if __name__ == "__main__":
    main()
