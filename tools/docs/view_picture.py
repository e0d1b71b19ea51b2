"""Take the pictures of ``tsmdbench view`` that the guide shows.

    python -m tools.docs.view_picture

``docs/images/view.png`` shows a made-up recording. Those in ``docs/images/recording``
show the pages that the commands of ``docs/guide/recording.md`` write. Needs Chromium
(``chromium`` or ``google-chrome`` on the path) and playwright.
"""

from __future__ import annotations

import shutil
import tempfile
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, ViewportSize, sync_playwright
from tools.docs.blocks import ROOT
from tools.docs.examples import Runner

from tsmdbench.io import Recording
from tsmdbench.view import view_page

PICTURES = ROOT / "docs" / "images"
GUIDE = ROOT / "docs" / "guide" / "recording.md"
OF_GUIDE = ("found", "scored")  # pages that its commands write
SIZE = {"width": 1280, "height": 1010}
SIZE_OF_GUIDE = {"width": 1280, "height": 760}
COLOURS = 96  # of the picture, which keeps it small
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SAMPLES = 12_000
RATE = 100.0


def example() -> tuple[Recording, dict[str, list[tuple[int, int]]]]:
    """Return a made-up recording of three channels with two kinds of movement."""
    rng = np.random.default_rng(3)
    x = 0.012 * rng.normal(size=(SAMPLES, 3)).cumsum(axis=0)
    x += 0.08 * rng.normal(size=x.shape)
    truth: dict[str, list[tuple[int, int]]] = {"step": [], "turn": []}
    for place, start in enumerate(range(500, SAMPLES - 900, 900)):
        label = "turn" if place % 3 == 2 else "step"
        length = 420 + 60 * int(rng.integers(0, 3))
        t = np.linspace(0, 1, length)
        shape = np.sin(2 * np.pi * (2 if label == "turn" else 4) * t**1.3)
        x[start : start + length] += np.outer(
            shape * np.sin(np.pi * t), [1.6, 1.0, 0.5]
        )
        truth[label].append((start, start + length))
    recording = Recording(
        x,
        ("acc_x", "acc_y", "gyro"),
        rate=RATE,
        start=np.datetime64("2024-05-01T12:00:00"),
        source="walk.csv",
    )
    return recording, truth


def found_in(truth: dict[str, list[tuple[int, int]]]) -> dict[str, list[list[int]]]:
    """Return what a method might have found: mostly right, with some errors."""
    moved = {
        label: [[start + 25, end + 10] for start, end in motifs]
        for label, motifs in truth.items()
    }
    return {
        "set 1": [*moved["step"][:6], [9900, 10300]],
        "set 2": moved["turn"][1:],
        "set 3": [[100, 400], [300, 560], [6900, 7150]],
    }


def main() -> None:
    """Write the pages and save what is seen of each."""
    recording, truth = example()
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name).resolve()
        text = view_page(recording, truth, {"LoCoMotif": found_in(truth)})
        (folder / "view.html").write_text(text, encoding="utf-8")
        Runner(GUIDE.read_text(), folder).run()
        browser = playwright.chromium.launch(
            executable_path=browser_path,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        take(browser, folder / "view.html", PICTURES / "view.png", SIZE)
        for page in OF_GUIDE:
            picture = PICTURES / "recording" / f"{page}.png"
            take(browser, folder / f"{page}.html", picture, SIZE_OF_GUIDE)
        browser.close()


def take(browser: Browser, file: Path, picture: Path, size: ViewportSize) -> None:
    """Open a page, select its first segment, and save what is seen."""
    page = browser.new_page(viewport=size)
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready]")
    page.locator("#chart").focus()
    page.keyboard.press("n")
    page.wait_for_timeout(800)
    seen = Image.open(BytesIO(page.screenshot())).convert("RGB")
    page.close()
    picture.parent.mkdir(exist_ok=True)
    seen.quantize(COLOURS).save(picture, optimize=True)


if __name__ == "__main__":
    main()
