"""Measure the page of ``tsmdbench view``: size, opening, zooming and moving.

    python benchmarks/view.py [--samples 5000000] [--channels 3]

A random walk with made-up truth and found sets is written as a page and opened in a
headless Chromium of 1280 x 900 pixels, which draws without a graphics card. Then the
mouse zooms in by the wheel until single samples are seen and out again, and drags the
series at three zooms. A step is measured in the page: from the event to the first task
after the picture was drawn. A screen shows 60 pictures per second, so a step of less
than 17 ms is not noticed. The first steps at a zoom also unpack a resolution.
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np

from tsmdbench.io import Recording
from tsmdbench.view import view_page

OUTPUT = Path(__file__).parent / "output" / "view"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
STEPS = 30  # of the wheel in one direction
MOVES = 20  # of a drag
PAUSE = 60  # milliseconds between two events
PLACE = "() => document.querySelector('#chart').getBoundingClientRect().toJSON()"
# Counts the time from an event to the first task after the next picture.
MEASURE = """(kind) => {
  window.steps = [];
  addEventListener(kind, () => {
    const begin = performance.now();
    requestAnimationFrame(() => {
      const after = new MessageChannel();
      after.port1.onmessage = () => window.steps.push(performance.now() - begin);
      after.port2.postMessage(0);
    });
  }, { capture: true, passive: true });
}"""


def main() -> None:
    """Write the page, open it, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=5_000_000)
    parser.add_argument("--channels", type=int, default=3)
    given = parser.parse_args()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    file = OUTPUT / "view.html"
    begin = time.perf_counter()
    file.write_text(made_up(given.samples, given.channels), encoding="utf-8")
    rows = [
        ("samples x channels", f"{given.samples:,} x {given.channels}"),
        ("making the page [s]", f"{time.perf_counter() - begin:.1f}"),
        ("size [MB]", f"{file.stat().st_size / 1e6:.1f}"),
        *measured(file),
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name.ljust(width)}  {value}")


def made_up(samples: int, channels: int) -> str:
    """Return the page of a random walk with 200 true and 200 found segments."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(samples, channels)).cumsum(axis=0)
    names = tuple(f"channel {number}" for number in range(channels))
    starts = np.linspace(0, samples * 0.99, 200).astype(int)
    length = samples // 1000
    truth = {"a": [(int(s), int(s) + length) for s in starts]}
    found = {"set 1": [(int(s) + length // 9, int(s) + length) for s in starts]}
    return view_page(Recording(x, names, rate=1000.0), truth, {"a method": found})


def measured(file: Path) -> list[tuple[str, str]]:
    """Open a page, zoom and drag, and return what it took."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        begin = time.perf_counter()
        page.goto(file.as_uri())
        page.wait_for_selector("body[data-ready]")
        rows = [("opening [s]", f"{time.perf_counter() - begin:.1f}")]
        box = page.evaluate(PLACE)
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        rows.append(("zooming by the wheel [ms]", summary(zoomed(page))))
        rows.append(("dragging [ms]", summary(dragged(page, box))))
        browser.close()
    return rows


def zoomed(page: Any) -> list[float]:
    """Zoom in and out again; return the milliseconds of every step."""
    page.evaluate(MEASURE, "wheel")
    for direction in (-1, 1):
        for _ in range(STEPS):
            page.mouse.wheel(0, direction * 240)
            page.wait_for_timeout(PAUSE)
    steps: list[float] = page.evaluate("() => window.steps")
    return steps


def dragged(page: Any, box: dict[str, float]) -> list[float]:
    """Drag at three zooms; return the milliseconds of every step."""
    page.evaluate(MEASURE, "pointermove")
    y = box["y"] + box["height"] / 3
    for _ in range(3):
        for _ in range(8):
            page.mouse.wheel(0, -240)
            page.wait_for_timeout(PAUSE)
        page.mouse.move(box["x"] + box["width"] * 0.7, y)
        page.mouse.down()
        for move in range(MOVES):
            page.mouse.move(box["x"] + box["width"] * 0.7 - 15 * move, y)
            page.wait_for_timeout(PAUSE)
        page.mouse.up()
    steps: list[float] = page.evaluate("() => window.steps")
    return steps


def summary(steps: list[float]) -> str:
    """Return the median, the 0.95 quantile and the most of some times."""
    middle, high = np.quantile(steps, [0.5, 0.95])
    return (
        f"median {middle:.0f}, 95 % below {high:.0f}, at most {max(steps):.0f} "
        f"({len(steps)} steps)"
    )


if __name__ == "__main__":
    main()
