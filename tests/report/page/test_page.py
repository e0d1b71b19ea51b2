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
from tsmdbench.analysis.baselines import corrections
from tsmdbench.analysis.scores import Scores, score_store
from tsmdbench.errors import InputError
from tsmdbench.html_text import json_block, packed
from tsmdbench.methods.info import method_info
from tsmdbench.metrics import evaluate, explain
from tsmdbench.report.explorer import (
    CHANNELS,
    EXPLAINED,
    LEVELS,
    OTHER_BYTES,
    POINTS,
    STATUSES,
    THRESHOLDS,
    Embed,
    SeriesSource,
    check_embed,
    thinned,
)
from tsmdbench.report.page import page


def unpacked(text):
    return json.loads(zlib.decompress(base64.b64decode(text)))


def block(html, name):
    """Text of a data element."""
    found = re.search(rf'<script type="[a-z/]+" id="{name}">(.*?)</script>', html, re.S)
    return found.group(1)


def runs_of(html, place):
    return unpacked(block(html, f"runs-{place}"))


def segments_of(run):
    """What a run found, sorted, without what the page says of it."""
    return sorted(sorted(motif[:2] for motif in motifs) for *_, motifs in run["sets"])


def test_page_asks_for_nothing_and_allows_one_script_and_one_style(made):
    html = made.html
    assert not re.search(r"<(link|img|iframe|object|embed|base|form action)\b", html)
    assert not re.search(r"\b(src|srcset)\s*=", html)
    links = re.findall(r'href="([^"]*)"', html)
    assert links
    assert all(link.startswith("#") for link in links)
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/)", html)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    assert "default-src &#39;none&#39;" in policy
    assert "unsafe" not in policy
    for element in ("script", "style"):
        (text,) = re.findall(rf"<{element}>(.*?)</{element}>", html, re.S)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{element}-src &#39;sha256-{digest}&#39;" in policy
    assert not re.search(r'\sstyle="|\son[a-z]+="', html)
    script = re.search(r"<script>(.*?)</script>", html, re.S).group(1)
    markup = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write")
    for word in (*markup, "eval(", "<!--", "fetch(", "XMLHttpRequest", "import("):
        assert word not in script
    host = made.store.manifest.get("made_by", {}).get("host")
    assert host is None or f"<b>{host}</b>" not in html
    assert str(made.file.parent) not in html


def test_hostile_names_cannot_leave_their_place(hostile):
    assert "<img" not in hostile.html
    assert hostile.html.count("<script>") == 1
    assert "<svg onload" not in hostile.html
    data = json.loads(block(hostile.html, "data"))
    assert data["datasets"] == [HOSTILE_DATASET]
    text = "</script><!--&\u2028\U0001f600 é"
    made = json_block({text: [text, float("inf"), float("nan"), 1.5]})
    assert not set("<>&\u2028") & set(made)
    assert json.loads(made) == {text: [text, None, None, 1.5]}
    assert unpacked(packed([text])) == [text]


def test_page_holds_every_run(made):
    for place, dataset in enumerate(made.scores.datasets):
        problems, runs = made.problems[dataset], runs_of(made.html, place)
        names = [problem.name for problem in problems]
        assert [shown["name"] for shown in runs["problems"]] == names
        for problem, shown in zip(problems, runs["problems"], strict=True):
            sets = [motifs.segments.tolist() for motifs in problem.truth.values()]
            assert shown["truth"] == sets
            assert shown["labels"] == list(problem.truth)
            assert shown["n"] == len(problem.series)
        rows = made.store.table(None, {"dataset": dataset}).to_pylist()
        assert len(rows) == sum(len(line) for line in runs["runs"])
        for row in rows:
            label = made.scores.labels.index(row["method"])
            run = runs["runs"][label][names.index(row["problem"])]
            assert segments_of(run) == sorted(map(sorted, row["found"]))
            assert run.get("status", "ok") == row["status"]


def test_page_explains_every_run_as_the_package_does(made):
    runs = runs_of(made.html, 0)
    names = [p.name for p in made.problems["alpha"]]
    for row in made.store.table(None, {"dataset": "alpha"}).to_pylist():
        number = names.index(row["problem"])
        run = runs["runs"][made.scores.labels.index(row["method"])][number]
        truth = dict(made.problems["alpha"][number].truth)
        found = row["found"] if row["status"] == "ok" else []
        why = explain(truth, found)
        assert run["text"] == str(why).splitlines()
        assert run["matrix"] == why.result.matrix.tolist()
        assert run["counts"] == [why.result.tp, why.result.fp, why.result.fn]
        kinds = sorted(STATUSES[kind] for line in run["true"] for kind in line)
        assert kinds == sorted(motif.status for motif in why.true_motifs)
        said = sorted(
            (start, end, STATUSES[kind], *rest[1:])
            for _, _, motifs in run["sets"]
            for start, end, kind, *rest in motifs
        )
        assert said == sorted(
            (m.start, m.end, m.status)
            + ((m.displacement(),) if m.true_motif >= 0 else ())
            for m in why.found_motifs
        )
        values = dict(zip(made.scores.metrics, run["values"], strict=True))
        assert values["prom_f1"] == pytest.approx(why.result.f1, abs=5e-5)
        curve = [
            evaluate(truth, found, "prom_f1", threshold=t)["prom_f1"]
            for t in THRESHOLDS
        ]
        assert run["curve"] == pytest.approx(curve, abs=5e-4)


def test_embed_choices():
    none = Embed(problems=0, explained=EXPLAINED)
    kept = Embed(problems=2)
    known = {"all": Embed(), "none": none, "7": Embed(7), 7: Embed(7), kept: kept}
    assert {given: check_embed(given) for given in known} == known
    for given in ("some", "-1", "1.5", "", "²", True, None, 1.0):
        with pytest.raises(InputError, match="must be 'auto', 'all', 'none' or a num"):
            check_embed(given)


def series_counts(html):
    texts = (json.loads(block(html, f"series-{place}")) for place in range(3))
    return [sum(map(bool, text)) for text in texts]


@pytest.mark.slow
def test_embed_chooses_the_series(made):
    size = len(packed(thinned(made.problems["gamma"][0].series)))
    runs = sum(len(block(made.html, f"runs-{place}")) for place in range(3))
    room = OTHER_BYTES + runs + 6 * size
    with working_in(made.file.parent):
        assert page(made.scores, made.store, title="Trial") == made.html
        few, none, small, told = (
            page(made.scores, made.store, embed=embed, figures=[])
            for embed in (3, "none", Embed(page_bytes=room), Embed(explained=30))
        )
    assert series_counts(made.html) == [8, 8, 8]
    assert series_counts(few) == [3, 3, 3]
    assert series_counts(none) == [0, 0, 0]
    assert "the page was made without series" in none
    assert "the page has series of 3 of 8 problems" in few
    for html, counts in ((few, [3, 3, 3]), (told, [3, 2, 2]), (none, [8, 8, 8])):
        every = [runs_of(html, place)["runs"] for place in range(3)]
        assert [sum("text" in run for run in runs[0]) for runs in every] == counts
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


def test_thinning_keeps_extremes_and_says_how_many_channels(made):
    rng = np.random.default_rng(0)
    series = rng.normal(size=(20_000, 9)).cumsum(axis=0)
    series[7_001, 2] = 1e4
    series[5, 1] = np.nan
    thin = thinned(series)
    assert (thin["n"], thin["channels"], len(thin["lines"])) == (20_000, 9, CHANNELS)
    line = thin["lines"][2]
    at, value = np.cumsum(line["at"]), np.cumsum(line["value"])
    assert len(at) == len(value) <= POINTS
    assert at[np.argmax(value)] == 7_001
    assert line["high"] == 1e4
    assert (value.min(), value.max()) == (0, LEVELS)
    assert 5 not in np.cumsum(thin["lines"][1]["at"])
    # Channels that a method looks at come first.
    place = made.scores.datasets.index("gamma")
    shown = unpacked(json.loads(block(made.html, f"series-{place}"))[0])
    assert [line["channel"] for line in shown["lines"]] == [0, 1, 2, 3, 4, 7]
    few = thinned(np.zeros((5, 2)), [7])["lines"]
    assert [line["channel"] for line in few] == [0, 1]


def test_thinning_short_and_flat_series():
    line = thinned(np.array([2.0, 2.0, 2.0]))["lines"][0]
    assert (line["low"], line["high"], line["value"]) == (2.0, 2.0, [0, 0, 0])
    assert thinned(np.full(3, np.nan))["lines"][0]["at"] == []
    short = np.array([0.0, 3.0, 1.5, 3.0])
    line = thinned(short)["lines"][0]
    assert np.cumsum(line["at"]).tolist() == [0, 1, 2, 3]
    assert np.cumsum(line["value"]) / LEVELS * 3 == pytest.approx(short, abs=3e-3)


def test_properties_are_those_of_the_paper():
    words = {
        "locomotif": "within sets, multivariate, real-valued",
        "mrmotif": "fixed length, univariate, symbolic",
        "valmod": "between sets, univariate, real-valued",
        "x": "not known",
    }
    assert {name: method_info(name).words for name in words} == words


@pytest.mark.parametrize("methods", [("emma",), ("emma", "locomotif")])
def test_few_methods_and_one_dataset(tmp_path, methods, look):
    problems = {"one": [make_problem(np.random.default_rng(0), "one/test/000")]}
    tab = look(Made(tmp_path, problems, methods, figures=[]).address())
    assert tab.locator("#leaderboard tbody tr").count() == len(methods)
    # One dataset has no average ranks, and nothing to test.
    assert tab.locator("#ranks, [href='#ranks']").count() == 0
    assert tab.locator("[data-key=group]").count() == (len(methods) > 1)
    said = tab.locator("header").inner_text()
    assert ("has the highest mean F1 on one dataset" in said) == (len(methods) > 1)


@pytest.mark.slow
def test_the_added_method_is_highlighted_and_comes_first(made, tmp_path, look):
    with working_in(made.file.parent):
        methods = ("mmotifs", "valmod", "emma")
        other = make_store(tmp_path / "other", made.problems, methods)
        theirs = score_store(other)
        marked = replace(theirs, table=theirs.table.assign(clock="baselines"))
        joined = made.scores.join(marked)
        stores = {"": [made.store], "baselines": [other]}
        html = page(joined, stores, embed="none", notes=["A <note>."])
    labels, runs = json.loads(block(html, "data"))["labels"], runs_of(html, 0)["runs"]
    for label, store in (("emma (baselines)", other), ("emma", made.store)):
        where = {"method": "emma", "problem": "alpha/test/002"}
        row = store.table(None, where).to_pylist()[0]
        run = runs[labels.index(label)][2]
        assert segments_of(run) == sorted(map(sorted, row["found"]))
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
    assert tab.locator("#leaderboard").inner_text().count("°") == 3
    assert "A <note>." in tab.locator("#leaderboard").inner_text()
    assert tab.locator("#changes tbody tr").count() == len(corrections())
    for width in (1100, 1400, 1920, 390):
        tab.set_viewport_size({"width": width, "height": 900})
        beyond = tab.locator("#leaderboard tbody th").evaluate_all(
            "cells => cells.flatMap(cell => [...cell.querySelectorAll('.tag, .name')]"
            ".filter(part => part.getBoundingClientRect().right"
            " > cell.nextElementSibling.getBoundingClientRect().left)"
            ".map(part => part.textContent))"
        )
        assert beyond == [], width
        parts = "e => e.scrollWidth - e.clientWidth"
        if width > 1000:
            assert tab.locator("#leaderboard .scroll").evaluate(parts) == 0, width
        assert tab.locator(".sections ul").evaluate(parts) <= 0, width
        assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_datasets_that_a_method_lacks(tmp_path, look):
    rng = np.random.default_rng(0)
    problems = {n: [make_problem(rng, f"{n}/{k}") for k in range(3)] for n in "ab"}
    made = Made(tmp_path, problems, ("emma", "locomotif"), figures=[])
    table = made.scores.table
    part = Scores(table[(table["label"] == "emma") | (table["dataset"] == "a")])
    with working_in(tmp_path):
        made.file.write_text(page(part, made.store), encoding="utf-8")
    tab = look(made.address("explore", "b", "locomotif"))
    said = tab.locator("#explore").inner_text()
    assert "locomotif has no run on this problem" in said
    links = tab.locator("#heatmap svg a").evaluate_all(
        "all => all.map(a => decodeURIComponent(a.getAttribute('xlink:href')))"
    )
    assert len(set(links)) == 3
    assert "1 of 2 datasets" in tab.locator("#leaderboard tbody").inner_text()
    assert "the 1 datasets" not in tab.locator("#leaderboard").inner_text()
