"""Base class of motif discovery methods: fields, facts, and `find`.

A method is a frozen dataclass. Its fields are its hyperparameters, so the command
line, the grids, the stored rows and the tables of the documentation all read them
from one place. Its class facts say what it can do:

``univariate``
    It looks at one channel of a series, the one that its field `channel` names; with
    ``all_channels`` the field may be ``"all"``, and distances are summed over channels.
``variable_length``
    ``"no"``: one length for all motifs. ``"inter"``: lengths differ between sets.
    ``"intra"``: lengths differ within a set.
``symbolic``
    It compares symbols instead of samples.
``takes_missing``
    It searches series with missing values (NaN or infinite samples), by the rule below.
``grid``
    The values of its fields that a search tries: a mapping of field to values, or a
    function of `tsmdbench.experiments.settings.DataFacts` that returns one. Empty for
    a method whose fields all follow from the data. ``full_grid``, of the same form, is
    what ``--grid full`` tries instead.

``paper``
    The values of its fields in the preset ``paper``: the method as its public code
    behaves by default. All fields are named that neither follow from the data nor are
    tried by a search. The defaults of the class are what we recommend.
``warm_up``
    Settings for `planted_problem` that together call all its kernels; a field without a
    default that they leave out gets a usual value.

**Missing values.** A window that contains a NaN or infinite sample, in any channel that
the method looks at, is skipped: no segment that is returned contains one, and samples
before and after it are found as if the series ended there. Nothing is filled in, except
by `Auto`, which interpolates for its search and leaves out segments afterwards. A
method that cannot do this (``takes_missing = False``) raises `InputError`.

**Constant windows.** A window whose samples are all equal, in all channels that the
method looks at, has no shape, and a stuck sensor would be the best motif of all. The
methods that compare windows leave them out; the field `constant` keeps them where a
method can (``"keep"``). `Method.left_out` counts windows of both kinds.

Any other class with a ``find(series)`` works too, wherever a method is expected;
inheriting from `Method` adds the checks and `sweep`.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet
from tsmdbench.validation import (
    check_choice,
    check_flag,
    check_fraction,
    check_integer,
    check_not_negative,
    check_number,
    check_options,
    check_positive,
    check_range,
    check_series,
)

Found = tuple[MotifSet, ...]
Series = NDArray[np.float64]
LARGEST = 1e150  # samples whose squares, and sums of them, are finite
CONSTANT = ("skip", "keep")  # what a method does with constant windows
SHORTEST = ("length", "l_min", "window")  # the field with the shortest window
MIN_LENGTH = 4  # shorter windows have no shape left after z-normalisation


class LeftOut(NamedTuple):
    """Number of windows that a method does not look at.

    Attributes
    ----------
    windows : int
        All windows of the shortest length that the method looks for.
    missing : int
        Those that contain a NaN or infinite sample.
    constant : int
        Those that are constant; 0 if the method keeps them.
    """

    windows: int
    missing: int
    constant: int


class _OnClassOrInstance:
    """Let `sweep` be called on a class (full settings) or a method (changes to it)."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.__doc__ = function.__doc__

    def __get__(self, instance: Any, owner: type) -> Callable[..., Any]:
        target = owner if instance is None else instance
        return self._function.__get__(target)  # type: ignore[no-any-return]


@dataclasses.dataclass(frozen=True, repr=False)
class Method(ABC):
    """Base class of the methods, which checks the series before the search.

    A subclass declares its fields and facts, checks its fields in `__post_init__`,
    and implements `_find` for a series that has been checked.
    """

    univariate: ClassVar[bool]
    variable_length: ClassVar[Literal["no", "inter", "intra"]]
    symbolic: ClassVar[bool]
    takes_missing: ClassVar[bool] = True
    all_channels: ClassVar[bool] = False
    grid: ClassVar[Any] = {}  # see `tsmdbench.methods._grids.Grid`
    paper: ClassVar[Mapping[str, Any]] = {}
    warm_up: ClassVar[Sequence[Mapping[str, Any]]] = ({},)

    def __repr__(self) -> str:
        """Return the fields in the order of the constructor."""
        names = [field.name for field in fields_of(type(self))]
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({values})"

    def find(self, series: Any) -> Found:
        """Return at most `max_sets` motif sets of a series, the best first.

        Parameters
        ----------
        series : array-like of shape (n,) or (n, d)
            Time is axis 0. A univariate method looks at the channel of its field
            `channel` only. No returned segment contains a NaN or infinite sample; a
            method with ``takes_missing = False`` refuses them.

        Returns
        -------
        tuple of MotifSet
            Best first; empty where the method finds nothing.
        """
        return self._find(self._checked(series))

    def left_out(self, series: Any) -> LeftOut:
        """Count the windows of a series that the method leaves out.

        Examples
        --------
        >>> from tsmdbench.methods import STOMP
        >>> STOMP(length=4).left_out([0, 1, 5, 5, 5, 5, 5, 2, 8, np.nan])
        LeftOut(windows=7, missing=1, constant=2)
        """
        x = self._checked(series).reshape(len(series), -1)
        length = self._shortest
        keeps = getattr(self, "constant", "skip") == "keep"
        changes = (x[1:] != x[:-1]).any(axis=1)
        missing = _windows_with(np.asarray(~np.isfinite(x).all(axis=1)), length)
        constant = ~_windows_with(changes, length - 1) & ~missing
        counts = int(missing.sum()), 0 if keeps else int(constant.sum())
        return LeftOut(len(missing), *counts)

    @property
    def _shortest(self) -> int:
        """Length of the shortest windows that the method looks for."""
        own = [name for name in SHORTEST if hasattr(self, name)]
        return min(int(getattr(self, name)) for name in own)

    @_OnClassOrInstance
    def sweep(
        target: Any,  # noqa: N805 (the class or an instance, see _OnClassOrInstance)
        series: Any,
        settings: Iterable[Mapping[str, Any] | Method],
    ) -> list[Found]:
        """Find for many settings of one method, sharing what they have in common.

        Parameters
        ----------
        series : array-like of shape (n,) or (n, d)
            As for `find`.
        settings : iterable of mappings, or of methods of this class
            Field values. On an instance they replace its own; on the class they
            must name every field that has no default.

        Returns
        -------
        list of tuple of MotifSet
            ``[method.find(series) for method in settings]``, in this order.
        """
        cls: Any = target if isinstance(target, type) else type(target)
        names = [field.name for field in dataclasses.fields(cls)]
        methods = []
        make = cls if target is cls else partial(dataclasses.replace, target)
        setting: Any
        for setting in settings:
            if not isinstance(setting, cls):
                check_options(setting, names, cls.__name__)
                setting = make(**setting)
            methods.append(setting)
        found: list[Found] = cls._sweep(series, methods)
        return found

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Find one by one; a subclass that can share work overrides this."""
        return [method.find(series) for method in methods]

    @classmethod
    def _warm_up(cls, series: Series) -> None:
        """Call the kernels that no search of `warm_up` calls; by default none."""
        del series

    @abstractmethod
    def _find(self, x: Series) -> Found:
        """Find in a checked series: ``float64[n]`` of one channel, else ``[n, d]``."""

    def _checked(self, series: Any) -> Series:
        """Return what `_find` gets: one channel, or all as ``float64[n, d]``."""
        x = check_series(series)
        largest = float(np.max(np.abs(x), initial=0.0, where=np.isfinite(x)))
        if largest > LARGEST:
            raise InputError(
                f"the series has samples of {largest:.3g}, but at most {LARGEST:g} can "
                f"be squared and added; scale it down"
            )
        channels = 1 if x.ndim == 1 else x.shape[1]
        if not self.univariate:
            x = x.reshape(len(x), channels)
        elif (channel := check_channel(getattr(self, "channel", 0), self)) != "all":
            if channel >= channels:
                raise InputError(
                    f"channel must be below {channels}, the number of channels of the "
                    f"series, got {channel}"
                )
            x = x if x.ndim == 1 else np.ascontiguousarray(x[:, channel])
        if not self.takes_missing and not np.isfinite(x).all():
            at = int(np.argwhere(~np.isfinite(x))[0, 0])
            raise InputError(
                f"{type(self).__name__} does not take missing values, but sample {at} "
                f"of the series is {x[at].tolist()}; cut the series into pieces "
                f"without them (--missing split) or fill them in "
                f"(--missing interpolate)"
            )
        return x


def _windows_with(marked: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    """Mark the windows that contain a set flag."""
    before = np.concatenate([[0], np.cumsum(marked)])
    return np.asarray(before[length:] > before[: len(before) - length])


def fields_of(cls: Any) -> list[dataclasses.Field[Any]]:
    """Return the fields of a method in the order of its constructor.

    Keyword-only fields come last; `dataclasses.fields` has those of a base class first.

    >>> from tsmdbench.methods.setfinder import SetFinder
    >>> [field.name for field in fields_of(SetFinder)]
    ['length', 'radius', 'max_sets', 'disjoint', 'channel', 'constant', 'n_jobs']
    """
    return sorted(dataclasses.fields(cls), key=lambda field: bool(field.kw_only))


def check_is_method(cls: Any, name: str) -> None:
    """Raise unless a class has a method `find`."""
    if not callable(getattr(cls, "find", None)):
        raise InputTypeError(f"{name} is not a method: it has no find(series)")
    if not callable(cls):
        raise InputTypeError(f"{name} is not a method: it is not a class")


def check_length(length: Any, name: str = "length") -> int:
    """Return a window length; shorter than `MIN_LENGTH` is refused."""
    return check_integer(length, name, minimum=MIN_LENGTH)


def check_channel(channel: Any, method: Any) -> int | Literal["all"]:
    """Return a channel, or ``"all"`` if the method can sum over channels."""
    if channel == "all" and method.all_channels:
        return "all"
    return check_integer(channel, "channel", minimum=0)


def check_max_sets(max_sets: Any, name: str = "max_sets") -> int | None:
    """Return the largest number of sets, at least 1; None means no limit."""
    return None if max_sets is None else check_integer(max_sets, name, minimum=1)


def check_n_jobs(n_jobs: Any, name: str = "n_jobs") -> int:
    """Return a number of threads: at least 1, or -1 for all processors."""
    jobs = check_integer(n_jobs, name)
    if jobs < -1 or jobs == 0:
        raise InputError(
            f"{name} must be at least 1, or -1 for all processors, got {jobs}"
        )
    return jobs


check_slack = partial(check_range, rule="lie in (0, 1]", holds=lambda v: 0 < v <= 1)


# Checks of the fields that mean the same in several methods.
CHECKS: dict[str, Callable[[Any, str], Any]] = {
    **dict.fromkeys(("length", "window", "l_min", "l_max"), check_length),
    **dict.fromkeys(("radius", "radius_factor", "alpha"), check_positive),
    **dict.fromkeys(("min_radius", "flat_threshold"), check_not_negative),
    **dict.fromkeys(("exclusion", "max_overlap"), check_fraction),
    **dict.fromkeys(
        ("step", "subsample", "neighbours", "subspace"),
        partial(check_integer, minimum=1),
    ),
    "alphabet_size": partial(check_integer, minimum=2, maximum=256),
    "constant": partial(check_choice, choices=CONSTANT),
    "disjoint": check_flag,
    "elbow_deviation": check_number,
    "k_max": partial(check_integer, minimum=3),
    "max_sets": check_max_sets,
    "n_jobs": check_n_jobs,
    "slack": check_slack,
}


def check_fields(method: Any) -> None:
    """Check the fields of a method that are in `CHECKS`, and its channel and lengths.

    None is accepted where it is the default.
    """
    for one in dataclasses.fields(method):
        value = getattr(method, one.name)
        if one.name == "channel":
            check_channel(value, method)
        elif one.name in CHECKS and (value is not None or one.default is not None):
            CHECKS[one.name](value, one.name)
    low, high = getattr(method, "l_min", 0), getattr(method, "l_max", math.inf)
    if low > high:
        raise InputError(f"l_min must not exceed l_max, got {low} and {high}")


def check_fits(x: Series, length: int, name: str = "length") -> None:
    """Raise unless two windows of `length` samples fit side by side into `x`."""
    if len(x) < 2 * length:
        raise InputError(
            f"the series has {counted(len(x), 'sample')}, but {name}={length} needs at "
            f"least {2 * length}: a motif occurs twice"
        )
