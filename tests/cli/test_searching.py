"""Progress of a search: one line on a terminal, nothing elsewhere."""

import io
import re
import sys

import numpy as np
import pytest

from tsmdbench.cli import searching
from tsmdbench.methods import LoCoMotif
from tsmdbench.methods._locomotif import paths


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def search(monkeypatch):
    for module, name, value in (
        (searching, "PATIENCE", 0.0),
        (searching, "EVERY", 0.0),
        # Several strips, so that there is something to tell.
        (paths, "STRIP", 1),
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
