"""What the paper says about methods (RQ2)."""

from __future__ import annotations

from functools import partial

from tsmdbench.analysis.paper.evidence import Evidence, F, P, R
from tsmdbench.analysis.paper.statements import NUMBER, Finding, Statement, verdict

FIRST = "locomotif"
FOLLOWING = ("mmotifs", "gv_repair", "motiflets")
SYMBOLIC = ("mrmotif", "gv_sequitur", "gv_repair")
ALMOST_ONE = 1.25  # first on at least three of four datasets, second on the others
AROUND = 0.5  # what rounds to the number that is given to half a rank


def _first_on(evidence: Evidence, dataset: str) -> bool:
    table = evidence.ranks(F).table
    return dataset in table.index and table.loc[dataset].idxmin() == FIRST


def _wins(evidence: Evidence) -> Finding:
    average = evidence.average_rank(F, FIRST)
    first = evidence.place(F, FIRST) == 1
    return Finding(
        verdict(first, average <= ALMOST_ONE),
        f"average rank {average:.2f}, place {evidence.place(F, FIRST)}",
        evidence.datasets_where(partial(_first_on, evidence)),
        average,
    )


def _wins_significantly(evidence: Evidence) -> Finding:
    others = [label for label in evidence.scores.labels if label != FIRST]
    beaten = [label for label in others if evidence.beats(F, FIRST, label)]
    left = [label for label in others if label not in beaten]
    here = f"better than {len(beaten)} of {len(others)} methods"
    here += f"; not than {', '.join(left)}" if left else ""
    differ = evidence.as_by_aeon.rejected.loc[FIRST]
    ahead = evidence.ranks(F).average > evidence.average_rank(F, FIRST)
    by_aeon = int((differ & ahead).sum())
    here += f" (by the procedure of aeon's diagram: {by_aeon})"
    return Finding(verdict(not left, bool(beaten)), here)


def _follow(evidence: Evidence) -> Finding:
    places = {label: evidence.place(F, label) for label in FOLLOWING}
    here = ", ".join(f"{label} {place}" for label, place in places.items())
    return Finding(
        verdict(*(2 <= place <= 4 for place in places.values())), f"places: {here}"
    )


def _follow_at(evidence: Evidence) -> Finding:
    averages = {label: evidence.average_rank(F, label) for label in FOLLOWING}
    here = ", ".join(f"{label} {rank:.2f}" for label, rank in averages.items())
    return Finding(
        verdict(*(abs(rank - 3.5) <= AROUND for rank in averages.values())),
        f"average ranks: {here}",
        value=sum(averages.values()) / len(averages),
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


def _lower_end(evidence: Evidence) -> Finding:
    number = len(evidence.scores.labels)
    places = {label: evidence.place(F, label) for label in ("valmod", "vonsem")}
    here = ", ".join(f"{label} {place}" for label, place in places.items())
    return Finding(
        verdict(*(place > number - 4 for place in places.values())),
        f"places of {number}: {here}",
        evidence.datasets_where(lambda dataset: _both_in_lower_half(evidence, dataset)),
    )


def _both_in_lower_half(evidence: Evidence, dataset: str) -> bool:
    table = evidence.ranks(F).table
    if dataset not in table.index:
        return False
    row = table.loc[dataset]
    return bool((row[["valmod", "vonsem"]] > (len(row) + 1) / 2).all())


def _lead(evidence: Evidence, metric: str) -> float:
    """Return how far the average rank of LoCoMotif is before the best other's."""
    average = evidence.ranks(metric).average
    return float(average.drop(FIRST).min() - average[FIRST])


def _by_precision(evidence: Evidence) -> Finding:
    others = [label for label in evidence.scores.labels if label != FIRST]
    beaten = {
        metric: sum(evidence.beats(metric, FIRST, label) for label in others)
        for metric in (P, R)
    }
    leads = {metric: _lead(evidence, metric) for metric in (P, R)}
    here = (
        f"lead in average rank {leads[P]:+.2f} by P and {leads[R]:+.2f} by R; "
        f"significantly better than {beaten[P]} methods by P, {beaten[R]} by R"
    )
    return Finding(verdict(leads[P] > leads[R], beaten[P] > beaten[R]), here)


def _contrast(evidence: Evidence, method: str, good: str, bad: str) -> Finding:
    """Check that a method is in the better half by one metric, worse by the other."""
    names = {P: "P", R: "R"}
    half = (len(evidence.scores.labels) + 1) / 2
    places = {metric: evidence.place(metric, method) for metric in (good, bad)}
    here = ", ".join(f"{names[metric]} {place}" for metric, place in places.items())
    ranked = {metric: evidence.ranks(metric).table[method] for metric in (good, bad)}
    return Finding(
        verdict(places[good] < places[bad], places[good] <= half < places[bad]),
        f"places: {here}",
        evidence.datasets_where(
            lambda d: d in ranked[good].index and ranked[good][d] < ranked[bad][d]
        ),
    )


def _symbolic_precise(evidence: Evidence) -> Finding:
    half = (len(evidence.scores.labels) + 1) / 2
    places = {label: evidence.place(P, label) for label in SYMBOLIC}
    here = ", ".join(f"{label} {place}" for label, place in places.items())
    return Finding(
        verdict(*(place <= half for place in places.values())), f"places by P: {here}"
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


METHOD_STATEMENTS = (
    Statement(
        "locomotif-first",
        "RQ2",
        "LoCoMotif has an average rank of almost 1 by F.",
        "almost 1",
        f"first, with an average rank of at most {ALMOST_ONE}: first on three of four "
        "datasets and second on the others; counted: datasets where it is first",
        (FIRST,),
        _wins,
        NUMBER,
        1.0,
    ),
    Statement(
        "locomotif-significant",
        "RQ2",
        "LoCoMotif is significantly better than every other method by F.",
        "",
        "Wilcoxon signed-rank tests with Holm's correction, alpha 0.05",
        (FIRST,),
        _wins_significantly,
    ),
    Statement(
        "followers",
        "RQ2",
        "MMotifs, GV-RePair and Motiflets follow.",
        "places 2 to 4",
        "all three at places 2 to 4 by average rank of F",
        FOLLOWING,
        _follow,
    ),
    Statement(
        "followers-rank",
        "RQ2",
        "These three have average ranks around 3.5.",
        "around 3.5",
        "each between 3 and 4; the number here is their mean",
        FOLLOWING,
        _follow_at,
        NUMBER,
        3.5,
    ),
    Statement(
        "followers-not-significant",
        "RQ2",
        "These three are not significantly better than the others.",
        "",
        "no significant difference to a method other than LoCoMotif and themselves",
        FOLLOWING,
        _follow_without_significance,
    ),
    Statement(
        "valmod-vonsem-low",
        "RQ2",
        "VALMOD and VONSEM are at the lower end by F.",
        "",
        "both among the last four; counted: datasets where both are in the lower half",
        ("valmod", "vonsem"),
        _lower_end,
    ),
    Statement(
        "locomotif-by-precision",
        "RQ2",
        "LoCoMotif stands out by precision rather than by recall.",
        "",
        "its lead in average rank, and the methods it beats significantly, are more by "
        "P than by R",
        (FIRST,),
        _by_precision,
    ),
    Statement(
        "setfinder-recall",
        "RQ2",
        "SetFinder does well by recall but not by precision.",
        "",
        "better half by R, worse half by P; counted: datasets where R ranks it better",
        ("setfinder",),
        partial(_contrast, method="setfinder", good=R, bad=P),
    ),
    Statement(
        "gv_sequitur-precision",
        "RQ2",
        "GV-Sequitur does well by precision but not by recall.",
        "",
        "better half by P, worse half by R; counted: datasets where P ranks it better",
        ("gv_sequitur",),
        partial(_contrast, method="gv_sequitur", good=P, bad=R),
    ),
    Statement(
        "symbolic-precise",
        "RQ2",
        "MrMotif, GV-Sequitur and GV-RePair do relatively well by precision.",
        "",
        "all three in the better half by P",
        SYMBOLIC,
        _symbolic_precise,
    ),
    Statement(
        "symbolic-better-than-f",
        "RQ2",
        "These three rank better by precision than by F.",
        "",
        "average rank by P below that by F, each",
        SYMBOLIC,
        _symbolic_better_than_by_f,
    ),
)
