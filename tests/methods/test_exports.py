"""What ``tsmdbench.methods`` exports: every class, imported when it is looked up."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import tsmdbench.methods as methods
from tsmdbench.methods import METHODS, LoCoMotif, Method, check_method


def test_every_method_can_be_imported_by_its_class_name():
    for name, cls in METHODS.items():
        assert getattr(methods, cls.__name__) is cls, name
        assert cls.__name__ in methods.__all__
    assert METHODS["locomotif"] is LoCoMotif
    assert issubclass(LoCoMotif, Method)
    assert (
        check_method
        is importlib.import_module("tsmdbench.methods.contract").check_method
    )


def test_public_names_are_listed_and_others_raise():
    assert dir(methods) == sorted(methods.__all__)
    assert all(hasattr(methods, name) for name in methods.__all__)
    with pytest.raises(AttributeError, match="no attribute 'LoCoMotiv'"):
        methods.LoCoMotiv  # noqa: B018


def test_type_checkers_see_the_names_that_exist():
    tree = ast.parse(Path(inspect.getsourcefile(methods)).read_text())
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {(line.module, name.name) for line in block.body for name in line.names}
    names = {name for _, name in seen}
    assert names == set(methods.__all__) - {"METHODS"}
    for module, name in seen:
        assert getattr(importlib.import_module(module), name) is getattr(methods, name)
