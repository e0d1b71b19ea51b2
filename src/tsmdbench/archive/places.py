"""Where a dataset is: the places that are searched, in order.

1. a folder that the caller gives;
2. the folder that the environment variable `TSMDBENCH_DATA` names;
3. the user's cache, where downloads go;
4. what aeon bundles in its wheel (JapaneseVowels among them);
5. a download (see `tsmdbench.archive.download`).

All have the layout of the archive: ``<folder>/<Name>/<Name>_TRAIN.ts`` and
``_TEST.ts``. A place that has one of the two files but not the other is an error, not
a reason to look further: half a dataset is a mistake that someone should know of.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import NamedTuple

from tsmdbench.archive.cache import archive_folder
from tsmdbench.archive.catalogue import check_name
from tsmdbench.archive.ts_files import part_files
from tsmdbench.errors import DataError, InputError
from tsmdbench.io import PathLike


class Place(NamedTuple):
    """One place that is searched."""

    kind: str
    folder: Path

    def __str__(self) -> str:
        return f"{self.kind} ({self.folder})"


def places(folder: PathLike | None = None) -> list[Place]:
    """Return the places that are searched without the network, in order."""
    found = []
    if folder is not None:
        given = Path(folder)
        if not given.is_dir():
            raise InputError(f"the data folder {given} does not exist")
        found.append(Place("folder given", given))
    named = os.environ.get("TSMDBENCH_DATA")
    if named:
        if not Path(named).is_dir():
            raise InputError(
                f"TSMDBENCH_DATA names {named}, which is not a folder; "
                f"set it to a folder of archive datasets, or unset it"
            )
        found.append(Place("TSMDBENCH_DATA", Path(named)))
    found.append(Place("cache", archive_folder()))
    bundled = _bundled_folder()
    if bundled is not None:
        found.append(Place("bundled with aeon", bundled))
    return found


def locate(name: str, folder: PathLike | None = None) -> Place | None:
    """Return the first place that has the dataset, or None.

    Raises
    ------
    DataError
        A place has only one of the two files.
    """
    check_name(name)
    for place in places(folder):
        files = part_files(place.folder, name).values()
        missing = [file for file in files if not file.is_file()]
        if not missing:
            return place
        if len(missing) == 1:
            raise DataError(
                f"{missing[0].parent} lacks {missing[0].name}; "
                f"{name} needs both parts, so add that file or remove the folder"
            )
    return None


def _bundled_folder() -> Path | None:
    """Return aeon's bundled data without importing aeon, which takes seconds."""
    spec = importlib.util.find_spec("aeon")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "datasets" / "data"
    return folder if folder.is_dir() else None
