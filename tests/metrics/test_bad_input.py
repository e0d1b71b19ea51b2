"""What PROM refuses, and the sentence that it says."""

import numpy as np
import pytest

from tsmdbench import InputError, InputTypeError, MotifSet
from tsmdbench.metrics import prom, prom_curve, score

TRUTH = [[(0, 10), (20, 30)]]


@pytest.mark.parametrize(
    ("truth", "found", "error", "message"),
    [
        ([[(0, 10)], [(5, 15)]], [], InputError, r"\[0, 10\).*\[5, 15\)"),
        ({"a": [(0, 10), (9, 19)]}, [], InputError, "'a'.*overlap|overlap.*'a'"),
        ([], [], InputError, "truth is empty"),
        ({}, [], InputError, "truth is empty"),
        ([[]], [], InputError, "set 0 has no segment"),
        ([(0, 10), (20, 30)], [], InputError, "flat list"),
        (np.array([[0, 10], [20, 30]]), [], InputError, "flat list"),
        (MotifSet([(0, 10)]), [], InputTypeError, "one MotifSet"),
        (TRUTH, [(0, 10)], InputError, "found is one flat list"),
        (TRUTH, [0, 10], InputError, "flat list"),
        (TRUTH, [[0, 10, 20]], InputError, r"\(start, end\) pair"),
        (TRUTH, 5, InputTypeError, "found must be"),
        (TRUTH, None, InputTypeError, "found must be"),
        (TRUTH, b"ab", InputTypeError, "found must be"),
        (TRUTH, [5], InputError, "flat list"),
        (TRUTH, [[(0, 1.5)]], InputTypeError, "found, set 0: segment 0"),
        (TRUTH, {"x": [(3, 1)]}, InputError, "found, set 'x': segment 0"),
        (TRUTH, [["ab"]], InputError, "pair"),
        (TRUTH, [{"a": 1}], InputTypeError, "list of"),
        (TRUTH, "missing.json", InputError, "missing.json does not exist"),
    ],
)
def test_wrong_motif_sets_are_refused(truth, found, error, message):
    with pytest.raises(error, match=message):
        prom(truth, found)


def test_options_out_of_range_are_refused():
    for threshold in (0.49, 1, 1.0, -1, 7, float("nan")):
        with pytest.raises(InputError, match=r"\[0.5, 1\)"):
            prom(TRUTH, TRUTH, threshold=threshold)
    for threshold in ("0.5", None, True):
        with pytest.raises(InputTypeError, match="must be a number"):
            prom(TRUTH, TRUTH, threshold=threshold)
    for thresholds, message in (([], "empty"), ([0.5, 1.0], r"\[0.5, 1\)")):
        with pytest.raises(InputError, match=message):
            prom_curve(TRUTH, TRUTH, thresholds)
    for function in (prom, score, prom_curve):
        with pytest.raises(InputTypeError, match="penalize_off_target must be True or"):
            function(TRUTH, TRUTH, penalize_off_target="no")
    with pytest.raises(TypeError, match="treshold"):
        prom(TRUTH, TRUTH, treshold=0.5)


def test_segments_beyond_a_known_series_are_refused():
    assert prom(TRUTH, TRUTH, n=30).f1 == 1.0
    with pytest.raises(InputError, match=r"\[20, 30\) ends beyond the series"):
        prom(TRUTH, TRUTH, n=29)
    with pytest.raises(InputError, match="found"):
        prom(TRUTH, [[(25, 31)]], n=30)
    with pytest.raises(InputTypeError, match="n must be a whole number"):
        prom(TRUTH, TRUTH, n="30")
    with pytest.raises(InputError, match=r"True|whole number"):
        prom([[(0, 10)]], [[(False, True)]])
