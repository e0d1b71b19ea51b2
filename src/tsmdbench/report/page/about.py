"""What a report is of: what was requested, the versions, the failures.

Nothing here names a machine: host and operating system stay in the store's manifest.
"""

from __future__ import annotations

from typing import Any

from tsmdbench.analysis.scores import Scores
from tsmdbench.experiments.store import Store
from tsmdbench.report.page.runs import MESSAGE, Rows

PRIVATE = ("host", "system")
MEBIBYTE = 2**20


def provenance(stores: list[Store]) -> list[dict[str, Any]]:
    """Return for each store what was requested and with which versions."""
    return [_store(store.manifest) for store in stores]


def _store(manifest: dict[str, Any]) -> dict[str, Any]:
    made_by = manifest.get("made_by", {})
    recipes = [
        (name, str(entry["recipe_sha256"].get("test", ""))[:16])
        for name, entry in manifest.get("datasets", {}).items()
        if isinstance(entry, dict) and isinstance(entry.get("recipe_sha256"), dict)
    ]
    return {
        "versions": [
            (name, text) for name, text in made_by.items() if name not in PRIVATE
        ],
        "specifications": [
            _specification(asked) for asked in manifest.get("specifications", [])
        ],
        "recipes": recipes,
    }


def _specification(asked: dict[str, Any]) -> list[tuple[str, str]]:
    """Return one experiment as pairs of a word and its value."""
    limits = asked.get("limits") or {}
    tuned = f"by grid search ({asked.get('grid')}) on the validation split"
    pairs = [
        ("Datasets", ", ".join(asked.get("datasets", ()))),
        ("Methods", ", ".join(asked.get("methods", ()))),
        ("Split", str(asked.get("split", ""))),
        ("Hyperparameters", tuned if asked.get("tune") else "given, not tuned"),
        ("Problems per dataset", _count(asked.get("limit"))),
        ("Validation problems per dataset", _count(asked.get("limit_validation"))),
    ]
    if "seconds" in limits:
        pairs.append(("Time limit of a run", f"{limits['seconds']:g} s"))
    if "memory" in limits:
        pairs.append(
            ("Memory limit of a run", f"{limits['memory'] / MEBIBYTE:.0f} MiB")
        )
    return pairs


def _count(limit: Any) -> str:
    return "all" if limit is None else f"the first {limit}"


def failures(scores: Scores, rows: dict[str, Rows]) -> list[dict[str, Any]]:
    """Return the failed runs, put together by method, dataset, kind and message."""
    kinds: dict[tuple[str, str, str, str], list[str]] = {}
    place = {label: number for number, label in enumerate(scores.labels)}
    for dataset in scores.datasets:
        for (label, problem), runs in rows[dataset].items():
            for row in runs:
                if row["status"] != "ok" and label in place:
                    message = (row["message"] or "").strip().splitlines() or [""]
                    key = label, dataset, row["status"], message[-1][:MESSAGE]
                    kinds.setdefault(key, []).append(problem)
    order = sorted(kinds, key=lambda key: (place[key[0]], key[1:]))
    return [
        {
            "label": label,
            "dataset": dataset,
            "status": status,
            "message": message,
            "problems": sorted(kinds[label, dataset, status, message]),
        }
        for label, dataset, status, message in order
    ]
