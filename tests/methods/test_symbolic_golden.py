"""Numbers that the public implementations gave: jMotif, and the port of MrMotif."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from tsmdbench.methods._sax import RunningSums
from tsmdbench.methods.grammar import infer
from tsmdbench.methods.mrmotif import MrMotif

FOLDER = Path(__file__).parents[1] / "golden" / "symbolic"
GRAMMARS = sorted(path.stem for path in FOLDER.glob("gv_*.json"))


def load(name):
    golden = json.loads((FOLDER / f"{name}.json").read_text())
    return golden, np.load(FOLDER / golden["input"], allow_pickle=False)


def digest(lines):
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def parameters(golden):
    names = ("window", "word_length", "alphabet_size", "numerosity")
    return {name: golden[name] for name in names}


def test_the_golden_files_are_there():
    assert len(GRAMMARS) == 7


@pytest.mark.parametrize("name", GRAMMARS)
def test_words_and_starts_equal_jmotif(name):
    golden, x = load(name)
    options = parameters(golden)
    numerosity = options.pop("numerosity")
    words = RunningSums(x).words(**options, numerosity=numerosity)
    assert len(words) == golden["n_words"]
    if "words" in golden:  # shows where they differ
        assert words.text() == golden["words"].split()
        assert words.starts.tolist() == golden["starts"]
    assert digest(words.text()) == golden["words_sha256"]
    assert digest(map(str, words.starts.tolist())) == golden["starts_sha256"]


@pytest.mark.parametrize("name", GRAMMARS)
@pytest.mark.parametrize("algorithm", ["sequitur", "repair"])
def test_r0_expands_to_the_words_of_jmotif(name, algorithm):
    golden, x = load(name)
    grammar = infer(x, algorithm, **parameters(golden))
    words = [grammar.names[word] for word in grammar.expand().tolist()]
    assert digest(words) == golden["words_sha256"]


# jMotif does not enter some pairs, so other grammars of it differ by up to five rules.
EQUAL = [n for n in GRAMMARS if "MINDIST" in n or "w40" in n or "var2k" in n]


@pytest.mark.parametrize("name", EQUAL)
def test_sequitur_has_the_rules_of_jmotif(name):
    golden, x = load(name)
    grammar = infer(x, "sequitur", **parameters(golden))
    expansions = sorted(rule.words for rule in grammar if rule.name != "R0")
    expected = golden["sequitur"]
    assert int(grammar.offsets[1]) == expected["r0_symbols"]
    assert len(grammar) == expected["rules"]
    if "expansions" in expected:
        assert expansions == expected["expansions"]
    assert digest(expansions) == expected["expansions_sha256"]


@pytest.mark.parametrize("name", [name for name in EQUAL if "uni600" in name])
def test_sequitur_occurrences_hold_those_of_jmotif(name):
    """jMotif notes a position when it substitutes, and so misses a few."""
    golden, x = load(name)
    grammar = infer(x, "sequitur", **parameters(golden))
    ours = {rule.words: rule for rule in grammar}
    for words, positions, segments in golden["sequitur"]["occurrences"]:
        rule = ours[words]
        at = dict(zip(rule.positions, rule.segments, strict=True))
        assert [at[position] for position in positions] == [tuple(s) for s in segments]


@pytest.mark.parametrize("name", [name for name in GRAMMARS if "NONE" not in name])
def test_repair_equals_jmotif_up_to_ties(name):
    """Without numerosity reduction jMotif counts the pairs of a run twice over."""
    golden, x = load(name)
    grammar = infer(x, "repair", **parameters(golden))
    expected = golden["repair"]
    assert abs(int(grammar.offsets[1]) - expected["r0_symbols"]) <= 2
    assert abs(len(grammar.symbols) - expected["symbols"]) <= 4


@pytest.mark.parametrize("name", [name for name in GRAMMARS if "uni600" in name])
def test_repair_segments_equal_jmotif_for_rules_that_both_have(name):
    golden, x = load(name)
    ours = {rule.words: rule for rule in infer(x, "repair", **parameters(golden))}
    shared = 0
    for words, positions, segments in golden["repair"]["occurrences"]:
        if words in ours and list(ours[words].positions) == positions:
            shared += 1
            assert list(ours[words].segments) == [tuple(s) for s in segments]
    assert shared >= 0.7 * len(golden["repair"]["occurrences"])


@pytest.mark.parametrize("level", [4, 32])
def test_mrmotif_counts_equal_those_of_the_port_without_its_collisions(level):
    """The port spells some words otherwise (ddof 1, rounded cuts), but few of these."""
    golden, x = load("mrmotif_uni600")
    counts = MrMotif(golden["length"]).counts(x, top=len(x))[level]
    expected = golden["exact"][str(level)]
    ours = {"_".join(map(str, each.word)): each.windows for each in counts}
    assert len(ours) == expected["distinct"]
    assert counts[0].windows == expected["top"][0][0]
    assert all(ours[word] == count for count, word in expected["top"])
