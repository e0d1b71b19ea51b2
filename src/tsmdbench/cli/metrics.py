"""``tsmdbench metrics``: list the metrics and their properties."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def metrics(
    *,
    properties: Annotated[
        bool,
        typer.Option("--properties", help="Show which errors each metric penalises."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List the metrics, or the table of their properties.

    Example: tsmdbench metrics --properties

    Every cell of the table comes from running small named cases.
    """
    if properties:
        _print_properties(as_json=as_json)
    else:
        _print_list(as_json=as_json)


def _print_list(*, as_json: bool) -> None:
    from tsmdbench.errors import InputError
    from tsmdbench.metrics import METRICS

    known, broken = [], []
    for name in METRICS:
        try:
            known.append(METRICS[name])
        except InputError as error:  # of another package: the others are still listed
            broken.append(f"{name}: {error}")
    for sentence in broken:
        typer.echo(sentence, err=True)
    if as_json:
        rows = [
            {
                "name": metric.name,
                "higher_is_better": metric.higher_is_better,
                "range": [metric.lowest, metric.highest],
                "nothing_found": metric.empty,
                "formula": metric.formula,
                "reference": metric.reference,
                "options": list(metric.options),
            }
            for metric in known
        ]
        typer.echo(json.dumps(rows))
        return
    width = max(len(metric.name) for metric in known)
    for metric in known:
        better = "higher" if metric.higher_is_better else "lower"
        kind = f"{metric.lowest:g}..{metric.highest:<4g}{better} is better"
        typer.echo(f"{metric.name:<{width}}  {kind:<24}{metric.formula}")


def _print_properties(*, as_json: bool) -> None:
    from tsmdbench.metrics.metric import PROPERTIES
    from tsmdbench.metrics.properties import MARKS, differences, property_table

    cards = property_table()
    if as_json:
        typer.echo(json.dumps({card.name: card.cells for card in cards}))
        return
    width = max(len(card.name) for card in cards)
    for number, name in enumerate(PROPERTIES, start=1):
        kind = "" if number <= 3 or number > 7 else "penalises "
        typer.echo(f"{number:>2}  {kind}{name}")
    numbers = "".join(f"{number:>5}" for number in range(1, len(PROPERTIES) + 1))
    typer.echo(f"\n{'':<{width}}{numbers}")
    for card in cards:
        cells = "".join(f"{MARKS[card.cells[name]]:>5}" for name in PROPERTIES)
        typer.echo(f"{card.name:<{width}}{cells}")
    typer.echo(
        f"\nEach cell comes from running {len(cards[0].values)} named cases with the "
        "strictest options\nof the metric. Differences from the paper's table:"
    )
    for line in differences(cards):
        typer.echo(f"- {line}")
