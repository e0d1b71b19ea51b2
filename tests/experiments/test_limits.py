"""Limits as a person writes them."""

import pytest

from tsmdbench.errors import InputError
from tsmdbench.experiments.specification import parse_bytes, parse_seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("600", 600.0),
        ("2.5", 2.5),
        ("90 s", 90.0),
        ("100ms", 0.1),
        ("10m", 600.0),
        ("10min", 600.0),
        ("10 Min", 600.0),
        ("2 minutes", 120.0),
        ("1h", 3600.0),
    ],
)
def test_times(text, seconds):
    found = parse_seconds(text)
    assert found == seconds
    assert type(found) is float


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("300000000", 300_000_000),
        ("500MB", 500_000_000),
        ("4GiB", 4 * 2**30),
        ("4 gib", 4 * 2**30),
        ("1.5GiB", 3 * 2**29),
        ("1TB", 10**12),
    ],
)
def test_sizes(text, size):
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "soon", "5 foos", "-1s", "nan", "inf", "1e400"])
def test_what_is_no_time_is_refused_with_examples(text):
    with pytest.raises(InputError, match="must be written like 600s, 10m, 1h, got"):
        parse_seconds(text)
    with pytest.raises(InputError, match="memory limit must be"):
        parse_bytes(text)
