"""Praat's TextGrid, long and short form: the intervals of one tier.

As Praat does, the reader takes the texts in quotes and the numbers that are by
themselves, and leaves out everything else. Intervals without text are the background.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.files import UTF16_MARKS, read_text
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import (
    Mark,
    MarkOptions,
    Marks,
    Writing,
    as_bound,
    choose_tier,
)
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet

TOKEN = re.compile(r'"(?:[^"]|"")*"|[^\s"]+')
KINDS = {
    "number": re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"),
    "count": re.compile(r"\d+"),
    "text": re.compile(r'".*"', re.DOTALL),
    "flag": re.compile(r"<exists>|<absent>"),
}
INTERVALS = "IntervalTier"


@dataclass
class _Tier:
    """A tier; numbers are the texts of the file. A point has no end."""

    kind: str
    name: str
    span: list[str]
    rows: list[tuple[list[str], str]]


def _read(file: Path, options: MarkOptions) -> Marks:
    tiers, comments = _parsed(file, options)
    rows: list[tuple[str, Mark]] = []
    for tier in tiers:
        for number, (times, label) in enumerate(tier.rows, start=1):
            if tier.kind == INTERVALS and label.strip():
                where = f"{file}, tier {tier.name!r}, interval {number}"
                start, end = (as_bound(float(time), "s", where) for time in times)
                rows.append((tier.name, Mark(label.strip(), start, end, where)))
    marks = choose_tier(rows, options.tier, str(file))
    points = sum(len(tier.rows) for tier in tiers if tier.kind != INTERVALS)
    if points:
        marks.left_out.append(
            f"{counted(points, 'point')} left out: a point has no length"
        )
    if comments:
        marks.notes.append("comments left out")
    return marks


def _parsed(file: Path, options: MarkOptions) -> tuple[list[_Tier], bool]:
    """Return the tiers, and whether there are comments."""
    encoding = options.encoding
    with file.open("rb") as stream:
        if encoding is None and stream.read(2) in UTF16_MARKS:
            encoding = "utf-16"  # what Praat writes beyond ASCII
    lines = read_text(file, options.max_bytes, encoding).splitlines()
    tokens = (
        token
        for line in lines
        for token in TOKEN.findall(line if '"' in line else line.partition("!")[0])
        if any(KINDS[kind].fullmatch(token) for kind in ("number", "text", "flag"))
    )

    def take(kind: str) -> str:
        token = next(tokens, None)
        if token is None:
            raise InputError(f"{file} is cut off: a TextGrid ends with its last tier")
        if not KINDS[kind].fullmatch(token):
            raise InputError(f"{file}: a TextGrid has a {kind} here, got {token[:40]}")
        return str(token[1:-1].replace('""', '"') if kind == "text" else token)

    if [take("text"), take("text")] != ["ooTextFile", "TextGrid"]:
        raise InputError(f"{file} is not a TextGrid of Praat")
    take("number"), take("number")
    if take("flag") != "<exists>":
        raise InputError(f"{file} has no tier")
    tiers = []
    for _ in range(int(take("count"))):
        kind, name = take("text"), take("text")
        span = [take("number"), take("number")]
        bounds = 2 if kind == INTERVALS else 1
        rows = [
            ([take("number") for _ in range(bounds)], take("text"))
            for _ in range(int(take("count")))
        ]
        tiers.append(_Tier(kind, name, span, rows))
    return tiers, any("!" in line and '"' not in line for line in lines)


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    """Write one tier, which ends with the recording."""
    base = writing.base
    last = max((end for motifs in sets.values() for _, end in motifs), default=1)
    span = [f"{time:.9f}" for time in base.times(0, max(last, base.n or 0))]
    return _text_of([_Tier(INTERVALS, "motifs", span, _intervals(sets, writing, span))])


def _replace(
    sets: dict[str, MotifSet], writing: Writing, options: MarkOptions
) -> bytes:
    """Write the tier that was read, and the other tiers as they are."""
    tiers, comments = _parsed(writing.file, options)
    named = [
        tier
        for tier in tiers
        if tier.kind == INTERVALS
        and (options.tier in (None, tier.name))
        and any(label.strip() for _, label in tier.rows)
    ]
    if comments or len(named) != 1:
        what = "comments" if comments else f"{len(named)} tiers of the same name"
        raise InputError(
            f"{writing.file} holds {what}, which saving would lose; copy the motif "
            f"sets to a .json file, and give that"
        )
    tier = named[0]
    tier.rows = _intervals(sets, writing, tier.span)
    if tier.rows:  # they may reach beyond what the tier covered
        tier.span = [tier.rows[0][0][0], tier.rows[-1][0][1]]
    return _text_of(tiers)


def _intervals(
    sets: dict[str, MotifSet], writing: Writing, span: list[str]
) -> list[tuple[list[str], str]]:
    """Return a tier without holes; Praat's intervals do not overlap."""
    filled: list[tuple[list[str], str]] = []
    last = span[0]
    for start, end, label in writing.seconds(sets):
        begin = f"{start:.9f}"
        if filled and float(begin) < float(last):
            raise InputError(
                f"{writing.file}: a TextGrid cannot hold segments that overlap, such "
                f"as {label!r} at {writing.base.rounded(start)} s; write .json or "
                f"audacity"
            )
        if float(begin) > float(last):
            filled.append(([last, begin], ""))
        last = f"{end:.9f}"
        filled.append(([begin, last], label))
    if float(span[1]) > float(last):
        filled.append(([last, span[1]], ""))
    return filled


def _text_of(tiers: list[_Tier]) -> bytes:
    """Return tiers in the short form."""

    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    low = min((tier.span[0] for tier in tiers), key=float)
    high = max((tier.span[1] for tier in tiers), key=float)
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", low, high]
    lines += ["<exists>", str(len(tiers))]
    for tier in tiers:
        lines += [quoted(tier.kind), quoted(tier.name), *tier.span, str(len(tier.rows))]
        for times, label in tier.rows:
            lines += [*times, quoted(label)]
    return ("\n".join(lines) + "\n").encode()


FORMATS = (
    MotifFormat(
        "textgrid",
        (".textgrid",),
        _read,
        "TextGrid of Praat, one tier",
        write=_write,
        replace=_replace,
        loses="the sampling rate: reading the file again needs it",
    ),
)
