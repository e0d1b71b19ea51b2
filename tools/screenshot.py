"""Take the picture of the report's page that the README shows.

    python tools/screenshot.py REPORT/index.html docs/images/report.png

Needs Chromium (``chromium`` or ``google-chrome`` on the path) and playwright.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

WIDTH, HEIGHT = 1280, 860
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Open the page and save what is seen first."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--fragment", default="", help="of the address: explore/...")
    parser.add_argument("--width", type=int, default=WIDTH)
    parser.add_argument("--height", type=int, default=HEIGHT)
    given = parser.parse_args()
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        size = {"width": given.width, "height": given.height}
        page = browser.new_page(viewport=size)
        address = given.page.resolve().as_uri()
        page.goto(f"{address}#{given.fragment}" if given.fragment else address)
        page.wait_for_timeout(1500)
        page.screenshot(path=given.picture)
        browser.close()


if __name__ == "__main__":
    main()
