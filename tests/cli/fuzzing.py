"""Random command lines over all commands, from a seed: names, files and options.

Everything is drawn from lists of odd values, so a command line can be given again. None
of them starts an experiment that takes long.
"""

import json
import random

import numpy as np

from tsmdbench.experiments.store import StoreWriter

HUGE = "9" * 5000
TEXTS = ["", " ", ".", "..", "/", "-", ":", "::", "x:", ":x", "a b", "\x1b[2J"]
TEXTS += ["\ud800", "\udcff", "é", "💥", "%s", "{}", "../../x", "/dev/null"]
TEXTS += ["/proc/self/mem"]
TEXTS += ["nan", "inf", "-1", "0", "1e308", "1e-320", HUGE, "True", "null", "[]", "@x"]
SPECS = ["builtins:int", "os:getcwd", "os:nothing", "no.such:Thing", "math:pi", ".x:y"]
SPECS += ["tests.cli.fuzzing:raises", "tests.cli.fuzzing:leaves", "json:loads", "this:"]
METHODS = ["setfinder", "emma", "stomp", "locomotif", "mrmotif", "vonsem", "valmod"]
SETTINGS = ["length=8", "length=0", "length=-1", "length=nan", "radius=1", "radius=-1"]
SETTINGS += ["radius=inf", "l_min=4", "l_max=8", "length=1e9", "=", "x", "length="]
SETTINGS += ["n_jobs=0", "max_sets=0", "channel=9", "length=True", "w=4", "a=4"]


def raises(_):
    """Be a dataset that raises."""
    raise RuntimeError("no")


def leaves(_):
    """Be a dataset that ends the process."""
    raise SystemExit(3)


def write_files(folder):
    """Write good, odd and broken files; return their names."""
    rng = np.random.default_rng(0)
    series = np.sin(np.arange(300) / 7) + 0.1 * rng.normal(size=300)
    texts = {
        "series.csv": "\n".join(map(str, series)),
        "spike.csv": "\n".join(["0"] * 200 + ["1e308"] + ["0"] * 99),
        "tiny.csv": "1\n2\n",
        "truth.json": json.dumps(
            {"a": [[0, 20], [40, 60]], "b": [[100, 120], [130, 150]]}
        ),
        "found.json": json.dumps([[[1, 21], [41, 60]], [[99, 120]]]),
        "bools.json": json.dumps([[[False, True]]]),
        "params.toml": "[setfinder]\nlength = 8\nradius = 1.0\n",
        "flat.toml": "length = 8\n",
        "odd.toml": '[setfinder]\ndatasets = 3\n[locomotif]\nrho = "x"\n'
        "[emma.datasets]\nPlane = 1\n",
        "broken.toml": "[[[",
        "page.html": "<p>",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    (folder / "folder").mkdir()
    with StoreWriter(folder / "empty-store"):
        pass
    manifests = {
        "null": "null",
        "list": "[]",
        "other": '{"format": 1, "specifications": 3}',
        "deep": "[" * 5000,
        "huge": f'{{"format": {HUGE}}}',
        "future": '{"format": 99}',
        "asked": '{"format": 1, "specifications": [{"datasets": ["os:getcwd"], '
        '"methods": ["builtins:int"], "limits": {}}]}',
    }
    for name, text in manifests.items():
        (folder / name).mkdir()
        (folder / name / "manifest.json").write_text(text)
    (folder / "part").mkdir()
    (folder / "part" / "manifest.json").write_text(
        '{"format": 1, "specifications": []}'
    )
    (folder / "part" / "runs-00000000-00000000.parquet").write_bytes(b"PAR1 no PAR1")
    names = [*texts, "bytes.toml", "folder", "empty-store", "part", *manifests]
    names.append("missing")
    return [str(folder / name) for name in names]


def command_line(rng, files, out):
    """Return one random command line."""
    some = rng.choice
    text = lambda: some([*TEXTS, *files, *SPECS])  # noqa: E731
    stores = [name for name in files if "." not in name.rsplit("/", 1)[-1]]
    odd = lambda *options: [  # noqa: E731
        part
        for option in options
        if rng.random() < 0.4
        for part in (option, some([*TEXTS, "1", "2", "test", "validation", "auto"]))
    ]
    discover = ["discover", "--method", some([*METHODS, *SPECS, text()]), some(files)]
    for _ in range(rng.randrange(4)):
        discover += ["--set", some([*SETTINGS, text()])]
    run = ["run", *rng.choice([[], ["demo"], [text()]]), "--out", text(), "--quiet"]
    run += ["--dataset", some([*SPECS, *stores, text()]), "--method", some(SPECS)]
    lines = [
        [
            "evaluate",
            some(files),
            some(files),
            *odd("--threshold", "--metric", "--json"),
        ],
        ["metrics", *odd("--properties", "--json"), text()],
        discover + odd("--max-sets", "--case", "--channel"),
        ["methods", *odd("--json", "--x")],
        ["build", text(), "--out", out, *odd("--split", "--seed", "--noise", "--data")],
        ["build", "--from", some(files), "--out", out, *odd("--problems", "--g-min")],
        ["datasets", some(["list", text()]), *odd("--data")],
        ["datasets", "select", text(), *odd("--data", "--max-instances", "--jobs")],
        run
        + odd("--split", "--limit", "--time-limit", "--memory-limit", "--scheduler"),
        [*run, "--params", some(files), "--grid", some([*files, "full", text()])],
        ["resume", some([*stores, text()]), *odd("--retry", "--scheduler")],
        ["status", some([*stores, text()]), *odd("--json")],
        ["report", some(stores), "--out", out, "--quiet", *odd("--embed", "--split")],
        ["report", text(), "--quiet", *odd("--compare")],
        ["leaderboard", some([*stores, text()]), *odd("--metric", "--split")],
        ["store", some(["repair", "pack", text()]), some([*stores, text()])],
        ["store", "pack", some(stores), out, *odd("--split")],
        ["reproduce", text(), "--out", out, *odd("--scheduler")],
        [text(), text()],
    ]
    chosen = some(lines)
    # A process cannot be given a NUL.
    return [part.replace("\0", "") for part in map(str, chosen)]


def command_lines(seed, count, files, out):
    """Return random command lines, the same for a seed."""
    rng = random.Random(seed)
    return [command_line(rng, files, out) for _ in range(count)]
