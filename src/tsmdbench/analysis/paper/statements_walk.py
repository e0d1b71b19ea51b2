"""What the paper says about random-walk benchmarks (RQ3)."""

from __future__ import annotations

import numpy as np

from tsmdbench.analysis.paper.evidence import Evidence
from tsmdbench.analysis.paper.statements import UNTESTED, Finding, Statement, verdict

NEAR = 0.03


def _too_easy(evidence: Evidence) -> Finding:
    if not evidence.walk_f1:
        return Finding(UNTESTED, "the study was not made")
    best = max(evidence.walk_f1.values())
    here = ", ".join(
        f"lags {lags}, alpha {alpha:g}: {f1:.2f}"
        for (lags, alpha), f1 in evidence.walk_f1.items()
    )
    stated = evidence.walk_f1.get(("bic", 0.05), 0.0)
    return Finding(verdict(stated >= 0.98 - NEAR, best >= 0.98 - NEAR), here)


def _benchmark_is_not(evidence: Evidence) -> Finding:
    if not evidence.detector:
        return Finding(UNTESTED, "the detector was not run on TSMD-Bench")
    scores = {row.dataset: row.f1 for row in evidence.detector}
    mean = float(np.mean(list(scores.values())))
    low = sum(f1 < 0.5 for f1 in scores.values())
    here = f"mean F1 {mean:.2f}, at most {max(scores.values()):.2f}"
    return Finding(
        verdict(low == len(scores), mean < 0.5), here, f"{low} of {len(scores)}"
    )


WALK_STATEMENTS = (
    Statement(
        "random-walk-easy",
        "RQ3",
        "A detector of random walk nearly solves a benchmark that hides instances in "
        "one.",
        "mean F1 0.98",
        f"mean F1 at level 0.05 within {NEAR} of it; partly: at another level",
        (),
        _too_easy,
    ),
    Statement(
        "benchmark-not-easy",
        "RQ3",
        "TSMD-Bench is not solved that way.",
        "",
        "F1 of the same detector below 0.5 on every dataset",
        (),
        _benchmark_is_not,
    ),
)
