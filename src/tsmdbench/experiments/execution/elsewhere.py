"""Find in another environment, with the limits and failures of our own methods.

The process that computes (`child`) asks a runner, which lives as long as it does and is
in its process group, so that a run that takes too long is ended as always: the
supervisor kills the group. Memory is watched here, since the supervisor sees that of
the child only. Time, processor time and peak memory are those that the runner measured.

As in `child`, the first run of a method is made twice; compilation cannot be told apart
elsewhere, so a first run longer than `child.REPEAT_BELOW` counts as it is. A runner
that broke the memory limit or died is judged by a second attempt in a fresh one, unless
it was fresh.
"""

from __future__ import annotations

import json
from typing import Any

from tsmdbench.experiments.environments.environment import Environment
from tsmdbench.experiments.environments.foreign import (
    ForeignMethod,
    foreign_class,
    runner_of,
    stop_runner,
)
from tsmdbench.experiments.environments.process import (
    Found,
    MethodError,
    RunnerDiedError,
    RunnerMemoryError,
)
from tsmdbench.experiments.execution.child import (
    REPEAT_BELOW,
    Clock,
    Send,
    lists_of,
    read_found,
)
from tsmdbench.experiments.execution.task import Task
from tsmdbench.experiments.store.rows import Outcome, parameters_text, storable

RESTING = 0.5  # part of the memory limit that a runner may keep between runs


def find_elsewhere(
    task: Task, environment: Environment, send: Send, *, max_motifs: int, memory: int
) -> list[Outcome]:
    """Return the outcomes of a task whose method is in another environment.

    Parameters
    ----------
    task : Task
    environment : Environment
    send : callable
        Is told when a clock begins.
    max_motifs, memory : int
        See `tsmdbench.experiments.limits.Limits`.
    """
    return [
        _outcome(task, setting, environment, send, max_motifs, memory)
        for setting in task.settings
    ]


def _outcome(
    task: Task,
    setting: dict[str, Any],
    environment: Environment,
    send: Send,
    max_motifs: int,
    memory: int,
) -> Outcome:
    bounds = {"most_memory": memory, "max_motifs": max_motifs}
    try:
        found = _found(task, setting, environment, send, bounds)
        sets = lists_of(read_found(found.sets, len(task.series)), max_motifs)
    except MethodError as error:
        status = "memory" if error.kind == "memory" else "error"
        return Outcome(status, peak_memory=error.peak, message=storable(str(error)))
    except RunnerMemoryError as error:
        return Outcome("memory", peak_memory=memory, message=str(error))
    except RunnerDiedError as error:
        return Outcome("error", message=str(error))
    if runner_of(environment, task.method).memory() > RESTING * memory:
        stop_runner(environment, task.method)
    return Outcome("ok", found.seconds, found.cpu_seconds, found.peak_memory, 1, sets)


def _found(
    task: Task,
    setting: dict[str, Any],
    environment: Environment,
    send: Send,
    bounds: dict[str, int],
) -> Found:
    """Find; again in a fresh process if what a used one did is in doubt."""
    send(Clock(cold=True))  # importing, and making an environment, is warming up
    cls = foreign_class(environment, task.method)
    method: ForeignMethod = cls(**json.loads(parameters_text(setting)))
    runner = runner_of(environment, task.method)
    used = runner.used
    if used:
        send(Clock(cold=False))
    try:
        found = method.measured(task.series, **bounds)
        if not used and found.seconds < REPEAT_BELOW:
            send(Clock(cold=False))
            found = method.measured(task.series, **bounds)
    except (RunnerDiedError, RunnerMemoryError):
        stop_runner(environment, task.method)
        if not used:
            raise
        return _found(task, setting, environment, send, bounds)
    return found
