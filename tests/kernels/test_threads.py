"""How many threads a kernel uses, and how their results are merged."""

import os

import numpy as np
import pytest

from tsmdbench._kernels import threads


def test_all_processors_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {2, 5, 7}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert threads.thread_count(-1) == 3
    assert [threads.thread_count(n) for n in (1, 8)] == [1, 8]


@pytest.mark.parametrize(("count", "expected"), [(6, 6), (None, 1)])
def test_all_processors_where_affinity_is_unknown(monkeypatch, count, expected):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: count)
    assert threads.thread_count(-1) == expected


@pytest.mark.parametrize("n_jobs", [1, 3, -1])
def test_jobs_share_the_work(monkeypatch, n_jobs):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)

    def work(values, first, step):
        part = np.zeros_like(values)
        part[first::step] = values[first::step]
        return part

    values = np.arange(10)
    merged = threads.run_jobs(work, (values,), n_jobs, np.add)
    np.testing.assert_array_equal(merged, values)
