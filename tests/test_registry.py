"""The registry: lazy entries, suggestions, no silent replacement."""

import pytest

from tsmdbench import InputError
from tsmdbench.registry import Registry, UnknownNameError, import_object


def test_entries_are_imported_when_first_asked_for():
    numbers = Registry("number")
    numbers.add("pi", "math:pi")
    numbers.add("broken", "no.such.module:thing")
    assert numbers.names() == ["broken", "pi"]
    assert numbers.get("pi") > 3
    with pytest.raises(UnknownNameError, match="cannot import number"):
        numbers.get("broken")
    assert "pi" in numbers
    assert len(numbers) == 2
    assert list(numbers) == ["broken", "pi"]
    assert "2 numbers" in repr(numbers)


def test_unknown_names_get_a_suggestion():
    numbers = Registry("number")
    numbers.add("seven", 7)
    with pytest.raises(KeyError, match="did you mean 'seven'"):
        numbers.get("sevn")
    with pytest.raises(KeyError, match="known: seven"):
        numbers.get("xyz")
    with pytest.raises(InputError, match="exists"):
        numbers.add("seven", 8)


def test_third_parties_are_found_by_module_and_object():
    numbers = Registry("number")
    assert numbers.get("math:tau") == import_object("math:tau")
    with pytest.raises(UnknownNameError, match="has no 'nothing'"):
        numbers.get("math:nothing")
