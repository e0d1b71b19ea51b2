"""Praat's TextGrid, long and short form: the intervals of one tier.

As Praat does, the reader takes the texts in quotes and the numbers that are by
themselves, and leaves out everything else. Intervals without text are the background.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import Mark, MarkOptions, Marks, Writing, bound_of_number
from tsmdbench.io.paths import UTF16_MARKS, read_text
from tsmdbench.io.tiers import choose_tier
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet

TOKEN = re.compile(r'"(?:[^"]|"")*"|[^\s"]+')
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?%?")
FLAGS = ("<exists>", "<absent>")


def _read(file: Path, options: MarkOptions) -> Marks:
    encoding = options.encoding
    with file.open("rb") as stream:
        if encoding is None and stream.read(2) in UTF16_MARKS:
            encoding = "utf-16"  # what Praat writes beyond ASCII
    text = read_text(file, options.limit, encoding)
    rows, points = _tiers(_tokens(text), file)
    marks = choose_tier(rows, options.tier, str(file))
    if points:
        marks.notes.append(
            f"{counted(points, 'point')} left out: a point has no length"
        )
    return marks


def _tokens(text: str) -> Iterator[str]:
    for line in text.splitlines():
        code = line if '"' in line else line.partition("!")[0]
        for token in TOKEN.findall(code):
            if token.startswith('"') or token in FLAGS or NUMBER.fullmatch(token):
                yield token


def _tiers(tokens: Iterator[str], file: Path) -> tuple[list[tuple[str, Mark]], int]:
    """Return the intervals with text, with their tier, and the number of points."""
    if [_text(tokens, file) for _ in range(2)] != ["ooTextFile", "TextGrid"]:
        raise InputError(f"{file} is not a TextGrid of Praat")
    _number(tokens, file), _number(tokens, file)
    if _next(tokens, file) != "<exists>":
        raise InputError(f"{file} has no tier")
    rows: list[tuple[str, Mark]] = []
    points = 0
    for _ in range(_count(tokens, file)):
        kind, name = _text(tokens, file), _text(tokens, file)
        _number(tokens, file), _number(tokens, file)
        for number in range(1, _count(tokens, file) + 1):
            where = f"{file}, tier {name!r}, interval {number}"
            if kind != "IntervalTier":
                _number(tokens, file), _text(tokens, file)
                points += 1
                continue
            start, end = (_number(tokens, file) for _ in range(2))
            label = _text(tokens, file).strip()
            if label:
                begin = bound_of_number(start, "s", where)
                stop = bound_of_number(end, "s", where)
                rows.append((name, Mark(label, begin, stop, where)))
    return rows, points


def _next(tokens: Iterator[str], file: Path) -> str:
    token = next(tokens, None)
    if token is None:
        raise InputError(f"{file} is cut off: a TextGrid ends with its last tier")
    return token


def _number(tokens: Iterator[str], file: Path) -> float:
    token = _next(tokens, file)
    if not NUMBER.fullmatch(token) or token.endswith("%"):
        raise InputError(f"{file}: a TextGrid has a number here, got {token[:40]}")
    return float(token)


def _count(tokens: Iterator[str], file: Path) -> int:
    number = _number(tokens, file)
    if not number.is_integer():
        raise InputError(f"{file}: a TextGrid has a count here, got {number}")
    return int(number)


def _text(tokens: Iterator[str], file: Path) -> str:
    token = _next(tokens, file)
    if not token.startswith('"'):
        raise InputError(f"{file}: a TextGrid has a text here, got {token[:40]}")
    return token[1:-1].replace('""', '"')


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    """Write one tier, which ends with the recording.

    Praat's tiers do not overlap, so neither may the segments.
    """
    base = writing.base
    last = max((end for motifs in sets.values() for _, end in motifs), default=1)
    begin, finish = base.times(0, max(last, base.n or 0))
    filled: list[tuple[float, float, str]] = []
    for start, end, label in [*writing.seconds(sets), (finish, finish, "")]:
        before = filled[-1][1] if filled else begin
        if start < before:
            raise InputError(
                f"a TextGrid cannot hold segments that overlap, such as {label!r} at "
                f"{base.rounded(start)} s; write .json or audacity"
            )
        filled += [(before, start, "")] if start > before else []
        filled += [(start, end, label)] if end > start else []
    head = ['File type = "ooTextFile"', 'Object class = "TextGrid"', ""]
    span = [f"{begin:.9f}", f"{finish:.9f}"]
    lines = [*head, *span, "<exists>", "1", '"IntervalTier"', '"motifs"', *span]
    lines.append(str(len(filled)))
    for start, end, label in filled:
        quoted = label.replace('"', '""')
        lines += [f"{start:.9f}", f"{end:.9f}", f'"{quoted}"']
    return ("\n".join(lines) + "\n").encode()


FORMAT = MotifFormat(
    "textgrid",
    (".textgrid",),
    _read,
    "TextGrid of Praat, one tier",
    write=_write,
    loses="the sampling rate: reading the file again needs it",
)
