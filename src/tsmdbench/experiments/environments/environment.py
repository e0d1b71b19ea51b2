"""Which Python environment a method runs in, when it is not ours.

An environment is an interpreter that is there already (``--python PATH``), or one that
is made on request from requirements (``--with leitmotif==0.3.5``) and kept in the
cache, see `make`. It holds for methods that are named ``file.py:Class`` or
``module:Class``; methods that are registered here by name run here.

tsmdbench is not needed in the other environment; NumPy is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from tsmdbench.errors import InputError, InputTypeError

# A name, extras, and then versions or an address; never a path or an option of pip.
REQUIREMENT = re.compile(
    r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\s*"
    r"(\[[A-Za-z0-9._,\s-]*\])?\s*"
    r"((@\s*(https|git\+https)://\S+)|([<>=!~]=?=?[^@;]*))?\s*(;.*)?"
)
LONGEST = 1000  # characters of a requirement


@dataclass(frozen=True)
class Environment:
    """A Python environment other than that of tsmdbench.

    Parameters
    ----------
    python : str, optional
        Path or name of an interpreter. With requirements, it creates the environment;
        by default the current interpreter does.
    requirements : tuple of str
        What to install into a new environment, written as for pip:
        ``("leitmotif==0.3.5",)``.

    Examples
    --------
    >>> Environment(requirements=("stumpy==1.14.1", "numba"))
    Environment(python=None, requirements=('stumpy==1.14.1', 'numba'))
    """

    python: str | None = None
    requirements: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.python is not None and not _is_plain(self.python):
            raise InputTypeError(
                f"the interpreter must be a path, got {self.python!r:.80}"
            )
        if self.python is None and not self.requirements:
            raise InputError("an environment needs an interpreter or requirements")
        for requirement in self.requirements:
            check_requirement(requirement)

    @property
    def key(self) -> str:
        """Hash of interpreter and requirements, in whatever order they were given."""
        whole = [self.python, sorted(set(self.requirements))]
        return hashlib.sha256(json.dumps(whole).encode()).hexdigest()[:16]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, kept: Any) -> Self:
        """Rebuild it from a manifest; raise `InputError` for something else."""
        if not isinstance(kept, Mapping) or set(kept) != {"python", "requirements"}:
            raise InputTypeError(f"the environment is {kept!r:.80}")
        requirements = kept["requirements"]
        if not isinstance(requirements, list | tuple):
            raise InputTypeError(f"the requirements are {requirements!r:.80}")
        return cls(kept["python"], tuple(requirements))

    def __str__(self) -> str:
        parts = [f"--with {each}" for each in self.requirements]
        return " ".join([f"--python {self.python}"] * bool(self.python) + parts)


def environment_of(
    python: str | None, requirements: tuple[str, ...]
) -> Environment | None:
    """Return the environment that two options ask for; None for ours."""
    if python is None and not requirements:
        return None
    return Environment(python, requirements)


def runs_elsewhere(method: str) -> bool:
    """Tell whether the environment holds for a method of that name.

    >>> runs_elsewhere("wrappers/lama.py:LAMA"), runs_elsewhere("locomotif")
    (True, False)
    """
    return ":" in method


def check_requirement(requirement: Any) -> str:
    """Return a requirement; raise unless it names one package.

    >>> check_requirement("--index-url=https://example.org")
    Traceback (most recent call last):
    tsmdbench.errors.InputError: a requirement must be written like 'stumpy==1.14.1' ...
    """
    if not (
        isinstance(requirement, str)
        and _is_plain(requirement)
        and len(requirement) <= LONGEST
        and REQUIREMENT.fullmatch(requirement)
    ):
        raise InputError(
            f"a requirement must be written like 'stumpy==1.14.1' or "
            f"'name @ https://...', got {requirement!r:.80}"
        )
    return requirement


def _is_plain(text: Any) -> bool:
    return isinstance(text, str) and bool(text.strip()) and text.isprintable()
