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


def segments_of(run):
    """What a run found, sorted, without what the page says of it."""
    return sorted(sorted(motif[:2] for motif in motifs) for *_, motifs in run["sets"])


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
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/)", made.html)


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


def test_scripts_write_text_never_markup(made):
    script = re.search(r"<script>(.*?)</script>", made.html, re.S).group(1)
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"):
        assert word not in script
    for word in ("eval(", "<!--", "fetch(", "XMLHttpRequest", "import("):
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
            assert segments_of(run) == sorted(map(sorted, row["found"]))
            assert run.get("status", "ok") == row["status"]


def test_page_explains_every_run_as_the_package_does(made):
    runs = unpacked(block(made.html, "runs-0"))
    for row in made.store.table(None, {"dataset": "alpha"}).to_pylist():
        label = made.scores.labels.index(row["method"])
        names = [p.name for p in made.problems["alpha"]]
        number = names.index(row["problem"])
        run, problem = runs["runs"][label][number], made.problems["alpha"][number]
        found = row["found"] if row["status"] == "ok" else []
        why = explain(dict(problem.truth), found)
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
            evaluate(dict(problem.truth), found, "prom_f1", threshold=t)["prom_f1"]
            for t in THRESHOLDS
        ]
        assert run["curve"] == pytest.approx(curve, abs=5e-4)


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
        ("none", Embed(problems=0, explained=EXPLAINED)),
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
        runs = sum(len(block(made.html, f"runs-{place}")) for place in range(3))
        room = OTHER_BYTES + runs + 6 * size
        small = page(made.scores, made.store, embed=Embed(page_bytes=room))
        told = page(made.scores, made.store, embed=Embed(explained=30))
    assert series_counts(made.html) == [8, 8, 8]
    assert series_counts(few) == [3, 3, 3]
    assert series_counts(none) == [0, 0, 0]
    assert "the page was made without series" in none
    assert "the page has series of 3 of 8 problems" in few
    for html, counts in ((few, [3, 3, 3]), (told, [3, 2, 2]), (none, [8, 8, 8])):
        every = [unpacked(block(html, f"runs-{place}"))["runs"] for place in range(3)]
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
    for absent in ("#ranks", "[href='#ranks']"):
        assert tab.locator(absent).count() == 0
    assert tab.locator("[data-key=group]").count() == (len(methods) > 1)
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
        assert tab.evaluate("document.documentElement.scrollWidth") <= width


def links_of(tab, place):
    get = "all => all.map(a => decodeURIComponent(a.getAttribute('xlink:href')))"
    return tab.locator(f"{place} svg a").evaluate_all(get)


@pytest.mark.parametrize("width", [390, 1100])
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
    assert len(set(links_of(tab, "#heatmap"))) == 3
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
        run = runs["runs"][data["labels"].index(label)][2]
        assert segments_of(run) == sorted(map(sorted, row["found"]))
