"""Methods in other Python environments.

docs/experiments/other-environments.md describes them for users. An environment is a
folder ``environments/<hash>`` of the cache, named by its requirements and the
interpreter that it was made with. It is made under another name and renamed when it is
complete, so an interrupted or failed attempt leaves nothing that looks like an
environment. Two processes that want the same one at once each make it; the first that
is done wins.

`external_class` makes a class that stands for a method in another environment: a frozen
dataclass with the same fields, defaults, class facts and grids. Grids, settings and the
command line therefore treat it like any other class; a process of that environment
answers `find`.
"""

from __future__ import annotations

import atexit
import copy
import dataclasses
import hashlib
import json
import keyword
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tsmdbench.errors import DownloadError, ExperimentError, InputError, InputTypeError
from tsmdbench.experiments.code_hash import Code
from tsmdbench.validation import check_series

if TYPE_CHECKING:
    from tsmdbench.experiments.engine import Process

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
DIGITS = 8  # of the hash of an environment in the version of a method
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
    environment: Environment, say: Callable[[str], None] = lambda _: None
) -> Path:
    """Return the interpreter of an environment, which is made where that is needed.

    `say` is called with a sentence then, since it takes a while. `InputError` says that
    there is no such interpreter, or that the requirements cannot be met, and
    `DownloadError` that packages cannot be downloaded.
    """
    from tsmdbench.datasets.fetch import cache_folder

    base = Path(sys.executable)
    if environment.python is not None:
        found = None
        with suppress(RuntimeError):  # ~name of an unknown user
            found = shutil.which(Path(environment.python).expanduser())
        if found is None:
            raise InputError(
                f"--python {environment.python}: there is no such program, or it "
                f"cannot be executed; give the path of an interpreter, like "
                f"env/bin/python"
            )
        # Not resolved: the interpreter of a virtual environment is a link, and knows
        # its packages by the path that it was started with.
        base = Path(found).absolute()
    if not environment.requirements:
        return base
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    name = environment.key if environment.python else f"{environment.key}-{version}"
    folder = cache_folder() / FOLDER / name
    if not (folder / MADE).is_file():
        say(f"making an environment in {folder} ({environment}), once ...")
        _make(environment, base, folder)
    return folder / "bin" / "python"


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
    wanted = ["--", "numpy", *environment.requirements]
    python = str(work / "bin" / "python")
    if uv := shutil.which("uv"):
        first = [uv, "venv", "--quiet", "--python", str(base), str(work)]
        second = [uv, "pip", "install", "--quiet", "--python", python, *wanted]
    else:
        first = [str(base), "-m", "venv", str(work)]
        quiet = ["--quiet", "--disable-pip-version-check", "--no-input"]
        second = [python, "-m", "pip", "install", *quiet, *wanted]
    try:
        for command in (first, second):
            _install(command, environment)
        (work / MADE).write_text(json.dumps(environment.to_dict()), encoding="utf-8")
        # Scripts in bin/ name the folder of before; nothing here runs them.
        with suppress(OSError):  # another process was faster
            work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _install(command: list[str], environment: Environment) -> None:
    """Run a step of the installation; one sentence if it fails."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=clean_variables(), timeout=INSTALL_SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise DownloadError(
            f"the environment ({environment}) was not complete after "
            f"{INSTALL_SECONDS:g} s; repeat the command"
        ) from None
    except OSError as error:
        raise InputError(f"cannot run {command[0]}: {error.strerror}") from None
    said = done.stdout.decode(errors="replace")
    lines = [line.strip() for line in said.splitlines()]
    lines = [line for line in lines if line and not line.startswith("WARNING")]
    kind: type[Exception] = InputError
    hint = ""
    # Without a network pip says both; the cause is the network then.
    if any(text in said for text in NO_NETWORK):
        kind, hint = DownloadError, "is there a network? "
    elif any(text in said for text in NOT_FOUND):
        hint = "check names and versions, and whether they fit this Python; "
    if done.returncode:
        raise kind(
            f"cannot make the environment ({environment}): {hint}the installer says: "
            f"{' / '.join(lines[-LINES:])[:600] or 'no reason given'}"
        )


def clean_variables() -> dict[str, str]:
    """Return our environment variables without those that lead to our packages."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON")
        and name not in ("VIRTUAL_ENV", "__PYVENV_LAUNCHER__", "CONDA_PREFIX")
    }


class ExternalMethod:
    """Base of the classes that `external_class` makes; their fields are settings."""

    code: ClassVar[Code]
    environment: ClassVar[Environment]
    external_name: ClassVar[str]

    def __post_init__(self) -> None:
        """Let the other environment refuse settings."""
        _request(self.environment, self.external_name, "make", setting=self.params)

    @property
    def params(self) -> dict[str, Any]:
        """All settings."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {field.name: getattr(self, field.name) for field in fields}

    def find(self, series: Any) -> Any:
        """Return the motif sets that the method finds, as nested lists."""
        x = check_series(series)
        answer = _request(
            self.environment,
            self.external_name,
            "find",
            x.astype("<f8").tobytes(),
            seconds=float("inf"),
            settings=[json.dumps(self.params)],
            shape=x.shape,
        )
        return answer["found"][0]


# The processes that answer for methods; they end with this one.
_PROCESSES: dict[tuple[Environment, str], Process] = {}


@atexit.register
def _end() -> None:
    for process in _PROCESSES.values():
        process.kill()


def _request(
    environment: Environment, method: str, do: str, data: bytes = b"", **request: Any
) -> dict[str, Any]:
    """Return the answer of the process of a method, which is started if needed."""
    # Only now: it imports what Windows does not have, and this module.
    from tsmdbench.experiments.engine import IMPORT, EndedError, Process

    place = environment, method
    if place in _PROCESSES and _PROCESSES[place].has_ended():
        stop_process(environment, method)
    try:
        if place not in _PROCESSES:
            _PROCESSES[place] = Process(environment)
            if do != "describe":
                _PROCESSES[place].ask("describe", seconds=IMPORT, method=method)
        answer = _PROCESSES[place].ask(do, data, method=method, **request)
    except EndedError as error:
        stop_process(environment, method)
        raise ExperimentError(f"{method} in {environment}: {error}") from None
    if not answer["ok"]:
        where = answer["traceback"].split("\n")[-1]
        raise InputError(answer["message"] + f" [{where}]" * bool(where))
    return answer


def stop_process(environment: Environment, method: str) -> None:
    """End the process of a method, if there is one; the next use starts another."""
    process = _PROCESSES.pop((environment, method), None)
    if process is not None:
        process.kill()


@cache
def external_class(environment: Environment, method: str) -> Any:
    """Return a class that stands for a method in another environment."""
    if sys.platform == "win32":
        raise InputError(
            "--python and --with need Linux or macOS: Windows cannot hand open files "
            "to another process; use WSL"
        )
    from tsmdbench.experiments.engine import IMPORT

    try:
        declared = _request(environment, method, "describe", seconds=IMPORT)
        fields = [_field(field) for field in declared["fields"]]
    except InputError as error:
        stop_process(environment, method)
        raise InputError(
            f"cannot import method {method!r} in the other environment "
            f"({environment}): {error}"
        ) from None
    about = _PROCESSES[environment, method].about
    # A result depends on the method and on every package around it.
    around = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
    version = f"{declared['version']}+env-{around[:DIGITS]}"
    namespace: dict[str, Any] = {
        **declared["facts"],
        **{n: staticmethod(_grid(environment, method, n)) for n in declared["grids"]},
        "__doc__": declared["summary"],
        "__module__": __name__,
        "environment": environment,
        "external_name": method,
        "code": Code(version, declared["uncertain"]),
        "about": about,
    }
    return dataclasses.make_dataclass(
        declared["name"],
        fields,
        bases=(ExternalMethod,),
        namespace=namespace,
        frozen=True,
    )


def _field(declared: Mapping[str, Any]) -> tuple[str, type, Any]:
    name = declared["name"]
    if keyword.iskeyword(name) or hasattr(ExternalMethod, name):
        raise InputError(f"a field cannot be called {name!r}; rename it")
    options: dict[str, Any] = {"compare": declared["compare"], "kw_only": True}
    if "default" in declared:
        default = declared["default"]
        if isinstance(default, list | dict):
            options["default_factory"] = partial(copy.deepcopy, default)
        else:
            options["default"] = default
    return name, object, dataclasses.field(**options)


def _grid(environment: Environment, method: str, name: str) -> Any:
    """Return a function of facts that gets a grid from the other environment."""

    def grid(facts: Any) -> dict[str, Any]:
        known = dataclasses.asdict(facts)
        given = {k: v if v == v else None for k, v in known.items()}
        try:
            answer = _request(environment, method, "grid", grid=name, facts=given)
        except InputError as error:
            raise InputError(f"the grid of {method}: {error}") from None
        return dict(answer["axes"])

    return grid
