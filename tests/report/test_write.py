"""The whole report from a store: files, comparison, what is refused."""

import csv
import re
import shutil

import numpy as np
import pytest

from tests.analysis.made import perfect, write_store
from tsmdbench.analysis import score_store
from tsmdbench.analysis.baselines import load_baselines
from tsmdbench.cli import main
from tsmdbench.errors import InputError
from tsmdbench.experiments.presets import extra_methods
from tsmdbench.experiments.rows import Outcome
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.experiments.truth import TRUTH, read_truth, truth_parquet
from tsmdbench.report.figures.properties import with_names
from tsmdbench.report.page import page
from tsmdbench.report.write import compared, write_report


def one_motif(outcome):
    return Outcome("ok", 0.1, found=[outcome.found[0][:1]])


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    good = perfect()
    runs = [("locomotif", {}, n, good[n]) for n in range(4)]
    runs += [("emma", {}, n, one_motif(good[n])) for n in range(4)]
    return write_store(tmp_path_factory.mktemp("report") / "store", runs)


@pytest.fixture(scope="module")
def written(store, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "report"
    return write_report(store, out, latex=True, csv=True)


def test_there_are_tables_in_all_forms_figures_and_a_page(written):
    names = {
        ending: {file.stem for file in written.tables if file.suffix == ending}
        for ending in (".md", ".tex", ".csv")
    }
    assert len(names[".md"]) > 5
    assert names[".csv"] == names[".md"] | {"scores"}
    assert names[".md"] - names[".tex"] == {"failures"}  # has no rows
    pictures = {file.name for file in written.figures}
    assert {"kendall.svg", "kendall.png", "boxes_f1.svg", "heat_map.pdf"} <= pictures
    assert all(file.stat().st_size for file in (*written.tables, *written.figures))
    (file,) = [f for f in written.tables if f.name == "means_f1.csv"]
    with file.open() as lines:
        assert float(next(csv.DictReader(lines))["LoCoMotif"]) == 1.0
    text = written.page.read_text()
    assert text.lstrip().lower().startswith("<!doctype html>")
    assert "LoCoMotif" in text
    assert str(written).splitlines()[-1] == f"page       {written.page}"


def test_the_command_writes_the_same_bytes_and_says_where(
    store, written, tmp_path, capsys
):
    again, first = tmp_path / "again", written.page.parent
    arguments = ["report", str(store), "--out", str(again), "--latex", "--csv"]
    assert main(arguments) == 0
    assert f"page       {again / 'index.html'}" in capsys.readouterr().out
    for file in (written.page, *written.tables, *written.figures):
        other = again / file.relative_to(first)
        assert file.read_bytes() == other.read_bytes(), file.name


def test_one_method_on_one_problem_has_no_tests_of_significance(tmp_path):
    store = write_store(tmp_path / "one", [("emma", {}, 0, perfect()[0])])
    made = write_report(store, tmp_path / "out", embed="none")
    tables = {file.stem for file in made.tables}
    assert {"means_f1", "settings", "cost", "errors", "failures"} <= tables
    for word in ("ranks", "p_values", "bayesian", "intervals", "spread", "kendall"):
        assert not [name for name in tables if name.startswith(word)], word
    figures = {file.stem for file in made.figures}
    assert {"heat_map", "boxes_f1"} <= figures
    assert not {"kendall", "stability"} & figures
    assert not [name for name in figures if name.startswith("critical")]
    text = made.page.read_text()
    assert 'id="ranks"' not in text
    assert "Group" not in text
    assert made.conclusion == ""


def published(path, *names, method="setfinder"):
    """Copy the runs of one method from baselines, as if somebody had run it."""
    with StoreWriter(path) as writer:
        truths = {}
        for name, datasets in names:
            source = load_baselines(name)
            rows = source.table(where={"split": "test", "method": method}).to_pylist()
            writer.add([row for row in rows if row["dataset"] in datasets])
            truths |= read_truth(source.path)
        writer.flush()
        writer.write_file(TRUTH, truth_parquet(truths))
        writer.write_manifest({"format": 1, "specifications": [], "made_by": {}})
    return path


def links(page):
    """Return the tabs of a page: title to address and whether it is the page."""
    nav = page.read_text().partition('<nav class="tabs"')[2].partition("</nav>")[0]
    found = re.findall(r'<a href="([^"]*)"( aria-current="page")?>([^<]*)</a>', nav)
    return {title: (address, bool(current)) for address, current, title in found}


def test_the_page_counts_the_runs_that_are_compared(store, tmp_path):
    runs = [("valmod", {}, n, perfect()[n]) for n in range(3)]
    other = write_store(tmp_path / "other", runs)
    scores, stores, _ = compared(Store(store), compare=[other])
    common = with_names(scores.on_common_problems())
    text = page(common, stores, embed="none", figures=[])
    assert "VALMOD" in text
    assert "<b>3</b> problems" in text
    assert "<b>9</b> runs" in text


@pytest.mark.slow
def test_the_recordings_suite_is_a_second_tab(tmp_path):
    store = published(
        tmp_path / "store",
        ("best", ["Plane"]),
        ("recordings", ["Muscle", "Muscle?protocol=pvldb"]),
    )
    made = write_report(store, tmp_path / "out", baselines="best", embed="none")
    assert [file.relative_to(tmp_path / "out").as_posix() for file in made.pages] == [
        "index.html",
        "recordings/index.html",
        "recordings-pvldb/index.html",
    ]
    assert f"tab        {made.pages[1]}" in str(made)
    tables = list((tmp_path / "out" / "tables").iterdir())
    assert f"tables     {len(tables)} files in {tables[0].parent}" in str(made)
    assert len(made.tables) > len(tables)
    for file in made.pages:
        tabs = links(file)
        assert [current for _, current in tabs.values()].count(True) == 1
        for address, current in tabs.values():
            target = (file.parent / address).resolve()
            assert target.is_file()
            assert current == (target == file.resolve())
    tables = tmp_path / "out" / "tables", tmp_path / "out" / "recordings" / "tables"
    first, second = ((folder / "means_f1.md").read_text() for folder in tables)
    assert "Plane" in first
    assert "Muscle" not in first
    assert "Muscle" in second
    assert "Plane" not in second
    assert "SetFinder (baselines)" in second
    only_main = published(tmp_path / "other", ("best", ["Plane"]))
    made = write_report(only_main, tmp_path / "out", baselines="best", embed="none")
    assert [file.parent.name for file in made.pages] == ["out", "recordings"]
    text = made.pages[1].read_text()
    assert "MITBIH" in text
    assert text.count(">extra</span>") == len(extra_methods())
    assert not (tmp_path / "out" / "recordings-pvldb" / "index.html").exists()
    made = write_report(
        only_main, tmp_path / "out", baselines="best", only="mine", embed="none"
    )
    assert made.pages == (tmp_path / "out" / "index.html",)
    assert links(made.page) == {}


def test_what_cannot_be_written_is_refused(store, tmp_path, capsys):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="is a file; a report is a folder"):
        write_report(store, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    with pytest.raises(InputError, match="is not a store"):
        write_report(tmp_path / "none", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match=r"cannot write a report to .*--out"):
        write_report(store, tmp_path / "file" / "below")
    assert main(["report", str(store), "--embed", "most", "--out", str(tmp_path)]) == 2
    assert "embed must be" in capsys.readouterr().err
    assert main(["report", str(store), "--compare", "nowhere"]) == 2


@pytest.mark.slow
def test_a_report_on_the_subspace_suite_compares_time_and_channels(
    tmp_path, monkeypatch
):
    # Figures show none of it.
    drawn = "tsmdbench.report.write.drawn_figures"
    monkeypatch.setattr(drawn, lambda *_, **__: ([], ()))
    whole = load_baselines("subspace")
    path = shutil.copytree(whole.path, tmp_path / "store")
    kept = {"dataset": "Sub-PenDigits", "method": ("lama", "mmotifs")}
    rows = Store(path).table()
    others = {
        name: sorted({*rows[name].to_pylist()} - {*np.atleast_1d(value)})
        for name, value in kept.items()
    }
    with StoreWriter(path) as writer:
        for name, values in others.items():
            writer.forget({name: values})
    written = write_report(path, tmp_path / "report", csv=True, embed="none")
    text = written.page.read_text()
    assert "F1, precision and recall compare time and channels" in text
    means = score_store(whole).means("subspace_prom_f1").loc["Sub-PenDigits"]
    (means_file,) = (
        f for f in written.tables if f.name == "means_subspace_prom_f1.csv"
    )
    row = next(csv.DictReader(means_file.read_text().splitlines()))
    assert float(row["LAMA"]) == pytest.approx(means["lama"])
    assert "LAMA has the highest mean F1" in written.conclusion
