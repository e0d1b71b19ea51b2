"""A download arrives whole and checked, or leaves nothing behind."""

import hashlib
import io
import json
import shutil
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from tsmdbench.archive import load
from tsmdbench.datasets import fetch as remote
from tsmdbench.datasets.catalogue import KNOWN, Entry
from tsmdbench.datasets.fetch import download
from tsmdbench.errors import DownloadError

pytestmark = pytest.mark.archive

PARTS = {
    "TRAIN": ([np.full((3, 1), k) for k in range(2)], ["a", "b"]),
    "TEST": ([np.full((3, 1), k) for k in range(2)], ["a", "b"]),
}
FILES = ["Toy_TEST.ts", "Toy_TRAIN.ts"]


class Service:
    """Zenodo and the archive's website, on this machine."""

    def __init__(self, contents):
        self.pages = {}
        self.requests = []
        self.failures = 0
        self.contents = contents
        self.record(contents)
        self.zip(contents)

    def record(self, contents, **changed):
        """Offer these files as record 7, with some statements changed."""
        entries = []
        for name, content in contents.items():
            md5 = hashlib.md5(content).hexdigest()
            entry = {"key": name, "size": len(content), "checksum": f"md5:{md5}"}
            entries.append(entry | changed)
            self.pages[f"/records/7/files/{name}/content"] = content
        self.pages["/records/7"] = json.dumps({"files": entries}).encode()

    def zip(self, contents, compression=zipfile.ZIP_DEFLATED):
        """Offer these files as Other.zip."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", compression) as archive:
            for name, content in contents.items():
                archive.writestr(name, content)
        self.pages["/zip/Other.zip"] = packed.getvalue()

    def answer(self, path):
        """Return status and content of a page."""
        self.requests.append(path)
        if len(self.requests) <= self.failures:
            return 503, b""
        return (200, self.pages[path]) if path in self.pages else (404, b"")


@pytest.fixture
def service(monkeypatch, write_dataset, tmp_path):
    """Serve the dataset Toy, whose record is known, and Other, whose is not."""
    contents = {}
    for name in ("Toy", "Other"):
        folder = write_dataset(tmp_path / "made", name, PARTS) / name
        contents[name] = {file.name: file.read_bytes() for file in folder.iterdir()}
    made = Service(contents["Toy"])
    made.others = contents["Other"]
    made.zip(made.others)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, content = made.answer(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setitem(remote.KNOWN, "Toy", Entry(2, 3, 3, 1, 2, 2, record=7))
    monkeypatch.setattr(remote, "RECORD_ADDRESS", f"{address}/records")
    monkeypatch.setattr(remote, "ZIP_ADDRESS", f"{address}/zip")
    yield made
    server.shutdown()
    server.server_close()


def _left_over():
    folder = remote.archive_folder()
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def _all_files(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*"))


def _refused(name, match):
    with pytest.raises(DownloadError, match=match):
        download(name, pauses=())
    assert _left_over() == []


@pytest.mark.parametrize("name", ["Toy", "Other"])
def test_download_places_both_parts_in_the_cache(service, name):
    seen = []
    folder = download(name, progress=lambda name, size: seen.append((name, size)))
    assert _all_files(folder) == [f"{name}_TEST.ts", f"{name}_TRAIN.ts"]
    assert _left_over() == [name]
    assert seen[-1][0] == name
    assert seen[-1][1] > 100
    assert len(service.requests) == (3 if name == "Toy" else 1)


def test_load_downloads_what_is_nowhere_and_tries_again(service):
    service.failures = 2
    download("Toy", pauses=(0.0, 0.0))
    assert len(service.requests) == 5
    shutil.rmtree(remote.archive_folder())
    assert load("Toy").source.startswith("cache")
    assert len(service.requests) == 8


def test_a_download_that_fails_leaves_nothing(service):
    with pytest.raises(DownloadError, match="HTTP Error 404"):
        download("Nowhere", pauses=(0.0, 0.0))
    assert service.requests == ["/zip/Nowhere.zip"]  # once
    service.failures = 9
    with pytest.raises(DownloadError, match="HTTP Error 503"):
        download("Toy", pauses=(0.0,))
    assert len(service.requests) == 3
    assert _left_over() == []


def test_wrong_content_is_not_kept(service, monkeypatch):
    mallat = KNOWN["Mallat"]._replace(record=7)
    monkeypatch.setitem(remote.KNOWN, "Mallat", mallat)
    renamed = {
        name.replace("Toy", "Mallat"): content
        for name, content in service.contents.items()
    }
    service.record(renamed)
    _refused("Mallat", "2/2 instances, but 55/2345")


def test_a_file_that_is_not_as_stated_is_refused(service):
    for changed, match in (
        ({"checksum": "md5:" + 32 * "0"}, "checksum that Zenodo states"),
        ({"checksum": "sha256:00"}, "checksum that Zenodo states"),
        ({"size": 3}, "longer than 3 bytes"),
        ({"size": 10**6}, "instead of 1000000"),
        ({"size": 10**15}, "states a size of 1000000000000000"),
        ({"size": -1}, "states a size of -1"),
        ({"size": True}, "states a size of True"),
        ({"size": "3"}, "states a size of 3"),
        ({"size": None}, "states a size of None"),
    ):
        service.record(service.contents, **changed)
        _refused("Toy", match)


def test_a_record_of_the_wrong_content_is_refused(service):
    for answer in (
        b"",
        b"[]",
        b"{}",
        b'{"files": 3}',
        b'{"files": [3]}',
        b'{"files": [{"key": "Toy_TRAIN.ts"}]}',
        b'{"files": []}',
        b"[" * 100_000,
        b'{"files": ' + b"9" * 5000 + b"}",
        b"\xff\xfe",
        b" " * (remote.MOST_ANSWER + 1),
    ):
        service.pages["/records/7"] = answer
        _refused("Toy", "does not describe files|has no file")


HOSTILE = ["../../escaped", "/tmp/escaped-absolute", "Toy/../../x", "a\x00b", "C:\\x"]


def test_names_and_links_of_a_record_are_never_used(service, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    before = _all_files(tmp_path)
    links = {"self": secret.as_uri(), "download": secret.as_uri()}
    service.record(service.contents | dict.fromkeys(HOSTILE, b"x"), links=links)
    folder = download("Toy")
    assert _all_files(folder) == FILES
    assert (folder / FILES[0]).read_bytes() == service.contents[FILES[0]]
    assert [path for path in service.requests if "Toy" not in path] == ["/records/7"]
    assert {path for path in _all_files(tmp_path) if path not in before} == {
        *("cache", "cache/archive", "cache/archive/Toy"),
        *(f"cache/archive/Toy/{file}" for file in FILES),
    }


def test_names_in_a_zip_file_are_never_paths(service, tmp_path):
    before = _all_files(tmp_path)
    service.zip(dict.fromkeys(HOSTILE, b"x") | service.others | {"deep/er/x.py": b""})
    assert _all_files(download("Other")) == ["Other_TEST.ts", "Other_TRAIN.ts"]
    assert len(_all_files(tmp_path)) == len(before) + 5
    assert not Path("/tmp/escaped-absolute").exists()
    shutil.rmtree(remote.archive_folder())
    service.zip({f"Other/{name}": text for name, text in service.others.items()})
    assert len(_all_files(download("Other"))) == 2  # from a folder of the name


def test_zip_files_that_are_refused(service, monkeypatch):
    whole = service.pages["/zip/Other.zip"]
    service.pages["/zip/Other.zip"] = whole[:-30]
    _refused("Other", "cannot be unpacked")
    service.pages["/zip/Other.zip"] = b"<html>"
    _refused("Other", "cannot be unpacked")
    service.zip({"Other_TRAIN.ts": service.others["Other_TRAIN.ts"]})
    _refused("Other", "0 members Other_TEST.ts")
    twice = {f"Other/{name}": text for name, text in service.others.items()}
    service.zip(service.others | twice)
    _refused("Other", "2 members Other_TRAIN.ts")
    service.zip(dict.fromkeys(service.others, bytes(10**7)))
    _refused("Other", "claims 10000000 bytes")
    service.zip(service.others, zipfile.ZIP_STORED)
    damaged = bytearray(service.pages["/zip/Other.zip"])
    damaged[damaged.index(b"@data") + 8] ^= 1
    service.pages["/zip/Other.zip"] = bytes(damaged)
    _refused("Other", "Bad CRC-32")
    service.pages["/zip/Other.zip"] = whole
    monkeypatch.setattr(remote, "MOST_MEMBERS", 1)
    _refused("Other", "has 2 members")
    monkeypatch.setattr(remote, "MOST_BYTES", 50)
    _refused("Other", "longer than 50 bytes")


def test_every_dataset_of_the_catalogue_has_a_record_of_its_own():
    assert len({entry.record for entry in KNOWN.values()}) == len(KNOWN) == 28
