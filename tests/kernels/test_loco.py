"""Kernels of LoCo against the definition: bits of similarities, values, path cells."""

import numpy as np
import pytest
from numba import config, njit

from tests.reference import loco as reference
from tsmdbench.kernels import (
    candidates,
    cumulative,
    ends,
    heap,
    similarity,
    ties,
    triangle,
)
from tsmdbench.methods import loco


def series(n, d=1, seed=0, decimals=9):
    """Random walk with a repeated part, as float32[n, d]; few decimals make ties."""
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.normal(size=(n, d)), axis=0)
    x -= np.linspace(x[0], x[-1], n)
    third = n // 3
    x[2 * third : 2 * third + third // 2] = x[: third // 2] + 0.1
    return np.round((x - x.mean(0)) / x.std(0), decimals).astype(np.float32)


def pack(full):
    """Upper triangle by rows."""
    return np.ascontiguousarray(full[np.triu_indices(len(full))], np.float32)


def same_bits(one, other):
    return np.array_equal(one.view(np.uint32), other.view(np.uint32))


@pytest.mark.parametrize("d", [1, 3])
def test_similarities_have_the_bits_of_the_definition(d):
    x = series(70, d, seed=d)
    found = loco.Similarities(x).packed()
    assert same_bits(found, pack(reference.similarities(x)))


def test_similarities_have_the_bits_of_the_definition_when_tiny():
    x = np.linspace(-1, 1, 200, dtype=np.float32)[:, None] ** 3
    x[7] = 90.0  # one far sample among n has exponents of about n
    x[9] = 80.0
    found = loco.Similarities(x).packed()
    assert (found == 0).any()
    assert ((found > 0) & (found < 1e-38)).any()  # no longer normal numbers
    assert same_bits(found, pack(reference.similarities(x)))


def test_exponentials_in_doubt_are_noticed():
    # The midpoint of two float32 is in doubt, a float32 itself is not.
    middle = 0.5 + 2.0**-25
    exponents = -np.log(np.array([0.5, middle, 0.25]))
    out = np.empty(3, np.float32)
    assert similarity.exponentials_inplace(exponents, out) == 1


def test_exponentials_are_within_their_slack():
    exponents = np.linspace(0, 100, 20001)
    out = np.empty(len(exponents), np.float32)
    doubtful = similarity.exponentials_inplace(exponents, out)
    exact = np.exp(-exponents).astype(np.float32)
    assert doubtful <= 3
    assert np.count_nonzero(out != exact) <= doubtful


def test_similarities_of_pairs_are_those_of_the_triangle():
    x = series(60, 2)
    found = loco.Similarities(x)
    rows, columns = np.triu_indices(60)
    cells = np.stack([rows, columns], axis=1).astype(np.int32)
    along = found.along(loco.Paths(cells, np.array([0, len(cells)])))
    assert same_bits(along, found.packed())


@pytest.mark.parametrize("size", [1, 2, 3, 10, 999, 1000, 70001])
@pytest.mark.parametrize("decimals", [1, 9])
def test_quantiles_are_those_of_numpy(size, decimals):
    rng = np.random.default_rng(size)
    values = np.round(rng.random(size) ** 3, decimals).astype(np.float32)
    values[rng.integers(size)] = 1e-42
    rhos = [1e-9, 0.1, 0.2, 0.3, 0.5, 0.77, 0.9, 0.999, 1 - 1e-12]
    found = loco.quantiles(values, rhos)
    expected = [np.quantile(values, rho) for rho in rhos]
    assert same_bits(np.array(found), np.array(expected))


@pytest.mark.slow
def test_quantiles_are_those_of_numpy_where_float32_cannot_count():
    values = np.random.default_rng(0).random((1 << 25) + 12345, np.float32)
    rhos = np.linspace(0.503, 0.997, 20).tolist()
    expected = [np.quantile(values, rho) for rho in rhos]
    assert same_bits(np.array(loco.quantiles(values, rhos)), np.array(expected))


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("rho", [0.2, 0.8])
def test_cumulative_similarities_have_the_bits_of_the_definition(
    warping, in_place, rho
):
    x = series(60)
    sm = reference.similarities(x)
    tau = reference.threshold(sm, rho)
    packed = pack(sm)
    before = packed.copy()
    cells = packed if in_place else np.full_like(packed, -7)
    cumulative.cumulate_inplace(packed, 60, tau, warping, cells)
    assert same_bits(cells, pack(reference.cumulate(sm, tau, warping)[2:, 2:]))
    assert in_place or same_bits(packed, before)


def test_sort_keys_sorts_by_value_and_keeps_equal_keys_in_order():
    rng = np.random.default_rng(1)
    values = np.round(rng.random(5000) * 900, 1).astype(np.float32)
    keys = values.view(np.uint32).astype(np.uint64) << np.uint64(32)
    keys |= np.arange(5000, dtype=np.uint64)
    expected = np.sort(keys)
    ends.sort_keys_inplace(keys)
    assert np.array_equal(keys, expected)
    ends.sort_keys_inplace(keys[:0])


@pytest.mark.parametrize("decimals", [0, 1])
@pytest.mark.parametrize("size", [2, 15, 16, 17, 1000])
def test_settle_leaves_equal_keys_in_the_order_of_the_quicksort(size, decimals):
    values = np.random.default_rng(size).random(size) * 9 + 1
    values = np.round(values, decimals).astype(np.float32)
    bits = values.view(np.uint32)
    keys = np.arange(size, dtype=np.uint32)
    nodes = np.full((4, 5), -1, np.int64)
    nodes[0, :2] = 0, size - 1
    known = 1
    order = np.array(reference.argsort(values))
    for value in np.random.default_rng(0).permutation(np.unique(values)):
        wanted = int(value.view(np.uint32))
        nodes, known = ties.settle(bits, keys, nodes, known, wanted)
        low = ties.first_at_least(bits, keys, wanted)
        high = ties.first_at_least(bits, keys, wanted + 1)
        assert keys[low:high].tolist() == order[values[order] == value].tolist()


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="numba's sort needs its compiler")
def test_reference_order_is_that_of_numba():
    @njit
    def argsort(values):
        return np.argsort(values)

    for size in (1, 14, 15, 16, 40, 3000):
        values = np.random.default_rng(size).integers(0, 40, size).astype(np.float32)
        assert reference.argsort(values) == argsort(values).tolist()


def found_paths(x, l_min, rho, warping):
    """Paths of ours as a list of lists of cells."""
    n = len(x)
    cells = loco.Similarities(x).packed()
    (tau,) = loco.quantiles(cells, [rho])
    cumulative.cumulate_inplace(cells, n, tau, warping, cells)
    found = loco.find_paths(cells, n, tau, l_min, warping=warping)
    parts = np.split(found.cells, found.offsets[1:-1])
    return [list(map(tuple, part.tolist())) for part in parts if len(part)]


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize("rho", [0.1, 0.5, 0.8, 0.95])
@pytest.mark.parametrize(
    ("d", "l_min", "decimals"),
    [(1, 20, 9), (1, 5, 9), (3, 9, 9), (1, 12, 1), (1, 4, 0), (2, 24, 0)],
)
def test_paths_are_those_of_the_definition(warping, rho, d, l_min, decimals):
    x = series(90, d, seed=l_min, decimals=decimals)
    sm = reference.similarities(x)
    csm = reference.cumulate(sm, reference.threshold(sm, rho), warping)
    expected = reference.paths(csm, l_min, warping)
    found = found_paths(x, l_min, rho, warping)
    assert sorted(found) == sorted(expected)


def test_paths_with_few_decimals_do_meet_ties_that_matter(monkeypatch):
    asked = []
    positions = ties.free_positions
    monkeypatch.setattr(
        ties, "free_positions", lambda *given: asked.append(1) or positions(*given)
    )
    found_paths(series(90, 1, seed=4, decimals=0), 4, 0.5, True)
    assert asked


def test_paths_take_the_last_of_equal_ends_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(loco, "SETTLE", 0)
    monkeypatch.setattr(ties, "free_positions", None)
    x = series(90, 2, seed=24, decimals=0)
    monkeypatch.setattr(
        reference, "argsort", lambda values: np.argsort(values, kind="stable")
    )
    sm = reference.similarities(x)
    csm = reference.cumulate(sm, reference.threshold(sm, 0.5), True)
    assert sorted(found_paths(x, 24, 0.5, True)) == sorted(
        reference.paths(csm, 24, True)
    )


def test_rows_are_recovered_from_positions():
    n = 57
    rows, columns = np.triu_indices(n)
    for position in range(len(rows)):
        assert triangle.row_of(n, position) == rows[position]
        start = triangle.row_start(n, rows[position])
        assert start + columns[position] - rows[position] == position


def test_heap_gives_the_largest_first():
    given = np.random.default_rng(0).integers(0, 99, 2000).astype(np.uint64)
    keys = np.empty(0, np.uint64)
    for size, key in enumerate(given):
        keys = heap.push(keys, size, key)
    drawn = []
    for size in range(len(given), 0, -1):
        drawn.append(int(keys[0]))
        heap.pop_inplace(keys, size)
    assert drawn == sorted(given.tolist(), reverse=True)


def test_columns_stepped_over_belong_to_the_next_cell():
    cells = np.array([[3, 10], [4, 12], [6, 13], [0, 2], [1, 3]], np.int32)
    columns, starts = candidates.tabulate_columns(cells, np.array([0, 3, 5]))
    assert columns.tolist() == [[0, 3], [1, 4], [1, 4], [2, 6], [0, 0], [1, 1]]
    assert starts.tolist() == [0, 4, 6]


def test_running_sums_are_of_float32():
    values = np.random.default_rng(0).random(3000).astype(np.float32)
    sums = candidates.running_sums(values, np.array([0, 1000, 3000]))
    assert same_bits(sums[1:1001], np.cumsum(values[:1000], dtype=np.float32))
    assert same_bits(sums[1002:], np.cumsum(values[1000:], dtype=np.float32))
    assert sums[0] == sums[1001] == 0
