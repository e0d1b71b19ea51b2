"""Run tasks on this machine, in processes that can be killed.

`Process` is a running `child`: the only way in which this package starts one, asks it
and ends it, for its own methods, those of the user, and those of other environments.
`Supervisor` keeps one and runs tasks in it, one after the other: start, send, wait,
kill, restart. `LocalEngine` has as many threads as runs can go on at the same time,
each with a supervisor; no other process is started, and nothing of the calling program
is imported again. `InProcess` calls the methods in the calling process, for a debugger.
The engine of a Dask cluster is in `cluster`. All engines are contexts with one method,
`stream`.

When a run takes too long or too much memory the process is killed, which works inside
compiled code too, and the next run gets a new one. So does a run after which the
process holds on to much memory. A process ends together with everything that methods
started in it: it is a session of its own, and `child` leaves a guard in it.

Rules
-----
* A sweep over several settings has the time limit of one run. One that breaks a limit,
  crashes or raises is run again by halves, down to single settings, so that each gets
  the status that it has by itself.
* What a run comes to must not depend on what ran before it in the same process. A run
  that breaks the memory limit, crashes, or writes into our connection is therefore
  judged by a second attempt in a fresh process, unless the process was fresh.
* A process that is killed from outside says nothing about the method. Its run is tried
  `ATTEMPTS` times; its status is then `KILLED`, which no row of a store has.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
import psutil

from tsmdbench.errors import ExperimentError, InputError, InputTypeError
from tsmdbench.experiments import child
from tsmdbench.experiments.child import Channel, StrayBytesError
from tsmdbench.experiments.environments import (
    Environment,
    clean_variables,
    interpreter_of,
)
from tsmdbench.experiments.rows import (
    ATTEMPTS,
    KILLED,
    Outcome,
    plain_value,
    storable,
)
from tsmdbench.experiments.specification import Limits
from tsmdbench.experiments.tasks import Task
from tsmdbench.methods import METHODS
from tsmdbench.methods.adapters import class_of
from tsmdbench.methods.info import MethodInfo

POLL = 0.02  # seconds between looks at the clock and the memory
START = 120.0  # seconds to start, and to answer anything but a search
IMPORT = 600.0  # seconds to import a method elsewhere: some packages compile then
DYING = 5.0  # seconds that a process may take to end, once its connection is closed
SEND = 120.0  # seconds; a process that takes nothing for so long is gone
RESTING = 0.5  # part of the memory limit that a process may keep between runs
SENT = 16  # tasks that are sent before the answer to an earlier one
BUFFER = 32 * 2**10  # bytes of their series together
PER_MOTIF = 64  # bytes of a motif in an answer, at most
# A run has one core; libraries that would take all are limited to it.
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA")
STARTS = 25  # of a process that is killed while it starts
# What users, schedulers and the kernel (out of memory) end processes with; a method
# that crashes ends by another signal, or by an exit status.
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

TICK = 0.5  # seconds after which the driver gets a chance to save and to report
AHEAD = 2  # batches per worker that are under way: one runs, one waits

Outcomes = list[list[Outcome]]  # of a batch: for each task one per setting
Batch = tuple[Task, ...]  # that are done one after the other
NextBatch = Callable[[int], Batch | None]
Answer = list[Outcome] | Outcome  # per setting, or one that all of them share


class AbandonedError(Exception):
    """The caller no longer waits for the outcomes."""


class EndedError(Exception):
    """The process was ended because of a limit, or ended by itself.

    Attributes
    ----------
    outcome : Outcome
        Of the run that it was in.
    """

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome


class Process:
    """A running `child`.

    Parameters
    ----------
    environment : Environment, optional
        Of the interpreter; by default ours.
    is_wanted : callable, optional
        Returns False when no caller waits for an answer any more.

    Attributes
    ----------
    about : dict
        Python and packages of another environment.
    used : bool
        Whether a method has run in it.

    Raises
    ------
    ExperimentError
        It does not start. `InputError` for another environment.
    """

    def __init__(
        self,
        environment: Environment | None = None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        python = sys.executable if environment is None else interpreter_of(environment)
        self.used = False
        self.loaded: set[str] = set()  # methods that were sent by value
        self.series: Any = None  # the last one that was sent
        # Tasks whose answers are to come, with request and bytes.
        self.sent: deque[tuple[Task, int, int]] = deque()
        self._number = 0
        ours, theirs = socket.socketpair()
        ours.settimeout(SEND)
        self._channel = Channel(ours)
        # The child's guard waits for the other end of this to be closed.
        alive, self._alive = os.pipe()
        handles = (theirs.fileno(), alive)
        kind = "ours" if environment is None else "other"
        command = [str(python), *["-E", "-B"] * (environment is not None)]
        command += [child.__file__, *map(str, handles), kind]
        variables = clean_variables() if environment is not None else dict(os.environ)
        if environment is None:
            # An empty entry is the current folder, as in a notebook.
            entries = (entry or str(Path.cwd()) for entry in sys.path)
            variables["PYTHONPATH"] = os.pathsep.join(entries)
        for library in THREADS:
            variables.setdefault(f"{library}_NUM_THREADS", "1")
        with tempfile.TemporaryFile() as said:
            try:
                self._process = subprocess.Popen(
                    command,
                    pass_fds=handles,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=said,
                    env=variables,
                    start_new_session=True,
                )
            except OSError as error:
                self._close()
                raise InputError(f"cannot start {python}: {error.strerror}") from None
            finally:
                theirs.close()
                os.close(alive)
            self._info = psutil.Process(self._process.pid)
            try:
                answer = self.ask("hello", is_wanted=is_wanted)
            except EndedError as error:
                said.seek(0)
                lines = said.read().decode(errors="replace").strip().splitlines()
                reason = lines[-1] if lines else str(error)
                if environment is not None:
                    raise InputError(
                        f"{python} does not start as Python 3.8 or newer: {reason:.300}"
                    ) from None
                raise _NotStartedError(
                    f"the computing process does not start: {reason}",
                    from_outside=error.outcome.status == KILLED,
                ) from None
            except BaseException:
                self.kill()
                raise
        if not answer["ok"]:
            self.kill()
            raise InputError(
                f"{python}: {answer['message']}, which the exchange of series needs; "
                f"install it there: {python} -m pip install numpy"
            )
        self.about = answer.get("about", {})

    def ask(
        self,
        do: str,
        data: bytes = b"",
        *,
        limits: Limits | None = None,
        seconds: float = START,
        is_wanted: Callable[[], bool] = lambda: True,
        **request: Any,
    ) -> dict[str, Any]:
        """Send a request and return the answer; see `send` and `wait`."""
        number, _ = self.send(do, data, **request)
        return self.wait(number, limits=limits, seconds=seconds, is_wanted=is_wanted)

    def send(self, do: str, data: bytes = b"", **request: Any) -> tuple[int, int]:
        """Send a request, see `child`; return its number and its size in bytes.

        Parameters
        ----------
        do : str
            Kind of the request.
        data : bytes
            Sent with it.
        **request
            Arguments, as JSON can hold them.
        """
        self._number += 1
        text = json.dumps({"do": do, **request}).encode()
        with suppress(OSError):  # it has ended, which `wait` notices
            self._channel.send(self._number, text, data)
        return self._number, len(text) + len(data)

    def wait(
        self,
        request: int,
        *,
        limits: Limits | None = None,
        seconds: float = START,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> dict[str, Any]:
        """Return the answer to a request; requests are answered in their order.

        Parameters
        ----------
        request : int
            Its number.
        limits : Limits, optional
            Of a run. The process is killed if the run breaks one.
        seconds : float
            Time for an answer where there are no limits.
        is_wanted : callable

        Raises
        ------
        EndedError
            The process was killed or died; it cannot be used again.
        AbandonedError
            The answer is not wanted any more; the process must be killed.
        """
        begin, most = time.monotonic(), 0
        allowed = seconds if limits is None else limits.seconds

        def ended(status: str, message: str) -> EndedError:
            spent = time.monotonic() - begin
            if limits is not None and status == "timeout":
                spent = min(spent, limits.seconds)
            self.kill()
            return EndedError(Outcome(status, spent, peak_memory=most, message=message))

        try:
            while True:
                message = self._channel.receive(POLL)
                if message is None:
                    if not is_wanted():
                        raise AbandonedError
                    resident = 0
                    with suppress(psutil.Error):  # it has ended
                        resident = int(self._info.memory_info().rss)
                    most = max(most, resident)
                    if limits is not None and resident > limits.memory:
                        limit = f"the limit of {limits.memory / 2**20:.0f} MiB"
                        raise ended("memory", f"the process needed more than {limit}")
                    if time.monotonic() - begin > allowed:
                        most_time = seconds if limits is None else limits.seconds
                        limit = f"the limit of {most_time:g} s"
                        raise ended("timeout", f"the run took more than {limit}")
                    # A copy that a method forked may keep the connection open.
                    if self.has_ended():
                        message = self._channel.receive(0)
                        if message is None:
                            raise EOFError
                if message is None:
                    continue
                number, answer, _ = message
                if number != request:
                    raise StrayBytesError
                if "clock" not in answer:
                    return answer
                begin = time.monotonic()
                if limits is not None:
                    cold = answer["clock"] == "cold"  # it may compile
                    allowed = limits.seconds + (limits.grace if cold else 0.0)
        except StrayBytesError:
            raise ended(
                "error",
                "the method wrote to a file descriptor that it did not open, or "
                "answered a request twice",
            ) from None
        except (EOFError, OSError):
            code = None
            with suppress(subprocess.TimeoutExpired):  # it closed the connection only
                code = self._process.wait(DYING)
            status = KILLED if code is not None and -code in FROM_OUTSIDE else "error"
            raise ended(status, f"the computing process {_ending(code)}") from None

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    def has_ended(self) -> bool:
        """Return True if the process is gone."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """Kill the process and whatever it started; do nothing the second time."""
        with suppress(ProcessLookupError):  # it may have ended
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._close()

    def _close(self) -> None:
        self._channel.close()
        if self._alive >= 0:
            os.close(self._alive)
            self._alive = -1


class _NotStartedError(ExperimentError):
    """The process did not start; `from_outside` if it was killed meanwhile."""

    def __init__(self, reason: str, *, from_outside: bool = False) -> None:
        super().__init__(reason)
        self.from_outside = from_outside


def _ending(code: int | None) -> str:
    """Return how a process ended, in words."""
    if code is None:
        return "closed the connection"
    try:
        return f"was killed by signal {signal.Signals(-code).name}"
    except ValueError:
        return f"exited with status {code}"


class Supervisor:
    """Run tasks in a process, within limits.

    Parameters
    ----------
    limits : Limits
    is_wanted : callable, optional
        Returns False when no caller waits for the outcomes any more.

    Attributes
    ----------
    process : Process or None
        What computes, while there is one.
    """

    def __init__(
        self, limits: Limits, is_wanted: Callable[[], bool] = lambda: True
    ) -> None:
        self._limits = limits
        self.is_wanted = is_wanted
        self.process: Process | None = None
        self._place: Any = None  # environment of the process, and file in it

    def run(self, tasks: Sequence[Task]) -> list[list[Outcome]]:
        """Return for each task an outcome per setting; a method never raises here.

        Raises
        ------
        AbandonedError
            The caller no longer waits for the outcomes.
        ExperimentError
            The process does not start.
        """
        return [
            self._outcomes(task, tasks[place + 1 : place + 1 + SENT])
            for place, task in enumerate(tasks)
        ]

    def _outcomes(self, task: Task, following: Sequence[Task] = ()) -> list[Outcome]:
        answer = self._answer(task, following)
        if isinstance(answer, list):
            return answer
        if len(task.settings) == 1 or answer.status == KILLED:
            return [answer] * len(task.settings)
        return [one for half in task.halves() for one in self._outcomes(half)]

    def _answer(self, task: Task, following: Sequence[Task]) -> Answer:
        """Return an outcome that does not depend on earlier runs."""
        attempt = 1
        while True:
            process = self._ready(task)
            used, process.used = process.used, True
            try:
                answer = self._asked(process, task, following)
                doubtful = isinstance(answer, Outcome) and answer.status == "memory"
            except EndedError as end:
                self.stop()
                answer, doubtful = end.outcome, end.outcome.status != "timeout"
            except BaseException:
                self.stop()
                raise
            killed = isinstance(answer, Outcome) and answer.status == KILLED
            if killed and attempt < ATTEMPTS:
                attempt += 1
            elif killed or not (used and doubtful):
                return answer
            else:
                self.stop()  # it is judged in a fresh process

    def _asked(self, process: Process, task: Task, following: Sequence[Task]) -> Answer:
        """Return the answer of the process.

        The next tasks are sent before it does, so that it never waits for us, as long
        as they are few bytes: then they fit into the buffer of the connection, and
        neither end can wait for the other.
        """
        if task.code and task.method not in process.loaded:
            process.loaded.add(task.method)
            loaded = process.ask(
                "load", task.code, seconds=IMPORT, is_wanted=self.is_wanted,
                method=task.method,
            )  # fmt: skip
            if not loaded["ok"]:
                self.stop()
                return failed(loaded)
        if not process.sent:
            self._send(process, task)
        for other in following[len(process.sent) - 1 :]:
            waiting = sum(size for *_, size in process.sent) - process.sent[0][2]
            alike = (other.method, other.environment) == (task.method, task.environment)
            # What is run again by halves must be the last one that was sent.
            if not alike or len(task.settings) > 1 or len(other.settings) > 1:
                break
            if waiting + other.series.nbytes > BUFFER:
                break
            self._send(process, other)
        _, number, _ = process.sent.popleft()
        answer = process.wait(number, limits=self._limits, is_wanted=self.is_wanted)
        if answer["resident"] > RESTING * self._limits.memory:
            self.stop()
        return outcomes_of(answer, task, self._limits.max_motifs)

    def _send(self, process: Process, task: Task) -> None:
        new = process.series is not task.series
        series = np.ascontiguousarray(task.series, dtype="<f8") if new else None
        process.series = task.series
        most = PER_MOTIF * self._limits.max_motifs * len(task.settings) + 2**20
        number, size = process.send(
            "find",
            b"" if series is None else series.tobytes(),
            longest=most,
            method=task.method,
            settings=[setting_text(setting) for setting in task.settings],
            shape=None if series is None else series.shape,
        )
        process.sent.append((task, number, size))

    def _ready(self, task: Task) -> Process:
        """Return the process, or a new one where it has ended or is another one."""
        # Files of one name may be in several folders, so each has its own process.
        file = task.method.rpartition(":")[0]
        place = task.environment and (task.environment, file)
        if self.process is not None and (
            self.process.has_ended() or place != self._place
        ):
            self.stop()
        attempt = 1
        while self.process is None:
            try:
                self.process = Process(task.environment, self.is_wanted)
            except _NotStartedError as error:
                if not error.from_outside or attempt == STARTS:
                    raise
                attempt += 1
        self._place = place
        return self.process

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process = None


def setting_text(setting: Mapping[str, Any]) -> str:
    """Return a setting as JSON that distinguishes tuples from lists."""

    def sent(value: Any) -> Any:
        if isinstance(value, tuple):
            return {"tuple": [sent(each) for each in value]}
        if isinstance(value, list):
            return [sent(each) for each in value]
        if isinstance(value, dict):
            return {key: sent(each) for key, each in value.items()}
        return value

    return json.dumps(sent(dict(setting)), default=plain_value)


def outcomes_of(answer: Mapping[str, Any], task: Task, max_motifs: int) -> Answer:
    """Return the outcomes that an answer to ``find`` stands for, checked."""
    if not answer["ok"]:
        return failed(answer)
    number = len(task.settings)
    outcomes = []
    for found in answer["found"]:
        sets, fault = found, ""
        if task.environment is not None:  # ours are checked by the child
            try:
                sets = child.read_ours(found, len(task.series))
            except (InputError, InputTypeError) as error:
                sets, fault = [], f"{type(error).__name__}: {error}"
        motifs = sum(map(len, sets))
        if len(sets) + motifs > max_motifs:
            fault = (
                f"the method returned {len(sets)} sets with {motifs} motifs, more than "
                f"the limit of {max_motifs} (--max-motifs)"
            )
        outcomes.append(
            Outcome("error", peak_memory=answer["peak"], message=storable(fault))
            if fault
            else Outcome(
                "ok",
                answer["seconds"] / number,
                answer["cpu_seconds"] / number,
                answer["peak"],
                number,
                sets,
            )
        )
    return outcomes


def failed(answer: Mapping[str, Any]) -> Outcome:
    """Return the outcome of a run whose method raised."""
    return Outcome(
        answer["status"],
        peak_memory=answer.get("peak", 0),
        message=storable(answer["message"]),
        traceback=storable(answer["traceback"]),
    )


# Engines


class Engine(Protocol):
    """Interface of an engine that runs batches; a context manager."""

    def __enter__(self) -> Self:
        """Make the engine ready."""

    def __exit__(self, *error: Any) -> None:
        """End all runs that are under way."""

    def stream(self, next_batch: NextBatch) -> Iterator[tuple[Batch, Outcomes] | None]:
        """Yield batches that are done, and None at least every `TICK` seconds.

        Parameters
        ----------
        next_batch : callable
            Is given the number of workers, and returns a batch, or None when there are
            no more.
        """


class LocalEngine:
    """Processes of this machine.

    Parameters
    ----------
    limits : Limits
        Of every run.
    workers : int, optional
        Runs at the same time; by default one per core.
    """

    def __init__(self, limits: Limits, workers: int | None = None) -> None:
        from dask.system import CPU_COUNT  # knows the share of a container

        self._limits = limits
        self._over = threading.Event()
        self._waiting: queue.SimpleQueue[Batch | None] = queue.SimpleQueue()
        self._finished: queue.SimpleQueue[tuple[Batch, Outcomes] | Exception]
        self._finished = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._work, daemon=True)
            for _ in range(CPU_COUNT if workers is None else workers)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._over.set()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        """Do batches one after the other, until the engine is left."""
        supervisor = Supervisor(self._limits, lambda: not self._over.is_set())
        try:
            while (batch := self._waiting.get()) is not None:
                self._finished.put((batch, supervisor.run(batch)))
        except AbandonedError:
            pass  # the engine is being left
        except Exception as error:  # noqa: BLE001 (raised by `stream`)
            self._finished.put(error)
        finally:
            supervisor.stop()

    def stream(self, next_batch: NextBatch) -> Iterator[tuple[Batch, Outcomes] | None]:
        """Yield batches that are done, see `Engine`."""
        workers, under_way, more = len(self._threads), 0, True
        while more or under_way:
            while more and under_way < AHEAD * workers:
                batch = next_batch(workers)
                more = batch is not None
                if batch is not None:
                    self._waiting.put(batch)
                    under_way += 1
            if under_way:
                try:
                    done = self._finished.get(timeout=TICK)
                except queue.Empty:
                    yield None
                    continue
                if isinstance(done, Exception):
                    raise done
                under_way -= 1
                yield done


class InProcess:
    """The calling process.

    What a method prints is seen, a breakpoint stops in it, and Ctrl-C ends it. Time and
    memory are measured as elsewhere, but no limit can end a run, and a method that
    crashes takes the session with it.

    Parameters
    ----------
    limits : Limits
        Only that on the number of motifs holds.
    session : mapping
        Methods that are objects of the session, by name; they are used as they are.
    """

    def __init__(self, limits: Limits, session: Mapping[str, MethodInfo]) -> None:
        self._limits = limits
        self._session = session
        self._warm: set[tuple[Any, ...]] = set()
        self._elsewhere = Supervisor(limits)  # other environments are never here

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._elsewhere.stop()

    def stream(self, next_batch: NextBatch) -> Iterator[tuple[Batch, Outcomes] | None]:
        """Yield batches that are done, one after the other."""
        while (batch := next_batch(1)) is not None:
            yield batch, [self._outcomes(task) for task in batch]

    def _outcomes(self, task: Task) -> list[Outcome]:
        """Return an outcome per setting; a sweep that fails is tried by halves."""
        if task.environment is not None:
            return self._elsewhere.run([task])[0]
        kind = (task.method, task.series.ndim, len(task.settings) > 1)
        try:
            answer = child.find(
                lambda: self._method(task.method),
                list(task.settings),
                task.series,
                cold=kind not in self._warm,
                clock=lambda _: None,
                read=child.read_ours,
            )
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a method may raise any)
            found = failed({**child.failure(error), **child.memory()})
            if len(task.settings) == 1:
                return [found]
            return [one for half in task.halves() for one in self._outcomes(half)]
        self._warm.add(kind)
        answer |= {"ok": True, **child.memory()}
        outcomes = outcomes_of(answer, task, self._limits.max_motifs)
        return outcomes if isinstance(outcomes, list) else [outcomes]

    def _method(self, name: str) -> Any:
        known = self._session.get(name)
        return class_of(METHODS[name]) if known is None else known.cls
