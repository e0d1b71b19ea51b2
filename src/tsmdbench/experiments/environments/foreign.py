"""A class that stands for a method in another environment.

It is made from how the other environment describes the method: a frozen dataclass with
the same fields, defaults, class facts and grids. Grids, settings and the command line
therefore treat it like any other class; only `find` is answered elsewhere.
"""

from __future__ import annotations

import atexit
import dataclasses
import hashlib
import json
import keyword
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.experiments.code_hash import Code
from tsmdbench.experiments.environments.environment import Environment
from tsmdbench.experiments.environments.process import Found, MethodError, Runner
from tsmdbench.validation import check_series

GRIDS = ("grid", "full_grid", "paper_grid")
VARIABLE_LENGTHS = ("no", "inter", "intra")
DIGITS = 8  # of a hash in the version of a method


class ForeignMethod:
    """Base of the classes that `foreign_class` makes; their fields are settings."""

    code: ClassVar[Code]
    environment: ClassVar[Environment]
    foreign_name: ClassVar[str]

    def __post_init__(self) -> None:
        """Let the other environment refuse settings."""
        try:
            runner_of(self.environment, self.foreign_name).make(self.params)
        except MethodError as error:
            raise InputError(str(error)) from None

    @property
    def params(self) -> dict[str, Any]:
        """All settings."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {field.name: getattr(self, field.name) for field in fields}

    def find(self, series: Any) -> Any:
        """Return the motif sets that the method finds, as nested lists."""
        return self.measured(check_series(series)).sets

    def measured(self, series: NDArray[np.float64], **bounds: Any) -> Found:
        """Return what is found and what it took; see `Runner.find` for the bounds."""
        runner = runner_of(self.environment, self.foreign_name)
        return runner.find(self.params, series, **bounds)


@cache
def _kept() -> dict[tuple[Environment, str], Runner]:
    """Return the runners of this process, which end with it."""
    runners: dict[tuple[Environment, str], Runner] = {}

    def end() -> None:
        for runner in runners.values():
            runner.close()

    atexit.register(end)
    return runners


def runner_of(environment: Environment, method: str) -> Runner:
    """Return the runner of a method, which is started where there is none."""
    runners, place = _kept(), (environment, method)
    if place in runners and runners[place].has_ended():
        stop_runner(environment, method)
    if place not in runners:
        runner = Runner(environment, method)
        try:
            runner.describe()
        except BaseException:
            runner.close()
            raise
        runners[place] = runner
    return runners[place]


def stop_runner(environment: Environment, method: str) -> None:
    """End the runner of a method, if there is one; the next use starts another."""
    runner = _kept().pop((environment, method), None)
    if runner is not None:
        runner.close()


@cache
def foreign_class(environment: Environment, method: str) -> Any:
    """Return a class that stands for a method in another environment.

    Raises
    ------
    InputError
        The environment cannot be used, or has no such method.
    """
    try:
        runner = runner_of(environment, method)
    except MethodError as error:
        raise InputError(
            f"cannot import method {method!r} in the other environment "
            f"({environment}): {error}"
        ) from None
    told = runner.description
    namespace: dict[str, Any] = {
        **_facts(told["facts"]),
        "__doc__": str(told["summary"]),
        "__module__": __name__,
        "environment": environment,
        "foreign_name": method,
        "code": _version(told, runner.about),
        "about": runner.about,
    }
    for name in GRIDS:
        if name in told["grids"]:
            namespace[name] = staticmethod(_grid(environment, method, name))
    return dataclasses.make_dataclass(
        str(told["name"]),
        [_field(field, method) for field in told["fields"]],
        bases=(ForeignMethod,),
        namespace=namespace,
        frozen=True,
    )


def _field(told: Mapping[str, Any], method: str) -> tuple[str, type, Any]:
    name = told["name"]
    if (
        not name.isidentifier()
        or keyword.iskeyword(name)
        or hasattr(ForeignMethod, name)
    ):
        raise InputError(f"{method}: a field cannot be called {name!r}; rename it")
    options: dict[str, Any] = {"compare": told.get("compare", True), "kw_only": True}
    if "default" in told:
        default = told["default"]
        if isinstance(default, list | dict):
            options["default_factory"] = lambda: json.loads(json.dumps(default))
        else:
            options["default"] = default
    return name, object, dataclasses.field(**options)


def _facts(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the class facts that have a value which is known."""
    facts = {
        n: told[n] for n in ("univariate", "symbolic") if type(told.get(n)) is bool
    }
    if told.get("variable_length") in VARIABLE_LENGTHS:
        facts["variable_length"] = told["variable_length"]
    if isinstance(told.get("display_name"), str):
        facts["display_name"] = told["display_name"]
    return facts


def _version(told: Mapping[str, Any], about: Mapping[str, Any]) -> Code:
    """Return what a result depends on: the method, and every package around it.

    The version that `code_hash` gives in the other environment, and a hash of Python
    and all packages of that environment.
    """
    around = json.dumps(about, sort_keys=True).encode()
    version = f"{told['version']}+env-{hashlib.sha256(around).hexdigest()[:DIGITS]}"
    return Code(version, told["doubt"])


def _grid(environment: Environment, method: str, name: str) -> Any:
    """Return a function of facts that asks the other environment for a grid."""

    def grid(facts: Any) -> dict[str, Any]:
        told = {
            key: value if value == value else None  # JSON has no NaN
            for key, value in dataclasses.asdict(facts).items()
        }
        try:
            return runner_of(environment, method).grid(name, told)
        except MethodError as error:
            raise InputError(f"the grid of {method}: {error}") from None

    return grid
