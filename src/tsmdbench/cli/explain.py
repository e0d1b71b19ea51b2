"""``tsmdbench explain``: why the methods of a store score as they do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from tsmdbench.cli.output import print_json, print_table
from tsmdbench.errors import InputError


def explain(
    store: Path,
    problem: str | None = None,
    *,
    method: str | None = None,
    dataset: str | None = None,
    settings: list[str] | None = None,
    split: str = "test",
    threshold: float = 0.5,
    as_json: bool = False,
) -> None:
    """Explain the errors of stored runs: of one problem, or summed up by kind.

    Examples: tsmdbench explain my-store

    tsmdbench explain my-store Plane/test/004 --method stomp

    Without a problem, the F1 that each kind of error costs each method: the mean gain
    if all errors of that kind were fixed.

    Options:
    store: Store written by 'run'.
    problem: Problem, by its name or number; all of them together by default.
    method: Method, if the store has several.
    dataset: Dataset, if the store has several.
    settings --set KEY=VALUE: Parameter of the run, if there are several settings; may
        be repeated.
    threshold: Overlap rate that a match must exceed.
    """
    from tsmdbench.experiments.store import Store

    opened = Store(store)
    if problem is not None:
        number = problem.removeprefix("-").isascii() and problem.lstrip("-").isdigit()
        found = opened.explain(
            int(problem) if number else problem,
            method,
            dataset,
            split=split,
            parameters=_fields(settings or ()),
            threshold=threshold,
        )
        print_json(found.to_dict()) if as_json else typer.echo(found)
        return
    if settings:
        raise InputError("--set chooses the run on one problem; name the problem")
    from tsmdbench.analysis.difficulty import error_costs, error_sentence
    from tsmdbench.analysis.scores import restricted, score_store

    scores = restricted(score_store(opened, split=split, metrics=["prom_f1"]), method)
    scores = scores.only(datasets=None if dataset is None else [dataset])
    costs = error_costs(scores, opened, split=split, threshold=threshold)
    if as_json:
        typer.echo(costs.to_json(orient="records"))
        return
    rows = [
        (row["label"], f"{row['f1']:.3f}", row["runs"], error_sentence(row))
        for _, row in costs.iterrows()
    ]
    print_table(("method", "F1", "runs", "cost of errors"), rows, text=(0, 3))


def _fields(texts: Any) -> dict[str, Any]:
    """Return ``KEY=VALUE`` texts as fields; values are JSON, or else texts."""
    fields: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise InputError(f"--set takes KEY=VALUE, got {text!r}")
        try:
            fields[key.strip()] = json.loads(value)
        except ValueError:
            fields[key.strip()] = value
    return fields
