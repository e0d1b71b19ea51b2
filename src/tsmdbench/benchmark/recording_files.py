"""Which files of a folder are series, and which of them is the truth of each.

``walk.csv`` is a series. Its truth lies beside it: ``walk.truth.json``, with any ending
of `tsmdbench.io.motif_formats`, or ``walk.json``, ``walk.atr``, ``walk.TextGrid``, with
an ending that no series has. Other files are left alone.

A folder that has the folders ``validation`` and ``test`` holds its recordings there;
any other folder holds them itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tsmdbench.errors import InputError
from tsmdbench.io import PathLike, motif_formats, series_formats

SIDES = ("validation", "test")
MARK = ".truth"  # walk.truth.csv is the truth of walk
SHOWN = 5  # names in one message


class Pair(NamedTuple):
    """A series and its truth; `side` is the folder of a split, or ``""``."""

    name: str
    series: Path
    truth: Path
    side: str = ""


def annotated_pairs(folder: PathLike, *, unannotated: str = "error") -> list[Pair]:
    """Return the annotated series of a folder, sorted by name.

    Parameters
    ----------
    folder : path
    unannotated : {"error", "skip"}
        What to do with a series that has no truth beside it.

    Raises
    ------
    InputError
        The folder is missing or holds no annotated series; a series has no truth, or
        two; two series have one name.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{root} is not a folder; give the folder of the recordings")
    sides = [side for side in SIDES if (root / side).is_dir()]
    if len(sides) == 1:
        raise InputError(
            f"{root} has a folder {sides[0]!r} but not both of 'validation' and "
            f"'test'; add the other one, or put all recordings into {root}"
        )
    places = [(side, root / side) for side in sides] or [("", root)]
    loose = _series_files(root) if sides else {}
    if loose:
        raise InputError(
            f"{root} has the folders 'validation' and 'test' and also the series "
            f"{_listed(loose)}; move it into one of the two"
        )
    pairs = [
        pair for side, place in places for pair in _pairs_in(place, side, unannotated)
    ]
    if not pairs:
        raise InputError(
            f"{root} has no annotated recording: it needs a series such as walk.csv "
            f"and its truth in the same folder, such as walk.truth.json"
        )
    _check_names([pair.name for pair in pairs], root)
    return sorted(pairs)


def _pairs_in(folder: Path, side: str, unannotated: str) -> list[Pair]:
    series = _series_files(folder)
    truths = {name: _truth_files(folder, name) for name in series}
    without = [name for name, files in truths.items() if not files]
    if without and unannotated != "skip":
        raise InputError(
            f"{folder}: no truth for {_listed(without)}; add "
            f"{without[0]}.truth.json, or leave such series out with "
            f"unannotated='skip' (--skip-unannotated)"
        )
    for name, files in truths.items():
        if len(files) > 1:
            raise InputError(
                f"{folder}: {name} has several files of truth, "
                f"{_listed(file.name for file in files)}; keep one"
            )
    return [
        Pair(name, series[name], files[0], side)
        for name, files in truths.items()
        if files
    ]


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


def _truth_files(folder: Path, name: str) -> list[Path]:
    """Return what may be the truth of a series."""
    taken = {e for known in series_formats().values() for e in known.endings}
    endings = {e for known in motif_formats().values() for e in known.endings}
    return [
        file
        for file in sorted(folder.iterdir())
        if file.is_file()
        and file.suffix.lower() in endings
        and (
            file.stem == f"{name}{MARK}"
            or (file.stem == name and file.suffix.lower() not in taken)
        )
    ]


def _check_names(names: list[str], root: Path) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            f"{root}: {_listed(twice)} is in 'validation' and in 'test'; a recording "
            f"belongs to one of them"
        )


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - SHOWN} more" if len(every) > SHOWN else ""
    return ", ".join(every[:SHOWN]) + more
