"""Annotated recordings as problems: `load_recordings`.

A folder holds series with truth files beside them. Each
recording is a problem, or is cut into pieces of one duration that are problems. No
recording is in problems of both splits.

Conventions
-----------
* Pieces follow each other from the first sample on; what is left over at the end is
  dropped. An occurrence that a cut goes through is in no piece.
* A motif occurs at least twice: a set with fewer occurrences in a problem is not part
  of its truth, and a piece without a set is not a problem.
* All recordings have the same number of channels, and the same sampling rate as far as
  it is known: methods are given lengths in samples, which come from other recordings.
* Labels name patterns within a recording. Whether ``A`` of one recording is ``A`` of
  another is not assumed.
* What was left out is counted in `Recordings.notes`, never silently.

Files
-----
``walk.csv`` is a series. Its truth lies beside it: ``walk.truth.json``, with any ending
of `tsmdbench.io.motif_formats`, or ``walk.json``, ``walk.atr``, ``walk.TextGrid``, with
an ending that no series has. Other files are left alone.

A folder that has the folders ``validation`` and ``test`` holds its recordings there;
any other folder holds them itself.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.datasets.construct import Problems
from tsmdbench.datasets.draws import Draws
from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io import (
    PathLike,
    Recording,
    motif_formats,
    read_annotations,
    read_recording,
    series_formats,
)
from tsmdbench.io.annotations import labelled_sets
from tsmdbench.io.recording import even_values, fill_lines
from tsmdbench.io.timebase import parse_duration
from tsmdbench.plural import counted, first_few
from tsmdbench.types import MotifSet, MotifSets, Problem
from tsmdbench.validation import (
    check_choice,
    check_integer,
    check_motif_sets,
    check_number,
    check_truth,
)

SHARE = 0.2  # of the recordings that are for validation, as in TSMD-Bench
OF_TRUTH = ("units", "tier", "length", "background")  # options of reading it
LEAST = 2  # occurrences of a motif set
SIDES = ("validation", "test")
MARK = ".truth"  # walk.truth.csv is the truth of walk


class AnnotatedRecording(NamedTuple):
    """A recording with its annotated motif sets."""

    name: str
    recording: Recording
    truth: dict[str, MotifSet]
    side: str = ""


class Piece(NamedTuple):
    """The samples ``[start, end)`` of a recording."""

    recording: str
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Recordings(Problems):
    """Problems of one split, which are cut out of recordings when they are used.

    Parameters
    ----------
    name : str
        Of the dataset: first part of the names of its problems.
    split : str
        ``"validation"``, ``"test"`` or ``"all"``.
    sources : mapping
        Name to `AnnotatedRecording`.
    pieces : tuple of Piece
        One per problem.
    least : int
        Smallest number of occurrences of a set.
    notes : tuple of str
        What was read how, and what was left out.
    hashes : tuple of bytes
        SHA-256 of each series as it was frozen; empty where nothing is frozen.
    options : mapping
        What it was loaded with.
    """

    name: str
    split: str
    sources: dict[str, AnnotatedRecording]
    pieces: tuple[Piece, ...]
    least: int = LEAST
    notes: tuple[str, ...] = ()
    hashes: tuple[bytes, ...] = ()
    frozen: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    per_problem: ClassVar[tuple[str, ...]] = ("pieces", "hashes")

    def __repr__(self) -> str:
        size = counted(len(self), "problem")
        used = counted(len(self.used), "recording")
        return f"<{self.name}/{self.split}: {size}, {used}>"

    def _repr_html_(self) -> str:
        """Show the pieces as a table in a notebook."""
        rows = [[*piece, piece.end - piece.start] for piece in self.pieces]
        table = html_table(["recording", "start", "end", "samples"], rows)
        return html_block(html_lines([repr(self)]), table, html_lines(self.notes))

    def _problem(self, index: int) -> Problem:
        piece = self.pieces[index]
        source = self.sources[piece.recording]
        series = source.recording.series[piece.start : piece.end]
        return Problem(
            np.ascontiguousarray(series),
            dict(truth_within(source.truth, piece, self.least).items()),
            self.problem_name(piece),
            ((piece.recording, piece.start),),
        )

    def problem_name(self, piece: Piece) -> str:
        """Return the name of the problem that a piece is."""
        whole = len(self.sources[piece.recording].recording)
        cut = "" if (piece.start, piece.end) == (0, whole) else f"@{piece.start}"
        return f"{self.name}/{self.split}/{piece.recording}{cut}"

    @property
    def used(self) -> tuple[str, ...]:
        """Names of the recordings that problems come from."""
        return tuple(dict.fromkeys(piece.recording for piece in self.pieces))

    @property
    def recipe_sha256(self) -> str:
        """Hash that names the pieces, whatever is in them."""
        text = json.dumps([list(piece) for piece in self.pieces])
        return hashlib.sha256(text.encode()).hexdigest()

    def motifs(self) -> tuple[list[NDArray[np.float64]], list[str]]:
        """Return all true motifs as arrays, and the recording and label of each."""
        found: list[NDArray[np.float64]] = []
        labels: list[str] = []
        for piece, problem in zip(self.pieces, self, strict=True):
            values = problem.series
            series = values[:, None] if values.ndim == 1 else values
            for label, motifs in problem.truth.items():
                found.extend(series[start:end] for start, end in motifs)
                labels.extend([f"{piece.recording}\x1f{label}"] * len(motifs))
        return found, labels


def load_recordings(
    folder: PathLike,
    split: str = "all",
    *,
    piece: float | str | None = None,
    share: float = SHARE,
    seed: int = 0,
    unannotated: str = "error",
    overlapping: str = "error",
    name: str | None = None,
    **options: Any,
) -> Recordings:
    """Make problems from the annotated recordings of a folder.

    Parameters
    ----------
    folder : path
        Series with truth files beside them: ``walk.csv`` and ``walk.truth.json``,
        ``100.hea`` and ``100.atr``; any format of `tsmdbench.io`. If it has the folders
        ``validation`` and ``test``, these are the splits.
    split : {"all", "validation", "test"}
        No recording is in both splits. A single recording has no validation split.
    piece : int, float or str, optional
        Cut recordings into pieces: samples, or a duration such as ``"30s"``.
    share : float, default 0.2
        Share of the recordings that are drawn for validation, at least one.
    seed : int, default 0
        Of the draw.
    unannotated : {"error", "skip"}
        What to do with a series without truth.
    overlapping : {"error", "halve"}
        What to do with true segments that overlap, which no metric takes: ``"halve"``
        ends the first and begins the second in the middle of what they share.
    name : str, optional
        By default that of the folder.
    **options
        Of `tsmdbench.io.read_recording`: ``columns``, ``rate``, ``missing``, ..., and
        of `tsmdbench.io.read_annotations` for the truth: ``units``, ``tier``,
        ``length`` and ``background``.

    Raises
    ------
    InputError
        One sentence that names the file: nothing to read, a series without truth,
        segments that overlap or end beyond the series, missing values, different rates
        or channels, no motif set with two occurrences.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> np.savetxt(folder / "walk.csv", np.sin(np.arange(300) / 5))
    >>> truth = folder / "walk.truth.json"
    >>> _ = truth.write_text('{"step": [[10, 40], [200, 230]]}')
    >>> recordings = load_recordings(folder, name="walks")
    >>> recordings[0].name, recordings[0].series.shape, recordings[0].truth
    ('walks/all/walk', (300,), {'step': MotifSet(((10, 40), (200, 230)))})
    """
    check_choice(split, "split", ("all", *SIDES))
    check_choice(unannotated, "unannotated", ("error", "skip"))
    check_choice(overlapping, "overlapping", ("error", "halve"))
    check_integer(seed, "seed", minimum=0)
    if not 0 < check_number(share, "share") < 1:
        raise InputError(f"share must lie in (0, 1), got {share}")
    if options.get("missing") == "keep":
        raise InputError("missing='keep' leaves gaps; choose 'error' or 'interpolate'")
    marks = {name: options.pop(name) for name in OF_TRUTH if name in options}
    read = {
        pair[0]: read_pair(*pair, options, marks, halve=overlapping == "halve")
        for pair in _annotated_pairs(folder, unannotated)
    }
    _check_alike(read.values())
    chosen = _side(read, split, share, seed)
    pieces, notes = _cut([read[one] for one in chosen], piece)
    if chosen and not pieces:
        raise InputError(
            f"{folder}: no {'piece' if piece is not None else 'recording'} of "
            f"{', '.join(chosen[:5])} has a motif set with {LEAST} occurrences"
            + ("; take longer pieces" if piece is not None else "")
        )
    label = name or Path(folder).resolve().name
    kept = {"piece": piece, "share": share, "seed": seed, "overlapping": overlapping}
    kept |= {"unannotated": unannotated, **marks, **options}
    return Recordings(label, split, read, pieces, notes=notes, options=kept)


def truth_within(
    truth: dict[str, MotifSet], piece: Piece, least: int = LEAST
) -> dict[str, MotifSet]:
    """Return the sets inside of a piece, counted from its first sample.

    >>> whole = {"a": MotifSet([(0, 5), (10, 15), (18, 23)]), "b": MotifSet([(6, 8)])}
    >>> truth_within(whole, Piece("x", 0, 20))
    {'a': MotifSet(((0, 5), (10, 15)))}
    """
    found = {}
    for label, motifs in truth.items():
        inside = (motifs.starts >= piece.start) & (motifs.ends <= piece.end)
        if inside.sum() >= least:
            found[label] = MotifSet(motifs.segments[inside] - piece.start)
    return found


def read_pair(
    name: str,
    series: Path,
    annotations: Path,
    side: str = "",
    options: Mapping[str, Any] = MappingProxyType({}),
    marks: Mapping[str, Any] = MappingProxyType({}),
    *,
    halve: bool = False,
) -> AnnotatedRecording:
    """Read a series with `options`, and its truth with those of `marks`."""
    recording = read_recording(series, **options)
    found = read_annotations(annotations, recording=recording, **marks).sets
    where = str(annotations)
    if halve:
        found = halved(check_motif_sets(found, where, n=len(recording)))
    sets = check_truth(found, where, n=len(recording))
    truth = labelled_sets(sets, where)
    if recording.gaps:  # a problem has constant steps: count the missing samples in
        place = recording.timebase.place
        truth = {
            label: MotifSet(
                np.stack([place(motifs.starts), place(motifs.ends - 1) + 1], axis=1)
            )
            for label, motifs in truth.items()
        }
        even = fill_lines(even_values(recording))
        recording = replace(recording, values=even, gaps=())
    return AnnotatedRecording(name, recording, truth, side)


def halved(sets: MotifSets) -> dict[str, MotifSet]:
    """End and begin segments that overlap in the middle of what they share.

    >>> from tsmdbench.validation import check_motif_sets
    >>> halved(check_motif_sets({"a": [(0, 10)], "b": [(6, 20)]}, "truth"))
    {'a': MotifSet(((0, 8),)), 'b': MotifSet(((8, 20),))}
    """
    segments = sets.segments.copy()
    order = np.argsort(segments[:, 0], kind="stable")
    for first, second in itertools.pairwise(order.tolist()):
        if segments[second, 0] < segments[first, 1]:
            middle = (segments[second, 0] + segments[first, 1]) // 2
            segments[first, 1] = segments[second, 0] = middle
    return {
        str(label): MotifSet(segments[sets.owner == place])
        for place, label in enumerate(sets.labels)
    }


def _check_alike(read: Iterable[AnnotatedRecording]) -> None:
    """Raise unless all recordings have the same channels and the same rate."""
    first, *others = read
    timed = first
    for one in others:
        here, there = one.recording.values.shape[1], first.recording.values.shape[1]
        if here != there:
            raise InputError(
                f"{first.name} has {counted(there, 'channel')} and {one.name} has "
                f"{here}; choose common ones with columns (--columns), or use two "
                f"folders"
            )
        timed = one if timed.recording.rate is None else timed
        if one.recording.rate not in (None, timed.recording.rate):
            raise InputError(
                f"{timed.name} has {timed.recording.rate:g} Hz and {one.name} has "
                f"{one.recording.rate:g} Hz, but lengths in samples must mean the same "
                f"in all; resample them to one rate, or use two folders"
            )


def _side(
    read: dict[str, AnnotatedRecording], split: str, share: float, seed: int
) -> list[str]:
    """Return the recordings of a split, in order of name."""
    if split == "all":
        return list(read)
    if any(one.side for one in read.values()):
        return [name for name, one in read.items() if one.side == split]
    able = [
        name
        for name, one in read.items()
        if any(len(motifs) >= LEAST for motifs in one.truth.values())
    ]
    if len(able) < 2:
        return list(read) if split == "test" else []
    number = min(len(able) - 1, max(1, round(share * len(able))))
    drawn = set(Draws(seed, "recordings", "split").sample(sorted(able), number))
    return [name for name in read if (name in drawn) == (split == "validation")]


def _cut(
    chosen: list[AnnotatedRecording], piece: float | str | None
) -> tuple[tuple[Piece, ...], tuple[str, ...]]:
    """Return the pieces that have a motif set, and notes on omitted ones."""
    kept: list[Piece] = []
    lost = singles = without = 0
    for one in chosen:
        lost += sum(map(len, one.truth.values()))
        size = len(one.recording) if piece is None else _samples(piece, one)
        for start in range(0, len(one.recording) - size + 1, size):
            part = Piece(one.name, start, start + size)
            sizes = [len(m) for m in truth_within(one.truth, part, 1).values()]
            lost -= sum(sizes)
            singles += sum(size < LEAST for size in sizes)
            if max(sizes, default=0) >= LEAST:
                kept.append(part)
            else:
                without += 1
    counts = (
        (lost, "occurrence", "cut by, or outside of, the pieces"),
        (singles, "set", f"with fewer than {LEAST} occurrences in a problem"),
        (without, "piece", "without a motif set"),
    )
    notes = [f"left out: {counted(n, what)} {why}" for n, what, why in counts if n]
    return tuple(kept), tuple(notes)


def _samples(piece: float | str, one: AnnotatedRecording) -> int:
    """Return the size of a piece in samples."""
    recording = one.recording
    if isinstance(piece, str) and not piece.strip().isdigit():
        seconds = parse_duration(piece)
        if seconds is None:
            raise InputError(
                f"piece must be samples or a duration such as '30s', got {piece!r}"
            )
        if recording.rate is None:
            raise InputError(
                f"piece={piece} needs a sampling rate, which {recording.source} does "
                f"not have; give rate (--rate HZ), or the piece in samples"
            )
        size = round(seconds * recording.rate)
    else:
        size = check_integer(int(piece) if isinstance(piece, str) else piece, "piece")
    if not LEAST <= size <= len(recording):
        raise InputError(
            f"a piece of {size} samples does not fit: {one.name} has {len(recording)}"
        )
    return size


def _annotated_pairs(
    folder: PathLike, unannotated: str
) -> list[tuple[str, Path, Path, str]]:
    """Return name, series, truth and split of annotated series, sorted by name."""
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{root} is not a folder; give the folder of the recordings")
    sides = [side for side in SIDES if (root / side).is_dir()]
    if len(sides) == 1:
        raise InputError(
            f"{root} has a folder {sides[0]!r} but not both of 'validation' and "
            f"'test'; add the other one, or put all recordings into {root}"
        )
    loose = _series_files(root) if sides else {}
    if loose:
        raise InputError(
            f"{root} has the folders 'validation' and 'test' and also the series "
            f"{first_few(loose)}; move it into one of the two"
        )
    taken, known = (
        {ending for form in formats.values() for ending in form.endings}
        for formats in (series_formats(), motif_formats())
    )
    pairs: list[tuple[str, Path, Path, str]] = []
    for side in sides or [""]:
        place, without = root / side, []
        files = sorted(file for file in place.iterdir() if file.is_file())
        for name, series in _series_files(place).items():
            truths = [
                file
                for file in files
                if file.suffix.lower() in known
                and (
                    file.stem == name + MARK
                    or (file.stem == name and file.suffix.lower() not in taken)
                )
            ]
            if len(truths) > 1:
                raise InputError(
                    f"{place}: {name} has several files of truth, "
                    f"{first_few(truth.name for truth in truths)}; keep one"
                )
            if truths:
                pairs.append((name, series, truths[0], side))
            else:
                without.append(name)
        if without and unannotated != "skip":
            raise InputError(
                f"{place}: no truth for {first_few(without)}; add "
                f"{without[0]}.truth.json, or leave such series out with "
                f"unannotated='skip' (--skip-unannotated)"
            )
    if not pairs:
        raise InputError(
            f"{root} has no annotated recording: it needs a series such as walk.csv "
            f"and its truth in the same folder, such as walk.truth.json"
        )
    names = Counter(pair[0] for pair in pairs)
    twice = sorted(name for name, number in names.items() if number > 1)
    if twice:
        raise InputError(
            f"{root}: {first_few(twice)} is in 'validation' and in 'test'; a recording "
            f"belongs to one of them"
        )
    return sorted(pairs)


def _series_files(folder: Path) -> dict[str, Path]:
    """Return the series of a folder by name."""
    endings = {e for known in series_formats().values() for e in known.endings}
    found: dict[str, Path] = {}
    for file in sorted(folder.iterdir()):
        hidden = file.name.startswith(".")
        if hidden or file.suffix.lower() not in endings or not file.is_file():
            continue
        if Path(file.stem).suffix == MARK:
            continue
        if file.stem in found:
            raise InputError(
                f"{folder}: {found[file.stem].name} and {file.name} are both series "
                f"named {file.stem!r}; rename one, or name a truth "
                f"{file.stem}.truth{file.suffix}"
            )
        found[file.stem] = file
    return found
