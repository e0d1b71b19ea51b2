"""The statements of the paper's results section, each compared with new results.

A statement is written here in our own words, with the number that the paper gives
where it gives one, and a check that turns `Evidence` into a finding: whether it holds,
the result, and on how many datasets. A check states its criterion, since the paper's
words ("around", "relatively well") leave it open. Bounds were set by what the words
mean, before results were looked at, and are not adjusted to these: "almost 1" is at
most 1.25, "around 3.5" is 3 to 4, "moderate" is 0.4 to 0.6.

Statements are of three kinds. ``number``: the paper gives a number, shown beside
ours with the difference. ``order``: something is larger than something else, or first
or last. ``existence``: there is a case; one is enough, so that such a statement can
hardly fail, and these are counted apart. The results are to be those of the preset
``paper``.

Conventions
-----------
``holds``, ``partly`` and ``does not hold`` are about the given results. ``not
tested`` is said where a method or a study that a statement is about is not among them.

`Evidence` has what statements are compared with, computed once each. The statements
about metrics (RQ1), methods (RQ2) and random walks (RQ3) follow. That TSMD-Bench itself
is not solved by the random-walk detector is not among the statements of the paper; the
figure shows it as a finding of our own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tsmdbench.analysis.metric_agreement import Agreement, agreement
from tsmdbench.analysis.ranking import Ranks, Significance, ranks, significance
from tsmdbench.analysis.scores import Scores
from tsmdbench.paper.random_walk import ALPHAS, DetectorRow, located, shipped

if TYPE_CHECKING:
    import pandas as pd
    from pandas.api.typing import DataFrameGroupBy


HOLDS, PARTLY, FAILS, UNTESTED = "holds", "partly", "does not hold", "not tested"
NUMBER, ORDER, EXISTENCE = "number", "order", "existence"
F, P, R = "prom_f1", "prom_precision", "prom_recall"
C_M, C_G, S = "correctness_m", "correctness_g", "score"
FIRST = "locomotif"
FOLLOWING = ("mmotifs", "gv_repair", "motiflets")
SYMBOLIC = ("mrmotif", "gv_sequitur", "gv_repair")
ALMOST_ONE = 1.25  # first on at least three of four datasets, second on the others
AROUND = 0.5  # what rounds to the number that is given to half a rank
CLOSE = 0.1  # C_g and R are alike when they differ by no more
MODERATE = 0.4, 0.6  # taus that are neither low nor high
TOP, BOTTOM = 0.25, 0.5  # parts of a dataset's results: ranked high, ranked low
NEAR = 0.03
STATED = ("bic", 0.05)  # lags as in the public notebook, the level of the text


class Finding(NamedTuple):
    """Result of a statement; `value` corresponds to the paper's number."""

    verdict: str
    here: str
    datasets: str = ""
    value: float | None = None


class Statement(NamedTuple):
    """A claim of the paper and the check of it."""

    key: str
    question: str  # RQ1, RQ2 or RQ3
    text: str
    criterion: str  # when we say that it holds
    figure: str  # of a report, which shows it
    check: Callable[[Evidence], Finding]
    needs: tuple[str, ...] = ()  # methods that it is about
    paper: str = ""  # the number that the paper gives; empty where it gives none
    number: float | None = None
    kind: str = ORDER  # number, order or existence


Check = Callable[["Evidence"], Finding]
STATEMENTS: list[Statement] = []  # in the order of the paper


def states(
    key: str, question: str, text: str, criterion: str, figure: str, **fields: Any
) -> Callable[[Check], Check]:
    """Register a check as that of a statement; see `Statement` for the fields."""

    def keep(check: Check) -> Check:
        kind = ORDER if fields.get("number") is None else NUMBER
        fixed = key, question, text, criterion, figure, check
        STATEMENTS.append(Statement(*fixed, **{"kind": kind} | fields))
        return check

    return keep


class Verdict(NamedTuple):
    """A statement with its result."""

    statement: Statement
    finding: Finding

    @property
    def difference(self) -> float | None:
        """The result minus what the paper gives; None where there is no number."""
        if self.statement.number is None or self.finding.value is None:
            return None
        return self.finding.value - self.statement.number


def judge(
    evidence: Evidence, chosen: Sequence[Statement] | None = None
) -> list[Verdict]:
    """Compare statements with results."""
    verdicts = []
    for statement in STATEMENTS if chosen is None else chosen:
        lacking = sorted(set(statement.needs) - set(evidence.scores.labels))
        if lacking:
            finding = Finding(UNTESTED, f"not among the results: {', '.join(lacking)}")
        else:
            finding = statement.check(evidence)
        verdicts.append(Verdict(statement, finding))
    return verdicts


def verdict(*conditions: bool) -> str:
    """Return one word for several conditions: all, some or none hold.

    >>> verdict(True, True), verdict(True, False), verdict(False)
    ('holds', 'partly', 'does not hold')
    """
    if all(conditions):
        return HOLDS
    return PARTLY if any(conditions) else FAILS


@dataclass(frozen=True, eq=False)
class Evidence:
    """Scores of the methods that the paper compares, and derived results."""

    scores: Scores
    # Mean F1 of the random-walk detector on series of random walk, by (lags, alpha).
    walk_f1: dict[tuple[str, float], float] = field(default_factory=dict)
    detector: Sequence[DetectorRow] = ()  # on TSMD-Bench

    @cached_property
    def agreement(self) -> Agreement:
        """Kendall's tau between metrics."""
        return agreement(self.scores)

    @cached_property
    def ranks(self) -> dict[str, Ranks]:
        """Ranks of methods by F, P and R."""
        return {metric: ranks(self.scores, metric) for metric in (F, P, R)}

    @cached_property
    def significance(self) -> dict[str, Significance]:
        """Tests between methods by F, P and R."""
        return {metric: significance(self.scores, metric) for metric in (F, P, R)}

    @cached_property
    def by_dataset(self) -> DataFrameGroupBy:
        """The scores of each dataset."""
        return self.scores.table.groupby("dataset", observed=True)

    def average_rank(self, metric: str, method: str) -> float:
        """Return the average rank of a method."""
        return float(self.ranks[metric].average[method])

    def places(self, metric: str, methods: Iterable[str]) -> dict[str, int]:
        """Return places in the order of average ranks, from 1."""
        average = self.ranks[metric].average
        return {m: int((average < average[m]).sum()) + 1 for m in methods}

    def beats(self, metric: str, first: str, second: str) -> bool:
        """Return True if the first method is significantly better."""
        better = self.average_rank(metric, first) < self.average_rank(metric, second)
        return bool(self.significance[metric].rejected.loc[first, second]) and better

    def datasets_where(self, holds: Callable[[str], bool]) -> str:
        """Return on how many datasets something holds, as a text."""
        names = list(self.scores.datasets)
        return f"{sum(map(holds, names))} of {len(names)}"

    def tau(self, first: str, second: str, dataset: str | None = None) -> float:
        """Return Kendall's tau: over all results together, or within a dataset."""
        found = self.agreement
        table = found.overall if dataset is None else found.per_dataset[dataset]
        return float(table.loc[first, second])

    def mean_tau(self, first: str, second: str) -> float:
        """Return Kendall's tau, averaged over datasets."""
        return float(self.agreement.by_dataset.loc[first, second])

    def placed(self, metric: str) -> pd.Series:
        """Return ranks of results within their dataset, from 0 (best) to 1."""
        down = self.scores.higher_is_better(metric)
        ranked = self.by_dataset[metric].rank(ascending=not down)
        return ranked / self.by_dataset[F].transform("size")


def _listed(values: Mapping[str, float], form: str = "") -> str:
    return ", ".join(f"{name} {value:{form}}" for name, value in values.items())


def _cases(evidence: Evidence, cases: pd.Series, here: str) -> Finding:
    """Return whether there is a case, and on how many datasets."""
    found = set(evidence.scores.table.loc[cases, "dataset"])
    where = evidence.datasets_where(found.__contains__)
    return Finding(verdict(bool(cases.any())), here, where)


# RQ1: metrics.


def _nearest_to_recall(evidence: Evidence, metric: str) -> Finding:
    def nearest(dataset: str | None) -> bool:
        to = {name: evidence.tau(metric, name, dataset) for name in "FPR"}
        return max(to, key=lambda name: to[name]) == "R"

    taus = ", ".join(f"{name} {evidence.tau(metric, name):.2f}" for name in "FPR")
    return Finding(
        verdict(nearest(None)), f"tau with {taus}", evidence.datasets_where(nearest)
    )


for name in ("C_m", "C_g"):
    states(
        f"{name.lower()}-recall",
        "RQ1",
        f"{name} ranks results more like recall than like F or precision.",
        "Kendall's tau with R is the largest, over all results",
        "kendall",
    )(partial(_nearest_to_recall, metric=name))


@states(
    "c_g-values",
    "RQ1",
    "C_g and recall have similar values in most cases.",
    f"more than half of the results differ by at most {CLOSE}",
    "disagreement_r_c_g_1",
)
def _c_g_is_like_recall(evidence: Evidence) -> Finding:
    table = evidence.scores.table
    alike = (table[C_G] - table[R]).abs() <= CLOSE
    share = alike.groupby(table["dataset"], observed=True).mean()
    return Finding(
        verdict(alike.mean() > 0.5),
        f"{alike.mean():.0%} of the results differ by at most {CLOSE}",
        evidence.datasets_where(lambda dataset: share[dataset] > 0.5),
    )


@states(
    "c_m-differs-more",
    "RQ1",
    "C_m differs from recall in more cases than C_g, as it does not penalise "
    "missed sets.",
    "tau(C_g, R) is above tau(C_m, R)",
    "kendall",
)
def _c_g_is_nearer_than_c_m(evidence: Evidence) -> Finding:
    def nearer(dataset: str | None) -> bool:
        return evidence.tau("C_g", "R", dataset) > evidence.tau("C_m", "R", dataset)

    here = (
        f"tau with R: C_g {evidence.tau('C_g', 'R'):.2f}, "
        f"C_m {evidence.tau('C_m', 'R'):.2f}"
    )
    return Finding(verdict(nearer(None)), here, evidence.datasets_where(nearer))


@states(
    "c-above-one",
    "RQ1",
    "Correctness can exceed 1, when several found motifs overlap one true motif.",
    "there are such results",
    "disagreement_f_c_g_1",
    kind=EXISTENCE,
)
def _correctness_exceeds_one(evidence: Evidence) -> Finding:
    table = evidence.scores.table
    over = table[C_M] > 1 + 1e-9
    here = f"{int(over.sum())} results, the largest C_m is {table[C_M].max():.2f}"
    return _cases(evidence, over, here)


@states(
    "c-blind-to-false",
    "RQ1",
    "There are results that find both sets imprecisely and still have a high C.",
    "there are results like it",
    "disagreement_f_c_g_1",
    paper="P 0.35, F 0.52, R 1.00, C 0.92",
    kind=EXISTENCE,
)
def _imprecise_but_correct(evidence: Evidence) -> Finding:
    table = evidence.scores.table
    cases = (table[R] == 1) & (table[C_G] > 0.9) & (table[F] < 0.55)
    here = f"{int(cases.sum())} results with R = 1, C_g above 0.9 and F below 0.55"
    return _cases(evidence, cases, here)


@states(
    "s-f",
    "RQ1",
    "S agrees only moderately with F.",
    f"mean tau between {MODERATE[0]} and {MODERATE[1]}",
    "kendall",
    paper="mean tau 0.46",
    number=0.46,
)
def _score_moderately_like_f(evidence: Evidence) -> Finding:
    def moderate(tau: float) -> bool:
        return MODERATE[0] <= tau <= MODERATE[1]

    mean = evidence.mean_tau("S", "F")
    return Finding(
        verdict(moderate(mean)),
        f"mean tau {mean:.2f}",
        evidence.datasets_where(lambda d: moderate(evidence.tau("S", "F", d))),
        mean,
    )


@states(
    "s-p",
    "RQ1",
    "S agrees more with precision than with F.",
    "mean tau with P is above that with F; the number is that with P",
    "kendall",
    paper="mean tau 0.57 and 0.46",
    number=0.57,
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


@states(
    "s-not-recall",
    "RQ1",
    "The rank by S is decided by false motifs more than by missed ones.",
    "among F, P and R, S agrees least with R, in the mean over datasets",
    "kendall",
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


@states(
    "s-range",
    "RQ1",
    "The range of S differs so much between datasets that ranking all results "
    "together by it is meaningless.",
    "medians per dataset differ at least tenfold",
    "kendall",
)
def _score_differs_by_dataset(evidence: Evidence) -> Finding:
    medians = evidence.by_dataset[S].median()
    low, high = medians.idxmin(), medians.idxmax()
    factor = medians[high] / max(medians[low], 1e-12)
    here = (
        f"median from {medians[low]:.0f} ({low}) to {medians[high]:.0f} ({high}): "
        f"{factor:.0f}-fold"
    )
    return Finding(verdict(factor >= 10), here)


def _high_by_s_low_by_f(evidence: Evidence, *, zero: bool) -> Finding:
    table = evidence.scores.table
    by_s = evidence.placed(S)
    if zero:
        cases = (table[F] == 0) & (table[P] == 0) & (by_s <= BOTTOM)
        what = "results with F = P = 0 in the better half by S"
    else:
        by_p, by_f = evidence.placed(P), evidence.placed(F)
        cases = (by_s <= TOP) & (by_p <= TOP) & (by_f >= BOTTOM)
        what = "results in the best quarter by S and P and the worse half by F"
    return _cases(evidence, cases, f"{int(cases.sum())} {what}")


states(
    "s-misses",
    "RQ1",
    "There are results that miss most motifs and yet rank high by S and P.",
    "best quarter by S and by P, worse half by F",
    "disagreement_f_s_1",
    paper="ranks 473 and 450, by F 1703",
    kind=EXISTENCE,
)(partial(_high_by_s_low_by_f, zero=False))


states(
    "s-lengths",
    "RQ1",
    "There are results with F = P = 0 that S ranks high, because it compares "
    "starts only.",
    "F = P = 0 and in the better half by S",
    "disagreement_f_s_2",
    kind=EXISTENCE,
)(partial(_high_by_s_low_by_f, zero=True))


# RQ2: methods.


@states(
    "locomotif-first",
    "RQ2",
    "LoCoMotif has an average rank of almost 1 by F.",
    f"first, with an average rank of at most {ALMOST_ONE}: first on three of four "
    "datasets and second on the others; counted: datasets where it is first",
    "critical_difference_f1",
    needs=(FIRST,),
    paper="almost 1",
    number=1.0,
)
def _wins(evidence: Evidence) -> Finding:
    average = evidence.average_rank(F, FIRST)
    place = evidence.places(F, [FIRST])[FIRST]
    first = evidence.ranks[F].table.idxmin(axis=1)
    return Finding(
        verdict(place == 1, average <= ALMOST_ONE),
        f"average rank {average:.2f}, place {place}",
        evidence.datasets_where(lambda dataset: first.get(dataset) == FIRST),
        average,
    )


@states(
    "locomotif-significant",
    "RQ2",
    "LoCoMotif is significantly better than every other method by F.",
    "Wilcoxon signed-rank tests with Holm's correction, alpha 0.05",
    "critical_difference_f1",
    needs=(FIRST,),
)
def _wins_significantly(evidence: Evidence) -> Finding:
    others = [label for label in evidence.scores.labels if label != FIRST]
    beaten = [label for label in others if evidence.beats(F, FIRST, label)]
    left = [label for label in others if label not in beaten]
    here = f"better than {len(beaten)} of {len(others)} methods"
    here += f"; not than {', '.join(left)}" if left else ""
    by_aeon = significance(evidence.scores, F, procedure="aeon")
    differ = by_aeon.rejected.loc[FIRST]
    ahead = evidence.ranks[F].average > evidence.average_rank(F, FIRST)
    here += f" (by the procedure of aeon's diagram: {(differ & ahead).sum()})"
    return Finding(verdict(not left, bool(beaten)), here)


@states(
    "followers",
    "RQ2",
    "MMotifs, GV-RePair and Motiflets follow.",
    "all three at places 2 to 4 by average rank of F",
    "critical_difference_f1",
    needs=FOLLOWING,
    paper="places 2 to 4",
)
def _follow(evidence: Evidence) -> Finding:
    places = evidence.places(F, FOLLOWING)
    holds = verdict(*(2 <= place <= 4 for place in places.values()))
    return Finding(holds, f"places: {_listed(places)}")


@states(
    "followers-rank",
    "RQ2",
    "These three have average ranks around 3.5.",
    "each between 3 and 4; the number here is their mean",
    "critical_difference_f1",
    needs=FOLLOWING,
    paper="around 3.5",
    number=3.5,
)
def _follow_at(evidence: Evidence) -> Finding:
    averages = {label: evidence.average_rank(F, label) for label in FOLLOWING}
    return Finding(
        verdict(*(abs(rank - 3.5) <= AROUND for rank in averages.values())),
        f"average ranks: {_listed(averages, '.2f')}",
        value=sum(averages.values()) / len(averages),
    )


@states(
    "followers-not-significant",
    "RQ2",
    "These three are not significantly better than the others.",
    "no significant difference to a method other than LoCoMotif and themselves",
    "critical_difference_f1",
    needs=FOLLOWING,
)
def _follow_without_significance(evidence: Evidence) -> Finding:
    others = [x for x in evidence.scores.labels if x not in (FIRST, *FOLLOWING)]
    beaten = [
        f"{one} over {other}"
        for one in FOLLOWING
        for other in others
        if evidence.beats(F, one, other)
    ]
    pairs = len(FOLLOWING) * len(others)
    here = f"{len(beaten)} of {pairs} differences are significant"
    here += f": {', '.join(beaten)}" if beaten else ""
    return Finding(verdict(not beaten, len(beaten) < pairs / 2), here)


@states(
    "valmod-vonsem-low",
    "RQ2",
    "VALMOD and VONSEM are at the lower end by F.",
    "both among the last four; counted: datasets where both are in the lower half",
    "critical_difference_f1",
    needs=("valmod", "vonsem"),
)
def _lower_end(evidence: Evidence) -> Finding:
    number = len(evidence.scores.labels)
    both = ["valmod", "vonsem"]
    places = evidence.places(F, both)
    lower = (evidence.ranks[F].table[both] > (number + 1) / 2).all(axis=1)
    return Finding(
        verdict(*(place > number - 4 for place in places.values())),
        f"places of {number}: {_listed(places)}",
        evidence.datasets_where(lambda dataset: bool(lower.get(dataset, False))),
    )


@states(
    "locomotif-by-precision",
    "RQ2",
    "LoCoMotif stands out by precision rather than by recall.",
    "its lead in average rank, and the methods it beats significantly, are more by "
    "P than by R",
    "critical_difference_precision",
    needs=(FIRST,),
)
def _by_precision(evidence: Evidence) -> Finding:
    others = [label for label in evidence.scores.labels if label != FIRST]
    beaten = {
        metric: sum(evidence.beats(metric, FIRST, label) for label in others)
        for metric in (P, R)
    }
    averages = {metric: evidence.ranks[metric].average for metric in (P, R)}
    leads = {m: rank.drop(FIRST).min() - rank[FIRST] for m, rank in averages.items()}
    here = (
        f"lead in average rank {leads[P]:+.2f} by P and {leads[R]:+.2f} by R; "
        f"significantly better than {beaten[P]} methods by P, {beaten[R]} by R"
    )
    return Finding(verdict(leads[P] > leads[R], beaten[P] > beaten[R]), here)


def _contrast(evidence: Evidence, method: str, good: str, bad: str) -> Finding:
    """Check that a method is in the better half by one metric, worse by the other."""
    names = {P: "P", R: "R"}
    half = (len(evidence.scores.labels) + 1) / 2
    both = (good, bad)
    places = {metric: evidence.places(metric, [method])[method] for metric in both}
    here = ", ".join(f"{names[metric]} {place}" for metric, place in places.items())
    ranked = {metric: evidence.ranks[metric].table[method] for metric in both}
    return Finding(
        verdict(places[good] < places[bad], places[good] <= half < places[bad]),
        f"places: {here}",
        evidence.datasets_where(
            lambda d: d in ranked[good].index and ranked[good][d] < ranked[bad][d]
        ),
    )


states(
    "setfinder-recall",
    "RQ2",
    "SetFinder does well by recall but not by precision.",
    "better half by R, worse half by P; counted: datasets where R ranks it better",
    "critical_difference_recall",
    needs=("setfinder",),
)(partial(_contrast, method="setfinder", good=R, bad=P))


states(
    "gv_sequitur-precision",
    "RQ2",
    "GV-Sequitur does well by precision but not by recall.",
    "better half by P, worse half by R; counted: datasets where P ranks it better",
    "critical_difference_precision",
    needs=("gv_sequitur",),
)(partial(_contrast, method="gv_sequitur", good=P, bad=R))


@states(
    "symbolic-precise",
    "RQ2",
    "MrMotif, GV-Sequitur and GV-RePair do relatively well by precision.",
    "all three in the better half by P",
    "critical_difference_precision",
    needs=SYMBOLIC,
)
def _symbolic_precise(evidence: Evidence) -> Finding:
    half = (len(evidence.scores.labels) + 1) / 2
    places = evidence.places(P, SYMBOLIC)
    holds = verdict(*(place <= half for place in places.values()))
    return Finding(holds, f"places by P: {_listed(places)}")


@states(
    "symbolic-better-than-f",
    "RQ2",
    "These three rank better by precision than by F.",
    "average rank by P below that by F, each",
    "critical_difference_precision",
    needs=SYMBOLIC,
)
def _symbolic_better_than_by_f(evidence: Evidence) -> Finding:
    pairs = {
        label: (evidence.average_rank(P, label), evidence.average_rank(F, label))
        for label in SYMBOLIC
    }
    here = ", ".join(f"{label} {p:.2f} / {f:.2f}" for label, (p, f) in pairs.items())
    return Finding(
        verdict(*(p < f for p, f in pairs.values())),
        f"average rank by P / by F: {here}",
    )


# RQ3: random walks.


@states(
    "random-walk-easy",
    "RQ3",
    "A random walk detector nearly solves a benchmark in which instances are "
    "inserted into random walks.",
    f"mean F1 at level 0.05 within {NEAR} of it; partly: at another level",
    "random_walk",
    paper="mean F1 0.98",
    number=0.98,
)
def _too_easy(evidence: Evidence) -> Finding:
    if not evidence.walk_f1:
        return Finding(UNTESTED, "the study was not made")
    best = max(evidence.walk_f1.values())
    here = ", ".join(
        f"lags {lags}, alpha {alpha:g}: {f1:.2f}"
        for (lags, alpha), f1 in evidence.walk_f1.items()
    )
    stated = evidence.walk_f1.get(STATED, 0.0)
    seeds = shipped("seeds")
    for alpha in ALPHAS:
        here += f"; as in the public notebook, level {alpha:g}: {located(seeds, alpha)}"
    return Finding(
        verdict(stated >= 0.98 - NEAR, best >= 0.98 - NEAR), here, value=stated
    )
