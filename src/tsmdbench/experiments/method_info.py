"""Methods as experiments run them, and what a store notes of them.

What is known of a method is its `MethodInfo`. A report must not import what a store
names, since that would run code of others. So the facts that the author declared are
written into the manifest when the method runs, under ``methods``, and whether it was an
object of a session, which cannot be imported. `tsmdbench.experiments.run` says which
objects are methods.

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
from tsmdbench.experiments.code_hash import SESSION, Code, code_version
from tsmdbench.experiments.environments import (
    Environment,
    external_class,
    stop_process,
)
from tsmdbench.experiments.rows import parameters_text, storable
from tsmdbench.methods import METHODS
from tsmdbench.methods.adapters import FunctionMethod, InstanceMethod, class_of
from tsmdbench.methods.base import check_is_method
from tsmdbench.methods.info import MethodInfo
from tsmdbench.registry import importable

FACTS = "methods"  # field of the manifest: name to what is noted of a method
LONGEST_NAME = 60  # characters of one that is made of settings
EXPECTED = (
    "a name, a class or an instance with find(series), or a function find(series)"
)


def describe(name: str, environment: Environment | None = None) -> MethodInfo:
    """Return the record of the method of that name, or ``module:Class``.

    The environment holds for methods that are not registered here, see
    `tsmdbench.experiments.environments`.
    """
    if environment is not None and ":" in name:
        stop_process(environment, name)  # its files may have changed since it started
        external_class.cache_clear()
        cls = external_class(environment, name)
        return _record(name, cls, cls.code, environment=environment)
    thing = METHODS[name]
    cls = class_of(thing)
    check_is_method(cls, name)
    return _record(name, cls, code_version(thing, name if ":" in name else ""))


def _record(name: str, cls: Any, code: Code, **more: Any) -> MethodInfo:
    """Return the record of a class, or of what is called like one."""
    version = storable(code.version)
    try:
        return MethodInfo.of(
            cls, name, version=version, uncertain=code.uncertain, **more
        )
    except InputError as error:
        raise type(error)(f"{name}: {error}") from None
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"{name} is not a method: {error}") from None


def as_methods(
    given: Any, *, by_value: bool = True, external: bool = False
) -> tuple[tuple[str, ...], dict[str, MethodInfo]]:
    """Return the names of methods, and the records of objects of the session.

    Objects of the session get their code `by_value`, to be sent to other processes.
    Files of an `external` environment are not imported here.
    """
    several = isinstance(given, Iterable) and not isinstance(given, str | type)
    names: list[str] = []
    session: dict[str, MethodInfo] = {}
    for one in given if several and not hasattr(given, "find") else (given,):
        if isinstance(one, str):
            name: str | None = one if external else importable(one)
        else:
            name = _importable(one)
        if name is None:
            method = _of_session(one)
            name = method.name
            code = _pickled(name, method.cls) if by_value else b""
            session[name] = dataclasses.replace(method, code=code)
        if name in names:
            raise InputError(
                f"two of the methods are called {name!r}; give one of them another name"
            )
        names.append(name)
    return tuple(names), session


def _importable(given: Any) -> str | None:
    """Return the name by which a worker can import a class; None if it cannot."""
    if not isinstance(given, type) or given.__module__ in SESSION:
        return None
    if given.__module__.startswith("tsmdbench.methods."):
        for name in METHODS.added():
            if METHODS[name] is given:
                return name
    module = sys.modules.get(given.__module__)
    if getattr(module, "__file__", None) is None:  # made by a program
        return None
    same = getattr(module, given.__qualname__, None) is given
    return f"{given.__module__}:{given.__qualname__}" if same else None


def _of_session(given: Any) -> MethodInfo:
    """Return the record of an object that has no name that a worker could import."""
    values: dict[str, Any] | None = None
    adapter: Any = given
    if isinstance(given, type):
        name = given.__name__
    elif callable(getattr(given, "find", None)):
        name, values = _name_and_values(given)
        adapter = InstanceMethod(given)
    elif isinstance(given, types.FunctionType | functools.partial):
        name = getattr(given, "__name__", "")
        if not name or name == "<lambda>":
            raise InputError(
                "a function must have a name to be stored under; define it with 'def'"
            )
        adapter = FunctionMethod(given)
    else:
        raise InputTypeError(
            f"a method must be {EXPECTED}, got {type(given).__name__}: {given!r:.80}"
        )
    if name in METHODS:
        raise InputError(
            f"{name!r} is the name of a method that is registered; rename yours"
        )
    check_is_method(adapter, name)
    return _record(name, adapter, code_version(given), session=True, values=values)


def _name_and_values(instance: Any) -> tuple[str, dict[str, Any]]:
    """Return a name with the fields that were changed, and all that can be stored."""
    cls = type(instance)
    if dataclasses.is_dataclass(instance):
        names = [field.name for field in dataclasses.fields(instance) if field.compare]
    else:
        names = [name for name in getattr(instance, "__dict__", ()) if name[:1] != "_"]
    values, changed = {}, []
    for name in names:
        value = getattr(instance, name)
        try:
            parameters_text({name: value})
        except (TypeError, ValueError):
            continue  # its code is part of the version
        values[name] = value
        try:
            is_default = bool(inspect.signature(cls).parameters[name].default == value)
        except (KeyError, TypeError, ValueError):
            is_default = False
        if not is_default:
            changed.append(f"{name}={value!r}")
    shown = f"{cls.__name__}({', '.join(changed)})".replace(":", ";")  # no import
    if len(shown) > LONGEST_NAME:
        digest = hashlib.blake2b(parameters_text(values).encode(), digest_size=3)
        shown = f"{shown[: LONGEST_NAME - 9]}…{digest.hexdigest()})"
    return shown, values


def _pickled(name: str, given: Any) -> bytes:
    """Return an object of the session as bytes that another process can load."""
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


# What a store notes


def noted_facts(methods: Iterable[MethodInfo]) -> dict[str, dict[str, Any]]:
    """Return what a manifest notes of methods that are not ours."""
    ours = METHODS.added()
    return {
        method.name: {"facts": method.to_dict(), "session": method.session}
        for method in methods
        if method.name not in ours
    }


def declared_facts(manifest: Mapping[str, Any]) -> dict[str, MethodInfo]:
    """Return the facts of the methods that a manifest notes."""
    try:
        return {
            name: dataclasses.replace(
                MethodInfo.from_dict(noted["facts"]), session=noted.get("session")
            )
            for name, noted in manifest.get(FACTS, {}).items()
        }
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(
            f"the manifest of the store is damaged: what is declared about methods "
            f"cannot be read ({error})"
        ) from None
