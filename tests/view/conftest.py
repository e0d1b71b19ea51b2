"""Pages of recordings in a browser."""

import pytest

from tests.view.making import FOUND, TRUTH, make_recording
from tsmdbench.view import view_page

ROWS = "t.layout.rows.map(({kind, channel}) => ({kind, name: channel?.name}))"


class Tab:
    """A page, and what people do with it: places are samples, rows have names."""

    def __init__(self, page):
        self.page = page
        self.wrong = []
        self.asked = []
        self.allowed = ("file:", "blob:")
        page.on("console", lambda message: self.wrong.append(message.text))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("dialog", self._dialog)
        page.on("request", self._request)

    def _dialog(self, dialog):
        self.asked.append(dialog.type)
        dialog.accept()

    def _request(self, request):
        if not request.url.startswith(self.allowed):
            self.wrong.append(request.url)

    def open(self, address):
        self.page.goto(address)
        self.page.wait_for_selector("body[data-ready]")
        return self

    def settle(self):
        """Wait until what was asked for is drawn."""
        for _ in range(4):
            self.page.evaluate("() => new Promise(requestAnimationFrame)")

    def state(self, expression):
        return self.page.evaluate(
            f"() => {{ const t = window.tsmdbench; return {expression}; }}"
        )

    def rows(self, kind):
        return [row for row in self.state(ROWS) if row["kind"] == kind]

    @property
    def sets(self):
        """The truth as it is in the page."""
        listed = self.state("t.truth.listed()")
        return {item["label"]: [tuple(p) for p in item["segments"]] for item in listed}

    @property
    def view(self):
        return self.state("[t.app.from, t.app.to]")

    @property
    def status(self):
        return self.page.locator("#status").inner_text()

    def at(self, sample, row="truth", place=0):
        """Pixels of a sample in the n-th row of a kind."""
        box = self.page.locator("#chart").bounding_box()
        x, y = self.page.evaluate(
            """([sample, kind, place]) => {
              const t = window.tsmdbench;
              const row = t.layout.rows.filter((r) => r.kind === kind)[place];
              return [t.xOf(sample), row.y + row.height / 2];
            }""",
            [sample, row, place],
        )
        return box["x"] + x, box["y"] + y

    def click(self, sample, row="truth", place=0):
        self.page.mouse.click(*self.at(sample, row, place))
        self.settle()

    def drag(self, begin, end, row="truth", place=0):
        """Press, move in steps, release."""
        self.page.mouse.move(*self.at(begin, row, place))
        self.page.mouse.down()
        self.page.mouse.move(*self.at(end, row, place), steps=5)
        self.page.mouse.up()
        self.settle()

    def keys(self, *names):
        for name in names:
            self.page.keyboard.press(name)
        self.settle()


@pytest.fixture
def look(browser):
    """Open pages; afterwards nothing was logged, thrown or asked of the network."""
    opened = []

    def open_page(address, allow=(), **options):
        options = {"viewport": {"width": 1280, "height": 900}} | options
        context = browser.new_context(accept_downloads=True, **options)
        tab = Tab(context.new_page())
        tab.allowed += tuple(allow)
        opened.append((context, tab))
        return tab.open(address)

    yield open_page
    for context, tab in opened:
        context.close()
        assert tab.wrong == []


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """A page with truth and finds."""
    file = tmp_path_factory.mktemp("view") / "walk.html"
    file.write_text(view_page(make_recording(), TRUTH, FOUND), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """A page of a series that nobody annotated, without a sampling rate."""
    file = tmp_path_factory.mktemp("view") / "empty.html"
    file.write_text(view_page(make_recording(rate=None)), encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def tab(look, address):
    return look(address)
