"""The wrappers of public packages: found, made, and equal to ours where there is one.

Those that run make an environment, so they are slow; they are skipped where packages
cannot be downloaded or have no wheel for this system.
"""

import ast
from pathlib import Path

import pytest
from tools.compare_originals import (
    PAIRS,
    compare,
    planted,
    requirements,
    sets_of,
    table,
)

from tsmdbench.errors import DownloadError, InputError
from tsmdbench.experiments.environments import (
    Environment,
    external_class,
    interpreter_of,
    stop_process,
)

FOLDER = Path(__file__).parents[2] / "examples" / "wrappers"
FILES = sorted(FOLDER.glob("*.py"))
FIELDS = {"length": 40, "l_min": 36, "l_max": 44, "radius": 3.0, "k_max": 6}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_wrapper_needs_nothing_of_ours_and_says_what_it_needs(file):
    tree = ast.parse(file.read_text())
    imported = {
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert not [name for name in imported if name.startswith("tsmdbench")]
    assert Environment(requirements=requirements(file)).requirements
    assert len(file.read_text().splitlines()) <= 80


def test_every_wrapper_is_compared():
    assert {pair.file for pair in PAIRS} == {file.name for file in FILES}


def test_rows_that_were_not_run_stay_in_the_table():
    row = {
        "original": "x/leitmotif_lama.py:LeitmotifLAMA", "package": "leitmotif 1",
        "ours": "motiflets", "problems": 6, "failed": 1, "equal": 3, "sets": 9,
        "same_sets": 8, "with_our_rule": 2, "ruled": "file.py:Class",
    }  # fmt: skip
    old = table([{**row, "original": "dtai_locomotif.py:DtaiLoCoMotif"}, row])
    new = table([{**row, "equal": 5}], old)
    assert new.splitlines()[:3] == old.splitlines()[:3]
    assert new.splitlines()[3:] == [
        "| `leitmotif_lama.py:LeitmotifLAMA` | leitmotif 1 | `motiflets` | 6 | 1 | "
        "5 of 5 | 8 of 9 | - |"
    ]
    assert old.endswith("| 6 | 1 | 3 of 5 | 8 of 9 | 2 of 2 |")


@pytest.mark.parametrize("pair", [p for p in PAIRS if p.ruled], ids=lambda p: p.ruled)
def test_originals_with_our_rule_are_the_wrappers_with_one_change(pair):
    name, _, cls = pair.ruled.partition(":")
    tree = ast.parse((FOLDER.parents[1] / "tools" / "our_rules" / name).read_text())
    (made,) = [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == cls]
    assert [base.id for base in made.bases] == [pair.original]


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.original)
def test_a_wrapper_finds_planted_copies(pair):
    file = FOLDER / pair.file
    environment = Environment(requirements=requirements(file))
    try:
        interpreter_of(environment)
    except (DownloadError, InputError) as error:
        pytest.skip(f"the environment cannot be made here: {error}")
    place = f"{file}:{pair.original}"
    cls = external_class(environment, place)
    known = {**FIELDS, "max_sets": 1, **pair.shared}
    fields = {k: v for k, v in known.items() if k in cls.__dataclass_fields__}
    try:
        found = sets_of(cls(**fields).find(planted(0)))
    finally:
        stop_process(environment, place)
    # Four copies are planted; each wrapper finds two of them at least.
    starts = [start for start, _ in found[0]]
    near = [s for s in (60, 200, 310, 470) if any(abs(s - t) < 20 for t in starts)]
    assert len(near) >= 2


@pytest.mark.slow
def test_the_comparison_counts_equal_outputs():
    pair = next(pair for pair in PAIRS if pair.original == "TsmdPEPA")
    try:
        interpreter_of(Environment(requirements=requirements(FOLDER / pair.file)))
    except (DownloadError, InputError) as error:
        pytest.skip(f"the environment cannot be made here: {error}")
    row = compare(pair, 1)
    assert row["problems"] >= 1
    assert row["equal"] <= row["problems"]
    # The others are the same with a stable sort and whole segments.
    ran = row["problems"] - row["failed"]
    assert row["equal"] + row["with_our_rule"] == ran
