"""Compiled code is kept, and never used after any kernel has changed."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

from tsmdbench._kernels import cache_folder as caching
from tsmdbench._kernels.cache_folder import (
    KERNELS,
    PREFIX,
    UNUSED,
    first_usable,
    private_temporary,
    source_hash,
)
from tsmdbench._kernels.jit import kernel

CALLEE = """
from tsmdbench._kernels.jit import kernel

@kernel
def step(x):
    return x + {step}
"""
CALLER = """
from tsmdbench._kernels.jit import kernel
from tsmdbench._kernels.callee import step

@kernel
def twice(x):
    return step(step(x))
"""
PROGRAM = """
import json, warnings
from pathlib import Path
import numba
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from tsmdbench._kernels.caller import twice
    value = twice(1)
print(json.dumps({
    "value": value,
    "hits": sum(twice.stats.cache_hits.values()),
    "folder": twice._cache.cache_path if twice.stats.cache_path else None,
    "warnings": [str(one.message) for one in caught],
    "config": numba.config.CACHE_DIR,
}))
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the kernels with two more, one of which calls the other."""
    copy = tmp_path / "source" / "tsmdbench"
    shutil.copytree(KERNELS, copy / "_kernels", ignore=lambda *_: {"__pycache__"})
    (copy / "__init__.py").write_text("")
    (copy / "_kernels" / "callee.py").write_text(CALLEE.format(step=1))
    (copy / "_kernels" / "caller.py").write_text(CALLER)
    return copy


def run(package, **environment):
    """Import and call the kernel of the copied package in a process of its own."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env={**inherited, "PYTHONPATH": str(package.parent), **environment},
    )
    return json.loads(done.stdout)


def test_a_changed_callee_in_another_file_is_compiled_again(package):
    assert run(package)["value"] == 3
    kept = run(package)
    assert (kept["value"], kept["hits"]) == (3, 1)
    assert kept["warnings"] == []
    (package / "_kernels" / "callee.py").write_text(CALLEE.format(step=5))
    changed = run(package)
    assert (changed["value"], changed["hits"]) == (11, 0)
    assert package / "_kernels" / "__pycache__" in Path(kept["folder"]).parents


def test_the_folder_lies_in_the_one_that_the_user_names(package, tmp_path):
    base = tmp_path / "named"
    ran = run(package, NUMBA_CACHE_DIR=str(base))
    (folder,) = base.iterdir()
    assert folder.name.startswith(PREFIX)
    assert folder in Path(ran["folder"]).parents
    assert ran["config"] == str(base)  # other libraries keep theirs


def test_without_a_writable_folder_a_private_temporary_one_is_used(package, tmp_path):
    file = tmp_path / "file"
    file.write_text("not a folder")
    (tmp_path / "temporary").mkdir()
    environment = {"NUMBA_CACHE_DIR": str(file), "TMPDIR": str(tmp_path / "temporary")}
    ran = run(package, **environment)
    (said,) = ran["warnings"]
    assert f"cannot be kept in {file} " in said
    assert "set NUMBA_CACHE_DIR to a writable folder" in said
    (private,) = (tmp_path / "temporary").glob("tsmdbench-numba-*")
    assert private in Path(ran["folder"]).parents
    assert private.stat().st_mode & 0o077 == 0


def test_without_any_folder_kernels_still_run(package, tmp_path):
    file = tmp_path / "file"
    file.write_text("not a folder")
    text = (package / "_kernels" / "cache_folder.py").read_text()
    nowhere = text.replace("tempfile.gettempdir()", f"{str(file)!r}")
    (package / "_kernels" / "cache_folder.py").write_text(nowhere)
    ran = run(package, NUMBA_CACHE_DIR=str(file))
    assert ran["value"] == 3
    assert ran["folder"] is None
    assert "no folder at all" in ran["warnings"][0]


def test_a_temporary_folder_that_others_can_read_is_refused(tmp_path):
    first = private_temporary(tmp_path)
    assert private_temporary(tmp_path) == first
    first.chmod(0o755)
    other = private_temporary(tmp_path)
    assert other != first
    assert other.stat().st_mode & 0o077 == 0
    shutil.rmtree(first)
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    first.symlink_to(tmp_path / "elsewhere")
    assert private_temporary(tmp_path) != first


def test_unused_folders_are_removed(tmp_path):
    ages = {"old": UNUSED + 60, "recent": UNUSED - 60}
    for name, age in ages.items():
        folder = tmp_path / f"{PREFIX}{name}"
        (folder / "below").mkdir(parents=True)
        os.utime(folder, (time.time() - age,) * 2)
    foreign = tmp_path / "somebody-else"
    foreign.mkdir()
    os.utime(foreign, (0, 0))
    made = first_usable([tmp_path], f"{PREFIX}new")
    kept = {folder.name for folder in tmp_path.iterdir()}
    assert kept == {f"{PREFIX}recent", f"{PREFIX}new", "somebody-else"}
    os.utime(made, (0, 0))
    first_usable([tmp_path], f"{PREFIX}new")
    assert time.time() - made.stat().st_mtime < 60  # a use counts


def test_the_hash_notices_every_change(tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    file = tmp_path / "below" / "a.py"
    seen = set()
    for text in ("x = 1", "x = 2"):
        file.write_text(text)
        seen.add(source_hash(tmp_path))
    file.rename(tmp_path / "a.py")
    seen.add(source_hash(tmp_path))
    (tmp_path / "b.py").write_text("")
    seen.add(source_hash(tmp_path))
    assert len(seen) == 4
    (tmp_path / "notes.txt").write_text("not a source")
    assert source_hash(tmp_path) in seen
    monkeypatch.setattr(numba, "__version__", "0.0")
    assert source_hash(tmp_path) not in seen


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="needs compiled kernels")
def test_every_kernel_is_kept_in_our_folder():
    from tsmdbench._kernels.distance.sliding import window_kinds

    folder = caching.cache_folder()
    assert folder in Path(window_kinds._cache.cache_path).parents


def test_only_one_file_decorates():
    users = [
        file.name
        for file in KERNELS.rglob("*.py")
        if "njit" in file.read_text() or "numba.jit" in file.read_text()
    ]
    assert users == ["jit.py"]
    assert callable(kernel(fastmath=False)(abs_of))


def abs_of(x):
    return -x if x < 0 else x
