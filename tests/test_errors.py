"""The family of errors: what each is, and that a pickled one says the same."""

import pickle

import pytest

from tsmdbench import errors
from tsmdbench.errors import TsmdbenchError

CLASSES = [
    cls
    for cls in vars(errors).values()
    if isinstance(cls, type) and issubclass(cls, TsmdbenchError)
]
BUILT_IN = {
    "InputError": ValueError,
    "InputTypeError": TypeError,
    "UnknownNameError": KeyError,
    "DataError": ValueError,
    "MissingExtraError": ImportError,
    "DownloadError": OSError,
    "ExperimentError": RuntimeError,
    "StoreError": RuntimeError,
    "InternalError": RuntimeError,
}


def made(cls):
    arguments = ("figures need matplotlib", "plot")
    return cls(*arguments) if cls is errors.MissingExtraError else cls(arguments[0])


def test_each_error_is_the_built_in_one_of_its_situation():
    assert {cls.__name__ for cls in CLASSES} == {*BUILT_IN, "TsmdbenchError"}
    for name, base in BUILT_IN.items():
        assert issubclass(getattr(errors, name), base)


@pytest.mark.parametrize("name", sorted(set(BUILT_IN) - {"InputError"}))
def test_only_wrong_input_and_data_is_an_input_error(name):
    is_input = issubclass(getattr(errors, name), errors.InputError)
    assert is_input == (name in ("InputTypeError", "UnknownNameError", "DataError"))


@pytest.mark.parametrize("cls", CLASSES)
def test_a_pickled_error_says_the_same(cls):
    error = made(cls)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 (written just now)
    assert type(again) is cls
    assert str(again) == str(error)


def test_a_missing_extra_names_the_command_that_installs_it():
    error = made(errors.MissingExtraError)
    assert str(error) == 'figures need matplotlib: pip install "tsmdbench[plot]"'
    assert error.extra == "plot"
