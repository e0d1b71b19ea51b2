"""Find the repeating patterns of a recording: `discover`.

From an array, a frame or a file to motif sets, in four steps: read the recording, make
the method (`Auto` unless another is named), search (`Search`), and return the sets with
the recording they belong to (`Discovery`).

Conventions
-----------
* Segments are in samples of the file: resampling, gaps in time and missing values do
  not move them.
* No segment contains a missing value; where missing values are interpolated, at most a
  tenth of a segment does. Other segments are left out and counted in the notes.
* Lengths are in samples of the file too, or times such as ``"500ms"``. A named method
  that needs a length which is not given gets the one that `Auto` finds.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError, TsmdbenchError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io import (
    PathLike,
    Recording,
    as_recording,
    read_recording,
    split_at_missing,
    write_atomically,
    write_motif_sets,
)
from tsmdbench.io.formats.json_sets import json_of_sets
from tsmdbench.io.recording import even_values, fill_lines
from tsmdbench.io.timebase import parse_duration, plain_number
from tsmdbench.methods import METHODS, Auto
from tsmdbench.methods.auto import Results
from tsmdbench.methods.base import MIN_LENGTH, Method, check_is_method
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_choice, check_integer, check_motif_sets

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MISSING = ("skip", "split", "interpolate", "error")
FILLED = 0.1  # largest share of interpolated samples in a segment
LONG = 50_000  # samples from which on resampling is worth a note
SHORT = 20_000  # samples that it proposes
WORDS = {"true": True, "false": False, "none": None, "null": None}
IN_SAMPLES = ("length", "l_min", "l_max", "window", "step")
SPREAD = 0.25  # l_min and l_max are this much below and above an estimated length
USUAL = {"word_length": 4, "alphabet_size": 4, "radius_factor": 3.0, "k_max": 20}


def discover(
    data: Any,
    method: Any = None,
    *,
    params: Mapping[str, Any] | None = None,
    length: int | str | tuple[int | str, int | str] | None = None,
    max_sets: int | None = None,
    alternative: int | None = None,
    missing: str | None = None,
    resample: int = 1,
    start: int | str | None = None,
    end: int | str | None = None,
    **options: Any,
) -> Discovery:
    """Find the motif sets of an array, a frame or a file.

    Parameters
    ----------
    data : array-like, pandas or polars frame, Recording, or path
        What `tsmdbench.io.as_recording` or `tsmdbench.io.read_recording` takes.
    method : str, class or instance, optional
        Name in `METHODS`, or an object with ``find(series)``; `Auto` by default, which
        needs no parameters.
    params : mapping, optional
        Parameters of the method. Lengths are samples, or times such as ``"500ms"``;
        those that are not given are estimated.
    length : int, str, or a pair of them, optional
        The same as ``params["length"]``; for `Auto` also shortest and longest length.
    max_sets : int, optional
        Largest number of sets.
    alternative : int, optional
        Of the results of `Auto` that disagree, the one to return; 1 is the best.
    missing : {"skip", "split", "interpolate", "error"}, optional
        Missing values and gaps in time: skip windows that contain them (default for
        methods with ``takes_missing``), search each complete piece by itself, fill them
        by straight lines, or raise an error (default for other methods).
    resample : int, default 1
        Search means of this many samples: ten times fewer samples take about a
        hundredth of the time. Lengths and segments stay in samples of the file.
    start, end : int or str, optional
        Search this part only: samples, or times such as ``"90s"`` and time stamps.
    **options
        Of `tsmdbench.io.read_recording`: ``columns``, ``rate``, ...

    Returns
    -------
    Discovery
        The sets, with ``to_frame()``, ``plot()``, ``view()`` and ``save()``.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=1000)
    >>> for at in (100, 400, 800):
    ...     x[at : at + 50] = 5 * np.sin(np.arange(50) ** 2 / 90)
    >>> [len(motifs) for motifs in discover(x)]
    [3]
    >>> found = discover(x, "stomp", length="5s", max_sets=1, rate=10)
    >>> found.sets
    {'set 1': MotifSet(((100, 150), (400, 450), (800, 850)))}
    >>> found.to_frame().end_time.tolist()
    [15.0, 45.0, 85.0]
    """
    if isinstance(data, str | os.PathLike):
        whole = read_recording(data, **{**options, "missing": "keep"})
    elif isinstance(data, Recording) and not options:
        whole = data
    else:
        whole = as_recording(data, **{**options, "missing": "keep"})
    given = {"length": length, "alternative": alternative}
    search = Search(
        whole,
        method,
        {**(params or {}), **{k: v for k, v in given.items() if v is not None}},
        max_sets=max_sets,
        missing=missing,
        resample=resample,
        start=start,
        end=end,
    )
    return search.run()


@dataclasses.dataclass(frozen=True, eq=False)
class Discovery:
    """What was found in a recording.

    Parameters
    ----------
    sets : mapping
        Label to motif set, the best first, in samples of the file.
    recording : Recording
        What was searched.
    method : object
        The method, with its parameters.
    notes : tuple of str
        What was chosen, resampled, and left out.
    facts : mapping
        What `save` keeps beside the sets: method, settings, source, ...
    results : Results, optional
        Of `Auto`: bits saved, and the results that disagree.
    """

    sets: dict[str, MotifSet]
    recording: Recording
    method: Any
    notes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    results: Results | None = None

    def __len__(self) -> int:
        return len(self.sets)

    def __iter__(self) -> Iterator[MotifSet]:
        return iter(self.sets.values())

    def to_frame(self) -> pd.DataFrame:
        """Return one row per segment: set, start and end in samples and in time.

        Where a set names its channels, so does a column ``channels``.
        ``start_time`` and ``end_time`` are time stamps where the recording has them,
        else seconds; without a sampling rate they are left out.
        """
        import pandas as pd

        rows = [(label, *pair) for label, found in self.sets.items() for pair in found]
        frame = pd.DataFrame(rows, columns=["set", "start", "end"])
        if any(found.channels is not None for found in self):
            names = {label: self._channels(found) for label, found in self.sets.items()}
            frame["channels"] = frame["set"].map(names)
        base = self.recording.timebase
        if base.rate is None:
            return frame
        times = np.array([base.times(*row[1:]) for row in rows]).reshape(-1, 2)
        for place, name in enumerate(("start_time", "end_time")):
            seconds = np.array([base.rounded(time) for time in times[:, place]])
            stamped = isinstance(base.start, np.datetime64)
            frame[name] = (
                pd.Timestamp(base.start) + pd.to_timedelta(seconds, unit="s")
                if stamped
                else seconds
            )
        return frame

    def plot(self) -> Figure:
        """Return the figure: the recording, a lane per set, the segments of each."""
        from tsmdbench.methods.figure import draw_found

        channel = getattr(self.method, "channel", 0)
        channel = 0 if channel == "all" else channel
        title = f"{Path(self.recording.source).name}: {self.method!r}"
        return draw_found(self.recording, self.sets, title=title, channel=channel)

    def page(self) -> str:
        """Return the page of ``tsmdbench view`` with these sets as HTML."""
        from tsmdbench.view import view_page

        name = type(self.method).__name__
        title = Path(self.recording.source).name
        return view_page(self.recording, None, {name: self.sets}, title=title)

    def view(self, path: PathLike | None = None) -> Path:
        """Write the page of ``tsmdbench view`` and return its path.

        By default it is ``SOURCE.view.html`` in this folder.
        """
        stem = Path(self.recording.source).stem
        file = Path(f"{stem}.view.html" if path is None else path)
        write_atomically(file, self.page().encode())
        return file

    def save(
        self, path: PathLike, *, units: str = "samples", file_format: str | None = None
    ) -> tuple[str, ...]:
        """Write the sets with `tsmdbench.io.write_motif_sets`; return what is lost.

        JSON keeps the method, its settings, the source and the rate.
        """
        return write_motif_sets(
            path,
            self.sets,
            file_format=file_format,
            recording=self.recording,
            units=units,
            facts=self.facts,
        )

    def to_dict(self, units: str = "samples") -> dict[str, Any]:
        """Return the sets as JSON holds them; with their units unless samples."""
        facts = {} if units == "samples" else self.facts
        return json_of_sets(self.sets, self.recording.timebase, units, facts)

    def text(self, units: str = "samples") -> str:
        """Return a line per set, with its segments in `units`.

        Of `Auto` also the lengths and the bits of each set, what chance saves, and the
        other results, one line each.
        """
        base, found = self.recording.timebase, self.results
        suffix = "" if units in ("samples", "time") else f" {units}"
        others = [] if found is None else list(found.results)
        chosen = others[self.method.alternative - 1] if others else None
        lines = []
        for place, (label, motifs) in enumerate(self.sets.items()):
            pairs = (base.shown(start, end, units) for start, end in motifs)
            shown = " ".join(f"[{start}, {end}){suffix}" for start, end in pairs)
            why = ""
            if chosen is not None and chosen.bits:
                bits = chosen.bits[place]
                why = f", {self._lengths([motifs])}, {bits:.0f} bits"
            where = self._channels(motifs)
            where = where and f" in {where}"
            count = counted(len(motifs), "segment")
            lines.append(f"{label}: {count}{where}{why}  {shown}")
        if found is None:
            return "\n".join(lines) or "nothing found"
        if chosen is None:
            lines.append(
                f"nothing found: the best sets save {found.bits:.0f} bits, and more "
                f"than {found.chance:.0f} are needed to be better than chance"
            )
            return "\n".join(lines)
        lines.append(
            f"confidence: {found.bits / found.chance:.1f} times the bits that are "
            f"needed to be better than chance"
            if found.bits > found.chance
            else "confidence: unknown, since copies with random phases recur as well"
        )
        for number, other in enumerate(others, start=1):
            if other is not chosen:
                sizes = ", ".join(str(len(motifs)) for motifs in other.sets)
                lines.append(
                    f"--alternative {number}: {counted(len(other.sets), 'set')} "
                    f"({sizes} segments), {self._lengths(other.sets)}, "
                    f"{sum(other.bits):.0f} bits"
                )
        return "\n".join(lines)

    def _channels(self, motifs: MotifSet) -> str:
        """Return the names of the channels of a set; empty if it has none."""
        return ", ".join(self.recording.channels[c] for c in motifs.channels or ())

    def _lengths(self, sets: Sequence[MotifSet]) -> str:
        """Return the shortest and the longest length, in seconds if possible."""
        lengths = np.concatenate([motifs.lengths for motifs in sets])
        rate = self.recording.rate
        low, high = (
            str(samples) if rate is None else plain_number(samples / rate, 3)
            for samples in (int(lengths.min()), int(lengths.max()))
        )
        unit = "samples" if rate is None else "s"
        return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"

    def __str__(self) -> str:
        return self.text("samples" if self.recording.rate is None else "time")

    def _repr_html_(self) -> str:
        """Show the sets as a table in a notebook."""
        units = "samples" if self.recording.rate is None else "time"
        base = self.recording.timebase
        rows = []
        for label, motifs in self.sets.items():
            pairs = [base.shown(start, end, units) for start, end in motifs]
            shown = ", ".join(f"{start} to {end}" for start, end in pairs[:5])
            more = ", ..." if len(pairs) > 5 else ""
            rows.append([label, len(motifs), shown + more])
        table = html_table(["set", "segments", units], rows, left=(0, 2))
        return html_block(
            html_lines([repr(self.method)]), table, html_lines(self.notes)
        )


class Search:
    """A search that is ready to run: the part of a recording, and the method.

    Making one chooses and checks everything that is fast; `notes` says what was chosen.
    `whole` is the recording as in the file, missing values kept; `name` is what errors
    call the method; the other parameters are those of `discover`.
    """

    def __init__(
        self,
        whole: Recording,
        method: Any,
        params: Mapping[str, Any],
        *,
        max_sets: int | None = None,
        missing: str | None = None,
        resample: int = 1,
        start: int | str | None = None,
        end: int | str | None = None,
        name: str | None = None,
    ) -> None:
        if missing is not None:
            check_choice(missing, "missing", MISSING)
        self.factor = check_integer(resample, "resample", minimum=1)
        self.whole = whole
        self.part = whole.part(start, end)
        self.notes: list[str] = []
        n = len(self.part) // self.factor
        if len(self.part) < len(whole):
            self.notes.append(f"searching {_rows(self.part)}")
        if self.factor > 1:
            self.notes.append(
                f"resampled by {self.factor}: the search sees {n} means of "
                f"{self.factor} samples; segments are in samples of the file"
            )
        self.max_sets = max_sets
        self.results: Results | None = None
        self.name, self.method = self._made(method, params, name)
        self.missing = self._missing(missing)
        fast = isinstance(self.method, Auto) or getattr(self.method, "symbolic", False)
        if n > LONG and not fast:
            more = -(-len(self.part) // SHORT)
            self.notes.append(
                f"{n} samples: time grows with the square of the length; --resample "
                f"{more} searches {len(self.part) // more} means, and --from and --to "
                f"search a part"
            )

    def _made(
        self, method: Any, params: Mapping[str, Any], name: str | None
    ) -> tuple[str, Any]:
        """Return the name of the method and the method with its parameters."""
        method = "auto" if method is None else method
        named = isinstance(method, str)
        cls = METHODS[method] if named else method
        known = method if named else getattr(cls, "__name__", type(cls).__name__)
        name = str(name or known)
        if not isinstance(cls, type) and callable(getattr(cls, "find", None)):
            if params:
                raise InputError(f"{name} is an instance, which has its parameters")
            return name, cls
        check_is_method(cls, name)
        declared = dataclasses.is_dataclass(cls)
        fields = {f.name: f for f in dataclasses.fields(cls)} if declared else {}
        values: dict[str, Any] = {}
        for key, value in params.items():
            if declared and key not in fields:
                known = ", ".join(fields)
                raise InputError(f"{name} has no parameter {key!r}; known: {known}")
            values[key] = value_of(
                key, value, fields.get(key), self.part, self.notes, self.factor
            )
        if self.max_sets is not None and (not declared or "max_sets" in fields):
            values["max_sets"] = self.max_sets
        # A field that does not count in comparisons does not change what is found.
        if "n_jobs" in fields and not fields["n_jobs"].compare:
            values.setdefault("n_jobs", -1)
        none = dataclasses.MISSING
        needed = [f for f in fields.values() if f.default is f.default_factory is none]
        missing = [f.name for f in needed if f.name not in values]
        if missing and "radius" not in missing:  # nothing can be said about a radius
            values |= self._estimated(missing)
            missing = [key for key in missing if key not in values]
        if missing:
            wanted = " ".join(f"--set {key}=..." for key in missing)
            raise InputError(f"{name} needs {', '.join(missing)}: {wanted}")
        try:
            return name, cls(**values)
        except TsmdbenchError:
            raise
        except (Exception, SystemExit) as cause:
            raise InputError(f"{name}: {type(cause).__name__}: {cause}") from cause

    def _estimated(self, missing: list[str]) -> dict[str, Any]:
        """Return values for those of the missing fields that `Auto` can estimate."""
        longest = max(split_at_missing(self.part), key=len)
        found = Auto(n_jobs=-1).find(Piece(longest, self.factor).series)
        if not found:
            return {}
        length = int(np.median(np.concatenate([motifs.lengths for motifs in found])))
        known = {
            "length": length,
            "l_min": max(MIN_LENGTH, round(length * (1 - SPREAD))),
            "l_max": round(length * (1 + SPREAD)),
            "window": max(2 * MIN_LENGTH, length // 2),
            **USUAL,
        }
        filled = {key: known[key] for key in missing if key in known}
        shown = " ".join(
            f"--set {key}={value * self.factor if key in IN_SAMPLES else value}"
            for key, value in filled.items()
        )
        self.notes.append(f"chose {shown}, from the lengths that auto finds")
        return filled

    def _missing(self, given: str | None) -> str:
        """Return what to do about missing values, and note it."""
        count, gaps = int(np.isnan(self.part.values).sum()), self.part.gaps
        if not count and not gaps:
            return given or "skip"
        said = " and ".join(
            ([f"{counted(count, 'value')} missing"] if count else [])
            + ([counted(len(gaps), "gap") + " in time"] if gaps else [])
        )
        able = getattr(self.method, "takes_missing", None)  # None: not declared
        if given == "error" or (given is None and not able):
            words = {None: "may not take them", False: "does not take them"}
            why = "" if able else f", and {self.name} {words[able]}"
            skip = "" if able is False else ", or skip windows with them by 'skip'"
            raise InputError(
                f"{self.part.source}: {said}{why}; search each complete piece by "
                f"missing='split' (--missing split), or fill them by 'interpolate'"
                f"{skip}"
            )
        chosen = given or "skip"
        ways = {
            "skip": "windows that contain them are skipped",
            "split": "each complete piece is searched by itself",
            "interpolate": "filled on straight lines",
        }
        self.notes.append(f"{said}: {ways[chosen]} (--missing {chosen})")
        return chosen

    def pieces(self) -> list[Piece]:
        """Return the parts that are searched, as the method sees them."""
        fill = self.missing == "interpolate"
        parts = split_at_missing(self.part) if self.missing == "split" else [self.part]
        return [Piece(part, self.factor, fill=fill) for part in parts]

    def run(self, say: Callable[[str], None] | None = None) -> Discovery:
        """Search, and return what was found; `say` gets a line per piece of several."""
        pieces = self.pieces()
        say = say or self.notes.append
        found: dict[str, MotifSet] = {}
        skipped = left_out = constant = 0
        for number, piece in enumerate(pieces, start=1):
            prefix = f"piece {number} " if len(pieces) > 1 else ""
            if prefix:
                say(f"{prefix[:-1]}: {_rows(piece.recording)}")
            try:
                sets = self._found(piece.series)[: self.max_sets]
            except InputError as cause:
                if not prefix:
                    raise
                say(f"{prefix}skipped: {cause}")
                skipped += 1
                continue
            if isinstance(self.method, Method) and not isinstance(self.method, Auto):
                constant += self.method.left_out(piece.series).constant
            place = 0
            for motifs in sets:
                kept = piece.kept(motifs)
                left_out += len(motifs) - len(kept)
                # A set that has lost all but one of its segments is not a motif.
                if len(kept) == len(motifs) or len(kept) > 1:
                    place += 1
                    found[f"{prefix}set {place}"] = piece.back(kept)
        if skipped == len(pieces):
            raise InputError(
                f"every piece of {self.part.source} is too short for the method"
            )
        if left_out:
            what = "filled" if self.missing == "interpolate" else "missing"
            self.notes.append(
                f"{counted(left_out, 'segment')} in {what} values left out"
            )
        if constant:
            has_field = "constant" in vars(self.method)
            keep = "; --set constant=keep keeps them" if has_field else ""
            self.notes.append(
                f"{counted(constant, 'window')} in which the series does not change "
                f"left out{keep}"
            )
        results = self.results if len(pieces) == 1 and not left_out else None
        facts = self._facts()
        return Discovery(
            found, self.whole, self.method, tuple(self.notes), facts, results
        )

    def _found(self, series: NDArray[np.float64]) -> list[MotifSet]:
        """Return what the method finds; code of others may raise anything."""
        if isinstance(self.method, Auto):
            self.results = self.method.results(series)
            return list(self.method.chosen(self.results))
        what = f"what {self.name} returned"
        try:
            return list(check_motif_sets(self.method.find(series), what).sets)
        except TsmdbenchError:
            raise
        except (Exception, SystemExit) as cause:
            if type(self.method).__module__.startswith("tsmdbench.methods."):
                raise
            raise InputError(
                f"{self.name} raised {type(cause).__name__}: {cause}"
            ) from cause

    def _facts(self) -> dict[str, Any]:
        """Return method, settings and source, as JSON can hold them."""
        method, plain = self.method, (bool, int, float, str, type(None))
        known = dataclasses.is_dataclass(method) and not isinstance(method, type)
        fields = dataclasses.asdict(method) if known else {}
        fields.pop("n_jobs", None)
        facts: dict[str, Any] = {
            "method": self.name,
            "settings": {
                key: value if isinstance(value, plain) else repr(value)
                for key, value in fields.items()
            },
            "source": self.whole.source,
            "samples": len(self.whole),
        }
        if self.factor > 1:
            facts["resample"] = self.factor
        if len(self.part) < len(self.whole):
            facts["rows"] = [self.part.first, self.part.first + len(self.part)]
        return facts


def _rows(part: Recording) -> str:
    return f"rows {part.first} to {part.first + len(part)}"


class Piece:
    """A recording as a method sees it: constant steps, filled and resampled.

    `factor` is the number of samples of the file per sample of the method; with `fill`,
    missing values are interpolated.
    """

    def __init__(self, recording: Recording, factor: int = 1, *, fill: bool = False):
        self.recording = recording
        self._factor, self._fill = factor, fill
        values = even_values(recording)
        lacking = np.asarray(np.isnan(values).any(axis=1))
        if fill:
            values = fill_lines(values)
        if factor > 1:
            n = len(values) // factor
            if n < 2:
                raise InputError(
                    f"{recording.source}: {len(values)} samples are too few to be "
                    f"resampled by {factor}"
                )
            values = values[: n * factor].reshape(n, factor, -1).mean(axis=1)
            lacking = np.asarray(lacking[: n * factor].reshape(n, factor).any(axis=1))
        self.values = values
        self._lacking = np.concatenate([[0], np.cumsum(lacking)])

    @property
    def series(self) -> NDArray[np.float64]:
        """The samples as ``float64[n]`` for one channel, else ``float64[n, d]``."""
        return self.values[:, 0] if self.values.shape[1] == 1 else self.values

    def kept(self, motifs: MotifSet) -> MotifSet:
        """Return the segments that do not lie in missing or filled values."""
        lacking = self._lacking[motifs.ends] - self._lacking[motifs.starts]
        most = motifs.lengths * (FILLED if self._fill else 0.0)
        inside: NDArray[np.bool_] = np.less_equal(lacking, most)
        return with_intervals(motifs, motifs.intervals[inside])

    def back(self, motifs: MotifSet) -> MotifSet:
        """Return segments in samples of the file."""
        base, first = self.recording.timebase, self.recording.first
        return with_intervals(motifs, base.row(motifs.intervals * self._factor) + first)


def with_intervals(motifs: MotifSet, intervals: NDArray[np.int64]) -> MotifSet:
    """Return a set with the channels of another one and its own intervals."""
    if motifs.channels is None:
        return MotifSet(intervals[:, 0])
    return MotifSet(intervals, motifs.channels)


def value_of(
    key: str,
    value: Any,
    field: Any,
    recording: Recording,
    notes: list[str] | None = None,
    factor: int = 1,
) -> Any:
    """Read a value: a word, a number, a time, a channel, else the text itself.

    Lengths are divided by `factor`, since the method sees resampled samples. Channels
    and a range of lengths are lists, or texts with commas.
    """
    notes = [] if notes is None else notes
    if isinstance(value, str) and "," in value and key in ("length", "channels"):
        value = value.split(",")
    if isinstance(value, list | tuple) and key in ("length", "channels"):
        single = key.removesuffix("s")
        parts = [value_of(single, v, field, recording, notes, factor) for v in value]
        return tuple(parts)
    if isinstance(value, str) and (field is None or str(field.type) != "str"):
        text = value.strip()
        value = WORDS.get(text.lower(), text)
        for kind in (int, float):
            if isinstance(value, str):
                with suppress(ValueError):
                    value = kind(text)
        seconds = parse_duration(text)
        if isinstance(value, str) and key in ("channel", "channels"):
            if text != "all" or text in recording.channels:
                value = recording.channel(text)
        elif isinstance(value, str) and seconds is not None:
            if field is not None and key not in IN_SAMPLES:
                raise InputError(
                    f"{key} is not counted in samples, so it cannot be {text}"
                )
            if recording.rate is None:
                raise InputError(
                    f"{key}={text} needs a sampling rate, which {recording.source} "
                    f"does not have; give --rate HZ"
                )
            exact = seconds * recording.rate
            value = round(exact)
            if factor == 1:
                moved = abs(exact - value) > 1e-9 * exact
                off = f", rounded from {exact:.6g}" if moved else ""
                notes.append(f"{key}={text} is {value} samples{off}")
    whole = isinstance(value, int) and not isinstance(value, bool)
    if factor > 1 and key in IN_SAMPLES and whole:
        notes.append(f"{key}={value} is {round(value / factor)} resampled samples")
        return round(value / factor)
    return (value,) if key == "channels" and whole else value


def settings_of(texts: Sequence[str]) -> dict[str, str]:
    """Return parameters from ``key=value`` texts.

    >>> settings_of(["length=3s", "max-lag = 5"])
    {'length': '3s', 'max_lag': '5'}
    """
    values = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise InputError(f"--set takes KEY=VALUE, got {text!r}")
        values[key] = value.strip()
    return values
