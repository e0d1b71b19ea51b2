"""Compare our methods with the originals, in environments made for them.

    python -m tools.compare_originals [--problems 5] [--only stumpy] [--write]

Each wrapper of ``examples/wrappers`` runs in the environment that its header asks for,
on the first test problems of JapaneseVowels and ECG5000 (where available) and on
made-up series with planted copies, with the fields that follow from the data. Our
method runs on the same series with the same fields. Where a difference
comes from rules, the original with ours (``tools/our_rules``) is compared, too: its
sets, in any order.
``--write`` puts the table into ``docs/experiments/other-environments.md``; ``--show``
prints the sets of both wherever they differ.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tsmdbench.benchmark import load_benchmark
from tsmdbench.errors import TsmdbenchError
from tsmdbench.experiments.environments import Environment, external_class
from tsmdbench.experiments.settings import data_facts
from tsmdbench.methods import METHODS
from tsmdbench.validation import check_motif_sets

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "experiments" / "other-environments.md"
BEGIN, END = "<!-- originals -->", "<!-- end of originals -->"
DATASETS = ("JapaneseVowels", "ECG5000")
RULES = "tools/our_rules/"
Sets = list[list[tuple[int, int]]]


@dataclass(frozen=True)
class Pair:
    """An original, and the method of ours that should find the same.

    Parameters
    ----------
    file, original : str
        Wrapper and class in it.
    ours : str
        Name of our method; empty where there is none.
    shared : mapping
        Fields of both, beside those that follow from the data.
    settings : mapping
        Fields of ours alone: what makes it behave like the original.
    lengths : int, optional
        How many lengths ours tries, where the original knows one; all by default.
    ruled : str
        File and class in ``tools/our_rules``: the original with our rules.
    """

    file: str
    original: str
    ours: str = ""
    shared: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    lengths: int | None = None
    ruled: str = ""


LIKE_STUMPY = {"exclusion": 0.25, "disjoint": False}
LIKE_MOTIFLETS = {"slack": 0.5, "disjoint": False}
PAIRS = (
    Pair("stumpy_motifs.py", "StumpyMotifs", "mmotifs", settings=LIKE_STUMPY),
    Pair("stumpy_motifs.py", "StumpyMMotifs", "mmotifs", settings=LIKE_STUMPY),
    Pair("dtai_locomotif.py", "DtaiLoCoMotif", "locomotif", {"rho": 0.8}),
    Pair("motiflets_elbow.py", "MotifletsElbow", "motiflets", {}, LIKE_MOTIFLETS),
    Pair(
        "leitmotif_lama.py",
        "LeitmotifLAMA",
        "motiflets",
        settings=LIKE_MOTIFLETS,
        lengths=1,
        ruled="lama_elbows.py:LAMALikeMotiflets",
    ),
    Pair("pyattimo_motifs.py", "AttimoMotifs"),
    Pair(
        "tsmd_methods.py",
        "TsmdPEPA",
        "pepa",
        ruled="pepa_segments.py:WholePEPA",
    ),
    Pair("tsmd_methods.py", "TsmdMDL", "mdl_clust", {"step": 5}),
)


def requirements(file: Path) -> tuple[str, ...]:
    """Return the packages that the header of a script asks for (PEP 723)."""
    block = re.search(r"(?m)^# /// script\n((?:#.*\n)+?)# ///$", file.read_text())
    if block is None:
        raise ValueError(f"{file} has no header with its dependencies")
    text = re.sub(r"(?m)^# ?", "", block.group(1))
    return tuple(tomllib.loads(text)["dependencies"])


def planted(seed: int) -> np.ndarray:
    """Return smooth noise with four copies of a shape."""
    rng = np.random.default_rng(seed)
    x = np.convolve(rng.normal(size=610), np.hanning(11) / 3, "valid")
    shape = 2 * np.sin(np.arange(40) / (3 + seed))
    for start in (60, 200, 310, 470):
        x[start : start + 40] = shape + 0.05 * rng.normal(size=40)
    return x


def cases(problems: int) -> Iterator[tuple[np.ndarray, dict[str, Any]]]:
    """Yield one channel of real problems and made-up ones, with fields for each."""
    for name in DATASETS:
        try:
            facts = data_facts(load_benchmark(name, split="validation"))
            bench = load_benchmark(name, split="test")
        except TsmdbenchError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        names = ("length", "l_min", "l_max", "radius", "k_max", "max_sets")
        known = facts.fields(names, 0)
        known["l_max"] = min(known["l_max"], known["l_min"] + 8)  # minutes, not hours
        for problem in bench[:problems]:
            series = problem.series
            one = series if series.ndim == 1 else np.ascontiguousarray(series[:, 0])
            yield one, known
    for seed in range(problems):
        fields = {"length": 40, "l_min": 36, "l_max": 44, "radius": 3.0, "k_max": 6}
        yield planted(seed), {**fields, "max_sets": 2}


def given(cls: Any, fields: dict[str, Any]) -> dict[str, Any]:
    """Return those fields that a class has."""
    return {k: v for k, v in fields.items() if k in cls.__dataclass_fields__}


def sets_of(found: Any) -> Sets:
    """Return motif sets as sorted lists of segments."""
    checked = check_motif_sets(found, "what was found").sets
    return [sorted(map(tuple, motifs.segments.tolist())) for motifs in checked]


def attempt(cls: Any, fields: dict[str, Any], series: np.ndarray) -> Sets | str:
    """Return what a method finds, or what it raises."""
    try:
        return sets_of(cls(**given(cls, fields)).find(series))
    except TsmdbenchError as error:
        return str(error)


def ours_on(pair: Pair, fields: dict[str, Any], series: np.ndarray) -> Sets | str:
    """Return what our method finds with the same fields."""
    mine = {**fields, **pair.shared, **pair.settings}
    if pair.lengths == 1:
        mine |= {"l_min": fields["length"], "l_max": fields["length"]}
    return attempt(METHODS[pair.ours], mine, series)


def compare(pair: Pair, problems: int, *, show: bool = False) -> dict[str, Any]:
    """Run both on all cases and count what is equal."""
    file = ROOT / "examples" / "wrappers" / pair.file
    needed = requirements(file)
    place = f"{file.relative_to(ROOT)}:{pair.original}"
    environment = Environment(requirements=needed)
    original = external_class(environment, place)
    ruled = external_class(environment, RULES + pair.ruled) if pair.ruled else None
    about = {
        name.lower(): version for name, version in original.about["packages"].items()
    }
    package = re.split(r"[=<>]", needed[0])[0]
    row = {"original": place, "package": f"{package} {about.get(package.lower(), '?')}",
           "ours": pair.ours or "none", "problems": 0, "failed": 0, "equal": 0,
           "sets": 0, "same_sets": 0, "with_our_rule": 0,
           "ruled": pair.ruled}  # fmt: skip
    for series, fields in cases(problems):
        theirs = attempt(original, {**fields, **pair.shared}, series)
        row["problems"] += 1
        if isinstance(theirs, str):
            print(f"{place}: {theirs}", file=sys.stderr)
            row["failed"] += 1
            continue
        if not pair.ours:
            continue
        ours = ours_on(pair, fields, series)
        if isinstance(ours, str):
            print(f"{pair.ours}: {ours}", file=sys.stderr)
            continue
        row["equal"] += theirs == ours
        if theirs != ours and show:
            print(f"{place}, problem {row['problems']}:\n  {theirs}\n  ours: {ours}")
        if ruled is not None and theirs != ours:
            by_our_rule = attempt(ruled, {**fields, **pair.shared}, series)
            # An error is a sentence, which no sets are equal to. The order is free.
            row["with_our_rule"] += sorted(by_our_rule) == sorted(ours)
        row["sets"] += len(theirs)
        row["same_sets"] += sum(one in ours for one in theirs)
    return row


HEAD = (
    "| original | package | ours | problems | failed | equal outputs | equal sets |"
    " of the others, same sets with our rules |",
    "|---|---|---|---:|---:|---:|---:|---:|",
)


def table(rows: list[dict[str, Any]], before: str = "") -> str:
    """Return rows as Markdown; originals that were not run stay as they were."""
    kept = {line.split(" | ")[0]: line for line in before.splitlines()}
    kept |= {line.split(" | ")[0]: line for line in map(_line, rows)}
    order = [f"| `{pair.file}:{pair.original}`" for pair in PAIRS]
    return "\n".join([*HEAD, *(kept[name] for name in order if name in kept)])


def _line(row: dict[str, Any]) -> str:
    ran = row["problems"] - row["failed"]
    compared = row["ours"] != "none"
    equal = f"{row['equal']} of {ran}" if compared else "-"
    sets = f"{row['same_sets']} of {row['sets']}" if compared else "-"
    rest = ran - row["equal"]
    ruled = f"{row['with_our_rule']} of {rest}" if row["ruled"] and rest else "-"
    return (
        f"| `{Path(row['original']).name}` | {row['package']} | `{row['ours']}` | "
        f"{row['problems']} | {row['failed']} | {equal} | {sets} | {ruled} |"
    )


def main() -> None:
    """Compare, print the table, and write it on request."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=5, help="of each source")
    parser.add_argument("--only", default="", help="wrappers whose file has this text")
    parser.add_argument("--write", action="store_true", help="into the page")
    parser.add_argument("--show", action="store_true", help="sets that differ")
    options = parser.parse_args()
    rows = []
    for pair in PAIRS:
        if options.only not in pair.file:
            continue
        try:
            rows.append(compare(pair, options.problems, show=options.show))
        except TsmdbenchError as error:
            print(f"{pair.file} is left out: {error}", file=sys.stderr)
    print(table(rows))
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN)
        old, after = rest.split(END)
        whole = f"{before}{BEGIN}\n\n{table(rows, old)}\n\n{END}{after}"
        PAGE.write_text(whole, encoding="utf-8")


if __name__ == "__main__":
    main()
