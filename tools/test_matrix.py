"""Test the package on other versions: ``python -m tools.test_matrix --help``.

Each environment has a Python, a set of versions and a set of extras:

- ``lowest``: the lower bounds of ``pyproject.toml``, on the oldest Python;
- ``newest``: the newest releases, on every Python that is present. aeon caps numba and
  NumPy, so these have the extras `run`, `report` and `wfdb` but not `archive`; the
  dataset of the demo is taken out of aeon's wheel, so that frozen recipes are tested
  there too;
- ``core``: the newest releases without any extra;
- ``all``: the newest releases that go together with every extra.

The tests that apply to an environment run in it. ``--quick`` runs what says whether
results depend on versions: golden outputs of the methods, frozen recipes, metrics.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".cache" / "matrix"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "polars")
VOWELS = "JapaneseVowels"

GOLDEN = (
    "tests/methods/test_distance_methods.py::test_golden_sets_are_reproduced",
    "tests/methods/test_latentmotifs.py",
    "tests/methods/test_locomotif.py::test_motif_sets_are_the_golden_ones",
    "tests/methods/test_locomotif.py::test_paths_are_the_golden_ones",
    "tests/methods/test_motiflets.py",
    "tests/methods/test_symbolic_golden.py",
    "tests/methods/test_vonsem.py",
)
CORE = (
    "tests/kernels",
    "tests/methods",
    "tests/metrics",
    "tests/test_errors.py",
    "tests/test_registry.py",
    "tests/test_types.py",
    "tests/cli/test_evaluate.py",
)
NEEDS_RUN_AND_REPORT = (
    "tests/analysis",
    "tests/datasets",
    "tests/cli",
    "tests/experiments",
    "tests/report",
    "tests/io",
    "tests/test_plotting.py",
)
QUICK_CORE = (*GOLDEN, "tests/metrics/test_prom.py", "tests/metrics/test_contract.py")
QUICK = (
    *QUICK_CORE,
    f"tests/datasets/test_suite.py::test_frozen_problems_on_the_real_data[{VOWELS}]",
    "tests/io/test_ts_format.py",
    "tests/analysis/test_critical_difference.py",
    "tests/cli/test_evaluate.py",
)


@dataclass(frozen=True)
class Environment:
    """A Python with a set of versions, and the tests that apply to it."""

    name: str
    python: str
    extras: str
    tests: tuple[str, ...]
    quick: tuple[str, ...]
    lowest: bool = False

    @property
    def folder(self) -> Path:
        """Where the environment is made."""
        return FOLDER / self.name

    @property
    def executable(self) -> Path:
        """The Python of the environment."""
        scripts = "Scripts" if os.name == "nt" else "bin"
        return self.folder / scripts / "python"


def environments(versions: tuple[str, ...] = PYTHONS) -> list[Environment]:
    """Return the environments that the Pythons of this machine allow."""
    present = [version for version in versions if interpreter(version)]
    if not present:
        sys.exit(f"none of Python {', '.join(versions)} is on the PATH")
    wide = (*CORE, *NEEDS_RUN_AND_REPORT)
    oldest, latest = present[0], present[-1]
    return [
        Environment(
            f"lowest-{oldest}", oldest, "[run,report,wfdb]", wide, QUICK, lowest=True
        ),
        *(
            Environment(f"newest-{version}", version, "[run,report,wfdb]", wide, QUICK)
            for version in present
        ),
        Environment(f"core-{latest}", latest, "", CORE, QUICK_CORE),
        Environment(f"all-{oldest}", oldest, "[all]", wide, QUICK),
    ]


def interpreter(version: str) -> str | None:
    """Return a Python of that version: this one, of the PATH, or of pyenv."""
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    kept = sorted(home.glob(f"{version}.*/bin/python{version}"))
    named = shutil.which(f"python{version}")
    for candidate in (sys.executable, named, *map(str, reversed(kept))):
        if candidate and _version(candidate) == version:
            return candidate
    return None


def _version(candidate: str) -> str:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    ended = subprocess.run([candidate, "-c", code], capture_output=True, text=True)
    return ended.stdout.strip()


def lower_bounds(extras: tuple[str, ...]) -> list[str]:
    """Return the lower bounds of the core and of extras as exact requirements.

    >>> "numba==0.61" in lower_bounds(())
    True
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    stated = list(project["dependencies"])
    for extra in extras:
        stated += project["optional-dependencies"][extra]
    found = []
    for requirement in stated:
        bound = re.match(r"([\w-]+)>=([\w.]+)", requirement)
        if bound:
            found.append(f"{bound[1]}=={bound[2]}")
    return sorted(set(found))


def make(environment: Environment) -> None:
    """Install into a new environment, unless it is there for the same requirements."""
    wanted = _requirements(environment)
    stamp = environment.folder / ".requirements"
    state = "\n".join([*wanted, (ROOT / "pyproject.toml").read_text("utf-8")])
    if stamp.is_file() and stamp.read_text("utf-8") == state:
        return
    shutil.rmtree(environment.folder, ignore_errors=True)
    python = interpreter(environment.python)
    uv = shutil.which("uv")
    if uv:
        _run([uv, "venv", "--quiet", "--python", python, str(environment.folder)])
        install = [uv, "pip", "install", "--quiet", "--python"]
        install += [str(environment.executable)]
    else:
        _run([python, "-m", "venv", str(environment.folder)])
        install = [str(environment.executable), "-m", "pip", "install", "--quiet"]
        install += ["--disable-pip-version-check"]
    _run([*install, "-e", f"{ROOT}{environment.extras}", *wanted])
    stamp.write_text(state, "utf-8")


def _requirements(environment: Environment) -> list[str]:
    if not environment.lowest:
        return list(TOOLS)
    return [*TOOLS, *lower_bounds(("plot", "parquet", "wfdb", "run", "report"))]


def vowels(python: Path) -> Path:
    """Take the dataset that comes with aeon out of its wheel; aeon is not installed."""
    target = FOLDER / "data"
    if not (target / VOWELS / f"{VOWELS}_TEST.ts").is_file():
        wheels = FOLDER / "wheels"
        download = [str(python), "-m", "pip", "download", "--quiet", "--no-deps"]
        _run([*download, "--dest", str(wheels), "--only-binary", ":all:", "aeon==1.6"])
        (target / VOWELS).mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(next(wheels.glob("aeon-*.whl"))) as wheel:
            for part in ("TRAIN", "TEST"):
                name = f"aeon/datasets/data/{VOWELS}/{VOWELS}_{part}.ts"
                (target / VOWELS / Path(name).name).write_bytes(wheel.read(name))
    return target


def test(environment: Environment, *, quick: bool, jobs: int) -> bool:
    """Run the tests that apply; return whether they pass."""
    paths = environment.quick if quick else environment.tests
    variables = dict(os.environ)
    variables["NUMBA_CACHE_DIR"] = str(FOLDER / "numba")
    variables["TSMDBENCH_CACHE"] = str(FOLDER / "archive" / environment.name)
    if "TSMDBENCH_DATA" not in variables:
        variables["TSMDBENCH_DATA"] = str(vowels(Path(sys.executable)))
    command = [
        str(environment.executable),
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    if jobs > 1:
        command += ["-n", str(jobs), "--dist", "loadfile"]
    return not subprocess.run([*command, *paths], cwd=ROOT, env=variables).returncode


def _run(command: list[str | None]) -> None:
    subprocess.run([part for part in command if part], check=True)


def main() -> int:
    """Make the environments and test them; return an exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="environments; default: all")
    parser.add_argument("--quick", action="store_true", help="golden outputs and such")
    parser.add_argument("--list", action="store_true", help="print the environments")
    parser.add_argument("--jobs", type=int, default=2, help="processes per environment")
    parser.add_argument("--this-python", action="store_true", help="no other Python")
    parser.add_argument(
        "--if-possible",
        action="store_true",
        help="skip environments whose packages cannot be installed here",
    )
    given = parser.parse_args()
    own = (f"{sys.version_info.major}.{sys.version_info.minor}",)
    known = environments(own if given.this_python else PYTHONS)
    names = [environment.name for environment in known]
    if given.list:
        print("\n".join(names))
        return 0
    wrong = sorted(set(given.names) - {*names, "newest"})
    if wrong:
        parser.error(f"no environment {', '.join(wrong)}; there are {', '.join(names)}")
    chosen = _chosen(known, given.names)
    failed, skipped = [], []
    for environment in chosen:
        print(f"== {environment.name}", flush=True)
        begin = time.monotonic()
        try:
            make(environment)
        except subprocess.CalledProcessError as problem:
            if not given.if_possible:
                raise
            print(f"== {environment.name}: skipped, its packages cannot be installed")
            print(f"   {problem}", flush=True)
            skipped.append(environment.name)
            continue
        if not test(environment, quick=given.quick, jobs=given.jobs):
            failed.append(environment.name)
        print(f"== {environment.name}: {time.monotonic() - begin:.0f} s", flush=True)
    passed = len(chosen) - len(failed) - len(skipped)
    print(f"{passed} passed", *(f"failed: {name}" for name in failed), sep="\n")
    return 1 if failed else 0


def _chosen(known: list[Environment], names: list[str]) -> list[Environment]:
    """Return the named environments; 'newest' is that of the newest Python."""
    if not names:
        return known
    latest = [one.name for one in known if one.name.startswith("newest-")][-1]
    wanted = {latest if name == "newest" else name for name in names}
    return [one for one in known if one.name in wanted]


if __name__ == "__main__":
    sys.exit(main())
