"""Every registered method keeps the contract, and the kit sees who does not."""

import inspect
import re
from dataclasses import asdict, dataclass

import numpy as np
import pytest

from tests.methods.settings import entry
from tsmdbench import MotifSet
from tsmdbench.errors import InputError
from tsmdbench.experiments import PAPER_METHODS, extra_methods
from tsmdbench.methods import METHODS
from tsmdbench.methods.contract import ContractError, check_method, planted_problem


@pytest.mark.parametrize("name", list(METHODS))
def test_method_keeps_the_contract(name):
    card = check_method(
        name, {**entry(name).good, "max_sets": 2}, share=entry(name).share
    )
    assert card.passed
    assert len(card.checks) == 10


@pytest.mark.parametrize("name", list(METHODS))
def test_method_declares_its_facts(name):
    cls = METHODS[name]
    assert isinstance(cls.univariate, bool)
    assert cls.variable_length in ("no", "inter", "intra")
    assert isinstance(cls.symbolic, bool)
    assert cls.__doc__


@pytest.mark.parametrize("name", list(METHODS))
def test_scale_and_offset_change_nothing(name):
    cls = METHODS[name]
    method = cls(**entry(name).good, max_sets=2)
    x = planted_problem(1 if cls.univariate else 2).series
    assert method.find(x * 4.0 + 1024.0) == method.find(x)


@pytest.mark.parametrize("name", list(METHODS))
def test_fields_rebuild_the_method(name):
    cls = METHODS[name]
    method = cls(**entry(name).good)
    assert cls(**asdict(method)) == method
    assert hash(cls(**asdict(method))) == hash(method)
    names = inspect.signature(cls).parameters
    shown = ", ".join(f"{name}={getattr(method, name)!r}" for name in names)
    assert repr(method) == f"{cls.__name__}({shown})"


@dataclass
class Liar:
    """Method that returns given answers, one per call."""

    answers: list
    univariate = True

    def find(self, _):
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


TRUE = [[(30, 80), (240, 290), (420, 470), (630, 680)]]


def test_a_class_with_find_is_enough():
    card = check_method(Liar([TRUE]))
    assert card.passed
    assert "--  sweep equals find" in str(card)


def test_a_detector_need_not_find_repetitions():
    card = check_method(Liar([[[(5, 25)]]]), share=0)
    assert "--  at least two segments" in str(card)


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        (
            [None],
            "NO  returns motif sets: expected a tuple of MotifSet, but find returned "
            "NoneType",
        ),
        (
            [[[(5, 2), (7, 9)]]],
            "NO  returns motif sets: expected a tuple of MotifSet: the answer",
        ),
        ([[[(0, 50), (690, 740)]]], "NO  returns motif sets: expected a tuple"),
        (
            [[[(30, 80)]]],
            "NO  at least two segments per set: expected two or more, got 1 in set 0",
        ),
        (
            [[[(240, 290), (30, 80), (420, 470), (630, 680)]]],
            "NO  sorted: expected the segments of a set in order of their starts, got "
            "(30, 80) after (240, 290) in set 0",
        ),
        (
            [TRUE, [], TRUE],
            "NO  deterministic: expected the same sets from a second call, got 0 sets "
            "instead of 1",
        ),
        (
            [TRUE, [[(0, 50), (60, 110)]], TRUE],
            "NO  deterministic: expected the same sets from a second call, got "
            "[(0, 50), (60, 110)] instead of [(30, 80), (240, 290), (420, 470), "
            "(630, 680)] as set 0",
        ),
        ([TRUE, 3, TRUE], "second call, got int, which is not a tuple of MotifSet"),
        (
            [TRUE, TRUE, []],
            "NO  lists and read-only arrays alike: expected the same sets from a "
            "read-only array as from an array, got 0 sets",
        ),
        (
            [[[(80, 130), (580, 630)]]],
            "NO  planted copies found: expected 75% of the copies of one pattern in "
            "one set, with an overlap of more than 50%, got none",
        ),
        ([[[(30, 80), (580, 630)]]], "more than 50%, got 1 of 4"),
    ],
)
def test_the_kit_sees_a_broken_contract(answers, line):
    with pytest.raises(ContractError, match="breaks the contract") as caught:
        check_method(Liar(answers))
    assert line in str(caught.value)


def test_the_kit_sees_a_changed_input():
    class Writer:
        def find(self, x):
            if isinstance(x, np.ndarray) and x.flags.writeable:
                x[0] = 0.0
            return tuple(MotifSet(motifs) for motifs in TRUE)

    with pytest.raises(ContractError, match=r"NO  input untouched: .*1 samp"):
        check_method(Writer())


def test_the_kit_sees_too_many_sets_and_a_wrong_sweep():
    class Greedy:
        max_sets = 1

        def find(self, _):
            return [*TRUE, *TRUE]

        def sweep(self, _, settings):
            return [TRUE for _ in settings]

    with pytest.raises(ContractError) as caught:
        check_method(Greedy())
    assert "NO  at most max_sets: expected at most 1, max_sets, got 2" in str(
        caught.value
    )
    assert "from a sweep over [{}, {}], got 1 set instead of 2" in str(caught.value)


class Raising:
    """Raises in some calls of `find`, counted from 1, or in the sweep."""

    def __init__(self, calls=(), length=50):
        if length < 1:
            raise ValueError("length is too short")
        self.calls = calls
        self.count = 0

    def find(self, _):
        self.count += 1
        if self.count in self.calls:
            raise RuntimeError("no\nidea")
        return TRUE

    def sweep(self, *_):
        raise SystemExit(3)


@pytest.mark.parametrize(
    ("calls", "line"),
    [
        ([1], "NO  returns motif sets: expected a tuple of MotifSet, but find raised"),
        ([2], "NO  deterministic: expected a tuple of MotifSet, but find raised"),
        ([4], "RuntimeError: no idea (test_contract.py, line N) (for a list)"),
        ([], "NO  sweep equals find: expected what find returns, twice, from a sweep "),
        ([], "but it raised SystemExit: 3 (test_contract.py, line"),
    ],
)
def test_the_report_is_there_when_a_method_raises(calls, line):
    with pytest.raises(ContractError, match="Raising breaks the contract") as caught:
        check_method(Raising(calls))
    assert line in re.sub(r"line \d+", "line N", str(caught.value))


def test_the_report_says_when_a_method_cannot_be_made():
    with pytest.raises(ContractError, match="Raising breaks the contract") as caught:
        check_method(Raising, {"length": 0})
    assert (
        "NO  can be made: expected a method from Raising(length=0), but it raised "
        "ValueError: length is too short (test_contract.py, line" in str(caught.value)
    )
    with pytest.raises(ContractError, match="unexpected keyword argument 'lenth'"):
        check_method(Raising, {"lenth": 0})


def test_what_is_no_method_is_refused():
    with pytest.raises(InputError, match=r"has no find\(series\)"):
        check_method(3)
    with pytest.raises(InputError, match="settings can only be given with a class"):
        check_method(Liar([TRUE]), {"length": 3})
    with pytest.raises(InputError, match="no method 'setfindr'; did you mean"):
        check_method("setfindr")


@pytest.mark.parametrize("name", [*PAPER_METHODS, *extra_methods()])
def test_nothing_overlaps_in_what_is_recommended(name):
    rng = np.random.default_rng(5)
    x = rng.normal(size=700).cumsum()
    for start in (40, 200, 330, 520):
        x[start : start + 50] = x[100:150] + 0.1 * rng.normal(size=50)
    method = METHODS[name](**entry(name).good)
    found = method.find(x)
    assert found
    taken = np.zeros(len(x), dtype=int)
    for start, end in (segment for motifs in found for segment in motifs):
        taken[start:end] += 1
    assert taken.max() == 1
