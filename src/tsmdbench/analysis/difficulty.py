"""Where methods fail: properties of datasets, difficulty dials, errors, protocols.

Properties
----------
`dataset_properties` measures datasets on the truth of a store, so no data is needed;
`property_correlations` compares the order of datasets by a property with that by the
mean score of a method (Spearman's rank correlation). Negative means that a method is
worse where there is more of the property. Datasets differ in many properties at once,
and there are few of them, so a correlation is a hint.

``channels``
    Number of channels.
``series_length``
    Mean length of a series in samples.
``motif_length``
    Mean length of a true motif in samples.
``length_variation``
    Standard deviation of the lengths within a true set over their mean, averaged over
    the sets.
``sets``
    Mean number of true sets per problem.
``motifs_per_set``
    Mean number of motifs per true set.
``imbalance``
    Size of the largest true set over the mean size, minus 1, averaged over problems.
``covered``
    Mean share of the samples that true motifs cover.

Dials
-----
A store of ``tsmdbench run dials`` has a dataset per position of a difficulty dial
(`tsmdbench.datasets.dials`). `dial_scores` is a curve per dial and method that starts
at the common default. `breaking_points` is the first position at which the mean score
is at most half of what it is at the default. Datasets with one dial moved, and the
default, are used. Positions are in the order of the dial, from easy to hard. A method
that scores 0 at the default, or has no run there, has no breaking point.

Errors
------
`tsmdbench.metrics.explain` says of one result what F1 would be if all errors of one
kind were fixed. The mean gain over problems, with equal weights of datasets, is the
cost of that kind (`error_costs`). Costs do not add up to what is missing to 1: errors
hide each other. A failed run has found nothing, so it counts as missed motifs. Runs
with several seeds count as several runs. Of a dataset with more than `MOST` problems
per method, `MOST` are explained, spread evenly over the problems by name.

Protocols
---------
By one protocol, hyperparameters are tuned on, or follow from, validation data. By the
other (``?protocol=pvldb``, see `tsmdbench.experiments.settings`) they come from
the truth of each problem. `protocol_gains` compares both on the same problems. A method
with a small gain can be used on data without annotations.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pandas as pd

from tsmdbench.analysis.bootstrap import intervals
from tsmdbench.analysis.scores import Scores, labelled_runs, truths
from tsmdbench.arrays import Floats
from tsmdbench.benchmark import SPLITS
from tsmdbench.datasets.dials import Difficulty, dial_names
from tsmdbench.errors import DataError, InputError
from tsmdbench.experiments.sources import difficulty_of, uses_truth, without_protocol
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.truth import Truth
from tsmdbench.io import PathLike
from tsmdbench.metrics import evaluate_many, explain
from tsmdbench.metrics.explain import KINDS, fixed
from tsmdbench.validation import check_choice, check_number

PROPERTIES = (
    "channels",
    "series_length",
    "motif_length",
    "length_variation",
    "sets",
    "motifs_per_set",
    "imbalance",
    "covered",
)
FEWEST_DATASETS = 4  # a rank correlation of three is -1, -0.5, 0.5 or 1 by chance


def dataset_properties(
    store: PathLike, datasets: Iterable[str] | None = None, *, split: str = "test"
) -> pd.DataFrame:
    """Measure properties of the datasets of a store.

    Parameters
    ----------
    store : Store or path
    datasets : iterable of str, optional
        Which of them; all by default.
    split : {"test", "validation"}

    Returns
    -------
    pandas.DataFrame
        A row per dataset, a column per property; see the module for each.
    """
    opened = Store(store)
    check_choice(split, "split", SPLITS)
    stored = {dataset for dataset, part, *_ in opened.counts() if part == split}
    names = sorted(stored if datasets is None else datasets)
    found: dict[str, list[Truth]] = {name: [] for name in names}
    for (dataset, _), truth in truths(opened, names, split).items():
        if dataset in found:
            found[dataset].append(truth)
    rows = {name: _properties(some) for name, some in found.items() if some}
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(PROPERTIES))


def property_correlations(
    scores: Scores, properties: pd.DataFrame, metric: str = "prom_f1"
) -> pd.DataFrame:
    """Return the rank correlation of score and property for each method.

    Parameters
    ----------
    scores : Scores
    properties : pandas.DataFrame
        From `dataset_properties`, or any numbers by dataset.
    metric : str, default "prom_f1"

    Returns
    -------
    pandas.DataFrame
        A row per property and method: ``property``, ``label``, ``rho`` (Spearman's,
        ties at their mean rank), ``p`` (two-sided, not corrected for the number of
        tests) and ``datasets``. NaN with fewer than four datasets, or where all
        datasets, or scores, are equal.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("emma", name, 1, score) for name, score in zip("ABCD", (4, 3, 2, 1))]
    >>> columns = ["label", "dataset", "problem", "prom_f1"]
    >>> channels = pd.DataFrame({"channels": [1, 2, 3, 9]}, index=list("ABCD"))
    >>> found = property_correlations(
    ...     Scores(pd.DataFrame(rows, columns=columns)), channels
    ... )
    >>> found[["property", "label", "rho", "datasets"]].values.tolist()
    [['channels', 'emma', -1.0, 4]]
    """
    from scipy.stats import spearmanr

    means = scores.means(metric)
    rows = []
    for name in properties.columns:
        for label in scores.labels:
            both = pd.DataFrame({"x": properties[name], "y": means[label]}).dropna()
            rho = p = float("nan")
            if len(both) >= FEWEST_DATASETS and both.nunique().min() > 1:
                rho, p = map(float, spearmanr(both["x"], both["y"]))
            rows.append((name, label, rho, p, len(both)))
    return pd.DataFrame(rows, columns=["property", "label", "rho", "p", "datasets"])


def _properties(problems: list[Truth]) -> tuple[float, ...]:
    """Return the properties of one dataset, in the order of `PROPERTIES`."""
    # Of the motifs of each true set; behind start and end there may be channels.
    lengths = [
        np.array([end - start for start, end, *_ in motifs], dtype=np.float64)
        for problem in problems
        for motifs in problem.sets
    ]
    sizes = [np.array([len(motifs) for motifs in p.sets]) for p in problems]
    covered = [
        sum(e - s for motifs in p.sets for s, e, *_ in motifs) / p.n for p in problems
    ]
    averaged = (
        [problem.channels for problem in problems],
        [problem.n for problem in problems],
        np.concatenate(lengths),
        [one.std() / one.mean() for one in lengths],
        [len(one) for one in sizes],
        np.concatenate(sizes),
        [one.max() / one.mean() - 1.0 for one in sizes],
        covered,
    )
    return tuple(float(np.mean(values)) for values in averaged)


LOST = 0.5  # share of its score that a method has lost where it breaks
CURVES = ["dial", "position", "label", "mean", "low", "high", "problems"]
BREAKS = ["label", "dial", "default", "breaks_at", "hardest", "score_there"]


def has_dials(scores: Scores) -> bool:
    """Return True if there are results at more than one position of a dial."""
    return bool(_moved(scores))


def dial_scores(scores: Scores, metric: str = "prom_f1") -> pd.DataFrame:
    """Return the mean score with its interval at each position of each dial.

    Parameters
    ----------
    scores : Scores
        Of a store of ``tsmdbench run dials``.
    metric : str, default "prom_f1"

    Returns
    -------
    pandas.DataFrame
        A row per dial, position and method: ``dial``, ``position``, ``label``,
        ``mean``, ``low`` and ``high`` (95% bootstrap interval over problems),
        ``problems``. The default stands in every dial.

    Raises
    ------
    DataError
        There is no dataset with a dial moved.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("emma", "dials", 1, 0.8), ("emma", "dials?noise=0.5", 1, 0.2)]
    >>> columns = ["label", "dataset", "problem", "prom_f1"]
    >>> found = dial_scores(Scores(pd.DataFrame(rows, columns=columns)))
    >>> found[["dial", "position", "mean"]].values.tolist()
    [['noise', 0.1, 0.8], ['noise', 0.5, 0.2]]
    """
    moved = _moved(scores)
    if not moved:
        raise DataError(
            "there is no result with a difficulty dial moved; make some with "
            "'tsmdbench run dials'"
        )
    start = Difficulty()
    made = {dataset: difficulty_of(dataset) for dataset in scores.datasets}
    defaults = [dataset for dataset, dials in made.items() if dials == start]
    found = intervals(scores.only(datasets=[*moved, *defaults]), metric)
    found["place"] = found["label"].map(scores.labels.index)
    parts = []
    for dial in dial_names():
        at = {name: place for name, (one, place) in moved.items() if one == dial}
        if at:
            at |= dict.fromkeys(defaults, float(getattr(start, dial)))
            part = found[found["dataset"].isin(list(at))]
            part = part.assign(dial=dial, position=part["dataset"].map(at))
            parts.append(part.sort_values(["place", "position"], kind="stable"))
    return pd.concat(parts, ignore_index=True)[CURVES]


def breaking_points(
    scores: Scores, metric: str = "prom_f1", *, lost: float = LOST
) -> pd.DataFrame:
    """Return for each method and dial the position at which the method breaks.

    Parameters
    ----------
    scores : Scores
        Of a store of ``tsmdbench run dials``.
    metric : str, default "prom_f1"
        A metric of which the highest is best and 0 the worst.
    lost : float, default 0.5
        Share of the score at the default that a method has lost where it breaks, in
        ``(0, 1]``.

    Returns
    -------
    pandas.DataFrame
        A row per method and dial: ``label``, ``dial``, ``default`` (mean score at the
        default), ``breaks_at`` (the first position with a mean of at most
        ``(1 - lost) * default``; NaN where there is none), ``hardest`` (the last
        position) and ``score_there``.

    Raises
    ------
    DataError
        There is no dataset with a dial moved.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("emma", "dials", 1, 0.8), ("emma", "dials?sets=3", 1, 0.5),
    ...         ("emma", "dials?sets=4", 1, 0.4), ("emma", "dials?sets=5", 1, 0.6)]
    >>> columns = ["label", "dataset", "problem", "prom_f1"]
    >>> found = breaking_points(Scores(pd.DataFrame(rows, columns=columns)))
    >>> found[["default", "breaks_at", "hardest", "score_there"]].values.tolist()
    [[0.8, 4.0, 5.0, 0.6]]
    """
    if not 0.0 < check_number(lost, "lost") <= 1.0:
        raise InputError(f"lost must lie in (0, 1], got {lost!r}")
    curves = dial_scores(scores, metric)
    start = Difficulty()
    rows = []
    for (label, dial), curve in curves.groupby(["label", "dial"], sort=False):
        at = curve["position"].to_numpy(dtype=np.float64)
        means = curve["mean"].to_numpy(dtype=np.float64)
        first = means[at == float(getattr(start, dial))]
        default = float(first[0]) if len(first) else float("nan")
        broken = first_broken(means, default, lost)
        where = float("nan") if broken is None else float(at[broken])
        rows.append((label, dial, default, where, float(at[-1]), float(means[-1])))
    rows.sort(key=lambda row: scores.labels.index(row[0]))
    return pd.DataFrame(rows, columns=BREAKS)


def first_broken(means: Floats, default: float, lost: float = LOST) -> int | None:
    """Return the index of the first mean at which a method breaks; None without one.

    >>> first_broken(np.array([0.8, 0.5, 0.4, 0.6]), 0.8)
    2
    """
    broken = np.flatnonzero(means <= (1.0 - lost) * default)
    return int(broken[0]) if default > 0.0 and len(broken) else None


def _moved(scores: Scores) -> dict[str, tuple[str, float]]:
    """Return dial and position of the datasets with one dial moved."""
    moved = {}
    for dataset in scores.datasets:
        found = difficulty_of(dataset)
        if found is not None and len(found.moved) == 1:
            ((dial, position),) = found.moved.items()
            moved[dataset] = dial, float(position)
    return moved


MOST = 20  # problems of a dataset
WORDS = {
    "missed": "missed motifs",
    "off": "wrong borders",
    "wrong set": "motifs in the wrong set",
    "spurious": "spurious motifs",
    "duplicate": "motifs found twice",
}


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
    runs = labelled_runs(scores, {"": [store]}, ["status", "found"], {"split": split})
    chosen: dict[tuple[str, str], dict[str, list[list[list[list[int]]]]]] = {}
    for row in runs:
        found = row["found"] if row["status"] == "ok" else []
        place = chosen.setdefault((row["label"], row["dataset"]), {})
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


class ProtocolGain(NamedTuple):
    """The mean score of one method on one dataset by both protocols.

    Attributes
    ----------
    dataset, label : str
    problems : int
        Number of problems that both protocols have.
    plain, told : float
        With hyperparameters from validation data, and from the truth.
    """

    dataset: str
    label: str
    problems: int
    plain: float
    told: float

    @property
    def gain(self) -> float:
        """How much higher the score is if the truth is used."""
        return self.told - self.plain


def protocol_gains(scores: Scores, metric: str = "prom_f1") -> list[ProtocolGain]:
    """Compare both protocols, method by method and dataset by dataset.

    Parameters
    ----------
    scores : Scores
        Of stores that have datasets by both protocols; see `Scores.join`.
    metric : str, default "prom_f1"

    Returns
    -------
    list of ProtocolGain
        In the order of datasets and labels.

    Raises
    ------
    DataError
        No dataset was run by both protocols by the same method.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("emma", "A", 1, 0.5), ("emma", "A?protocol=pvldb", 1, 0.75)]
    >>> columns = ["label", "dataset", "problem", "prom_f1"]
    >>> gains = protocol_gains(Scores(pd.DataFrame(rows, columns=columns)))
    >>> gains[0].label, gains[0].gain
    ('emma', 0.25)
    """
    scores.check_metric(metric)
    table = scores.table
    by_truth = table["dataset"].map(uses_truth).to_numpy(dtype=bool)
    name = table["dataset"].map(without_protocol)
    keyed = table.assign(dataset=name).set_index(["dataset", "label", "problem"])
    both = keyed.loc[~by_truth, [metric]].join(
        keyed.loc[by_truth, [metric]], how="inner", rsuffix="_told"
    )
    if not len(both):
        raise DataError(
            "no dataset was run by both protocols by the same method; run it as "
            "'tsmdbench run' and as 'tsmdbench run pvldb'"
        )
    means = both.groupby(level=["dataset", "label"]).agg(["mean", "size"])
    order = [
        (dataset, label)
        for dataset in dict.fromkeys(map(without_protocol, scores.datasets))
        for label in scores.labels
        if (dataset, label) in means.index
    ]
    columns = [(metric, "size"), (metric, "mean"), (f"{metric}_told", "mean")]
    rows = ((*place, *means.loc[place, columns]) for place in order)
    return [ProtocolGain(d, x, int(n), float(a), float(b)) for d, x, n, a, b in rows]
