"""Batches: long enough to be worth sending, short enough to spread, in order."""

import copy
import pickle
from functools import partial

import numpy as np

from tsmdbench.experiments.rows import Run
from tsmdbench.experiments.tasks import LARGEST, TARGET, Task, missing, next_batch
from tsmdbench.types import MotifSet, Problem


def tasks(count, settings=((5,),), samples=100):
    """Tasks of `count` problems, with the given settings in each."""
    series = np.arange(float(samples))
    made = []
    for n in range(count):
        problem = Problem(series + n, {"a": MotifSet([(0, 10)])}, f"p{n}")
        load = partial(lambda problem: problem, problem)
        for lengths in settings:
            runs = [Run("m", "1", f"{one}", "d", "test", f"p{n}") for one in lengths]
            chosen = tuple({"length": length} for length in lengths)
            made.append(Task("m", chosen, None, tuple(runs), load=load))
    return made


def sizes(count, seconds, workers):
    """Sizes of all batches, where each task takes the same time."""
    left, spent, found = missing(tasks(count, samples=10), set()), {}, []
    while (batch := next_batch(left, spent, workers)) is not None:
        found.append(len(batch))
        spent[batch[0].kind] = (seconds * sum(found), sum(found))
    return found


def test_short_runs_are_put_together_and_long_ones_are_not():
    short = sizes(4000, 0.01, workers=2)
    assert sum(short) == 4000
    assert short[:2] == [1, round(TARGET / 0.01)]
    assert min(short[1:-1]) >= 0.1 * TARGET / 0.01  # also when little is left
    assert set(sizes(20, 30.0, workers=2)) == {1}
    assert max(sizes(5000, 1e-6, workers=2)) == LARGEST


def test_the_work_left_is_spread_over_all_workers():
    batches = sizes(400, 0.05, workers=50)
    assert max(batches) <= 5  # a tenth of the target, where it would be 40
    assert len(batches) >= 80


def test_a_series_travels_once_per_batch_and_large_ones_alone():
    spent = {("d", "test", "m"): (1e-3, 1)}
    left = missing(tasks(3, [(5,), (6,), (7,)], samples=10_000), set())
    batch = next_batch(left, spent, 1)
    assert [task.runs[0].problem for task in batch] == [f"p{n // 3}" for n in range(9)]
    one = batch[0].series.nbytes
    assert 3 * one < len(pickle.dumps(batch, protocol=5)) < 4 * one
    sent = copy.copy(batch[0])  # as pickle does it
    assert (sent.settings, sent.runs) == (batch[0].settings, ())
    large = missing(tasks(4, samples=1_200_000), set())
    assert len(next_batch(large, spent, 1)) == 2
    assert next_batch(missing([], set()), spent, 1) is None


def test_only_missing_runs_become_tasks_in_order():
    single = tasks(3, [(5,), (6,)])
    left = missing(single, {single[2].runs[0].key})
    assert list(left) == [*single[:2], *single[3:]]
    shared = tasks(3, [(5, 6)])
    done = {run.key for task in shared for run in task.runs if run.problem == "p2"}
    first, second = missing(shared, done | {shared[1].runs[0].key})
    assert first is shared[0]
    assert second.runs == shared[1].runs[1:]
    assert second.settings == ({"length": 6},)
