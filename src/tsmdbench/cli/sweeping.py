"""``tsmdbench discover --sweep``: how motif sets change with the settings."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tsmdbench.cli.output import print_table
from tsmdbench.errors import InputError

if TYPE_CHECKING:
    from tsmdbench.discovery import Piece
    from tsmdbench.types import MotifSet

AUTO = "auto"
FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0)  # of the lengths, for --sweep auto
LENGTHS = ("length", "l_min", "l_max", "window")
MOST = 500  # settings
SHOWN = 12  # sizes of sets in a line


@dataclasses.dataclass(frozen=True)
class Row:
    """One setting of a sweep and what it found."""

    setting: dict[str, Any]
    sets: Sequence[MotifSet]
    covered: float
    shared: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as values of JSON."""
        return {
            "settings": self.setting,
            "sets": [[list(pair) for pair in motifs] for motifs in self.sets],
            "covered": self.covered,
            "shared_with_previous": self.shared,
        }


def sweep_settings(method: Any, texts: Sequence[str], values: Any) -> list[Any]:
    """Return the settings of a grid: ``KEY=V1,V2,...`` texts, or ``auto``.

    Parameters
    ----------
    method : Method
        With the fields that the grid does not change.
    texts : sequence of str
    values : callable
        ``values(key, text)`` reads a value as ``--set`` does.
    """
    if not dataclasses.is_dataclass(method):
        raise InputError("--sweep needs a method whose parameters are known fields")
    if AUTO in texts:
        if len(texts) > 1:
            raise InputError(
                "--sweep auto cannot be combined with others; or give KEY=V1,V2,..."
            )
        return _around(method)
    axes = dict(_axis(method, text, values) for text in texts)
    if len(axes) < len(texts):
        raise InputError("--sweep names a parameter twice; put its values together")
    settings = [
        dict(zip(axes, point, strict=True))
        for point in itertools.product(*axes.values())
    ]
    if len(settings) > MOST:
        raise InputError(f"--sweep has {len(settings)} settings; at most {MOST}")
    return settings


def first_values(settings: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return settings with the first value of each axis, where it is not given.

    >>> first_values(["channel=1"], ["length=50,80", "channel=0,1"])
    ['channel=1', 'length=50']
    """
    given = {text.partition("=")[0].strip() for text in settings}
    firsts = [text.split(",")[0] for text in texts if "=" in text]
    added = [text for text in firsts if text.partition("=")[0].strip() not in given]
    return [*settings, *added]


def _axis(method: Any, text: str, values: Any) -> tuple[str, list[Any]]:
    key, equals, given = text.partition("=")
    key = key.strip().replace("-", "_")
    names = [field.name for field in dataclasses.fields(method)]
    if not equals or not given.strip():
        raise InputError(f"--sweep takes KEY=V1,V2,... or auto, got {text!r}")
    if key not in names:
        known = ", ".join(names)
        raise InputError(f"--sweep: no parameter {key!r}; known: {known}")
    return key, [values(key, one.strip()) for one in given.split(",")]


def _around(method: Any) -> list[dict[str, Any]]:
    """Return settings whose lengths are those of the method times factors."""
    names = [name for name in LENGTHS if isinstance(getattr(method, name, None), int)]
    if not names:
        raise InputError(
            "--sweep auto changes lengths, and the method has none; name one: --method"
        )
    return [
        {name: max(4, round(getattr(method, name) * factor)) for name in names}
        for factor in FACTORS
    ]


def sweep_rows(
    method: Any, settings: Sequence[dict[str, Any]], piece: Piece
) -> list[Row]:
    """Find for all settings in the part that is searched, in order.

    `shared` is the overlap with the previous setting: samples covered by both over
    samples covered by any of the two.
    """
    import numpy as np

    series = piece.series
    changed = [dataclasses.replace(method, **setting) for setting in settings]
    found = (
        method.sweep(series, changed)
        if hasattr(method, "sweep")
        else [one.find(series) for one in changed]
    )
    rows: list[Row] = []
    before = None
    for setting, sets in zip(settings, found, strict=True):
        mask = np.zeros(len(series), np.bool_)
        for motifs in sets:
            mask |= motifs.to_mask(len(series))
        shared = None
        if before is not None:
            either = int(np.count_nonzero(mask | before))
            both = int(np.count_nonzero(mask & before))
            shared = both / either if either else 1.0
        kept = [piece.back(piece.kept(motifs)) for motifs in sets]
        rows.append(Row(dict(setting), kept, float(mask.mean()), shared))
        before = mask
    return rows


def print_rows(rows: Sequence[Row]) -> None:
    """Print a table of settings and what they found."""
    cells = []
    for row in rows:
        sizes = [len(motifs) for motifs in row.sets]
        cells.append(
            (
                ", ".join(f"{k}={v}" for k, v in row.setting.items()),
                len(sizes),
                f"{row.covered:.0%}",
                "" if row.shared is None else f"{row.shared:.0%}",
                " ".join(map(str, sizes[:SHOWN])) + " ..." * (len(sizes) > SHOWN),
            )
        )
    head = ("setting", "sets", "covered", "shared", "segments per set")
    print_table(head, cells, text=(0, 4))
