"""Measure the report's page: its size, how long it takes to make and to open.

One command, ``python benchmarks/page.py [STORE]``. Without a store it makes one up with
as many runs as the paper has: for each problem and method the truth, moved and thinned
out at random, the more so the later the method stands in the list. It needs the archive
data of the datasets (``TSMDBENCH_DATA``) for their series. With a store it takes that.

Opening is measured in a headless Chromium: from the start of the navigation to the end
of the page's ``load`` event, which comes after all sections are drawn; the median of
five fresh pages. Then one problem is opened in the explorer.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import time
from pathlib import Path

import numpy as np

from tsmdbench.analysis.scores import score_store
from tsmdbench.errors import DataError, DownloadError
from tsmdbench.experiments.rows import Outcome, Run, parameters_text
from tsmdbench.experiments.sources import load_problems
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.methods import PAPER_METHODS
from tsmdbench.report.page import page

DATASETS = (
    "ECG5000",
    "Fungi",
    "Plane",
    "Symbols",
    "ArticularyWordRecognition",
    "ERing",
    "NATOPS",
    "PenDigits",
    "UWaveGestureLibrary",
    "CharacterTrajectories",
    "JapaneseVowels",
    "SpokenArabicDigits",
)
OUTPUT = Path(__file__).parent / "output" / "page"
ARGUMENTS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
OPENINGS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", nargs="?", help="a store; by default one is made up")
    parser.add_argument("--problems", type=int, default=200, help="per made-up dataset")
    parser.add_argument("--embed", default="auto")
    options = parser.parse_args()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    path = Path(options.store) if options.store else made_up(options.problems)
    begin = time.perf_counter()
    scores = score_store(path)
    scored = time.perf_counter()
    text = page(scores, Store(path), embed=options.embed)
    made = time.perf_counter()
    file = OUTPUT / "index.html"
    file.write_text(text, encoding="utf-8")
    rows = [
        ("datasets x methods", f"{len(scores.datasets)} x {len(scores.labels)}"),
        ("runs", f"{len(scores.table)}"),
        ("scoring [s]", f"{scored - begin:.1f}"),
        ("making the page [s]", f"{made - scored:.1f}"),
        ("size [MB]", f"{file.stat().st_size / 1e6:.1f}"),
        *opened(file),
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name.ljust(width)}  {value}")


def made_up(problems: int) -> Path:
    """Write a store of made-up runs, once."""
    path = OUTPUT / f"store-{problems}"
    if (path / "manifest.json").exists():
        return path
    rng = np.random.default_rng(0)
    with StoreWriter(path) as writer:
        for dataset in DATASETS:
            try:
                loaded = load_problems(dataset, "test", problems)
            except (DataError, DownloadError) as reason:
                print(f"left out: {reason}", file=sys.stderr)
                continue
            for place, method in enumerate(PAPER_METHODS):
                for problem in loaded:
                    run = Run(
                        method, "1", parameters_text({}), dataset, "test", problem.name
                    )
                    writer.add([run.row(outcome(problem, place, rng))])
            writer.flush()
        writer.compact()
    return path


def outcome(problem: object, place: int, rng: np.random.Generator) -> Outcome:
    """Return the truth with errors; one run in a hundred fails."""
    seconds = float(0.002 * 2**place * rng.lognormal(0, 0.4))
    if rng.random() < 0.01:
        return Outcome("timeout", 600.0, 600.0, 2**28, message="limit of 600 s")
    skill = 0.95 - 0.07 * ((place * 5) % 11)
    n = len(problem.series)  # type: ignore[attr-defined]
    sets = []
    for motifs in problem.truth.values():  # type: ignore[attr-defined]
        segments = []
        for start, end in motifs:
            if rng.random() < skill:
                shift = int(rng.normal(0, 0.12 * (end - start)))
                begin = min(max(0, start + shift), n - 2)
                segments.append([begin, max(begin + 1, min(n, end + shift))])
            elif rng.random() < 0.5:
                begin = int(rng.integers(0, n - 2))
                segments.append([begin, min(n, begin + end - start)])
        sets.append(segments)
    return Outcome("ok", seconds, seconds, 2**27, found=sets)


def opened(file: Path) -> list[tuple[str, str]]:
    """Open the page a few times and return how long it took."""
    from playwright.sync_api import sync_playwright

    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        return [("opening", "not measured: there is no Chromium")]
    loads, explores = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=ARGUMENTS
        )
        for _ in range(OPENINGS):
            view = browser.new_page(viewport={"width": 1280, "height": 900})
            view.goto(file.as_uri(), wait_until="load")
            loads.append(
                view.evaluate(
                    "performance.getEntriesByType('navigation')[0].loadEventEnd"
                )
            )
            begin = time.perf_counter()
            view.click("#heatmap tbody td a >> nth=0")
            view.wait_for_selector("#explore[data-ready] .matrix")
            explores.append(time.perf_counter() - begin)
            view.close()
        browser.close()
    return [
        ("opening, median [s]", f"{statistics.median(loads) / 1000:.2f}"),
        ("opening, slowest [s]", f"{max(loads) / 1000:.2f}"),
        ("first problem, median [s]", f"{statistics.median(explores):.2f}"),
    ]


if __name__ == "__main__":
    main()
