"""How much F1 each kind of error costs a method, over the problems of a store.

`tsmdbench.metrics.explain` says of one result what F1 would be if all errors of one
kind were fixed. The mean gain over problems, with equal weights of datasets, is the
cost of that kind. Costs do not add up to what is missing to 1: errors hide each other.

Conventions
-----------
* A failed run has found nothing, so it counts as missed motifs.
* Runs with several seeds count as so many runs.
* Of a dataset with more than `MOST` problems per method, `MOST` are explained, spread
  evenly over the problems in the order of their names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tsmdbench.analysis.scores import Scores
from tsmdbench.analysis.truths import truths
from tsmdbench.experiments.seeds import without_seed
from tsmdbench.experiments.store import Store
from tsmdbench.metrics import evaluate_many, explain
from tsmdbench.metrics.explain import KINDS, fixed

if TYPE_CHECKING:
    import pandas as pd

MOST = 20  # problems of a dataset
WORDS = {
    "missed": "missed motifs",
    "off": "wrong borders",
    "wrong set": "motifs in the wrong set",
    "spurious": "spurious motifs",
    "duplicate": "motifs found twice",
}
SETTING = ["method", "version", "parameters", "dataset"]


def error_costs(
    scores: Scores, store: Store, *, split: str = "test", threshold: float = 0.5
) -> pd.DataFrame:
    """Return the F1 that each kind of error costs the methods of a store.

    Parameters
    ----------
    scores : Scores
        Of the store; results of others in it are left out.
    store : Store
    split : {"test", "validation"}
    threshold : float, default 0.5
        Overlap rate that a match must exceed.

    Returns
    -------
    pandas.DataFrame
        A row per method, best F1 first: ``label``, ``f1``, a column per kind of error
        (missed, off, wrong set, spurious, duplicate) with its cost, and ``runs``, the
        number of explained results.
    """
    import pandas as pd

    mine = scores.table[scores.table["own"].to_numpy(dtype=bool)]
    settings = zip(*(mine[name] for name in SETTING), strict=True)
    keys = [(m, v, without_seed(p), d) for m, v, p, d in settings]
    labels = dict(zip(keys, mine["label"], strict=True))
    compared = set(zip(mine["label"], mine["dataset"], mine["problem"], strict=True))
    rows = store.table([*SETTING, "problem", "status", "found"], {"split": split})
    chosen: dict[tuple[str, str], dict[str, list[list[list[list[int]]]]]] = {}
    for row in rows.to_pylist():
        key = row["method"], row["version"], without_seed(row["parameters"])
        label = labels.get((*key, row["dataset"]))
        if (label, row["dataset"], row["problem"]) in compared:
            found = row["found"] if row["status"] == "ok" else []
            place = chosen.setdefault((str(label), row["dataset"]), {})
            place.setdefault(row["problem"], []).append(found)
    known = truths(store, {dataset for _, dataset in chosen}, split)
    means = []
    for (label, dataset), problems in chosen.items():
        names = sorted(problems)
        if len(names) > MOST:
            names = [names[n] for n in np.linspace(0, len(names) - 1, MOST).astype(int)]
        pairs = [(known[dataset, n].sets, one) for n in names for one in problems[n]]
        explained = [explain(t, f, threshold=threshold) for t, f in pairs]
        base = np.array([one.result.f1 for one in explained])
        line = {"label": label, "f1": base.mean(), "runs": len(base)}
        for kind in WORDS:
            repaired = [
                (true, fixed(one, [kind]))
                for (true, _), one in zip(pairs, explained, strict=True)
            ]
            better = evaluate_many(repaired, ["prom_f1"], threshold=threshold)
            line[kind] = float((better["prom_f1"] - base).mean())
        means.append(line)
    columns = ["label", "f1", *WORDS, "runs"]
    if not means:
        return pd.DataFrame(columns=columns)
    grouped = pd.DataFrame(means).groupby("label")
    table = grouped[["f1", *KINDS]].mean().assign(runs=grouped["runs"].sum())
    return table.sort_values("f1", ascending=False).reset_index()[columns]


def error_sentence(row: pd.Series) -> str:
    """Return the costs of one method in words, the largest first.

    >>> import pandas as pd
    >>> error_sentence(pd.Series({**dict.fromkeys(WORDS, 0.0), "missed": 0.12}))
    'missed motifs cost 0.12 F1'
    """
    costs = sorted(((float(row[kind]), WORDS[kind]) for kind in WORDS), reverse=True)
    shown = [(cost, words) for cost, words in costs if cost >= 0.005]
    if not shown:
        return "no kind of error costs 0.01 F1"
    (first, words), *rest = shown
    parts = [f"{words} cost {first:.2f} F1"]
    return ", ".join([*parts, *(f"{words} {cost:.2f}" for cost, words in rest)])
