"""The notebook that comes with the repository runs, and shows what it says."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="notebooks are run by nbclient")
nbclient = pytest.importorskip("nbclient", reason="notebooks are run by nbclient")
NOTEBOOK = Path(__file__).parents[2] / "examples" / "ecg.ipynb"


def printed(notebook):
    return [
        output["text"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output["output_type"] == "stream" and output["name"] == "stdout"
    ]


def pictures(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return sum("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.filterwarnings("default")
def test_the_ecg_notebook_runs_and_prints_what_it_shows(tmp_path):
    kept = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(kept)
    made = nbformat.read(NOTEBOOK, as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(made, timeout=600, resources=place).execute()
    assert printed(made) == printed(kept)
    assert "f1=1.0" in printed(made)[-1]
    assert pictures(made) == pictures(kept) == 3
    assert (tmp_path / "ecg.csv").is_file()
