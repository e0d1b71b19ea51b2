"""Methods and datasets in a file of one's own: ``./file.py:Class``.

The file becomes a module that can be imported: its folder, or that of the package that
it is in, is put at the end of the import path of this process, which the processes that
compute inherit. From then on it is named ``module:Class``, as in a store.
"""

from __future__ import annotations

import ast
import importlib.util
import keyword
import sys
from pathlib import Path

from tsmdbench.errors import InputError

ENDING = ".py"


def importable(name: str, kind: str = "method") -> str:
    """Return ``module:object`` for ``path/module.py:object``; other names as they are.

    Parameters
    ----------
    name : str
        As it was typed.
    kind : str
        What it names, for errors: "method" or "dataset".

    Raises
    ------
    InputError
        There is no such file, it cannot be a module, or another module has its name.
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
    folder, module = _module_name(file.resolve())
    if not all(map(_is_name, module.split("."))):
        raise InputError(
            f"{kind} {name!r}: {file.name} cannot be imported by this name; rename it "
            f"to letters, digits and underscores"
        )
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    _check_found(module, file, folder)
    return f"{module}:{attribute}"


def file_folders(names: tuple[str, ...]) -> list[str]:
    """Return the folders that names of the form ``path/module.py:object`` need."""
    files = (Path(name.rpartition(":")[0]) for name in names)
    folders = (_module_name(f.resolve())[0] for f in files if f.suffix == ENDING)
    return list(dict.fromkeys(map(str, folders)))


def _module_name(file: Path) -> tuple[Path, str]:
    """Return the folder to import from, and the name of the module there."""
    folder, parts = file.parent, [file.stem]
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        parts.insert(0, folder.name)
        folder = folder.parent
    return folder, ".".join(parts)


def _is_name(text: str) -> bool:
    return text.isidentifier() and not keyword.iskeyword(text)


def _check_found(module: str, file: Path, folder: Path) -> None:
    """Raise if the name of a file's module leads to another file."""
    package = module.partition(".")[0]
    own = folder / package / "__init__.py" if "." in module else file
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


def _nothing_named(path: str, kind: str) -> str:
    """Return what to say of a file of which no class or function was named."""
    what = "class" if kind == "method" else "function"
    found = _candidates(Path(path), kind)
    like = " or ".join(f"{path}:{name}" for name in found) or f"{path}:NAME"
    return f"{kind} {path!r} needs the name of a {what} in the file: {like}"


def _candidates(file: Path, kind: str) -> list[str]:
    """Return the classes with `find`, or the functions, of a file; nothing is run."""
    try:
        body = ast.parse(file.read_bytes()).body
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    if kind != "method":
        return [node.name for node in body if isinstance(node, ast.FunctionDef)]
    return [
        node.name
        for node in body
        if isinstance(node, ast.ClassDef)
        and any(getattr(inner, "name", "") in ("find", "_find") for inner in node.body)
    ]
