"""The program that runs methods; any Python with NumPy can start it.

It is started as ``python child.py CHANNEL ALIVE OURS``: two inherited file descriptors,
and whether the interpreter is that of tsmdbench. The same program runs the methods of
tsmdbench, those of the user and those of other environments. It needs Python 3.8, the
standard library and NumPy. It imports tsmdbench only if the interpreter is ours. It
stays for many runs, so that starting and compiling cost nothing per run. Its other end
is `tsmdbench.experiments.engine`, which ends it when a run breaks a limit.

Protocol
--------
A message is a head (a mark, the number of the message, two lengths and a checksum), a
JSON object, and bytes, which are series or the code of a method. A request is ``{"do":
..., "parts": [...]}``; each part has the arguments of the method of `Program` that has
that name, and an answer: ``{"ok": true, ...}``, or ``{"ok": false}`` with status,
message and traceback. Before it, ``{"clock": "cold"}`` and ``{"clock": "warm"}`` say
that a run begins. Nothing in an answer can make its reader run code.

Conventions
-----------
*Time.* The clock runs around `find` (or `sweep`) only. The first run of a method in a
process may compile, load compiled code or fill caches. It is therefore made twice and
the second is counted, unless the first took longer than `REPEAT_BELOW`: then it is
counted itself, less the time that numba spent compiling. A run that imports numba is
always made twice, since it was not known that there was something to watch.

*Processor time* is taken around the same, over all threads of the process.

*Memory.* The peak of resident memory is reset before a run where the system can do so
(Linux); elsewhere it is the peak since the process began.

*Output.* What a method prints is discarded.

*Input.* Every call gets an array of its own. A method that changes it has an error:
what it found may not be what it finds in the series.

*Results* are read while the clock runs, so a method that computes while its result is
read is timed like others.

*Copies.* A copy of this process that a method forked never answers.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import functools
import importlib
import importlib.util
import inspect
import io
import json
import os
import platform
import resource
import select
import signal
import socket
import struct
import sys
import time
import traceback
import warnings
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FACTS = ("univariate", "variable_length", "symbolic", "display_name")
COMPILERS = frozenset({"numba", "tsmdbench._kernels.jit"})  # which import numba, late
GRIDS = ("grid", "full_grid", "paper_grid")
HEAD = struct.Struct("<4sqQQI")  # mark, number, length of JSON and bytes, checksum
MARK = b"TSMD"
CHUNK = 2**20  # bytes that are read at once
REPEAT_BELOW = 30.0  # seconds; longer first runs are not made twice
HIGHEST_HANDLE = 60_000  # of the channel; what writes to low numbers misses it
MOST_HANDLES = 4096  # file descriptors that a new process may have inherited
LONGEST = 2000  # characters of a message and of a traceback
FRAMES = 6  # of a traceback that are kept: the last ones
LONGEST_LINE = 160
KIB = 1024


class CorruptMessageError(Exception):
    """Bytes came that the other end has not sent."""


class Refused(Exception):  # noqa: N818 (an answer, not a fault)
    """A request cannot be met; the message is the answer."""


class Channel:
    """One end of a connection between supervisor and program.

    Bytes are read as they come, so half a message does not keep the reader from looking
    at the clock. Marks, numbers and checksums show what a method wrote into it.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._poll = select.poll()  # select() cannot take high file descriptors
        self._poll.register(connection, select.POLLIN)
        self._read = bytearray()
        self._sent = self._received = 0

    def send(self, text: bytes, data: bytes = b"") -> None:
        """Send a message of JSON and bytes; `OSError` if the other end is gone."""
        checksum = zlib.crc32(data, zlib.crc32(text))
        head = HEAD.pack(MARK, self._sent, len(text), len(data), checksum)
        self._sent += 1
        self._socket.sendall(b"".join((head, text, data)))

    def receive(self, timeout: float | None) -> tuple[dict[str, Any], bytes] | None:
        """Return content and bytes of the next message.

        None if it is not complete and nothing has come for `timeout` seconds.
        `EOFError` or `OSError` say that the other end is gone.
        """
        message = self._complete()
        wait = None if timeout is None else timeout * 1000
        if message is None and self._poll.poll(wait):
            more = self._socket.recv(CHUNK)
            if not more:
                raise EOFError
            self._read += more
            message = self._complete()
        return message

    def _complete(self) -> tuple[dict[str, Any], bytes] | None:
        """Extract one complete message from the buffer."""
        if not MARK.startswith(bytes(self._read[: len(MARK)])):
            raise CorruptMessageError
        if len(self._read) < HEAD.size:
            return None
        _, number, text_length, data_length, checksum = HEAD.unpack_from(self._read)
        middle = HEAD.size + text_length
        end = middle + data_length
        if len(self._read) < end:
            return None
        text = bytes(self._read[HEAD.size : middle])
        data = bytes(self._read[middle:end])
        del self._read[:end]
        self._received += 1
        is_next = number == self._received - 1
        if not is_next or checksum != zlib.crc32(data, zlib.crc32(text)):
            raise CorruptMessageError
        try:
            return dict(json.loads(text)), data
        except (ValueError, TypeError, RecursionError):
            raise CorruptMessageError from None

    def close(self) -> None:
        """Give the file descriptor back."""
        self._socket.close()


class Program:
    """Answer requests; each method ``do_...`` is one kind of request."""

    def __init__(
        self, channel: Any, *, ours: bool, methods: dict[str, Any] | None = None
    ) -> None:
        self._channel, self._ours = channel, ours  # none in the calling process
        self._owner = os.getpid()
        self._methods = dict(methods or {})  # also what requests have named so far
        self._code: dict[str, bytes] = {}  # methods by value, until they are used
        self._warm: set[Any] = set()
        self._series: Any = None

    def serve(self) -> None:
        """Answer requests one after the other, until the other end is gone."""
        while True:
            message = self._channel.receive(None)
            if message is not None:
                request, data = message
                rest = io.BytesIO(data)
                for part in request["parts"]:
                    self._answer(request["do"], rest, part)

    def _answer(self, do: str, data: io.BytesIO, part: dict[str, Any]) -> None:
        longest = part.pop("longest", None)
        try:
            act = getattr(self, f"do_{do}")
            text = json.dumps({"ok": True, **act(data, **part), **memory()}).encode()
            if longest is not None and len(text) > longest:
                raise Refused(
                    f"what the method returned has more than {longest} bytes; see the "
                    f"limit of motifs (--max-motifs)"
                )
        except BaseException as error:  # noqa: BLE001 (a method may raise any)
            text = json.dumps({**failure(error), **memory()}).encode()
        self._send(text)

    def _send(self, text: bytes) -> None:
        if os.getpid() != self._owner:  # a copy that a method forked
            os._exit(1)
        self._channel.send(text)

    def do_hello(self, _: io.BytesIO) -> dict[str, Any]:
        """Import NumPy; return Python and, for another environment, its packages."""
        try:
            importlib.import_module("numpy")
        except ImportError as error:
            raise Refused(f"it has no NumPy ({error})") from None
        if self._ours:
            return {}
        from importlib.metadata import distributions

        found = ((d.metadata["Name"], d.version) for d in distributions())
        packages = {str(name): str(version) for name, version in found if name}
        about = {"python": platform.python_version()}
        return {"about": {**about, "packages": dict(sorted(packages.items()))}}

    def do_describe(self, _: io.BytesIO, method: str) -> dict[str, Any]:
        """Import a method of another environment; return what its class declares."""
        given = load(method)
        cls = Function(given) if inspect.isfunction(given) else given
        if not callable(cls) or not callable(getattr(cls, "find", None)):
            raise Refused(
                f"{method} is neither a class with find(series) nor a function"
            )
        self._methods[method] = cls
        facts = {name: getattr(cls, name) for name in FACTS if hasattr(cls, name)}
        # The module `tsmdbench.experiments.code_hash`, from the file beside this one.
        file = Path(__file__).with_name("code_hash.py")
        version, uncertain = _module(file, "_code_hash").code_version(given, method)
        return {
            "name": str(getattr(cls, "__name__", "Method")),
            "summary": (cls.__doc__ or "").strip().split("\n")[0],
            "version": version,
            "uncertain": uncertain,
            "fields": _fields(cls),
            "facts": plain_json(facts),
            "grids": [name for name in GRIDS if getattr(cls, name, None)],
        }

    def do_grid(
        self, _: io.BytesIO, method: str, grid: str, facts: dict[str, Any]
    ) -> dict[str, Any]:
        """Return a grid of a class, for facts of a dataset where it is a function."""
        axes = getattr(self._methods[method], grid)
        if callable(axes):
            axes = axes(SimpleNamespace(**facts))
        return {
            "axes": plain_json({name: list(some) for name, some in dict(axes).items()})
        }

    def do_make(
        self, _: io.BytesIO, method: str, setting: dict[str, Any]
    ) -> dict[str, Any]:
        """Make a method, so that a wrong setting is noticed."""
        self._methods[method](**setting)
        return {}

    def do_find(
        self,
        data: io.BytesIO,
        method: str,
        settings: list[str],
        shape: list[int] | None,
        code: int = 0,
    ) -> dict[str, Any]:
        """Return what a method finds with each setting, and what that took.

        A setting is a JSON object, in which ``{"tuple": [...]}`` is a tuple. Without a
        shape the series is that of the task before. `code` are the bytes of a method
        that comes by value.
        """
        import numpy as np

        if code:
            self._code[method] = data.read(code)
        if shape is not None:
            samples = data.read(8 * int(np.prod(shape)))
            self._series = np.frombuffer(samples, dtype="<f8").reshape(shape)

        def tupled(value: dict[str, Any]) -> Any:
            return tuple(value["tuple"]) if set(value) == {"tuple"} else value

        made = [json.loads(setting, object_hook=tupled) for setting in settings]
        return self.find(method, made, self._series)

    def find(self, method: str, settings: list[Any], series: Any) -> dict[str, Any]:
        """Return what a method finds with each setting, and what that took.

        Several settings are found together, by the `sweep` of the class.
        """
        kind = (method, series.ndim, len(settings) > 1)
        cold = kind not in self._warm
        if cold:
            self._clock("cold")  # importing is part of warming up
        cls = self._method(method)
        # Made before the clock runs, so that a wrong setting is an error.
        methods = [cls(**setting) for setting in settings]
        with contextlib.suppress(OSError):  # a system that cannot keeps the old peak
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        watched = cold and not COMPILERS.isdisjoint(sys.modules)
        answer = self._timed(cls, methods, series, watched=watched)
        missed = not watched and "numba" in sys.modules  # imported by the run
        if cold and (missed or answer["seconds"] < REPEAT_BELOW):
            self._clock("warm")
            answer = self._timed(cls, methods, series, watched=False)
        number = len(answer["found"])
        if number != len(settings):
            raise Refused(
                f"sweep returned {number} results for {len(settings)} settings"
            )
        self._warm.add(kind)
        return answer

    def _timed(
        self, cls: Any, methods: list[Any], series: Any, *, watched: bool
    ) -> dict[str, Any]:
        """Find once, on a copy of the series; take off what numba compiled or loaded.

        It holds its compiler lock for as long; nested compilations count once.
        """
        given = series.copy()
        compiling: list[float] = []
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(ImportError):  # numba may be an old one
                if watched:
                    event = importlib.import_module("numba.core.event")
                    timer = event.install_timer("numba:compiler_lock", compiling.append)
                    stack.enter_context(timer)
            start, cpu_start = time.perf_counter(), time.process_time()
            several = len(methods) > 1
            every = cls.sweep(given, methods) if several else [methods[0].find(given)]
            found = [
                read_ours(one, len(series)) if self._ours else plain_json(one)
                for one in every
            ]
            seconds = time.perf_counter() - start
            cpu_seconds = time.process_time() - cpu_start
        if given.shape != series.shape or given.tobytes() != series.tobytes():
            raise Refused(
                "the method changed the series that it was given; it must work on a "
                "copy"
            )
        seconds = max(seconds - sum(compiling), 0.0)
        cpu_seconds = max(cpu_seconds - sum(compiling), 0.0)
        return {"found": found, "seconds": seconds, "cpu_seconds": cpu_seconds}

    def _clock(self, name: str) -> None:
        if self._channel is not None:
            self._send(json.dumps({"clock": name}).encode())

    def _method(self, name: str) -> Any:
        if name not in self._methods:
            if name in self._code:
                import cloudpickle

                self._methods[name] = cloudpickle.loads(self._code[name])
            elif self._ours:
                from tsmdbench.methods import METHODS
                from tsmdbench.methods.adapters import class_of

                self._methods[name] = class_of(METHODS[name])
            else:
                self.do_describe(io.BytesIO(), name)
        return self._methods[name]


# One run


def read_ours(found: Any, n: int) -> Any:
    """Read motif sets in any form that tsmdbench takes, and check them."""
    from tsmdbench.errors import InputTypeError
    from tsmdbench.validation import check_motif_sets

    if isinstance(found, (str, os.PathLike)):  # elsewhere the name of a file
        raise InputTypeError(f"the method returned a string: {found!r}")
    sets = check_motif_sets(found, "what the method returned", n=n)
    return [motifs.to_rows() for motifs in sets.sets]


def failure(error: BaseException) -> dict[str, Any]:
    """Return the answer for an exception: its text, and where it was raised.

    The traceback has a line per call, ``module.py:12 in find: return x / 0``, with the
    file relative to where it was imported from; it begins below this file.
    """
    try:
        text = str(error)
        if not isinstance(error, Refused):
            text = f"{type(error).__name__}: {text}"
    except Exception:  # noqa: BLE001 (the exception of a method may do anything)
        text = f"{type(error).__name__}, whose text cannot be read"
    if isinstance(error, ImportError) and getattr(error, "name", "") == "tsmdbench":
        text += (
            " (the other environment does not have it: a wrapper is a plain class "
            "with find(series) that returns lists of (start, end))"
        )
    lines: list[str] = []
    with contextlib.suppress(Exception):  # source files may be anything
        calls = list(traceback.extract_tb(error.__traceback__))
        ours = [n for n, call in enumerate(calls, 1) if call.filename == __file__]
        calls = [] if isinstance(error, Refused) else calls[max(ours, default=0) :]
        if len(calls) > FRAMES:
            lines.append(f"... {len(calls) - FRAMES} calls before")
        for call in calls[-FRAMES:]:
            source = " ".join((call.line or "").split())
            line = f"{_short_name(call.filename)}:{call.lineno} in {call.name}"
            lines.append((f"{line}: {source}" if source else line)[:LONGEST_LINE])
    return {
        "ok": False,
        "status": "memory" if isinstance(error, MemoryError) else "error",
        "message": text[:LONGEST],
        "traceback": "\n".join(lines)[-LONGEST:],
    }


def _short_name(filename: str) -> str:
    """Return a file without the folder that it was imported from."""
    names = []
    for entry in filter(None, sys.path):
        with contextlib.suppress(ValueError):
            names.append(Path(filename).relative_to(entry))
    shortest = min(names, key=lambda name: len(name.parts), default=None)
    return str(shortest or Path(filename).name)


def memory() -> dict[str, int]:
    """Return peak and present resident memory of this process in bytes.

    Without the kernel's report, on another system, the peak since the process began.
    """
    try:
        report = Path("/proc/self/status").read_bytes()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        size = most if sys.platform == "darwin" else most * KIB
        return {"peak": size, "resident": size}
    sizes = {}
    for name, entry in (("peak", b"VmHWM:"), ("resident", b"VmRSS:")):
        sizes[name] = int(report.partition(entry)[2].split(None, 1)[0]) * KIB
    return sizes


# Methods of other environments


class Function:
    """A function as a method: its further arguments are the fields."""

    def __init__(self, function: Any, **setting: Any) -> None:
        self.function, self.setting = function, setting
        functools.update_wrapper(self, function)
        fields = list(inspect.signature(function).parameters.values())[1:]
        self.__signature__ = inspect.Signature(fields)

    def __call__(self, **setting: Any) -> Function:
        """Return the method with these fields."""
        return Function(self.function, **setting)

    def find(self, series: Any) -> Any:
        """Return the motif sets of a series."""
        return self.function(series, **self.setting)


def load(name: str) -> Any:
    """Return the object of ``file.py:Class`` or ``module:Class``."""
    place, _, attribute = name.rpartition(":")
    if place.endswith(".py"):
        file = Path(place).expanduser().resolve()
        if not file.is_file():
            raise Refused(f"{place} does not exist or is not a file")
        module = sys.modules.get(file.stem)
        if getattr(module, "__file__", None) != str(file):
            sys.path.insert(0, str(file.parent))
            module = _module(file, file.stem)
    else:
        sys.path.append(str(Path.cwd()))
        module = importlib.import_module(place)
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise Refused(f"{place} has no {attribute!r}") from None


def _module(file: Path, name: str) -> Any:
    """Import a file as a module."""
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise Refused(f"{file} cannot be imported")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _fields(cls: Any) -> list[dict[str, Any]]:
    """Return what the constructor takes, and whether it counts in comparisons."""
    own = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    known = {field.name: field for field in own}
    fields = []
    for parameter in inspect.signature(cls).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        field, default = known.get(parameter.name), parameter.default
        if field is not None and field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        declared: dict[str, Any] = {"name": parameter.name}
        if default is not inspect.Parameter.empty:
            declared["default"] = plain_json(default)
        declared["compare"] = field is None or field.compare is not False
        fields.append(declared)
    return fields


def plain_json(value: Any) -> Any:
    """Return arrays, iterables and numbers of any kind as JSON has them."""
    return json.loads(json.dumps(value, default=_plain))


def _plain(value: Any) -> Any:
    for convert in ("to_rows", "tolist", "item"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    if hasattr(value, "__iter__"):
        return list(value)
    if hasattr(value, "__index__"):
        return int(value)
    raise Refused(f"{value!r:.80} is not a number, a text or a list of them")


# The process


def main(handle: int, alive: int, *, ours: bool) -> None:
    """Serve the supervisor that started this process.

    A guard is left behind that kills our process group when the supervisor is gone. The
    supervisor holds the other end of the pipe `alive`. When it ends, however it does,
    the pipe is closed, and the guard kills this process, also in the middle of compiled
    code, and whatever methods have started. The guard is not a child of this process,
    so a method that waits for all of its children does not wait for it.
    """
    middle = os.fork()
    if middle == 0:
        if os.fork() == 0:
            os.closerange(0, alive)
            os.closerange(alive + 1, MOST_HANDLES)
            os.read(alive, 1)
            os.killpg(os.getpgrp(), signal.SIGKILL)
        os._exit(0)
    os.waitpid(middle, 0)
    os.close(alive)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # who sends it wants it to end
    warnings.simplefilter("ignore")
    # The channel gets a high file descriptor that no process inherits; the numbers that
    # methods may know lead nowhere, and a forked copy does not have it.
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = min(soft if soft > 0 else HIGHEST_HANDLE, HIGHEST_HANDLE) - 16
    high = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, max(lowest, 3))
    os.close(handle)
    channel = Channel(socket.socket(fileno=high))
    os.register_at_fork(after_in_child=channel.close)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    try:
        Program(channel, ours=ours).serve()
    except (EOFError, OSError):
        os._exit(1)  # the other end is gone, or a method closed ours


if __name__ == "__main__":
    # The folder of this file is not to be imported from; python -P leaves it out.
    sys.path = [entry for entry in sys.path if entry != str(Path(__file__).parent)]
    main(int(sys.argv[1]), int(sys.argv[2]), ours=sys.argv[3] == "ours")
