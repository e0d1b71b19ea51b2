"""The table of scores: what is in it, what failed runs count, how it is cut."""

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import DATASET, perfect, scores_of, write_store
from tests.experiments.mock_problems import small
from tsmdbench.analysis.labels import setting_labels
from tsmdbench.analysis.scores import DEFAULT_METRICS, Scores, score_store
from tsmdbench.errors import InputError
from tsmdbench.experiments.rows import Outcome, Run
from tsmdbench.experiments.store import StoreWriter
from tsmdbench.methods import PAPER_METHODS
from tsmdbench.metrics import evaluate


def random_found(rng):
    """Sets of segments, now and then none, now and then an empty set."""
    return [
        [[int(s), int(s) + 20] for s in rng.integers(0, 80, size=rng.integers(0, 4))]
        for _ in range(rng.integers(0, 4))
    ]


@pytest.mark.parametrize("at_a_time", [5, 4096])
def test_scores_are_those_of_evaluate(tmp_path, monkeypatch, at_a_time):
    monkeypatch.setattr("tsmdbench.analysis.scores.AT_A_TIME", at_a_time)
    rng = np.random.default_rng(0)
    founds = [random_found(rng) for _ in range(12)]
    runs = [
        ("mine", {}, number, Outcome("ok", found=found))
        for number, found in enumerate(founds)
    ]
    table = score_store(write_store(tmp_path / "s", runs)).table
    assert len(table) == 12
    for problem, found, (_, row) in zip(
        small("test"), founds, table.iterrows(), strict=True
    ):
        assert row["problem"] == problem.name
        plain = evaluate(problem.truth, found)
        off = evaluate(problem.truth, found, penalize_off_target=True)
        for name in DEFAULT_METRICS:
            expected = off if name.endswith("_off") else plain
            assert row[name] == expected[name.removesuffix("_off")], name


def test_off_target_sets_count_in_their_columns_only(tmp_path):
    found = [*perfect()[0].found, [[20, 40], [60, 80]]]
    runs = [("mine", {}, 0, Outcome("ok", found=found))]
    (_, row), *_ = score_store(write_store(tmp_path / "s", runs)).table.iterrows()
    assert row["prom_f1"] == row["prom_precision"] == 1.0
    assert row["prom_precision_off"] == 3 / 5
    assert row["score"] == 0.0


def test_failed_run_found_nothing_even_if_something_is_stored(tmp_path):
    failed = ["timeout", "memory", "error"]
    found = perfect()[0].found
    runs = [(kind, {}, 0, Outcome(kind, found=found)) for kind in failed]
    table = score_store(write_store(tmp_path / "s", runs)).table
    assert sorted(table["status"]) == sorted(failed)
    assert (table[["prom_f1", "prom_recall", "correctness_g"]] == 0.0).all(axis=None)
    assert (table["score"] == 60.0).all()


def test_threshold_and_metrics_are_passed_on(tmp_path):
    shifted = [[[s + 4, e + 4] for s, e in motifs] for motifs in perfect()[0].found]
    store = write_store(tmp_path / "s", [("m", {}, 0, Outcome("ok", found=shifted))])
    assert score_store(store, metrics=["prom_f1"]).table["prom_f1"].item() == 1.0
    strict = score_store(store, metrics=["prom_f1", "score"], threshold=0.7)
    assert strict.metrics == ("prom_f1", "score")
    assert strict.table["prom_f1"].item() == 0.0
    assert score_store(store, metrics=["score_off"]).table["score_off"].item() == 12.0


def test_only_the_split_is_scored(tmp_path):
    path = write_store(tmp_path / "s", [("m", {}, 0, perfect()[0])])
    write_store(path, [("m", {}, 0, perfect("validation")[0])], split="validation")
    assert set(score_store(path).table["problem"]) == {"test/000"}
    assert set(score_store(path, split="validation").table["problem"]) == {
        "validation/000"
    }


def test_settings_on_one_dataset_have_names_of_their_own(tmp_path):
    runs = [
        ("m", {"rho": rho, "length": 20}, number, perfect()[number])
        for rho in (0.5, 0.6)
        for number in range(2)
    ]
    scores = score_store(
        write_store(tmp_path / "s", [*runs, ("emma", {}, 0, perfect()[0])])
    )
    assert scores.labels == ("emma", "m [rho=0.5]", "m [rho=0.6]")
    assert scores.methods["m [rho=0.5]"] == "m"


def test_labels_tell_versions_and_missing_fields_apart():
    settings = [("A", "m", "1", "{}"), ("A", "m", "2", '{"k": 1}')]
    labels = setting_labels(settings)
    assert labels[settings[0]] == "m [k='absent', version='1']"
    assert labels[settings[1]] == "m [k=1, version='2']"


def test_labels_and_datasets_come_in_the_order_of_the_paper_then_by_name():
    names = ["zeta", *reversed(PAPER_METHODS), "alpha"]
    scores = scores_of({name: [0.5] for name in names})
    assert scores.labels == (*PAPER_METHODS, "alpha", "zeta")
    index = ["other", "ERing", "another", "Plane"]
    scores = scores_of(pd.DataFrame({"m": [0.1, 0.2, 0.3, 0.4]}, index=index))
    assert scores.datasets[2:] == ("another", "other")
    assert set(scores.datasets[:2]) == {"ERing", "Plane"}
    # Means are NaN where a dataset is missing.
    scores = scores_of({"a": [0.25, np.nan], "b": [0.5, 1.0]}, problems=3)
    means = scores.means("prom_f1")
    assert means.index.tolist() == ["d00", "d01"]
    assert np.isnan(means.loc["d01", "a"])
    assert means.loc["d00"].tolist() == [0.25, 0.5]


def test_only_keeps_what_is_named():
    scores = scores_of({"a": [0.2, 0.4], "b": [0.1, 0.3], "c": [0.1, 0.3]})
    kept = scores.only(labels=["c", "a"], datasets=["d01"])
    assert kept.labels == ("a", "c")
    assert kept.datasets == ("d01",)
    with pytest.raises(InputError, match="label must be one of"):
        scores.only(labels=["nobody"])


def test_only_common_problems_are_kept():
    table = scores_of({"a": [0.2, 0.4], "b": [0.1, 0.3]}, problems=3).table
    lacking = Scores(table[(table["label"] != "a") | (table["problem"] != "001")])
    assert lacking.uneven() == ("d00", "d01")
    even = lacking.on_common_problems()
    assert even.uneven() == ()
    assert set(even.table["problem"]) == {"000", "002"}
    apart = table[(table["label"] == "a") == (table["problem"] == "001")]
    with pytest.raises(InputError, match="no problem of d00, d01 was run by all"):
        Scores(apart).on_common_problems()


def test_join_marks_the_others_and_keeps_names_apart():
    mine = scores_of({"mine": [0.9], "emma": [0.8]})
    theirs = scores_of({"emma": [0.2], "locomotif": [0.3]})
    joined = mine.join(theirs)
    assert joined.labels == ("emma", "emma (baselines)", "locomotif", "mine")
    origin = joined.table.set_index("label")["origin"]
    assert origin["mine"] == origin["emma"] == ""
    assert origin["locomotif"] == origin["emma (baselines)"] == "baselines"
    assert joined.means("prom_f1").loc["d00", "emma (baselines)"] == 0.2
    with pytest.raises(InputError, match="no metric in common"):
        mine.join(scores_of({"a": [0.1]}, metric="score"))


def test_bad_tables_are_one_sentence():
    good = scores_of({"a": [0.2, 0.4]}).table
    with pytest.raises(InputError, match="table of scores is empty"):
        Scores(good.iloc[:0])
    with pytest.raises(InputError, match="lacks problem"):
        Scores(good.drop(columns="problem"))
    with pytest.raises(InputError, match="no column of a metric"):
        Scores(good.drop(columns="prom_f1"))
    with pytest.raises(InputError, match="two rows have 'a' on problem '000'"):
        Scores(pd.concat([good, good.iloc[:1]]))
    with pytest.raises(InputError, match="metric must be one of"):
        Scores(good).means("prom_f2")


def test_bad_stores_are_one_sentence(tmp_path):
    store = write_store(tmp_path / "s", [("m", {}, 0, perfect()[0])])
    with pytest.raises(InputError, match="no run in split 'validation'"):
        score_store(store, split="validation")
    with pytest.raises(InputError, match="split must be one of"):
        score_store(store, split="train")
    with pytest.raises(InputError, match="no metric 'prom_f2'"):
        score_store(store, metrics=["prom_f2"])
    with pytest.raises(InputError, match="cannot penalise off-target sets"):
        score_store(store, metrics=["correctness_g_off"])


def test_run_on_an_unknown_problem_is_one_sentence(tmp_path):
    run = Run("m", "1", "{}", DATASET, "test", "nowhere")
    with StoreWriter(tmp_path / "s") as writer:
        writer.add([run.row(Outcome("ok"))])
    # No truth beside it, and a function that a store names is not called.
    with pytest.raises(InputError, match=r"truth\.parquet does not have"):
        score_store(tmp_path / "s")
    write_store(tmp_path / "s", [("m", {}, 0, perfect()[0])])
    with pytest.raises(InputError, match="a run on problem 'nowhere', which"):
        score_store(tmp_path / "s")
