"""Read and write motif sets in any known format."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import shorten
from typing import Any

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io.files import PathLike, regular_file, write_atomically
from tsmdbench.io.formats import checked_options, choose_format, motif_formats
from tsmdbench.io.marks import MarkOptions, Writing, to_samples
from tsmdbench.io.recording import Recording
from tsmdbench.io.timebase import WRITTEN, TimeBase, check_units
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet, MotifSets

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
    left_out : tuple of str
        What else the file holds, which writing it again would lose; also in `notes`.
    """

    sets: Any
    format: str
    source: str
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

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
    """Read motif sets, with notes on rounded and omitted values.

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
    checked: MarkOptions = checked_options(MarkOptions, options)
    file = regular_file(path)
    chosen = choose_format(motif_formats(), file, file_format)
    marks = chosen.read(file, checked)
    sets, notes = marks.plain, [*marks.left_out, *marks.notes]
    if sets is None:
        base = _timebase(recording, rate, marks.base)
        sets, rounded = to_samples(marks.rows, base)
        notes += rounded
    name = marks.format or chosen.name
    return Annotations(sets, name, str(file), tuple(notes), tuple(marks.left_out))


def _timebase(
    recording: Recording | None, rate: float | None, stated: TimeBase | None = None
) -> TimeBase:
    """Return the time base of the recording, of the rate, or that a file states."""
    if recording is None:
        return stated if rate is None and stated is not None else TimeBase(rate)
    if rate is not None and recording.rate not in (None, rate):
        raise InputError(
            f"rate is {rate:g} Hz, but {recording.source} has {recording.rate:g} Hz"
        )
    return replace(recording.timebase, rate=recording.rate or rate)


def read_motif_sets(path: PathLike, **options: Any) -> Any:
    """Read motif sets as a mapping, or as a list where a JSON file holds one.

    Takes the options of `read_annotations`, and raises the same errors. The content is
    checked by `tsmdbench.validation.check_motif_sets`, like sets from anywhere else.
    """
    return read_annotations(path, **options).sets


def write_motif_sets(
    path: PathLike,
    sets: Any,
    *,
    file_format: str | None = None,
    recording: Recording | None = None,
    rate: float | None = None,
    units: str = "samples",
    facts: Mapping[str, Any] | None = None,
) -> tuple[str, ...]:
    """Write motif sets in the format that the file's extension names.

    Parameters
    ----------
    path : path
        The file, which is written completely or not at all. Where it is a symbolic
        link, the file behind it is written; permissions stay.
    sets : mapping, sequence of MotifSet, or Annotations
        Label to motif set; what ``find`` returns, whose sets are called ``set 1``,
        ``set 2``, ...; or what `read_annotations` returns.
    file_format, recording, rate
        As for `read_annotations`; label tracks are in seconds and need a rate.
    units : str
        ``"samples"``, ``"s"``, ``"ms"``, ... as in `read_annotations`, or ``"time"``:
        time stamps where the recording has them, else seconds with their unit.
        Label tracks are in seconds always.
    facts : mapping, optional
        What JSON keeps beside the sets: method, settings, source, ...

    Returns
    -------
    tuple of str
        What is lost in this format.
    """
    file = Path(path)
    chosen = _writable(file, file_format)
    check_units(units, WRITTEN)
    named = labelled_sets(sets, str(file))
    if not chosen.holds_empty and any(not len(motifs) for motifs in named.values()):
        raise InputError(
            f"{file}: {file.suffix or chosen.name} cannot hold an empty set; "
            f"write .json"
        )
    writing = Writing(file, _timebase(recording, rate), units, dict(facts or {}))
    write_atomically(Path(os.path.realpath(file)), chosen.write(named, writing))
    return _lost(chosen, named)


def _lost(chosen: Any, sets: Mapping[str, MotifSet]) -> tuple[str, ...]:
    """Describe what a format cannot hold of these sets."""
    named = any(motifs.channels is not None for motifs in sets.values())
    channels = "the channels of the sets" if named and not chosen.channels else ""
    return tuple(filter(None, (chosen.loses, channels)))


def replace_motif_sets(
    path: PathLike,
    sets: Mapping[Any, MotifSet],
    *,
    recording: Recording,
    file_format: str | None = None,
    dry: bool = False,
    **options: Any,
) -> tuple[str, ...]:
    """Replace the motif sets of a file; what else it holds is kept, or is refused.

    The file may not exist yet; sets without segments are not written. The new file
    takes the place of the old one after it was read back with the same options; `dry`
    only checks whether that can be done. Returns what is lost in this format, and
    raises `InputError` where the file holds something else that would be lost, or the
    sets do not come back.
    """
    file = Path(path)
    chosen = _writable(file, file_format)
    if chosen.exported:
        raise InputError(
            f"{file}: a file of the format {chosen.name} holds more than motif sets, "
            f"which saving would lose; choose .json"
        )
    filled = {label: motifs for label, motifs in sets.items() if len(motifs)}
    named = labelled_sets(filled, str(file))
    writing = Writing(file, recording.timebase)
    marks: MarkOptions = checked_options(MarkOptions, options)
    if file.exists():
        regular_file(file)
    options |= {"file_format": chosen.name, "recording": recording}
    if chosen.replace is not None and file.exists():
        data = chosen.replace(named, writing, marks)
    else:
        lost = read_annotations(file, **options).left_out if file.exists() else ()
        if lost:
            raise InputError(
                f"{file} holds more than motif sets, which saving would lose "
                f"({'; '.join(lost)}); copy the motif sets to a .json file, and give "
                f"that"
            )
        data = chosen.write(named, writing)

    def check(written: Path) -> bool:
        try:
            back = read_annotations(written, **options).sets
        except InputError as cause:
            raise InputError(str(cause).replace(str(written), str(file))) from None
        items = back.items() if isinstance(back, Mapping) else enumerate(back)
        read = {str(label): MotifSet(motifs) for label, motifs in items}
        if read != named:
            raise InputError(
                f"{file}: the format {chosen.name} cannot hold these sets and labels "
                f"exactly; choose .json"
            )
        return not dry

    write_atomically(Path(os.path.realpath(file)), data, check)
    return _lost(chosen, named)


def _writable(file: Path, file_format: str | None) -> Any:
    chosen = choose_format(motif_formats(), file, file_format)
    if chosen.write is None:
        able = [name for name in motif_formats() if motif_formats()[name].write]
        raise InputError(
            f"{file}: {chosen.name} cannot be written; choose one of {', '.join(able)}"
        )
    return chosen


def labelled_sets(sets: Any, where: str) -> dict[str, MotifSet]:
    """Return motif sets by the text of their label; those without are numbered."""
    given = sets.sets if isinstance(sets, Annotations | MotifSets) else sets
    if isinstance(sets, MotifSets):
        given = dict(zip(sets.labels, sets.sets, strict=True))
    if not isinstance(given, Mapping):
        if isinstance(given, MotifSet):
            raise InputTypeError("write [motif_set] for a single set")
        given = {f"set {place + 1}": motifs for place, motifs in enumerate(given)}
    named = {str(label): MotifSet(motifs) for label, motifs in given.items()}
    if len(named) < len(given):
        raise InputError(f"{where}: two labels are the same text; rename one")
    for label in named:
        check_label(label, where)
    return named


def check_label(label: str, where: str) -> None:
    """Refuse a label that no text file can hold."""
    if "\0" in label or (not label.isascii() and re.search("[\ud800-\udfff]", label)):
        raise InputError(
            f"{where}: the label {ascii(label)[:60]} has a character that a text file "
            f"cannot hold (NUL, or half of a surrogate pair); rename it"
        )
