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


def test_only_the_two_files_of_a_dataset_are_kept(server, tmp_path, monkeypatch):
    (tmp_path / "victim").write_text("precious")
    load_files = server.load

    def load_more(name, extract_path):
        load_files(name, extract_path)
        folder = Path(extract_path) / name
        (folder / "deep" / "er").mkdir(parents=True)
        (folder / "deep" / "er" / "run.py").write_text("print()")
        (folder / "link").symlink_to(tmp_path / "victim")

    monkeypatch.setattr("aeon.datasets.load_classification", load_more)
    folder = download("Toy")
    assert sorted(path.name for path in folder.rglob("*")) == [
        "Toy_TEST.ts",
        "Toy_TRAIN.ts",
    ]
    assert (tmp_path / "victim").read_text() == "precious"


def test_a_part_that_is_a_link_is_no_dataset(server, tmp_path, monkeypatch):
    load_files = server.load

    def load_link(name, extract_path):
        load_files(name, extract_path)
        part = Path(extract_path) / name / f"{name}_TEST.ts"
        part.rename(tmp_path / "elsewhere.ts")
        part.symlink_to(tmp_path / "elsewhere.ts")

    monkeypatch.setattr("aeon.datasets.load_classification", load_link)
    with pytest.raises(DownloadError):
        download("Toy")
    assert _left_over() == []


def test_a_flood_of_files_is_refused(server, monkeypatch):
    assert server.calls == 0
    monkeypatch.setattr("tsmdbench.archive.download.MOST_MEMBERS", 1)
    with pytest.raises(DownloadError, match="more than 1 or"):
        download("Toy")
    assert _left_over() == []
