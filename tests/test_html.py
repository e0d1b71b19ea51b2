"""Every public result has an HTML form for notebooks: small, and escaped."""

import importlib
import inspect
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from tests.experiments.driving import LIMITS, MOCKS, PROBLEMS
from tests.test_public_api import NAMES
from tsmdbench import MotifSet, Problem
from tsmdbench.benchmark import DataCard, build_benchmark, data_card
from tsmdbench.datasets.dataset import Dataset
from tsmdbench.datasets.recordings import AnnotatedRecording, Piece, Recordings
from tsmdbench.experiments import Store, data_facts
from tsmdbench.experiments.running import run_specification
from tsmdbench.experiments.specification import Specification
from tsmdbench.io import Annotations, Recording
from tsmdbench.methods import (
    ContractReport,
    Method,
    check_method,
)
from tsmdbench.methods.contract import Check
from tsmdbench.metrics import check_metric, prom_curve
from tsmdbench.paper import Reproduction
from tsmdbench.paper.statements import STATEMENTS, Finding, Verdict
from tsmdbench.report import Written

EVIL = "<img src=x onerror=alert(1)>&"
MOST_BYTES = 20_000
TAGS = {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}

# What is given to functions, one row of a result, or a sequence with a table of its
# own: the text of these is short and says everything.
PLAIN = {
    "MotifSet", "Averages", "FoundMotif", "TrueMotif", "SetRelation", "Metric", "Rule",
    "Grammar", "Place", "Properties", "Noise", "OverviewRow", "Environment", "Limits",
    "Specification", "Progress", "Disagreement", "ProtocolGain", "Drawn", "Gap",
    "MotifFormat", "Difficulty", "SeriesFormat", "MethodInfo",
}  # fmt: skip


def public_classes():
    made = {name: getattr(importlib.import_module(p), name) for p, name in NAMES}
    return {
        name: cls
        for name, cls in made.items()
        if inspect.isclass(cls) and not issubclass(cls, Method | Exception)
    }


def test_every_public_result_has_a_form_for_notebooks():
    without = {n for n, cls in public_classes().items() if not shows_html(cls)}
    assert without == PLAIN


def shows_html(cls):
    return hasattr(cls, "_repr_html_")


class Checker(HTMLParser):
    """Collects tags and text, and fails where tags do not close in order."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.text = [], set(), ""

    def handle_starttag(self, tag, _):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def shown(result):
    """Return the text of the HTML form, which is well formed, small and harmless."""
    html = result._repr_html_()
    checker = Checker()
    checker.feed(html)
    assert checker.open == []
    assert checker.tags <= TAGS
    assert len(html) < MOST_BYTES
    return checker.text


def instances():
    rng = np.random.default_rng(0)
    labels = [label for label in (EVIL, "b", "c", "d", "e") for _ in range(10)]
    return [rng.normal(size=20) for _ in labels], labels


def recordings():
    recording = Recording(
        np.arange(200.0).reshape(100, 2), (EVIL, "y"), rate=10.0, source=EVIL
    )
    truth = {EVIL: MotifSet([(0, 10), (20, 30)])}
    sources = {EVIL: AnnotatedRecording(EVIL, recording, truth)}
    pieces = (Piece(EVIL, 0, 100),)
    return Recordings(EVIL, "test", sources, pieces, notes=(EVIL,))


CASES = {
    "Problem": lambda: Problem(
        np.zeros(50), {EVIL: MotifSet([(0, 10), (20, 30)]), "none": MotifSet()}, EVIL
    ),
    "ContractReport": lambda: ContractReport(
        EVIL, (Check("in range", passed=False, detail=EVIL),)
    ),
    "Dataset": lambda: Dataset(
        EVIL, (np.zeros((5, 1)),) * 2, (EVIL, "b"), ("TRAIN", "TEST"), EVIL
    ),
    "Benchmark": lambda: build_benchmark(*instances(), name="mine"),
    "DataCard": lambda: DataCard(EVIL, {EVIL: EVIL}, {}, (EVIL,)),
    "Recordings": recordings,
    "DataCard of recordings": lambda: data_card(recordings()),
    "Recording": lambda: recordings().sources[EVIL].recording,
    "Annotations": lambda: Annotations({EVIL: 3}, "json", EVIL, (EVIL,)),
    "Reproduction": lambda: Reproduction(
        Path(EVIL),
        Written(Path(EVIL), (), (), ()),
        Path(EVIL),
        [Verdict(STATEMENTS[0], Finding(EVIL, ""))],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_texts_of_others_are_escaped(name):
    result = CASES[name]()
    assert type(result).__name__ == name.partition(" of ")[0]
    text = shown(result)
    assert EVIL in text or name == "Benchmark"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("html") / "<store>"
    request = Specification((f"{PROBLEMS}small",), (f"{MOCKS}Mock",), limits=LIMITS)
    run_specification(request, path, workers=1)
    return Store(path)


def test_a_store_shows_its_runs(store):
    text = shown(store)
    assert "<store>: 12 runs" in text
    assert "smalltest" in text
    assert text.endswith("Mock12")


def test_results_show_what_they_say_in_text():
    report = check_method("stomp", {"length": 50, "max_sets": 2})
    for check in report.checks:
        assert check.name in shown(report)
    card = check_metric("prom_f1", quiet=True)
    for cell in card.cells:
        assert cell in shown(card)
    curve = prom_curve([[(0, 10), (50, 60)]], [[(0, 10), (52, 62)]])
    text = shown(curve)
    assert "area under F1: 0.694" in text
    assert "0.6501.0001.0001.0000.7000.5000.5000.500" in text


def test_facts_show_the_values_that_methods_get():
    problems = importlib.import_module("tests.experiments.mock_problems")
    facts = data_facts(problems.small("validation"))
    assert f"max_sets{facts.max_sets}" in shown(facts)


def test_channels_without_values_can_be_shown():
    values = np.array([[np.nan, 1.0], [np.nan, 2.0]])
    assert "anannan2" in shown(Recording(values, ("a", "b")))


def test_large_results_stay_small():
    many = {str(n): MotifSet([(0, 10), (20, 30)]) for n in range(5000)}
    assert "more rows" in shown(Problem(np.zeros(50), many))
    assert "more rows" in shown(Annotations(many, "json", "file"))
