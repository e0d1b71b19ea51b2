"""Imports go one way, and importing the package stays light."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "tsmdbench"

# A part may import itself and parts of a lower rank.
RANKS = {
    "errors": 0,
    "plural": 0,
    "arrays": 0,
    "html_text": 0,
    "plotting": 1,
    "notebook_figure": 0,
    "webpage": 0,
    "_lazy": 0,
    "segments": 1,
    "registry": 1,
    "types": 2,
    "io": 3,
    "validation": 4,
    "example": 4,
    "metrics": 5,
    "_kernels": 5,
    "methods": 6,
    "datasets": 7,
    "archive": 7.5,
    "benchmark": 7.5,
    "discovery": 7,
    "experiments": 8,
    "analysis": 9,
    "view": 5,
    "report": 10,
    "paper": 10.5,
    "__init__": 11,
    "cli": 12,
    "__main__": 13,
}
FORBIDDEN = {("methods", "metrics")}
# What `run` returns leads a user on to comparison and report, imported when asked for.
UPWARD = {("experiments/results.py", "analysis"), ("experiments/results.py", "report")}
HEAVY = {
    "aeon",
    "dask",
    "distributed",
    "matplotlib",
    "numba",
    "pandas",
    "psutil",
    "pyarrow",
    "statsmodels",
    "typer",
}


def part(module: str) -> str:
    pieces = module.split(".")
    return pieces[1] if len(pieces) > 1 else "__init__"


def imports(file: Path):
    """Yield what a file imports from the package, also inside functions."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=str)
def test_imports_go_down(file):
    inside = file.relative_to(PACKAGE).with_suffix("").parts
    mine = inside[0]
    assert mine in RANKS, f"{mine} has no rank yet"
    for module in imports(file):
        if module.split(".")[0] != "tsmdbench":
            continue
        other = part(module)
        if (file.relative_to(PACKAGE).as_posix(), other) in UPWARD:
            continue
        assert other == mine or RANKS[other] < RANKS[mine], f"{mine} imports {other}"
        assert (mine, other) not in FORBIDDEN, f"{mine} must not import {other}"


@pytest.mark.parametrize(
    "module",
    [
        "tsmdbench",
        "tsmdbench.metrics",
        "tsmdbench.methods",
        "tsmdbench.methods.base",
        "tsmdbench.methods.contract",
        "tsmdbench.archive",
        "tsmdbench.benchmark",
        "tsmdbench.experiments",
        "tsmdbench.analysis",
        "tsmdbench.report",
        "tsmdbench.paper",
        "tsmdbench.view",
        "tsmdbench.cli",
    ],
)
def test_importing_loads_nothing_heavy(module):
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {name.split(".")[0] for name in loaded} & HEAVY == set()
    assert "scipy.optimize" not in loaded


def test_types_of_arrays_are_defined_once():
    alias = re.compile(r"^(Integers|Floats|Flags) = ", re.MULTILINE)
    files = [f for f in PACKAGE.rglob("*.py") if alias.search(f.read_text())]
    assert files == [PACKAGE / "arrays.py"]
