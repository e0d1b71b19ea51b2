"""A packed store: one split, its truth, the searches' outcome, and nothing private."""

import pytest

from tests.experiments.driving import MOCKS, asked
from tsmdbench.cli import main
from tsmdbench.errors import InputError
from tsmdbench.experiments.edit import pack
from tsmdbench.experiments.running import resume, run_specification
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.truth import read_truth

GRID = {MOCKS + "Chooser": {"level": [1, 2, 3]}}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("pack") / "store"
    run_specification(
        asked("Chooser", "Raiser", tune=True, grid=GRID, limit=2), path, workers=0
    )
    return path


def test_only_the_split_is_kept_with_truth_and_surfaces(store, tmp_path):
    packed = pack(store, tmp_path / "p")
    assert {what[1] for what in packed.counts()} == {"test"}
    rows = Store(store).table(where={"split": "test"}).to_pylist()
    assert sorted(packed.table().to_pylist(), key=str) == sorted(rows, key=str)
    assert {where[1] for where in read_truth(packed.path)} == {"test"}
    kept = {file.name for file in (packed.path / "tuning").iterdir()}
    assert kept == {file.name for file in (store / "tuning").iterdir()} != set()


def test_the_manifest_says_what_failed_and_names_no_machine(store, tmp_path):
    manifest = pack(store, tmp_path / "p").manifest
    assert "host" in Store(store).manifest["made_by"]
    assert not {"host", "system"} & set(manifest["made_by"])
    assert manifest["made_by"]["tsmdbench"]
    ((_, split, method, status, n),) = manifest["packed"]["failures"]
    assert (split, method, status, n) == ("test", MOCKS + "Raiser", "error", 2)
    assert manifest["packed"]["runs"] == 4
    ((setting,),) = manifest["packed"]["settings"][MOCKS + "Chooser"].values()
    assert setting["level"] in (1, 2, 3)
    assert manifest["packed"]["runs_left_out"] == 6


def test_a_packed_store_is_a_store(store, tmp_path):
    pack(store, tmp_path / "p")
    (summary,) = resume(tmp_path / "p", workers=0, trust=True)
    assert summary.skipped == 4  # the tests; the searches would be made again


def test_the_command_tells_where_it_is(store, tmp_path, capsys):
    assert main(["store", "pack", str(store), str(tmp_path / "p")]) == 0
    assert f"4 runs in {tmp_path / 'p'}" in capsys.readouterr().out


def test_what_cannot_be_packed_is_refused(store, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    with pytest.raises(InputError, match="is not empty"):
        pack(store, tmp_path / "full")
    packed = pack(store, tmp_path / "p")
    with pytest.raises(InputError, match="no runs of split 'validation'"):
        pack(packed.path, tmp_path / "q", split="validation")
