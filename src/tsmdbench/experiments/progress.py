"""How far an experiment is: a bar on a terminal and in a notebook, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

from tsmdbench.html_text import html_lines
from tsmdbench.plural import counted

LINE_EVERY = 10.0  # seconds between plain lines
STILL_EVERY = 60.0  # between those that say that nothing was finished since


class Progress:
    """Progress of an experiment; this one shows nothing.

    A subclass shows it. A run is reported when it is stored.
    """

    def say(self, sentence: str) -> None:
        """Show a sentence that is worth a line."""

    def begin(self, title: str, total: int, done: int) -> None:
        """Begin a stage of `total` runs, of which `done` are stored already."""

    def advance(self, stored: int, failed: int) -> None:
        """Report how many more runs are stored, and how many of them failed."""

    def end(self) -> None:
        """End the stage."""


class Display(Progress):
    """Show a bar of rich where it can be drawn in place, and lines otherwise.

    Parameters
    ----------
    bar : bool
    stream : text file, optional
        Of the lines; by default standard error.
    """

    def __init__(self, *, bar: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._bar: Any = None
        self._total = 0
        if bar:
            from rich import progress

            self._bar = progress.Progress(
                progress.TextColumn("{task.description}"),
                progress.BarColumn(),
                progress.MofNCompleteColumn(),
                progress.TextColumn("{task.fields[what]}"),
            )

    def say(self, sentence: str) -> None:
        """Write a line, above the bar if there is one."""
        if self._bar is not None:
            self._bar.console.print(sentence, markup=False, highlight=False)
        else:
            self._stream.write(f"{sentence}\n")
            self._stream.flush()

    def begin(self, title: str, total: int, done: int) -> None:
        """Draw a new bar, or write what begins."""
        self._title, self._total, self._first, self._done = title, total, done, done
        self._shown, self._failed = done, 0
        self._start = self._said = self._moved = time.monotonic()
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task(title, total=total, completed=done, what="")
        else:
            stored = f", {done} stored already" * bool(done)
            self.say(f"{title}: {counted(total, 'run')}{stored}")

    def advance(self, stored: int, failed: int) -> None:
        """Move the bar, or write a line if the last one is old enough."""
        self._done += stored
        self._failed += failed
        now = time.monotonic()
        if stored:
            self._moved = now
        if self._bar is not None:
            what = self._what(self._left(now))
            self._bar.update(self._task, completed=self._done, what=what)
            return
        wait = LINE_EVERY if self._done > self._shown else STILL_EVERY
        if now - self._said > wait and self._done < self._total:
            self._said, self._shown = now, self._done
            self._line(self._left(now))

    def end(self) -> None:
        """Leave the bar as it is, or write where the stage ended."""
        if self._bar is not None:
            self._bar.stop()
        elif self._done > self._first:
            now = time.monotonic()
            took = show_seconds(now - self._start)
            self._line(f"{self._rate(now):.1f}/s, in {took}")

    def _left(self, now: float) -> str:
        """Estimate the time left; a rate of quick runs says nothing of a slow one."""
        still = now - self._moved
        rate = self._rate(now)
        left = (self._total - self._done) / rate if rate else float("inf")
        if still > LINE_EVERY and (still > left or not rate):
            return f"no run finished for {show_seconds(still)}"
        return f"{rate:.1f}/s, {show_seconds(left)} left"

    def _rate(self, now: float) -> float:
        return (self._done - self._first) / max(now - self._start, 1e-9)

    def _what(self, what: str) -> str:
        return what + f", {self._failed} failed" * bool(self._failed)

    def _line(self, what: str) -> None:
        self.say(f"{self._title}: {self._done}/{self._total} ({self._what(what)})")


def progress_for(*, quiet: bool) -> Progress:
    """Return what shows the progress of a command: a bar, lines, or nothing."""
    return Progress() if quiet else Display(bar=sys.stdout.isatty())


def notebook_progress() -> Progress:
    """Return what shows the progress in a notebook; nothing elsewhere.

    Examples
    --------
    >>> type(notebook_progress()).__name__
    'Progress'
    """
    get = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = get() if callable(get) else None
    if not hasattr(shell, "kernel"):
        return Progress()
    # Without widgets a notebook cannot draw a bar in place.
    return Display(bar=find_spec("ipywidgets") is not None, stream=sys.stdout)


class CompileWatch:
    """Count the functions that are compiled while runs are made.

    Methods are compiled by the processes that run them, on their first use, into a
    folder that all processes share. On a cluster that does not share it nothing is
    shown.

    Parameters
    ----------
    progress : Progress
    folder : path, optional
        Where compiled code is kept; by default that of this package.
    every : float
        Seconds between two sentences.
    """

    def __init__(
        self, progress: Progress, folder: Path | None = None, every: float = LINE_EVERY
    ) -> None:
        self._progress, self._every, self._folder = progress, every, folder
        if folder is None and "numba" in sys.modules:  # a method is compiled
            from tsmdbench._kernels.cache_folder import cache_folder

            self._folder = cache_folder()
        self._before = self._said = self._count()
        self._last = -every

    def look(self) -> None:
        """Say how many functions were compiled, if there are more than before."""
        if time.monotonic() - self._last < self._every:
            return
        count = self._count()
        if count > self._said:
            self._progress.say(
                "compiling, only the first time with these versions: "
                f"{count - self._before} functions so far"
            )
            self._said, self._last = count, time.monotonic()

    def _count(self) -> int:
        if self._folder is None:
            return 0
        return sum(1 for _ in self._folder.rglob("*.nbi"))  # one for each function


def show_seconds(seconds: float) -> str:
    """Return a time as a person says it.

    >>> show_seconds(8.24), show_seconds(95), show_seconds(7300), show_seconds(4e5)
    ('8.2 s', '1 min 35 s', '2 h 1 min', '4 d 15 h')
    """
    if seconds == float("inf"):
        return "unknown time"
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for large, small, names in (
        (86400, 3600, ("d", "h")),
        (3600, 60, ("h", "min")),
        (60, 1, ("min", "s")),
    ):
        if whole >= large:
            return f"{whole // large} {names[0]} {whole % large // small} {names[1]}"
    return f"{seconds:.1f} s"


@dataclass
class Summary:
    """What ran, what failed, what was there before, and where it is."""

    path: str
    planned: int = 0
    skipped: int = 0
    ran: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)  # of the methods, by name

    @property
    def failed(self) -> int:
        """Number of runs of this session that did not end well."""
        return sum(self.ran.values()) - self.ran["ok"]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return {
            "store": self.path,
            "planned": self.planned,
            "skipped": self.skipped,
            "ran": dict(self.ran),
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        return html_lines(str(self).splitlines())

    def __str__(self) -> str:
        total = sum(self.ran.values())
        lines = [
            f"ran      {total} of {counted(self.planned, 'run')} in "
            f"{show_seconds(self.seconds)}"
        ]
        kinds = [f"{n} {kind}" for kind, n in sorted(self.ran.items()) if kind != "ok"]
        lines.append(f"failed   {self.failed}" + f" ({', '.join(kinds)})" * bool(kinds))
        lines.append(f"skipped  {self.skipped} that were stored before")
        return "\n".join([*lines, f"store    {self.path}"])
