# ruff: noqa: ARG002 (a method takes a series, whether it looks or not)
"""What authors declare about their methods."""

import pytest

from tsmdbench.errors import InputError
from tsmdbench.experiments.method_cards import cards, declared_facts, session_methods
from tsmdbench.experiments.session import as_methods
from tsmdbench.methods import LoCoMotif, declare
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
def test_a_damaged_card_is_refused(kept):
    with pytest.raises(InputError, match="the manifest of the store is damaged"):
        declared_facts({"methods": kept})


def test_cards_are_of_methods_that_are_not_ours():
    @declare(display_name="New", colour="#123456")
    class New:
        def __init__(self, length=3, channel=0):
            self.length = length

        def find(self, series):
            return []

    _, session = as_methods([New, New(length=5)])
    found = cards(session.values())
    assert found["New"]["facts"] == {
        "display_name": "New",
        "univariate": True,  # it has a channel
        "colour": "#123456",
    }
    assert found["New(length=5)"]["facts"]["display_name"] == "New(length=5)"
    manifest = {"methods": found}
    assert session_methods(manifest) == {"New", "New(length=5)"}
    assert declared_facts(manifest)["New"].colour == "#123456"


def test_the_method_is_named_when_its_declaration_is_wrong():
    class Wrong:
        colour = "pink"

        def find(self, series):
            return []

    _, session = as_methods(Wrong)
    with pytest.raises(InputError, match="Wrong: colour must be written"):
        cards(session.values())
