"""Load datasets of the archive: search order and verification.

These places are searched, in order:

1. a folder that the caller gives;
2. the folder that the environment variable `TSMDBENCH_DATA` names;
3. the user's cache, where downloads go;
4. what aeon bundles in its wheel (JapaneseVowels among them);
5. a download (see `tsmdbench.datasets.fetch`).

All have the layout of the archive: ``<folder>/<Name>/<Name>_TRAIN.ts`` and
``_TEST.ts``. A place that has one of the two files but not the other is an error, not
a reason to look further: half a dataset is a mistake.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import NamedTuple

from tsmdbench.datasets.catalogue import check_name
from tsmdbench.datasets.dataset import Dataset, part_files, read_dataset, verify
from tsmdbench.datasets.fetch import Progress, archive_folder, by_hand, download
from tsmdbench.errors import DataError, DownloadError, InputError
from tsmdbench.io import PathLike


class Place(NamedTuple):
    """One place that is searched."""

    kind: str
    folder: Path

    def __str__(self) -> str:
        return f"{self.kind} ({self.folder})"


def load(
    name: str,
    folder: PathLike | None = None,
    *,
    allow_download: bool = True,
    progress: Progress | None = None,
) -> Dataset:
    """Load a UCR or UEA classification dataset.

    Searched in order: `folder`, the folder that `TSMDBENCH_DATA` names, the user's
    cache, the data that comes with aeon, and a download. The first place that has the
    dataset is used; truncated or damaged data, or data of another version, raises an
    error that names the file.

    Parameters
    ----------
    name : str
        Name in the archive, such as ``"JapaneseVowels"``.
    folder : path, optional
        Folder of datasets in the archive's layout.
    allow_download : bool, default True
        Whether the network may be used.
    progress : callable, optional
        See `tsmdbench.datasets.fetch.download`.

    Examples
    --------
    >>> vowels = load("JapaneseVowels")
    >>> len(vowels), vowels.channels, len(vowels.classes)
    (640, 12, 9)
    >>> vowels.instances[0].shape, vowels.labels[0], vowels.origins[0]
    ((20, 12), '1', ('TRAIN', 0))
    """
    place = locate(name, folder)
    if place is None:
        tried = ", ".join(str(place) for place in places(folder))
        if not allow_download:
            raise DataError(
                f"{name} is not in {tried}; 'tsmdbench datasets fetch {name}' "
                f"downloads it, or {by_hand(name)}"
            )
        try:
            download(name, progress=progress)
        except DownloadError as cause:
            raise DownloadError(f"{name} is not in {tried}, and {cause}") from None
        place = Place("cache", archive_folder())
    dataset = read_dataset(place.folder, name, str(place))
    verify(dataset)
    return dataset


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
    spec = importlib.util.find_spec("aeon")  # importing it takes seconds
    if spec is not None and spec.submodule_search_locations:
        bundled = Path(spec.submodule_search_locations[0]) / "datasets" / "data"
        if bundled.is_dir():
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
