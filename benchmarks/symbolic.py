"""Time the symbolic methods: against jMotif, against n, over the grid of the paper.

    python benchmarks/symbolic.py [--jmotif CLASSPATH]

Answers are compared before times: the stored words, rules and counts of the public
implementations, and with ``--jmotif`` (classes or jars of jMotif/SAX and jMotif/GI with
what they need; a JDK on the path) those of jMotif itself on the series that is timed.
Its times are those inside a running Java machine: of the first run, which is what a
command line gets, and of the fastest of three hundred, which no command line gets: it
still becomes faster after a hundred.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tsmdbench.methods.grammar import Grammar, infer
from tsmdbench.methods.gv import GVRePair, GVSequitur
from tsmdbench.methods.mrmotif import MrMotif

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "tests" / "golden" / "symbolic"
OUTPUT = HERE / "output"
SETTING = {"window": 64, "word_length": 8, "alphabet_size": 4}
PASSES = 4  # over all lengths
METHODS = {
    "GVSequitur": GVSequitur(**SETTING, max_sets=3),
    "GVRePair": GVRePair(**SETTING, max_sets=3),
    "MrMotif": MrMotif(64, max_sets=3),
}
JAVA_RUNS = 300


def walk(n: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=n).cumsum()


def period(n: int) -> np.ndarray:
    noise = np.random.default_rng(0).normal(size=n)
    return np.sin(np.arange(n) * (2 * np.pi / 100)) + 0.2 * noise


def seconds(
    task: Callable[[], Any],
    repeats: int,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Return the shortest time of a task that has been warmed up.

    Processor time unless told otherwise: the methods use one core, and others may be
    using it too.
    """
    task()
    best = np.inf
    for _ in range(repeats):
        begin = clock()
        task()
        best = min(best, clock() - begin)
    return best


def digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def compare_with_golden() -> None:
    """Stop unless the stored words of jMotif come out."""
    cases = 0
    for path in sorted(GOLDEN.glob("*.json")):
        golden = json.loads(path.read_text())
        x = np.load(GOLDEN / golden["input"], allow_pickle=False)
        if path.stem.startswith("mrmotif"):
            continue  # the port spells words otherwise
        names = ("window", "word_length", "alphabet_size", "numerosity")
        grammar = infer(x, **{name: golden[name] for name in names})
        same = digest(grammar.sax.text()) == golden["words_sha256"]
        if not same:
            sys.exit(f"the answers of {path.name} do not come out: nothing to time")
        cases += 1
    print(f"words: all {cases} stored cases of jMotif agree\n")


def run_jmotif(classpath: str, x: np.ndarray, algorithm: str) -> dict[str, list[str]]:
    """Run jMotif on a series; return its lines by kind."""
    OUTPUT.mkdir(exist_ok=True)
    source, series = HERE / "JMotifDriver.java", OUTPUT / "series.txt"
    series.write_text("\n".join(map(repr, x.tolist())))
    command = ["javac", "-cp", classpath, "-d", str(OUTPUT), str(source)]
    subprocess.run(command, check=True)
    options = [*map(str, SETTING.values()), "EXACT", algorithm, str(JAVA_RUNS)]
    command = ["java", "-cp", f"{OUTPUT}:{classpath}", "JMotifDriver", str(series)]
    done = subprocess.run([*command, *options], check=True, capture_output=True, text=1)
    lines: dict[str, list[str]] = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        kind, _, rest = line.partition("\t")
        lines[kind].append(rest)
    return lines


def same_grammar(lines: dict[str, list[str]], ours: Grammar) -> str:
    """Tell how far jMotif's words and rules are ours."""
    words = lines["words"][0].split()
    if words != ours.sax.text() or lines["starts"][0].split() != [
        str(start) for start in ours.sax.starts
    ]:
        sys.exit("jMotif finds other words: nothing to time")
    bodies = dict(line.split("\t") for line in lines["rule"])
    rules = {name.strip(): body.split() for name, body in bodies.items()}
    full: dict[str, list[str]] = {}

    def expand(name: str) -> list[str]:
        if name not in full:
            full[name] = []
            for symbol in rules[name]:
                full[name] += expand(symbol) if symbol in rules else [symbol]
        return full[name]

    theirs = collections.Counter(" ".join(expand(n)) for n in rules if n != "R0")
    mine = collections.Counter(rule.words for rule in list(ours)[1:])
    return f"words equal, {(theirs & mine).total()} of {theirs.total()} rules equal"


def time_against_jmotif(classpath: str | None) -> None:
    x = walk(10_000)
    print("n = 10,000, w = 64, s = 8, a = 4, exact numerosity reduction, 3 sets")
    for name, method in METHODS.items():
        ours = seconds(lambda method=method: method.find(x), 20, time.perf_counter)
        line = f"  {name:<11}{1000 * ours:8.2f} ms"
        if classpath and name.startswith("GV"):
            algorithm = method.algorithm
            lines = run_jmotif(classpath, x, algorithm)
            grammar = infer(x, algorithm, **SETTING, flat_threshold=0.01)
            times = [float(each) for each in lines["seconds"]]
            line += (
                f"   jMotif without motif sets: first run {1000 * times[0]:.0f} ms = "
                f"{times[0] / ours:.0f} times, fastest {1000 * min(times):.0f} ms = "
                f"{min(times) / ours:.0f} times ({same_grammar(lines, grammar)})"
            )
        print(line)


def time_growth() -> None:
    """Show time against n, on two kinds of series.

    Pairs of words repeat at the same rate at every length in a noisy period, so the
    work is proportional to n. In a random walk ever more pairs repeat, a quarter at
    10,000 samples and three quarters at 640,000, and there is more to replace.
    """
    sizes = [10_000 * 2**k for k in range(7)] + [1_000_000]
    doublings = np.log2(sizes)
    for kind, make in (("a noisy period", period), ("a random walk", walk)):
        print(f"\ntime against n (s) in {kind}, and growth per doubling (2 is linear)")
        head = "".join(f"{n:>10,}" for n in sizes)
        print(f"  n          {head}     mean  largest")
        for name, method in METHODS.items():
            times = _times(method, make, sizes)
            steps = np.diff(np.log2(times)) / np.diff(doublings)
            whole = np.log2(times[-1] / times[0]) / (doublings[-1] - doublings[0])
            row = "".join(f"{each:>10.4f}" for each in times)
            print(f"  {name:<11}{row}{2**whole:>9.2f}{2 ** steps.max():>9.2f}")


def _times(
    method: Any, make: Callable[[int], np.ndarray], sizes: list[int]
) -> np.ndarray:
    """Return the shortest times, in passes: what disturbs a moment decides no step."""
    times = np.full(len(sizes), np.inf)
    for _ in range(PASSES):
        for place, n in enumerate(sizes):
            x = make(n)
            took = seconds(lambda x=x: method.find(x), 5)
            times[place] = min(times[place], took)
    return times


def show_memory() -> None:
    print(
        "\npeak memory at n = 1,000,000, one process each (MiB; the start takes some)"
    )
    for name in ("nothing", *METHODS):
        command = [sys.executable, __file__, "--memory-of", name]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        print(f"  {name:<11}{int(done.stdout) / 1024:8.0f}")


def memory_of(name: str) -> None:
    x = walk(1_000_000)
    if name in METHODS:
        METHODS[name].find(x)
    status = Path("/proc/self/status").read_text()  # a child's rusage has its parent's
    print(status.partition("VmHWM:")[2].split()[0])


def time_grid() -> None:
    x = walk(6_000)
    print("\nwhole grid of the paper at n = 6,000 (s by powers of two), by sweep")
    for l_max in (64, 128, 256, 512, 1024):
        windows = [2**k for k in range(3, round(np.log2(2 * l_max)) + 1)]
        grid = [
            {"window": w, "word_length": 2**k, "alphabet_size": a}
            for w in windows
            for k in range(2, round(np.log2(w)))
            for a in (2, 4, 8, 16)
        ]
        times = [
            seconds(lambda cls=cls, grid=grid: cls.sweep(x, grid), 2)
            for cls in (GVSequitur, GVRePair)
        ]
        print(
            f"  l_max = {l_max:>4}: {len(grid):>3} settings, "
            f"GVSequitur {times[0]:.2f} s, GVRePair {times[1]:.2f} s"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jmotif", metavar="CLASSPATH")
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_of:
        memory_of(options.memory_of)
        return
    compare_with_golden()
    time_against_jmotif(options.jmotif)
    time_growth()
    show_memory()
    time_grid()


if __name__ == "__main__":
    main()
