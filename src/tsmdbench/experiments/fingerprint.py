"""The version of a method: which code it was when it ran.

The version is part of the key of a run, so changed code is run again, and what the old
code found stays in the store under its own version. It is, in this order:

1. the attribute `version` of the class, where it has one: the author decides;
2. for the methods of tsmdbench, the version of tsmdbench;
3. for code of an installed package, the version of its distribution;
4. for all other code, a hash of its source: the module of the class, those of its base
   classes, and every local module that these import, also inside functions. *Local* is
   what is neither installed nor part of Python. A declared version (``__version__``, or
   that of a package installed in place) stands before it: ``0.2+3f09c1d2e0b4``.

Conventions
-----------
* Comments, formatting and docstrings do not count, nor does the folder.
* Installed packages that local code imports count with their version, without those
  that our own methods stand on (`BASIS`).
* Data files do not count. A method that reads one should declare a `version`.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import re
import sys
import sysconfig
import textwrap
from collections.abc import Iterator
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

from tsmdbench.experiments.store.rows import storable

OURS = "tsmdbench"
BASIS = frozenset({OURS, "numpy", "scipy", "numba"})
INSTALLED = frozenset({"site-packages", "dist-packages"})
DIGITS = 12  # of the hash that a version shows
HASHED = re.compile(rf"(.*\+)?[0-9a-f]{{{DIGITS}}}")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# What a syntax tree says of how something was written rather than of what it does.
WRITING = frozenset({"kind", "type_comment", "type_ignores"})


def code_version(cls: Any) -> str:
    """Return the version of a class or function, by the rules of this module.

    Examples
    --------
    >>> from tsmdbench.methods import STOMP
    >>> code_version(STOMP) == version("tsmdbench")
    True
    """
    own = getattr(cls, "version", None)
    if own is not None and not callable(own) and not inspect.isdatadescriptor(own):
        return storable(str(own))
    module = _module_of(cls)
    package = module.partition(".")[0]
    if package == OURS:
        return version(OURS)
    file = _file(module)
    if file is not None and _is_installed(file):
        installed = _installed_version(package)
        if installed:
            return installed
    declared = _declared_version(package)
    digest = fingerprint(cls)
    return storable(f"{declared}+{digest}" if declared else digest)


def is_fingerprint(text: str) -> bool:
    """Tell whether a version has a hash of source code in it.

    >>> is_fingerprint("0.2+3f09c1d2e0b4"), is_fingerprint("0.2")
    (True, False)
    """
    return HASHED.fullmatch(text) is not None


def fingerprint(cls: Any) -> str:
    """Return a hash of the source of a class or function, wherever it is from."""
    found = _Sources()
    for base in getattr(cls, "__mro__", (cls,)):
        found.add_object(base)
    digest = hashlib.blake2b(digest_size=32)
    for name, text in sorted(found.texts.items()):
        digest.update(f"{name}\0{text}\0".encode("utf-8", "backslashreplace"))
    return digest.hexdigest()[:DIGITS]


class _Sources:
    """Gather what counts: names to texts of modules, objects and packages."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def add_object(self, thing: Any) -> None:
        """Add the module of a class or function; itself where that has no file."""
        module = _module_of(thing)
        if module.partition(".")[0] == OURS:
            # The base class only states the contract; the others do the finding.
            if module != f"{OURS}.methods.base":
                self.texts[f"package {OURS}"] = version(OURS)
        elif _file(module) is not None:
            self.add_module(module)
        elif module not in sys.stdlib_module_names:
            name = getattr(thing, "__qualname__", "")
            self.texts[f"object {name}"] = _own_source(thing)

    def add_module(self, name: str) -> None:
        """Add a module, those above it, and what it imports; or its package."""
        package, *inner = name.split(".")
        if package in BASIS:
            return
        for end in range(len(inner) + 1):
            self._add_file(".".join([package, *inner[:end]]))

    def _add_file(self, name: str) -> None:
        file = _file(name)
        entry = f"module {'' if name == '__main__' else name}"
        if file is None or entry in self.texts or _is_standard(file):
            return
        if _is_installed(file):
            package = name.partition(".")[0]
            self.texts[f"package {package}"] = _installed_version(package)
            return
        self.texts[entry] = ""  # modules may import each other
        tree, self.texts[entry] = _read(file)
        is_package = file.stem == "__init__"
        for imported in _imports(tree, name if is_package else name.rpartition(".")[0]):
            self.add_module(imported)


def _module_of(thing: Any) -> str:
    return str(getattr(thing, "__module__", None) or type(thing).__module__)


def _file(name: str) -> Path | None:
    """Return the file of a module, imported or not; nothing is imported for it."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if file is None and name not in sys.modules:
        spec, path = None, None
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            try:
                spec = PathFinder.find_spec(".".join(parts[:end]), path)
            except (ImportError, ValueError, OSError):
                return None
            if spec is None:
                return None
            path = spec.submodule_search_locations
        file = spec.origin if spec is not None and spec.has_location else None
    return Path(file) if file and Path(file).is_file() else None


def _is_installed(file: Path) -> bool:
    return not INSTALLED.isdisjoint(file.parts)


def _is_standard(file: Path) -> bool:
    folders = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))
    roots = (*folders, Path(inspect.__file__).parent)
    return not _is_installed(file) and any(file.is_relative_to(root) for root in roots)


def _installed_version(package: str) -> str:
    """Return the version of an installed package, whatever its distribution's name."""
    try:
        return version(package)
    except (PackageNotFoundError, ValueError):
        names = packages_distributions().get(package)
    if names:
        return f"{names[0]} {version(names[0])}"
    return _declared_version(package)


def _declared_version(package: str) -> str:
    try:
        return version(package)
    except (PackageNotFoundError, ValueError):
        return str(getattr(sys.modules.get(package), "__version__", ""))


def _read(file: Path) -> tuple[ast.AST, str]:
    """Return the syntax tree of a file and what counts of it; its bytes at worst."""
    data = file.read_bytes()
    try:
        tree = ast.parse(data)
        return tree, syntax_text(tree)
    except (SyntaxError, ValueError, RecursionError):  # compiled, or not Python
        return ast.Module([], []), hashlib.blake2b(data).hexdigest()


def syntax_text(node: Any) -> str:
    """Return a syntax tree as text, the same on every version of Python.

    `ast.dump` shows fields that newer versions added. Fields that are empty, positions,
    docstrings and ways of writing are left out here.

    >>> syntax_text(ast.parse("x = 1  # one")) == syntax_text(ast.parse("x=1"))
    True
    """
    if isinstance(node, list):
        return f"[{','.join(map(syntax_text, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = []
    for name, value in ast.iter_fields(node):
        kept = value
        if name == "body" and isinstance(node, DOCUMENTED):
            kept = value[1:] if _is_text(value) else value
        if name not in WRITING and kept is not None and kept != []:
            fields.append(f"{name}={syntax_text(kept)}")
    return f"{type(node).__name__}({','.join(fields)})"


def _is_text(body: list[ast.stmt]) -> bool:
    """Tell whether statements begin with a docstring."""
    first = body[0] if body else None
    return (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )


def _own_source(thing: Any) -> str:
    """Return what counts of an object whose module has no file, as in an archive."""
    try:
        return syntax_text(ast.parse(textwrap.dedent(inspect.getsource(thing))))
    except (OSError, TypeError, SyntaxError, RecursionError):
        return ""


def _imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Yield the modules that a module may import; some of the names may be objects."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            try:
                relative = "." * node.level + (node.module or "")
                base = importlib.util.resolve_name(relative, package)
            except ImportError:  # beyond the top: it fails when it runs, too
                continue
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
