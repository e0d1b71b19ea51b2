"""Annotating in a browser, with the mouse and with the keyboard alone."""

import pytest

from tests.view.making import TRUTH, N


def near(pairs, wanted, within=6):
    assert len(pairs) == len(wanted)
    for pair, other in zip(pairs, wanted, strict=True):
        assert pair == pytest.approx(other, abs=within)


def test_dragging_in_the_lane_draws_a_segment_and_the_first_set(look, empty):
    tab = look(empty)
    tab.drag(800, 1000)
    assert list(tab.sets) == ["set 1"]
    near(tab.sets["set 1"], [(800, 1000)])
    tab.keys("Control+z")
    assert tab.sets == {}  # one step, although it made a set too
    tab.keys("Control+y")
    near(tab.sets["set 1"], [(800, 1000)])


def test_shift_and_draw_mode_draw_over_the_series(tab):
    tab.page.keyboard.down("Shift")
    tab.drag(3000, 3100, "channel", 1)
    tab.page.keyboard.up("Shift")
    near(tab.sets["wave"], [*TRUTH["wave"], (3000, 3100)])
    tab.page.locator("#draw").click()
    tab.drag(3500, 3300, "channel")  # backwards
    near(tab.sets["wave"], [*TRUTH["wave"], (3000, 3100), (3300, 3500)])
    assert tab.view == [0, N]


def test_overlapping_truth_is_refused_where_it_is_drawn(tab):
    tab.page.mouse.move(*tab.at(800))
    tab.page.mouse.down()
    tab.page.mouse.move(*tab.at(1100), steps=4)
    tab.settle()
    assert (
        "overlaps [1000, 1150) of “step”; true segments must not overlap." in tab.status
    )
    assert tab.state("t.app.draft.refused") is True
    tab.page.mouse.up()
    tab.settle()
    assert tab.sets == TRUTH
    assert "must not overlap" in tab.status
    tab.drag(600, 1000)  # moving one onto another
    assert "must not overlap" in tab.status
    assert tab.sets == TRUTH


def test_dragging_moves_and_resizes(tab):
    tab.drag(600, 800)
    near(tab.sets["wave"], [(700, 900), (1500, 1720), (2600, 2800)])
    tab.drag(2800, 2900)
    near(tab.sets["wave"], [(700, 900), (1500, 1720), (2600, 2900)])
    tab.drag(1500, 1400)
    near(tab.sets["wave"], [(700, 900), (1400, 1720), (2600, 2900)])
    tab.drag(1400, 1450, "channel", 2)  # the end of the selected one, over the series
    near(tab.sets["wave"], [(700, 900), (1450, 1720), (2600, 2900)])
    tab.keys(*["Control+z"] * 4)
    assert tab.sets == TRUTH
    tab.keys("Control+Shift+z")
    near(tab.sets["wave"][:1], [(700, 900)])


def test_a_segment_stays_within_the_series(tab):
    tab.drag(2700, 3990)
    assert tab.sets["wave"][-1] == (N - 200, N)


def fill(tab, bound, text):
    field = tab.page.locator(f"#segment-{bound}")
    field.fill(text)
    field.press("Tab")
    tab.settle()
    return field.input_value()


def test_fields_change_the_selected_segment(tab):
    tab.click(1600)
    # Times, since times are shown.
    assert tab.page.locator("#segment-end").input_value() == "17.2 s"
    assert fill(tab, "start", "14.9") == "14.9 s"
    assert fill(tab, "end", "0:17 s") == "17 s"
    assert tab.sets["wave"][1] == (1490, 1700)
    assert "14.9 s to 17 s" in tab.status
    assert fill(tab, "end", "27") == "17 s"
    assert "[1490, 2700) overlaps [2600, 2800) of “wave”" in tab.status
    assert fill(tab, "start", "soon") == "14.9 s"
    assert "“soon” is not a time such as 14.9 s" in tab.status
    tab.page.locator("#units").click()
    tab.settle()
    assert fill(tab, "end", "1690") == "1690"
    assert fill(tab, "start", "4.5") == "1490"
    assert "“4.5” is not a whole number of samples" in tab.status
    tab.page.locator("#segment-set").select_option(label="step")
    tab.settle()
    assert "[1490, 1690) of “step”" in tab.status
    assert tab.sets == {
        "wave": [(500, 700), (2600, 2800)],
        "step": [(1000, 1150), (1490, 1690)],
    }
    tab.page.get_by_role("button", name="Delete", exact=True).click()
    tab.settle()
    assert tab.sets["step"] == [(1000, 1150)]


def test_keyboard_alone_draws_moves_resizes_relabels_and_deletes(look, empty):
    tab = look(empty)
    for _ in range(40):  # reach the picture as a keyboard does
        if tab.page.evaluate("document.activeElement.id") == "chart":
            break
        tab.keys("Tab")
    assert tab.page.evaluate("document.activeElement.id") == "chart"
    tab.keys("Home", *["Shift+ArrowRight"] * 5)
    begin = tab.state("t.app.cursor")
    tab.keys("Enter", *["Shift+ArrowRight"] * 2, ".", "Enter")
    ((start, end),) = tab.sets["set 1"]
    assert (start, end) == (
        begin,
        tab.state("t.app.selected && t.truth.segment(t.app.selected).end"),
    )
    assert end > start
    tab.keys(".", ".", ",")  # by one sample
    assert tab.sets["set 1"] == [(start + 1, end + 1)]
    tab.keys("e", ".", ".", "s", ",")
    assert tab.sets["set 1"] == [(start, end + 3)]
    tab.keys("t")  # a new set
    tab.keys("2")
    assert tab.sets == {"set 1": [], "set 2": [(start, end + 3)]}
    tab.keys("r")
    tab.page.keyboard.type("run")
    tab.keys("Enter")
    assert list(tab.sets) == ["set 1", "run"]
    assert tab.page.evaluate("document.activeElement.id") == "chart"
    tab.keys("Delete")
    assert tab.sets == {"set 1": [], "run": []}
    tab.keys("Control+z")
    assert tab.sets["run"] == [(start, end + 3)]


def test_keyboard_refuses_overlap_and_escape_leaves(tab):
    tab.page.locator("#chart").focus()
    tab.keys("n")
    assert "5 s to 7 s" in tab.status
    tab.keys("w", *["Shift+ArrowRight"] * 1)
    for _ in range(30):
        tab.keys("ArrowRight")
    assert "must not overlap" in tab.status
    first = tab.sets["wave"][0]
    assert first[1] <= 1000
    tab.keys("n")
    assert "of “step”" in tab.status
    tab.keys("p", "Escape")
    assert tab.state("t.app.selected") is None
    before = tab.sets
    tab.keys("Home", "Enter", "ArrowRight", "Escape")
    assert tab.sets == before
    assert tab.status == "Nothing was drawn."


def test_keys_are_listed(tab):
    tab.page.locator("#chart").focus()
    tab.keys("?")
    dialog = tab.page.locator("#keys")
    assert dialog.is_visible()
    assert "begin a segment at the cursor" in dialog.inner_text()
    tab.keys("Escape")
    assert dialog.is_hidden()


def test_sets_have_names_and_colours(tab):
    name = tab.page.locator("#truth input[type=text]").first
    name.fill("step")
    name.press("Enter")
    tab.settle()
    assert tab.status == "There is already a set “step”; choose another name."
    name = tab.page.locator("#truth input[type=text]").first
    assert name.input_value() == "wave"
    name.fill("  <img src=x onerror=alert(1)> ")
    name.press("Enter")
    tab.settle()
    assert list(tab.sets) == ["<img src=x onerror=alert(1)>", "step"]
    tab.page.locator("#truth input[type=color]").nth(1).fill("#aa00bb")
    tab.settle()
    assert tab.state("t.truth.state.sets[1].colour") == "#aa00bb"
    tab.page.get_by_label("Delete the set “step”").click()
    tab.settle()
    assert list(tab.sets) == ["<img src=x onerror=alert(1)>"]
    tab.page.locator("#undo").click()
    tab.settle()
    assert tab.sets["step"] == TRUTH["step"]


def test_proposals_are_accepted_one_by_one(tab):
    # Of three found ones, two overlap the truth already: one is open.
    tab.page.locator("[data-key=review-0-0]").click()
    tab.settle()
    assert "Found 32 s to 34 s of “set 1” by LoCoMotif" in tab.status
    tab.page.locator("#propose-target").select_option(label="wave")
    tab.page.locator("[data-key=propose-accept]").click()
    tab.settle()
    assert tab.sets["wave"] == [*TRUTH["wave"], (3200, 3400)]
    assert "are decided" in tab.status
    # An overlapping pair: skip the first, accept the second, into a set of its name.
    tab.page.locator("[data-key=review-0-2]").click()
    tab.page.locator("#propose-target").select_option(label="set of that name")
    tab.page.locator("#chart").focus()
    tab.keys("x", "y")
    assert tab.sets["set 3"] == [(150, 260)]
    tab.keys("Control+z")
    assert "set 3" not in tab.sets


def test_a_proposal_over_the_truth_is_refused(tab):
    tab.click(1200, "found", 2)  # [1100, 1300) of set 3
    tab.page.locator("[data-key=propose-accept]").click()
    tab.settle()
    assert "[1100, 1300) overlaps [1000, 1150) of “step”" in tab.status
    assert tab.sets == TRUTH


def test_all_proposals_are_accepted_but_those_that_overlap(tab):
    tab.page.locator("[data-key=review-0-2]").click()
    tab.page.locator("[data-key=propose-all]").click()
    tab.settle()
    assert tab.sets["set 3"] == [(100, 200)]
    assert "1 overlap others and were left out" in tab.status


def test_scores_follow_the_annotation(tab):
    before = tab.page.locator("[data-number=recall]").inner_text()
    tab.click(2700)
    tab.keys("Delete")
    after = tab.page.locator("[data-number=recall]").inner_text()
    assert (before, after) == ("0.750", "1.000")
