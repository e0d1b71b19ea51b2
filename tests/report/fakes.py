"""Made-up results: few and many methods, long and hostile names, gaps."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from tsmdbench.analysis.scores import DEFAULT_METRICS, Scores
from tsmdbench.analysis.tuning_effort import COLUMNS
from tsmdbench.datasets.catalogue import BENCHMARK
from tsmdbench.methods import PAPER_METHODS

HOSTILE = (
    "<script>alert(1)</script>",
    "$x_1$ costs 5%",
    "a_b&c#d~e^f",
    r"\textbf{x}{\$",
    "two\nlines | pipe",
    "中文 method",
    "=HYPERLINK(1)",
)


def method_names(count):
    """Return the paper's methods, then hostile ones, then long ones."""
    long = [
        f"my.own.package.of.methods:Finder{k} [length=12, rho={k}]" for k in range(40)
    ]
    return (*PAPER_METHODS, *HOSTILE, *long)[:count]


def fake_scores(methods=11, datasets=BENCHMARK, problems=8, *, gaps=False, seed=0):
    """Return scores of random size, a method better the later it comes."""
    rng = np.random.default_rng(seed)
    names = method_names(methods) if isinstance(methods, int) else methods
    rows = []
    for place, name in enumerate(names):
        for number, dataset in enumerate(datasets):
            if gaps and place == 1 and number == 0:
                continue
            for problem in range(problems):
                failed = gaps and place == 0 and problem == 0
                rows.append(
                    {
                        "method": name,
                        "label": name,
                        "dataset": dataset,
                        "problem": f"{dataset}/test/{problem:03d}",
                        "status": "timeout" if failed else "ok",
                        "seconds": 10 ** rng.uniform(-3, 2),
                        "cpu_seconds": 10 ** rng.uniform(-3, 2),
                        "peak_memory": int(rng.integers(1e8, 4e9)),
                        "parameters": '{"length": 12}',
                        **_values(rng, 0.1 + 0.7 * place / len(names), failed),
                    }
                )
    return Scores(pd.DataFrame(rows))


def _values(rng, centre, failed):
    values = {m: float(np.clip(rng.normal(centre, 0.2), 0, 1)) for m in DEFAULT_METRICS}
    values["score"] *= 500
    return dict.fromkeys(values, 0.0) | {"score": 900.0} if failed else values


def fake_significance(names, ranks=None, cliques=None, note=""):
    """Return average ranks with overlapping cliques of three."""
    count = len(names)
    ranks = np.linspace(1, count, count) if ranks is None else ranks
    if cliques is None:
        cliques = [tuple(names[k : k + 3]) for k in range(0, max(count - 2, 1), 2)]
    p = pd.DataFrame(1.0, index=list(names), columns=list(names))
    return SimpleNamespace(
        labels=tuple(names),
        average_ranks=pd.Series(ranks, index=list(names)),
        p_values=p,
        rejected=p < 0.05,
        cliques=cliques,
        friedman_p=0.01,
        note=note,
    )


def fake_surfaces(methods=11, datasets=BENCHMARK, settings=12, seed=0):
    """Return a table of tuning surfaces; the last method was not tuned on the first."""
    rng = np.random.default_rng(seed)
    names = method_names(methods) if isinstance(methods, int) else methods
    rows = []
    for dataset in datasets:
        for name in names:
            if dataset == datasets[0] and name == names[-1]:
                continue
            scores = rng.uniform(0, 1, size=settings)
            for k, score in enumerate(scores):
                chosen = k == scores.argmax()
                setting = f'{{"rho": {k}}}'
                rows.append((dataset, name, setting, score, 10, 0, 0.1, 0.1, chosen))
    return pd.DataFrame(rows, columns=list(COLUMNS))
