"""What an experiment needs to know of a method: its fields, its version, its sweep.

Any class with ``find(series)`` will do. A dataclass tells its hyperparameters by its
fields, another class by the arguments of its constructor.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.experiments.code_hash import OURS, Code, code_version
from tsmdbench.experiments.environments.environment import Environment, runs_elsewhere
from tsmdbench.experiments.environments.foreign import foreign_class, stop_runner
from tsmdbench.experiments.seeds import SEED
from tsmdbench.experiments.store.rows import storable
from tsmdbench.experiments.toml_files import toml_heading
from tsmdbench.methods import METHODS
from tsmdbench.methods.adapters import class_of
from tsmdbench.methods.base import Method, check_is_method
from tsmdbench.validation import check_options


@dataclasses.dataclass(frozen=True)
class Described:
    """A method by name, with what is known of its class."""

    name: str
    cls: Any
    version: str
    fields: tuple[str, ...]
    required: tuple[str, ...]
    session: bool = False  # an object of the session, which nobody can import
    code: bytes = b""  # of such an object, to be sent, see `session.by_value`
    environment: Environment | None = None
    doubt: str = ""  # why its version is not certain, see `code_hash`

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
        except (Exception, SystemExit) as error:  # somebody else's code
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
        accepted, required = _fields(cls)
    except (TypeError, ValueError) as error:
        raise InputTypeError(f"{name} is not a method: {error}") from None
    version = storable(code.version)
    return Described(name, cls, version, accepted, required, doubt=code.doubt)


def _fields(cls: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what the constructor takes, and what it must be given."""
    named = [
        parameter
        for parameter in inspect.signature(cls).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    required = [p.name for p in named if p.default is inspect.Parameter.empty]
    return tuple(p.name for p in named), tuple(required)
