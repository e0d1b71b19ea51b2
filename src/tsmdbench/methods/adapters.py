"""Functions and instances as methods: adapters that are called like a class."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from tsmdbench.errors import InputTypeError


class FunctionMethod:
    """Adapter for a function of a series, whose further arguments are the fields."""

    def __init__(self, function: Any) -> None:
        self.function = function
        functools.update_wrapper(self, function)  # facts, grid, version
        name = getattr(function, "__name__", "a function")
        try:
            first, *rest = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            first = None
        if first is None or first.kind is first.KEYWORD_ONLY:
            raise InputTypeError(f"{name} must take a series: def {name}(series)")
        kinds = (first.POSITIONAL_OR_KEYWORD, first.KEYWORD_ONLY)
        fields = [
            each.replace(kind=each.KEYWORD_ONLY) for each in rest if each.kind in kinds
        ]
        self.__signature__ = inspect.Signature(fields)

    def find(self, series: Any) -> Any:
        """Return the motif sets of a series."""
        return self.function(series)

    def __call__(self, **setting: Any) -> FunctionMethod:
        """Return the method with these fields."""
        return FunctionMethod(functools.partial(self.function, **setting))


class InstanceMethod:
    """Adapter that runs an instance with the parameters that it has."""

    def __init__(self, instance: Any) -> None:
        self.instance = instance
        self.find = instance.find

    def __call__(self, **_: Any) -> Any:
        """Return the instance; its fields are only noted."""
        return self.instance


def class_of(thing: Any) -> Any:
    """Return a class unchanged, and wrap a function so that it acts as a class.

    Examples
    --------
    >>> def ends(series, length):
    ...     return [[(0, length), (len(series) - length, len(series))]]
    >>> class_of(ends)(length=3).find(range(10))
    [[(0, 3), (7, 10)]]
    """
    is_function = isinstance(thing, types.FunctionType | functools.partial)
    return FunctionMethod(thing) if is_function else thing
