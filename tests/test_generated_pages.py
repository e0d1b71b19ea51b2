"""Pages that come from the code are up to date, and say what they should."""

import ast
import doctest
import importlib
import sys

import pytest
from tools.docs import generate, hooks, method_pages
from tools.docs.blocks import ROOT, name
from tools.docs.docstrings import markdown, markdown_inside, sections
from tools.docs.mathml import mathml
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


def test_empty_sections_are_filled_with_the_pages_that_are_there(tmp_path):
    (tmp_path / "results").mkdir()
    for page in ("table.md", "index.md"):
        (tmp_path / "results" / page).write_text("# A page")
    given = ["start.md", {"Results": []}, {"Report": []}, {"Guide": ["a.md"]}]
    config = {"docs_dir": str(tmp_path), "nav": given}
    assert hooks.on_config(config)["nav"] == [
        "start.md",
        {"Results": ["results/index.md", "results/table.md"]},
        {"Guide": ["a.md"]},
    ]


@pytest.mark.slow
def test_gallery_is_what_methods_find():
    from tools.docs import gallery

    assert gallery.outcomes() == gallery.kept()


@pytest.mark.parametrize("method", list(METHODS))
def test_every_method_tells_what_its_page_needs(method):
    docstring = sys.modules[METHODS[method].__module__].__doc__
    parts = sections(docstring)
    for wanted in ("Cost", "Limitations", "Conventions", "Departures", "References"):
        assert parts.get(wanted), f"{method} lacks {wanted}"
    idea = parts[""].partition("\n\n")[2]
    assert 30 <= len(idea.split()) <= 170
    page = method_pages.page(method)
    for heading in ("Idea", "What it finds", "Parameters", "Cost", "Limitations"):
        assert f"\n## {heading}\n" in page


def test_every_method_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text()
    for method in METHODS:
        assert f"methods/{method}.md" in navigation


def test_metrics_to_choose_from_are_registered_and_cover_every_module():
    from tools.docs.tables import LACKS, USE

    # The name of a metric starts with that of its module.
    modules = {
        name
        for name in metrics.__all__
        if any(metric.startswith(name) for metric in METRICS)
    }
    assert len(modules) == 6
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


@pytest.mark.parametrize(
    "module", ["docstrings", "examples", "gallery", "mathml", "pictures.style"]
)
def test_doctests_of_the_tools(module):
    outcome = doctest.testmod(importlib.import_module(f"tools.docs.{module}"))
    assert outcome.failed == 0


def test_definitions_become_lists():
    text = "``mode``\n    One line,\n    and another.\n"
    assert markdown(text) == "\n* ``mode``: One line,\n  and another."


def test_lists_and_sentences_stay():
    text = "* one\n    continued\n\nA sentence.\n    Indented by mistake."
    assert markdown(text) == text


def test_literal_blocks_are_fenced():
    text = "As in::\n\n    a = 1\n\nEnd."
    assert markdown(text) == "As in:\n\n```\na = 1\n```\n\nEnd."


def test_references_become_links():
    shown = markdown("A paper, 2018, doi:10.1145/3051126. See arXiv:2412.09346.")
    assert "[doi:10.1145/3051126](https://doi.org/10.1145/3051126)." in shown
    assert "[arXiv:2412.09346](https://arxiv.org/abs/2412.09346)." in shown


def test_sections_that_numpydoc_knows_are_left_alone():
    docstring = "Do.\n\nParameters\n----------\na : int\n    One.\n\nNotes\n-----\nN."
    assert "Parameters\n----------\na : int\n    One." in markdown_inside(docstring)


def test_types_and_literal_blocks_of_known_sections_can_be_shown():
    docstring = "Do.\n\nParameters\n----------\na : with ``find``\n    See `b`."
    assert "a : with find\n    See `b`." in markdown_inside(docstring)
    docstring = "Do.\n\nExamples\n--------\nSo::\n\n    a = 1"
    assert "So:\n\n```\na = 1\n```" in markdown_inside(docstring)


def test_tables_of_restructured_text_become_markdown():
    text = "Before.\n\n==== =====\n`a`  one,\n`bc` two\n==== =====\n\nAfter."
    shown = "Before.\n\n|  |  |\n|---|---|\n| `a` | one, |\n| `bc` | two |\n\nAfter."
    assert markdown(text) == shown


def test_formulas_do_not_end_a_list():
    shown = markdown("1. A rate\n   :math:`a / b`, see [1]_.\n2. Next.")
    assert shown.startswith("1. A rate\n   <span><math>")
    assert shown.endswith("</math></span>, see [1].\n2. Next.")


def test_formulas_of_their_own_line_do_not_end_a_list_either():
    text = "* A:\n\n  .. math:: a + b\n\n  with a.\n* B."
    first, second, third, fourth = markdown(text).splitlines()
    assert (first, third, fourth) == ("* A:", "  with a.", "* B.")
    assert second.startswith('  <span><math display="block">')


def test_every_docstring_of_the_package_can_be_shown():
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                markdown_inside(ast.get_docstring(node) or "")


def test_formulas():
    shown = mathml(r"\sum_{i=1}^{m} x_i", block=True)
    assert shown.startswith('<math display="block"><munderover><mo>')
    assert "<msub><mi>x</mi><mi>i</mi></msub>" in shown
    with pytest.raises(ValueError, match="no MathML"):
        mathml(r"\unheard")
    with pytest.raises(ValueError, match="lacks"):
        mathml(r"\frac{a}{b")
