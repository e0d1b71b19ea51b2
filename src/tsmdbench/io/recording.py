"""A recording: samples, names of channels, sampling rate, and where it came from.

Nothing is filled unless it is requested. Interpolation is linear in each channel; a
channel that starts or ends with missing values is not extended. Rows that are missing
are never added: a sample is a row of the file, whatever is done about missing values.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io.timebase import Gap, TimeBase, parse_bound, plain_number
from tsmdbench.plural import counted

SHOWN_CHANNELS = 8  # names in one line
MAX_GROWTH = 2  # gaps that are counted in may at most double the number of samples


@dataclass(frozen=True, eq=False)
class Recording:
    """A time series with channel names, sampling rate and notes on reading.

    NumPy takes it as the array of its values, so every method and metric takes it too.

    Parameters
    ----------
    values : float64[n, d]
        The samples; time is axis 0.
    channels : tuple of str
        One name per channel.
    rate : float, optional
        Samples per second.
    start : numpy.datetime64 or float, optional
        Time of the first sample: a time stamp (UTC), or seconds.
    source : str
        Where it came from.
    notes : tuple of str
        What was read how, and what was left out.
    first : int
        For a piece of a recording: the row of its first sample in the whole.
    gaps : tuple of Gap
        Where rows are missing, if they were not cut out.
    units : tuple of str
        The unit of each channel, such as ``"mV"``; empty if the file does not say.

    Examples
    --------
    >>> recording = Recording(np.zeros((500, 2)), ("acc_x", "acc_y"), rate=100.0)
    >>> print(recording.summary())
    500 samples, 2 channels (acc_x, acc_y), 100 Hz, 0 s to 4.99 s
    >>> np.asarray(recording).shape
    (500, 2)
    """

    values: NDArray[np.float64]
    channels: tuple[str, ...]
    rate: float | None = None
    start: np.datetime64 | float | None = None
    source: str = "array"
    notes: tuple[str, ...] = ()
    first: int = 0
    gaps: tuple[Gap, ...] = field(default=())
    units: tuple[str, ...] = ()

    @property
    def series(self) -> NDArray[np.float64]:
        """The samples as ``float64[n]`` for one channel, else ``float64[n, d]``."""
        return self.values[:, 0] if self.values.shape[1] == 1 else self.values

    @property
    def timebase(self) -> TimeBase:
        """Conversion between times and samples of this recording."""
        return TimeBase(self.rate, self.start, self.gaps, len(self))

    def part(
        self, start: int | str | None = None, end: int | str | None = None
    ) -> Recording:
        """Return the samples from `start` up to `end`.

        Parameters
        ----------
        start, end : int or str, optional
            Samples, or times such as ``"90s"``, ``"00:01:30"`` and time stamps.

        Examples
        --------
        >>> recording = Recording(np.zeros((500, 1)), ("x",), rate=100.0)
        >>> part = recording.part("1s", 300)
        >>> part.first, len(part), part.start
        (100, 200, 1.0)
        """
        if start is None and end is None:
            return self
        bounds = []
        for given, default in ((start, 0), (end, len(self))):
            bound = parse_bound(given) if isinstance(given, str) else given
            if isinstance(given, str) and bound is None:
                raise InputError(
                    f"{given!r} is not a place in a recording; give samples, or a time "
                    f"such as 90s or 2024-05-01T12:00:00"
                )
            at = default if bound is None else self.timebase.sample(bound)[0]
            bounds.append(min(at, len(self)))
        first, last = bounds
        if not 0 <= first < last:
            raise InputError(
                f"{self.source}: the part from {start or 0} to {end or len(self)} is "
                f"[{first}, {last}) of {len(self)} samples; start before the end, and "
                f"within the recording"
            )
        return self.rows(first, last)

    def rows(self, first: int, last: int) -> Recording:
        """Return the rows from `first` up to `last`, with their time."""
        base, start = self.timebase, self.start
        if self.rate is not None:
            seconds = int(base.place(first)) / self.rate
            start = (
                start + np.timedelta64(round(seconds * 1e9), "ns")
                if isinstance(start, np.datetime64)
                else (start or 0.0) + seconds
            )
        inside = (gap for gap in self.gaps if first <= gap.row < last - 1)
        return replace(
            self,
            values=self.values[first:last],
            first=self.first + first,
            start=start,
            gaps=tuple(Gap(gap.row - first, gap.missing) for gap in inside),
        )

    def channel(self, name: str) -> int:
        """Return the position of the channel of that name."""
        if name not in self.channels:
            known = ", ".join(self.channels)
            raise InputError(f"{self.source} has no channel {name!r}; known: {known}")
        return self.channels.index(name)

    def summary(self) -> str:
        """Return samples, channels, rate and range of time in one line."""
        n, d = self.values.shape
        shown = ", ".join(self.channels[:SHOWN_CHANNELS])
        more = ", ..." if d > SHOWN_CHANNELS else ""
        channels = f"{counted(d, 'channel')} ({shown}{more})"
        parts = [counted(n, "sample"), channels]
        if self.rate is None:
            return ", ".join([*parts, "no sampling rate"])
        times = f"{self.timebase.show(0)} to {self.timebase.show(n - 1)}"
        return ", ".join([*parts, f"{plain_number(self.rate)} Hz", times])

    def __len__(self) -> int:
        return len(self.values)

    def _repr_html_(self) -> str:
        """Show a summary and the range of each channel in a notebook."""
        low, high = np.fmin.reduce(self.values), np.fmax.reduce(self.values)
        missing = np.isnan(self.values).sum(axis=0)
        rows = zip(self.channels, low, high, missing, strict=True)
        cells = ([n, f"{a:.4g}", f"{b:.4g}", m] for n, a, b, m in rows)
        table = html_table(["channel", "lowest", "highest", "missing"], cells)
        said = [f"{self.source}: {self.summary()}"]
        return html_block(html_lines(said), table, html_lines(self.notes))

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=bool(copy) or None)


def interpolate(recording: Recording) -> Recording:
    """Fill missing values on straight lines; rows that are missing stay gaps."""
    count = int(np.isnan(recording.values).sum())
    if not count:
        return recording
    places = recording.timebase.place(np.arange(len(recording)))
    filled = fill_lines(recording.values, places)
    for name, column in zip(recording.channels, filled.T, strict=True):
        if np.isnan(column).any():
            end = "starts" if np.isnan(column[0]) else "ends"
            raise InputError(
                f"{recording.source}: channel {name!r} {end} with missing values, "
                f"which cannot be interpolated; cut them off, or use --missing split"
            )
    note = f"{counted(count, 'missing value')} interpolated"
    return replace(recording, values=filled, notes=(*recording.notes, note))


def fill_lines(
    values: NDArray[np.float64], places: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Return values with what is missing between two others on a straight line.

    What is missing at the beginning or at the end of a channel stays missing.
    """
    import pandas as pd

    frame = pd.DataFrame(values, index=places)
    filled = frame.interpolate("index", limit_area="inside").to_numpy()
    return np.ascontiguousarray(filled)


def even_values(recording: Recording) -> NDArray[np.float64]:
    """Return the values with rows of NaN in the gaps, so that steps are constant.

    The row `r` of the recording is the row ``recording.timebase.place(r)``.
    """
    if not recording.gaps:
        return recording.values
    n = len(recording)
    places = recording.timebase.place(np.arange(n))
    total = int(places[-1]) + 1
    if total > MAX_GROWTH * n:
        raise InputError(
            f"{recording.source}: the gaps are longer than the recording ({total - n} "
            f"samples beside {n}), too long to be counted in; use --missing split"
        )
    even = np.full((total, recording.values.shape[1]), np.nan)
    even[places] = recording.values
    return even


def split_at_missing(recording: Recording) -> list[Recording]:
    """Cut a recording at missing values and missing rows.

    Parameters
    ----------
    recording : Recording
        Read with ``missing="keep"``.

    Returns
    -------
    list of Recording
        The pieces without missing values, in order. `first` is the row of the first
        sample of a piece, `start` its time.

    Examples
    --------
    >>> values = np.array([[1.0], [2.0], [np.nan], [4.0]])
    >>> pieces = split_at_missing(Recording(values, ("x",), rate=2.0))
    >>> [(piece.first, len(piece), piece.start) for piece in pieces]
    [(0, 2, 0.0), (3, 1, 1.5)]
    """
    whole: NDArray[np.bool_] = np.logical_not(np.isnan(recording.values).any(axis=1))
    new = np.zeros(len(whole), dtype=np.bool_)
    for gap in recording.gaps:
        new[gap.row + 1] = True
    starts = np.flatnonzero(whole & (new | ~np.concatenate([[False], whole[:-1]])))
    ends = np.flatnonzero(whole & np.concatenate([new[1:] | ~whole[1:], [True]])) + 1
    if not len(starts):
        raise InputError(f"{recording.source} has no row without a missing value")
    return [
        recording.rows(first, end)
        for first, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
