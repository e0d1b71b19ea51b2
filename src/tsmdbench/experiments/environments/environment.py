"""Which Python environment a method runs in, when it is not ours.

An environment is an interpreter that is there already (``--python PATH``), or one that
is made on request from requirements (``--with leitmotif==0.3.5``) and kept in the
cache. It holds for methods that are named ``file.py:Class`` or
``module:Class``; methods that are registered here by name run here.

tsmdbench is not needed in the other environment; NumPy is.

An environment is a folder ``environments/<hash>`` of the cache, named by its
requirements and the interpreter that it was made with. It is made under another name
and renamed when it is complete, so an interrupted or failed attempt leaves nothing that
looks like an environment. Two processes that want the same one at once each make it;
the first that is done wins.

`uv` makes it where it is installed, since that takes seconds; otherwise ``python -m
venv`` and pip. NumPy is always installed: the exchange of series needs it.

Requirements without a version (``stumpy``) are resolved when the environment is made.
Later releases are not looked for: delete the folder to make a new one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from tsmdbench.errors import DownloadError, InputError, InputTypeError

# A name, extras, and then versions or an address; never a path or an option of pip.
REQUIREMENT = re.compile(
    r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?\s*"
    r"(\[[A-Za-z0-9._,\s-]*\])?\s*"
    r"((@\s*(https|git\+https)://\S+)|([<>=!~]=?=?[^@;]*))?\s*(;.*)?"
)
LONGEST = 1000  # characters of a requirement
FOLDER = "environments"
MADE = "tsmdbench-environment.json"  # inside a complete environment: what it is for
INSTALL_SECONDS = 1800.0  # large packages over a slow line
LINES = 3  # of the installer's complaint that are shown
# Sentences of pip and uv that stand for one cause.
NOT_FOUND = ("No matching distribution", "was not found in the package registry")
NO_NETWORK = ("NewConnectionError", "Name or service not known", "dns error",
              "Temporary failure in name resolution", "Failed to fetch",
              "Connection refused", "error sending request")  # fmt: skip


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


def interpreter_of(
    environment: Environment, told: Callable[[str], None] = lambda _: None
) -> Path:
    """Return the interpreter of an environment, which is made where that is needed.

    Parameters
    ----------
    environment : Environment
    told : callable
        Is told that one is made, which takes a while.

    Raises
    ------
    InputError
        There is no such interpreter, or the requirements cannot be met.
    DownloadError
        Packages cannot be downloaded.
    """
    base = find_interpreter(environment.python)
    if not environment.requirements:
        return base
    folder = environment_folder(environment)
    if not (folder / MADE).is_file():
        told(f"making an environment in {folder} ({environment}), once ...")
        _make(environment, base, folder)
    return _python_in(folder)


def environment_folder(environment: Environment) -> Path:
    """Return where an environment with requirements is, or will be."""
    from tsmdbench.datasets.cache import cache_folder

    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    name = environment.key if environment.python else f"{environment.key}-{version}"
    return cache_folder() / FOLDER / name


def find_interpreter(python: str | None) -> Path:
    """Return the path of an interpreter, by default ours.

    The path is not resolved: the interpreter of a virtual environment is a link, and
    knows its packages by the path that it was started with.
    """
    if python is None:
        return Path(sys.executable)
    try:
        found = shutil.which(Path(python).expanduser())
    except RuntimeError:  # ~somebody, who is not known
        found = None
    if found is None:
        raise InputError(
            f"--python {python}: there is no such program, or it cannot be executed; "
            f"give the path of an interpreter, like env/bin/python"
        )
    return Path(found).absolute()


def _python_in(folder: Path) -> Path:
    windows = folder / "Scripts" / "python.exe"
    return windows if windows.exists() else folder / "bin" / "python"


def _make(environment: Environment, base: Path, folder: Path) -> None:
    """Make an environment beside its place, and move it there when it is complete."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise InputError(
            f"cannot make an environment in {folder.parent}: {error.strerror}; set "
            f"TSMDBENCH_CACHE to a folder that can be written"
        ) from None
    try:
        _install(environment, base, work)
        (work / MADE).write_text(json.dumps(environment.to_dict()), encoding="utf-8")
        # Scripts in bin/ name the folder of before; nothing here runs them.
        with suppress(OSError):  # another process was faster
            work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _install(environment: Environment, base: Path, work: Path) -> None:
    wanted = ["numpy", *environment.requirements]
    uv = shutil.which("uv")
    if uv:
        _do([uv, "venv", "--quiet", "--python", str(base), str(work)], environment)
        to = ["--quiet", "--python", str(_python_in(work))]
        _do([uv, "pip", "install", *to, "--", *wanted], environment)
        return
    _do([str(base), "-m", "venv", str(work)], environment)
    pip = [str(_python_in(work)), "-m", "pip", "install", "--quiet"]
    plain = ["--disable-pip-version-check", "--no-input"]
    _do([*pip, *plain, "--", *wanted], environment)


def _do(command: list[str], environment: Environment) -> None:
    """Run a step of the installation; one sentence if it fails."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=clean_variables(),
            timeout=INSTALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise DownloadError(
            f"the environment ({environment}) was not complete after "
            f"{INSTALL_SECONDS:g} s; repeat the command"
        ) from None
    except OSError as error:
        raise InputError(f"cannot run {command[0]}: {error.strerror}") from None
    if done.returncode:
        raise _failure(done.stdout.decode(errors="replace"), environment)


def _failure(said: str, environment: Environment) -> Exception:
    """Return the error for an installer that did not succeed."""
    lines = [line.strip() for line in said.splitlines()]
    lines = [line for line in lines if line and not line.startswith("WARNING")]
    reason = " / ".join(lines[-LINES:])[:600] or "no reason given"
    # Without a network pip says both; the cause is the network then.
    if any(text in said for text in NO_NETWORK):
        return DownloadError(
            f"cannot download the packages of the environment ({environment}); is "
            f"there a network? The installer says: {reason}"
        )
    if any(text in said for text in NOT_FOUND):
        return InputError(
            f"no package fits the environment ({environment}) and this Python; check "
            f"names and versions. The installer says: {reason}"
        )
    return InputError(f"cannot make the environment ({environment}): {reason}")


def clean_variables() -> dict[str, str]:
    """Return our environment variables without those that lead to our packages."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON")
        and name not in ("VIRTUAL_ENV", "__PYVENV_LAUNCHER__", "CONDA_PREFIX")
    }
