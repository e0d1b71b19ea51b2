"""Number of threads that a kernel uses, and waiting for their results."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import numba
import pytest

from tsmdbench._kernels import threads
from tsmdbench._kernels.jit import kernel


def test_all_processors_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {2, 5, 7}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert [threads.thread_count(n) for n in (-1, 1, 8)] == [3, 1, 8]
    monkeypatch.delattr(os, "sched_getaffinity")
    for count, expected in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        assert threads.thread_count(-1) == expected


def test_an_error_in_one_task_ends_the_wait_for_the_others():
    def work(turn):
        if turn == 2:
            raise ValueError("two")
        while True:
            threads.check_stop()

    with pytest.raises(ValueError, match="two"), threads.Threads(3) as pool:
        pool.results([pool.submit(work, turn) for turn in range(3)])


def test_results_are_in_the_order_of_tasks():
    with threads.Threads(3) as pool:
        tasks = [pool.submit(pow, turn, 2) for turn in range(10)]
        assert pool.results(tasks) == [turn**2 for turn in range(10)]


def test_threads_may_be_the_first_to_call_kernels(monkeypatch):
    made, before = [], numba.config.CACHE_DIR
    njit = numba.njit

    def slow_njit(**options):
        folder = numba.config.CACHE_DIR
        time.sleep(0.05)
        made.append((folder, numba.config.CACHE_DIR))
        return njit(**options)

    monkeypatch.setattr(numba, "njit", slow_njit)
    one, two = (kernel(lambda x, more=more: x + more) for more in (1, 2))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda k: k.dispatcher is k.dispatcher, [one, two] * 2))
    assert len(made) == 2
    assert len({folder for pair in made for folder in pair}) == 1
    assert before == numba.config.CACHE_DIR
