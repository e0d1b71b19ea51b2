"""Load a dataset of the archive from wherever it is, verified, fast the second time."""

from __future__ import annotations

from tsmdbench.archive.cache import (
    archive_folder,
    parsed_file,
    read_parsed,
    write_parsed,
)
from tsmdbench.archive.dataset import Dataset
from tsmdbench.archive.download import Progress, by_hand, download
from tsmdbench.archive.places import Place, locate, places
from tsmdbench.archive.ts_files import part_files, read_dataset
from tsmdbench.archive.verify import verify
from tsmdbench.errors import DataError, DownloadError
from tsmdbench.io import PathLike


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
    error that names the file. Parsed data is kept as Parquet in the cache.

    Parameters
    ----------
    name : str
        Name in the archive, such as ``"JapaneseVowels"``.
    folder : path, optional
        Folder of datasets in the archive's layout.
    allow_download : bool, default True
        Whether the network may be used.
    progress : callable, optional
        See `tsmdbench.archive.download.download`.

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
        place = _downloaded(name, folder, allow_download, progress)
    files = part_files(place.folder, name)
    parsed = parsed_file(name, files.values())
    source = str(place)
    dataset = read_parsed(parsed, name, source)
    if dataset is not None:
        verify(dataset)
        return dataset
    dataset = read_dataset(place.folder, name, source)
    verify(dataset)
    write_parsed(parsed, dataset)
    return dataset


def _downloaded(
    name: str,
    folder: PathLike | None,
    allow_download: bool,  # noqa: FBT001 (private: passed on from `load`)
    progress: Progress | None,
) -> Place:
    """Use the network, and say what else was tried where that fails."""
    tried = ", ".join(str(place) for place in places(folder))
    if not allow_download:
        raise DataError(
            f"{name} is not in {tried}; 'tsmdbench datasets fetch {name}' downloads "
            f"it, or {by_hand(name)}"
        )
    try:
        download(name, progress=progress)
    except DownloadError as cause:
        raise DownloadError(f"{name} is not in {tried}, and {cause}") from None
    return Place("cache", archive_folder())
