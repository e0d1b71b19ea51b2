"""Read the input files of a command, and print to stderr what was read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsmdbench.cli.output import say

if TYPE_CHECKING:
    from tsmdbench.io import Recording


def read_and_say(
    file: Path, options: dict[str, Any], file_format: str | None = None, **more: Any
) -> Recording:
    """Read a series with the values of its options, and print what was read."""
    from tsmdbench.io import read_recording

    recording = read_recording(file, file_format=file_format, **options, **more)
    parts = [f"read {recording.source}: {recording.summary()}", *recording.notes]
    say("; ".join(parts))
    return recording


def read_sets(
    file: Path,
    file_format: str | None,
    recording: Recording | None,
    series_options: dict[str, Any],
    set_options: dict[str, Any],
) -> tuple[Any, str]:
    """Read and check motif sets, print what was rounded; return them and the format.

    Times become samples by the time base of `recording`, or else by the option
    ``rate``.
    """
    from tsmdbench.io import read_annotations
    from tsmdbench.validation import check_motif_sets

    read = read_annotations(
        file,
        file_format=file_format,
        recording=recording,
        rate=series_options["rate"] if recording is None else None,
        encoding=series_options["encoding"],
        max_bytes=series_options["max_bytes"],
        **set_options,
    )
    say_notes(file, read.notes)
    return check_motif_sets(read.sets, str(file)), read.format


def say_notes(file: Path | str, notes: Iterable[str]) -> None:
    """Print notes about a file to stderr, in one line."""
    said = "; ".join(notes)
    if said:
        say(f"{file}: {said}")
