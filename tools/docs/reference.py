"""The pages of the reference: one per folder of the package, a section per module.

A module is on a page if it has public names, so nothing is forgotten when one is added.
The text comes from the docstrings when the site is built.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.docs.blocks import ROOT

from tsmdbench import METHODS

SOURCE = ROOT / "src"
PACKAGE = SOURCE / "tsmdbench"
DOCS = ROOT / "docs" / "reference"
# Parts that a user of the package imports from, with what stands on top of their page.
PARTS = {
    "core": "The words of the package: motif sets, problems, errors, names.",
    "io": "Series and motif sets: read, converted, written.",
    "metrics": "How well found motif sets agree with the true ones.",
    "methods": "Discovery methods, what they have in common, and the contract kit.",
    "archive": "Labelled instances: found, verified, described, selected.",
    "benchmark": "Motif problems with ground truth, the paper's and your own.",
    "experiments": "Settings, searches, runs, and the store.",
    "analysis": "What comes out of runs.",
    "report": "Tables, figures and the page.",
}
CORE = ("types", "validation", "registry", "errors", "segments", "example")
# Packages that export all that users need; their modules stay out of the reference.
WHOLE = ("io",)
CONSTANTS = {
    "METRICS": "the registry of metrics, by name.",
    "METHODS": "the registry of methods, by name.",
    "DATASETS": "the names of the 14 datasets of TSMD-Bench.",
    "SPLITS": "the names of the two splits.",
    "PAPER_METHODS": "the names of the eleven methods that the paper compares.",
}
NOTE = (
    "<!-- Written by 'python -m tools.docs.generate' from the modules of the package. "
    "The site shows their docstrings here. -->"
)


def modules(part: str) -> list[str]:
    """Return the modules of a part that have public names, the package itself first."""
    if part == "core":
        return [f"tsmdbench.{name}" for name in CORE]
    if part in WHOLE:
        return [f"tsmdbench.{part}"]
    folder = PACKAGE / part
    files = [folder / "__init__.py", *sorted(folder.rglob("[!_]*.py"))]
    files = [file for file in files if not _is_private(file.relative_to(folder))]
    return [_name(file) for file in files if file.is_file() and _says_something(file)]


def _is_private(file: Path) -> bool:
    """Whether a module lies in a folder whose name starts with an underscore."""
    return any(folder.startswith("_") for folder in file.parts[:-1])


def _name(file: Path) -> str:
    dotted = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
    return dotted.removesuffix(".__init__")


def _says_something(file: Path) -> bool:
    """Whether a module has public names, or is a package that explains itself."""
    if file.name == "__init__.py":
        return True
    return bool(public_names(file))


def public_names(file: Path) -> list[str]:
    """Return the public functions and classes that a module defines."""
    return [
        node.name
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
    ]


def exported(part: str) -> list[str]:
    """Return the names that a part's package lists in ``__all__``.

    Names that it imports on first use only are documented where they are defined.
    """
    file = PACKAGE / part / "__init__.py"
    bound: set[str] = set()
    listed: list[str] = []
    for node in ast.parse(file.read_text()).body if file.is_file() else ():
        if isinstance(node, ast.ImportFrom):
            bound |= {name.asname or name.name for name in node.names}
        targets = [*getattr(node, "targets", ()), getattr(node, "target", None)]
        names = {getattr(target, "id", "") for target in targets}
        bound |= names
        if "__all__" in names:
            listed = ast.literal_eval(node.value)  # type: ignore[attr-defined]
    return [name for name in listed if name in bound]


def shown_on_top(part: str) -> set[str]:
    """Return the names that the package itself shows.

    A function that has the name of its module, such as ``prom``, is shown there; the
    reader of docstrings takes the name of the package's member for that of the module.
    """
    last = {module.rsplit(".", 1)[-1] for module in modules(part)}
    return {name for name in exported(part) if not name.isupper() and name not in last}


def _section(module: str, hidden: set[str]) -> list[str]:
    """Return what stands on the page for one module, without what stands above."""
    file = SOURCE / Path(*module.split("."))
    file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    if file.name == "__init__.py":
        shown = hidden if module.count(".") == 1 else set()  # not in a package inside
        return [f"::: {module}", _members(sorted(shown)), *_constants(module)]
    page = METHOD_PAGES.get(module)
    names = [name for name in public_names(file) if name not in hidden]
    if page is not None:  # the text of the module is the page of the method
        told = [f"See [its page](../methods/{page}.md) for the idea and the rest.", ""]
        return [*told, *(f"::: {module}.{name}\n{ROOTED}" for name in names)]
    return [f"::: {module}", _members(names)]


def _members(names: list[str]) -> str:
    shown = f"[{', '.join(names)}]" if names else "false"
    return f"    options: {{members: {shown}}}"


def _constants(module: str) -> list[str]:
    """Return what the constants of a package are; each must be told of."""
    names = [name for name in exported(module.split(".")[-1]) if name.isupper()]
    return ["", *(f"`{name}`: {CONSTANTS[name]}" for name in names)]


def pages() -> Iterator[tuple[Path, str]]:
    """Yield the pages of the reference."""
    listed = []
    for part, says in PARTS.items():
        names = modules(part)
        if not names:
            continue
        listed.append(f"- [{part}]({part}.md): {says}")
        lines = [NOTE, "", f"# Reference: {part}", "", says, ""]
        hidden = shown_on_top(part)
        for module in names:
            lines += [f"## {module}", "", *_section(module, hidden), ""]
        yield DOCS / f"{part}.md", "\n".join(lines)
    head = [NOTE, "", "# Reference", "", *TOP, "", *listed, ""]
    yield DOCS / "index.md", "\n".join(head)


# A class that stands by itself needs the heading that it has inside a module.
ROOTED = "    options: {show_root_heading: true, show_root_toc_entry: true}"
METHOD_PAGES = {METHODS[name].__module__: name for name in reversed(list(METHODS))}
TOP = (
    "What most people need is in `tsmdbench` itself: `evaluate`, `evaluate_many`,",
    "`explain`, `prom`, `METRICS`, `METHODS`, `MotifSet`, `Problem`, `load_benchmark`",
    "and `build_benchmark`. The pages below tell of everything else, module by module.",
)
