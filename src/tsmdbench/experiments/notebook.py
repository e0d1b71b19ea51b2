"""Progress in a notebook: one line of HTML that is updated in place."""

from __future__ import annotations

import sys
import time
from html import escape
from typing import Any

from tsmdbench.experiments.progress import Progress, Quiet, show_seconds

EVERY = 0.5  # seconds between two updates
MOST_SENTENCES = 20


def notebook_progress() -> Progress:
    """Return progress for a notebook if this is one, otherwise none.

    Examples
    --------
    >>> type(notebook_progress()).__name__
    'Quiet'
    """
    display = _display()
    return Quiet() if display is None else Notebook(display)


def _display() -> Any:
    """Return IPython's display module inside a kernel of a notebook, else None."""
    ipython = sys.modules.get("IPython")  # whoever is in a notebook has imported it
    get = getattr(ipython, "get_ipython", None)
    shell = get() if callable(get) else None
    if not hasattr(shell, "kernel"):
        return None
    from importlib import import_module

    return import_module("IPython.display")


class Notebook(Quiet):
    """Write a line below a cell, and write it again while the work goes on.

    Parameters
    ----------
    display : module
        `IPython.display`.
    """

    def __init__(self, display: Any) -> None:
        self._display = display
        self._handle: Any = None
        self._said: list[str] = []
        self._line = ""
        self._shown = float("-inf")

    def say(self, sentence: str) -> None:
        """Write a sentence above the line."""
        self._said = [*self._said, sentence][-MOST_SENTENCES:]
        self._show()

    def begin(self, title: str, total: int, done: int) -> None:
        """Begin a line."""
        self._title, self._total, self._first, self._done = title, total, done, done
        self._failed, self._start = 0, time.monotonic()
        self._write()
        self._show()

    def advance(self, stored: int, failed: int) -> None:
        """Write its progress, unless the last time is a moment ago."""
        self._done += stored
        self._failed += failed
        self._write()
        if time.monotonic() - self._shown > EVERY:
            self._show()

    def end(self) -> None:
        """Write where the stage ended, and keep it."""
        self._said.append(self._line)
        self._line = ""
        self._show()

    def _write(self) -> None:
        spent = max(time.monotonic() - self._start, 1e-9)
        rate = (self._done - self._first) / spent
        parts = [f"{self._title}: {self._done} of {self._total} runs"]
        if rate and self._done < self._total:
            parts.append(f"{show_seconds((self._total - self._done) / rate)} left")
        elif self._done > self._first:
            parts.append(f"{show_seconds(spent)}")
        if self._failed:
            parts.append(f"{self._failed} failed")
        self._line = ", ".join(parts)

    def _show(self) -> None:
        self._shown = time.monotonic()
        html = self._display.HTML(self._html())
        if self._handle is None:
            self._handle = self._display.display(html, display_id=True)
        else:
            self._handle.update(html)

    def _html(self) -> str:
        lines = "".join(f"<div>{escape(line)}</div>" for line in self._said)
        if not self._line:
            return lines
        share = f'max="{max(self._total, 1)}" value="{self._done}"'
        return f"{lines}<div><progress {share}></progress> {escape(self._line)}</div>"
