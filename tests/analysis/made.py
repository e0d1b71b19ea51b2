"""Tables of scores and stores made up for tests."""

import numpy as np
import pandas as pd

from tests.experiments.mock_problems import small
from tsmdbench.analysis.scores import Scores
from tsmdbench.experiments.rows import Outcome, Run, parameters_text
from tsmdbench.experiments.store import StoreWriter
from tsmdbench.experiments.truth import TRUTH, read_truth, truth_of, truth_parquet

DATASET = "tests.experiments.mock_problems:small"


def scores_of(means, problems=1, noise=0.0, seed=0, metric="prom_f1"):
    """Scores whose mean on each dataset is given: label to values, or a DataFrame.

    NaN stands for a method without a run on a dataset.
    """
    wide = pd.DataFrame(means)
    if isinstance(wide.index, pd.RangeIndex):
        wide.index = [f"d{number:02d}" for number in wide.index]
    rng = np.random.default_rng(seed)
    rows = []
    for dataset, line in wide.iterrows():
        for label, mean in line.items():
            if np.isnan(mean):
                continue
            rows += [
                (label, dataset, f"{number:03d}", mean + noise * rng.normal())
                for number in range(problems)
            ]
    return Scores(pd.DataFrame(rows, columns=["label", "dataset", "problem", metric]))


def write_store(path, runs, split="test", dataset=DATASET):
    """Write a store of (method, parameters, problem number, outcome)."""
    names = [problem.name for problem in small(split)]
    with StoreWriter(path) as writer:
        for method, parameters, number, outcome in runs:
            run = Run(
                method, "1", parameters_text(parameters), dataset, split, names[number]
            )
            writer.add([run.row(outcome)])
        known = read_truth(path)
        if dataset == DATASET:
            known |= {(dataset, split, p.name): truth_of(p) for p in small(split)}
        writer.write_file(TRUTH, truth_parquet(known))
    return path


def perfect(split="test"):
    """What is true of each problem, as a run's outcome."""
    return [
        Outcome(
            "ok", 1.0, 2.0, 1000, 1, [s.segments.tolist() for s in p.truth.values()]
        )
        for p in small(split)
    ]
