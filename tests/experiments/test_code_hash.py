"""Changed code is run again, unchanged code is not, and what is uncertain is run."""

import importlib
import subprocess
import sys
from importlib import metadata

import pytest

from tests.experiments.driving import PROBLEMS, environment
from tsmdbench.experiments import Environment, run
from tsmdbench.experiments.code_hash import code_version
from tsmdbench.methods import METHODS

SMALL = PROBLEMS + "small"


@pytest.fixture
def again(tmp_path):
    """Run a method on one problem of a store; return whether it ran, and the notes."""

    def ran(method, **options):
        options = {"workers": 0, "limit": 1, **options}
        result = run(method, SMALL, tmp_path / "store", **options)
        return result.skipped == 0, " ".join(result.notes)

    return ran


def cell(source):
    """Return what a notebook defines as `find`, in a session of its own."""
    names = {"__name__": "__main__"}
    exec(compile(source, "<cell>", "exec"), names)
    return names["find"]


FIND = "\ndef find(series):\n    helper\n    return [[(0, 5), (5, 10)]]\n"
IMPORTS = "import datetime, functools, numba, numpy, pandas, pyarrow, re\n"
# What is changed in a cell, and how. Of an expression, the helper of a cell is made.
CHANGES = [
    ("def find(series):\n    return [[(0, 5)]]", "(0, 5)", "(1, 5)"),
    ("def find(series, n=1):\n    return [[(n, 9)]]", "n=1", "n=2"),
    ("def find(series, *, n=1):\n    return []", "n=1", "n=2"),
    (
        "def make(n):\n    def find(series):\n        return [[(n, n + 4)]]\n"
        "    return find\nfind = make(1)",
        "make(1)",
        "make(2)",
    ),
    ("def helper(x):\n    return x + 1" + FIND, "x + 1", "x + 2"),
    (
        "def inner():\n    return 1\ndef helper():\n    return inner()" + FIND,
        "return 1",
        "return 2",
    ),
    (
        "class A:\n    def __init__(self, n):\n        self.n = n\n"
        "    def go(self):\n        return self.n\nhelper = A(1).go" + FIND,
        "A(1)",
        "A(2)",
    ),
    ("def f(x):\n    return 1\nhelper = functools.partial(f)" + FIND, "1", "2"),
    (
        "@functools.lru_cache\ndef helper():\n    return 1" + FIND,
        "return 1",
        "return 2",
    ),
    ("@numba.njit\ndef helper(x):\n    return x + 1" + FIND, "x + 1", "x + 2"),
    (
        "class B:\n    __slots__ = ('n',)\nclass A(B):\n    __slots__ = ()\n"
        "helper = A()\nhelper.n = 1" + FIND,
        "n = 1",
        "n = 2",
    ),
    (
        "class M(type):\n    def go(cls):\n        return 1\n"
        "class helper(metaclass=M):\n    pass" + FIND,
        "return 1",
        "return 2",
    ),
    ("class B:\n    n = 1\nclass helper(B):\n    pass" + FIND, "n = 1", "n = 2"),
    (
        "class helper:\n    @property\n    def n(self):\n        return 1" + FIND,
        "return 1",
        "return 2",
    ),
    ("class A(list):\n    pass\nhelper = A([1, 2])" + FIND, "1, 2", "1, 3"),
    (
        "class Mine:\n    def __init__(self, n):\n        self._n = n\n"
        "    def find(self, series):\n        return [[(self._n, 9)]]\nfind = Mine(1)",
        "Mine(1)",
        "Mine(2)",
    ),
    (
        "class find:\n    n = 1\n    def find(self, series):\n        return []",
        "n = 1",
        "n = 2",
    ),
    ("1", "1", "2"),
    ("{'f': lambda x: x + 1}", "+ 1", "+ 2"),
    ("functools.partial(max, 1)", "1)", "2)"),
    ("re.compile('a')", "'a'", "'b'"),
    ("re.compile('a', 0)", ", 0", ", re.I"),
    ("numpy.arange(5)", "(5)", "(1, 6)"),
    ("pandas.DataFrame({'a': [1]})", "1]", "2]"),
    ("pandas.Series([1], [3])", "[3]", "[4]"),
    ("pyarrow.table({'a': [1]})", "1]", "2]"),
    ("{'a', 'b', 'c'}", "'c'", "'d'"),
    ("datetime.date(2026, 1, 1)", "1)", "2)"),
    ("[1, [2, [3]]]", "[3]", "[4]"),
    ("numpy.random.default_rng(1)", "(1)", "(2)"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_cell_has_another_version_and_an_unchanged_one_has_not(change):
    source, old, new = change
    assert old in source
    if "find" not in source:
        source = f"helper = {source}{FIND}"
    first, again, other = (
        code_version(cell(IMPORTS + text))
        for text in (source, source, source.replace(old, new, 1))
    )
    assert first == again
    assert first.uncertain == ""
    assert other.version != first.version


def test_a_changed_cell_is_run_again_and_an_unchanged_one_is_not(again):
    source = "def find(series):\n    return [[(0, 5)]]"
    assert again(cell(source)) == (True, "")
    assert again(cell(source)) == (False, "")
    ran, notes = again(cell(source.replace("(0, 5)", "(1, 5)")))
    assert ran
    assert "changed" in notes


def test_comments_of_a_cell_and_other_cells_do_not_count():
    source = "def find(series):\n    return [[(0, 5)]]"
    version = code_version(cell(source))
    assert code_version(cell(source.replace("\n", "\n\n    # why\n", 1))) == version
    assert code_version(cell("other = 3\n" + source)) == version
    documented = 'def find(series):\n    "It."\n    return [[(0, 5)]]'
    assert code_version(cell(documented)) != version


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import threading\nhelper = threading.Lock()" + FIND, "holds a lock"),
        ("helper = (n for n in range(3))" + FIND, "holds a generator"),
        ("def find(series):\n    return eval('[]')", "uses eval"),
        (
            "import importlib\ndef find(series):\n"
            "    return importlib.import_module('json') and []",
            "uses import_module",
        ),
    ],
)
def test_what_cannot_be_compared_is_run_every_time(again, source, reason):
    find = cell(source)
    for _ in range(2):
        ran, notes = again(find)
        assert ran
        assert "find is run again every time" in notes
        assert reason in notes
        assert "attribute 'version'" in notes
    find.version = "1.0"
    again(find)
    assert again(find) == (False, "")


def test_a_hash_is_the_same_in_every_process():
    code = (
        "from tsmdbench.experiments.code_hash import code_version\n"
        "def find(series):\n    return [] if 'a' in {'a', 'b', 'c'} else None\n"
        "print(code_version(find))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**environment(), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


METHOD = '''"""A method."""
import importlib

from code_helper import width
from code_package import late


class Mine:
    """Finds."""

    def find(self, series):
        # where it is highest
        constant = importlib.import_module("code_constant")
        return [[(0, width(series) + constant.N + late())]]
'''
HELPER = """from code_inner import FACTOR


def width(series):
    import code_lazy
    return FACTOR * code_lazy.size(series)
"""
FILES = {
    "code_method.py": METHOD,
    "code_helper.py": HELPER,
    "code_inner.py": "FACTOR = 2\n",
    "code_lazy.py": "def size(series):\n    return len(series) // 8\n",
    "code_constant.py": "N = 1\n",
    "code_factory.py": (
        "def make(n):\n    class Mine:\n        def find(self, series):\n"
        "            return [[(n, n + 9)]]\n    return Mine\n"
    ),
    "code_made.py": "from code_factory import make\n\nMine = make(1)\n",
    "code_based.py": (
        "from code_versioned import Base\n\n\nclass Mine(Base):\n"
        "    def find(self, series):\n        return [[(1, 9)]]\n"
    ),
    "code_versioned.py": "class Base:\n    version = '1.0'\n",
    "code_function.py": "def find(series, n=1):\n    return [[(n, 9)]]\n",
    "code_package/__init__.py": (
        "def __getattr__(name):\n    from importlib import import_module\n"
        "    return import_module('code_package.impl').late\n"
    ),
    "code_package/impl.py": "def late():\n    return 1\n",
    "code_computed.py": (
        "import importlib\n\n\nclass Mine:\n    def find(self, series):\n"
        "        name = 'js' + 'on'\n"
        "        return importlib.import_module(name) and []\n"
    ),
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write the files, with changes, as a new process would find them."""
    folder = tmp_path / "files"
    monkeypatch.syspath_prepend(folder)

    def forget():
        for name in list(sys.modules):
            if name.startswith("code_"):
                del sys.modules[name]
        importlib.invalidate_caches()

    def written(change=None):
        for name, text in FILES.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        if change is not None:
            name, old, new = change
            assert old in FILES[name]
            (folder / name).write_text(FILES[name].replace(old, new))
        forget()
        return folder

    yield written
    forget()


EDITS = [
    ("code_method", ("code_method.py", "(0, ", "(1, ")),
    ("code_method", ("code_helper.py", "FACTOR * ", "2 * FACTOR * ")),
    ("code_method", ("code_inner.py", "2", "3")),
    ("code_method", ("code_lazy.py", "// 8", "// 9")),
    ("code_method", ("code_constant.py", "N = 1", "N = 2")),
    ("code_method", ("code_package/impl.py", "return 1", "return 2")),
    ("code_made", ("code_made.py", "make(1)", "make(2)")),
    ("code_made", ("code_factory.py", "n + 9", "n + 8")),
    ("code_based", ("code_based.py", "(1, 9)", "(2, 9)")),
    ("code_based", ("code_versioned.py", "1.0", "1.1")),
]


@pytest.mark.parametrize(
    ("method", "change", "place"),
    [
        *((*edit, "here") for edit in EDITS),
        (*EDITS[3], "external"),
    ],
)
def test_an_edited_file_is_noticed(again, files, place, method, change):
    folder = files()
    name, options = f"{method}:Mine", {}
    if place == "external":
        name = f"{folder}/{method}.py:Mine"
        options = {"environment": Environment(sys.executable)}
    assert again(name, **options) == (True, "")
    files()
    assert again(name, **options) == (False, "")
    files(change)
    ran, notes = again(name, **options)
    assert ran
    assert "runs it again as version" in notes


def test_comments_docstrings_and_formatting_do_not_count_but_order_does(again, files):
    files()
    again("code_method:Mine")
    for change in (
        ("code_method.py", "# where it is highest", "# anywhere"),
        ("code_method.py", '"""Finds."""', '"""Finds well."""\n'),
        ("code_method.py", "[[(0, ", "[ [(0,  "),
        ("code_helper.py", "\n", "\r\n"),
    ):
        files(change)
        assert again("code_method:Mine") == (False, "")
    first, second = METHOD.split("\n")[3:5]
    files(("code_method.py", f"{first}\n{second}", f"{second}\n{first}"))
    assert again("code_method:Mine")[0]


def test_an_import_of_a_computed_name_is_run_every_time(again, files):
    for _ in range(2):
        files()
        ran, notes = again("code_computed:Mine")
        assert ran
        assert "code_computed.py imports or runs what its line 7 computes" in notes


def test_a_file_that_was_edited_after_its_import_is_run_every_time(again, files):
    """The session still has the old code, so it would run that as the new."""
    folder = files()
    assert again("code_function:find") == (True, "")
    assert again("code_function:find") == (False, "")
    text = FILES["code_function.py"].replace("n=1", "n=2")
    (folder / "code_function.py").write_text(text)
    for _ in range(2):
        ran, notes = again("code_function:find")
        assert ran
        assert "code_function.py was edited after this session imported it" in notes
    importlib.reload(sys.modules["code_function"])
    assert again("code_function:find")[0]
    assert again("code_function:find") == (False, "")


def test_a_local_file_that_a_cell_uses_is_followed(again, files):
    source = "import code_helper" + FIND.replace("helper", "code_helper")
    files()
    again(cell(source))
    files()
    assert again(cell(source)) == (False, "")
    files(("code_inner.py", "2", "3"))
    assert again(cell(source))[0]
    inside = FIND.replace("helper", "import code_lazy")
    again(cell(inside))
    files(("code_lazy.py", "// 8", "// 9"))
    assert again(cell(inside))[0]


def test_a_version_of_the_class_itself_decides(again, files):
    declared = ("code_method.py", '"""Finds."""', 'version = "1.0"')
    folder = files(declared)
    assert again("code_method:Mine") == (True, "")
    text = (folder / "code_method.py").read_text()
    (folder / "code_method.py").write_text(text.replace("(0, ", "(1, "))
    assert again("code_method:Mine") == (False, "")
    files(("code_method.py", "class", '__version__ = "2.1"\n\n\nclass'))
    result = run("code_method:Mine", SMALL, workers=0, limit=1)
    assert result.versions["code_method:Mine"].startswith("2.1+")


def test_installed_packages_count_with_their_version_but_not_the_basis(
    again, files, monkeypatch
):
    change = (
        "code_method.py",
        "import importlib\n",
        "import importlib\nimport pandas\n",
    )
    files(change)
    again("code_method:Mine")
    known = {"numpy": "9.9"}
    real = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: known.get(name) or real(name))
    files(change)
    assert not again("code_method:Mine")[0]
    known["pandas"] = "9.9"
    files(change)
    assert again("code_method:Mine")[0]


def test_the_methods_of_the_package_have_its_version(monkeypatch):
    mine = type("Mine", (METHODS["stomp"],), {})
    before = code_version(mine)
    assert code_version(METHODS["stomp"]) == (metadata.version("tsmdbench"), "")
    real = metadata.version
    monkeypatch.setattr(
        metadata, "version", lambda name: "9.9" if name == "tsmdbench" else real(name)
    )
    assert code_version(mine) != before


@pytest.mark.parametrize("data", [b"\x7fELF\x00\x01", b"def broken(:\n"])
def test_a_module_that_is_not_python_counts_by_its_bytes(again, files, data):
    folder = files()
    again("code_method:Mine")
    (folder / "code_lazy.py").write_bytes(data)
    assert again("code_method:Mine")[0]
    assert not again("code_method:Mine")[0]
