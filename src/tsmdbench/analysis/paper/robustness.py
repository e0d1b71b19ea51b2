"""How much results move when the benchmark is made a little differently.

Three questions that the paper does not ask, each with the hyperparameters of the
benchmark itself, so that only the test problems change:

* ``g_min``: problems with at least two motif sets instead of at least one;
* ``leak``: validation instances allowed in test problems;
* ``seed``: the whole benchmark, split included, drawn again.

A variant is a dataset of its own in the store (``Symbols?seed=1``), see
`tsmdbench.experiments.sources`. With another seed the split is another one too, so some
test instances were validation instances when hyperparameters were chosen.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tsmdbench.analysis.average_ranks import ranks
from tsmdbench.analysis.scores import Scores
from tsmdbench.errors import InputError
from tsmdbench.experiments.seeds import without_seed
from tsmdbench.experiments.sources import dataset_of
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.versions import chosen_versions, rows_of_versions
from tsmdbench.io import PathLike

if TYPE_CHECKING:
    import pandas as pd

VARIANTS = ("g_min=2", "leak=true", *(f"seed={seed}" for seed in range(1, 6)))
PLAIN = "benchmark"


def chosen_parameters(store: PathLike, *, split: str = "test") -> dict[str, Any]:
    """Return the settings that a store's runs have, as ``--params`` takes them.

    They are those of the newest version of each method, and of its first seed.

    Raises
    ------
    InputError
        A method has more than one setting on a dataset.
    """
    columns = ["method", "dataset", "parameters"]
    opened = Store(store)
    rows = opened.table([*columns, "version"], {"split": split})
    table = rows_of_versions(rows, chosen_versions(opened, split))
    params: dict[str, Any] = {}
    pairs = zip(*(table[name].to_pylist() for name in columns), strict=True)
    settings = {
        (*each[:2], without_seed(each[2])): each for each in sorted(set(pairs))[::-1]
    }
    for method, dataset, text in sorted(settings.values()):
        by_dataset = params.setdefault(method, {"datasets": {}})["datasets"]
        if dataset in by_dataset:
            raise InputError(f"{method} has several settings on {dataset} in {store}")
        by_dataset[dataset] = json.loads(text)
    return params


def variants_of(
    store: PathLike,
    *,
    limit: int = 50,
    variants: Sequence[str] = VARIANTS,
    methods: Sequence[str] | None = None,
) -> Specification:
    """Return what is to be run: all variants, with the settings of a store.

    Parameters
    ----------
    store : path
        Of the benchmark itself.
    limit : int, default 50
        Problems of each dataset of a variant.
    variants : sequence of str
        Options of a dataset, see `tsmdbench.experiments.sources`.
    methods : sequence of str, optional
        Only these.
    """
    params = chosen_parameters(store)
    if methods is not None:
        params = {name: params[name] for name in methods}
    datasets = sorted({d for given in params.values() for d in given["datasets"]})
    return Specification(
        tuple(f"{name}?{variant}" for variant in variants for name in datasets),
        tuple(params),
        params=params,
        limit=limit,
    )


class Moved(NamedTuple):
    """What a variant changes.

    Attributes
    ----------
    variant : str
    means : DataFrame
        Per label: mean F over datasets of the benchmark and of the variant, their
        difference, its standard error, and both average ranks.
    tau : float
        Kendall's tau between the two orders of methods.
    """

    variant: str
    means: pd.DataFrame
    tau: float


def moved(
    plain: Scores, varied: Scores, *, limit: int = 50, metric: str = "prom_f1"
) -> list[Moved]:
    """Compare each variant with the same number of problems of the benchmark.

    Parameters
    ----------
    plain, varied : Scores
        Of the benchmark, and of its variants.
    limit : int
        Problems per dataset of the benchmark that are compared: its first ones.
    """
    reference = _first(plain, limit)
    return [
        _moved(reference, scores, name, metric)
        for name, scores in by_variant(varied).items()
    ]


def by_variant(varied: Scores) -> dict[str, Scores]:
    """Return the scores of each variant, under the names of the datasets."""
    names = {name.partition("?")[2] for name in varied.datasets} - {""}
    return {name: _variant(varied, name) for name in sorted(names)}


def _first(scores: Scores, limit: int) -> Scores:
    """Keep the first problems of each dataset, by name."""
    table = scores.table
    order = table.groupby("dataset", observed=True)["problem"].rank(method="dense")
    return Scores(table[order <= limit])


def _variant(scores: Scores, variant: str) -> Scores:
    """Return the runs of one variant under the names of the datasets."""
    table = scores.table[scores.table["dataset"].str.endswith(f"?{variant}")]
    return Scores(table.assign(dataset=table["dataset"].map(dataset_of)))


def _moved(plain: Scores, varied: Scores, variant: str, metric: str) -> Moved:
    import pandas as pd
    from scipy.stats import kendalltau

    first, second = plain.means(metric).mean(), varied.means(metric).mean()
    orders = [ranks(scores, metric).average for scores in (plain, varied)]
    table = pd.DataFrame(
        {
            PLAIN: first,
            "variant": second,
            "difference": second - first,
            "standard error": np.hypot(_error(plain, metric), _error(varied, metric)),
            "rank": orders[0],
            "rank of variant": orders[1],
        }
    ).loc[list(plain.labels)]
    tau = kendalltau(orders[0], orders[1].loc[orders[0].index]).statistic
    return Moved(variant, table, float(tau))


def _error(scores: Scores, metric: str) -> pd.Series:
    """Return the standard error of the mean over datasets, problems being drawn."""
    grouped = scores.table.groupby(["label", "dataset"], observed=True)[metric]
    variances = grouped.var(ddof=1) / grouped.size()
    by_label = variances.groupby("label", observed=True)
    return np.sqrt(by_label.sum()) / by_label.size()
