"""A small example in the package: a series, its true motif sets, and found ones.

``python -m tsmdbench.example FOLDER`` writes the three files there.
"""

from __future__ import annotations

import shutil
import sys
from importlib.resources import files
from pathlib import Path

__all__ = ["example_path", "write_example"]

FILES = ("series.csv", "truth.json", "found.json")


def example_path(name: str) -> Path:
    """Return the path of one of `FILES` in the installed package.

    Examples
    --------
    >>> from tsmdbench.metrics import prom
    >>> prom(example_path("truth.json"), example_path("found.json"))
    Prom(precision=0.778, recall=0.778, f1=0.778, tp=7, fp=2, fn=2)
    """
    return Path(str(files("tsmdbench"))) / "data" / "example" / name


def write_example(folder: Path) -> None:
    """Copy the example's files into an existing folder."""
    for name in FILES:
        shutil.copyfile(example_path(name), folder / name)


if __name__ == "__main__":
    write_example(Path(sys.argv[1]))
