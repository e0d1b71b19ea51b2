"""Registries: mappings from name to object, for metrics and methods.

An entry is an object or the text ``"module:object"``, which is imported when it is
first looked up, so that listing the names imports nothing. Other packages add
entries through an entry-point group; they are imported when they are looked up.

An object in a file is named ``./file.py:object``. The folder of the file, or of its
package, is appended to the import path of this process and of the processes that it
starts. The object is then named ``module:object``, also in stores.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import keyword
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, TypeVar, overload

from tsmdbench.errors import InputError, UnknownNameError

T = TypeVar("T")
D = TypeVar("D")
ENDING = ".py"


class Registry(Mapping[str, T]):
    """A mapping from name to object, sorted by name.

    ``registry[name]`` also imports what is not registered from ``"module:object"``.
    As with a `collections.defaultdict`, such a name is not ``in`` the registry, and
    `get` returns the default for it.

    Parameters
    ----------
    kind : str
        What an entry is, for errors: "metric".
    group : str, optional
        Entry-point group that other packages use to add entries.
    convert : callable ``(object, name) -> entry``, optional
        Makes an entry of a registered object, or raises for a wrong one.

    Examples
    --------
    >>> shapes = Registry("shape")
    >>> shapes.add("square", 4)
    >>> shapes.add("root", "math:sqrt")
    >>> list(shapes), shapes["root"](9)
    (['root', 'square'], 3.0)
    >>> shapes.get("sqare", 0)
    0
    >>> shapes["sqare"]
    Traceback (most recent call last):
    tsmdbench.errors.UnknownNameError: no shape 'sqare'; did you mean 'square'?
    """

    def __init__(
        self,
        kind: str,
        group: str | None = None,
        convert: Callable[[Any, str], T] | None = None,
    ) -> None:
        self.kind = kind
        self._group = group
        self._convert = convert
        self._entries: dict[str, Any] = {}
        self._external: dict[str, EntryPoint] | None = None

    def add(self, name: str, entry: T | str) -> None:
        """Register `entry`, or where to import it from, under a new `name`."""
        if name in self._entries:
            raise InputError(f"{self.kind} {name!r} exists; choose another name")
        self._entries[name] = entry

    def added(self) -> list[str]:
        """Return the names that `add` registered, without those of other packages."""
        return sorted(self._entries)

    def __getitem__(self, name: str) -> T:
        entry = self._loaded(name)
        return entry if self._convert is None else self._convert(entry, name)

    @overload
    def get(self, name: str, /) -> T | None: ...
    @overload
    def get(self, name: str, /, default: T | D) -> T | D: ...
    def get(self, name: str, /, default: Any = None) -> Any:
        """Return the object of that name, `default` when it is not registered.

        A registered object that cannot be imported raises, as ``registry[name]`` does.
        """
        if name not in self:
            return default
        return self[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._from_entry_points()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._entries, *self._from_entry_points()}))

    def __len__(self) -> int:
        return len({*self._entries, *self._from_entry_points()})

    def __repr__(self) -> str:
        return f"<{len(self)} {self.kind}s: {', '.join(self)}>"

    def _loaded(self, name: str) -> Any:
        """Look up a name: added entries, entry points, ``module:object``."""
        if name in self._entries:
            entry = self._entries[name]
            if isinstance(entry, str):
                entry = self._entries[name] = import_object(entry, self.kind)
            return entry
        point = self._from_entry_points().get(name)
        if point is not None:
            try:
                return point.load()
            except Exception as cause:  # the code of another package
                package = f" of package {point.dist.name!r}" if point.dist else ""
                raise InputError(
                    f"cannot import {self.kind} {name!r}{package} from "
                    f"{point.value!r}: {type(cause).__name__}: {cause}"
                ) from cause
        if isinstance(name, str) and ":" in name:
            return import_object(name, self.kind)
        near = difflib.get_close_matches(str(name), list(self), n=3, cutoff=0.5)
        hint = (
            f"did you mean {' or '.join(map(repr, near))}?"
            if near
            else f"known: {', '.join(self)}"
        )
        raise UnknownNameError(f"no {self.kind} {str(name)!r}; {hint}")

    def _from_entry_points(self) -> dict[str, EntryPoint]:
        """Read the entry points once: it costs a walk over the installed packages."""
        if self._external is None:
            found = entry_points(group=self._group) if self._group else ()
            self._external = {point.name: point for point in found}
        return self._external


def import_object(path: str, kind: str = "object") -> Any:
    """Import ``"module:object"`` or ``"file.py:object"``; raise one sentence if not."""
    path = importable(path, kind)
    module_name, _, attribute = path.partition(":")
    if not all(map(str.isidentifier, module_name.split("."))) or not attribute:
        raise UnknownNameError(
            f"{kind} {path!r} must be written as package.module:object"
        )
    try:
        module = importlib.import_module(module_name)
    except ImportError as cause:
        hint = ""
        if isinstance(cause, ModuleNotFoundError) and cause.name:
            hint = f", which {module_name!r} imports; install it"
            if f"{module_name}.".startswith(f"{cause.name}."):
                file = Path(*module_name.split(".")).with_suffix(".py")
                here = file.is_file()
                place = f"{file} is here" if here else "if it is a file of yours"
                folder, named = (".", "./") if here else ("FOLDER", "FOLDER/")
                hint = (
                    f"; {place}: set PYTHONPATH={folder}, or write "
                    f"{named}{file}:{attribute} for --{kind} of 'tsmdbench run'"
                )
        raise UnknownNameError(
            f"cannot import {kind} {path!r}: {cause}{hint}"
        ) from cause
    except (Exception, SystemExit) as cause:
        raise InputError(
            f"cannot import {kind} {path!r}, whose module raises "
            f"{type(cause).__name__}: {cause}"
        ) from cause
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise UnknownNameError(
            f"cannot import {kind} {path!r}: module {module_name!r} "
            f"has no {attribute!r}"
        ) from None


def importable(name: str, kind: str = "method") -> str:
    """Return ``module:object`` for ``path/module.py:object``; other names as they are.

    `kind` is what errors call it. Raises `InputError` where there is no such file, it
    cannot be a module, or another module has its name.
    """
    path, colon, attribute = name.rpartition(":")
    if not colon and name.endswith(ENDING):
        raise InputError(_nothing_named(name, kind))
    if not path.endswith(ENDING):
        return name
    file = Path(path)
    if not file.is_file():
        raise InputError(f"{kind} {name!r}: there is no file {path}")
    if not attribute:
        raise InputError(_nothing_named(path, kind))
    # The folder to import from, and the name of the module there.
    whole = file.resolve()
    folder, parts = whole.parent, [whole.stem]
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        parts.insert(0, folder.name)
        folder = folder.parent
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
        raise InputError(
            f"{kind} {name!r}: {file.name} cannot be imported by this name; rename it "
            f"to letters, digits and underscores"
        )
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    # The name must not lead to another file.
    package = parts[0]
    own = folder / package / "__init__.py" if len(parts) > 1 else file
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        spec = None
    origin = None if spec is None else spec.origin
    if origin is None or not Path(origin).is_file() or not Path(origin).samefile(own):
        raise InputError(
            f"{file} cannot be imported, since there is another module named "
            f"{package!r} ({origin or 'built-in'}); rename the file"
        )
    return f"{'.'.join(parts)}:{attribute}"


def _nothing_named(path: str, kind: str) -> str:
    """Return the message for a file without the name of a class or function.

    It proposes classes with `find`, or functions, of the file, which is not run.
    """
    try:
        body = ast.parse(Path(path).read_bytes()).body
    except (OSError, SyntaxError, ValueError, RecursionError):
        body = []
    what, found = "function", [n.name for n in body if isinstance(n, ast.FunctionDef)]
    if kind == "method":
        what, finds = "class", {"find", "_find"}
        found = [
            node.name
            for node in body
            if isinstance(node, ast.ClassDef)
            and finds & {getattr(inner, "name", "") for inner in node.body}
        ]
    like = " or ".join(f"{path}:{name}" for name in found) or f"{path}:NAME"
    return f"{kind} {path!r} needs the name of a {what} in the file: {like}"
