"""Batches: long enough to be worth sending, short enough to spread, in order."""

import copy
import pickle

import numpy as np

from tests.experiments.driving import MOCKS
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.rows import Outcome
from tsmdbench.experiments.tasks import LARGEST, TARGET, Batcher, Group, Part
from tsmdbench.types import MotifSet, Problem


def group(count, method="Mock", settings=({"length": 10},), samples=100):
    method = describe(MOCKS + method)
    truth = {"a": MotifSet([(0, 10)])}
    series = np.arange(float(samples))
    problems = [Problem(series + k, truth, f"p{k}") for k in range(count)]
    full = [method.parameters(setting) for setting in settings]
    return Group(method, Part("d", "test", problems), full)


def took(batch, seconds):
    return [[Outcome("ok", seconds)] for _ in batch]


def sizes(batcher, seconds, threads):
    """Sizes of all batches, where each job takes the same time."""
    found = []
    while (batch := batcher.next_batch(threads)) is not None:
        batcher.learn(batch, took(batch, seconds))
        found.append(len(batch))
    return found


def test_short_runs_are_put_together_and_long_ones_are_not():
    short = sizes(Batcher([group(4000)], set()), 0.01, threads=2)
    assert sum(short) == 4000
    assert short[:2] == [1, round(TARGET / 0.01)]
    assert min(short[1:-1]) >= 0.1 * TARGET / 0.01  # also when little is left
    assert set(sizes(Batcher([group(20)], set()), 30.0, threads=2)) == {1}
    tiny = sizes(Batcher([group(30_000)], set()), 1e-6, threads=2)
    assert max(tiny) == LARGEST


def test_the_work_left_is_spread_over_all_workers():
    batches = sizes(Batcher([group(400)], set()), 0.05, threads=50)
    assert max(batches) <= 5  # a tenth of the target, where it would be 40
    assert len(batches) >= 80


def test_a_series_travels_once_per_batch_and_large_ones_alone():
    settings = [{"length": length} for length in (5, 6, 7)]
    batcher = Batcher([group(3, settings=settings, samples=10_000)], set())
    first = batcher.next_batch(1)
    batcher.learn(first, took(first, 1e-3))
    batch = batcher.next_batch(1)
    places = [run.problem for job in batch for run in job.runs]
    assert places == ["p0", "p0", "p1", "p1", "p1", "p2", "p2", "p2"]
    one = batch[0].series.nbytes
    assert 3 * one < len(pickle.dumps(batch, protocol=5)) < 4 * one
    sent = copy.copy(batch[0])  # as pickle does it
    assert (sent.settings, sent.runs) == (batch[0].settings, ())
    large = Batcher([group(9, samples=1_200_000)], set())
    first = large.next_batch(1)
    large.learn(first, took(first, 1e-3))
    assert len(large.next_batch(1)) == 2


def test_only_missing_runs_become_jobs_in_order():
    settings = [{"length": length} for length in (5, 6)]
    single = group(3, settings=settings)
    done = {single.run(0, 1).key}
    assert single.missing(done) == [
        (0, (0,)),
        (0, (1,)),
        (1, (1,)),
        (2, (0,)),
        (2, (1,)),
    ]
    shared = group(3, "Chooser", settings)
    done = {shared.run(0, 1).key, shared.run(0, 2).key, shared.run(1, 2).key}
    assert shared.missing(done) == [(0, (0, 1)), (1, (1,))]
    batcher = Batcher([shared], done)
    assert batcher.runs == 3
    batcher.next_batch(1)
    (job,) = batcher.next_batch(1)
    assert job.runs == (shared.run(1, 1),)
    assert [setting["length"] for setting in job.settings] == [6]
