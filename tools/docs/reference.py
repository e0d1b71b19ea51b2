"""The API reference: which names its pages list, and what the page of a name needs.

The pages in ``docs/reference`` list every public name; ``tests/test_public_api.py``
compares them with what the packages export. Sphinx writes one page per name.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

from tools.docs.blocks import ROOT

from tsmdbench import METHODS

PAGES = ROOT / "docs" / "reference"
MODULE = re.compile(r"^\.\. currentmodule:: (\S+)$")
NAME = re.compile(r"^   (\w+)$")
CONSTANT = re.compile(r"^\.\. py:data:: (\w+)$")
# Names that can also be imported from `tsmdbench` itself.
TOP = (
    "evaluate evaluate_many explain prom METRICS METHODS load_benchmark "
    "build_benchmark run leaderboard InputError InputTypeError __version__"
)


def objects() -> list[tuple[str, str]]:
    """Return package and name of everything that has a page of its own."""
    return list(_listed(NAME))


def constants() -> list[tuple[str, str]]:
    """Return package and name of the constants, which a line documents."""
    return list(_listed(CONSTANT))


def _listed(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    for page in sorted(PAGES.glob("*.md")):
        package = ""
        for line in page.read_text().splitlines():
            if match := MODULE.match(line):
                package = match[1]
            elif match := pattern.match(line):
                yield package, match[1]


def documented() -> set[tuple[str, str]]:
    """Return package and name of everything that the reference documents."""
    top = {("tsmdbench", name) for name in TOP.split()}
    return top | set(objects()) | set(constants())


def classes() -> dict[str, str]:
    """Return the full name of every class by its own name."""
    return {
        name: f"{package}.{name}" for package, name in objects() if name[0].isupper()
    }


def definitions() -> dict[str, str]:
    """Return, by full name, the module whose docstring has the definition.

    That is the module that defines a name, when its docstring is more than a line. Of
    several names of one module, the first has it.
    """
    found: dict[str, str] = {}
    for package, name in objects():
        module = _module(package, name)
        text = inspect.getdoc(importlib.import_module(module)) or ""
        told = module == package or module in found.values() or module in _guides()
        if "\n" in text and not told:
            found[f"{package}.{name}"] = module
    return found


def guides() -> dict[str, str]:
    """Return, by full name of a class of a method, the name of its page."""
    pages = _guides()
    return {
        f"{package}.{name}": pages[module]
        for package, name in objects()
        if (module := _module(package, name)) in pages
    }


def file_names() -> dict[str, str]:
    """Return names of files that differ by more than the case of letters."""
    names = [f"{package}.{name}" for package, name in objects()]
    lower = [name.lower() for name in names]
    return {
        name: f"{name}-class"
        for name in names
        if lower.count(name.lower()) > 1 and name.rpartition(".")[2][0].isupper()
    }


def _guides() -> dict[str, str]:
    return {METHODS[name].__module__: name for name in reversed(list(METHODS))}


def _module(package: str, name: str) -> str:
    made: Any = getattr(importlib.import_module(package), name)
    return str(made.__module__)
