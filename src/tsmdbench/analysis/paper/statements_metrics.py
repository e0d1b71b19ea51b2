"""What the paper says about metrics (RQ1)."""

from __future__ import annotations

from functools import partial

from tsmdbench.analysis.paper.evidence import C_G, C_M, Evidence, F, P, R, S
from tsmdbench.analysis.paper.statements import (
    EXISTENCE,
    NUMBER,
    Finding,
    Statement,
    verdict,
)

CLOSE = 0.1  # C_g and R are alike when they differ by no more
MODERATE = 0.4, 0.6  # taus that are neither low nor high
TOP, BOTTOM = 0.25, 0.5  # parts of a dataset's results: ranked high, ranked low


def _nearest_to_recall(evidence: Evidence, metric: str) -> Finding:
    def nearest(dataset: str | None) -> bool:
        to = {name: evidence.tau(metric, name, dataset) for name in "FPR"}
        return max(to, key=lambda name: to[name]) == "R"

    taus = ", ".join(f"{name} {evidence.tau(metric, name):.2f}" for name in "FPR")
    return Finding(
        verdict(nearest(None)), f"tau with {taus}", evidence.datasets_where(nearest)
    )


def _c_g_is_nearer_than_c_m(evidence: Evidence) -> Finding:
    def nearer(dataset: str | None) -> bool:
        return evidence.tau("C_g", "R", dataset) > evidence.tau("C_m", "R", dataset)

    here = (
        f"tau with R: C_g {evidence.tau('C_g', 'R'):.2f}, "
        f"C_m {evidence.tau('C_m', 'R'):.2f}"
    )
    return Finding(verdict(nearer(None)), here, evidence.datasets_where(nearer))


def _c_g_is_like_recall(evidence: Evidence) -> Finding:
    table = evidence.scores.table
    alike = (table[C_G] - table[R]).abs() <= CLOSE
    share = alike.groupby(table["dataset"], observed=True).mean()
    return Finding(
        verdict(alike.mean() > 0.5),
        f"{alike.mean():.0%} of the results differ by at most {CLOSE}",
        evidence.datasets_where(lambda dataset: share[dataset] > 0.5),
    )


def _correctness_exceeds_one(evidence: Evidence) -> Finding:
    table = evidence.scores.table
    over = table[C_M] > 1 + 1e-9
    found = set(table.loc[over, "dataset"])
    here = f"{int(over.sum())} results, the largest C_m is {table[C_M].max():.2f}"
    return Finding(
        verdict(bool(over.any())), here, evidence.datasets_where(found.__contains__)
    )


def _imprecise_but_correct(evidence: Evidence) -> Finding:
    table = evidence.scores.table
    cases = (table[R] == 1) & (table[C_G] > 0.9) & (table[F] < 0.55)
    found = set(table.loc[cases, "dataset"])
    return Finding(
        verdict(bool(cases.any())),
        f"{int(cases.sum())} results with R = 1, C_g above 0.9 and F below 0.55",
        evidence.datasets_where(found.__contains__),
    )


def _moderate(tau: float) -> bool:
    return MODERATE[0] <= tau <= MODERATE[1]


def _score_moderately_like_f(evidence: Evidence) -> Finding:
    mean = evidence.mean_tau("S", "F")
    return Finding(
        verdict(_moderate(mean)),
        f"mean tau {mean:.2f}",
        evidence.datasets_where(lambda d: _moderate(evidence.tau("S", "F", d))),
        mean,
    )


def _score_nearer_to_precision(evidence: Evidence) -> Finding:
    precision, f1 = evidence.mean_tau("S", "P"), evidence.mean_tau("S", "F")
    return Finding(
        verdict(precision > f1),
        f"mean tau with P {precision:.2f}, with F {f1:.2f}",
        evidence.datasets_where(
            lambda d: evidence.tau("S", "P", d) > evidence.tau("S", "F", d)
        ),
        precision,
    )


def _score_least_like_recall(evidence: Evidence) -> Finding:
    taus = {name: evidence.mean_tau("S", name) for name in "FPR"}
    return Finding(
        verdict(min(taus, key=lambda name: taus[name]) == "R"),
        f"mean tau with R {taus['R']:.2f}, with P {taus['P']:.2f}",
        evidence.datasets_where(
            lambda d: evidence.tau("S", "R", d) < evidence.tau("S", "P", d)
        ),
    )


def _score_differs_by_dataset(evidence: Evidence) -> Finding:
    medians = evidence.scores.table.groupby("dataset", observed=True)[S].median()
    low, high = medians.idxmin(), medians.idxmax()
    factor = medians[high] / max(medians[low], 1e-12)
    here = (
        f"median from {medians[low]:.0f} ({low}) to {medians[high]:.0f} ({high}): "
        f"{factor:.0f}-fold"
    )
    return Finding(verdict(factor >= 10), here)


def _high_by_s_low_by_f(evidence: Evidence, *, zero: bool) -> Finding:
    table = evidence.placed
    part = {m: table[f"rank_{m}"] / table["results"] for m in (F, P, S)}
    if zero:
        cases = (table[F] == 0) & (table[P] == 0) & (part[S] <= BOTTOM)
        what = "results with F = P = 0 in the better half by S"
    else:
        cases = (part[S] <= TOP) & (part[P] <= TOP) & (part[F] >= BOTTOM)
        what = "results in the best quarter by S and P and the worse half by F"
    found = set(table.loc[cases, "dataset"])
    return Finding(
        verdict(bool(cases.any())),
        f"{int(cases.sum())} {what}",
        evidence.datasets_where(found.__contains__),
    )


METRIC_STATEMENTS = (
    Statement(
        "c_m-recall",
        "RQ1",
        "C_m ranks results more like recall than like F or precision.",
        "",
        "Kendall's tau with R is the largest, over all results",
        (),
        partial(_nearest_to_recall, metric="C_m"),
    ),
    Statement(
        "c_g-recall",
        "RQ1",
        "C_g ranks results more like recall than like F or precision.",
        "",
        "Kendall's tau with R is the largest, over all results",
        (),
        partial(_nearest_to_recall, metric="C_g"),
    ),
    Statement(
        "c_g-values",
        "RQ1",
        "C_g and recall have similar values in most cases.",
        "",
        f"more than half of the results differ by at most {CLOSE}",
        (),
        _c_g_is_like_recall,
    ),
    Statement(
        "c_m-differs-more",
        "RQ1",
        "C_m differs from recall in more cases than C_g, as it does not penalise "
        "missed sets.",
        "",
        "tau(C_g, R) is above tau(C_m, R)",
        (),
        _c_g_is_nearer_than_c_m,
    ),
    Statement(
        "c-above-one",
        "RQ1",
        "Correctness can exceed 1, when several found motifs overlap one true motif.",
        "",
        "there are such results",
        (),
        _correctness_exceeds_one,
        EXISTENCE,
    ),
    Statement(
        "c-blind-to-false",
        "RQ1",
        "There are results that find both sets imprecisely and still have a high C.",
        "P 0.35, F 0.52, R 1.00, C 0.92",
        "there are results like it",
        (),
        _imprecise_but_correct,
        EXISTENCE,
    ),
    Statement(
        "s-f",
        "RQ1",
        "S agrees only moderately with F.",
        "mean tau 0.46",
        f"mean tau between {MODERATE[0]} and {MODERATE[1]}",
        (),
        _score_moderately_like_f,
        NUMBER,
        0.46,
    ),
    Statement(
        "s-p",
        "RQ1",
        "S agrees more with precision than with F.",
        "mean tau 0.57 and 0.46",
        "mean tau with P is above that with F; the number is that with P",
        (),
        _score_nearer_to_precision,
        NUMBER,
        0.57,
    ),
    Statement(
        "s-not-recall",
        "RQ1",
        "The rank by S is decided by false motifs more than by missed ones.",
        "",
        "among F, P and R, S agrees least with R, in the mean over datasets",
        (),
        _score_least_like_recall,
    ),
    Statement(
        "s-range",
        "RQ1",
        "The range of S differs so much between datasets that ranking all results "
        "together by it is meaningless.",
        "",
        "medians per dataset differ at least tenfold",
        (),
        _score_differs_by_dataset,
    ),
    Statement(
        "s-misses",
        "RQ1",
        "There are results that miss most motifs and yet rank high by S and P.",
        "ranks 473 and 450, by F 1703",
        "best quarter by S and by P, worse half by F",
        (),
        partial(_high_by_s_low_by_f, zero=False),
        EXISTENCE,
    ),
    Statement(
        "s-lengths",
        "RQ1",
        "There are results with F = P = 0 that S ranks high, because it compares "
        "starts only.",
        "",
        "F = P = 0 and in the better half by S",
        (),
        partial(_high_by_s_low_by_f, zero=True),
        EXISTENCE,
    ),
)
