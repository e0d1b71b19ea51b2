"""Two protocols side by side: what methods gain by being told the truth.

By one protocol, hyperparameters are tuned on, or follow from, validation data. By the
other (``?protocol=pvldb``, see `tsmdbench.experiments.truth_settings`) they come from
the truth of each problem. `protocol_gains` compares the mean score of each method by
both, on the same problems.

The gain is not an error of one protocol. It says how much of a score depends on knowing
what to look for: a method with a small gain can be used on data that nobody has
annotated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tsmdbench.analysis.scores import Scores
from tsmdbench.errors import DataError
from tsmdbench.experiments.sources import uses_truth, without_protocol

if TYPE_CHECKING:
    import pandas as pd


class ProtocolGain(NamedTuple):
    """The mean score of one method on one dataset by both protocols.

    Attributes
    ----------
    dataset, label : str
    problems : int
        That both protocols have.
    plain : float
        With hyperparameters from validation data.
    told : float
        With hyperparameters from the truth.
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
    told = table["dataset"].map(uses_truth).to_numpy(dtype=bool)
    name = table["dataset"].map(without_protocol)
    keyed = table.assign(dataset=name).set_index(["dataset", "label", "problem"])
    both = keyed.loc[~told, [metric]].join(
        keyed.loc[told, [metric]], how="inner", rsuffix="_told"
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
    return [_gain(means, dataset, label, metric) for dataset, label in order]


def _gain(means: pd.DataFrame, dataset: str, label: str, metric: str) -> ProtocolGain:
    row = means.loc[(dataset, label)]
    return ProtocolGain(
        dataset,
        label,
        int(row[metric, "size"]),
        float(row[metric, "mean"]),
        float(row[f"{metric}_told", "mean"]),
    )
