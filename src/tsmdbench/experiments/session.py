"""Methods of the user's own session: classes, instances and functions, not names.

`tsmdbench.experiments.run` takes any mix of them:

a class with ``find(series)``
    Its fields follow from the validation data, as for a method that is given by name.
an instance
    Runs exactly as it is: nothing is filled in, nothing is tuned.
a function ``find(series)``
    Further arguments are its fields: ``find(series, length, max_sets=3)`` is given
    `length` and `max_sets` as they follow from the data.

What can be imported by a worker goes by its name. The rest, above all what a notebook
defines, goes by value, with cloudpickle, together with what it uses of the session.
This happens only for objects that the user's own session hands to `run`, and only
through the channels to the processes that the same call started. Nothing of it is
written to a store, and nothing is ever unpickled from a file.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import sys
import types
from collections.abc import Iterable, Mapping
from typing import Any

from tsmdbench.errors import InputError, InputTypeError, MissingExtraError
from tsmdbench.experiments.code_hash import code_version
from tsmdbench.experiments.method_info import Described, described
from tsmdbench.experiments.rows import parameters_text
from tsmdbench.methods import METHODS
from tsmdbench.methods.adapters import FunctionMethod, InstanceMethod
from tsmdbench.methods.base import check_is_method
from tsmdbench.registry import importable

LONGEST = 60  # characters of a name that is made of settings
EXPECTED = (
    "a name, a class or an instance with find(series), or a function find(series)"
)


@dataclasses.dataclass(frozen=True)
class DescribedInstance(Described):
    """An instance by name, with the fields that it has."""

    values: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of the instance; none can be given."""
        if given:
            raise InputError(
                f"{self.name} is an instance, so params cannot change it; give the "
                f"class, or another instance"
            )
        return dict(self.values)


def as_methods(
    given: Any, *, travel: bool = True, elsewhere: bool = False
) -> tuple[tuple[str, ...], dict[str, Described]]:
    """Return the names of methods, and a description of those that have no name.

    Parameters
    ----------
    given : str, class, instance, function, or iterable of them
    travel : bool, default True
        They are to be sent to other processes.
    elsewhere : bool, default False
        Files are those of another environment, so they are not imported here.

    Raises
    ------
    InputTypeError
        One of them is not a method.
    InputError
        Two of them have the same name.
    """
    several = isinstance(given, Iterable) and not isinstance(given, str | type)
    names: list[str] = []
    session: dict[str, Described] = {}
    for one in given if several and not hasattr(given, "find") else (given,):
        if isinstance(one, str):
            name: str | None = one if elsewhere else importable(one)
        else:
            name = _importable(one)
        if name is None:
            method = _described(one)
            name = method.name
            code = by_value(name, method.cls) if travel else b""
            session[name] = dataclasses.replace(method, session=True, code=code)
        if name in names:
            raise InputError(
                f"two of the methods are called {name!r}; give one of them another name"
            )
        names.append(name)
    return tuple(names), session


def _importable(given: Any) -> str | None:
    """Return the name by which a worker can import a class; None if it cannot."""
    if not isinstance(given, type):
        return None
    if given.__module__.startswith("tsmdbench.methods."):
        for name in METHODS.added():
            if METHODS[name] is given:
                return name
    module = sys.modules.get(given.__module__)
    if given.__module__ in ("__main__", "__mp_main__") or module is None:
        return None
    if getattr(module, "__file__", None) is None:  # made by a program
        return None
    same = getattr(module, given.__qualname__, None) is given
    return f"{given.__module__}:{given.__qualname__}" if same else None


def _described(given: Any) -> Described:
    """Describe what has no name that a worker could import."""
    if isinstance(given, type):
        return _named(given.__name__, given, given)
    if callable(getattr(given, "find", None)):
        return _described_instance(given)
    if isinstance(given, types.FunctionType | functools.partial):
        return _described_function(given)
    raise InputTypeError(
        f"a method must be {EXPECTED}, got {type(given).__name__}: {given!r:.80}"
    )


def _described_function(function: Any) -> Described:
    name = getattr(function, "__name__", "")
    if not name or name == "<lambda>":
        raise InputError(
            "a function must have a name to be stored under; define it with 'def'"
        )
    return _named(name, FunctionMethod(function), function)


def _described_instance(instance: Any) -> Described:
    cls = type(instance)
    values = _values(instance)
    changed = {
        name: value
        for name, value in values.items()
        if not _is_default(cls, name, value)
    }
    shown = ", ".join(f"{name}={value!r}" for name, value in changed.items())
    name = f"{cls.__name__}({shown})".replace(":", ";")  # ':' would be an import
    if len(name) > LONGEST:
        digest = hashlib.blake2b(parameters_text(values).encode(), digest_size=3)
        name = f"{name[: LONGEST - 9]}…{digest.hexdigest()})"
    found = _named(name, InstanceMethod(instance), instance)
    return DescribedInstance(
        **{**vars(found), "fields": (), "required": ()}, values=values
    )


def _values(instance: Any) -> dict[str, Any]:
    """Return the fields of an instance that can be stored."""
    if dataclasses.is_dataclass(instance):
        names = [field.name for field in dataclasses.fields(instance) if field.compare]
    else:
        names = [name for name in getattr(instance, "__dict__", ()) if name[:1] != "_"]
    values = {}
    for name in names:
        value = getattr(instance, name)
        try:
            parameters_text({name: value})
        except (TypeError, ValueError):
            continue  # its code is part of the version
        values[name] = value
    return values


def _is_default(cls: type, name: str, value: Any) -> bool:
    try:
        default = inspect.signature(cls).parameters[name].default
        return bool(default == value)
    except (KeyError, TypeError, ValueError):
        return False


def _named(name: str, adapter: Any, given: Any) -> Described:
    """Describe an object of the session under a name."""
    if name in METHODS:
        raise InputError(
            f"{name!r} is the name of a method that is registered; rename yours"
        )
    check_is_method(adapter, name)
    return described(name, adapter, code_version(given))


def by_value(name: str, given: Any) -> bytes:
    """Return an object of the session as bytes that another process can load.

    Raises
    ------
    MissingExtraError
        cloudpickle is not installed.
    InputError
        The object holds something that cannot be sent, such as an open file.
    """
    try:
        import cloudpickle
    except ImportError:
        raise MissingExtraError(
            "methods that are defined in a session need cloudpickle", "run"
        ) from None
    try:
        return bytes(cloudpickle.dumps(given))
    except Exception as error:  # objects of others may raise anything
        raise InputError(
            f"{name} cannot be sent to a worker process ({type(error).__name__}: "
            f"{error}); put it into a module, or run in this process with workers=0"
        ) from error
