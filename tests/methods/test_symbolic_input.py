"""What the symbolic methods take, and what they refuse, each with one sentence."""

import numpy as np
import pytest

from tsmdbench import InputError, InputTypeError
from tsmdbench.methods.gv import GVRePair, GVSequitur
from tsmdbench.methods.mrmotif import MrMotif

L = 16


def sequitur(length=L, **options):
    return GVSequitur(length, 4, 3, **options)


def repair(length=L, **options):
    return GVRePair(length, 4, 3, **options)


def mrmotif(length=L, **options):
    return MrMotif(length, **options)


EVERY = pytest.mark.parametrize("make", [sequitur, repair, mrmotif])


def walk(n=240, seed=0):
    return np.random.default_rng(seed).integers(-3, 4, n).cumsum().astype(float)


@EVERY
@pytest.mark.parametrize("n", [1, L - 1, L, 2 * L - 1])
def test_short_series_are_refused(make, n):
    with pytest.raises(InputError, match=f"{n} samples.*needs at least {2 * L}"):
        make().find(walk(n))
    with pytest.raises(InputError, match=f"needs at least {2 * L}"):
        type(make()).sweep(walk(n), [make()])


@EVERY
def test_the_shortest_series_passes(make):
    make().find(walk(2 * L))


@EVERY
@pytest.mark.parametrize("empty", [[], np.empty(0), np.empty((0, 2))])
def test_empty_series_are_refused(make, empty):
    with pytest.raises(InputError, match="empty"):
        make().find(empty)


@EVERY
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nothing_is_found_where_no_sample_is_a_number(make, value):
    assert make().find(np.full(100, value)) == ()


@EVERY
@pytest.mark.parametrize("value", [0, -1e149, 0.1])
def test_nothing_is_found_in_a_constant_series(make, value):
    assert make().find(np.full(100, value)) == ()


@EVERY
def test_kinds_of_numbers_do_not_matter(make):
    pandas = pytest.importorskip("pandas")
    x = walk()
    expected = make().find(x)
    assert expected
    for same in (
        x.astype(int),
        x.astype(np.int16),
        x.astype(np.float32),
        x.tolist(),
        x[:, None],
        pandas.Series(x, index=np.arange(240) + 7),
        pandas.DataFrame({"a": x}),
    ):
        assert make().find(same) == expected


@EVERY
def test_a_series_that_lies_on_its_side_is_refused(make):
    with pytest.raises(InputError, match="time is axis 0, so transpose it"):
        make().find(np.stack([walk(), walk()]))


@EVERY
@pytest.mark.parametrize("length", [-1, 0, 3])
def test_short_windows_are_refused(make, length):
    with pytest.raises(InputError, match=f"must be at least 4, got {length}"):
        make(length)


@EVERY
@pytest.mark.parametrize("length", [8.0, "8", None, True])
def test_windows_are_whole_numbers(make, length):
    with pytest.raises(InputTypeError, match="must be a whole number"):
        make(length)


@EVERY
def test_windows_longer_than_the_series_are_refused(make):
    with pytest.raises(InputError, match=r"240 samples.*needs at least 500"):
        make(250).find(walk())


@EVERY
def test_channels_are_checked(make):
    x = np.stack([walk(), walk(seed=1)], axis=1)
    assert make(channel=1).find(x) == make().find(x[:, 1])
    with pytest.raises(InputError, match="channel must be below 2"):
        make(channel=2).find(x)
    with pytest.raises(InputError, match="channel must be below 1"):
        make(channel=1).find(walk())
    with pytest.raises(InputError, match="channel must be at least 0"):
        make(channel=-1)


@EVERY
@pytest.mark.parametrize("max_sets", [0, -2])
def test_at_least_one_set_is_asked_for(make, max_sets):
    with pytest.raises(InputError, match="max_sets must be at least 1"):
        make(max_sets=max_sets)


@EVERY
@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"max_overlap": 1.2}, r"max_overlap must lie in \[0, 1\], got 1.2"),
        ({"max_overlap": np.nan}, "max_overlap must be finite"),
        ({"flat_threshold": -1e-9}, "flat_threshold must be at least 0"),
        ({"flat_threshold": "0"}, "flat_threshold must be a number"),
    ],
)
def test_shares_are_checked(make, option, message):
    with pytest.raises(InputError, match=message):
        make(**option)


@pytest.mark.parametrize("cls", [GVSequitur, GVRePair])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"word_length": 1}, "word_length must be at least 2"),
        ({"word_length": 17}, r"word_length \(window=16\) must be at most 16, got 17"),
        ({"alphabet_size": 1}, "alphabet_size must be at least 2"),
        ({"alphabet_size": 257}, "alphabet_size must be at most 256"),
        ({"numerosity": "EXACT"}, "numerosity must be one of 'none', 'exact'"),
        ({"rank": "best"}, "rank must be one of 'covered'"),
    ],
)
def test_fields_of_the_grammar_methods_are_checked(cls, change, message):
    fields = {"window": 16, "word_length": 4, "alphabet_size": 3}
    with pytest.raises(InputError, match=message):
        cls(**fields | change)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"resolution": 5},
            "resolution must be None or one of 4, 8, 16, 32, 64, got 5",
        ),
        ({"word_length": 1}, "word_length must be at least 2"),
    ],
)
def test_fields_of_mrmotif_are_checked(fields, message):
    with pytest.raises(InputError, match=message):
        MrMotif(**{"length": 16} | fields)


@EVERY
def test_the_series_is_left_alone(make):
    x = walk()
    before = x.copy()
    make().find(x)
    x.flags.writeable = False
    assert make().find(x) == make().find(before)
    assert np.array_equal(x, before)


@EVERY
def test_unknown_settings_of_a_sweep_are_named(make):
    with pytest.raises(InputTypeError, match="has no option 'lenght'"):
        make().sweep(walk(), [{"lenght": 8}])
