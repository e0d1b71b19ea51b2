"""Tables inside hand-written pages: metrics and their properties, datasets."""

from __future__ import annotations

from tsmdbench.benchmark import DATASETS
from tsmdbench.datasets.catalogue import KNOWN, PAPER
from tsmdbench.datasets.construct import largest_g
from tsmdbench.datasets.suite import frozen_recipes
from tsmdbench.metrics.metric import NOT_APPLICABLE, PROPERTIES
from tsmdbench.metrics.properties import Scorecard, differences, property_table

MARKS = {True: "yes", False: "–", NOT_APPLICABLE: "n/a"}  # noqa: RUF001 (typography)
# The metrics that are worth choosing between; the others are parts or variants of them.
USE = {
    "prom_f1": "by default; every kind of error lowers it",
    "prom_macro_f1": "small sets must count as much as large ones",
    "subspace_prom_f1": "motif sets name the channels that they live in",
    "prom_precision": "false positives are costly (use `penalize_off_target`)",
    "prom_recall": "missed motifs are costly",
    "correctness_m": "you compare with a paper that reports it",
    "correctness_g": "the same, and missed sets must count",
    "score": "you compare with SetFinder's paper, and all motifs have one length",
    "ranged_f1": "a rough overlap is enough, and extra sets do not matter",
    "pair_overlap_gao": "all sets are pairs, and you compare with Gao and Lin",
    "pair_overlap_nunthanid": "the same, with Nunthanid et al.",
    "single_set_f1": "there is one true and one found set",
}

# What it means that a metric does not have a property.
LACKS = {
    "variable length": "a wrong length",
    "several sets": "takes one set only",
    "any cardinality": "takes pairs only",
    "false-positive sets": "extra sets",
    "false-negative sets": "missing sets",
    "false-positive motifs": "extra motifs",
    "false-negative motifs": "missing motifs",
    "independent of order": "depends on the order of sets",
    "bounded": "has no upper bound",
    "counts a motif once": "counts a motif that was found twice as two",
}


def use_table() -> str:
    """Return when to use which metric, and what each is blind to."""
    cards = {card.name: card for card in property_table(USE)}
    rows = ["| metric | use it when | overlooks |", "|---|---|---|"]
    for name, when in USE.items():
        rows.append(f"| `{name}` | {when} | {_blind(cards[name])} |")
    return "\n".join(rows)


def _blind(card: Scorecard) -> str:
    lacks = [LACKS[name] for name, cell in card.cells.items() if cell is False]
    return "; ".join(lacks) or "nothing"


def properties_table() -> str:
    """Return all metrics and all properties, and where the paper's table differs."""
    cards = property_table()
    numbers = " | ".join(str(number) for number in range(1, len(PROPERTIES) + 1))
    rows = [f"| metric | {numbers} |", "|---|" + ":-:|" * len(PROPERTIES)]
    for card in cards:
        cells = " | ".join(MARKS[card.cells[name]] for name in PROPERTIES)
        rows.append(f"| `{card.name}` | {cells} |")
    legend = [
        f"{number}. {_legend(number, name)}"
        for number, name in enumerate(PROPERTIES, start=1)
    ]
    told = [f"- {line}" for line in differences(cards)]
    head = f"Where this differs from the table in the paper ({len(told)} cells):"
    return "\n".join([*legend, "", *rows, "", head, "", *told])


def _legend(number: int, name: str) -> str:
    kinds = {1: "takes motifs of", 2: "takes", 3: "takes sets of"}
    if number <= 3:
        return f"{kinds[number]} {name}"
    return f"penalises {name}" if number <= 7 else name


def dataset_table() -> str:
    """Return the 14 datasets: what each holds, and whether recipes are frozen."""
    rows = [
        "| dataset | classes | length | channels | sets per problem | recipes |",
        "|---|--:|--:|--:|--:|---|",
    ]
    recipes = frozen_recipes()
    for name in DATASETS:
        entry = KNOWN[name]
        length = (
            str(entry.l_min)
            if entry.l_min == entry.l_max
            else f"{entry.l_min} to {entry.l_max}"
        )
        frozen = "frozen" if (name, "test") in recipes else "drawn on your machine"
        rows.append(
            f"| {name} | {PAPER[name].classes} | {length} | {entry.channels} | "
            f"1 to {largest_g(entry.classes)} | {frozen} |"
        )
    return "\n".join(rows)


def corrections_table() -> str:
    """Return the changes of published numbers, the newest first."""
    from tsmdbench.analysis.baselines import corrections

    rows = [
        "| date | change | affects | before | now | why |",
        "|---|---|---|---|---|---|",
    ]
    rows += [f"| {' | '.join(one)} |" for one in corrections()]
    return "\n".join(rows)
