"""Watch over a process that computes, and end it when it breaks a limit.

The supervisor waits in the worker while the child (`child`)
computes. When a run takes too long or too much memory the child is killed, which works
inside compiled code too, and the next run gets a new one. So does a run after which the
child holds on to much memory.

A sweep over several settings has the time limit of one run. One that breaks a limit,
crashes or raises is tried again by halves, so that in the end each setting is judged by
itself and the others keep what they share.

What a run comes to must not depend on what ran before it in the same process. A run
that breaks the memory limit or crashes is therefore judged by a second attempt in a
fresh process, unless the process was fresh. So is one whose answer is not an answer:
what an earlier method left behind may have written it.

A process that somebody kills from outside says nothing about the method. Its run is
tried `ATTEMPTS` times; its status is then `KILLED`, which no row of a store has.

A child ends with its supervisor, together with everything that methods started (see
`guard`), and when nobody wants its answers any more.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tsmdbench.errors import ExperimentError
from tsmdbench.experiments.execution import guard
from tsmdbench.experiments.execution.channel import StrayBytesError, open_channel
from tsmdbench.experiments.execution.child import READY, SWOLLEN, Clock
from tsmdbench.experiments.execution.task import Task
from tsmdbench.experiments.limits import Limits
from tsmdbench.experiments.store.rows import Outcome

MODULE = "tsmdbench.experiments.execution.child"
POLL = 0.02  # seconds between looks at the clock and the memory
START = 120.0  # seconds that a child may take to start
RESTING = 0.5  # part of the memory limit that a child may keep between runs
# A run has one core; libraries that would take all are told so.
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA")
KILLED = "killed"  # status of a run whose process was killed again and again
ATTEMPTS = 4  # of a run whose process is killed
STARTS = 25  # of a process that is killed while it starts
# What users, schedulers and the kernel (out of memory) end processes with; a method
# that crashes ends by another signal, or by an exit status.
FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

Answer = list[Outcome] | Outcome  # per setting, or one that all of them share


class Supervisor:
    """Run methods in a child process, within limits.

    Parameters
    ----------
    limits : Limits
    is_wanted : callable, optional
        Tells whether anybody waits for the outcomes; asked now and then.
    """

    def __init__(
        self, limits: Limits, is_wanted: Callable[[], bool] = lambda: True
    ) -> None:
        self._limits = limits
        self._child: _Child | None = None
        self.is_wanted = is_wanted

    def run(self, tasks: Sequence[Task]) -> list[list[Outcome]]:
        """Return for each task an outcome per setting; a method never raises here.

        Settings of a sweep that does not end well are run by halves, down to single
        runs, so that each gets the status that it has by itself.
        """
        answers = self._answers(tasks)
        return [
            self._settled(task, *answer)
            for task, answer in zip(tasks, answers, strict=True)
        ]

    def _settled(self, task: Task, answer: Answer, doubt: bool) -> list[Outcome]:  # noqa: FBT001
        if doubt:
            self.stop()
            ((answer, _),) = self._answers([task])
        for _ in range(ATTEMPTS - 1):
            if _has(answer, KILLED):
                ((answer, _),) = self._answers([task])
        if isinstance(answer, list):
            return answer
        if len(task.settings) == 1 or _has(answer, KILLED):
            return [answer] * len(task.settings)
        return [outcome for each in self.run(task.halves()) for outcome in each]

    def _answers(self, tasks: Sequence[Task]) -> list[tuple[Answer, bool]]:
        """Return first answers, and whether the child's past puts one in doubt."""
        answers: list[tuple[Answer, bool]] = []
        while len(answers) < len(tasks):
            child = self._ready_child()
            try:
                for answer in child.ask(tasks[len(answers) :], self.is_wanted):
                    answers.append((answer, child.used and _has(answer, "memory")))
                    child.used = True
            except _Ended as end:
                doubtful = end.by_itself or _has(end.outcome, "memory")
                answers.append((end.outcome, child.used and doubtful))
                self.stop()
            else:
                if child.memory() > RESTING * self._limits.memory:
                    self.stop()
        return answers

    def _ready_child(self) -> _Child:
        """Return the child, or a new one where it has ended meanwhile."""
        if self._child is not None and self._child.has_ended():
            self.stop()
        attempt = 1
        while self._child is None:
            try:
                self._child = _Child(self._limits, self.is_wanted)
            except _NotStartedError as error:
                if not error.from_outside or attempt == STARTS:
                    raise
                attempt += 1
        return self._child

    def stop(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.kill()
            self._child = None


def _has(answer: Answer, status: str) -> bool:
    return isinstance(answer, Outcome) and answer.status == status


class _Ended(Exception):  # noqa: N818 (an event, not a fault)
    """The child was ended, or ended by itself."""

    def __init__(self, outcome: Outcome, *, by_itself: bool) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome
        self.by_itself = by_itself


class _NotStartedError(ExperimentError):
    """The process did not start; `from_outside` if it was killed meanwhile."""

    def __init__(self, reason: str, code: int | None) -> None:
        super().__init__(f"the computing process does not start: {reason}")
        self.from_outside = code is not None and -code in FROM_OUTSIDE


class AbandonedError(Exception):
    """Nobody wants the outcomes any more."""


class _Child:
    """A running child and the channel to it."""

    def __init__(self, limits: Limits, is_wanted: Callable[[], bool]) -> None:
        self._limits = limits
        self._channel, theirs = open_channel()
        # The child's guard waits for the other end of this to be closed.
        alive, self._alive = os.pipe()
        with tempfile.TemporaryFile() as said:
            self._process = _start(theirs.fileno(), alive, limits, said)
            theirs.close()
            os.close(alive)
            if not self._is_ready(is_wanted):
                code = None
                with suppress(subprocess.TimeoutExpired):  # it may be ending
                    code = self._process.wait(1.0 if is_wanted() else 0.0)
                self.kill()
                if not is_wanted():
                    raise AbandonedError
                said.seek(0)
                lines = said.read().decode(errors="replace").strip().splitlines()
                raise _NotStartedError(lines[-1] if lines else _ending(code), code)
        self._info = psutil.Process(self._process.pid)
        self._next = 1  # number of the next request
        self.used = False

    def _is_ready(self, is_wanted: Callable[[], bool]) -> bool:
        end = time.monotonic() + START
        try:
            while is_wanted() and time.monotonic() < end:
                message = self._channel.receive(POLL)
                if message is not None:
                    return bool(message.content == READY)
        except (EOFError, OSError, StrayBytesError):
            pass
        return False

    def has_ended(self) -> bool:
        """Tell whether the process is gone."""
        return self._process.poll() is not None

    def memory(self) -> int:
        """Return resident bytes; 0 once the process has ended."""
        try:
            return int(self._info.memory_info().rss)
        except psutil.Error:
            return 0

    def ask(
        self, tasks: Sequence[Task], is_wanted: Callable[[], bool]
    ) -> Iterator[Answer]:
        """Yield answers; ends early if the child says that it has swollen.

        Raises
        ------
        _Ended
            In place of an answer: the child was killed, or died, or somebody else has
            written to its channel.
        """
        watch = _Watch(self._limits, is_wanted)
        first, self._next = self._next, self._next + len(tasks)
        try:
            self._channel.send(first, tuple(tasks))
            for request in range(first, self._next):
                answer = self._answer(request, watch)
                if answer == SWOLLEN:
                    return
                yield answer
                watch.restart(cold=False)
        except StrayBytesError:
            raise _Ended(_stray(watch), by_itself=True) from None
        except (EOFError, OSError):
            raise _Ended(self._death(watch), by_itself=True) from None

    def _answer(self, request: int, watch: _Watch) -> Any:
        """Wait for the answer to a request, and look at the limits meanwhile."""
        while True:
            message = self._channel.receive(POLL)
            if message is None:
                watch.look(self.memory())
                # A copy that a method forked may keep the channel open.
                if self.has_ended() and (message := self._channel.receive(0)) is None:
                    raise EOFError
            if message is None:
                continue
            if message.request != request:
                raise StrayBytesError
            if not isinstance(message.content, Clock):
                return message.content
            watch.restart(cold=message.content.cold)

    def _death(self, watch: _Watch) -> Outcome:
        code = self._process.wait()
        return Outcome(
            KILLED if -code in FROM_OUTSIDE else "error",
            watch.seconds(),
            peak_memory=watch.most,
            message=f"the computing process {_ending(code)}",
        )

    def kill(self) -> None:
        """Kill the child and whatever it started."""
        self._channel.close()
        with suppress(ProcessLookupError):  # it may have ended
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._alive)


def _ending(code: int | None) -> str:
    """Return how a process ended, in words."""
    if code is None:
        return f"did not answer for {START:g} s"
    try:
        return f"was killed by signal {signal.Signals(-code).name}"
    except ValueError:
        return f"exited with status {code}"


def _stray(watch: _Watch) -> Outcome:
    message = (
        "the method wrote to a file descriptor that it did not open, or answered a "
        "request twice"
    )
    return Outcome("error", watch.seconds(), peak_memory=watch.most, message=message)


def _start(
    channel: int, alive: int, limits: Limits, errors: Any
) -> subprocess.Popen[bytes]:
    """Start a child that inherits one end of a channel, and our import path."""
    most_at_rest = int(RESTING * limits.memory)
    numbers = (channel, os.getpid(), most_at_rest, limits.max_motifs, limits.memory)
    environment = dict(os.environ)
    # An empty entry is the current folder, as in a notebook.
    environment["PYTHONPATH"] = os.pathsep.join(p or str(Path.cwd()) for p in sys.path)
    for library in THREADS:
        environment.setdefault(f"{library}_NUM_THREADS", "1")
    start = [sys.executable, "-I", "-S", str(Path(guard.__file__)), str(alive)]
    child = [sys.executable, "-m", MODULE, *map(str, numbers)]
    return subprocess.Popen(
        [*start, *child],
        pass_fds=[channel, alive],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env=environment,
        start_new_session=True,
    )


class _Watch:
    """The limits of one run, and how near it is to them."""

    def __init__(self, limits: Limits, is_wanted: Callable[[], bool]) -> None:
        self._limits = limits
        self._is_wanted = is_wanted
        self.most = 0
        self.restart(cold=False)

    def restart(self, *, cold: bool) -> None:
        """Begin to count: a run that may compile has more time."""
        self._begin = time.monotonic()
        self._allowed = self._limits.seconds + (self._limits.grace if cold else 0.0)

    def seconds(self) -> float:
        """Return the time since the run began."""
        return time.monotonic() - self._begin

    def look(self, memory: int) -> None:
        """Raise `_Ended` if the run has broken a limit."""
        if not self._is_wanted():
            raise AbandonedError
        self.most = max(self.most, memory)
        if memory > self._limits.memory:
            mib = self._limits.memory / 2**20
            message = f"the process needed more than the limit of {mib:.0f} MiB"
            raise self._ended("memory", message)
        if self.seconds() > self._allowed:
            message = f"the run took more than the limit of {self._limits.seconds:g} s"
            raise self._ended("timeout", message)

    def _ended(self, status: str, message: str) -> _Ended:
        seconds = min(self.seconds(), self._limits.seconds)
        outcome = Outcome(status, seconds, peak_memory=self.most, message=message)
        return _Ended(outcome, by_itself=False)
