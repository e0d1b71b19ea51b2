"""Find out why a method ranks otherwise than in the paper: change one field at a time.

    python tools/ablations.py [--problems 30]

Takes the settings of the baselines, changes what is listed in `CHANGES`, runs the
method on the first test problems of each dataset, and writes docs/results/ablations.md:
mean scores, the place among the baselines that the changed method would have on the
same problems, and what `explain` says of one problem.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from tsmdbench.analysis.average_ranks import ranks
from tsmdbench.analysis.baselines import load_baselines
from tsmdbench.analysis.paper.robustness import chosen_parameters
from tsmdbench.analysis.scores import Scores, score_store
from tsmdbench.benchmark import load_benchmark
from tsmdbench.methods import METHODS
from tsmdbench.metrics import evaluate_many, explain
from tsmdbench.report.table import Table

PAGE = Path(__file__).parents[1] / "docs" / "results" / "ablations.md"
METRICS = ("prom_f1", "prom_precision", "prom_recall")


class Change(NamedTuple):
    """A method with other values of some fields, and a problem to look at."""

    method: str
    fields: Mapping[str, Any]
    meaning: str
    dataset: str


CHANGES = (
    Change("valmod", {"disjoint": False}, "sets may repeat earlier ones", "Fungi"),
    Change("mmotifs", {"exclusion": 0.5}, "members half a length apart", "PenDigits"),
    Change("mmotifs", {"exclusion": 1.0}, "members a length apart", "PenDigits"),
    Change("vonsem", {"compat": True}, "the faults of the public code", "Plane"),
    Change("setfinder", {"disjoint": True}, "sets never share samples", "PenDigits"),
)


def main() -> None:
    """Run the changed methods and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=30)
    count = parser.parse_args().problems
    store = load_baselines()
    params = chosen_parameters(store.path)
    table = score_store(store).table
    order = table.groupby("dataset", observed=True)["problem"].rank(method="dense")
    few = Scores(table[order <= count])
    rows = [_row(few, None, change.method, "as it is") for change in CHANGES]
    rows = list({row["method"]: row for row in rows}.values())
    texts = []
    for change in CHANGES:
        print(change.method, dict(change.fields), flush=True)
        found = _scores(few, params, change, count)
        rows.append(_row(few, found, change.method, _name(change)))
        texts.append(_looked_at(params, change))
    frame = pd.DataFrame(rows).sort_values("method", kind="stable")
    shown = Table("ablations", "Means over datasets; places by average rank", frame)
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(
        "# One field changed at a time\n\n"
        f"The first {count} test problems of each dataset, with the settings of the "
        "baselines; the place is the one among the eleven methods that the changed "
        "method would have.\n\n" + shown.markdown() + "\n" + "\n".join(texts)
    )
    print("written:", PAGE)


def _name(change: Change) -> str:
    fields = ", ".join(f"{name}={value}" for name, value in change.fields.items())
    return f"{fields}: {change.meaning}"


def _method(params: Mapping[str, Any], change: Change, dataset: str) -> Any:
    setting = params[change.method]["datasets"][dataset]
    return METHODS[change.method](**{**setting, **change.fields})


def _scores(
    few: Scores, params: Mapping[str, Any], change: Change, count: int
) -> pd.DataFrame:
    """Return the rows of the changed method."""
    frames = []
    for dataset in few.datasets:
        problems = load_benchmark(dataset)[:count]
        method = _method(params, change, dataset)
        results = [(p.truth, method.find(p.series)) for p in problems]
        scores = evaluate_many(results, METRICS)
        frame = pd.DataFrame({name: scores[name] for name in METRICS})
        names = [problem.name for problem in problems]
        frames.append(frame.assign(label=change.method, dataset=dataset, problem=names))
    return pd.concat(frames, ignore_index=True)


def _row(
    few: Scores, found: pd.DataFrame | None, label: str, name: str
) -> dict[str, Any]:
    """Return means and place of a method, in place of the one of its name."""
    table = few.table[["label", "dataset", "problem", *METRICS]]
    if found is not None:
        table = pd.concat([table[table["label"] != label], found], ignore_index=True)
    scores = Scores(table)
    average = ranks(scores, "prom_f1").average
    means: Sequence[float] = [scores.means(m).mean()[label] for m in METRICS]
    return {
        "method": label,
        "changed": name,
        **dict(zip(("F", "P", "R"), means, strict=True)),
        "average rank": average[label],
        "place": int((average < average[label]).sum()) + 1,
    }


def _looked_at(params: Mapping[str, Any], change: Change) -> str:
    """Return what `explain` says of the first problem, before and after."""
    problem = load_benchmark(change.dataset)[0]
    lines = [f"## {change.method}, {_name(change)}: {problem.name}", ""]
    for title, fields in (("As it is", {}), ("Changed", change.fields)):
        method = _method(params, change._replace(fields=fields), change.dataset)
        told = explain(problem.truth, method.find(problem.series))
        lines += [f"{title}:", "", "```text", str(told), "```", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
