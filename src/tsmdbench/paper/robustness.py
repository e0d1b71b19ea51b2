"""Sensitivity of results to variants of the benchmark.

Three questions that the paper does not ask, each with the hyperparameters of the
benchmark itself, so that only the test problems change:

* ``g_min``: problems with at least two motif sets instead of at least one;
* ``leak``: validation instances allowed in test problems;
* ``seed``: the whole benchmark, split included, drawn again.

A variant is a dataset of its own in the store (``Symbols?seed=1``), see
`tsmdbench.experiments.sources`. With another seed the split is another one too, so some
test instances were validation instances when hyperparameters were chosen.

Cost of datasets that were not run
----------------------------------
`fit` extrapolates the cost of runs from the datasets that were run. For each method the
processor time of a run is taken to be a power of the length of the series times, for
methods that look at all channels, a power of their number. The powers come from a
least-squares fit of logarithms to the means per dataset. That is crude: series differ
in more than length. `Fit.spread` says by which factor the datasets that were run lie
off their own fit, and an estimate is to be read with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tsmdbench.analysis.ranking import ranks
from tsmdbench.analysis.scores import Scores
from tsmdbench.errors import DataError, InputError
from tsmdbench.experiments.rows import without_seed
from tsmdbench.experiments.sources import dataset_of
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store import Store, chosen_versions, rows_of_versions
from tsmdbench.io import PathLike

if TYPE_CHECKING:
    import pandas as pd


VARIANTS = ("g_min=2", "leak=true", *(f"seed={seed}" for seed in range(1, 6)))
PLAIN = "benchmark"
LEAST = 1e-6  # seconds; shorter times count as equal


def chosen_parameters(store: PathLike, *, split: str = "test") -> dict[str, Any]:
    """Return the settings that a store's runs have, as ``--params`` takes them.

    They are those of the newest version of each method, and of its first seed.
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
    """Return the variants to run, with the settings of a store of the benchmark.

    `limit` is the number of problems of each dataset of a variant, `variants` are
    options of a dataset (see `tsmdbench.experiments.sources`).
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
    """Effect of a variant.

    `means` has per label the mean F over datasets of the benchmark and of the variant,
    their difference, its standard error, and both average ranks; `tau` is Kendall's
    between the two orders of methods.
    """

    variant: str
    means: pd.DataFrame
    tau: float


def moved(
    plain: Scores, varied: Scores, *, limit: int = 50, metric: str = "prom_f1"
) -> list[Moved]:
    """Compare each variant with the first `limit` problems of each dataset."""
    import pandas as pd
    from scipy.stats import kendalltau

    # Only the first problems of each dataset, by name.
    table = plain.table
    order = table.groupby("dataset", observed=True)["problem"].rank(method="dense")
    plain = Scores(table[order <= limit])

    def error(scores: Scores) -> pd.Series:
        """Return the standard error of the mean over datasets, problems being drawn."""
        grouped = scores.table.groupby(["label", "dataset"], observed=True)[metric]
        variances = grouped.var(ddof=1) / grouped.size()
        by_label = variances.groupby("label", observed=True)
        return np.sqrt(by_label.sum()) / by_label.size()

    found = []
    first, rank = plain.means(metric).mean(), ranks(plain, metric).average
    for name, scores in by_variant(varied).items():
        second, other = scores.means(metric).mean(), ranks(scores, metric).average
        means = pd.DataFrame(
            {
                PLAIN: first,
                "variant": second,
                "difference": second - first,
                "standard error": np.hypot(error(plain), error(scores)),
                "rank": rank,
                "rank of variant": other,
            }
        ).loc[list(plain.labels)]
        tau = kendalltau(rank, other.loc[rank.index]).statistic
        found.append(Moved(name, means, float(tau)))
    return found


def by_variant(varied: Scores) -> dict[str, Scores]:
    """Return the scores of each variant, under the names of the datasets."""
    table = varied.table
    found = {}
    for variant in sorted({n.partition("?")[2] for n in varied.datasets} - {""}):
        rows = table[table["dataset"].str.endswith(f"?{variant}")]
        found[variant] = Scores(rows.assign(dataset=rows["dataset"].map(dataset_of)))
    return found


class Size(NamedTuple):
    """Size of a problem, which determines its cost."""

    n: float
    channels: int


class Fit(NamedTuple):
    """Seconds of a run are ``exp(constant) n^length channels^width``."""

    constant: float
    length: float
    width: float
    spread: float

    def seconds(self, size: Size) -> float:
        """Return the estimate for problems of a size."""
        logs = self.length * np.log(size.n) + self.width * np.log(size.channels)
        return float(np.exp(self.constant + logs))


def fit(seconds: pd.Series, sizes: Mapping[str, Size], *, channels: bool) -> Fit:
    """Fit the powers to mean processor seconds per dataset.

    `channels` is True for a method that looks at all channels.

    >>> import pandas as pd
    >>> sizes = {name: Size(n, 1) for name, n in zip("abcd", (10, 20, 40, 80))}
    >>> quadratic = pd.Series({name: size.n**2 / 1e6 for name, size in sizes.items()})
    >>> found = fit(quadratic, sizes, channels=False)
    >>> round(found.length, 6), round(found.seconds(Size(100, 1)), 6)
    (2.0, 0.01)
    """
    names = list(seconds.index)
    n = np.log([sizes[name].n for name in names])
    if len(names) < 4 or np.ptp(n) == 0:
        raise DataError(
            "to extrapolate, at least four datasets of different lengths are needed"
        )
    columns = [np.ones(len(names)), n]
    if channels:
        columns.append(np.log([sizes[name].channels for name in names]))
    design = np.stack(columns, axis=1)
    logs = np.log(np.maximum(seconds.to_numpy(dtype=np.float64), LEAST))
    solved, *_ = np.linalg.lstsq(design, logs, rcond=None)
    spread = float(np.exp(np.std(logs - design @ solved)))
    width = float(solved[2]) if channels else 0.0
    return Fit(float(solved[0]), float(solved[1]), width, spread)
