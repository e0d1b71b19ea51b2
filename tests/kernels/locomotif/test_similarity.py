"""Similarities and their quantiles against the definition, to the last bit."""

import numpy as np
import pytest

from tests.reference import loco as reference
from tsmdbench._kernels.locomotif import similarity
from tsmdbench.methods import locomotif
from tsmdbench.methods.locomotif import Similarities

ALL = 1 << 30


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


def test_similarities_have_the_bits_of_the_definition():
    for d in (1, 3):
        x = series(70, d, seed=d)
        found = Similarities(x, most=ALL).packed
        assert same_bits(found, pack(reference.similarities(x)))
    x = np.linspace(-1, 1, 200, dtype=np.float32)[:, None] ** 3
    x[7] = 90.0  # one far sample among n has exponents of about n
    x[9] = 80.0
    found = Similarities(x, most=ALL).packed
    assert (found == 0).any()
    assert ((found > 0) & (found < 1e-38)).any()  # no longer normal numbers
    assert same_bits(found, pack(reference.similarities(x)))


def test_exponentials_in_doubt_are_noticed():
    # The midpoint of two float32 is in doubt, a float32 itself is not.
    middle = 0.5 + 2.0**-25
    exponents = -np.log(np.array([0.5, middle, 0.25]))
    out = np.empty(3, np.float32)
    assert similarity.exponentials_inplace(exponents, np.empty(3), out) == 1


def test_similarities_of_pairs_are_those_of_the_triangle():
    x = series(60, 2)
    rows, columns = np.triu_indices(60)
    pairs = list(zip(59 - rows, 59 - columns, strict=True))
    for most in (ALL, 0):
        source = Similarities(x, most=most).source
        found = [similarity.similarity_of(*source, i, j) for i, j in pairs]
        expected = reference.similarities(x)[rows, columns]
        assert same_bits(np.array(found, np.float32), expected)


def assert_quantiles(found_in, rhos):
    found = np.array([found_in.quantile(rho) for rho in rhos])
    expected = [reference.quantile(found_in.packed, rho) for rho in rhos]
    assert same_bits(found, np.array(expected))


@pytest.mark.parametrize("decimals", [0, 1, 9])
@pytest.mark.parametrize(("n", "jobs"), [(8, 1), (9, 3), (60, 1), (400, 3)])
def test_quantiles_are_those_of_the_rule(monkeypatch, n, decimals, jobs):
    monkeypatch.setattr(locomotif, "BLOCK", 1 << 12)  # several blocks of rows
    x = series(n, 2, seed=n, decimals=decimals)
    rhos = [1e-9, 0.1, 0.2, 0.3, 0.5, 0.77, 0.9, 0.999, 1 - 1e-12]
    assert_quantiles(Similarities(x, jobs, ALL), rhos)


def test_quantiles_of_many_equal_similarities_take_little_memory(monkeypatch):
    # Steps: half of all pairs are equal, as are most others.
    x = np.repeat([0.0, 1.0, 3.0], 300).astype(np.float32)[:, None]
    sizes = []
    between = similarity.exponents_between

    def counted(*given):
        sizes.append(between(*given)[1].size)
        return between(*given)

    monkeypatch.setattr(similarity, "exponents_between", counted)
    assert_quantiles(Similarities(x, most=ALL), [0.1, 0.3, 0.5, 0.8, 0.99])
    assert sizes
    assert sum(sizes) == 0


def test_quantiles_are_found_where_the_sample_misleads(monkeypatch):
    monkeypatch.setattr(locomotif, "SPREAD", 1e-6)  # hardly any room for error
    rhos = np.linspace(0.05, 0.95, 19).tolist()
    assert_quantiles(Similarities(series(300, 1, seed=2), most=ALL), rhos)


@pytest.mark.slow
def test_quantiles_are_those_of_the_rule_where_float32_cannot_count():
    found_in = Similarities(series(8300), most=ALL)
    assert len(found_in.packed) > 1 << 25
    assert_quantiles(found_in, np.linspace(0.503, 0.997, 20).tolist())
