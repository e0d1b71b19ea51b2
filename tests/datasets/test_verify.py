"""Rounding passes, everything else does not."""

from dataclasses import replace

import numpy as np
import pytest

from tsmdbench.archive import load
from tsmdbench.datasets.catalogue import KNOWN, PAPER
from tsmdbench.datasets.dataset import Dataset
from tsmdbench.datasets.verify import shipped_fingerprints, verify
from tsmdbench.errors import InputError

pytestmark = pytest.mark.archive


@pytest.fixture
def vowels():
    return load("JapaneseVowels")


def _changed(dataset, position, instance):
    instances = list(dataset.instances)
    instances[position] = instance
    return replace(dataset, instances=tuple(instances))


def test_a_copy_with_fewer_digits_passes(vowels):
    rounded = tuple(
        np.array([float(f"{value:.4g}") for value in instance.ravel()]).reshape(
            instance.shape
        )
        for instance in vowels.instances
    )
    assert any(map(lambda a, b: not np.array_equal(a, b), rounded, vowels.instances))
    verify(replace(vowels, instances=rounded))


def test_one_wrong_value_among_the_probes_is_found(vowels):
    wrong = vowels.instances[300].copy()
    wrong += 0.5
    with pytest.raises(InputError, match=r"_TEST\.ts .*instance 30 "):
        verify(_changed(vowels, 300, wrong))


def test_rows_in_another_order_are_found(vowels):
    order = list(range(len(vowels)))
    order[0], order[29] = 29, 0
    swapped = replace(vowels, instances=tuple(vowels.instances[i] for i in order))
    with pytest.raises(InputError, match="lengths or their order"):
        verify(swapped)


def test_labels_in_another_order_are_found(vowels):
    labels = (vowels.labels[-1], *vowels.labels[1:-1], vowels.labels[0])
    with pytest.raises(InputError, match="labels or their order"):
        verify(replace(vowels, labels=labels))


def test_another_version_is_named_with_ours():
    tiny = np.zeros((2, 3))
    parts = ("TRAIN",) * 2238 + ("TEST",) * 2241
    newer = Dataset(
        "UWaveGestureLibrary", (tiny,) * len(parts), ("1",) * len(parts), parts, "here"
    )
    with pytest.raises(InputError, match=r"2238/2241 instances.* 2018 with 120/320"):
        verify(newer)


def test_sizes_are_compared_where_no_fingerprint_is_shipped():
    entry = KNOWN["Libras"]
    parts = ("TRAIN",) * entry.train + ("TEST",) * entry.test
    wrong = Dataset(
        "Libras", (np.zeros((44, 2)),) * len(parts), ("1",) * len(parts), parts, "here"
    )
    with pytest.raises(InputError, match=r"\(1, 44, 44, 2\), but \(15, 45, 45, 2\)"):
        verify(wrong)


def test_unknown_names_pass():
    verify(Dataset("Mine", (np.zeros((2, 1)),), ("a",), ("TRAIN",)))


def test_fingerprints_are_shipped_for_the_frozen_twelve():
    assert set(shipped_fingerprints()) == set(PAPER) - {"Mallat", "Cricket"}
    for name, parts in shipped_fingerprints().items():
        assert [parts[part].n for part in ("TRAIN", "TEST")] == [
            KNOWN[name].train,
            KNOWN[name].test,
        ]
    ends = shipped_fingerprints()["CharacterTrajectories"]
    assert sum(int(np.isnan(found.probes).sum()) for found in ends.values()) == 39


def test_catalogue_agrees_with_the_paper():
    for name, row in PAPER.items():
        assert KNOWN[name][:4] == row[:4]
        assert row.g_max == (row.classes + 1) // 3


@pytest.mark.data
@pytest.mark.parametrize("name", sorted(set(KNOWN) - {"Mallat", "Cricket"}))
def test_real_data_passes(name, data_folder):
    assert load(name, data_folder, allow_download=False).name == name
