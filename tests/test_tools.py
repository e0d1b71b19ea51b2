"""Scripts in tools/ and benchmarks/ can be imported, and name tests that exist."""

import importlib
from pathlib import Path

import pytest
from tools import test_matrix as matrix

ROOT = Path(__file__).parents[1]


def test_every_script_can_be_imported(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")  # they import each other
    pytest.importorskip("matplotlib")
    for file in sorted((ROOT / "tools").rglob("*.py")):
        name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        if "our_rules" not in name and not name.endswith("__main__"):
            importlib.import_module(name)  # our_rules needs other environments
    for file in sorted((ROOT / "benchmarks").glob("*.py")):
        importlib.import_module(f"benchmarks.{file.stem}")


def test_every_test_of_the_matrix_exists():
    for name in {*matrix.CORE, *matrix.NEEDS_RUN_AND_REPORT, *matrix.QUICK}:
        file, _, function = name.partition("::")
        assert (ROOT / file).exists(), name
        if function:
            function = function.partition("[")[0]
            assert f"def {function}(" in (ROOT / file).read_text("utf-8")
