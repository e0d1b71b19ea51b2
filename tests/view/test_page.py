"""The page as text: what is in it, and what cannot get out of its place."""

import json
import re

import numpy as np
import pytest

from tests.view.making import FOUND, TRUTH, make_recording
from tsmdbench import InputError, MotifSet
from tsmdbench.cli import main
from tsmdbench.io import Gap, write_motif_sets
from tsmdbench.methods.figure import draw_found
from tsmdbench.metrics import subspace_prom
from tsmdbench.view import levels, view_page
from tsmdbench.view.page import ViewPage

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.S)


def facts(page):
    return json.loads(DATA.search(page)[1])


def test_page_holds_sets_as_they_were_given():
    given = facts(view_page(make_recording(), TRUTH, FOUND))
    got = {
        item["label"]: [tuple(p) for p in item["segments"]] for item in given["truth"]
    }
    assert got == TRUTH
    assert [group["name"] for group in given["found"]] == list(FOUND)
    assert given["n"] == 4000
    assert given["rate"] == 100
    assert given["save"] is None


def test_sets_with_channels_are_shown_in_them_and_not_edited(tmp_path, capsys):
    recording = make_recording()
    sets = {"a": MotifSet([((0, 10), (5, 15)), ((40, 50), (40, 52))], channels=(0, 1))}
    shown = facts(view_page(recording, sets, {"m": sets}))
    assert shown["truth"] == []
    assert [group["name"] for group in shown["found"]] == ["truth, by channel", "m"]
    for group in shown["found"]:
        assert group["sets"][0]["segments"] == [[0, 15], [40, 52]]
        assert group["sets"][0]["intervals"] == [
            {"0": [0, 10], "1": [5, 15]},
            {"0": [40, 50], "1": [40, 52]},
        ]
    series, truth = tmp_path / "walk.csv", tmp_path / "truth.json"
    np.savetxt(series, recording.values, delimiter=",")
    write_motif_sets(truth, sets)
    assert main(["view", str(series), "--serve", "--truth", str(truth)]) == 2
    assert "can be viewed but not edited" in capsys.readouterr().err.splitlines()[-1]


def test_channels_that_a_series_does_not_have_are_refused_everywhere():
    recording, far = make_recording(), {"a": MotifSet([(0, 10), (40, 50)], [9])}
    message = f"set 'a' has channel 9, but the series has {len(recording.channels)} "
    with pytest.raises(InputError, match=message):
        view_page(recording, far)
    with pytest.raises(InputError, match=message):
        view_page(recording, {}, {"m": far})
    with pytest.raises(InputError, match=message):
        draw_found(recording, far)
    with pytest.raises(InputError, match=message):
        subspace_prom(far, far).plot(recording)


def test_names_cannot_leave_their_place():
    bad = "</script><script>window.hacked=1</script>@@script@@"
    recording = make_recording(n=600, channels=(bad, "b"))
    page = view_page(recording, {bad: [(0, 5)]}, {bad: {bad: [(0, 5)]}}, title=bad)
    assert "window.hacked=1</script>" not in page
    assert facts(page)["truth"][0]["label"] == bad
    assert facts(page)["channels"][0]["name"] == bad


def test_hostile_names_are_text_in_the_browser(look, tmp_path):
    bad = "</script><img src=x onerror='window.hacked=1'>"
    recording = make_recording(n=600, channels=(bad, "b"))
    file = tmp_path / "bad.html"
    found = {bad: {bad: [(0, 50), (300, 350)]}}
    file.write_text(view_page(recording, {bad: [(0, 50)]}, found, title=bad))
    tab = look(file.as_uri())
    assert tab.page.locator("img").count() == 0
    assert tab.page.locator("h1").inner_text() == bad
    tab.click(25)
    tab.page.locator("[data-key=review-0-0]").click()
    tab.settle()
    assert tab.page.evaluate("window.hacked") is None
    assert tab.page.locator("img").count() == 0


def test_only_a_served_page_may_connect():
    made = ViewPage(make_recording(n=300))
    assert "connect-src" not in made.html().partition("<style>")[0]
    served = made.html(save={"file": "t.json", "version": ""})
    assert "connect-src 'self'" in served.partition("<style>")[0]


def test_wrong_sets_are_refused():
    for truth, message in (
        ({"a": [(0, 10), (5, 20)]}, "must not overlap"),
        ({"a": [(0, 10)], "b": [(9, 12)]}, "must not overlap"),
        ({"a": [(0, 401)]}, "ends beyond the series"),
    ):
        with pytest.raises(InputError, match=message):
            view_page(np.zeros(400), truth)
    view_page(np.zeros(400), None, {"m": [[(0, 10), (5, 20)]]})
    with pytest.raises(InputError, match="ends beyond the series"):
        view_page(np.zeros(400), None, {"m": [[(0, 410), (5, 20)]]})


def test_notes_name_data_that_is_thinned_rounded_or_missing(monkeypatch):
    monkeypatch.setattr("tsmdbench.view.page.EXACT_VALUES", 1000)
    monkeypatch.setattr(levels, "MAX_VALUES", 4000)
    x = np.zeros(5000)
    x[7] = np.nan
    assert ViewPage(x).notes() == (
        "the page holds the lowest and the highest of every 4 samples",
        "values are rounded to 1/65,000 of the range of their channel",
        "1 values are missing and drawn as gaps",
    )
    assert ViewPage(np.zeros(900)).notes() == ()


def test_gaps_in_time_hide_times():
    recording = make_recording(n=300, gaps=(Gap(10, 5),))
    given = facts(view_page(recording))
    assert given["rate"] is None
    assert given["gaps"] == [[10, 5]]
    assert "rows are missing before 11, so times are not shown" in given["notes"]


def test_pages_of_other_values_have_other_keys():
    keys = {
        facts(view_page(np.full(n, v)))["key"] for n in (50, 51) for v in (0.0, 1.0)
    }
    assert len(keys) == 4
