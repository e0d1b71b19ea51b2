# ruff: noqa: ARG002 (a method takes a series, whether it looks or not)
"""What authors declare about their methods."""

import json

import pytest

from tsmdbench.cli import main
from tsmdbench.errors import InputError
from tsmdbench.experiments.method_info import (
    as_methods,
    declared_facts,
    noted_facts,
)
from tsmdbench.methods import METHODS, PAPER_METHODS, GVRePair, LoCoMotif, declare
from tsmdbench.methods.contract import check_method, planted_problem
from tsmdbench.methods.info import MethodInfo


def test_attributes_and_decorator_declare_the_same():
    @declare(display_name="New", univariate=False, variable_length="intra")
    class First:
        def find(self, series):
            return []

    class Second:
        display_name = "New"
        univariate = False
        variable_length = "intra"

        def find(self, series):
            return []

    assert MethodInfo.of(First) == MethodInfo.of(Second)
    assert MethodInfo.of(LoCoMotif).variable_length == "intra"


def test_a_display_name_is_not_inherited():
    class Mine(GVRePair):
        pass

    assert MethodInfo.of(GVRePair).title == "GV-RePair"
    assert MethodInfo.of(GVRePair(30, 4, 3)).display_name == "GV-RePair"
    assert MethodInfo.of(Mine).display_name is None
    assert MethodInfo.of(Mine).title == "Mine"


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"display_name": ""}, "display_name must have 1 to 60"),
        ({"display_name": "a\nb"}, "display_name must have 1 to 60"),
        ({"display_name": "x" * 61}, "display_name must have 1 to 60"),
        ({"display_name": 3}, "display_name must be a text"),
        ({"univariate": "yes"}, "univariate must be"),
        ({"variable_length": "some"}, "variable_length must be one of"),
        ({"colour": "red"}, "colour must be written like"),
        ({"colour": "#12345g"}, "colour must be written like"),
        ({"colour": "#123456; background: url(x)"}, "colour must be written like"),
    ],
)
def test_what_is_not_allowed_is_refused_by_declaration_and_manifest(facts, message):
    with pytest.raises(InputError, match=message):
        declare(**facts)
    manifest = {"methods": {"m": {"facts": facts, "session": False}}}
    with pytest.raises(InputError, match="what is declared about methods cannot be"):
        declared_facts(manifest)


@pytest.mark.parametrize("kept", [{"m": 3}, {"m": {}}, {"m": {"facts": {"x": 1}}}])
def test_damaged_facts_are_refused(kept):
    with pytest.raises(InputError, match="the manifest of the store is damaged"):
        declared_facts({"methods": kept})


def test_facts_are_noted_of_methods_that_are_not_ours():
    @declare(display_name="New", colour="#123456")
    class New:
        def __init__(self, length=3, channel=0):
            self.length = length

        def find(self, series):
            return []

    _, session = as_methods([New, New(length=5)])
    found = noted_facts(session.values())
    assert found["New"]["facts"] == {
        "display_name": "New",
        "univariate": True,  # it has a channel
        "colour": "#123456",
    }
    assert found["New(length=5)"]["facts"]["display_name"] == "New(length=5)"
    manifest = {"methods": found}
    read = declared_facts(manifest)
    assert {name for name in read if read[name].session} == {"New", "New(length=5)"}
    assert read["New"].colour == "#123456"


def test_the_method_is_named_when_its_declaration_is_wrong():
    class Wrong:
        colour = "pink"

        def find(self, series):
            return []

    with pytest.raises(InputError, match="Wrong: colour must be written"):
        as_methods(Wrong)


NEW = '''
from dataclasses import dataclass
from typing import ClassVar

from tsmdbench.methods import STOMP


@dataclass(frozen=True)
class Nearest(STOMP):
    """Find windows near to the best pair."""

    display_name: ClassVar[str] = "Nearest of all"
    colour: ClassVar[str] = "#123456"
    grid: ClassVar = {"radius_factor": (2.0, 4.0)}
'''


def test_a_new_method_needs_nothing_but_its_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nearest.py").write_text(NEW)
    name = "./nearest.py:Nearest"
    known = MethodInfo.of(METHODS[name], name)
    assert (known.display_name, known.colour) == ("Nearest of all", "#123456")
    assert known.parameters == ("length",)
    assert known.summary == "Find windows near to the best pair."
    assert known.words == "fixed length, univariate, real-valued"
    assert not known.in_paper
    assert check_method(METHODS[name](50)).passed
    series = planted_problem().series
    (tmp_path / "x.csv").write_text("\n".join(map(str, series.tolist())))
    options = ["--set", "length=50", "--json"]
    assert main(["discover", "x.csv", "--method", name, *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found


def test_the_methods_of_the_paper_are_registered():
    assert len(PAPER_METHODS) == 11
    assert all(MethodInfo.of(METHODS[name], name).in_paper for name in PAPER_METHODS)
