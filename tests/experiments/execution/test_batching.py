"""Batches: long enough to be worth sending, short enough to spread, in order."""

import numpy as np

from tests.experiments.driving import MOCKS
from tsmdbench.experiments.execution.batching import LARGEST, TARGET, Batcher
from tsmdbench.experiments.execution.plan import Group
from tsmdbench.experiments.execution.worker import Results
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.store.rows import Outcome
from tsmdbench.types import MotifSet, Problem


def group(count, method="Mock", settings=({"length": 10},), samples=100):
    method = describe(MOCKS + method)
    truth = {"a": MotifSet([(0, 10)])}
    series = np.arange(float(samples))
    problems = [Problem(series, truth, f"p{k}") for k in range(count)]
    full = [method.parameters(setting) for setting in settings]
    return Group(method, "d", "test", problems, full, tuple(p.name for p in problems))


def took(label, seconds):
    return Results([[Outcome("ok", seconds)] for _ in label], 0.0)


def sizes(batcher, seconds, threads):
    """Sizes of all batches, where each job takes the same time."""
    found = []
    while (made := batcher.next_batch(threads)) is not None:
        label, batch = made
        assert len(label) == len(batch.tasks)
        batcher.learn(label, took(label, seconds))
        found.append(len(label))
    return found


def test_short_runs_are_put_together_and_long_ones_are_not():
    short = sizes(Batcher(group(4000).missing(set())), 0.01, threads=2)
    assert sum(short) == 4000
    assert short[:2] == [1, round(TARGET / 0.01)]
    assert min(short[1:-1]) >= 0.1 * TARGET / 0.01  # also when little is left
    assert set(sizes(Batcher(group(20).missing(set())), 30.0, threads=2)) == {1}
    tiny = sizes(Batcher(group(30_000).missing(set())), 1e-6, threads=2)
    assert max(tiny) == LARGEST


def test_the_work_left_is_spread_over_all_workers():
    batches = sizes(Batcher(group(400).missing(set())), 0.05, threads=50)
    assert max(batches) <= 5  # a tenth of the target, where it would be 40
    assert len(batches) >= 80


def test_a_series_travels_once_per_batch_and_large_ones_alone():
    settings = [{"length": length} for length in (5, 6, 7)]
    batcher = Batcher(group(3, settings=settings).missing(set()))
    label, _ = batcher.next_batch(1)
    batcher.learn(label, took(label, 1e-3))
    label, batch = batcher.next_batch(1)
    assert [task.problem for task in batch.tasks] == [0, 0, 1, 1, 1, 2, 2, 2]
    assert len(batch.series) == 3
    large = Batcher(group(9, samples=1_200_000).missing(set()))
    label, _ = large.next_batch(1)
    large.learn(label, took(label, 1e-3))
    assert len(large.next_batch(1)[0]) == 2


def test_only_missing_runs_become_jobs_in_order():
    settings = [{"length": length} for length in (5, 6)]
    single = group(3, settings=settings)
    done = {single.run(0, 1).key}
    jobs = [(job.problem, job.settings) for job in single.missing(done)]
    assert jobs == [(0, (0,)), (0, (1,)), (1, (1,)), (2, (0,)), (2, (1,))]
    shared = group(3, "Chooser", settings)
    done = {shared.run(0, 1).key, shared.run(0, 2).key, shared.run(1, 2).key}
    jobs = [(job.problem, job.settings) for job in shared.missing(done)]
    assert jobs == [(0, (0, 1)), (1, (1,))]
    assert [run.key for run in shared.missing(done)[1].runs] == [shared.run(1, 1).key]
