"""Similarities and their quantiles against the definition, to the last bit."""

import numpy as np
import pytest

from tests.reference import loco as reference
from tsmdbench._kernels.locomotif import similarity
from tsmdbench.methods import _locomotif
from tsmdbench.methods._locomotif import similarities


def series(n, d=1, seed=0, decimals=9):
    """Random walk with a repeated part, as float32[n, d]; few decimals make ties."""
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.normal(size=(n, d)), axis=0)
    x -= np.linspace(x[0], x[-1], n)
    third = n // 3
    x[2 * third : 2 * third + third // 2] = x[: third // 2] + 0.1
    return np.round((x - x.mean(0)) / x.std(0), decimals).astype(np.float32)


def pack(full):
    """Rows of the upper triangle in reversed time."""
    n = len(full)
    return full[::-1, ::-1][np.tril_indices(n)].astype(np.float32)


def same_bits(one, other):
    return np.array_equal(one.view(np.uint32), other.view(np.uint32))


@pytest.mark.parametrize("d", [1, 3])
def test_similarities_have_the_bits_of_the_definition(d):
    x = series(70, d, seed=d)
    found = _locomotif.Similarities(x).packed
    assert same_bits(found, pack(reference.similarities(x)))


def test_similarities_have_the_bits_of_the_definition_when_tiny():
    x = np.linspace(-1, 1, 200, dtype=np.float32)[:, None] ** 3
    x[7] = 90.0  # one far sample among n has exponents of about n
    x[9] = 80.0
    found = _locomotif.Similarities(x).packed
    assert (found == 0).any()
    assert ((found > 0) & (found < 1e-38)).any()  # no longer normal numbers
    assert same_bits(found, pack(reference.similarities(x)))


def test_exponentials_in_doubt_are_noticed():
    # The midpoint of two float32 is in doubt, a float32 itself is not.
    middle = 0.5 + 2.0**-25
    exponents = -np.log(np.array([0.5, middle, 0.25]))
    out = np.empty(3, np.float32)
    assert similarity.exponentials_inplace(exponents, np.empty(3), out) == 1


def test_exponentials_are_within_their_slack():
    exponents = np.linspace(0, 100, 20001)
    out = np.empty(len(exponents), np.float32)
    powers = np.empty(len(exponents))
    doubtful = similarity.exponentials_inplace(exponents.copy(), powers, out)
    exact = np.exp(-exponents).astype(np.float32)
    assert doubtful <= 3
    assert np.count_nonzero(out != exact) <= doubtful


@pytest.mark.parametrize("stored", [True, False])
def test_similarities_of_pairs_are_those_of_the_triangle(stored):
    x = series(60, 2)
    found = _locomotif.Similarities(x, most=10**9 if stored else 0)
    rows, columns = np.triu_indices(60)
    cells = np.stack([rows, columns], axis=1).astype(np.int32)
    assert bool(len(found.packed)) == stored
    full = reference.similarities(x)
    assert same_bits(found.along(cells), full[rows, columns])


@pytest.mark.parametrize("n", [8, 9, 60, 400])
@pytest.mark.parametrize("decimals", [0, 1, 9])
@pytest.mark.parametrize("jobs", [1, 3])
def test_quantiles_are_those_of_the_rule(monkeypatch, n, decimals, jobs):
    monkeypatch.setattr(similarities, "BLOCK", 1 << 12)  # several blocks of rows
    x = series(n, 2, seed=n, decimals=decimals)
    found_in = _locomotif.Similarities(x, _locomotif.Threads(jobs))
    rhos = [1e-9, 0.1, 0.2, 0.3, 0.5, 0.77, 0.9, 0.999, 1 - 1e-12]
    expected = [reference.quantile(found_in.packed, rho) for rho in rhos]
    assert same_bits(np.array(found_in.quantiles(rhos)), np.array(expected))


def test_quantiles_of_many_equal_similarities_take_little_memory(monkeypatch):
    # Steps: half of all pairs are equal, as are most others.
    x = np.repeat([0.0, 1.0, 3.0], 300).astype(np.float32)[:, None]
    found_in = _locomotif.Similarities(x)
    sizes = []
    between = found_in._between
    monkeypatch.setattr(
        found_in,
        "_between",
        lambda bounds: sizes.append(between(bounds)) or sizes[-1],
    )
    rhos = [0.1, 0.3, 0.5, 0.8, 0.99]
    expected = [reference.quantile(found_in.packed, rho) for rho in rhos]
    assert found_in.quantiles(rhos) == expected
    assert sum(len(own) for _, lists in sizes for own in lists) == 0


def test_quantiles_are_found_where_the_sample_misleads(monkeypatch):
    monkeypatch.setattr(similarities, "SPREAD", 1e-6)  # hardly any room for error
    x = series(300, 1, seed=2)
    found_in = _locomotif.Similarities(x)
    for rho in np.linspace(0.05, 0.95, 19).tolist():
        assert found_in.quantiles([rho]) == [reference.quantile(found_in.packed, rho)]


@pytest.mark.slow
def test_quantiles_are_those_of_the_rule_where_float32_cannot_count():
    found_in = _locomotif.Similarities(series(8300), most=1 << 26)
    assert len(found_in.packed) > 1 << 25
    rhos = np.linspace(0.503, 0.997, 20).tolist()
    expected = [reference.quantile(found_in.packed, rho) for rho in rhos]
    assert same_bits(np.array(found_in.quantiles(rhos)), np.array(expected))


def test_rows_and_columns_are_recovered_from_positions():
    rows, columns = np.tril_indices(57)
    for position in range(len(rows)):
        row = similarity.row_of(position)
        assert row == rows[position]
        assert position - similarity.row_start(row) == columns[position]
    for row in (10**5, 10**6):
        for position in (similarity.row_start(row), similarity.row_start(row + 1) - 1):
            assert similarity.row_of(position) == row
