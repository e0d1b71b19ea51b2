"""Read and write motif sets in any known format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io.formats import choose_format, motif_formats
from tsmdbench.io.marks import MarkOptions, to_samples
from tsmdbench.io.paths import PathLike, regular_file, write_atomically
from tsmdbench.io.recording import Recording
from tsmdbench.io.timebase import TimeBase
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet

SHOWN = 80  # letters of a set in a notebook


@dataclass(frozen=True)
class Annotations:
    """Motif sets as they were read.

    Parameters
    ----------
    sets : mapping or list
        Label to segments in samples; a list of lists where a JSON file holds one.
    format : str
        The format that they were read in.
    source : str
        The file.
    notes : tuple of str
        What was rounded, and what was left out.
    """

    sets: Any
    format: str
    source: str
    notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        """Show the sets as a table in a notebook."""
        named = isinstance(self.sets, Mapping)
        items = list(self.sets.items() if named else enumerate(self.sets))
        rows = [[label, shorten(str(motifs), SHOWN)] for label, motifs in items]
        table = html_table(["set", "segments"], rows, left=(0, 1))
        said = f"{self.source} ({self.format}): {counted(len(rows), 'set')}"
        return html_block(html_lines([said]), table, html_lines(self.notes))


def read_annotations(
    path: PathLike,
    *,
    file_format: str | None = None,
    recording: Recording | None = None,
    rate: float | None = None,
    **options: Any,
) -> Annotations:
    """Read motif sets, and say what was rounded or left out.

    Parameters
    ----------
    path : path
        A file in one of the formats of `motif_formats`.
    file_format : str, optional
        Name of the format, if the file extension does not determine it.
    recording : Recording, optional
        Turns seconds and time stamps into samples.
    rate : float, optional
        Samples per second, if there is no recording.
    **options
        ``units``
            What numbers count: ``"samples"`` (default), ``"s"``, ``"ms"``, ``"us"``,
            ``"ns"``, or since 1970 ``"epoch-s"``, ``"epoch-ms"``, ...
        ``tier``
            Which tier of a TextGrid or an ELAN file.
        ``length``
            Length of the windows, for matrices of starts.
        ``background``
            The label of samples outside of motifs, for labels per sample.
        ``encoding``, ``max_bytes``
            Of text.

    Raises
    ------
    InputError
        One sentence that names the file and the row.
    """
    try:
        checked = MarkOptions(**options)
    except TypeError:
        known = ", ".join(MarkOptions.__dataclass_fields__)
        wrong = ", ".join(set(options) - set(MarkOptions.__dataclass_fields__))
        raise InputError(f"no option {wrong}; known: {known}") from None
    file = regular_file(path)
    chosen = choose_format(motif_formats(), file, file_format)
    marks = chosen.read(file, checked)
    name = marks.format or chosen.name
    if marks.plain is not None:
        return Annotations(marks.plain, name, str(file), tuple(marks.notes))
    sets, notes = to_samples(marks.rows, _timebase(recording, rate))
    return Annotations(sets, name, str(file), (*marks.notes, *notes))


def _timebase(recording: Recording | None, rate: float | None) -> TimeBase:
    if rate is not None and not 0 < rate < float("inf"):
        raise InputError(f"rate must be a positive number of Hz, got {rate}")
    if recording is None:
        return TimeBase(rate)
    if rate is not None and recording.rate is not None and rate != recording.rate:
        raise InputError(
            f"rate is {rate:g} Hz, but {recording.source} has {recording.rate:g} Hz"
        )
    base = recording.timebase
    return base if base.rate is not None else TimeBase(rate, base.start)


def read_motif_sets(path: PathLike, **options: Any) -> Any:
    """Read motif sets as a mapping, or as a list where a JSON file holds one.

    Takes the options of `read_annotations`. The content is parsed here and checked by
    `tsmdbench.validation.check_motif_sets`, like motif sets from anywhere else.

    Raises
    ------
    InputError
        The file is missing, a folder, not text, too large, malformed (with line and
        column), or of an unknown format.
    """
    return read_annotations(path, **options).sets


def write_motif_sets(
    path: PathLike,
    sets: Mapping[Any, MotifSet],
    *,
    file_format: str | None = None,
    recording: Recording | None = None,
    rate: float | None = None,
) -> tuple[str, ...]:
    """Write labelled motif sets in the format that the file's ending names.

    Parameters
    ----------
    path : path
        The file, which is written completely or not at all.
    sets : mapping
        Label to motif set.
    file_format, recording, rate
        As for `read_annotations`; label tracks are in seconds and need a rate.

    Returns
    -------
    tuple of str
        What is lost in this format.
    """
    file = Path(path)
    chosen = choose_format(motif_formats(), file, file_format)
    if chosen.write is None:
        able = [name for name in motif_formats() if motif_formats()[name].write]
        raise InputError(
            f"{file}: {chosen.name} cannot be written; choose one of {', '.join(able)}"
        )
    named = {str(label): motifs for label, motifs in sets.items()}
    if len(named) < len(sets):
        raise InputError(f"{file}: two labels are the same text; rename one")
    if not chosen.holds_empty and any(not len(motifs) for motifs in named.values()):
        raise InputError(
            f"{file}: {file.suffix or chosen.name} cannot hold an empty set; "
            f"write .json"
        )
    write_atomically(file, chosen.write(named, _timebase(recording, rate)))
    return (chosen.loses,) if chosen.loses else ()
