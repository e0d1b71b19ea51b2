"""A user without a home folder has a cache, and nobody else can write to it."""

import stat
from pathlib import Path

import pytest

from tsmdbench._kernels import cache_folder as compiled
from tsmdbench.datasets import cache


@pytest.fixture
def homeless(monkeypatch, tmp_path):
    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    for name in ("HOME", "XDG_CACHE_HOME", "TSMDBENCH_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    monkeypatch.setattr("pwd.getpwuid", lambda _: {}["nobody"])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cache._homeless_folder.cache_clear()
    yield tmp_path
    cache._homeless_folder.cache_clear()


def test_the_cache_is_a_private_temporary_folder(homeless):
    folder = cache.cache_folder()
    assert folder.parent == homeless
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert cache.cache_folder() == folder


@pytest.mark.usefixtures("homeless")
def test_a_folder_that_others_can_write_to_is_not_used():
    folder = cache.cache_folder()
    folder.chmod(0o777)
    cache._homeless_folder.cache_clear()
    assert cache.cache_folder() != folder


@pytest.mark.usefixtures("homeless")
def test_compiled_code_does_not_go_to_a_folder_named_tilde():
    assert compiled._user() == []
