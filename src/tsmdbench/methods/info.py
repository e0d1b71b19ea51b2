"""The record of a method: `MethodInfo`.

Everything stands on the class (or the function) as attributes, see
`tsmdbench.methods.base`; runs, the command line, the store, the tables, the figures and
the pages read it from here. An author sets the attributes by hand or with `declare`,
which checks them at once. A run notes in its store what was declared, since a report
never imports what a store names.

``display_name``
    Name of the method in tables, figures and pages; a subclass does not inherit it.
``univariate``, ``variable_length``, ``symbolic``
    What it can do, see `tsmdbench.methods.base`.
``colour``
    Its colour in figures and pages, as ``"#rrggbb"``.
``version``, ``grid``
    The version that its runs are stored under, and what a search tries.

>>> for row in catalogue(["mmotifs", "valmod"]):
...     print(row.name, row.variable_length, row.multivariate, row.parameters)
mmotifs no True ('length', 'radius')
valmod inter False ('l_min', 'l_max', 'radius_factor')
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, is_dataclass
from typing import Any, Self, TypeVar

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.methods import METHODS, PAPER_METHODS
from tsmdbench.methods.adapters import InstanceMethod, class_of
from tsmdbench.methods.base import Method, fields_of
from tsmdbench.validation import check_choice, check_flag, check_options

T = TypeVar("T")
LENGTHS = ("no", "inter", "intra")
LONGEST = 60  # characters of a name that still fit into a table
COLOUR = re.compile("#[0-9a-fA-F]{6}")
# What an author may declare, and a store notes.
DECLARED = ("display_name", "univariate", "variable_length", "symbolic", "colour")
WORDS = {"no": "fixed length", "inter": "between sets", "intra": "within sets"}


@dataclass(frozen=True)
class MethodInfo:
    """Facts about a method; None where a class does not declare them.

    Parameters
    ----------
    display_name : str, optional
    univariate : bool, optional
    variable_length : {"no", "inter", "intra"}, optional
    symbolic : bool, optional
    colour : str, optional
        ``"#rrggbb"``.
    name, method : str
        In `METHODS`, and of the class.
    parameters : tuple of str
        The fields without a default.
    options : dict
        The fields with a default, and their defaults.
    summary : str
        First line of the docstring.
    fields : tuple of str
        All fields, in the order of the constructor.
    cls : class
        What is called with the fields and has ``find(series)``.
    version, uncertain : str
        Of the code that runs, and why it is not certain, see
        `tsmdbench.experiments.code_hash`.
    environment : Environment, optional
        The Python environment that the method is in, if not ours.
    session : bool
        It is an object of the session, which cannot be imported.
    code : bytes
        Such an object by value, to be sent to other processes.
    values : mapping, optional
        The fields of an instance, which nothing can change.

    Raises
    ------
    InputError
        A value is none of those that are allowed.
    """

    display_name: str | None = None
    univariate: bool | None = None
    variable_length: str | None = None
    symbolic: bool | None = None
    colour: str | None = None
    name: str = field(default="", compare=False)
    method: str = field(default="", compare=False)
    parameters: tuple[str, ...] = field(default=(), compare=False)
    options: Mapping[str, Any] = field(default_factory=dict, compare=False)
    summary: str = field(default="", compare=False)
    fields: tuple[str, ...] = field(default=(), compare=False)
    cls: Any = field(default=None, compare=False, repr=False)
    version: str = field(default="", compare=False)
    uncertain: str = field(default="", compare=False)
    environment: Any = field(default=None, compare=False)
    session: bool = field(default=False, compare=False)
    code: bytes = field(default=b"", compare=False, repr=False)
    values: Mapping[str, Any] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        shown, colour = self.display_name, self.colour
        if shown is not None and not isinstance(shown, str):
            raise InputTypeError(f"display_name must be a text, got {shown!r:.80}")
        if shown is not None and not (
            shown.strip() and shown.isprintable() and len(shown) <= LONGEST
        ):
            raise InputError(
                f"display_name must have 1 to {LONGEST} printable characters, got "
                f"{shown!r:.80}"
            )
        for name in ("univariate", "symbolic"):
            if getattr(self, name) is not None:
                check_flag(getattr(self, name), name)
        if self.variable_length is not None:
            check_choice(self.variable_length, "variable_length", LENGTHS)
        if colour is not None and not (
            isinstance(colour, str) and COLOUR.fullmatch(colour)
        ):
            raise InputError(
                f"colour must be written like '#1f77b4', got {colour!r:.80}"
            )

    @classmethod
    def of(cls, given: Any, name: str = "", **more: Any) -> Self:
        """Read the attributes of a class, a function or an instance.

        Parameters
        ----------
        given : class, function or instance
        name : str
            By which the method is known.
        **more
            Further fields of the record.

        Raises
        ------
        InputError
            An attribute has a value that is not allowed.
        TypeError, ValueError
            A class has no signature.
        """
        made = class_of(given)
        is_instance = isinstance(given, InstanceMethod)
        shown = given.instance if is_instance else given
        facts: dict[str, Any] = {key: getattr(shown, key, None) for key in DECLARED}
        if "display_name" not in {
            **vars(type(shown)),
            **getattr(shown, "__dict__", {}),
        }:
            del facts["display_name"]
        # A subclass of ours may leave a fact open; a property belongs to instances.
        facts = {k: v for k, v in facts.items() if not isinstance(v, property)}
        has_fields = callable(made) and not is_instance
        fields, required = constructor_fields(made) if has_fields else ((), ())
        if facts.get("univariate") is None and "channel" in fields:
            facts["univariate"] = True
        if is_instance and facts.get("display_name") is not None:
            changed = name.removeprefix(type(shown).__name__)
            facts["display_name"] = f"{facts['display_name']}{changed}"[:LONGEST]
        known = fields_of(given) if is_dataclass(given) else []
        return cls(
            **facts,
            name=name,
            method=getattr(shown, "__name__", type(shown).__name__),
            parameters=required,
            options={f.name: f.default for f in known if f.default is not MISSING},
            summary=(shown.__doc__ or "").strip().split("\n")[0],
            fields=fields,
            cls=made,
            **more,
        )

    @classmethod
    def from_dict(cls, kept: Any) -> Self:
        """Rebuild it from a manifest."""
        if not isinstance(kept, Mapping):
            raise InputTypeError(f"facts of a method must be a table, got {kept!r:.60}")
        check_options(kept, DECLARED, "the facts of a method")
        return cls(**kept)

    def to_dict(self) -> dict[str, Any]:
        """Return the declared facts, ready for JSON."""
        facts = {name: getattr(self, name) for name in DECLARED}
        return {name: fact for name, fact in facts.items() if fact is not None}

    @property
    def title(self) -> str:
        """Its name in text: as its authors write it, or that of the class."""
        return self.display_name or self.method

    @property
    def in_paper(self) -> bool:
        """True if the paper compares it."""
        return self.name in PAPER_METHODS

    @property
    def shares_work(self) -> bool:
        """True if its `sweep` does more than find one by one."""
        if not (isinstance(self.cls, type) and issubclass(self.cls, Method)):
            return hasattr(self.cls, "sweep")
        default: Any = Method._sweep
        mine: Any = self.cls._sweep
        return mine.__func__ is not default.__func__

    @property
    def multivariate(self) -> bool | None:
        """True if it uses all channels of a series."""
        return None if self.univariate is None else not self.univariate

    @property
    def words(self) -> str:
        """Capabilities in words.

        >>> MethodInfo.of(METHODS["locomotif"]).words, MethodInfo().words
        ('within sets, multivariate, real-valued', 'not known')
        """
        if self.variable_length is None:
            return "not known"
        parts = [WORDS[self.variable_length]]
        if self.multivariate is not None:
            parts.append("multivariate" if self.multivariate else "univariate")
        if self.symbolic is not None:
            parts.append("symbolic" if self.symbolic else "real-valued")
        return ", ".join(parts)


def constructor_fields(cls: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the arguments of a constructor by name, and those without a default.

    Raises
    ------
    TypeError, ValueError
        It has no signature.
    """
    named = [
        parameter
        for parameter in inspect.signature(cls).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    ]
    required = [p.name for p in named if p.default is inspect.Parameter.empty]
    return tuple(p.name for p in named), tuple(required)


def catalogue(names: Iterable[str] | None = None) -> list[MethodInfo]:
    """Return the facts of the named methods, by default of all registered ones."""
    wanted = METHODS if names is None else names
    return [MethodInfo.of(METHODS[name], name) for name in wanted]


def method_info(
    method: str, noted: Mapping[str, MethodInfo] | None = None
) -> MethodInfo:
    """Return the facts of a registered method, or those noted in a store.

    A name like ``module:Class`` is not looked up: to draw a store must not import, and
    so run, code of others.
    """
    if method in METHODS:
        return MethodInfo.of(METHODS[method], method)
    return (noted or {}).get(method, MethodInfo())


def declare(
    *,
    display_name: str | None = None,
    univariate: bool | None = None,
    variable_length: str | None = None,
    symbolic: bool | None = None,
    colour: str | None = None,
    version: str | None = None,
    grid: Any = None,
) -> Callable[[T], T]:
    """Declare name and properties of a method, as a decorator of classes or functions.

    Parameters
    ----------
    display_name : str, optional
        Name of the method in tables, figures and pages.
    univariate : bool, optional
        Whether it searches one channel only.
    variable_length : {"no", "inter", "intra"}, optional
        One length for all motifs, lengths that differ between sets, or within a set.
    symbolic : bool, optional
        Whether it compares symbols instead of samples.
    colour : str, optional
        Its colour in figures and pages, ``"#rrggbb"``.
    version : str, optional
        The version that its runs are stored under.
    grid : mapping or callable, optional
        What a search tries, see `tsmdbench.methods.Method`.

    Examples
    --------
    >>> @declare(display_name="First and last", univariate=True, variable_length="no")
    ... def ends(series, length):
    ...     return [[(0, length), (len(series) - length, len(series))]]
    >>> ends.display_name
    'First and last'
    """
    facts = MethodInfo(display_name, univariate, variable_length, symbolic, colour)
    given = {**facts.to_dict(), "version": version, "grid": grid}

    def decorate(method: T) -> T:
        for name, value in given.items():
            if value is not None:
                setattr(method, name, value)
        return method

    return decorate
