"""Methods and datasets of somebody else: what they do wrong is one sentence."""

import numpy as np
import pytest

from tests.methods.settings import entry
from tsmdbench.cli import main
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.experiments.sources import load_problems
from tsmdbench.methods import METHODS, LoCoMotif
from tsmdbench.registry import import_object
from tsmdbench.validation import check_series

PROBLEMS = "tests.experiments.mock_problems:small"
MODULES = {
    "raising": "raise RuntimeError('at import')",
    "leaving": "raise SystemExit(3)",
    "mistyped": "def f(:",
    "dividing": "1 / 0",
    "lacking": "import no_such_module_at_all",
}


@pytest.fixture
def series(tmp_path):
    file = tmp_path / "series.csv"
    file.write_text("\n".join(map(str, np.sin(np.arange(200)))))
    return str(file)


def one_sentence(capsys, arguments, status=2):
    assert main(arguments) == status
    lines = capsys.readouterr().err.splitlines()
    (error,) = [line for line in lines if not line.startswith("read ")]
    assert error.startswith("tsmdbench: ")
    return error


def test_a_module_that_cannot_be_imported_is_named(
    tmp_path, monkeypatch, capsys, series
):
    monkeypatch.syspath_prepend(tmp_path)
    for name, text in MODULES.items():
        (tmp_path / f"adversary_{name}.py").write_text(text)
        spec = f"adversary_{name}:Method"
        assert spec in one_sentence(capsys, ["discover", "--method", spec, series])
        run = ["run", "--dataset", spec, "--method", "setfinder", "--out"]
        assert spec in one_sentence(capsys, [*run, str(tmp_path / "store")])
    assert not (tmp_path / "store").exists()


def test_what_is_no_method_or_dataset_is_refused(tmp_path, capsys, series):
    run = ["run", "--dataset", PROBLEMS, "--out", str(tmp_path / "store")]
    for spec in (":x", "x:", ".a:b", "a..b:c", "builtins:int", "math:pi", "json:tool"):
        one_sentence(capsys, ["discover", "--method", spec, series])
        one_sentence(capsys, [*run, "--method", spec])
    for spec in ("os:getcwd", "builtins:str", "builtins:len"):
        with pytest.raises(InputError, match=spec):
            load_problems(spec, "test")


def test_a_method_that_raises_is_named(capsys, series):
    spec = "tests.experiments.mock_methods:Raiser"
    said = one_sentence(capsys, ["discover", "--method", spec, series])
    assert f"{spec} raised RuntimeError: not in the mood" in said


def test_malformed_parameters_are_one_sentence(tmp_path, capsys):
    file = tmp_path / "params.toml"
    run = ["run", "--dataset", PROBLEMS]
    run += ["--method", "setfinder", "--params", str(file)]
    for text in (
        "[setfinder]\ndatasets = 3",
        f'[setfinder.datasets]\n"{PROBLEMS}" = 1',
        "[[setfinder]]",
        "setfinder = 3",
        "a = " + "[" * 3000,
        "x = " + "9" * 5000,
        "\x00",
    ):
        file.write_text(text)
        one_sentence(capsys, [*run, "--out", str(tmp_path / "store")])


def test_values_that_cannot_be_squared_are_refused():
    for name in METHODS.added():
        for large in (1e308, -1.7e308, 1e160):
            x = np.zeros(400)
            x[50] = large
            with pytest.raises(InputError, match="can be squared and added; scale it"):
                METHODS[name](**entry(name).good).find(x)


def test_locomotif_takes_large_values():
    x = np.sin(np.arange(300.0)) * 1e140
    assert LoCoMotif(5, 10).find(x) == LoCoMotif(5, 10).find(x)


def test_masked_and_complex_series_are_refused():
    with pytest.raises(InputError, match="masked samples"):
        check_series(np.ma.masked_less(np.arange(9.0), 3))
    check_series(np.ma.masked_less(np.arange(9.0), -3))
    with pytest.raises(InputTypeError, match="complex"):
        check_series(np.ones(9, dtype=complex))


def test_paths_of_objects_are_checked():
    with pytest.raises(InputError, match=r"must be written as package.module:object"):
        import_object("os.path:")
