"""The record: what the package computes and prints must stay as it was.

Everything here goes through public names and the command line, so the inside can
change. Each test computes one value and compares it with the file of its name in
``tests/record/recorded``. After a change that is meant to alter an answer, write the
files again and read their diff::

    TSMDBENCH_RECORD=write python -m pytest tests/record

Numbers are recorded with ten digits, times and versions not at all. The tests that run
methods on the benchmark need real data in ``TSMDBENCH_DATA``.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.methods.settings import entry
from tsmdbench import METHODS, METRICS, evaluate, explain, prom
from tsmdbench.analysis import load_baselines, score_store
from tsmdbench.example import example_path
from tsmdbench.experiments import Store
from tsmdbench.methods import planted_problem

RECORDED = Path(__file__).parent / "recorded"
BASELINES = ("best", "paper", "recordings")
# Left out of recorded tables: measured times, versions, hosts.
VOLATILE = re.compile(r"second|time|memory|version|python|host|path|commit|^s$|s/run")
RUN = ("--dataset", "JapaneseVowels", "--dataset", "ERing", "--method", "locomotif")
RUN += ("--method", "stomp", "--method", "gv_repair", "--workers", "2", "--quiet")


def check(name, value):
    """Compare a value with its file, or write the file."""
    file = RECORDED / f"{name}.json"
    text = json.dumps(plain(value), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("TSMDBENCH_RECORD") == "write":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert json.loads(text) == json.loads(file.read_text(encoding="utf-8"))


def plain(value):
    """Values as JSON has them, numbers with ten digits, nothing volatile."""
    if isinstance(value, dict):
        kept = {str(key): item for key, item in value.items()}
        return {key: plain(kept[key]) for key in kept if not VOLATILE.search(key)}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float | np.floating):
        return float(f"{value:.10g}") if np.isfinite(value) else str(value)
    return value.item() if isinstance(value, np.integer) else value


def digest(lines):
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def command(*arguments, **options):
    """Output of the command line, which must succeed."""
    line = [sys.executable, "-m", "tsmdbench", *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def plain_runs(store):
    """What was run and found, without times, in an order that is always the same."""
    table = store.table(
        ["dataset", "problem", "method", "parameters", "status", "found"]
    )
    return sorted(json.dumps(row, sort_keys=True) for row in table.to_pylist())


@pytest.mark.parametrize("which", BASELINES)
def test_scores_of_the_shipped_stores(which):
    scores = score_store(load_baselines(which))
    columns = ["dataset", "label", "problem", *sorted(scores.metrics)]
    table = scores.table[columns].sort_values(columns[:3])
    means = table.groupby(["label", "dataset"])[columns[3:]].mean()
    lines = [
        " ".join([*map(str, row[:3]), *(f"{v:.9g}" for v in row[3:])])
        for row in table.itertuples(index=False)
    ]
    check(
        f"scores_{which}",
        {
            "problems": digest(lines),
            "means": {" ".join(key): row.to_dict() for key, row in means.iterrows()},
        },
    )


def test_every_metric_on_made_problems():
    seen = {}
    for seed in range(40):
        truth, found = made(seed)
        for name in METRICS:
            sets = (truth, found)
            if name.startswith("pair_overlap"):  # defined for pairs only
                sets = [[e[:2] for e in each if len(e) > 1] for each in sets]
            if name.startswith("single_set"):  # defined for one set
                sets = [each[:1] for each in sets]
            seen[f"{seed} {name}"] = evaluate(*sets, [name])[name]
        off = prom(truth, found, penalize_off_target=True, threshold=0.6)
        seen[f"{seed} prom"] = [off.tp, off.fp, off.fn, off.pairs, off.matrix.tolist()]
    check("metrics", seen)


def made(seed):
    """Disjoint true sets, and found sets that are shifted, mixed and added to."""
    rng = np.random.default_rng(seed)
    edges = np.sort(rng.choice(400, 24, replace=False)).reshape(-1, 2)
    truth = [edges[i::3].tolist() for i in range(3)]
    motifs = [m for motif_set in truth for m in motif_set] + [[5, 9], [30, 60]]
    found = []
    for _ in range(rng.integers(1, 6)):
        chosen = rng.choice(len(motifs), rng.integers(1, 6), replace=False)
        shift = rng.integers(0, 3)
        found.append([[motifs[i][0] + shift, motifs[i][1] + shift] for i in chosen])
    return truth, found


def test_explanations():
    seen = [str(explain(*made(seed))) for seed in range(200)]
    check("explain", {"first": seen[:8], "all": [digest([text]) for text in seen]})


@pytest.mark.parametrize("name", sorted(METHODS))
def test_what_every_method_finds(name):
    if name == "random_walk_detector":
        pytest.importorskip("statsmodels")
    method = METHODS[name](**entry(name).good)
    found = {}
    for channels in (1, 2):
        for seed in range(3):
            series = planted_problem(channels, seed).series
            sets = [np.asarray(each).tolist() for each in method.find(series)]
            found[f"channels {channels}, seed {seed}"] = sets
    check(f"methods/{name}", found)


@pytest.mark.parametrize(
    "arguments",
    [
        "metrics --json",
        "metrics --properties --json",
        "methods --json",
        "leaderboard --json",
        "leaderboard --baselines paper --json",
        "leaderboard --baselines recordings --json",
        "evaluate truth.json found.json --explain --json",
        "discover -m locomotif series.csv --set l_min=60 --set l_max=100 --json",
        "discover -m stomp series.csv --set length=80 --json",
        "datasets list --json",
    ],
)
def test_json_of_commands(arguments, tmp_path):
    for file in ("truth.json", "found.json", "series.csv"):
        shutil.copy(example_path(file), tmp_path)
    if arguments.startswith("datasets") and not os.environ.get("TSMDBENCH_DATA"):
        pytest.skip("the record has datasets of TSMDBENCH_DATA")
    printed = json.loads(command(*arguments.split(), cwd=tmp_path))
    check(f"commands/{re.sub('[^a-z]+', '_', arguments)}", printed)


@pytest.fixture(scope="module")
def store(tmp_path_factory, data_folder):
    """A store that was written, killed, and resumed."""
    assert data_folder.is_dir()
    folder = tmp_path_factory.mktemp("record")
    params = folder / "params.toml"
    params.write_text(
        "[locomotif]\nl_min = 7\nl_max = 40\n[stomp]\nlength = 40\nconstant = 'keep'\n"
        "[gv_repair]\nwindow = 12\nword_length = 4\nalphabet_size = 3\n"
    )
    arguments = ["run", *RUN, "--params", params, "--limit", 120]
    whole = folder / "whole"
    command(*arguments, "--out", whole, cwd=folder)
    killed = folder / "killed"
    # A part after every batch: with one every two seconds all would be done before.
    code = "from tsmdbench.experiments import running; running.FLUSH = 0.0\n"
    code += "import sys; from tsmdbench.cli import main; sys.exit(main(sys.argv[1:]))"
    line = [sys.executable, "-c", code, *arguments, "--out", killed]
    process = subprocess.Popen([*map(str, line)], cwd=folder, start_new_session=True)
    while process.poll() is None and not list(killed.glob("runs-*.parquet")):
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = len(Store(killed))
    assert kept < len(Store(whole)), "the process had ended before it was killed"
    command("resume", killed, "--workers", 2, "--quiet", cwd=folder)
    assert plain_runs(Store(killed)) == plain_runs(Store(whole))
    return killed


def test_runs_of_a_store_that_was_killed_and_resumed(store):
    runs = plain_runs(Store(store))
    status = json.loads(command("status", store, "--json"))["rows"]
    check("store", {"runs": len(runs), "found": digest(runs), "status": status})


def test_tables_and_texts_of_a_report(store, tmp_path):
    command(
        "report", store, "--csv", "--latex", "--quiet", "--out", tmp_path / "report"
    )
    names = sorted(p.name for p in tmp_path.rglob("*") if p.suffix in {".csv", ".tex"})
    tables = {}
    for file in sorted((tmp_path / "report").rglob("*.csv")):
        head, *rows = [line.split(",") for line in file.read_text().splitlines()]
        kept = [i for i, column in enumerate(head) if not VOLATILE.search(column)]
        if "time" not in file.name and len(rows) < 60:
            tables[file.name] = [[row[i] for i in kept] for row in (head, *rows)]
    check("report", {"files": names, "tables": tables})
