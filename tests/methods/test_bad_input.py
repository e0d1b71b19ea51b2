"""Every registered method on every bad or unusual input."""

import dataclasses

import numpy as np
import pytest

from tests.methods.settings import entry
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.methods import METHODS
from tsmdbench.methods.contract import planted_problem

# Lifted methods are all made in the same way: one stands for them.
NAMES = [name for name in METHODS if not name.startswith("sub_")] + ["sub_setfinder"]
UNIVARIATE = [name for name in NAMES if METHODS[name].univariate]
# A value of each optional field that every method with such a field refuses.
BAD = {
    **dict.fromkeys(("radius", "radius_factor", "alpha", "learning_rate"), 0),
    **dict.fromkeys(("scale_cap", "pair_scale_cap"), "1"),
    **dict.fromkeys(("min_radius", "flat_threshold", "iterations", "seed"), -1),
    **dict.fromkeys(("exclusion", "max_overlap", "overlap", "rho", "slack"), 1.2),
    **dict.fromkeys(("step", "subsample", "neighbours", "subspace", "jump"), 0),
    **dict.fromkeys(("restarts", "max_operations", "word_length", "n_jobs"), 0),
    **dict.fromkeys(("alphabet_size", "max_matches", "k_max"), 1),
    **dict.fromkeys(("disjoint", "warping", "compat", "constant", "cutoff"), "no"),
    **dict.fromkeys(("count", "linkage", "mode", "normalize", "numerosity"), "no"),
    **dict.fromkeys(("rank", "start", "strategy", "lags", "resolution"), "no"),
    **dict.fromkeys(("start_mask", "end_mask"), 3),
    **dict.fromkeys(("alternative", "channels", "max_length", "samples"), -1),
    "anneal": 0.5,
    "bits": 11,
    "channel": -1,
    "delta": 0.4,
    "elbow_deviation": np.nan,
    "max_sets": 0,
}


def method(name, **changes):
    return METHODS[name](**{**entry(name).good, **changes})


def longest(name):
    return max(entry(name).good[field] for field in entry(name).lengths)


def shortest(name):
    return min(entry(name).good[field] for field in entry(name).lengths)


def one_sentence(error):
    return "\n" not in str(error.value) and 10 < len(str(error.value)) < 300


@pytest.fixture
def x():
    return planted_problem().series


def well_formed(found, n):
    return all(
        len(motifs) > 0 and motifs.starts.min() >= 0 and motifs.ends.max() <= n
        for motifs in found
    )


@pytest.mark.parametrize("name", NAMES)
def test_series_shorter_than_two_windows(name, x):
    least = longest(name) if entry(name).own_length else shortest(name)
    short = x[: 2 * least - 1]
    with pytest.raises(InputError, match="samples") as error:
        method(name).find(short)
    assert one_sentence(error)


@pytest.mark.parametrize("name", NAMES)
def test_series_of_two_windows(name, x):
    n = 2 * longest(name)
    assert well_formed(method(name).find(x[:n]), n)


@pytest.mark.parametrize("name", NAMES)
def test_empty_series(name):
    for empty in ([], np.empty(0), np.empty((0, 3))):
        with pytest.raises(InputError, match="empty") as error:
            method(name).find(empty)
        assert one_sentence(error)


def find_or_refuse(name, x):
    """What is found; nothing if the method refuses broken samples in one sentence."""
    one = method(name, max_sets=3)
    if one.takes_missing:
        return one.find(x)
    with pytest.raises(InputError, match="does not take missing values") as error:
        one.find(x)
    assert one_sentence(error)
    return ()


@pytest.mark.parametrize("name", NAMES)
def test_nan_everywhere(name):
    assert find_or_refuse(name, np.full(400, np.nan)) == ()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", NAMES)
def test_windows_with_broken_samples_are_never_found(name, bad, x):
    where = [5, 140, 330, len(x) - 1]
    x[where] = bad
    found = find_or_refuse(name, x)
    assert found or not METHODS[name].takes_missing  # what is left is searched
    for start, end in (segment for motifs in found for segment in motifs):
        assert np.isfinite(x[start:end]).all()


@pytest.mark.parametrize("value", [0.0, -3.5, 1e12])
@pytest.mark.parametrize("name", NAMES)
def test_constant_series(name, value):
    found = method(name, max_sets=2).find(np.full(400, value))
    assert well_formed(found, 400)


def with_stuck_parts(x):
    """The series with stretches of equal samples, and the windows in them."""
    x = np.concatenate([x, x])
    for start in (90, 190, 380, 480, 790, 1000, 1200):
        x[start : start + 75] = x[start]
    return x


def constant_segments(found, x):
    return sum(np.ptp(x[start:end]) == 0 for motifs in found for start, end in motifs)


@pytest.mark.parametrize("name", NAMES)
def test_constant_windows_are_left_out_unless_they_are_kept(name, x):
    x = with_stuck_parts(x)
    one = method(name)
    if getattr(one, "constant", "skip") == "skip":
        assert constant_segments(one.find(x), x) == 0
        assert one.left_out(x).constant > 0
    if "constant" in vars(one):
        kept = dataclasses.replace(one, constant="keep")
        assert constant_segments(kept.find(x), x) > 0
        assert kept.left_out(x).constant == 0
        assert one.sweep(x, [one, kept]) == [one.find(x), kept.find(x)]


def test_a_window_is_constant_if_all_channels_are(x):
    x = np.stack([with_stuck_parts(x), np.full(2 * len(x), 3.0)], axis=1)
    one = method("mmotifs")
    kept = dataclasses.replace(one, constant="keep")
    assert constant_segments(kept.find(x), x[:, 0]) > 0
    assert constant_segments(one.find(x), x[:, 0]) == 0
    x[:, 1] = np.arange(len(x)) % 7
    assert one.left_out(x).constant == 0
    assert one.find(x) == kept.find(x)


@pytest.mark.parametrize("name", NAMES)
def test_integers(name, x):
    whole = np.round(x * 100).astype(np.int64)
    one = method(name, max_sets=2)
    assert one.find(whole) == one.find(whole.astype(np.float64))
    assert one.find(whole.astype(np.int16)) == one.find(whole)


@pytest.mark.parametrize("name", NAMES)
def test_float32(name, x):
    one, narrow = method(name, max_sets=2), x.astype(np.float32)
    assert one.find(narrow) == one.find(narrow.astype(np.float64))


@pytest.mark.parametrize("name", NAMES)
def test_lists_and_pandas_and_columns(name, x):
    pandas = pytest.importorskip("pandas")
    one = method(name, max_sets=2)
    expected = one.find(x)
    assert expected or not entry(name).share
    index = pandas.date_range("2020-01-01", periods=len(x), freq="h")
    assert one.find(x.tolist()) == expected
    assert one.find(pandas.Series(x, index=index)) == expected
    assert one.find(pandas.DataFrame({"load": x})) == expected
    assert one.find(x[:, None]) == expected
    assert one.find(np.asfortranarray(x[:, None])) == expected
    assert one.find(x[::-1][::-1]) == expected


@pytest.mark.parametrize("name", NAMES)
def test_channels_first_is_said(name, x):
    with pytest.raises(InputError, match="time is axis 0, so transpose") as error:
        method(name).find(np.stack([x, x]))
    assert one_sentence(error)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_series(name):
    for junk in (["a", "b"], [[1, 2], [3]], np.zeros((9, 9, 9)), None):
        with pytest.raises(InputError, match="series"):
            method(name).find(junk)


@pytest.mark.parametrize("name", NAMES)
def test_window_too_short_or_no_number(name):
    for length in (3, 0, -4, 10.5, "50", True, None):
        if length is None and entry(name).optional:
            continue  # None means that the length is unknown
        for field in entry(name).lengths:
            with pytest.raises(InputError, match=field) as error:
                method(name, **{field: length})
            assert one_sentence(error)


@pytest.mark.parametrize("name", NAMES)
def test_window_longer_than_the_series(name, x):
    one = method(name, **dict.fromkeys(entry(name).lengths, len(x) + 1))
    with pytest.raises(InputError, match="samples") as error:
        one.find(x)
    assert one_sentence(error)
    with pytest.raises(InputError, match="samples"):
        one.sweep(x, [one])


@pytest.mark.parametrize(
    "name", [name for name in NAMES if {"l_min", "l_max"} <= {*entry(name).lengths}]
)
def test_shortest_longer_than_longest(name):
    with pytest.raises(InputError, match=r"l_min .*l_max|l_max .*l_min") as error:
        method(name, l_min=60, l_max=50)
    assert one_sentence(error)


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_checked(name):
    fields = {one.name for one in dataclasses.fields(METHODS[name])}
    for field in fields - {*entry(name).lengths}:
        for value in (BAD[field], [0, np.inf]):
            with pytest.raises(InputError, match=field) as error:
                method(name, **{field: value})
            assert one_sentence(error)


@pytest.mark.parametrize("name", [name for name in NAMES if entry(name).radii])
def test_radius_must_be_positive(name):
    for radius in (0, -1.0, np.nan, np.inf, "2", None):
        for field in entry(name).radii:
            with pytest.raises(InputError, match=field) as error:
                method(name, **{field: radius})
            assert one_sentence(error)


@pytest.mark.parametrize(
    ("name", "fields", "sentence"),
    [
        ("emma", {"word_length": 51}, "word_length must be at most 50, got 51"),
        (
            "gv_repair",
            {"word_length": 31},
            r"word_length \(window=30\) must be at most",
        ),
        ("gv_sequitur", {"alphabet_size": 257}, "alphabet_size must be at most 256"),
        ("latentmotifs", {"n_jobs": 0}, "n_jobs must be at least 1, or -1 for all"),
        ("mdl_clust", {"bits": 11}, "bits must be at most 10, got 11"),
        ("mmotifs", {"cutoff": 0.0}, "cutoff must be above 0"),
        ("mrmotif", {"resolution": 5}, "None or one of 4, 8, 16, 32, 64, got 5"),
        ("panmp", {"rank": "best"}, "rank must be one of 'distance', 'zscore'"),
        ("setfinder", {"disjoint": 1}, "disjoint must be True or False, got 1"),
        ("valmod", {"exclusion": 1.5}, r"exclusion must lie in \[0, 1\], got 1.5"),
    ],
)
def test_errors_name_the_limit(name, fields, sentence):
    with pytest.raises(InputError, match=sentence):
        method(name, **fields)


@pytest.mark.parametrize("name", UNIVARIATE)
def test_channel_is_the_one_that_is_looked_at(name, x):
    noise = np.random.default_rng(1).normal(size=len(x))
    both = np.stack([noise, x], axis=1)
    one = method(name, max_sets=2)
    assert dataclasses.replace(one, channel=1).find(both) == one.find(x)
    assert one.find(both) == one.find(noise)
    with pytest.raises(InputError, match="channel must be below 2") as error:
        dataclasses.replace(one, channel=2).find(both)
    assert one_sentence(error)
    with pytest.raises(InputError, match="channel must be below 1"):
        dataclasses.replace(one, channel=1).find(x)


@pytest.mark.parametrize("name", NAMES)
def test_unknown_settings_of_a_sweep_are_named(name, x):
    with pytest.raises(InputTypeError, match="has no option 'lenght'"):
        method(name).sweep(x, [{"lenght": 8}])
