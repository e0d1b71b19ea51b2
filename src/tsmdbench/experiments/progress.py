"""Say how far the work is: bars on a terminal, plain lines elsewhere, or nothing."""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Protocol, TextIO

from tsmdbench.html_text import html_lines
from tsmdbench.plural import counted

LINE_EVERY = 10.0  # seconds between plain lines
STILL_EVERY = 60.0  # between those that say that nothing was finished since


class Progress(Protocol):
    """Progress of the driver. A run is reported when it is stored."""

    def say(self, sentence: str) -> None:
        """Tell something that is worth a line."""

    def begin(self, title: str, total: int, done: int) -> None:
        """Begin a stage of `total` runs, of which `done` are stored already."""

    def advance(self, stored: int, failed: int) -> None:
        """Tell how many more runs are stored, and how many of them failed."""

    def end(self) -> None:
        """End the stage."""


class Quiet:
    """Print nothing."""

    def say(self, sentence: str) -> None:
        """Print nothing."""

    def begin(self, title: str, total: int, done: int) -> None:
        """Print nothing."""

    def advance(self, stored: int, failed: int) -> None:
        """Print nothing."""

    def end(self) -> None:
        """Print nothing."""


@dataclass
class Lines(Quiet):
    """Write a line now and then, for files and pipes."""

    stream: TextIO = field(default_factory=lambda: sys.stderr)

    def say(self, sentence: str) -> None:
        """Write a line."""
        self.stream.write(f"{sentence}\n")
        self.stream.flush()

    def begin(self, title: str, total: int, done: int) -> None:
        """Write what begins."""
        self._title, self._total, self._done, self._failed = title, total, done, 0
        self._first = done
        self._start = self._said = self._moved = time.monotonic()
        self._shown = done
        stored = f", {done} stored already" * bool(done)
        self.say(f"{title}: {counted(total, 'run')}{stored}")

    def advance(self, stored: int, failed: int) -> None:
        """Write the progress, if the last line is old enough."""
        self._done += stored
        self._failed += failed
        now = time.monotonic()
        if stored:
            self._moved = now
        wait = LINE_EVERY if self._done > self._shown else STILL_EVERY
        if now - self._said > wait and self._done < self._total:
            self._said, self._shown = now, self._done
            self._line(self._left(now))

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

    def _line(self, what: str) -> None:
        failed = f", {self._failed} failed" * bool(self._failed)
        self.say(f"{self._title}: {self._done}/{self._total} ({what}{failed})")

    def end(self) -> None:
        """Write where the stage ended."""
        if self._done > self._first:
            now = time.monotonic()
            took = show_seconds(now - self._start)
            self._line(f"{self._rate(now):.1f}/s, in {took}")


class Bars(Quiet):
    """Draw a bar with rate and remaining time on a terminal."""

    def __init__(self) -> None:
        from rich import progress

        self._bars = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TextColumn("{task.fields[rate]}"),
            progress.TimeRemainingColumn(),
            progress.TextColumn("{task.fields[failed]}"),
        )
        self._task: Any = None

    def say(self, sentence: str) -> None:
        """Write a line above the bars."""
        self._bars.console.print(sentence, markup=False, highlight=False)

    def begin(self, title: str, total: int, done: int) -> None:
        """Draw a new bar."""
        self._bars.start()
        self._task = self._bars.add_task(
            title, total=total, completed=done, rate="", failed=""
        )
        self._first, self._start, self._failed = done, time.monotonic(), 0

    def advance(self, stored: int, failed: int) -> None:
        """Move the bar."""
        self._failed += failed
        task = next(t for t in self._bars.tasks if t.id == self._task)
        spent = max(time.monotonic() - self._start, 1e-9)
        self._bars.update(
            self._task,
            advance=stored,
            rate=f"{(task.completed + stored - self._first) / spent:.1f}/s",
            failed=f"{self._failed} failed" * bool(self._failed),
        )

    def end(self) -> None:
        """Leave the bar as it is."""
        self._bars.stop()


def progress_for(*, quiet: bool) -> Progress:
    """Return bars on a terminal, lines elsewhere, or nothing."""
    if quiet:
        return Quiet()
    return Bars() if sys.stdout.isatty() else Lines()


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
