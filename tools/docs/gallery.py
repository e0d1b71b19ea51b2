"""Three series, and what every method finds in them with the best of its settings.

The settings of a method are those of the benchmark: lengths, radius and number of sets
as they follow from the data, the rest from its grid. Here the data is the series itself
and the grid is searched on it, so what is shown is the best that a method can do on
this series, not what it does on one that it has not seen.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tools.docs.blocks import ROOT

from tsmdbench import METHODS, MotifSet, Problem, load_benchmark
from tsmdbench.benchmark import from_annotations
from tsmdbench.example import example_path
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.settings import DataFacts, data_facts, settings_for
from tsmdbench.methods.base import fields_of
from tsmdbench.metrics import evaluate_many

SEED = 3
STRETCH = (0.7, 1.4)  # of 80 samples
VOWELS = 0  # which problem of JapaneseVowels
GAP = (35, 70)
FILE = ROOT / "docs" / "methods" / "gallery.json"
RADIUS_DIGITS = 3  # so that a call can be read


@dataclass(frozen=True)
class Shown:
    """What a method found in a series, with which setting, and its F1."""

    method: Any
    found: tuple[MotifSet, ...]
    f1: float


@cache
def problems() -> dict[str, Problem]:
    """Return the three problems by name."""
    return {"equal": _equal(), "stretched": _stretched(), "vowels": _vowels()}


def _equal() -> Problem:
    """Return the example that comes with the package: shapes of 80 samples each."""
    files = example_path("series.csv"), example_path("truth.json")
    return from_annotations(*files, name="equal")


def _stretched() -> Problem:
    """Return the shapes of that example stretched and shrunk, between other noise."""
    from tools.make_example import shape

    rng = np.random.default_rng(SEED)
    order = ["bump", "wave", "step", "wave", "bump", "step", "bump", "wave", "bump"]
    places: dict[str, list[tuple[int, int]]] = {"bump": [], "wave": [], "step": []}
    pieces: list[NDArray[np.float64]] = []
    position = 0
    for kind in order:
        gap = int(rng.integers(*GAP))
        pieces.append(np.convolve(rng.normal(size=gap + 14), np.ones(15) / 15, "valid"))
        position += gap
        length = round(80 * rng.uniform(*STRETCH))
        pieces.append(shape(kind, np.linspace(0, 1, length)))
        places[kind].append((position, position + length))
        position += length
    series = np.concatenate(pieces)
    series += rng.normal(scale=0.08, size=len(series))
    truth = {label: MotifSet(segments) for label, segments in places.items()}
    return Problem(series, truth, "stretched")


def _vowels() -> Problem:
    """Return a problem of the benchmark: spoken vowels, twelve channels."""
    return load_benchmark("JapaneseVowels", split="test")[VOWELS]


@cache
def best(name: str, series: str) -> Shown:
    """Return what a method finds with the best of its settings; ties to the first."""
    problem = problems()[series]
    settings = _settings(name, data_facts([problem]))
    cls = METHODS[name]
    methods = [cls(**setting) for setting in settings]
    found = cls.sweep(problem.series, methods)
    values = evaluate_many([(problem.truth, one) for one in found], ["prom_f1"])
    place = int(np.argmax(values["prom_f1"]))
    return Shown(methods[place], found[place], float(values["prom_f1"][place]))


def _settings(name: str, facts: DataFacts) -> list[dict[str, Any]]:
    if name == "random_walk_detector":  # no window follows from the data
        return [{"window": max(8, facts.length // 2)}]
    settings = settings_for(describe(name), facts)
    for setting in settings:
        if "radius" in setting:
            setting["radius"] = round(setting["radius"], RADIUS_DIGITS)
    return settings


def call(method: Any) -> str:
    """Return how a method is made, leaving out what is the default.

    >>> from tsmdbench.methods import STOMP
    >>> call(STOMP(length=50, radius_factor=3.0, max_sets=2))
    'STOMP(length=50, max_sets=2)'
    """
    given = [
        f"{field.name}={getattr(method, field.name)!r}"
        for field in fields_of(type(method))
        if getattr(method, field.name) != field.default
    ]
    return f"{type(method).__name__}({', '.join(given)})"


def outcomes() -> dict[str, dict[str, dict[str, Any]]]:
    """Return what every method did on every series, as JSON can hold it."""
    return {
        name: {series: _outcome(best(name, series)) for series in problems()}
        for name in METHODS
    }


def _outcome(shown: Shown) -> dict[str, Any]:
    found = [[list(segment) for segment in motifs] for motifs in shown.found]
    return {"call": call(shown.method), "f1": round(shown.f1, 4), "found": found}


def kept() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the outcomes as they were when the pictures were drawn."""
    known: dict[str, dict[str, dict[str, Any]]] = json.loads(FILE.read_text())
    return known


def write() -> None:
    """Find everything again and keep it for the pages."""
    lines = [f'"{name}": {json.dumps(one)}' for name, one in outcomes().items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
