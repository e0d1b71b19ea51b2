"""Run a method in an environment that does not have tsmdbench; a script.

Started as ``python runner.py SERIES ANSWER REPLY``, three file descriptors that it
inherits. Requests come as lines of JSON on the standard input. The series of a request
is in the file SERIES, as ``.npy`` without pickle. The answer is written to the file
ANSWER as JSON, and a byte on REPLY says that it is complete. Nothing that comes back
can make its reader run code.

It needs Python 3.8 and NumPy and imports nothing of tsmdbench, so it cannot share code
with `tsmdbench.experiments.execution.child`, whose rules it keeps: what a method prints
is thrown away, the clock runs around `find` and the reading of its result only, a
method that changes its series has an error, and a forked copy of this process has no
say.
"""

from __future__ import annotations

import sys

if __name__ == "__main__":  # the folder of this script is not to be imported from
    sys.path.pop(0)

import dataclasses
import fcntl
import functools
import importlib
import importlib.util
import inspect
import json
import os
import platform
import resource
import threading
import time
import traceback
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FACTS = ("univariate", "variable_length", "symbolic", "display_name")
GRIDS = ("grid", "full_grid", "paper_grid")
LOWEST_HANDLE = 200  # of our descriptors; what writes to low numbers misses them
LONGEST = 2000  # characters of an error that are kept
FRAMES = 3  # of a traceback
PARENT_CHECK = 1.0  # seconds between looks at whether the parent lives
KIB = 1024


class Refused(Exception):  # noqa: N818 (an answer, not a fault)
    """The request cannot be met; the message is the answer."""


class Server:
    """Answer requests about one method.

    Parameters
    ----------
    series, answer, reply : int
        File descriptors.
    """

    def __init__(self, series: int, answer: int, reply: int) -> None:
        self._series, self._answer, self._reply = map(_own, (series, answer, reply))
        self._requests = os.fdopen(_own(0), "rb")
        self._owner = os.getpid()
        self._class: Any = None

    def serve(self) -> None:
        """Answer until the other side is gone."""
        self.tell(0, self._hello)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        for line in self._requests:
            request = json.loads(line)
            act = getattr(self, "do_" + request["do"])
            self.tell(request["number"], lambda a=act, r=request: a(r))

    def tell(self, number: int, act: Any) -> None:
        """Write what an action returns, or what it raised, and say so."""
        try:
            content = {"ok": True, **act()}
        except Refused as error:
            content = {"ok": False, "kind": "refused", "error": str(error)}
        except MemoryError as error:
            content = {"ok": False, "kind": "memory", "error": described(error)}
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a method may raise any)
            content = {"ok": False, "kind": "error", "error": described(error)}
        if os.getpid() != self._owner:  # a copy that a method forked
            os._exit(1)
        whole = {"number": number, "peak": memory("VmHWM"), **content}
        text = json.dumps(whole, ensure_ascii=False)
        os.lseek(self._answer, 0, os.SEEK_SET)
        os.ftruncate(self._answer, 0)
        with os.fdopen(os.dup(self._answer), "wb") as file:
            file.write(text.encode("utf-8", "replace"))
        os.write(self._reply, b"\n")

    def _hello(self) -> dict[str, Any]:
        from importlib.metadata import distributions

        try:
            importlib.import_module("numpy")
        except ImportError as error:
            raise Refused("numpy: " + str(error)) from None
        found = ((d.metadata["Name"], d.version) for d in distributions())
        packages = {str(name): str(version) for name, version in found if name}
        return {
            "python": platform.python_version(),
            "packages": dict(sorted(packages.items())),
        }

    def do_describe(self, request: dict[str, Any]) -> dict[str, Any]:
        """Import a method, and return what its class says of itself."""
        given = load(request["method"])
        cls = Function(given) if inspect.isfunction(given) else given
        if not callable(cls) or not callable(getattr(cls, "find", None)):
            raise Refused(
                request["method"]
                + " is neither a class with find(series) nor a function"
            )
        self._class = cls
        facts = {name: getattr(cls, name) for name in FACTS if hasattr(cls, name)}
        summary = (cls.__doc__ or "").strip().split("\n")[0]
        version, doubt = _code_hash().code_version(given, request["method"])
        return {
            "name": str(getattr(cls, "__name__", "Method")),
            "summary": summary,
            "version": version,
            "doubt": doubt,
            "fields": _fields(cls),
            "facts": json.loads(json.dumps(facts, default=plain)),
            "grids": [name for name in GRIDS if getattr(cls, name, None)],
        }

    def do_grid(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return a grid of the class, for facts of a dataset where it is a function."""
        grid = getattr(self._class, request["grid"])
        if callable(grid):
            grid = grid(SimpleNamespace(**request["facts"]))
        axes = {name: list(values) for name, values in dict(grid).items()}
        return {"axes": json.loads(json.dumps(axes, default=plain))}

    def do_make(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make the method, so that a wrong setting is noticed."""
        self._class(**request["params"])
        return {}

    def do_find(self, request: dict[str, Any]) -> dict[str, Any]:
        """Find the motif sets of the series."""
        import numpy as np

        method = self._class(**request["params"])
        os.lseek(self._series, 0, os.SEEK_SET)
        with os.fdopen(os.dup(self._series), "rb") as file:
            series = np.load(file, allow_pickle=False)
        before = series.tobytes(), series.shape
        _reset_peak()
        start, cpu_start = time.perf_counter(), time.process_time()
        sets = json.dumps(method.find(series), default=plain)
        seconds = time.perf_counter() - start
        cpu_seconds = time.process_time() - cpu_start
        if before != (series.tobytes(), series.shape):
            raise Refused(
                "the method changed the series that it was given; it must work on a "
                "copy"
            )
        # A text inside the text: the reader parses it within its own limits.
        return {"found": sets, "seconds": seconds, "cpu_seconds": cpu_seconds}


class Function:
    """A function as a method: its further arguments are the fields."""

    def __init__(self, function: Any, **setting: Any) -> None:
        self.function, self.setting = function, setting
        functools.update_wrapper(self, function)
        parameters = list(inspect.signature(function).parameters.values())[1:]
        self.__signature__ = inspect.Signature(parameters)

    def __call__(self, **setting: Any) -> Function:
        """Return the method with these fields."""
        return Function(self.function, **setting)

    def find(self, series: Any) -> Any:
        """Return the motif sets of a series."""
        return self.function(series, **self.setting)


def _code_hash() -> Any:
    """Return the module `tsmdbench.experiments.code_hash`, from the file beside us."""
    file = Path(__file__).parents[1] / "code_hash.py"
    spec = importlib.util.spec_from_file_location("_tsmdbench_code_hash", file)
    if spec is None or spec.loader is None:
        raise Refused(f"{file} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(name: str) -> Any:
    """Return the object of ``file.py:Class`` or ``module:Class``."""
    place, _, attribute = name.rpartition(":")
    if place.endswith(".py"):
        file = Path(place).expanduser().resolve()
        if not file.is_file():
            raise Refused(f"{place} does not exist or is not a file")
        sys.path.insert(0, str(file.parent))
        spec = importlib.util.spec_from_file_location(file.stem, file)
        if spec is None or spec.loader is None:
            raise Refused(f"{place} cannot be imported")
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module
        spec.loader.exec_module(module)
    else:
        sys.path.append(str(Path.cwd()))
        module = importlib.import_module(place)
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise Refused(f"{place} has no {attribute!r}") from None


def _fields(cls: Any) -> list[dict[str, Any]]:
    """Return what the constructor takes; what does not count in comparisons is told."""
    own = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    known = {field.name: field for field in own}
    fields = []
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        field = known.get(parameter.name)
        default = parameter.default
        if field is not None and field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        told: dict[str, Any] = {"name": parameter.name}
        if default is not inspect.Parameter.empty:
            told["default"] = json.loads(json.dumps(default, default=plain))
        fields.append({**told, "compare": field is None or field.compare is not False})
    return fields


def plain(value: Any) -> Any:
    """Turn what JSON does not know into what it does: arrays, iterables, numbers."""
    for convert in ("tolist", "item"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    if hasattr(value, "__iter__"):
        return list(value)
    if hasattr(value, "__index__"):
        return int(value)
    raise Refused(f"{value!r:.80} is not a number, a text or a list of them")


def described(error: BaseException) -> str:
    """Return what an exception says, and the innermost places that it came from."""
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 (the exception of a method may do anything)
        text = f"{type(error).__name__}, whose text cannot be read"
    if isinstance(error, ImportError) and getattr(error, "name", "") == "tsmdbench":
        text += (
            " (the other environment does not have it: a wrapper is a plain class "
            "with find(series) that returns lists of (start, end))"
        )
    frames = [
        f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename != __file__ and not _is_machinery(frame.filename)
    ]
    places = "; ".join(frames[-FRAMES:])
    return text[:LONGEST] + (f" [{places}]" if places else "")


def _is_machinery(filename: str) -> bool:
    """Tell whether a frame is in what imports modules or writes JSON."""
    return "importlib" in filename or Path(filename).parent.name == "json"


def memory(entry: str) -> int:
    """Return an entry of the kernel's report on this process, in bytes."""
    try:
        report = Path("/proc/self/status").read_bytes()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * KIB
    _, _, after = report.partition((entry + ":").encode())
    return int(after.split(None, 1)[0]) * KIB


def _reset_peak() -> None:
    """Let the kernel begin a new peak; a system that cannot keeps the old one."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _own(handle: int) -> int:
    """Move a descriptor to a high number that no process inherits."""
    high = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, LOWEST_HANDLE)
    if handle > 2:
        os.close(handle)
    return high


def _end_with_parent() -> None:
    """End this process when its parent is gone, also while a method computes."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    _end_with_parent()
    warnings.simplefilter("ignore")
    Server(*map(int, sys.argv[1:])).serve()
