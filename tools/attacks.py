"""Attack tsmdbench and print what held: ``python -m tools.attacks``.

Every attack is one of a kind: a random command line, a misbehaving method, a damaged
file of a store, a result of excessive size. One that ends in a traceback, a wrong
stored result or a hang is broken; the table counts them, and the broken ones are listed
below it. The exit status is 1 if there is any. ``--full`` makes ten times as many, in
about ten minutes; ``--seed`` draws others.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
MOCKS = "tests.experiments.mock_methods:"
PLAINS = "tests.experiments.plain_methods:"
PAIR = [[[0, 5], [5, 10]]]  # what these find
Attack = tuple[str, bool]  # what was tried, and whether it held


def command_lines(seed: int, count: int, folder: Path) -> Iterator[Attack]:
    """Give random command lines; each ends with a message and an exit status."""
    from tests.cli.fuzzing import command_lines as drawn
    from tests.cli.fuzzing import write_files
    from tsmdbench.cli import main
    from tsmdbench.cli.failures import INTERNAL

    (folder / "files").mkdir()
    (folder / "work").mkdir()
    files = write_files(folder / "files")
    os.environ["TSMDBENCH_DATA"] = str(folder / "files")
    os.environ["TSMDBENCH_CACHE"] = str(folder / "cache")
    with contextlib.chdir(folder / "work"):
        for line in drawn(seed, count, files, str(folder / "out")):
            said = io.StringIO()
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(said),
            ):
                status = main(line)
            held = status != INTERNAL and "Traceback" not in said.getvalue()
            yield " ".join(line)[:200], held


def methods(_: int, count: int, __: Path) -> Iterator[Attack]:
    """Run misbehaving methods between good ones, whose results must be right."""
    from tests.experiments import mock_methods as mocks
    from tsmdbench.experiments.engine import Supervisor
    from tsmdbench.experiments.rows import KILLED
    from tsmdbench.experiments.specification import Limits
    from tsmdbench.experiments.tasks import Task

    series = np.sin(np.arange(200.0)) + np.arange(200.0) % 7
    bad = [(MOCKS + "Deserter", {}), (MOCKS + "Raiser", {}), (PLAINS + "Writes", {})]
    bad += [(PLAINS + name, {}) for name in ("Surrogate", "Unspeakable")]
    for name, field, values in (
        (PLAINS + "Writes", "highest", (1024,)),
        (PLAINS + "Changes", "how", ("sort", "one", "shape")),
        (PLAINS + "Ends", "how", ("segfault", "kill", "_exit", "exit", "close")),
        (PLAINS + "Returns", "what", ("far", "none", "reversed", "text")),
    ):
        bad += [(name, {field: value}) for value in values]
    forks = [{"how": how, "seconds": s} for how in ("os", "c") for s in (0, 0.1)]
    bad += [(MOCKS + "Forker", fields) for fields in forks]
    right = [m.segments.tolist() for m in mocks.Mock().find(series)]
    supervisor = Supervisor(Limits(seconds=5.0, memory=600 * 2**20))
    try:
        for name, fields in bad * max(1, count // 200):
            tasks = [Task(name, (fields,), series)]
            tasks += [Task(MOCKS + "Mock", ({},), series)] * 2
            (first,), *others = supervisor.run(tasks)
            # A process that was killed, by whomever, is not stored as an error.
            expected = KILLED if fields.get("how") == "kill" else "error"
            honest = first.status == expected or first.found in (right, PAIR)
            held = honest and all(one.found == right for (one,) in others)
            yield f"{name} {fields}", held
    finally:
        supervisor.stop()


def damaged_files(seed: int, count: int, folder: Path) -> Iterator[Attack]:
    """Flip bits of a store's files: noticed as damage, or nothing has changed."""
    from tsmdbench.errors import TsmdbenchError
    from tsmdbench.experiments.rows import Outcome, Run
    from tsmdbench.experiments.store import Store, StoreWriter
    from tsmdbench.experiments.truth import TRUTH, read_truth, truth_of, truth_parquet
    from tsmdbench.types import MotifSet, Problem

    path = folder / "store"
    problem = Problem(np.arange(90.0), {"a": MotifSet([(0, 9), (20, 29)])}, "p")
    with StoreWriter(path) as writer:
        runs = [Run("m", "1", "{}", "d", "test", f"p{n}", "0" * 32) for n in range(50)]
        writer.add([run.row(Outcome("ok", found=[[[0, 9]]])) for run in runs])
        writer.flush()
        writer.write_file(
            TRUTH, truth_parquet({("d", "test", problem.name): truth_of(problem)})
        )
    before = Store(path).table().to_pylist(), read_truth(path)
    rng = np.random.default_rng(seed)
    for file in (*Store(path).parts(), path / TRUTH):
        whole = file.read_bytes()
        for place in rng.integers(len(whole), size=count):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << int(rng.integers(8))
            file.write_bytes(damaged)
            try:
                held = (Store(path).table().to_pylist(), read_truth(path)) == before
            except TsmdbenchError:
                held = True
            except Exception:  # noqa: BLE001 (this is what is counted)
                held = False
            yield f"{file.name}, byte {place}", held
        file.write_bytes(whole)


def excessive_results(_: int, __: int, ___: Path) -> Iterator[Attack]:
    """Score 200,000 found sets within 30 s, by all metrics."""
    from tsmdbench.metrics import evaluate

    truth = {
        k: [(1000 * k + 100 * i, 1000 * k + 100 * i + 50) for i in range(10)]
        for k in range(8)
    }
    kinds = {
        "equal": [[(0, 50), (100, 150)]] * 200_000,
        "sizes": [[(0, 50)] + [(60, 61)] * (n % 5) for n in range(200_000)],
    }
    for name, found in kinds.items():
        begin = time.monotonic()
        evaluate(truth, found)
        yield f"{name} sets", time.monotonic() - begin < 30


KINDS: dict[str, tuple[Callable[[int, int, Path], Iterator[Attack]], int]] = {
    "command lines": (command_lines, 200),
    "misbehaving methods": (methods, 200),
    "damaged files": (damaged_files, 300),
    "excessive results": (excessive_results, 1),
}


def main() -> int:
    """Print the table; return 1 if anything broke."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--full", action="store_true", help="ten times as many")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    broken: list[str] = []
    lines = [f"{'kind':<22}{'tried':>8}{'held':>8}{'broken':>8}"]
    for kind, (attack, count) in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            tried = list(
                attack(given.seed, count * (10 if given.full else 1), Path(folder))
            )
        bad = [what for what, held in tried if not held]
        broken += [f"{kind}: {what}" for what in bad]
        lines.append(
            f"{kind:<22}{len(tried):>8}{len(tried) - len(bad):>8}{len(bad):>8}"
        )
    sys.stdout.write("\n".join([*lines, *broken]) + "\n")
    return int(bool(broken))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    raise SystemExit(main())
