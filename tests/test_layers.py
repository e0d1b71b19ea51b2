"""Imports go one way, and importing the package stays light."""

import ast
import re
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "tsmdbench"

# A part may import itself and parts of a lower rank.
RANKS = {
    "errors": 0,
    "plural": 0,
    "arrays": 0,
    "html_text": 0,
    "plotting": 1,
    "notebook_figure": 0,
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
# What `run` returns leads a user on to comparison and report, imported on request.
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


def test_imports_go_down():
    wrong = []
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        mine = name.removesuffix(".py").partition("/")[0]
        assert mine in RANKS, f"{mine} has no rank yet"
        for module in imports(file):
            other = part(module)
            if module.split(".")[0] != "tsmdbench" or (name, other) in UPWARD:
                continue
            down = other == mine or RANKS[other] < RANKS[mine]
            if not down or (mine, other) in FORBIDDEN:
                wrong.append(f"{name} imports {module}")
    assert not wrong


def test_importing_loads_nothing_heavy():
    """One process imports the packages in turn: what one loads, the next has too."""
    packages = sorted(
        f"tsmdbench.{file.parent.name}"
        for file in PACKAGE.glob("*/__init__.py")
        if not file.parent.name.startswith("_")
    )
    packages += ["tsmdbench.archive", "tsmdbench.benchmark"]
    packages += ["tsmdbench.methods.base", "tsmdbench.methods.contract"]
    code = (
        "import sys, importlib\n"
        "for name in sys.argv[1:]:\n"
        "    importlib.import_module(name)\n"
        "    print(name, *sys.modules)"
    )
    lines = subprocess.run(
        [sys.executable, "-c", code, *packages],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert len(lines) == len(packages)
    for line in lines:
        package, *loaded = line.split()
        tops = {name.split(".")[0] for name in loaded}
        assert tops & HEAVY == set(), package
        assert "scipy.optimize" not in loaded, package


def test_types_of_arrays_are_defined_once():
    alias = re.compile(r"^(Integers|Floats|Flags) = ", re.MULTILINE)
    files = [f for f in PACKAGE.rglob("*.py") if alias.search(f.read_text())]
    assert files == [PACKAGE / "arrays.py"]
