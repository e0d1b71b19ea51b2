"""Which code a method is: one hash for files, classes, instances and functions.

The version of a method is part of the key of a run, so changed code is run again, and
what the old code found stays in the store. What counts as a change:

1. For a method that is named (``module:object``, ``file.py:object``): the syntax of its
   file, of the files of its class and base classes, and of all local files that these
   import, also inside functions. *Local* is neither installed nor part of Python.
2. For an object of a session: its compiled code, defaults, closures, attributes and
   fields, the globals that it names, and the local files that these come from.
3. Of an installed package, its version; not of NumPy, SciPy, numba and tsmdbench.
4. Not comments, docstrings, formatting and folders, nor data files; the order of
   statements does.
5. Where this cannot be decided (an import of a computed name, a value that cannot be
   taken apart, a file that was edited after it was imported) the method is run again
   every time, and a message says why.

A class, instance or function that has an attribute `version` of its own, not that of a
base class, has this version instead. The methods of tsmdbench have the version of
tsmdbench, those of an installed package that of its distribution.

This file needs only the standard library and Python 3.8: the program that runs methods
in other environments (`child`) reads it too.
"""

from __future__ import annotations

import ast
import copyreg
import dis
import functools
import hashlib
import importlib.util
import inspect
import os
import re
import sys
import sysconfig
import types
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

OURS = "tsmdbench"
BASIS = frozenset({OURS, "numpy", "scipy", "numba"})
INSTALLED = frozenset({"site-packages", "dist-packages"})
SESSION = ("__main__", "__mp_main__")
DIGITS = 12  # of the hash that a version shows
HASHED = re.compile(rf"(.*\+)?[0-9a-f]{{{DIGITS}}}(-[0-9a-f]{{8}})?")
PLAIN = (str, int, float, complex, bool, type(None), type(...), type(NotImplemented))
# What imports or runs code whose name or text may be computed.
IMPORTERS = frozenset({"import_module", "__import__"})
COMPUTING = IMPORTERS | {
    "exec", "eval", "spec_from_file_location", "SourceFileLoader", "exec_module",
    "load_module", "load_source", "run_path", "run_module",
}  # fmt: skip
METHODS_TOO = frozenset({"exec", "eval"})  # names that objects often have as methods
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# What a syntax tree says of how something was written rather than of what it does.
WRITING = frozenset({"kind", "type_comment", "type_ignores"})
# Of a class, what Python adds itself and what differs from session to session.
SKIPPED = frozenset({
    "__module__", "__dict__", "__weakref__", "__doc__", "__firstlineno__",
    "__static_attributes__", "_abc_impl",
})  # fmt: skip
# What the objects of some types consist of.
PARTS: dict[type, Any] = {
    types.MethodType: lambda bound: (bound.__func__, bound.__self__),
    classmethod: lambda method: (method.__func__,),
    staticmethod: lambda method: (method.__func__,),
    property: lambda of: (of.fget, of.fset, of.fdel),
    functools.cached_property: lambda of: (of.func,),
    dict: lambda table: [part for item in table.items() for part in item],
    types.MappingProxyType: lambda table: [p for item in table.items() for p in item],
    list: list,
    tuple: tuple,
}
MADE = (types.GetSetDescriptorType, types.MemberDescriptorType)
# Of the modules of this session, how they were imported and what their files said.
_LOADED: dict[str, tuple[Any, str]] = {}


class Code(NamedTuple):
    """The version of a method, and why it is not certain; empty if it is."""

    version: str
    uncertain: str = ""


def code_version(thing: Any, named: str = "") -> Code:
    """Return the version of a class, instance or function.

    Parameters
    ----------
    thing : class, instance or function
    named : str
        Its name, ``module:object``, where it is given by name.

    Examples
    --------
    >>> from tsmdbench.methods import STOMP
    >>> code_version(STOMP) == (metadata.version("tsmdbench"), "")
    True
    >>> code_version(lambda x: x + 1) == code_version(lambda x: x + 1)
    True
    >>> code_version(lambda x: x + 1) == code_version(lambda x: x + 2)
    False
    """
    own = _own_version(thing)
    if own is not None:
        return Code(own)
    kind = thing if isinstance(thing, (type, types.FunctionType)) else type(thing)
    modules = {str(kind.__module__)}
    if named:
        place = named.rpartition(":")[0]
        modules.add(Path(place).stem if place.endswith(".py") else place)
    packages = {module.partition(".")[0] for module in modules}
    if packages == {OURS} and isinstance(thing, type):
        return Code(metadata.version(OURS))
    walk = _Walk()
    if named:
        if {_place(module) for module in modules} == {"installed"}:
            installed = _package_version(min(packages))
            if installed:
                return Code(installed)
        for base in kind.__mro__ if isinstance(kind, type) else (kind,):
            walk.add_module_of(base)
        for module in modules:
            walk.add_module(module)
    else:
        try:
            walk.add(thing)
        except RecursionError:
            walk.warn("it refers to too many objects")
    digest, uncertain = walk.digest(), "; ".join(walk.reasons[:2])
    if uncertain:
        digest += f"-{os.urandom(4).hex()}"
    declared = _declared_version(str(kind.__module__).partition(".")[0])
    return Code(f"{declared}+{digest}" if declared else digest, uncertain)


def is_hash(text: str) -> bool:
    """Return True if a version has a hash of code in it.

    >>> is_hash("0.2+3f09c1d2e0b4"), is_hash("0.2")
    (True, False)
    """
    return HASHED.fullmatch(text) is not None


def local_file(named: str) -> str:
    """Return the file of ``module:object`` or ``file.py:object`` that is not installed.

    Empty for other names.
    """
    module = named.rpartition(":")[0]
    if module.endswith(".py"):
        return str(Path(module).resolve())
    return str(_file(module)) if module and _place(module) == "local" else ""


def _own_version(thing: Any) -> str | None:
    """Return the version that an object or its class declares, not one of its bases."""
    holders = [thing] if isinstance(thing, type) else [thing, type(thing)]
    for holder in holders:
        own = getattr(holder, "__dict__", {}).get("version")
        if own is not None and not callable(own) and not inspect.isdatadescriptor(own):
            return str(own)
    return None


class _Walk:
    """Hash an object with all that it refers to, each part once."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}  # of files, versions of packages
        self.reasons: list[str] = []  # why a change may be missed
        self._values = hashlib.blake2b(digest_size=32)
        self._seen: dict[int, tuple[int, Any]] = {}  # objects too: an id is used again

    def digest(self) -> str:
        """Return the hash of everything that was added."""
        whole = self._values.copy()
        for name, text in sorted(self.texts.items()):
            whole.update(f"{name}\0{text}\0".encode("utf-8", "backslashreplace"))
        return whole.hexdigest()[:DIGITS]

    def warn(self, reason: str) -> None:
        """Note why the hash may miss a change."""
        if reason not in self.reasons:
            self.reasons.append(reason)

    # Files and packages

    def add_module_of(self, thing: Any) -> None:
        """Add the module of a class or function that can be imported."""
        module = str(getattr(thing, "__module__", None) or "")
        if module.partition(".")[0] == OURS:
            # The base class only states the contract; the others do the finding.
            if (
                module.startswith(f"{OURS}.methods.")
                and module != f"{OURS}.methods.base"
            ):
                self.texts[f"package {OURS}"] = metadata.version(OURS)
        elif _place(module) == "session":
            self._note(*_own_source(thing))
        else:
            self.add_module(module)

    def add_module(self, name: str) -> None:
        """Add a module, those above it, and what it imports; or its package."""
        package, *inner = name.split(".")
        if package not in BASIS:
            for end in range(len(inner) + 1):
                self._add_file(".".join([package, *inner[:end]]))

    def _add_file(self, name: str) -> None:
        place, file, entry = _place(name), _file(name), f"module {name}"
        if place == "installed":
            package = name.partition(".")[0]
            self.texts[f"package {package}"] = _package_version(package)
        if place != "local" or file is None or entry in self.texts:
            return
        self.texts[entry] = ""  # modules may import each other
        tree, text = _read(file)
        self.texts[entry] = text
        spec = getattr(sys.modules.get(name), "__spec__", None)  # new after a reload
        seen = _LOADED.setdefault(name, (spec, text))
        if spec is None or seen[0] is not spec:
            _LOADED[name] = spec, text
        elif seen[1] != text:
            self.warn(
                f"{file.name} was edited after this session imported it (restart, or "
                f"reload the module)"
            )
        self._add_imports(tree, name, file)

    def _add_imports(self, tree: ast.AST, name: str, file: Path) -> None:
        """Add the modules that a file may import; some of the names may be of objects.

        A package whose attributes are made when they are used may mean any module of
        it. What imports or runs something whose name is not written there, a package
        that is not found in a file that changes `sys.path`: both are reasons to warn.
        """
        is_package = file.stem == "__init__"
        package = name if is_package else name.rpartition(".")[0]
        names: list[str] = []
        bases: list[str] = []
        suspects: list[Any] = []
        is_lazy = moves_path = False
        written = set()  # calls of importers with a name that is written there
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
                bases += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = _resolved("." * node.level + (node.module or ""), package)
                if base:
                    names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
                    bases.append(base)
                    renamed = (a.name for a in node.names if a.asname)
                    suspects += [node] * bool(COMPUTING.intersection(renamed))
            elif isinstance(node, ast.Call):
                called = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
                text = node.args[0] if called in IMPORTERS and node.args else None
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    written.add(id(node.func))
                    names += filter(None, [_resolved(text.value, package)])
            elif isinstance(node, ast.Attribute):
                suspects += [node] * (node.attr in COMPUTING - METHODS_TOO)
                of_sys = getattr(node.value, "id", "") == "sys"
                moves_path |= of_sys and node.attr == "path"
            elif isinstance(node, ast.Name):
                suspects += [node] * (node.id in COMPUTING)
                made = isinstance(node.ctx, ast.Store)
                is_lazy |= made and node.id == "__getattr__"
            elif isinstance(node, ast.FunctionDef):
                is_lazy |= node.name == "__getattr__"
        for imported in names:
            self.add_module(imported)
        for node in suspects:
            if id(node) not in written:
                line = node.lineno
                self.warn(f"{file.name} imports or runs what its line {line} computes")
        for base in dict.fromkeys(bases if moves_path else ()):
            top = base.partition(".")[0]
            if top not in sys.modules and _spec(top, None) is None:
                self.warn(f"{file.name} changes sys.path, and {base!r} is not found")
        for other in (
            sorted(file.parent.rglob("*.py")) if is_package and is_lazy else ()
        ):
            inner = other.relative_to(file.parent).with_suffix("").parts
            parts = inner[:-1] if inner[-1] == "__init__" else inner
            self._add_file(".".join([name, *parts]))

    # Values

    def _note(self, *texts: Any) -> None:
        for text in texts:
            self._values.update(f"{text}\0".encode("utf-8", "backslashreplace"))

    def add(self, value: Any) -> None:
        """Add a value of any kind."""
        if type(value) in PLAIN:
            self._note(type(value).__name__, repr(value))
        elif type(value) in (bytes, bytearray):
            self._note(type(value).__name__, hashlib.blake2b(value).hexdigest())
        elif id(value) in self._seen:
            self._note("again", self._seen[id(value)][0])
        else:
            self._seen[id(value)] = len(self._seen), value
            self._add_new(value)

    def _add_new(self, value: Any) -> None:
        kind = type(value)
        if kind is types.ModuleType:
            self._note("module", value.__name__)
            self.add_module(value.__name__)
        elif kind is types.FunctionType:
            self._add_function(value)
        elif kind is types.CodeType:
            self._add_code(value)
        elif isinstance(value, type):
            self._add_class(value)
        elif kind in PARTS:
            parts = PARTS[kind](value)
            self._note(kind.__name__, len(parts))
            for part in parts:
                self.add(part)
        elif kind in (set, frozenset):  # in no order of its own
            self._note(kind.__name__, *sorted(map(self._apart, value)))
        else:
            self._add_object(value)

    def _apart(self, value: Any) -> str:
        """Return the hash of a value by itself."""
        other = _Walk()
        other.add(value)
        for reason in other.reasons:
            self.warn(reason)
        return other.digest()

    def _is_named(self, value: Any) -> bool:
        """Add what can be imported by its name, by that; False for anything else."""
        module, qualname = str(value.__module__), value.__qualname__
        self._note(type(value).__name__, module, qualname)
        place = _place(module)
        if place != "session":
            self.add_module_of(value)
        found: Any = sys.modules.get(module)
        for part in qualname.split("."):
            found = getattr(found, part, None)
        return place != "session" and found is value

    def _add_function(self, function: types.FunctionType) -> None:
        if self._is_named(function):
            return
        self._add_code(function.__code__)
        self.add(function.__defaults__)
        self.add(function.__kwdefaults__)
        self.add({k: v for k, v in vars(function).items() if k != "__doc__"})
        for cell in function.__closure__ or ():
            try:
                self.add(cell.cell_contents)
            except ValueError:  # not filled yet
                self._note("empty")
        if _place(str(function.__module__)) != "session":
            return  # its globals are those of its file
        names, modules, computing, last = set(), set(), set(), ""
        for step in _steps(function.__code__):
            name, what = str(step.argval), step.opname
            if what in ("LOAD_GLOBAL", "LOAD_NAME"):
                names.add(name)
            elif what == "IMPORT_NAME":
                last = name
            if what in ("IMPORT_NAME", "IMPORT_FROM"):
                modules.add(name if what == "IMPORT_NAME" else f"{last}.{name}")
            if what in ("LOAD_ATTR", "LOAD_METHOD") and name not in METHODS_TOO:
                computing.add(name)
            if what in ("LOAD_GLOBAL", "LOAD_NAME", "IMPORT_FROM"):
                computing.add(name)
        for name in sorted(names & set(function.__globals__)):
            self._note("global", name)
            self.add(function.__globals__[name])
        for name in sorted(modules):
            self.add_module(name)
        for name in sorted(computing & COMPUTING):
            self.warn(f"{function.__name__} uses {name}")

    def _add_code(self, code: types.CodeType) -> None:
        self._note("code", code.co_code.hex(), code.co_names, code.co_varnames)
        for constant in code.co_consts:
            self.add(constant)

    def _add_class(self, cls: type) -> None:
        if self._is_named(cls):
            return
        if type(cls) is not type:
            self.add(type(cls))
        for base in cls.__bases__:
            self.add(base)
        for name, value in sorted(vars(cls).items()):
            if name not in SKIPPED and not isinstance(value, MADE):
                self._note(name)
                self.add(value)

    def _add_object(self, value: Any) -> None:
        """Add an object by its class, and by what pickle would keep of it."""
        kind = type(value)
        names = (getattr(value, name, None) for name in ("__module__", "__qualname__"))
        if all(isinstance(name, str) for name in names) and self._is_named(value):
            return  # a compiled function of a module
        self.add(kind)
        wrapped = getattr(value, "__wrapped__", None)
        python = getattr(value, "py_func", None)  # of what numba compiles
        if isinstance(python, types.FunctionType):
            self.add(python)
            self.add(getattr(value, "targetoptions", None))
            return
        if wrapped is not None:
            self.add(wrapped)
        try:
            reduce = copyreg.dispatch_table.get(kind)
            whole = reduce(value) if reduce else value.__reduce_ex__(4)
        except Exception:  # noqa: BLE001 (objects of others may raise anything)
            self.warn(f"it holds a {kind.__name__}, which cannot be compared")
            return
        if isinstance(whole, str):  # the name of a global
            self._note("name", whole)
            if wrapped is None and _place(str(kind.__module__)) in ("session", "local"):
                self.warn(f"it holds a {kind.__name__}, which cannot be compared")
            return
        for part in whole[:3]:
            self.add(part)
        for items in whole[3:5]:
            for item in () if items is None else items:
                self.add(item)


# Where modules are


def _place(module: str) -> str:
    """Return where code is: session, standard, installed or local."""
    if module in SESSION or not module:
        return "session"
    package = module.partition(".")[0]
    if package in sys.builtin_module_names:
        return "standard"
    file = _file(module)
    if file is None:
        standard = getattr(sys, "stdlib_module_names", ())  # since Python 3.10
        return "standard" if package in standard else "session"
    if not INSTALLED.isdisjoint(file.parts):
        return "installed"
    folders = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    folders.add(str(Path(inspect.__file__).parent))
    if any(Path(folder) in file.parents for folder in folders):
        return "standard"
    return "installed" if package == OURS else "local"


def _file(name: str) -> Path | None:
    """Return the file of a module, imported or not; nothing is imported for it."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if file is None and name not in sys.modules:
        spec, path = None, None
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            spec = _spec(".".join(parts[:end]), path)
            if spec is None:
                return None
            path = spec.submodule_search_locations
        file = spec.origin if spec is not None and spec.has_location else None
    return Path(file) if file and Path(file).is_file() else None


def _spec(name: str, path: Any) -> Any:
    """Return where Python would import a module from."""
    for finder in sys.meta_path:
        try:
            spec = finder.find_spec(name, path)
        except (AttributeError, ImportError, ValueError, OSError):
            continue
        if spec is not None:
            return spec
    return None


@functools.lru_cache(maxsize=1)
def _distributions() -> Any:
    every = getattr(metadata, "packages_distributions", dict)  # since Python 3.10
    return every()


def _declared_version(package: str) -> str:
    """Return the version of a package, or what it says of itself."""
    try:
        return metadata.version(package)
    except (metadata.PackageNotFoundError, ValueError):
        return str(getattr(sys.modules.get(package), "__version__", ""))


def _package_version(package: str) -> str:
    """Return the version of an installed package, whatever its distribution's name."""
    try:
        return metadata.version(package)
    except (metadata.PackageNotFoundError, ValueError):
        named = [
            f"{n} {metadata.version(n)}" for n in _distributions().get(package, ())
        ]
    return named[0] if named else _declared_version(package)


# What a file says


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
            has_docstring = ast.get_docstring(node, clean=False) is not None
            kept = value[1:] if has_docstring else value
        if name not in WRITING and kept is not None and kept != []:
            fields.append(f"{name}={syntax_text(kept)}")
    return f"{type(node).__name__}({','.join(fields)})"


def _own_source(thing: Any) -> tuple[str, str]:
    """Return what counts of an object whose module has no file, as in an archive."""
    try:
        text = inspect.cleandoc("\n" + inspect.getsource(thing))
        return str(thing.__qualname__), syntax_text(ast.parse(text))
    except (OSError, TypeError, SyntaxError, RecursionError, AttributeError):
        return str(getattr(thing, "__qualname__", "")), ""


def _resolved(name: str, package: str) -> str:
    """Return the name of an imported module; empty if it lies beyond the top."""
    try:
        return importlib.util.resolve_name(name, package)
    except (ImportError, ValueError):
        return ""


def _steps(code: types.CodeType) -> Iterator[dis.Instruction]:
    """Yield the instructions of code, and of the functions in it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _steps(constant)
