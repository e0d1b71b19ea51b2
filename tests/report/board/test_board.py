"""A board shows what was submitted, escaped, and what was withdrawn no more."""

import base64
import json
import math
import re
import zlib

import pytest

from tests.experiments.mock_problems import small
from tsmdbench.analysis.baselines import load_baselines
from tsmdbench.cli import main
from tsmdbench.datasets.recordings_suite import RECORDINGS_SUITE
from tsmdbench.errors import InputError
from tsmdbench.experiments.presets import extra_methods
from tsmdbench.experiments.rows import Outcome, Run, parameters_text
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.experiments.submission import (
    Entry,
    Finding,
    Recomputed,
    runs_digest,
    write_submission,
)
from tsmdbench.experiments.truth import (
    TRUTH,
    data_digest,
    read_truth,
    truth_of,
    truth_parquet,
)
from tsmdbench.methods import PAPER_METHODS
from tsmdbench.report.board import file_of, write_board

EVIL = "</script><script>document.title='evil'</script><img src=x onerror=alert(1)>"
FACTS = {"univariate": True, "variable_length": "inter", "symbolic": False}


def made(tmp_path, name, version, *, right=12, date="", method="mine:Mine", **entry):
    """Write a submission that finds the truth in the first problems of a dataset.

    `right` is their number, or maps datasets to it; `speed` is that of the machine.
    """
    problems = small("test")
    path = tmp_path / f"store-{abs(hash((name, version)))}"
    known = right if isinstance(right, dict) else {"D": right}
    speed = entry.pop("speed", None)
    machines = {"machines": {"x": {"kernel": 1, "seconds": speed}}} if speed else {}
    with StoreWriter(path) as writer:
        for dataset, count in known.items():
            for place, problem in enumerate(problems):
                sets = [m.segments.tolist() for m in problem.truth.values()]
                found = sets if place < count else []
                run = Run(method, "1", parameters_text({"length": 20}), dataset, "test",
                          problem.name, data_digest(problem))  # fmt: skip
                writer.add([run.row(Outcome("ok", 0.5, 0.5, 10, 1, found))])
        writer.flush()
        truths = {(d, "test", p.name): truth_of(p) for d in known for p in problems}
        writer.write_file(TRUTH, truth_parquet(truths))
        writer.write_manifest(
            {"format": 1, "specifications": [], "made_by": {}, **machines}
        )
    who = Entry(name, version, "MIT", "secret@example.org", date=date, **entry)
    file = tmp_path / f"{abs(hash((name, version)))}.zip"
    about = {method: {"version": "1", "summary": "A method.", **FACTS}}
    checked = [Finding("all problems", True, "12 of 12")]
    count = math.ceil(0.1 * len(problems) * len(known))
    done = Recomputed(0.1, runs_digest(Store(path), [method]), count, count)
    return write_submission(file, Store(path), who, about, checked, done)


def board(files, out, **options):
    return write_board(files, out, baselines=None, explorers=False, **options)


def pages(folder):
    return {
        f.relative_to(folder).as_posix(): f.read_text() for f in folder.rglob("*.*")
    }


def test_entries_are_ranked_and_have_pages_until_they_are_withdrawn(tmp_path):
    files = [made(tmp_path, "Good", "1"), made(tmp_path, "Bad", "1", right=3)]
    result = board(files, tmp_path / "site")
    assert (result.entries, result.pages) == (2, 4)
    made_of = json.loads((tmp_path / "site" / "board.json").read_text())
    order = [(row["label"], row["f1"]) for row in made_of["leaderboard"]]
    assert order == [("Good", 1.0), ("Bad", 0.25)]
    index = result.page.read_text()
    assert index.index('data-label="Good"') < index.index('data-label="Bad"')
    for name in ("Good", "Bad"):
        assert f'href="methods/{file_of(name)}"' in index
        assert (tmp_path / "site" / "methods" / file_of(name)).is_file()
    board(files[:1], tmp_path / "site")  # the other one was withdrawn
    assert not (tmp_path / "site" / "methods" / file_of("Bad")).exists()
    assert not [n for n, text in pages(tmp_path / "site").items() if "Bad" in text]
    with pytest.raises(InputError, match="two files submit 'Good' version '1'"):
        board([files[0], files[0]], tmp_path / "site")


def test_a_row_has_all_that_a_program_needs(tmp_path):
    """Times are on one clock: the machine of the second entry is twice as fast."""
    facts = {"code": "https://example.org/code", "organisation": "Ours"}
    files = [
        made(tmp_path, "A", "1.2", right=6, speed=0.02, date="2026-01-02", **facts),
        made(tmp_path, "B", "1", right=3, speed=0.01),
        made(tmp_path, "C", "1"),
    ]
    result = board(files, tmp_path / "site")
    made_of = json.loads((tmp_path / "site" / "board.json").read_text())
    rows = {row["label"]: row for row in made_of["leaderboard"]}
    expected = {"method": "mine:Mine", "version": "1.2", "code_hash": None,
                "tuned": False, "from_truth": False, **facts, "seconds": 0.5,
                "kernel_seconds": 0.02, "peak_memory": 10, "datasets": ["D"],
                "problems": 12, "date": "2026-01-02", "comparable": True}  # fmt: skip
    assert {name: rows["A"][name] for name in expected} == expected
    assert (rows["B"]["seconds"], rows["C"]["seconds"]) == (1.0, 0.5)
    assert not rows["C"]["comparable"]
    assert result.page.read_text().count("s °</td>") == 1
    page = (tmp_path / "site" / "methods" / file_of("A")).read_text()
    assert "<dd>Ours</dd>" in page
    assert 'href="https://example.org/code"' in page
    assert made_of["corrections"][0]["date"] >= made_of["corrections"][-1]["date"]


def test_every_surface_shows_the_same_comparison(tmp_path, capsys, monkeypatch):
    """Leaderboard, JSON, report page, LaTeX and CSV tables, board and its data."""
    # Figures show none of it.
    drawn = "tsmdbench.report.write.drawn_figures"
    monkeypatch.setattr(drawn, lambda *_, **__: ([], ()))
    for name, most in (("Good", 12), ("Bad", 7)):
        right = {f"D{n}": most - n % 3 for n in range(6)}
        made(tmp_path, name, "1", right=right, method=f"{name}:M")
    stores = {
        n: str(tmp_path / f"store-{abs(hash((n, '1')))}") for n in ("Good", "Bad")
    }
    files = [tmp_path / f"{abs(hash((n, '1')))}.zip" for n in stores]
    line = ["leaderboard", "--baselines", "none"]
    line += [part for store in stores.values() for part in ("--add", store)]
    assert main([*line, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["reference"] == "Good:M"
    (row,) = found["against_reference"]
    assert row.pop("label") == "Bad:M"
    assert row["p_benchmark"] < 0.05
    assert row["p_other_data"] == 2**-5
    full = [repr(value) for value in row.values()]
    assert main(line) == 0
    text = capsys.readouterr().out
    shown = [f"{row['difference']:.3f}", f"{row['low']:.3f}", f"{row['high']:.3f}",
             f"{row['p_benchmark']:.2g}", f"{row['p_other_data']:.2g}",
             f"{row['p_reference']:.2f}"]  # fmt: skip
    out = tmp_path / "report"
    report = ["report", stores["Good"], "--compare", stores["Bad"], "--out", str(out)]
    assert main([*report, "--latex", "--csv", "--quiet"]) == 0
    tables = out / "tables" / "against_reference"
    site = board(files, tmp_path / "site").page
    pages = {
        "report": (out / "index.html").read_text(),
        "board": site.read_text(),
        "method": (site.parent / "methods" / file_of("Good")).read_text(),
    }
    for name, html in pages.items():
        html = html.split('id="against"')[1].split("</table>")[0]
        for value in full[:1] + full[3:]:
            assert f'data-value="{value}"' in html, name
        assert all(value in html for value in shown), name
    csv = tables.with_suffix(".csv").read_text()
    assert all(value in csv for value in full)
    latex = tables.with_suffix(".tex").read_text().replace("-{}", "-")
    for whole in (text, latex):
        assert all(value in whole for value in shown), whole
    data = json.loads((site.parent / "board.json").read_text())
    (again,) = data["against"]["Good"]
    assert again == {"label": "Bad", **row}


def test_the_newest_version_is_ranked_and_the_others_are_history(tmp_path):
    files = [
        made(tmp_path, "Mine", "2", right=6, date="2026-02-01"),
        made(tmp_path, "Mine", "1", right=12, date="2026-01-01"),
    ]
    result = board(files, tmp_path / "site")
    made_of = json.loads((tmp_path / "site" / "board.json").read_text())
    (row,) = made_of["leaderboard"]
    assert (row["label"], row["f1"], row["rank"]) == ("Mine", 0.5, 1.0)
    assert (row["version"], row["date"]) == ("2", "2026-02-01")
    history = result.page.read_text().split('id="history"')[1]
    assert history.index("2026-02-01") < history.index("2026-01-01")
    page = (tmp_path / "site" / "methods" / file_of("Mine")).read_text()
    assert re.search(r'data-value="1">1</th>.*1\.000', page)
    # Of equal dates the higher version is the newest.
    rights = {"1.10": 12, "1.9": 9, "1.0": 6}
    files = [made(tmp_path, "Mine", n, right=right) for n, right in rights.items()]
    for turn in (1, -1):
        board(files[::turn], tmp_path / "site")
        made_of = json.loads((tmp_path / "site" / "board.json").read_text())
        assert made_of["leaderboard"][0]["f1"] == 1.0


def test_nothing_private_and_no_code_of_others_is_in_the_pages(tmp_path):
    fields = dict.fromkeys(("authors", "about", "tuning"), EVIL)
    file = made(tmp_path, EVIL, "1" + EVIL, method=f"x:{EVIL}", **fields)
    board([file], tmp_path / "site")
    for name, text in pages(tmp_path / "site").items():
        assert "secret@example.org" not in text, name
        if name.endswith(".html"):
            assert text.count("<script") == 2, name
            assert "<img" not in text, name
            assert "default-src &#39;none&#39;" in text, name
            assert not re.search(r'(src|href)="https?://(?!example)', text), name


def test_other_folders_are_not_written_to(tmp_path):
    file = made(tmp_path, "Mine", "1")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("")
    with pytest.raises(InputError, match="holds something else"):
        board([file], tmp_path / "full")
    store = next(tmp_path.glob("store-*"))
    with pytest.raises(InputError, match="is a store"):
        board([file], store)


def as_it_is(rows, truths):
    return rows, truths


def of_baselines(tmp_path, change, names=("best",), entry="Copy"):
    """Submit one of the baselines, its rows and truths changed."""
    method, rows, truths = "setfinder", [], {}
    for name in names:
        source = load_baselines(name)
        rows += source.table(where={"split": "test", "method": method}).to_pylist()
        truths |= read_truth(source.path)
    with StoreWriter(tmp_path / "store") as writer:
        rows, truths = change(rows, truths)
        writer.add(rows)
        writer.flush()
        writer.write_file(TRUTH, truth_parquet(truths))
        writer.write_manifest({"format": 1, "specifications": [], "made_by": {}})
    who = Entry(entry, "1", "MIT", "secret@example.org")
    about = {method: {"version": "1"}}
    store = Store(tmp_path / "store")
    count = math.ceil(0.1 * sum(row["status"] in ("ok", "error") for row in rows))
    done = Recomputed(0.1, runs_digest(store, [method]), count, count)
    return write_submission(tmp_path / "copy.zip", store, who, about, [], done)


@pytest.mark.slow
def test_the_recordings_suite_is_a_second_page(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    without = of_baselines(tmp_path / "a", as_it_is, entry="Main only")
    complete = of_baselines(tmp_path / "b", as_it_is, ("best", "recordings"))
    site = tmp_path / "site"
    write_board([without, complete], site, explorers=False)
    index, second = (site / "index.html").read_text(), site / "recordings.html"
    assert 'href="recordings.html"' in index
    assert 'data-label="Copy"' in index
    assert 'data-label="Main only"' in index
    assert index.count(">extra</span>") == len(extra_methods()) + 1  # and Auto
    assert index.count(">no parameters</span>") == 1
    assert "MITBIH" not in index
    made_of = json.loads((site / "board.json").read_text())
    scores = {row["label"]: row["f1"] for row in made_of["leaderboard"]}
    assert scores["Copy"] == scores["SetFinder"]
    assert len(scores) == 2 + len(PAPER_METHODS) + len(extra_methods()) + 1
    text = second.read_text()
    assert 'href="index.html"' in text
    assert 'data-label="Copy"' in text
    assert 'data-label="Main only"' not in text
    assert all(f", {name}: " in text for name in RECORDINGS_SUITE)  # cells of the map
    assert "protocol=pvldb" not in text
    for page in re.findall(r'href="(methods/[^"]*)"', text):
        assert (site / page).is_file()
    assert "MITBIH" in (site / "methods" / file_of("Copy")).read_text()
    board([made(tmp_path, "Mine", "1")], site)
    assert not second.exists()


@pytest.mark.slow
def test_every_suite_has_an_explorer(tmp_path):
    names = ("best", "recordings")
    complete = of_baselines(tmp_path, as_it_is, names)
    write_board([complete], tmp_path / "site", embed="1")
    for name, dataset in (("index.html", "Plane"), ("recordings.html", "MITBIH")):
        explorer = (tmp_path / "site" / "explore" / name).read_text()
        assert 'data-label="Copy"' in explorer
        assert f"<strong>{dataset}</strong>" in explorer


def easier(rows, truths):
    place = next(iter(truths))
    changed = truths[place]._replace(sets=[[[0, 5], [5, 10]]], labels=("1",))
    return rows, {**truths, place: changed}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows, truths: (rows[1:], truths), "lacks 1 problem, for instance"),
        (easier, "has other data or another truth than"),
    ],
    ids=["incomplete", "another truth"],
)
@pytest.mark.slow
def test_what_cannot_be_compared_is_refused_beside_baselines(tmp_path, change, words):
    with pytest.raises(InputError, match=words):
        write_board([of_baselines(tmp_path, change)], tmp_path / "site")


def test_the_command(tmp_path, capsys):
    file = str(made(tmp_path, "Mine", "1"))
    out = ["--out", str(tmp_path / "site"), "--no-explorers"]
    assert main(["board", file, *out, "--baselines", "none"]) == 0
    assert "entries   1" in capsys.readouterr().out
    assert main(["board", file, *out, "--baselines", "all"]) == 2
    assert "baselines must be one of" in capsys.readouterr().err
    (tmp_path / "no.zip").write_text("no")
    assert main(["board", str(tmp_path / "no.zip"), *out]) == 2
    assert "is not a submission" in capsys.readouterr().err


def test_the_explorer_has_the_newest_runs_of_all_entries(tmp_path):
    files = [
        made(tmp_path, "Mine", "2", right=6, date="2026-02-01"),
        made(tmp_path, "Mine", "1", right=12, date="2026-01-01"),
        made(tmp_path, "Yours", "1", right=3),
    ]
    write_board(files, tmp_path / "site", baselines=None, embed="none")
    text = (tmp_path / "site" / "explore" / "index.html").read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])
    assert data["labels"] == ["Mine", "Yours"]
    packed = re.search(r'id="runs-0">(.*?)</script>', text, re.S)[1]
    runs = json.loads(zlib.decompress(base64.b64decode(packed)))["runs"]
    assert [sum(run["values"][0] for run in line) for line in runs] == [6.0, 3.0]
    for name in ("Mine", "Yours"):
        page = (tmp_path / "site" / "methods" / file_of(name)).read_text()
        assert f'href="../explore/index.html#explore/D/{name}"' in page


@pytest.mark.slow
def test_a_reader_sorts_filters_and_chooses_a_dataset(tmp_path, browser):
    files = [
        made(tmp_path, "Good", "1"),
        made(
            tmp_path, "A name that is as long as names of methods can be", "1", right=3
        ),
    ]
    result = board(files, tmp_path / "site")
    for width in (390, 1200):
        page = browser.new_page(viewport={"width": width, "height": 900})
        errors = []
        page.on("pageerror", lambda error, e=errors: e.append(str(error)))
        page.on("console", lambda m, e=errors: m.type == "error" and e.append(m.text))
        page.goto(result.page.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        rows = "[...document.querySelectorAll('#leaderboard tbody tr')]"
        names = f"{rows}.map(row => row.dataset.label)"
        assert page.evaluate(names)[0] == "Good"
        page.click("#leaderboard th[data-key=f1] button")
        assert page.evaluate(names)[1] == "Good"
        page.select_option("select[data-dataset]", "D")
        cell = page.locator("#leaderboard tr[data-label=Good] [data-cell=f1] b")
        assert cell.inner_text() == "1.000"
        page.select_option("select[data-filter=length]", "no")
        assert page.locator("#leaderboard tbody tr:visible").count() == 0
        assert page.locator("[data-shown]").inner_text() == "0 of 2 methods"
        page.select_option("select[data-filter=length]", "inter")
        assert page.locator("#leaderboard tbody tr:visible").count() == 2
        page.click("#leaderboard tr[data-label=Good] a.name")
        assert page.locator("h1").inner_text() == "Good"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert errors == []
        page.close()
