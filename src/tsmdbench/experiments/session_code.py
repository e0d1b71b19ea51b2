"""The code of a method that was defined in a session: how it travels, and its hash.

A class or function of a notebook cell cannot be imported by the process that computes.
It is sent by value, with cloudpickle, together with what it uses of the session. This
happens only for objects that the user's own session hands to `run`, and only through
the channels to the workers that the same call started. Nothing of it is written to a
store, and nothing is ever unpickled from a file.

The hash is part of the version that a run is stored under, so an edited cell is run
again. It covers the compiled code of the object, the functions, classes and plain
values of the session, or of its own module, that the code names, and defaults and
closures. Other modules count by name only: give a method an attribute `version` when it
depends on more.
"""

from __future__ import annotations

import hashlib
import types
from functools import lru_cache
from typing import Any

import numpy as np

from tsmdbench.errors import InputError, MissingExtraError

DIGEST = 6  # bytes; twelve letters tell the versions of one method apart
PLAIN = (str, bytes, int, float, complex, bool, type(None), type(...))
CODE = (type, types.FunctionType)
# Of a class, what Python adds itself and what differs from session to session.
SKIPPED = {"__module__", "__dict__", "__weakref__", "__doc__", "__firstlineno__"}


def by_value(name: str, given: Any) -> bytes:
    """Return an object of the session as bytes that another process can load.

    Raises
    ------
    MissingExtraError
        cloudpickle is not installed.
    InputError
        The object holds something that cannot be sent, such as an open file.
    """
    cloudpickle = _cloudpickle()
    try:
        return bytes(cloudpickle.dumps(given))
    except Exception as error:  # somebody else's objects may raise anything
        raise InputError(
            f"{name} cannot be sent to a worker process ({type(error).__name__}: "
            f"{error}); put it into a module, or run in this process with workers=0"
        ) from error


@lru_cache(maxsize=64)
def loaded(code: bytes) -> Any:
    """Return the object that `by_value` made bytes of, in the process that computes."""
    return _cloudpickle().loads(code)


def _cloudpickle() -> Any:
    try:
        import cloudpickle
    except ImportError:
        raise MissingExtraError(
            "methods that are defined in a session need cloudpickle", "run"
        ) from None
    return cloudpickle


def code_digest(given: Any) -> str:
    """Return a hash of the code behind a class, a function or an instance.

    It does not depend on line numbers, or on what else the session defines.

    Examples
    --------
    >>> code_digest(lambda x: x + 1) == code_digest(lambda x: x + 1)
    True
    >>> code_digest(lambda x: x + 1) == code_digest(lambda x: x + 2)
    False
    """
    walk = _Walk(_modules(given))
    try:
        walk.add(given)
    except RecursionError:
        raise InputError(
            f"{given!r:.80} refers to too much for a hash of its code; give it an "
            f"attribute version, and change that with the code"
        ) from None
    return walk.digest.hexdigest()


class _Walk:
    """Hash an object and what it refers to, each part once."""

    def __init__(self, modules: set[str | None]) -> None:
        self._modules = modules
        self.digest = hashlib.blake2b(digest_size=DIGEST)
        self._seen: dict[int, Any] = {}  # the objects too: an id is used again

    def _note(self, *texts: Any) -> None:
        for text in texts:
            self.digest.update(f"{text}\0".encode("utf-8", "backslashreplace"))

    def add(self, value: Any) -> None:
        """Add a value of any kind."""
        if isinstance(value, PLAIN):
            self._note(type(value).__name__, repr(value))
        elif isinstance(value, types.ModuleType):
            self._note("module", value.__name__)
        elif id(value) in self._seen:
            self._note("seen")
        else:
            self._seen[id(value)] = value
            self._add_new(value)

    def _add_new(self, value: Any) -> None:
        if isinstance(value, types.FunctionType):
            self._add_function(value)
        elif isinstance(value, types.CodeType):
            self._add_code(value)
        elif isinstance(value, type):
            self._add_class(value)
        elif isinstance(value, (classmethod, staticmethod, types.MethodType)):
            self.add(value.__func__)
        elif isinstance(value, property):
            for part in (value.fget, value.fset, value.fdel):
                self.add(part)
        elif isinstance(value, np.ndarray | np.generic):
            array = np.asarray(value)
            self._note("array", array.dtype, array.shape, array.tolist())
        elif isinstance(value, dict):
            self._note("dict", len(value))
            for key, entry in value.items():
                self.add(key)
                self.add(entry)
        elif isinstance(value, list | tuple):
            self._note(type(value).__name__, len(value))
            for entry in value:
                self.add(entry)
        elif isinstance(value, set | frozenset):  # in no order of its own
            self._note("set", *sorted(map(repr, value)))
        else:
            self._add_object(value)

    def _add_function(self, function: types.FunctionType) -> None:
        if not self._is_own(function):
            self._note("function", function.__module__, function.__qualname__)
            return
        self._add_code(function.__code__)
        self.add(function.__defaults__)
        self.add(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            try:
                self.add(cell.cell_contents)
            except ValueError:  # not filled yet
                self._note("empty")
        for name in sorted(_names(function.__code__)):
            if name in function.__globals__:
                self._note("global", name)
                self.add(function.__globals__[name])

    def _is_own(self, value: Any) -> bool:
        """Tell whether code counts; what is defined inside a function always does."""
        module = getattr(value, "__module__", None)
        return module in self._modules or "<locals>" in value.__qualname__

    def _add_code(self, code: types.CodeType) -> None:
        self._note("code", code.co_code.hex(), code.co_names, code.co_varnames)
        for constant in code.co_consts:
            self.add(constant)

    def _add_class(self, cls: type) -> None:
        self._note("class", cls.__module__, cls.__qualname__)
        if not self._is_own(cls):
            return
        for base in cls.__bases__:
            self.add(base)
        for name, value in sorted(vars(cls).items()):
            if name not in SKIPPED and not _is_made(value):
                self._note(name)
                self.add(value)

    def _add_object(self, value: Any) -> None:
        """Add an object by its class and its attributes."""
        self.add(type(value))
        slots = getattr(type(value), "__slots__", ())
        names = {*getattr(value, "__dict__", ()), *slots} - {"__dict__"}
        for name in sorted(names):
            if hasattr(value, name):
                self._note(name)
                self.add(getattr(value, name))


def _modules(given: Any) -> set[str | None]:
    """Return the modules whose code counts: the session, and that of the object."""
    parts = given if isinstance(given, tuple) else (given,)
    own = {
        getattr(p if isinstance(p, CODE) else type(p), "__module__", None)
        for p in parts
    }
    return {None, "__main__", *own} - {"builtins"}


def _is_made(value: Any) -> bool:
    """Tell whether Python made an attribute of a class, as those of slots."""
    kinds = (types.GetSetDescriptorType, types.MemberDescriptorType)
    return isinstance(value, kinds)


def _names(code: types.CodeType) -> set[str]:
    """Return the names that code looks up, functions inside it included."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names
