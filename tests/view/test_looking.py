"""The page in a browser: zoom, channels, found sets, scores, overlaid occurrences."""

import random

import numpy as np
import pytest

from tests.view.making import FOUND, TRUTH, N, comparison_case, make_recording
from tsmdbench.io import Recording
from tsmdbench.metrics import prom
from tsmdbench.view import view_page


def numbers(tab):
    cells = tab.page.locator("[data-number]").all()
    return {cell.get_attribute("data-number"): cell.inner_text() for cell in cells}


def expected(truth, found, **options):
    result = prom(truth, found, **options).micro
    return {
        name: f"{getattr(result, name):.3f}" for name in ("precision", "recall", "f1")
    }


def test_page_shows_every_part_and_the_series(tab):
    assert len(tab.rows("channel")) == 3
    assert len(tab.rows("found")) == 4
    assert tab.page.title() == "walk.csv"
    assert "4000 samples, 3 channels" in tab.page.locator("#facts").inner_text()
    assert tab.page.locator("#channels").inner_text().count("<b>up</b>") == 1
    assert tab.page.locator("#channels b").count() == 0
    x = make_recording().values
    tab.page.evaluate(
        "() => Promise.all(window.tsmdbench.CHANNELS.map((c) => c.load(0)))"
    )
    for place in range(3):
        got = tab.state(
            f"Array.from({{length: t.DATA.n}}, (_, i) => t.CHANNELS[{place}].value(i))"
        )
        assert np.abs(np.array(got) - x[:, place]).max() < 1e-6 * np.ptp(x[:, place])


def test_wheel_zooms_around_the_pointer_and_drag_moves(tab):
    x, y = tab.at(1000, "channel")
    tab.page.mouse.move(x, y)
    for _ in range(3):
        tab.page.mouse.wheel(0, -120)
    tab.settle()
    low, high = tab.view
    assert high - low < N * 0.6
    assert tab.at(1000, "channel")[0] == pytest.approx(x, abs=1)  # below the pointer
    tab.drag(1000, 1100, "channel")
    assert tab.view == pytest.approx([low - 100, high - 100], abs=3)
    tab.page.locator("#zoom-all").click()
    tab.settle()
    assert tab.view == [0, N]
    # The view stays within the series.
    tab.page.mouse.move(*tab.at(3990, "channel"))
    for _ in range(60):
        tab.page.mouse.wheel(0, -400)
    tab.settle()
    low, high = tab.view
    assert high - low == pytest.approx(12)
    assert 0 <= low < high <= N
    for _ in range(80):
        tab.page.mouse.wheel(0, 400)
    tab.settle()
    assert tab.view == [0, N]
    # The strip on top moves it.
    tab.page.locator("#zoom-in").click()
    tab.page.locator("#zoom-in").click()
    tab.settle()
    _, y = tab.at(0, "overview")
    box = tab.page.locator("#chart").bounding_box()
    tab.page.mouse.click(box["x"] + tab.state("t.layout.right") - 2, y)
    tab.settle()
    assert tab.view == pytest.approx([3000, N])


def test_keys_move_and_zoom(tab):
    tab.page.locator("#chart").focus()
    tab.keys("End")
    assert tab.state("t.app.cursor") == N
    tab.keys("Home", "+", "+", "ArrowRight")
    low, high = tab.view
    assert low == 0
    assert high < N / 2
    assert tab.state("t.app.cursor") > 0
    tab.keys("PageDown")
    assert tab.view[0] == pytest.approx(0.8 * high, abs=2)
    tab.keys("0")
    assert tab.view == [0, N]


def test_scores_are_those_of_the_package(tab):
    first, second = (list(sets.values()) for sets in FOUND.values())
    assert numbers(tab) == expected(TRUTH, first)
    tab.page.locator("#penalize").check()
    tab.settle()
    options = {"penalize_off_target": True}
    assert numbers(tab) == expected(TRUTH, first, **options)
    tab.page.locator("#threshold").focus()
    tab.keys(*["ArrowRight"] * 35)
    options["threshold"] = 0.85
    assert numbers(tab) == expected(TRUTH, first, **options)
    tab.page.locator("#score select").select_option("1")
    tab.settle()
    assert numbers(tab) == expected(TRUTH, second, **options)


def test_found_sets_switch_off_and_do_not_count(tab):
    # Overlapping segments of a set have rows of their own.
    assert tab.state("t.app.groups[0].sets[2].stack") == {"rows": [0, 1, 0], "count": 2}
    tab.page.get_by_label("set 1", exact=True).uncheck()
    tab.settle()
    sets = [FOUND["LoCoMotif"]["set 2"], FOUND["LoCoMotif"]["set 3"]]
    assert numbers(tab) == expected(TRUTH, sets)
    assert len(tab.rows("found")) == 3
    tab.page.get_by_label("LoCoMotif", exact=True).uncheck()
    tab.settle()
    assert len(tab.rows("found")) == 1


def test_channels_are_selectable_and_the_last_picture_follows(tab):
    for places, left in (((0, 1), "<b>up</b>"), ((1, 2), "right")):
        for place in places:
            tab.page.locator(f"#channel-{place}").click()
        tab.settle()
        assert [row["name"] for row in tab.rows("channel")] == [left]


def test_occurrences_of_a_set_are_laid_over_each_other(tab):
    assert tab.page.locator("#overlay-card").is_visible()
    assert "3 of 2 s to 2.2 s" in tab.page.locator("#overlay-controls").inner_text()
    tab.page.locator("#overlay-controls select").select_option("0/0")
    tab.settle()
    assert "3 of 1.95 s to 2.05 s" in tab.page.locator("#overlay-controls").inner_text()
    drawn = tab.page.evaluate(
        """() => { const c = document.querySelector("#overlay");
        const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
        let k = 0; for (let i = 3; i < d.length; i += 4) k += d[i] > 0; return k; }"""
    )
    assert drawn > 2000


def test_times_and_samples(tab, look, empty):
    texts = tab.state("t.axisMarks(0, 4000, 8, true).map((mark) => mark.text)")
    assert texts == [f"{k} s" for k in range(0, 41, 5)]
    assert tab.state("t.placeText(1234, true)") == "12.34 s"
    tab.page.locator("#units").uncheck()
    tab.click(600)
    assert tab.status == "Segment [500, 700) of “wave”, 200 samples."
    other = look(empty)
    assert other.page.locator("#units-choice").is_hidden()
    assert other.page.locator("#score-card").is_hidden()


def test_time_stamps_are_shown(look, tmp_path):
    recording = make_recording(start=np.datetime64("2024-05-01T23:59:50"))
    file = tmp_path / "page.html"
    file.write_text(view_page(recording))
    tab = look(file.as_uri())
    texts = tab.state("t.axisMarks(0, 4000, 4, true).map((mark) => mark.text)")
    assert texts == ["23:59:50", "00:00:00", "00:00:10", "00:00:20", "00:00:30"]
    assert tab.state("t.placeText(1001, true)") == "2024-05-02 00:00:00.01"


def test_phone_reads_without_scrolling_sideways(look, address):
    tab = look(
        address, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 360
    x, y = tab.at(1600)
    tab.page.touchscreen.tap(x, y)
    tab.settle()
    shown = tab.page.locator("#segment").inner_text()
    assert "[1500, 1720)" in shown or "15 s" in tab.status


def test_two_fingers_zoom(look, address):
    tab = look(address, viewport={"width": 360, "height": 740}, has_touch=True)
    x, y = tab.at(2000, "channel")
    client = tab.page.context.new_cdp_session(tab.page)

    def touch(kind, *places):
        points = [{"x": place, "y": y, "id": k} for k, place in enumerate(places)]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", x - 30, x + 30)
    for k in range(1, 7):
        touch("touchMove", x - 30 - 10 * k, x + 30 + 10 * k)
    touch("touchEnd")
    tab.settle()
    low, high = tab.view
    assert high - low == pytest.approx(N / 3, rel=0.05)
    assert low < 2000 < high


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_theme_colours_the_picture(look, address, theme):
    tab = look(address, color_scheme=theme)
    pixel = tab.page.evaluate(
        """() => { const t = window.tsmdbench, c = document.querySelector("#chart");
        const k = devicePixelRatio, row = t.layout.rows.find((r) => r.kind === "truth");
        const [x, y] = [t.xOf(600) * k, (row.y + 6) * k];
        return [...c.getContext("2d").getImageData(x, y, 1, 1).data]; }"""
    )
    assert tuple(pixel[:3]) == {"light": (0, 114, 178), "dark": (77, 168, 224)}[theme]


@pytest.mark.slow
@pytest.mark.parametrize("limit", [10**6, 100_000])
def test_long_series_are_drawn_from_every_resolution(
    look, tmp_path, monkeypatch, limit
):
    """16-bit values, and below `limit` samples thinned ones; peaks are never lost."""
    monkeypatch.setattr("tsmdbench.view.page.EXACT_VALUES", 1000)
    monkeypatch.setattr("tsmdbench.view.levels.MAX_VALUES", limit)
    n = 200_000
    x = np.sin(np.arange(n) / 500.0)
    x[123_456] = 7.0  # one sample that a coarse picture must show
    x[50_000:60_000] = np.nan
    file = tmp_path / "long.html"
    file.write_text(view_page(Recording(x[:, None], ("x",), source="long")))
    tab = look(file.as_uri())
    width = 1 if limit > n else 4
    widths = tab.state("t.CHANNELS[0].widths")
    assert len(widths) >= 3
    assert widths == [width * k for k in (1, 16, 64, 256)][: len(widths)]
    for level in range(len(widths)):
        tab.state(f"t.CHANNELS[0].load({level})")
        call = f"t.CHANNELS[0].extremes({level}, 123000, 124000)"
        high = tab.state(f"t.CHANNELS[0].decoded({call}[1])")
        assert high == pytest.approx(7.0, abs=1e-3)
        assert tab.state(f"t.CHANNELS[0].extremes({level}, 52000, 58000)") is None
    assert tab.state("t.CHANNELS[0].value(1000)") == pytest.approx(x[1000], abs=0.01)
    assert np.isnan(tab.state("t.CHANNELS[0].value(55000)"))
    tab.page.mouse.move(*tab.at(123_456, "channel"))
    for _ in range(40):
        tab.page.mouse.wheel(0, -120)
        tab.settle()
    low, high = tab.view
    assert high - low < 100
    assert low == pytest.approx(123_456, abs=n / 800)  # a pixel of the first view
    said = tab.page.locator("#about").inner_text()
    assert ("lowest and the highest of every 4 samples" in said) == (width == 4)


def test_what_decides_is_in_view_on_a_small_screen(look, address):
    tab = look(address, viewport={"width": 1366, "height": 768})
    for _ in range(2):  # without and with a selected segment
        for name in ("propose-accept", "propose-all", "review-0-0", "review-0-2"):
            box = tab.page.locator(f"[data-key={name}]").bounding_box()
            assert box["y"] + box["height"] <= 768, name
        tab.click(1600)
    box = tab.page.locator("#status").bounding_box()
    assert box["y"] + box["height"] <= 768


def test_channels_show_their_unit(look, tmp_path):
    recording = make_recording(channels=("ECG",), units=("mV",))
    page = tmp_path / "ecg.html"
    page.write_text(view_page(recording), encoding="utf-8")
    tab = look(page.as_uri())
    tab.click(100, "channel")
    assert tab.status.endswith("mV.")
    assert "mV" in tab.page.locator("#channels").inner_text()


def test_the_score_is_that_of_the_package_on_cases_with_ties(tab):
    rng = random.Random(0)
    cases = [comparison_case(rng) for _ in range(300)]
    cases += [comparison_case(rng, 30, 30) for _ in range(6)]
    got = tab.page.evaluate(
        "cases => cases.map(case_ => window.tsmdbench.prom(...case_))", cases
    )
    for (truth, found, percent, penalize), shown in zip(cases, got, strict=True):
        options = {"threshold": percent / 100, "penalize_off_target": penalize}
        want = prom(truth, found, **options)
        for name in ("tp", "fp", "fn", "precision", "recall", "f1"):
            assert shown[name] == getattr(want, name), (truth, found, percent)
