"""The page on choosing a method says what the results say."""

import pandas as pd
from tools import write_dials

from tsmdbench.analysis import Scores, breaking_points, dial_scores

MEANS = {
    "dials": (0.9, 0.5, 0.7, 0.8),
    "dials?noise=0.5": (0.4, 0.4, 0.6, 0.8),
    "dials?noise=1": (0.1, 0.4, 0.3, 0.7),
}


def made():
    rows = [
        (label, dataset, problem, value)
        for dataset, values in MEANS.items()
        for label, value in zip(
            ("emma", "mrmotif", "stomp", "locomotif"), values, strict=True
        )
        for problem in range(3)
    ]
    columns = ["label", "dataset", "problem", "prom_f1"]
    return Scores(pd.DataFrame(rows, columns=columns))


def test_tables_of_the_page():
    scores = made()
    curves, breaks = dial_scores(scores), breaking_points(scores)
    assert write_dials.by_quality(curves) == ["locomotif", "stomp", "emma", "mrmotif"]
    row = write_dials.situations(curves, breaks).splitlines()[-1]
    assert row == (
        "| much noise | noise (sd) 1 | [locomotif](../methods/locomotif.md) 0.70 (0.70 "
        "to 0.70) | [mrmotif](../methods/mrmotif.md) 0.40 (0.40 to 0.40) | "
        "[stomp](../methods/stomp.md) 0.30 (0.30 to 0.30) | 2 of 4 |"
    )
    rows = write_dials.breaking(curves, breaks).splitlines()
    assert rows[2:] == [
        "| [locomotif](../methods/locomotif.md) | any | all | 0.80 | \N{EN DASH} |",
        "| [stomp](../methods/stomp.md) | one | one | 0.70 | 1 |",
        "| [emma](../methods/emma.md) | one | one | 0.90 | 0.5 |",
        "| [mrmotif](../methods/mrmotif.md) | one | one | 0.50 | \N{EN DASH} |",
    ]
