"""``tsmdbench explain``: why the methods of a store score as they do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from tsmdbench.errors import InputError


def explain(
    store: Annotated[Path, typer.Argument(help="Store written by 'run'.")],
    problem: Annotated[
        str | None,
        typer.Argument(
            help="Problem, by its name or number; all of them together by default."
        ),
    ] = None,
    *,
    method: Annotated[
        str | None, typer.Option(help="Method, if the store has several.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Dataset, if the store has several.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Parameter of the run, if there are several settings; may be "
            "repeated.",
            metavar="KEY=VALUE",
        ),
    ] = None,
    split: Annotated[str, typer.Option(help="'test' or 'validation'.")] = "test",
    threshold: Annotated[
        float, typer.Option(help="Overlap rate that a match must exceed.")
    ] = 0.5,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Explain the errors of stored runs: of one problem, or summed up by kind.

    Examples: tsmdbench explain my-store

    tsmdbench explain my-store Plane/test/004 --method stomp

    Without a problem, the F1 that each kind of error costs each method: the mean gain
    if all errors of that kind were fixed.
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
        typer.echo(json.dumps(found.to_dict(), default=str) if as_json else found)
        return
    if settings:
        raise InputError("--set chooses the run on one problem; name the problem")
    from tsmdbench.analysis.errors_by_kind import error_costs, error_sentence
    from tsmdbench.analysis.scores import score_store
    from tsmdbench.analysis.selection import restricted

    scores = restricted(score_store(opened, split=split, metrics=["prom_f1"]), method)
    scores = scores.only(datasets=None if dataset is None else [dataset])
    costs = error_costs(scores, opened, split=split, threshold=threshold)
    if as_json:
        typer.echo(costs.to_json(orient="records"))
        return
    width = max(map(len, costs["label"]))
    for _, row in costs.iterrows():
        said = f"F1 {row['f1']:.3f} on {row['runs']} runs; {error_sentence(row)}"
        typer.echo(f"{row['label']:<{width}}  {said}")


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
