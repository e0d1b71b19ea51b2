"""The version of a method changes with the code that runs, and with nothing else."""

import importlib
import sys
from importlib.metadata import version

import pytest

from tsmdbench.experiments.fingerprint import code_version, fingerprint, is_fingerprint
from tsmdbench.experiments.group import Group
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.store.rows import Run
from tsmdbench.methods import METHODS, STOMP

METHOD = '''"""A method."""
from helper_one import width


class Mine:
    """Finds."""

    def find(self, series):
        # where it is highest
        return [[(0, width(series))]]
'''
HELPER = """from helper_two import FACTOR


def width(series):
    import helper_late
    return FACTOR * helper_late.size(series)
"""
FILES = {
    "mine_method.py": METHOD,
    "helper_one.py": HELPER,
    "helper_two.py": "FACTOR = 2\n",
    "helper_late.py": "def size(series):\n    return len(series) // 4\n",
}


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write modules, with changes, and return the version of the class in a process."""
    monkeypatch.syspath_prepend(tmp_path)

    def versioned(folder=tmp_path, **changes):
        folder.mkdir(exist_ok=True)
        for name, text in FILES.items():
            changed = changes.get(name.removesuffix(".py"), text)
            (folder / name).write_text(changed)
        for name in FILES:
            sys.modules.pop(name.removesuffix(".py"), None)
        importlib.invalidate_caches()
        cls = importlib.import_module("mine_method").Mine
        return code_version(cls)

    yield versioned
    for name in FILES:
        sys.modules.pop(name.removesuffix(".py"), None)


def test_changed_code_is_another_version(written):
    before = written()
    assert is_fingerprint(before)
    assert written() == before
    others = {
        written(mine_method=METHOD.replace("(0, ", "(1, ")),
        written(helper_one=HELPER.replace("FACTOR * ", "2 * FACTOR * ")),
        written(helper_two="FACTOR = 3\n"),
        written(helper_late=FILES["helper_late.py"].replace("// 4", "// 5")),
    }
    assert len(others) == 4  # whichever of the files changed
    assert before not in others
    assert written() == before


def test_comments_docstrings_and_formatting_do_not_count(written):
    before = written()
    other = METHOD.replace("# where it is highest", "# anywhere")
    other = other.replace('"""Finds."""', '"""Finds well."""\n')
    assert written(mine_method=other.replace("[[(0, ", "[ [(0,  ")) == before
    assert written(helper_one=HELPER.replace("\n", "\r\n")) == before


def test_an_explicit_version_overrides_the_source(written):
    with_version = METHOD.replace('"""Finds."""', '"""Finds."""\n\n    version = "1.0"')
    assert written(mine_method=with_version) == "1.0"
    assert written(mine_method=with_version.replace("(0, ", "(1, ")) == "1.0"
    method = METHOD.replace(
        '"""Finds."""', '"""Finds."""\n\n    def version(self): pass'
    )
    assert is_fingerprint(written(mine_method=method))  # a method is not a version


def test_a_declared_version_stands_before_the_hash(written):
    made = written(mine_method='__version__ = "2.1"\n' + METHOD)
    assert made.startswith("2.1+")
    assert is_fingerprint(made)


def test_installed_packages_count_with_their_version_but_not_the_basis(
    written, monkeypatch
):
    text = "import numpy, scipy\n" + METHOD
    plain, with_pandas = written(), written(mine_method="import pandas\n" + text)
    known = {"pandas": "9.9", "numpy": "9.9", "scipy": "9.9"}
    monkeypatch.setattr(
        "tsmdbench.experiments.fingerprint.version",
        lambda name: known.get(name) or version(name),
    )
    assert written() == plain
    assert written(mine_method="import pandas\n" + text) != with_pandas
    without = written(mine_method=text)
    known["numpy"] = "10.0"
    assert written(mine_method=text) == without


def test_built_in_methods_have_the_version_of_the_package():
    for name in METHODS.added():
        assert describe(name).version == version("tsmdbench")


def test_the_key_of_a_built_in_method_is_the_one_that_stores_have():
    """Computed by the code before versions had fingerprints."""
    group = Group(describe("stomp"), "A", "test", [None], [{"length": 8}], ("p",))
    (run,) = group.runs
    assert run.version == version("tsmdbench")
    known = Run("stomp", "0.1.0", '{"length": 8}', "A", "test", "p", "ab")
    assert known.key == "cb01c70cda09887cae156a7de3b62fc5"


def test_a_subclass_of_a_built_in_method_follows_the_package(monkeypatch):
    class Derived(STOMP):
        pass

    before = fingerprint(Derived)
    monkeypatch.setattr("tsmdbench.experiments.fingerprint.version", lambda _: "9.9")
    assert fingerprint(Derived) != before


@pytest.mark.parametrize("data", [b"\x7fELF\x00\x01", b"def broken(:\n"])
def test_a_module_that_is_not_python_counts_by_its_bytes(written, tmp_path, data):
    before = written()
    (tmp_path / "helper_late.py").write_bytes(data)
    cls = sys.modules["mine_method"].Mine
    after = code_version(cls)
    assert is_fingerprint(after)
    assert after != before
