"""``tsmdbench metrics``: list the metrics and their properties."""

from __future__ import annotations

import typer

from tsmdbench.cli.output import print_json, print_table, say


def metrics(*, properties: bool = False, as_json: bool = False) -> None:
    """List the metrics, or the table of their properties.

    Example: tsmdbench metrics --properties

    Every cell of the table comes from running small named cases.

    Options:
    properties: Show which errors each metric penalises.
    """
    if properties:
        _print_properties(as_json=as_json)
    else:
        _print_list(as_json=as_json)


def _print_list(*, as_json: bool) -> None:
    from tsmdbench.errors import InputError
    from tsmdbench.metrics import METRICS

    known = []
    for name in METRICS:
        try:
            known.append(METRICS[name])
        except InputError as error:  # of another package: the others are still listed
            say(f"{name}: {error}")
    if as_json:
        facts = [
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
        print_json(facts)
        return
    rows = [
        (
            metric.name,
            f"{metric.lowest:g}..{metric.highest:g}",
            "higher" if metric.higher_is_better else "lower",
            metric.formula,
        )
        for metric in known
    ]
    print_table(("metric", "range", "better", "formula"), rows, text=range(4))


def _print_properties(*, as_json: bool) -> None:
    from tsmdbench.metrics.metric import PROPERTIES
    from tsmdbench.metrics.properties import MARKS, differences, property_table

    cards = property_table()
    if as_json:
        print_json({card.name: card.cells for card in cards})
        return
    for number, name in enumerate(PROPERTIES, start=1):
        kind = "" if number <= 3 or number > 7 else "penalises "
        typer.echo(f"{number:>2}  {kind}{name}")
    typer.echo()
    print_table(
        ("", *map(str, range(1, len(PROPERTIES) + 1))),
        [(c.name, *(MARKS[c.cells[name]] for name in PROPERTIES)) for c in cards],
    )
    typer.echo(
        f"\nEach cell comes from running {len(cards[0].values)} named cases with the "
        "strictest options\nof the metric. Differences from the paper's table:"
    )
    for line in differences(cards):
        typer.echo(f"- {line}")
