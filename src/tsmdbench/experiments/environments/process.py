"""Our end of a runner: start it in another environment, ask it, end it.

Series go out as ``.npy`` and answers come back as JSON, both in files without a
name: they vanish with the last process that has them open, however it ends. See
`runner` for the other end.
"""

from __future__ import annotations

import io
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import ExperimentError, InputError
from tsmdbench.experiments.environments.environment import (
    Environment,
    clean_variables,
    interpreter_of,
)

START = 120.0  # seconds for an interpreter to start, and to answer what is no search
IMPORT = 600.0  # seconds to import a method: some packages compile then
POLL = 0.02  # seconds between looks at the process
LONGEST = 256 * 2**20  # bytes of an answer, where nothing else is said
PER_MOTIF = 64  # bytes of a motif in an answer, at most


class RunnerError(ExperimentError):
    """The other environment cannot be used; the message says why."""


class RunnerDiedError(RunnerError):
    """The process in the other environment ended while it was asked."""


class RunnerMemoryError(RunnerError):
    """The process in the other environment needed more memory than it may."""


class MethodError(InputError):
    """The method raised, or refused its settings; `kind` is how it failed."""

    def __init__(self, message: str, kind: str = "error", peak: int = 0) -> None:
        super().__init__(message)
        self.kind = kind
        self.peak = peak


class Found(NamedTuple):
    """What a method found elsewhere, and what that took."""

    sets: Any
    seconds: float
    cpu_seconds: float
    peak_memory: int


class Runner:
    """A process in another environment that answers for one method.

    Parameters
    ----------
    environment : Environment
    method : str
        ``file.py:Class`` or ``module:Class``; imported by the first request.

    Attributes
    ----------
    about : dict
        Python and packages of the environment.
    used : bool
        Whether it has found before.
    description : dict
        What the class says of itself, see `runner.Server.do_describe`; empty until
        `describe` was called.
    """

    def __init__(self, environment: Environment, method: str) -> None:
        _check_system()
        self._environment = environment
        self.method = method
        self.used = False
        self.description: dict[str, Any] = {}
        self._number = 0
        self._python = interpreter_of(environment)
        self._series = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self._answer = tempfile.TemporaryFile()  # noqa: SIM115
        self._reply, theirs = os.pipe()
        with tempfile.TemporaryFile() as said:
            try:
                self._process = self._started(theirs, said)
            finally:
                os.close(theirs)
            try:
                self.about = self._hello(said)
            except BaseException:
                self.close()
                raise

    def _started(self, theirs: int, said: Any) -> subprocess.Popen[bytes]:
        handles = [self._series.fileno(), self._answer.fileno(), theirs]
        script = str(Path(__file__).with_name("runner.py"))
        try:
            process = subprocess.Popen(
                [str(self._python), "-E", "-B", script, *map(str, handles)],
                pass_fds=handles,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=said,
                env=clean_variables(),
            )
        except OSError as error:
            self._close_files()
            raise InputError(f"cannot start {self._python}: {error.strerror}") from None
        self._requests = cast("BinaryIO", process.stdin)
        return process

    def _hello(self, said: Any) -> dict[str, Any]:
        try:
            answer = self._answered(START, None, LONGEST)
        except RunnerError as error:
            self._kill()
            said.seek(0)
            lines = said.read().decode(errors="replace").strip().splitlines()
            reason = lines[-1] if lines else str(error)
            raise InputError(
                f"{self._python} does not start as Python 3.8 or newer: {reason:.300}"
            ) from None
        except MethodError as error:
            raise InputError(
                f"{self._python} has no NumPy ({error}), which the exchange of series "
                f"needs; install it there: {self._python} -m pip install numpy"
            ) from None
        return {name: answer[name] for name in ("python", "packages")}

    def describe(self) -> None:
        """Import the method; `description` is then what its class says of itself."""
        told = self._asked("describe", IMPORT, method=self.method)
        _check_description(told)
        self.description = told

    def grid(self, name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return a grid of the class for the facts of a dataset."""
        axes: dict[str, Any] = self._asked("grid", grid=name, facts=dict(facts))["axes"]
        return axes

    def make(self, params: Mapping[str, Any]) -> None:
        """Raise `MethodError` if the method refuses settings."""
        self._asked("make", params=dict(params))

    def find(
        self,
        params: Mapping[str, Any],
        series: NDArray[np.float64],
        *,
        most_memory: int | None = None,
        max_motifs: int | None = None,
    ) -> Found:
        """Return what the method finds in a series.

        Parameters
        ----------
        params : mapping
            Hyperparameters, as JSON can hold them.
        series : float64[n] or float64[n, d]
        most_memory : int, optional
            Resident bytes at which the process is ended.
        max_motifs : int, optional
            An answer that must hold more is not read.
        """
        written = io.BytesIO()
        np.save(written, series, allow_pickle=False)
        self._series.seek(0)
        self._series.truncate()
        self._series.write(written.getbuffer())
        self._series.flush()
        self.used, longest = True, LONGEST
        if max_motifs is not None:
            longest = min(LONGEST, PER_MOTIF * max_motifs + 2**20)
        answer = self._asked("find", None, most_memory, longest, params=dict(params))
        return _found(answer)

    def memory(self) -> int:
        """Return resident bytes; 0 once the process has ended."""
        import psutil

        try:
            return int(psutil.Process(self._process.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def has_ended(self) -> bool:
        """Tell whether the process is gone."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End the process, and give everything back."""
        self._kill()
        with suppress(OSError):  # a request that could not be sent is lost
            self._requests.close()
        self._close_files()

    def _close_files(self) -> None:
        for file in (self._series, self._answer):
            file.close()
        if self._reply >= 0:
            os.close(self._reply)
            self._reply = -1

    def _kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _asked(
        self,
        do: str,
        seconds: float | None = START,
        most_memory: int | None = None,
        longest: int = LONGEST,
        **request: Any,
    ) -> dict[str, Any]:
        """Send a request and return the answer."""
        self._number += 1
        line = json.dumps({"number": self._number, "do": do, **request}) + "\n"
        try:
            self._requests.write(line.encode())
            self._requests.flush()
        except (OSError, ValueError):
            self._kill()
            raise self._death() from None
        return self._answered(seconds, most_memory, longest)

    def _answered(
        self, seconds: float | None, most_memory: int | None, longest: int
    ) -> dict[str, Any]:
        """Wait until the other end says that the answer is complete, and read it."""
        self._wait(seconds, most_memory)
        answer = self._read(longest)
        if answer.get("number") != self._number:
            raise self._damaged("it belongs to another request")
        if answer.get("ok") is True:
            return answer
        kind, error, peak = (answer.get(name) for name in ("kind", "error", "peak"))
        if not isinstance(error, str) or kind not in ("refused", "memory", "error"):
            raise self._damaged("it is neither a result nor an error")
        raise MethodError(error, kind, peak if type(peak) is int else 0)

    def _wait(self, seconds: float | None, most_memory: int | None) -> None:
        poll = select.poll()
        poll.register(self._reply, select.POLLIN)
        begin = time.monotonic()
        while not poll.poll(POLL * 1000):
            if self.has_ended() and not poll.poll(0):
                raise self._death()
            if seconds is not None and time.monotonic() - begin > seconds:
                self._kill()
                raise RunnerError(
                    f"{self._python} did not answer for {seconds:g} s ({self.method})"
                )
            if most_memory is not None and self.memory() > most_memory:
                self._kill()
                mib = most_memory / 2**20
                raise RunnerMemoryError(
                    f"the process needed more than the limit of {mib:.0f} MiB"
                )
        if not os.read(self._reply, 1):
            raise self._death()

    def _read(self, longest: int) -> dict[str, Any]:
        size = self._answer.seek(0, os.SEEK_END)
        if size > longest:
            raise MethodError(
                f"what the method returned has {size} bytes, more than {longest}; see "
                f"the limit of motifs (--max-motifs)"
            )
        self._answer.seek(0)
        try:
            answer = json.loads(self._answer.read())
        except (ValueError, RecursionError) as error:
            raise self._damaged(str(error)) from None
        if not isinstance(answer, dict):
            raise self._damaged("it is not an object")
        return answer

    def _damaged(self, reason: str) -> RunnerDiedError:
        """End a process whose answers cannot be trusted."""
        self._kill()
        return RunnerDiedError(
            f"the answer of the process in the other environment is damaged: "
            f"{reason:.200}"
        )

    def _death(self) -> RunnerDiedError:
        code = self._process.wait()
        try:
            how = f"was killed by signal {signal.Signals(-code).name}"
        except ValueError:
            how = f"exited with status {code}"
        return RunnerDiedError(f"the process in the other environment {how}")


def _found(answer: Mapping[str, Any]) -> Found:
    """Return an answer to `find`, checked as far as our own code relies on it."""
    numbers: list[Any] = [
        answer.get(name) for name in ("seconds", "cpu_seconds", "peak")
    ]
    if not all(type(n) in (int, float) and 0 <= n < 1e15 for n in numbers):
        raise RunnerDiedError("the answer of the other environment has no times")
    try:
        sets = json.loads(answer["found"])
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise MethodError(f"what the method returned cannot be read: {error}") from None
    seconds, cpu_seconds, peak = numbers
    return Found(sets, float(seconds), float(cpu_seconds), int(peak))


def _check_description(told: Mapping[str, Any]) -> None:
    """Raise unless an answer has what a description must have."""
    texts = dict.fromkeys(("name", "summary", "version", "doubt"), str)
    kinds = {**texts, "facts": dict}
    fine = all(isinstance(told.get(name), kind) for name, kind in kinds.items())
    fields, grids = told.get("fields"), told.get("grids")
    if not (fine and isinstance(fields, list) and isinstance(grids, list)):
        raise RunnerError("the description of the method is damaged")
    for field in fields:
        if not isinstance(field, dict) or not isinstance(field.get("name"), str):
            raise RunnerError("the description of the fields of the method is damaged")


def _check_system() -> None:
    """Raise where descriptors cannot be handed on."""
    if sys.platform == "win32":
        raise InputError(
            "--python and --with need Linux or macOS: Windows cannot hand open files "
            "to another process; use WSL"
        )
