"""Run tasks on this machine, in processes that can be killed.

From top to bottom this is the life of a process that computes. `Process` is a running
`child`; nothing else in this package starts one, sends it requests and ends it, for our
methods, those of the user, and those of other environments. A `Supervisor` keeps one
and runs tasks in it: start, send, wait, kill, restart. `Supervisors` are as many as
batches go on at the same time. Engines are contexts with one method, `stream`:
`LocalEngine` has the supervisors of this machine, `cluster` those of Dask's workers,
and `InProcess` calls the methods in the calling process, for a debugger.

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
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from tsmdbench.errors import ExperimentError, InputError, InputTypeError
from tsmdbench.experiments import child
from tsmdbench.experiments.child import Channel, CorruptMessageError
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
from tsmdbench.methods.info import MethodInfo

POLL = 0.02  # seconds between looks at the clock and the memory
START = 120.0  # seconds to start, and to answer anything but a search
IMPORT = 600.0  # seconds to import a method: some packages compile then
DYING = 5.0  # seconds that a process may take to end, once its connection is closed
SEND = 120.0  # seconds; a process that takes nothing for so long is gone
RESTING = 0.5  # part of the memory limit that a process may keep between runs
PER_MOTIF = 64  # bytes of a motif in an answer, at most
# A run has one core; libraries that would take all are limited to it.
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA")
STARTS = 25  # of a process that is killed while it starts
# What users, schedulers and the kernel (out of memory) end processes with; a method
# that crashes ends by another signal, or by an exit status.
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
CORRUPT = (
    "the method wrote to a file descriptor that it did not open, or answered a request "
    "twice"
)
TICK = 0.5  # seconds after which the driver gets a chance to save and to report
AHEAD = 2  # batches per worker that are under way: one runs, one waits

Outcomes = list[list[Outcome]]  # of a batch: for each task one per setting
Batch = tuple[Task, ...]  # that are done one after the other
NextBatch = Callable[[int], Batch | None]
Answer = list[Outcome] | Outcome  # per setting, or one that all of them share
IsWanted = Callable[[], bool]  # False when no caller waits for an answer any more


class AbandonedError(Exception):
    """The caller no longer waits for the outcomes."""


class EndedError(Exception):
    """The process was ended because of a limit, or ended by itself.

    `outcome` is that of the run that it was in.
    """

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome


class Process:
    """A running `child`, of our interpreter or of an environment.

    Attributes
    ----------
    about : dict
        Python and packages of another environment.
    used : bool
        Whether a method has run in it.
    under_way : int
        Number of tasks that are sent and not answered.

    Raises
    ------
    EndedError
        It ended before it was ready. `InputError` for another environment.
    """

    def __init__(
        self, environment: Environment | None = None, is_wanted: IsWanted = lambda: True
    ) -> None:
        self.used, self.under_way = False, 0
        self.loaded: set[str] = set()  # methods that it has
        self.series: Any = None  # the last one that was sent
        python = sys.executable if environment is None else interpreter_of(environment)
        ours, theirs = socket.socketpair()
        ours.settimeout(SEND)
        self._channel = Channel(ours)
        # The child's guard waits for the other end of this to be closed.
        alive, kept = os.pipe()
        self._alive = os.fdopen(kept, "wb")
        handles = (theirs.fileno(), alive)
        command = [str(python), child.__file__, *map(str, handles), "ours"]
        variables = dict(os.environ)
        if environment is None:
            # An empty entry is the current folder, as in a notebook.
            entries = (entry or str(Path.cwd()) for entry in sys.path)
            variables["PYTHONPATH"] = os.pathsep.join(entries)
        else:
            command[1:] = ["-E", "-B", *command[1:-1], "other"]
            variables = clean_variables()
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
                self._channel.close()
                self._alive.close()
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
                if environment is None:
                    raise EndedError(replace(error.outcome, message=reason)) from None
                raise InputError(
                    f"{python} does not start as Python 3.8 or newer: {reason:.300}"
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
        seconds: float = START,
        is_wanted: IsWanted = lambda: True,
        **request: Any,
    ) -> dict[str, Any]:
        """Send a request, see `child`, and return the answer."""
        self.send(do, data, [request])
        return self.wait(seconds=seconds, is_wanted=is_wanted)

    def send(self, do: str, data: bytes, parts: Sequence[Mapping[str, Any]]) -> None:
        """Send a request, each part of which is answered."""
        with suppress(OSError):  # it has ended, which `wait` notices
            self._channel.send(json.dumps({"do": do, "parts": parts}).encode(), data)

    def wait(
        self,
        *,
        limits: Limits | None = None,
        seconds: float = START,
        is_wanted: IsWanted = lambda: True,
    ) -> dict[str, Any]:
        """Return the next answer.

        It may take as long as the limits of a run, or else `seconds`. `EndedError` says
        that the process has died, or was killed because the run broke a limit, and
        `AbandonedError` that the answer is not wanted; the process must be killed then.
        """
        begin, most = time.monotonic(), 0
        longest = seconds if limits is None else limits.seconds
        allowed = longest

        def ended(status: str, message: str) -> EndedError:
            spent = time.monotonic() - begin
            if limits is not None and status == "timeout":
                spent = min(spent, longest)
            self.kill()
            return EndedError(Outcome(status, spent, peak_memory=most, message=message))

        try:
            while True:
                has_ended = self.has_ended()
                message = self._channel.receive(0 if has_ended else POLL)
                if message is not None:
                    answer, _ = message
                    if "clock" not in answer:
                        return answer
                    begin = time.monotonic()
                    if limits is not None and answer["clock"] == "cold":
                        allowed = longest + limits.grace  # it may compile
                    else:
                        allowed = longest
                elif has_ended:  # a forked copy may keep the connection open
                    raise EOFError
                else:
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
                        limit = f"the limit of {longest:g} s"
                        raise ended("timeout", f"the run took more than {limit}")
        except CorruptMessageError:
            raise ended("error", CORRUPT) from None
        except (EOFError, OSError):
            code, how = None, "closed the connection"
            with suppress(subprocess.TimeoutExpired):  # it closed the connection only
                code = self._process.wait(DYING)
                how = f"exited with status {code}"
                with suppress(ValueError):
                    how = f"was killed by signal {signal.Signals(-code).name}"
            status = KILLED if code is not None and -code in FROM_OUTSIDE else "error"
            raise ended(status, f"the computing process {how}") from None

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
        self._channel.close()
        self._alive.close()


class Supervisor:
    """Run tasks within limits, in a `process` that is kept from run to run."""

    def __init__(self, limits: Limits, is_wanted: IsWanted = lambda: True) -> None:
        self._limits = limits
        self.is_wanted = is_wanted
        self.process: Process | None = None
        self._place: Any = None  # environment of the process, and file in it

    def run(self, tasks: Sequence[Task]) -> Outcomes:
        """Return for each task an outcome per setting; a method never raises here.

        `AbandonedError` says that the outcomes are not wanted any more, and
        `ExperimentError` that the process does not start.
        """
        return [self._outcomes(tasks[place:]) for place in range(len(tasks))]

    def _outcomes(self, tasks: Sequence[Task]) -> list[Outcome]:
        """Return the outcomes of the first task, by halves if it does not end well."""
        task = tasks[0]
        answer = self._answer(tasks)
        if isinstance(answer, list):
            return answer
        if len(task.settings) == 1 or answer.status == KILLED:
            return [answer] * len(task.settings)
        return [one for half in task.halves() for one in self._outcomes([half])]

    def _answer(self, tasks: Sequence[Task]) -> Answer:
        """Return an outcome of the first task that does not depend on earlier runs."""
        attempt = 1
        while True:
            process = self._ready(tasks[0])
            used, process.used = process.used, True
            try:
                answer = self._exchange(process, tasks)
                uncertain = isinstance(answer, Outcome) and answer.status == "memory"
            except EndedError as end:
                self.stop()
                answer, uncertain = end.outcome, end.outcome.status != "timeout"
            except BaseException:
                self.stop()
                raise
            killed = isinstance(answer, Outcome) and answer.status == KILLED
            if killed and attempt < ATTEMPTS:
                attempt += 1
            elif killed or not (used and uncertain):
                return answer
            else:
                self.stop()  # it is judged in a fresh process

    def _exchange(self, process: Process, tasks: Sequence[Task]) -> Answer:
        """Return the answer of the process to the first task.

        The next ones are sent with it, so that the process never waits for us. What is
        run again by halves goes alone.
        """
        task = tasks[0]
        if not process.under_way:
            data: list[bytes] = []
            parts: list[dict[str, Any]] = []
            for other in tasks:
                place = other.method, other.environment, len(other.settings)
                if parts and place != (task.method, task.environment, 1):
                    break
                parts.append(self._part(process, other, data))
                if len(task.settings) > 1:
                    break
            process.under_way = len(parts)
            process.send("find", b"".join(data), parts)
        answer = process.wait(limits=self._limits, is_wanted=self.is_wanted)
        process.under_way -= 1
        if answer["resident"] > RESTING * self._limits.memory:
            self.stop()
        return outcomes_of(answer, task, self._limits.max_motifs)

    def _part(self, process: Process, task: Task, data: list[bytes]) -> dict[str, Any]:
        """Return the request for a task; what the process does not have is `data`."""

        def tagged(value: Any) -> Any:  # JSON has no tuples
            if isinstance(value, tuple):
                return {"tuple": [tagged(each) for each in value]}
            if isinstance(value, list):
                return [tagged(each) for each in value]
            if isinstance(value, dict):
                return {key: tagged(each) for key, each in value.items()}
            return value

        code = b"" if task.method in process.loaded else task.code
        process.loaded.add(task.method)
        shape, series = None, b""
        if process.series is not task.series:
            process.series = task.series
            shape = task.series.shape
            series = np.ascontiguousarray(task.series, dtype="<f8").tobytes()
        data += [code, series]
        settings = [
            json.dumps(tagged(setting), default=plain_value)
            for setting in task.settings
        ]
        return {
            "method": task.method,
            "settings": settings,
            "shape": shape,
            "code": len(code),
            "longest": PER_MOTIF * self._limits.max_motifs * len(settings) + 2**20,
        }

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
            except EndedError as end:
                if end.outcome.status != KILLED or attempt == STARTS:
                    raise ExperimentError(
                        f"the computing process does not start: {end}"
                    ) from None
                attempt += 1
        self._place = place
        return self.process

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process = None


class Supervisors:
    """Supervisors that are kept from batch to batch, one per batch that goes on."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._idle: queue.SimpleQueue[Supervisor] = queue.SimpleQueue()
        self._over = False

    def run(self, batch: Batch, is_wanted: IsWanted = lambda: True) -> Outcomes:
        """Run a batch with an idle supervisor, or a new one."""
        try:
            supervisor = self._idle.get_nowait()
        except queue.Empty:
            supervisor = Supervisor(self._limits)
        supervisor.is_wanted = lambda: is_wanted() and not self._over
        try:
            return supervisor.run(batch)
        finally:
            self._idle.put(supervisor)
            if self._over:
                self.stop()

    def stop(self) -> None:
        """End the processes that compute, those of batches that go on by themselves."""
        self._over = True
        while True:
            try:
                self._idle.get_nowait().stop()
            except queue.Empty:
                return


def outcomes_of(answer: Mapping[str, Any], task: Task, max_motifs: int) -> Answer:
    """Return the outcomes that an answer to ``find`` stands for, checked."""
    peak, number = answer["peak"], len(task.settings)
    if not answer["ok"]:
        message, trace = storable(answer["message"]), storable(answer["traceback"])
        return Outcome(
            answer["status"], peak_memory=peak, message=message, traceback=trace
        )
    seconds, cpu_seconds = answer["seconds"] / number, answer["cpu_seconds"] / number
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
        if fault:
            fault = storable(fault)
            outcomes.append(Outcome("error", peak_memory=peak, message=fault))
        else:
            outcomes.append(Outcome("ok", seconds, cpu_seconds, peak, number, sets))
    return outcomes


# Engines


class Engine(ExitStack):
    """Base of engines, which run batches; a context that ends all runs under way.

    Attributes
    ----------
    under_way : dict
        The batches that are not done, by the futures of their outcomes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.under_way: dict[Any, Batch] = {}
        self._finished: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def workers(self) -> int:
        """Return how many batches can run at the same time."""
        return 1

    def submit(self, batch: Batch) -> Any:
        """Start a batch; return a future of its outcomes."""
        raise NotImplementedError

    def result(self, future: Any, batch: Batch) -> Outcomes | None:  # noqa: ARG002
        """Return the outcomes of a batch; None if it must be started again."""
        outcomes: Outcomes = future.result()
        return outcomes

    def check(self) -> None:
        """Raise if no batch that is under way can be done."""

    def stream(self, next_batch: NextBatch) -> Iterator[tuple[Batch, Outcomes] | None]:
        """Yield batches that are done, and None at least every `TICK` seconds.

        `next_batch` gets the number of workers; it returns None after the last batch.
        """
        batch: Batch | None = ()
        while batch is not None or self.under_way:
            while batch is not None and len(self.under_way) < AHEAD * self.workers():
                batch = next_batch(self.workers())
                if batch is not None:
                    self._start(batch)
            if not self.under_way:
                continue
            try:
                future = self._finished.get(timeout=TICK)
            except queue.Empty:
                self.check()
                yield None
                continue
            done = self.under_way.pop(future)
            outcomes = self.result(future, done)
            if outcomes is None:
                self._start(done)
            else:
                yield done, outcomes

    def _start(self, batch: Batch) -> None:
        future = self.submit(batch)
        self.under_way[future] = batch
        future.add_done_callback(self._finished.put)


class LocalEngine(Engine):
    """Processes of this machine, by default as many as it has cores.

    No other process is started, and nothing of the calling program is imported again.
    """

    def __init__(self, limits: Limits, workers: int | None = None) -> None:
        from dask.system import CPU_COUNT  # knows the share of a container

        super().__init__()
        self._workers = CPU_COUNT if workers is None else workers
        self._pool = ThreadPoolExecutor(self._workers)
        self._supervisors = Supervisors(limits)
        self.callback(self._pool.shutdown, cancel_futures=True)
        self.callback(self._supervisors.stop)  # first

    def workers(self) -> int:
        """Return the number of threads."""
        return self._workers

    def submit(self, batch: Batch) -> Future[Outcomes]:
        """Give a batch to the thread that is free first."""
        return self._pool.submit(self._supervisors.run, batch)


class InProcess(Engine):
    """The calling process.

    What a method prints is seen, a breakpoint stops in it, and Ctrl-C ends it. Time and
    memory are measured as in other engines, but only the limit of motifs holds, and a
    method that crashes takes the session with it. Methods that are objects of the
    `session` are used as they are.
    """

    def __init__(self, limits: Limits, session: Mapping[str, MethodInfo]) -> None:
        super().__init__()
        self._limits = limits
        classes = {name: method.cls for name, method in session.items()}
        self._program = child.Program(None, ours=True, methods=classes)
        self._external = Supervisor(limits)  # of methods in other environments
        self.callback(self._external.stop)

    def stream(self, next_batch: NextBatch) -> Iterator[tuple[Batch, Outcomes] | None]:
        """Yield batches that are done, one after the other."""
        while (batch := next_batch(1)) is not None:
            yield batch, [self._outcomes(task) for task in batch]

    def _outcomes(self, task: Task) -> list[Outcome]:
        """Return an outcome per setting; a sweep that fails is tried by halves."""
        if task.environment is not None:
            return self._external.run([task])[0]
        try:
            answer = self._program.find(task.method, [*task.settings], task.series)
            answer["ok"] = True
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a method may raise any)
            if len(task.settings) > 1:
                return [one for half in task.halves() for one in self._outcomes(half)]
            answer = child.failure(error)
        answer |= child.memory()
        outcomes = outcomes_of(answer, task, self._limits.max_motifs)
        return outcomes if isinstance(outcomes, list) else [outcomes]
