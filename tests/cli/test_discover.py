"""``tsmdbench discover`` and ``tsmdbench methods`` as a person types them."""

import json

import numpy as np
import pytest

import tsmdbench
from tsmdbench.cli.app import app
from tsmdbench.errors import InputError
from tsmdbench.methods import METHODS
from tsmdbench.methods.contract import planted_problem
from tsmdbench.methods.setfinder import SetFinder

PROBLEM = planted_problem()
SET = ["--set", "length=50", "--set", "radius=1.0"]


@pytest.fixture
def run(capsys):
    """Run a command and return what it printed."""

    def run(*arguments):
        app([str(argument) for argument in arguments], standalone_mode=False)
        return capsys.readouterr().out

    return run


@pytest.fixture
def series(tmp_path):
    file = tmp_path / "series.npy"
    np.save(file, PROBLEM.series)
    return file


def expected(**changes):
    settings = {"length": 50, "radius": 1.0, "max_sets": 2, **changes}
    return SetFinder(**settings).find(PROBLEM.series)


def test_discover_prints_the_sets(run, series):
    printed = run("discover", "--method", "setfinder", series, *SET, "--max-sets", 2)
    lines = printed.splitlines()
    assert "SetFinder(length=50, radius=1.0" in lines[0]
    for line, motifs in zip(lines[1:], expected(), strict=True):
        assert all(f"[{start}, {end})" in line for start, end in motifs)


def test_json_can_be_evaluated(run, series, tmp_path):
    from tsmdbench.metrics import prom

    printed = run("discover", "-m", "emma", series, *SET, "--max-sets", 2, "--json")
    assert list(json.loads(printed)) == ["set 1", "set 2"]
    found = tmp_path / "found.json"
    found.write_text(printed)
    assert prom(PROBLEM.truth, found).recall == 1.0


def test_every_format_gives_the_same(run, series, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    x = PROBLEM.series
    csv, table, ts = (tmp_path / f"series.{end}" for end in ("csv", "parquet", "ts"))
    np.savetxt(csv, x, fmt="%.17g")
    parquet.write_table(arrow.table({"load": x}), table)
    values = ",".join(map(repr, x.tolist()))
    noise = ",".join(map(repr, np.arange(len(x)).tolist()))
    ts.write_text(
        "@problemName planted\n@timeStamps false\n@missing false\n@univariate true\n"
        f"@equalLength true\n@seriesLength {len(x)}\n@classLabel true a b\n@data\n"
        f"{noise}:b\n{values}:a\n"
    )
    command = ["discover", "-m", "setfinder", *SET, "--json", "--max-sets", 2]
    wanted = run(*command, series)
    assert run(*command, csv) == run(*command, table) == wanted
    assert run(*command, ts, "--case", 1) == wanted
    with pytest.raises(InputError, match="holds 2 series; choose one with --case"):
        run(*command, ts)
    with pytest.raises(InputError, match=r"--case must lie in \[0, 2\), got 2"):
        run(*command, ts, "--case", 2)


def test_plot_is_written(run, series, tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "found.png"
    printed = run("discover", "-m", "setfinder", series, *SET, "--plot", file)
    assert file.read_bytes().startswith(b"\x89PNG")
    assert f"figure: {file}" in printed


def test_values_are_read_by_their_kind():
    cls = METHODS["emma"]
    params = {"length": "20", "radius": 2, "mode": "sax", "disjoint": "false"}
    made = tsmdbench.discover(
        PROBLEM.series, "emma", params={**params, "max_sets": "none"}
    )
    assert made.method == cls(length=20, radius=2, mode="sax", disjoint=False)


def test_any_class_with_find_can_be_used(run, series):
    name = f"{__name__}:Everything"
    printed = run("discover", "-m", name, series, "--set", "half=350", "--json")
    assert json.loads(printed) == {"set 1": [[0, 350], [350, 700]]}


class Everything:
    def __init__(self, half):
        self.half = half

    def find(self, x):
        return [[(0, self.half), (self.half, len(x))]]


def test_methods_lists_every_method(run):
    lines = run("methods").splitlines()
    assert lines[0].split()[0] == "method"
    assert [line.split()[0] for line in lines[1:]] == list(METHODS)
    valmod = next(line for line in lines if line.startswith("valmod"))
    assert valmod.split() == [
        "valmod",
        "inter",
        "no",
        "no",
        "l_min,",
        "l_max,",
        "radius_factor",
    ]


def test_methods_as_json(run):
    rows = json.loads(run("methods", "--json"))
    assert [row["name"] for row in rows] == list(METHODS)
    emma = next(row for row in rows if row["name"] == "emma")
    assert emma["parameters"] == ["length", "radius"]
    assert emma["options"]["mode"] == "exact"


def test_constant_windows_are_left_out_and_counted():
    stuck = np.concatenate([PROBLEM.series, np.full(120, 3.0), PROBLEM.series])
    note = tsmdbench.discover(stuck, "stomp", params={"length": 50}).notes[-1]
    assert note.startswith("71 windows in which the series does not change left out")
    assert "--set constant=keep" in note
    kept = {"length": 50, "constant": "keep"}
    assert not tsmdbench.discover(stuck, "stomp", params=kept).notes
