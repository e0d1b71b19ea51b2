"""A method as an experiment runs it, and what a manifest keeps of it.

Any class with ``find(series)`` will do; the arguments of its constructor are its
hyperparameters. What is known of a method is its `MethodInfo`. A report must not import
what a store names, since that would run code of others. So what the author declared is
written into the manifest when the method runs, under ``methods``, and whether it was an
object of a session, which cannot be imported.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.experiments.code_hash import OURS, Code, code_version
from tsmdbench.experiments.environments import (
    Environment,
    foreign_class,
    runs_elsewhere,
    stop_runner,
)
from tsmdbench.experiments.grids import toml_heading
from tsmdbench.experiments.rows import SEED, storable
from tsmdbench.methods import METHODS
from tsmdbench.methods.adapters import InstanceMethod, class_of
from tsmdbench.methods.base import Method, check_is_method
from tsmdbench.methods.info import LONGEST, MethodInfo, constructor_fields
from tsmdbench.validation import check_options

CARDS = "methods"  # field of the manifest: name to card


@dataclasses.dataclass(frozen=True)
class Described:
    """A method by name, with what is known of its class."""

    name: str
    cls: Any
    version: str
    fields: tuple[str, ...]
    required: tuple[str, ...]
    session: bool = False  # an object of the session, which cannot be imported
    code: bytes = b""  # of such an object, to be sent, see `session.by_value`
    environment: Environment | None = None
    doubt: str = ""  # why its version is not certain, see `code_hash`

    @property
    def info(self) -> MethodInfo:
        """What its author declares.

        Raises
        ------
        InputError
            It is not allowed; the message names the method.
        """
        is_instance = isinstance(self.cls, InstanceMethod)
        given = self.cls.instance if is_instance else self.cls
        try:
            info = MethodInfo.of(given)
        except InputError as error:
            raise type(error)(f"{self.name}: {error}") from None
        if info.univariate is None and "channel" in self.fields:
            info = dataclasses.replace(info, univariate=True)
        if is_instance and info.display_name is not None:
            settings = self.name.removeprefix(type(given).__name__)
            name = f"{info.display_name}{settings}"[:LONGEST]
            info = dataclasses.replace(info, display_name=name)
        return info

    @property
    def univariate(self) -> bool:
        """Whether it looks at one channel, which its field `channel` names."""
        return bool(getattr(self.cls, "univariate", "channel" in self.fields))

    @property
    def has_seed(self) -> bool:
        """Whether it draws at random, from a field named `seed`."""
        return SEED in self.fields

    @property
    def is_ours(self) -> bool:
        """Whether it is one of the methods of tsmdbench."""
        return str(getattr(self.cls, "__module__", "")).startswith(f"{OURS}.")

    @property
    def shares_work(self) -> bool:
        """Whether its `sweep` does more than find one by one."""
        if not (isinstance(self.cls, type) and issubclass(self.cls, Method)):
            return hasattr(self.cls, "sweep")
        default: Any = Method._sweep
        mine: Any = self.cls._sweep
        return mine.__func__ is not default.__func__

    def parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all hyperparameters for the given ones, checked by the method.

        Raises
        ------
        InputError
            The method refuses them, or one is missing; the message names the method.
        """
        check_options(given, self.fields, self.name)
        missing = [name for name in self.required if name not in given]
        if missing:
            raise InputError(
                f"{self.name} needs {', '.join(missing)}, which the data does not give;"
                f" give it in a file, --params FILE with the lines "
                f"{toml_heading(self.name)} and {missing[0]} = ..., or name values to "
                f"try in the class: grid = {{{missing[0]!r}: [...]}}"
            )
        try:
            method = self.cls(**given)
        except InputError as error:
            raise type(error)(f"{self.name}: {error}") from None
        except (Exception, SystemExit) as error:  # code of others
            raise InputError(
                f"{self.name} cannot be made of {dict(given)}: "
                f"{type(error).__name__}: {error}"
            ) from error
        if not dataclasses.is_dataclass(self.cls):
            return dict(given)
        # Fields that do not count in comparisons do not change what is found.
        counted = [f.name for f in dataclasses.fields(self.cls) if f.compare]
        return {name: getattr(method, name) for name in counted if name in self.fields}


def describe(name: str, environment: Environment | None = None) -> Described:
    """Describe the method of that name, or ``module:Class``.

    The environment holds for methods that are not registered here, see
    `tsmdbench.experiments.environments`.
    """
    if environment is not None and not runs_elsewhere(name):
        environment = None
    if environment is not None:
        stop_runner(environment, name)  # its files may have changed since it started
        foreign_class.cache_clear()
        cls = foreign_class(environment, name)
        found = described(name, cls, cls.code)
    else:
        thing = METHODS[name]
        cls = class_of(thing)
        check_is_method(cls, name)
        found = described(name, cls, code_version(thing, name if ":" in name else ""))
    return dataclasses.replace(found, environment=environment)


def described(name: str, cls: Any, code: Code) -> Described:
    """Describe a class, or what is called like one, under a name and a version."""
    try:
        accepted, required = constructor_fields(cls)
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"{name} is not a method: {error}") from None
    version = storable(code.version)
    return Described(name, cls, version, accepted, required, doubt=code.doubt)


def cards(methods: Iterable[Described]) -> dict[str, dict[str, Any]]:
    """Return what a manifest keeps of methods; ours are left out."""
    ours = METHODS.added()
    return {
        method.name: {"facts": method.info.to_dict(), "session": method.session}
        for method in methods
        if method.name not in ours
    }


def declared_facts(manifest: Mapping[str, Any]) -> dict[str, MethodInfo]:
    """Return the facts of the methods that a manifest has a card of.

    Raises
    ------
    InputError
        A card holds something else.
    """
    try:
        return {
            name: MethodInfo.from_dict(card["facts"])
            for name, card in manifest.get(CARDS, {}).items()
        }
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(
            f"the manifest of the store is damaged: what is declared about methods "
            f"cannot be read ({error})"
        ) from None


def session_methods(manifest: Mapping[str, Any]) -> set[str]:
    """Return the names of the methods that were objects of a session."""
    known = manifest.get(CARDS, {})
    return {
        name
        for name, card in known.items()
        if isinstance(card, Mapping) and card.get("session") is True
    }
