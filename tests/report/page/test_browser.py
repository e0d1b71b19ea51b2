"""The page in a browser: what people do with it."""

import pytest

from tests.report.page.making import (
    HOSTILE_DATASET,
    HOSTILE_LABEL,
    HOSTILE_MESSAGE,
    HOSTILE_METHOD,
    HOSTILE_PROBLEM,
)
from tsmdbench.metrics import explain, prom

WIDTH = "document.documentElement.scrollWidth"


def column(tab, place, section="leaderboard"):
    """Text of one column of a table, top to bottom."""
    return tab.locator(f"#{section} tbody tr > *:nth-child({place})").all_inner_texts()


def numbers(tab, side=0):
    """What the explorer says of one side."""
    cells = tab.locator("article").nth(side).locator("[data-number]").all()
    return {cell.get_attribute("data-number"): cell.inner_text() for cell in cells}


def stored(made, dataset, method, problem):
    """Truth and find of a run."""
    where = {"dataset": dataset, "method": method, "problem": problem}
    row = made.store.table(None, where).to_pylist()[0]
    truth = next(p.truth for p in made.problems[dataset] if p.name == problem)
    return dict(truth), row["found"] if row["status"] == "ok" else []


def wait(tab, problem=""):
    """Wait until the requested problem is shown."""
    if problem:
        tab.wait_for_selector(f"#explore h3:text-is('{problem}')")
    tab.wait_for_selector("#explore[data-ready]")
    tab.evaluate("() => new Promise(requestAnimationFrame)")


def test_page_has_every_part_and_every_part_a_name(look, made):
    tab = look(made.address())
    assert tab.title() == "Trial"
    for section, count in (("ranks", 3), ("boxes", 3), ("time", 1), ("heatmap", 1)):
        assert tab.locator(f"#{section} svg[role=img]").count() == count
    tips = tab.locator("#time svg title").all_text_contents()
    assert [tip.split(":")[0] for tip in tips] == list(made.scores.labels)
    drawn = tab.locator("#heatmap svg").text_content()
    assert all(name in drawn for name in made.scores.labels)
    assert tab.locator("#failures tbody tr").count() == 6
    assert tab.locator("#explore svg .curve").count() == 1
    unnamed = tab.evaluate(
        """() => [...document.querySelectorAll(`button, select, input, svg[role=img],
          [role=region], section, nav, table`)].filter(e => {
            const label = e.getAttribute("aria-label")
              || e.getAttribute("aria-labelledby") || e.innerText
              || e.closest("label")?.innerText || e.caption?.textContent;
            return !label?.trim();
          }).map(e => e.outerHTML.slice(0, 80))"""
    )
    assert unnamed == []
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.id") == "theme"
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert tab.evaluate(outline) == "solid"


def test_leaderboard_sorts_both_ways_by_keyboard_and_by_address(look, made):
    tab = look(made.address())
    f1 = made.scores.means("prom_f1").mean().sort_values(ascending=False)
    assert [name.split()[0] for name in column(tab, 1)] == list(f1.index)
    head = tab.locator("#leaderboard th[data-key=recall]")
    head.locator("button").focus()
    for key, direction in (("Enter", "descending"), ("Space", "ascending")):
        tab.keyboard.press(key)
        recall = [float(text) for text in column(tab, 4)]
        assert recall == sorted(recall, reverse=direction == "descending")
        assert head.get_attribute("aria-sort") == direction
    assert tab.locator("#leaderboard th[aria-sort]").count() == 1
    assert tab.url.endswith("#leaderboard/recall/ascending")
    tab.evaluate("location.hash = '#leaderboard/method/ascending'")
    wait(tab)
    names = [name.split()[0] for name in column(tab, 1)]
    assert names == sorted(made.scores.labels, key=str.lower)


def test_heat_map_leads_to_the_explorer(look, made):
    tab = look(made.address())
    means = made.scores.means("prom_f1")
    cell = tab.get_by_text(f"emma, beta: {means.at['beta', 'emma']:.2f}").last
    cell.locator("xpath=..").locator("text").click()
    wait(tab, "beta/test/000")
    chosen = tab.locator("#explore select[name=method] option:checked").inner_text()
    assert chosen == "emma"


@pytest.mark.parametrize("method", ["locomotif", "mine"])
def test_explorer_shows_what_the_package_says(look, made, method):
    tab = look(made.address("explore", "beta", method, "beta/test/001"))
    truth, found = stored(made, "beta", method, "beta/test/001")
    want, why = prom(truth, found), explain(truth, found)
    assert numbers(tab) == {
        "F1": f"{want.f1:.3f}",
        "precision": f"{want.precision:.3f}",
        "recall": f"{want.recall:.3f}",
        "true pos.": str(want.tp),
        "false pos.": str(want.fp),
        "false neg.": str(want.fn),
    }
    rows = tab.locator("article .matrix tbody tr").all()
    cells = [row.locator("td").all_inner_texts() for row in rows]
    assert [[int(t or 0) for t in line] for line in cells] == want.matrix.tolist()
    assert tab.locator("article .matrix .pairing").count() == want.matched
    said = tab.locator("article .explanation > p, article .explanation li")
    lines = [" ".join(line.split()) for line in str(why).splitlines()]
    assert [" ".join(text.split()) for text in said.all_inner_texts()] == lines
    assert numbers(tab)["F1"] in tab.locator("[role=status]").inner_text()
    names = [problem.name for problem in made.problems["beta"]]
    values = [prom(*stored(made, "beta", method, name)).f1 for name in names]
    mean = float(tab.locator(".strip figcaption").get_attribute("data-mean"))
    assert mean == pytest.approx(sum(values) / len(values), abs=1e-4)
    table = made.scores.table
    row = table[(table["label"] == method) & (table["problem"] == "beta/test/001")]
    got = tab.locator("article .measures td").all_text_contents()
    metrics = row[list(made.scores.metrics)].to_numpy(dtype=float)[0]
    assert [float(text) for text in got] == pytest.approx(metrics.tolist(), abs=1e-4)


def test_two_methods_stand_side_by_side_and_a_failure_says_so(look, made):
    tab = look(made.address("explore", "alpha", "mine", "alpha/test/000"))
    tab.locator("select[name=other]").select_option(label="locomotif")
    tab.wait_for_selector("article >> nth=1")
    assert tab.locator("article h3").all_inner_texts() == ["mine", "locomotif"]
    for side, method in enumerate(("mine", "locomotif")):
        truth, found = stored(made, "alpha", method, "alpha/test/000")
        assert numbers(tab, side)["F1"] == f"{prom(truth, found).f1:.3f}"
    assert "This run failed (error)" in tab.locator("article .failure").inner_text()
    assert numbers(tab)["F1"] == "0.000"
    first, second = (tab.locator("article").nth(k).bounding_box() for k in (0, 1))
    assert first["y"] == second["y"]
    assert second["x"] > first["x"]


def test_addresses_lead_to_views_and_back(look, made):
    tab = look(made.address())
    tab.locator("select[name=dataset]").select_option(label="gamma")
    wait(tab, "gamma/test/000")
    assert tab.locator("#explore svg .curve").count() == 6
    assert "6 channels are shown" in tab.locator("#explore").inner_text()
    tab.locator("button[name=next]").click()
    wait(tab, "gamma/test/001")
    tab.wait_for_url("**/*gamma%2Ftest%2F001")
    tab.locator("#leaderboard th[data-key=recall] button").click()
    assert tab.url.endswith("#leaderboard/recall/descending")
    for problem in ("gamma/test/001", "gamma/test/000"):
        tab.go_back()
        wait(tab, problem)


def test_an_address_holds_the_whole_view_and_a_wrong_one_does_no_harm(look, made):
    tab = look(made.address("explore", "beta", "emma", "beta/test/003", "mine"))
    assert tab.locator("article h3").all_inner_texts() == ["emma", "mine"]
    assert abs(tab.locator("#explore").bounding_box()["y"]) < 100
    tab = look(made.address("explore", "nowhere", "x", "y", "9"))
    wrong = ("#%E0%A4%A", "#boxes/none", "#x/<b>", "#explore/alpha/none/none/a")
    for fragment in wrong:
        tab.evaluate("fragment => { location.hash = fragment; }", fragment)
        wait(tab)
        assert tab.locator("article").count() == 1


def test_hostile_names_come_out_as_they_are(look, hostile):
    tab = look(hostile.address("explore", HOSTILE_DATASET, HOSTILE_METHOD))
    assert tab.evaluate("window.hacked") is None
    assert tab.locator("main img, main b[onmouseover], svg[onload]").count() == 0
    assert tab.title() == "</title><script>window.hacked=1</script>"
    assert HOSTILE_METHOD in column(tab, 1)[0] + column(tab, 1)[1]
    assert "<img src=x…error" in tab.locator("#heatmap svg").text_content()
    assert HOSTILE_DATASET in tab.locator("#heatmap li").inner_text()
    assert tab.locator("#explore h3").first.inner_text() == f"{HOSTILE_PROBLEM}0"
    assert tab.locator("article h3").inner_text() == HOSTILE_METHOD
    assert any(HOSTILE_LABEL in t for t in tab.locator(".matrix th").all_inner_texts())
    assert HOSTILE_MESSAGE in tab.locator("#failures").inner_text()
    tab.locator("button[name=next]").click()
    wait(tab)
    assert tab.locator("#explore h3").first.inner_text() == f"{HOSTILE_PROBLEM}1"
    assert HOSTILE_MESSAGE in tab.locator("article .failure").inner_text()


@pytest.mark.parametrize("name", ["made", "hostile", "lengthy"])
def test_no_width_scrolls_sideways(look, request, name):
    tab = look(request.getfixturevalue(name).address())
    for width in (1100, 800, 390, 320):
        tab.set_viewport_size({"width": width, "height": 844})
        wait(tab)
        assert tab.evaluate(WIDTH) == width
    wide = tab.locator("main svg").evaluate_all(
        "all => all.filter(s => !s.closest('.scroll') && "
        "s.getBoundingClientRect().right > 321).length"
    )
    assert wide == 0


def test_dark_and_light_follow_the_system_the_switch_and_print(look, made):
    tab = look(made.address(), color_scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = tab.evaluate(colour)
    assert dark == "rgb(18, 22, 28)"
    tab.locator("#theme").click()
    assert tab.evaluate(colour) == "rgb(255, 255, 255)"
    assert tab.locator("#theme").get_attribute("aria-label") == "Colours: light"
    tab.locator("#theme").click()
    assert tab.evaluate(colour) == dark
    tab.emulate_media(media="print")
    assert tab.evaluate(colour) == "rgb(255, 255, 255)"
    assert not tab.locator("nav.sections").is_visible()
    assert not tab.locator("#boxes details").first.is_visible()
    tab.set_viewport_size({"width": 718, "height": 1000})  # A4 less margins
    wait(tab)
    assert tab.evaluate(WIDTH) == 718


def test_zoom_and_another_width_draw_the_picture_anew(look, made):
    tab = look(made.address())
    picture = tab.locator("#explore .zoomed svg")
    before = picture.bounding_box()["width"]
    tab.locator("select[name=zoom]").select_option("4")
    wait(tab)
    assert picture.bounding_box()["width"] > 3 * before
    assert tab.evaluate(WIDTH) == 1280
    tab.locator("select[name=zoom]").select_option("1")
    tab.set_viewport_size({"width": 700, "height": 900})
    wait(tab)
    assert picture.bounding_box()["width"] < before
