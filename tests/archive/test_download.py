"""A download arrives whole and checked, or leaves nothing behind."""

from pathlib import Path

import numpy as np
import pytest

from tsmdbench.archive import cache, load
from tsmdbench.archive.download import download
from tsmdbench.errors import DownloadError

pytestmark = pytest.mark.archive

PARTS = {
    "TRAIN": ([np.full((3, 1), k) for k in range(2)], ["a", "b"]),
    "TEST": ([np.full((3, 1), k) for k in range(2)], ["a", "b"]),
}


@pytest.fixture
def server(monkeypatch, write_dataset):
    """Stand in for aeon's loader: fails as often as told, then writes files."""

    class Server:
        failures = 0
        calls = 0
        parts = PARTS

        def load(self, name, extract_path):
            self.calls += 1
            if self.calls <= self.failures:
                (Path(extract_path) / name).mkdir()
                raise ValueError("connection lost")
            write_dataset(Path(extract_path), name, self.parts)

    made = Server()
    monkeypatch.setattr("aeon.datasets.load_classification", made.load)
    return made


def _left_over():
    folder = cache.archive_folder()
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_download_places_both_parts_in_the_cache(server):
    seen = []
    folder = download("Toy", progress=lambda name, size: seen.append((name, size)))
    assert sorted(file.name for file in folder.iterdir()) == [
        "Toy_TEST.ts",
        "Toy_TRAIN.ts",
    ]
    assert _left_over() == ["Toy"]
    assert seen[-1][0] == "Toy"
    assert seen[-1][1] > 100
    assert server.calls == 1


def test_load_downloads_what_is_nowhere(server):
    assert load("Toy").source.startswith("cache")
    assert len(load("Toy")) == 4
    assert server.calls == 1


def test_a_broken_connection_is_tried_again(server):
    server.failures = 2
    download("Toy", pauses=(0.0, 0.0))
    assert server.calls == 3


def test_a_download_that_fails_leaves_nothing(server):
    server.failures = 9
    with pytest.raises(DownloadError, match="connection lost"):
        download("Toy", pauses=(0.0,))
    assert server.calls == 2
    assert _left_over() == []


def test_wrong_content_is_not_kept(server):
    with pytest.raises(DownloadError, match="2/2 instances, but 55/2345"):
        download("Mallat")
    assert _left_over() == []
    assert server.calls == 1
