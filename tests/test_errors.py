"""The family of errors: what each is, and that a pickled one says the same."""

import pickle

import pytest

from tsmdbench import errors

# Each error is the built-in one of its situation; only wrong input and data is input.
BUILT_IN = {
    "InputError": (ValueError, True),
    "InputTypeError": (TypeError, True),
    "UnknownNameError": (KeyError, True),
    "DataError": (ValueError, True),
    "MissingExtraError": (ImportError, False),
    "DownloadError": (OSError, False),
    "ExperimentError": (RuntimeError, False),
    "StoreError": (RuntimeError, False),
    "InternalError": (RuntimeError, False),
}
EXTRA = ("figures need matplotlib", "plot")


def test_all_errors_are_listed_and_an_extra_names_its_command():
    assert {*errors.__all__} == {*BUILT_IN, "TsmdbenchError"}
    error = errors.MissingExtraError(*EXTRA)
    assert str(error) == 'figures need matplotlib: pip install "tsmdbench[plot]"'
    assert error.extra == "plot"


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_error_is_a_built_in_one_and_says_the_same_when_pickled(name):
    cls, (base, is_input) = getattr(errors, name), BUILT_IN[name]
    assert issubclass(cls, base)
    assert issubclass(cls, errors.TsmdbenchError)
    assert issubclass(cls, errors.InputError) == is_input
    error = cls(*EXTRA) if cls is errors.MissingExtraError else cls(EXTRA[0])
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 (written just now)
    assert type(again) is cls
    assert str(again) == str(error)
