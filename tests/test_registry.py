"""The registry: a mapping with lazy entries, suggestions and entries of others."""

from collections.abc import Mapping
from importlib.metadata import EntryPoint

import pytest

from tsmdbench import METHODS, METRICS, InputError, InputTypeError
from tsmdbench.errors import UnknownNameError
from tsmdbench.registry import Registry, import_object


def registry(**entries):
    numbers = Registry("number")
    for name, entry in entries.items():
        numbers.add(name, entry)
    return numbers


def test_entries_are_imported_when_first_looked_up():
    numbers = registry(pi="math:pi", broken="no.such.module:thing")
    assert list(numbers) == ["broken", "pi"]
    assert numbers["pi"] > 3
    for look_up in (numbers.__getitem__, numbers.get):
        with pytest.raises(UnknownNameError, match="cannot import number"):
            look_up("broken")
    assert "2 numbers" in repr(numbers)


def test_a_registry_is_a_mapping():
    numbers = registry(two=2, one=1)
    assert isinstance(numbers, Mapping)
    assert list(numbers.items()) == [("one", 1), ("two", 2)]
    assert ("one" in numbers, "three" in numbers, len(numbers)) == (True, False, 2)
    found = numbers.get("one"), numbers.get("three"), numbers.get("three", 3)
    assert found == (1, None, 3)


def test_unknown_names_get_a_suggestion():
    numbers = registry(seven=7)
    with pytest.raises(KeyError, match="did you mean 'seven'") as caught:
        numbers["sevn"]
    assert isinstance(caught.value, InputError)
    with pytest.raises(KeyError, match="known: seven"):
        numbers["xyz"]
    with pytest.raises(InputError, match="exists"):
        numbers.add("seven", 8)


def test_third_parties_are_found_by_module_and_object():
    numbers = registry()
    assert numbers["math:tau"] == import_object("math:tau")
    assert "math:tau" not in numbers
    assert numbers.get("math:tau") is None
    with pytest.raises(UnknownNameError, match="has no 'nothing'"):
        numbers["math:nothing"]


def test_entries_of_other_packages_are_listed_and_loaded_on_request(monkeypatch):
    def as_number(entry, name):
        if callable(entry):
            raise InputTypeError(f"{name!r} must be a number")
        return float(entry)

    points = [
        EntryPoint("tau", "math:tau", "numbers"),
        EntryPoint("seven", "math:pi", "numbers"),
        EntryPoint("broken", "no.such.module:thing", "numbers"),
    ]
    monkeypatch.setattr("tsmdbench.registry.entry_points", lambda **_: points)
    plugins = Registry("number", group="numbers", convert=as_number)
    plugins.add("seven", 7.0)
    assert (list(plugins), plugins.added()) == (["broken", "seven", "tau"], ["seven"])
    assert plugins["tau"] == plugins.get("tau") > 6
    assert plugins["seven"] == 7.0  # what was added is not replaced
    with pytest.raises(InputError, match="cannot import number 'broken' from"):
        plugins["broken"]
    with pytest.raises(InputError, match="No module named 'no'"):
        plugins.get("broken")
    with pytest.raises(InputTypeError, match="'math:floor' must be a number"):
        plugins["math:floor"]


def test_the_registries_of_the_package_are_mappings():
    assert METHODS["locomotif"].__name__ == "LoCoMotif"
    assert METRICS["prom_f1"].name == "prom_f1"
    assert METRICS.get("prom_f2") is None
    with pytest.raises(UnknownNameError, match="did you mean 'prom_f1'"):
        METRICS["prom_f2"]
