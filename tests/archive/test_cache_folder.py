"""Where the cache of parsed datasets is."""

from pathlib import Path

from tsmdbench.archive import cache


def test_the_variable_names_the_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path))
    assert cache.cache_folder() == tmp_path


def test_a_user_without_a_home_has_a_temporary_folder(monkeypatch, tmp_path):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("TSMDBENCH_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr(cache.tempfile, "tempdir", str(tmp_path))
    assert cache.cache_folder().parent == tmp_path
