"""Progress of a search: one line on a terminal, nothing elsewhere."""

import io
import re
import sys

import numpy as np
import pytest

from tsmdbench.cli import discover as searching
from tsmdbench.methods import STOMP, LoCoMotif, locomotif


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def search(monkeypatch):
    for module, name, value in (
        (searching, "PATIENCE", 0.0),
        (searching, "EVERY", 0.0),
        # Several strips, so that there is something to tell.
        (locomotif, "SHORT", 0),
        (locomotif, "STRIP", 1),
    ):
        monkeypatch.setattr(module, name, value)

    def run(stream):
        monkeypatch.setattr(sys, "stderr", stream)
        with searching.showing_progress():
            LoCoMotif(20, 20).find(np.random.default_rng(0).normal(size=1000))
        return stream.getvalue()

    return run


def test_a_terminal_shows_how_far_a_search_is_and_is_left_clean(search):
    shown = [part.strip() for part in search(Terminal()).split("\r") if part.strip()]
    shares = [int(re.match(r"searching: (\d+)%", text)[1]) for text in shown]
    assert all("left" in text for text in shown if not text.startswith("searching: 0%"))
    assert len(shares) > 5
    assert shares == sorted(shares)
    assert shares[-1] == 100


def test_a_pipe_shows_nothing(search):
    assert search(io.StringIO()) == ""


class Slow(STOMP):
    """Notes the lengths it is given, and takes time as a function of them."""

    def find(self, series):
        self.searched.append(len(series))
        self.clock[0] += self.seconds(len(series))
        return ()


@pytest.mark.parametrize(
    ("seconds", "announced"),
    [
        (lambda n: n / 1e3, "about 3 min ("),
        (lambda n: (n / 1e4) ** 2, "about 7 min ("),
        (lambda n: 1 + (n / 1e4) ** 2, "about 2 min to 4 min ("),
        (lambda n: (n / 1e4) ** 2.5, "about 9 min to 30 min ("),
        (lambda n: n / 1e6, None),
    ],
)
def test_times_are_announced_from_two_sizes(seconds, announced, monkeypatch, capsys):
    clock = [0.0]
    monkeypatch.setattr(searching.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(Slow, "searched", [], raising=False)
    monkeypatch.setattr(Slow, "clock", clock, raising=False)
    monkeypatch.setattr(Slow, "seconds", staticmethod(seconds), raising=False)
    searching.say_expected_time(Slow(length=50), np.zeros(200_000))
    assert Slow.searched[1:] == [10_000, 20_000]
    said = capsys.readouterr().err
    assert said == "" if announced is None else f"this takes {announced}" in said


def test_short_series_and_foreign_methods_are_not_measured():
    for method, n in ((STOMP(length=50), 5000), (object(), 200_000)):
        assert searching.expected_seconds(method, np.zeros(n)) == (0.0, 0.0)
