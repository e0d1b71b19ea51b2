"""Pages that come from the code are up to date, and say what they should."""

import doctest
import importlib
import sys

import pytest
from tools.docs import generate, method_pages, reference
from tools.docs.blocks import ROOT, name
from tools.docs.docstrings import linked, sections, shown
from tools.docs.pictures import design

from tests.test_layers import RANKS
from tsmdbench import METHODS, metrics
from tsmdbench.metrics import METRICS
from tsmdbench.metrics.metric import PROPERTIES

MENDED = "python -m tools.docs.generate"


def test_generated_pages_are_up_to_date():
    old = [name(file) for file, _ in generate.outdated()]
    assert not old, f"out of date, run {MENDED!r}: {', '.join(old)}"


def test_a_page_without_its_part_is_noticed():
    page = "<!-- generated: methods -->\nold\n<!-- end: methods -->"
    assert "old" not in generate.filled(page)
    assert "| [`emma`](emma.md) |" in generate.filled(page)


@pytest.mark.slow
def test_gallery_is_what_methods_find():
    from tools.docs import gallery

    assert gallery.outcomes() == gallery.kept()


def test_every_method_says_what_its_page_needs():
    navigation = (ROOT / "docs" / "methods" / "index.md").read_text()
    for method in METHODS:
        assert f"\n{method}\n" in navigation
        parts = sections(sys.modules[METHODS[method].__module__].__doc__)
        wanted = ("Cost", "Limitations", "Conventions", "Departures", "References")
        assert all(parts.get(title) for title in wanted), method
        idea = parts[""].partition("\n\n")[2]
        assert 30 <= len(idea.split()) <= 170, method
        page = method_pages.page(method)
        for heading in ("Idea", "Example", "Parameters", "Cost", "Limitations"):
            assert f"\n## {heading}\n" in page, method


def test_metrics_to_choose_from_are_registered_and_cover_every_module():
    from tools.docs.tables import LACKS, USE

    # The name of a metric starts with that of its module.
    modules = {
        name
        for name in metrics.__all__
        if any(metric.startswith(name) for metric in METRICS)
    }
    assert len(modules) == 7
    for module in modules:
        assert any(metric.startswith(module) for metric in USE), module
    assert set(USE) <= set(METRICS)
    assert set(LACKS) == set(PROPERTIES)


def test_layers_of_the_picture_are_those_of_the_test():
    for first, rank in design.RANK.items():
        for second, other in design.RANK.items():
            if "core" in (first, second):
                continue
            assert (rank < other) == (RANKS[first] < RANKS[second])


def test_picture_of_the_layers_shows_the_imports_that_there_are():
    drawn = (ROOT / "docs" / "images" / "design" / "layers.svg").read_text()
    hint = "out of date, run 'python -m tools.docs.pictures design'"
    assert design.says() in drawn, hint


@pytest.mark.parametrize("module", ["examples", "gallery", "pictures.style"])
def test_doctests_of_the_tools(module):
    outcome = doctest.testmod(importlib.import_module(f"tools.docs.{module}"))
    assert outcome.failed == 0


def test_sections_of_a_docstring_are_shown_as_they_are():
    parts = sections("Do.\n\nMore.\n\nCost\n----\nO(n) by :math:`n`, see [1]_.\n")
    assert list(parts) == ["", "Cost"]
    assert shown(parts["Cost"]) == "```{eval-rst}\nO(n) by :math:`n`, see [1].\n```"


def test_references_become_links():
    block = shown(".. [1] A paper, 2018, doi:10.1145/3051126. See arXiv:2412.09346.")
    assert "\n1. A paper" in block
    assert "`doi:10.1145/3051126 <https://doi.org/10.1145/3051126>`__." in block
    assert "`arXiv:2412.09346 <https://arxiv.org/abs/2412.09346>`__." in block
    assert linked("arXiv:2412.09346") == (
        "[arXiv:2412.09346](https://arxiv.org/abs/2412.09346)"
    )


def test_names_of_pages_differ_without_case():
    names = [f"{package}.{name}" for package, name in reference.objects()]
    files = {reference.file_names().get(name, name).lower() for name in names}
    assert len(files) == len(names)
