"""The wheel and the sdist: what is in them, and whether an empty environment runs them.

Set TSMDBENCH_DIST to a folder with both to test those; else they are built, which needs
the package `build` and a network.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
LARGEST = 12 * 2**20  # bytes


@pytest.fixture(scope="session")
def dist(tmp_path_factory):
    given = os.environ.get("TSMDBENCH_DIST")
    if given:
        return Path(given).resolve()
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def wheel(dist):
    (file,) = dist.glob("tsmdbench-*.whl")
    return file


@pytest.fixture(scope="session")
def sdist(dist):
    (file,) = dist.glob("tsmdbench-*.tar.gz")
    return file


def test_the_wheel_has_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"tsmdbench"}
    assert not [name for name in names if "__pycache__" in name or "/test" in name]
    source = ROOT / "src"
    expected = {
        str(path.relative_to(source).as_posix())
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if name.startswith("tsmdbench/")} == expected


@pytest.mark.parametrize(
    "end",
    [
        "tsmdbench/py.typed",
        "tsmdbench/data/example/truth.json",
        ".dist-info/licenses/LICENSE",
        ".dist-info/entry_points.txt",
    ],
)
def test_the_wheel_has_what_users_need(wheel, end):
    assert [n for n in zipfile.ZipFile(wheel).namelist() if n.endswith(end)]


def test_the_wheel_has_the_baselines(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in names if name.startswith("tsmdbench/data/baselines/")]


def test_the_sdist_can_be_tested(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {"LICENSE", "README.md", "CHANGELOG.md", "Makefile", "requirements.lock"}
    assert {*needed, "pyproject.toml", "tests/conftest.py"} <= names
    assert not [
        n for n in names if "__pycache__" in n or n.startswith((".cache", ".git/"))
    ]


def test_wheel_and_sdist_are_small(wheel, sdist):
    assert wheel.stat().st_size <= LARGEST
    assert sdist.stat().st_size <= LARGEST


class Installed:
    """The wheel in an environment of its own."""

    def __init__(self, folder, wheel):
        self.wheel = wheel
        self.scripts = folder / ("Scripts" if os.name == "nt" else "bin")
        self.home = folder / "home"
        if shutil.which("uv"):
            command = ["uv", "venv", "--quiet", "--python", sys.executable, folder]
            subprocess.run([*map(str, command)], check=True)
        else:
            venv.create(folder, with_pip=True)

    def install(self, extra=""):
        python = str(self.scripts / "python")
        command = [python, "-m", "pip", "install", "--quiet"]
        if shutil.which("uv"):
            command = ["uv", "pip", "install", "--quiet", "--python", python]
        subprocess.run([*command, f"{self.wheel}{extra}"], check=True)

    def run(self, *arguments):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        return subprocess.run(
            [str(self.scripts / "tsmdbench"), *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.scripts,
            env=kept,
        )


@pytest.fixture(scope="session")
def core(tmp_path_factory, wheel):
    installed = Installed(tmp_path_factory.mktemp("core") / "env", wheel)
    installed.install()
    return installed


@pytest.fixture(scope="session")
def example(core):
    code = "import tsmdbench.example as e; print(e.example_path('truth.json').parent)"
    python = core.scripts / "python"
    ended = subprocess.run(
        [str(python), "-I", "-c", code], capture_output=True, text=True, check=True
    )
    folder = Path(ended.stdout.strip())
    assert ROOT not in folder.parents
    return folder


def test_the_core_has_a_command_line(core):
    ended = core.run("--version")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("tsmdbench ")
    assert "evaluate" in core.run("--help").stdout


def test_the_core_evaluates(core, example):
    ended = core.run(
        "evaluate", example / "truth.json", example / "found.json", "--json"
    )
    assert ended.returncode == 0, ended.stderr
    assert "0.777" in json.dumps(json.loads(ended.stdout))


def test_the_core_discovers(core, example):
    ended = core.run(
        *("discover", example / "series.csv", "-m", "setfinder"),
        *("--set", "length=50", "--set", "radius=3"),
    )
    assert ended.returncode == 0, ended.stderr
    assert "set 1: " in ended.stdout


def test_what_is_missing_from_the_core_is_one_line(core):
    ended = core.run("leaderboard")
    assert ended.returncode == 3
    assert ended.stderr.count("\n") == 1
    assert 'pip install "tsmdbench[' in ended.stderr


def test_the_report_extra_has_the_leaderboard(core):
    core.install("[report]")
    ended = core.run("leaderboard")
    assert ended.returncode == 0, ended.stderr
    assert "locomotif" in ended.stdout
