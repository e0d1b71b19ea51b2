"""The page as text: what it holds, what it must not hold, and how large it gets."""

import base64
import hashlib
import json
import re
import zlib
from dataclasses import replace

import numpy as np
import pytest

from tests.report.page.conftest import Made, working_in
from tests.report.page.making import HOSTILE_DATASET, make_problem, make_store
from tsmdbench.analysis.scores import Scores, score_store
from tsmdbench.errors import InputError
from tsmdbench.methods.info import method_info
from tsmdbench.report.page import Embed, check_embed, page
from tsmdbench.report.page.page import script_text
from tsmdbench.report.page.series import CHANNELS, LEVELS, POINTS, thinned
from tsmdbench.report.page.sources import SeriesSource
from tsmdbench.webpage import json_block, packed


def unpacked(text):
    return json.loads(zlib.decompress(base64.b64decode(text)))


def block(html, name):
    """Text of a data element."""
    found = re.search(rf'<script type="[a-z/]+" id="{name}">(.*?)</script>', html, re.S)
    return found.group(1)


def running(steps):
    return np.cumsum(steps)


def test_page_asks_for_nothing(made):
    assert not re.search(
        r"<(link|img|iframe|object|embed|base|form action)\b", made.html
    )
    assert not re.search(r"\b(src|srcset)\s*=", made.html)
    links = re.findall(r'href="([^"]*)"', made.html)
    assert links
    assert all(link.startswith("#") for link in links)
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", made.html)


def test_policy_allows_the_one_script_and_style_only(made):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', made.html).group(
        1
    )
    assert "default-src &#39;none&#39;" in policy
    for element in ("script", "style"):
        texts = re.findall(rf"<{element}>(.*?)</{element}>", made.html, re.S)
        digest = base64.b64encode(hashlib.sha256(texts[0].encode()).digest()).decode()
        assert len(texts) == 1
        assert f"{element}-src &#39;sha256-{digest}&#39;" in policy
    assert "unsafe" not in policy
    assert not re.search(r'\sstyle="|\son[a-z]+="', made.html)


def test_scripts_write_text_never_markup():
    script = script_text()
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
    ):
        assert word not in script
    for word in ("</script", "<!--", "fetch(", "XMLHttpRequest", "import("):
        assert word not in script


def test_hostile_names_cannot_leave_their_place(hostile):
    assert "<img" not in hostile.html
    assert hostile.html.count("<script>") == 1
    assert "<svg onload" not in hostile.html
    data = json.loads(block(hostile.html, "data"))
    assert data["datasets"] == [HOSTILE_DATASET]


def test_json_block_holds_any_text():
    text = "</script><!--&\u2028\U0001f600 é"
    made = json_block({text: [text, float("inf"), float("nan"), 1.5]})
    assert not set("<>&\u2028") & set(made)
    assert json.loads(made) == {text: [text, None, None, 1.5]}
    assert unpacked(packed([text])) == [text]


def test_page_holds_every_run(made):
    for place, dataset in enumerate(made.scores.datasets):
        runs = unpacked(block(made.html, f"runs-{place}"))
        assert [p["name"] for p in runs["problems"]] == [
            problem.name for problem in made.problems[dataset]
        ]
        for problem, shown in zip(
            made.problems[dataset], runs["problems"], strict=True
        ):
            sets = [motifs.segments.tolist() for motifs in problem.truth.values()]
            assert shown["truth"] == sets
            assert shown["labels"] == list(problem.truth)
            assert shown["n"] == len(problem.series)
        rows = made.store.table(None, {"dataset": dataset}).to_pylist()
        assert len(rows) == sum(len(line) for line in runs["runs"])
        for row in rows:
            label = made.scores.labels.index(row["method"])
            number = [p.name for p in made.problems[dataset]].index(row["problem"])
            run = runs["runs"][label][number]
            assert run["found"] == row["found"]
            assert run.get("status", "ok") == row["status"]


def test_page_is_the_same_when_made_again(made):
    with working_in(made.file.parent):
        assert page(made.scores, made.store, title="Trial") == made.html


def test_page_names_no_machine(made):
    manifest = made.store.manifest
    host = manifest.get("made_by", {}).get("host")
    assert host is None or f"<b>{host}</b>" not in made.html
    assert str(made.file.parent) not in made.html


@pytest.mark.parametrize(
    ("given", "limits"),
    [
        ("all", Embed()),
        ("none", Embed(problems=0)),
        ("7", Embed(problems=7)),
        (7, Embed(problems=7)),
        (Embed(problems=2), Embed(problems=2)),
    ],
)
def test_embed_choices(given, limits):
    assert check_embed(given) == limits


@pytest.mark.parametrize("given", ["some", "-1", "1.5", "", "²", True, None, 1.0])
def test_embed_says_what_it_takes(given):
    with pytest.raises(
        InputError, match="embed must be 'auto', 'all', 'none' or a num"
    ):
        check_embed(given)


def series_counts(html, datasets=3):
    return [
        sum(map(bool, json.loads(block(html, f"series-{place}"))))
        for place in range(datasets)
    ]


def test_embed_chooses_the_series(made):
    with working_in(made.file.parent):
        few = page(made.scores, made.store, embed=3)
        none = page(made.scores, made.store, embed="none")
        size = len(packed(thinned(made.problems["gamma"][0].series)))
        room = 700_000 + 6 * size
        small = page(made.scores, made.store, embed=Embed(page_bytes=room))
    assert series_counts(made.html) == [8, 8, 8]
    assert series_counts(few) == [3, 3, 3]
    assert series_counts(none) == [0, 0, 0]
    assert "the page was made without series" in none
    assert "the page carries the series of 3 of 8 problems" in few
    assert len(none.encode()) < len(small.encode()) < room
    counts = series_counts(small)
    assert counts == sorted(counts, reverse=True)  # one of each dataset in turn
    assert 0 < sum(counts) < 24
    assert counts[0] - counts[-1] <= 1


def test_missing_data_is_said(tmp_path):
    with working_in(tmp_path):
        for name, word in (("alpha", "alpha"), ("os:abort", "code")):
            source = SeriesSource(name, "test")
            assert word in source.reason
            assert source.get("alpha/test/000") is None


def test_thinning_keeps_extremes_and_says_how_many_channels():
    rng = np.random.default_rng(0)
    series = rng.normal(size=(20_000, 9)).cumsum(axis=0)
    series[7_001, 2] = 1e4
    series[5, 1] = np.nan
    made = thinned(series)
    assert (made["n"], made["channels"], len(made["lines"])) == (20_000, 9, CHANNELS)
    line = made["lines"][2]
    at, value = running(line["at"]), running(line["value"])
    assert len(at) == len(value) <= POINTS
    assert at[np.argmax(value)] == 7_001
    assert line["high"] == 1e4
    assert (value.min(), value.max()) == (0, LEVELS)
    assert 5 not in running(made["lines"][1]["at"])


def test_channels_that_a_method_looks_at_are_shown(made):
    place = made.scores.datasets.index("gamma")
    series = unpacked(json.loads(block(made.html, f"series-{place}"))[0])
    assert [line["channel"] for line in series["lines"]] == [0, 1, 2, 3, 4, 7]
    assert [line["channel"] for line in thinned(np.zeros((5, 2)), [7])["lines"]] == [
        0,
        1,
    ]


def test_thinning_short_and_flat_series():
    line = thinned(np.array([2.0, 2.0, 2.0]))["lines"][0]
    assert (line["low"], line["high"], line["value"]) == (2.0, 2.0, [0, 0, 0])
    empty = thinned(np.full(3, np.nan))["lines"][0]
    assert empty["at"] == []
    short = np.array([0.0, 3.0, 1.5, 3.0])
    line = thinned(short)["lines"][0]
    assert running(line["at"]).tolist() == [0, 1, 2, 3]
    assert running(line["value"]) / LEVELS * 3 == pytest.approx(short, abs=3e-3)


def test_properties_are_those_of_the_paper():
    words = {
        name: method_info(name) for name in ("locomotif", "mrmotif", "valmod", "x")
    }
    assert words["locomotif"].words == "within sets, multivariate, real-valued"
    assert words["mrmotif"].words == "fixed length, univariate, symbolic"
    assert words["valmod"].words == "between sets, univariate, real-valued"
    assert words["x"].words == "not known"


@pytest.mark.parametrize("methods", [("emma",), ("emma", "locomotif")])
def test_few_methods_and_one_dataset(tmp_path, methods, look):
    rng = np.random.default_rng(0)
    problems = {"one": [make_problem(rng, "one/test/000")]}
    tab = look(Made(tmp_path, problems, methods).address())
    assert tab.locator("#leaderboard tbody tr").count() == len(methods)
    # One dataset has no average ranks, and nothing to test.
    for absent in ("#ranks", "[href='#ranks']", "[data-key=group]"):
        assert tab.locator(absent).count() == 0
    said = tab.locator("header").inner_text()
    assert ("has the highest mean F1 on one dataset" in said) == (len(methods) > 1)


def test_the_added_method_is_highlighted_and_comes_first(made, tmp_path, look):
    with working_in(made.file.parent):
        other = make_store(tmp_path / "other", made.problems, ("mmotifs", "valmod"))
        theirs = score_store(other)
        marked = replace(theirs, table=theirs.table.assign(clock="baselines"))
        html = page(
            made.scores.join(marked),
            {"": [made.store], "baselines": [other]},
            notes=["A <note>."],
        )
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    tab = look(file.as_uri())
    own = set(made.scores.labels)
    rows = tab.locator("#leaderboard tr.own .name").all_inner_texts()
    assert set(rows) == own
    options = tab.locator("[name=method] option").all_inner_texts()
    assert set(options[: len(own)]) == own
    chosen = tab.locator("[name=method]").evaluate("e => e.selectedOptions[0].text")
    assert chosen in own
    assert tab.locator("#leaderboard").inner_text().count("°") == 2
    assert "A <note>." in tab.locator("#leaderboard").inner_text()
    assert tab.locator("#time .foreign").count() == 2
    for width in (1100, 1400, 1920, 390):
        tab.set_viewport_size({"width": width, "height": 900})
        beyond = tab.locator("#leaderboard tbody th").evaluate_all(
            "cells => cells.flatMap(cell => [...cell.querySelectorAll('.tag, .name')]"
            ".filter(part => part.getBoundingClientRect().right"
            " > cell.nextElementSibling.getBoundingClientRect().left)"
            ".map(part => part.textContent))"
        )
        assert beyond == [], width
        assert tab.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_cut_off(made, look, width):
    tab = look(made.address(), viewport={"width": width, "height": 900})
    size = "e => [e.scrollWidth, e.clientWidth]"
    whole, seen = tab.locator("html").evaluate(size)
    assert whole <= seen
    whole, seen = tab.locator(".sections ul").evaluate(size)
    assert whole <= seen
    if width > 1000:
        whole, seen = tab.locator("#leaderboard .scroll").evaluate(size)
        assert whole <= seen


def test_datasets_that_a_method_lacks(tmp_path, look):
    rng = np.random.default_rng(0)
    problems = {
        name: [make_problem(rng, f"{name}/{k}") for k in range(3)] for name in "ab"
    }
    made = Made(tmp_path, problems, ("emma", "locomotif"))
    table = made.scores.table
    part = Scores(table[(table["label"] == "emma") | (table["dataset"] == "a")])
    with working_in(tmp_path):
        made.file.write_text(page(part, made.store), encoding="utf-8")
    tab = look(made.address("explore", "b", "locomotif"))
    assert (
        "locomotif has no run on this problem" in tab.locator("#explore").inner_text()
    )
    assert tab.locator("#heatmap tbody a").count() == 3
    assert "1 of 2 datasets" in tab.locator("#leaderboard tbody").inner_text()
    assert "the 1 datasets" not in tab.locator("#leaderboard").inner_text()


def test_joined_baselines_are_in_the_explorer(made, tmp_path):
    with working_in(made.file.parent):
        other = make_store(tmp_path / "other", made.problems, ("emma", "valmod"))
        joined = made.scores.join(score_store(other))
        html = page(joined, {"": [made.store], "baselines": [other]}, embed="none")
    data = json.loads(block(html, "data"))
    runs = unpacked(block(html, "runs-0"))
    assert "emma (baselines)" in data["labels"]
    for label, store in (("emma (baselines)", other), ("emma", made.store)):
        row = store.table(
            None, {"method": "emma", "problem": "alpha/test/002"}
        ).to_pylist()[0]
        assert runs["runs"][data["labels"].index(label)][2]["found"] == row["found"]
