"""Saving, loading, and what survives closing the page."""

import pytest

from tests.view.making import TRUTH, make_recording
from tsmdbench.cli import main
from tsmdbench.io import read_annotations
from tsmdbench.view import view_page

READERS = {"json": "json", "csv": "csv", "labels": "audacity"}


def saved(tab, tmp_path, name):
    tab.page.locator("#save-format").select_option(name)
    with tab.page.expect_download() as waiting:
        tab.page.locator("#save").click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


@pytest.mark.parametrize(
    ("name", "ending"), [("json", ".json"), ("csv", ".csv"), ("labels", ".txt")]
)
def test_saved_files_are_read_by_the_package(tab, tmp_path, name, ending):
    first = tab.page.locator("#truth input[type=text]").first
    first.fill('a "wave", or; ünlike')
    first.press("Enter")
    tab.click(1600)
    tab.keys(".")
    assert "Unsaved changes" in tab.page.locator("#saved").inner_text()
    file = saved(tab, tmp_path, name)
    assert file.name == f"walk.truth{ending}"
    read = read_annotations(file, file_format=READERS[name], recording=make_recording())
    wave = [(500, 700), (1501, 1721), (2600, 2800)]
    assert {key: list(map(tuple, pairs)) for key, pairs in read.sets.items()} == {
        'a "wave", or; ünlike': wave,
        "step": TRUTH["step"],
    }
    assert tab.page.locator("#saved").inner_text() == ""
    assert tab.state("t.isUnsaved()") is False
    # And the page reads its own files.
    tab.keys("Control+z")
    tab.page.locator("#load-file").set_input_files(file)
    tab.page.locator("#status", has_text="Loaded walk").wait_for()
    assert tab.sets['a "wave", or; ünlike'] == wave


def test_a_set_without_segments_is_not_saved(tab, tmp_path):
    tab.page.locator("[data-key=new-set]").click()
    tab.settle()
    assert tab.state("t.isUnsaved()") is False
    for name in READERS:
        file = saved(tab, tmp_path, name)
        assert tab.status.endswith("Left out 1 set without segments.")
        assert "set 3" not in file.read_text()
        assert main(["evaluate", *[str(tmp_path / "walk.truth.json")] * 2]) == 0


BAD = [
    ('{"a": [[0, 10], [5, 20]]}', "overlaps [0, 10) of “a”"),
    ('{"a": [[0, 5000]]}', "does not lie in the series, which has 4000 samples"),
    ('{"a": [[10, 10]]}', "is empty"),
    ('{"a": [["1s", "2s"]]}', "a segment is [start, end] in samples"),
    ('{"a": [[1, 2]', "malformed JSON"),
    ('{"a": 3}', "expected a list of [start, end]"),
    ("set,begin,end\na,1,2\n", "the header must be set,start,end"),
    ("set,start,end\na,1,x\n", "row 2"),
    ("0.5\t1.5\n", "neither JSON"),
    ("0.5\t1.5\t\n", "expected start, end and label"),
    ("", "neither JSON"),
    ("\x00\x01", "neither JSON"),
]


def test_bad_files_are_refused_with_a_sentence(tab):
    for text, says in BAD:
        given = {"name": "bad.txt", "mimeType": "text/plain", "buffer": text.encode()}
        tab.page.locator("#load-file").set_input_files(given)
        tab.page.locator("#status.refused", has_text=says).wait_for()
        assert tab.sets == TRUTH


def test_closing_asks_and_loses_nothing(tab):
    tab.click(1600)
    tab.keys("Delete")
    tab.page.reload()
    tab.page.wait_for_selector("body[data-ready]")
    tab.settle()
    assert tab.asked == ["beforeunload"]
    assert tab.sets["wave"] == [(500, 700), (2600, 2800)]
    assert "This browser kept changes" in tab.page.locator("#notice").inner_text()
    assert tab.state("t.isUnsaved()") is True
    tab.page.get_by_role("button", name="Back to the truth of the page").click()
    tab.settle()
    assert tab.sets == TRUTH
    tab.page.reload()
    tab.page.wait_for_selector("body[data-ready]")
    assert tab.asked == ["beforeunload"]  # nothing was unsaved
    assert tab.sets == TRUTH


def test_changes_are_kept_by_series_and_truth(tab, tmp_path):
    tab.click(1600)
    tab.keys("Delete")
    other = tmp_path / "series.html"
    other.write_text(view_page(make_recording(n=3900), TRUTH))
    tab.open(other.as_uri())
    assert tab.sets == TRUTH
    assert tab.page.locator("#notice").is_hidden()
    other = tmp_path / "truth.html"
    other.write_text(view_page(make_recording(), {"new": [(10, 60)]}))
    tab.open(other.as_uri())
    assert tab.sets == {"new": [(10, 60)]}
    tab.page.get_by_role("button", name="Show it").click()
    tab.settle()
    assert tab.sets["wave"] == [(500, 700), (2600, 2800)]
