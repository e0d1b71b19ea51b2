"""Kernels of LoCo against the definition: bits of similarities, values, path cells."""

import itertools

import numpy as np
import pytest
from numba import config, njit

from tests.reference import loco as reference
from tsmdbench._kernels.locomotif import (
    candidates,
    cumulative,
    ends,
    heap,
    links,
    order,
    similarity,
    ties,
    triangle,
    window,
)
from tsmdbench.errors import InputError
from tsmdbench.methods import _locomotif

DRAWS = 120
# Draws with short paths that cross or share cells in such a way that their order
# decides about a long one: once in some ten thousand.
RARE = [356, 490, 1436, 71978, 84517, 120899]


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
    found = _locomotif.Similarities(x).packed()
    assert same_bits(found, pack(reference.similarities(x)))


def test_similarities_have_the_bits_of_the_definition_when_tiny():
    x = np.linspace(-1, 1, 200, dtype=np.float32)[:, None] ** 3
    x[7] = 90.0  # one far sample among n has exponents of about n
    x[9] = 80.0
    found = _locomotif.Similarities(x).packed()
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
    found = _locomotif.Similarities(x)
    rows, columns = np.triu_indices(60)
    cells = np.stack([rows, columns], axis=1).astype(np.int32)
    paths = _locomotif.Paths(cells, np.array([0, len(cells)]))
    assert same_bits(found.along(paths), found.packed())
    assert same_bits(found.along(paths, found.packed()), found.packed())


@pytest.mark.parametrize("size", [1, 2, 3, 10, 999, 1000, 70001])
@pytest.mark.parametrize("decimals", [1, 9])
def test_quantiles_are_those_of_numpy(size, decimals):
    rng = np.random.default_rng(size)
    values = np.round(rng.random(size) ** 3, decimals).astype(np.float32)
    values[rng.integers(size)] = 1e-42
    rhos = [1e-9, 0.1, 0.2, 0.3, 0.5, 0.77, 0.9, 0.999, 1 - 1e-12]
    found = _locomotif.quantiles(values, rhos)
    expected = [np.quantile(values, rho) for rho in rhos]
    assert same_bits(np.array(found), np.array(expected))


@pytest.mark.slow
def test_quantiles_are_those_of_numpy_where_float32_cannot_count():
    values = np.random.default_rng(0).random((1 << 25) + 12345, np.float32)
    rhos = np.linspace(0.503, 0.997, 20).tolist()
    expected = [np.quantile(values, rho) for rho in rhos]
    assert same_bits(np.array(_locomotif.quantiles(values, rhos)), np.array(expected))


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


@pytest.mark.parametrize("size", [0, 1, 2, ends.FEW, ends.FEW + 1, 5000])
def test_sort_keys_sorts_by_value_and_keeps_equal_keys_in_order(size):
    # Of one group: what differs is in the lower bits.
    rng = np.random.default_rng(size)
    values = rng.choice(rng.integers(0, 1 << ends.REST, size // 2 + 1), size)
    keys = (values + 0x43200000).astype(np.uint64) << np.uint64(32)
    keys |= np.arange(size, dtype=np.uint64)
    expected = np.sort(keys)
    ends.sort_keys_inplace(keys, np.empty_like(keys))
    assert np.array_equal(keys, expected)


@pytest.mark.parametrize("size", [0, 1, 7, 8, 5000])
@pytest.mark.parametrize("share", [0.5, 0.01])
def test_ends_are_listed_in_order(size, share):
    rng = np.random.default_rng(size)
    codes = rng.integers(0, 256, size).astype(np.uint8)
    codes[rng.random(size) > share] &= 255 - links.END
    wanted = np.flatnonzero((codes & links.END > 0) & (codes & links.NEEDED > 0))
    assert ends.count_ends(codes) == len(wanted)
    positions = np.empty(len(wanted) + 1, np.uint32)
    ends.list_ends_inplace(codes, positions)
    assert positions[:-1].tolist() == wanted.tolist()


@pytest.mark.parametrize("size", [1, 300, 9000])
def test_groups_of_ends_hold_the_free_ones_sorted(size):
    rng = np.random.default_rng(size)
    cells = np.exp(rng.normal(size=3 * size)).astype(np.float32).round(2) + 0.01
    codes = rng.choice([0, links.USED], 3 * size).astype(np.uint8)
    positions = np.sort(rng.permutation(3 * size)[:size]).astype(np.uint32)
    grouped = np.empty_like(positions)
    lowest, highest = np.array([cells.min(), cells.max()]).view(np.uint32) >> ends.REST
    count = int(highest) - int(lowest) + 1
    begins = ends.group_inplace(cells, positions, int(lowest), count, grouped)
    assert len(begins) == count + 1
    assert begins[0] == 0
    assert begins[-1] == size
    found = []
    room = np.empty(2 * size, np.uint64)
    for low, high in itertools.pairwise(begins):
        if low < high:
            count = ends.rank_inplace(cells, codes, grouped[low:high], room)
            found += room[:count].tolist()
    bits = cells.view(np.uint32).tolist()
    free = [(bits[at], at) for at in positions.tolist() if not codes[at] & links.USED]
    assert found == [value << 32 | at for value, at in sorted(free)]


@pytest.mark.parametrize("kind", [np.uint32, np.uint64])
@pytest.mark.parametrize("n", [40, 3000])
def test_positive_cells_are_listed_in_order(n, kind):
    rng = np.random.default_rng(n)
    cells = np.maximum(rng.normal(size=n * (n + 1) // 2), 0).astype(np.float32)
    rows, columns = np.triu_indices(n)
    expected = np.flatnonzero((cells > 0) & (columns - rows > 12))
    keys = np.empty(len(cells) + 1, kind)
    bits = cells.view(np.uint32)
    keys = keys[: ties.list_positive_inplace(bits, n, 12, keys)]
    if kind == np.uint64:
        assert np.array_equal(keys >> np.uint64(32), bits[expected])
        keys &= np.uint64(0xFFFFFFFF)
    assert np.array_equal(keys, expected)


def keys_of(values, kind):
    """Keys of all values, in order: with the value if they are wide enough."""
    keys = np.arange(len(values)).astype(kind)
    if kind == np.uint64:
        keys |= values.view(np.uint32).astype(np.uint64) << np.uint64(32)
    return keys


@pytest.mark.parametrize("share", [0, 0.1, 1])
@pytest.mark.parametrize("decimals", [0, 1])
@pytest.mark.parametrize("size", [2, 15, 16, 17, 150, 1000, 3000])
@pytest.mark.parametrize("every", [1, 7])
def test_equal_keys_are_found_in_the_order_of_the_quicksort(
    size, decimals, share, every
):
    values = np.random.default_rng(size).random(size) * 9 + 1
    values = np.round(values, decimals).astype(np.float32)
    bits = values.view(np.uint32)
    room = max(ties.SMALL + 1, int(share * size))
    wide = np.empty((size + room) // 2 + 1, np.uint64)
    keys = wide.view(np.uint32)[:size]
    keys[:] = keys_of(values, np.uint32)
    nodes, inner, known = ties.new_tree(size), ties.new_tree(0), 1
    held = np.array([0, -1, 0])
    sorted_ = np.array(reference.argsort(values))[::-1]
    for value in np.unique(values)[::-1][::every]:
        found, nodes, known, inner = window.ordered(
            bits,
            keys,
            wide,
            nodes,
            known,
            inner,
            held,
            int(value.view(np.uint32)),
            ties.new_lists(),
        )
        assert found.tolist() == sorted_[values[sorted_] == value].tolist()


def test_moved_keys_do_not_reach_those_before_them():
    for slots, first in itertools.product(range(5, 60), range(100)):
        fit = [m for m in range(slots + 1) if 2 * (slots - m) >= first]
        assert ties.most_from(first, slots) == max(1, *fit, 0)


@pytest.mark.parametrize("kind", [np.uint32, np.uint64])
@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("block", [ties.SHORT, ties.BLOCK])
def test_splits_by_blocks_leave_what_single_exchanges_do(smooth, block, kind):
    rng = np.random.default_rng(5)
    values = rng.normal(size=3000)
    values = np.abs(np.cumsum(values) if smooth else values) + 1
    values = np.round(values, 1).astype(np.float32)
    bits = values.view(np.uint32)
    pivot = np.uint32(np.partition(bits, 1500)[1500])
    expected = rng.permutation(3000).tolist()
    keys = keys_of(values, kind)[expected]
    low, high = ties.exchange_blocks_inplace(
        bits, keys, 3, 2990, pivot, block, ties.new_lists()
    )
    i, j = 3, 2990
    while i < low or j > high:
        while bits[expected[i]] < pivot:
            i += 1
        while bits[expected[j]] > pivot:
            j -= 1
        if i >= low and j <= high:
            break
        expected[i], expected[j] = expected[j], expected[i]
        i, j = i + 1, j - 1
    assert (keys & np.uint64(0xFFFFFFFF)).tolist() == expected
    assert 0 < high - low < 3 * block


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
    cells = _locomotif.Similarities(x).packed()
    (tau,) = _locomotif.quantiles(cells, [rho])
    cumulative.cumulate_inplace(cells, n, tau, warping, cells)
    found = _locomotif.find_paths(cells, n, tau, l_min, warping=warping)
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


def drawn_paths(seed, n, l_min, warping):
    """Paths among similarities drawn from few values: ours and the definition's.

    Tiny ones are lost when they are added, so cells of one path are equally large.
    """
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.ones(4))
    least = np.float32(rng.choice([0.25, 1e-9]))
    sm = rng.choice(np.array([0, least, 0.5, 1], np.float32), (n, n), p=chances)
    tau = np.float32(rng.choice([least, 0.5]))
    sm[np.diag_indices(n)] = 1
    cells = pack(sm)
    cumulative.cumulate_inplace(cells, n, tau, warping, cells)
    found = _locomotif.find_paths(cells, n, tau, l_min, warping=warping)
    parts = np.split(found.cells, found.offsets[1:-1])
    ours = [list(map(tuple, part.tolist())) for part in parts if len(part)]
    csm = reference.cumulate(sm, tau, warping)
    return ours, reference.paths(csm, l_min, warping)


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize("room", [None, 340, 40])
def test_paths_among_drawn_similarities_are_those_of_the_definition(
    monkeypatch, warping, room
):
    if room:
        monkeypatch.setattr(_locomotif, "ROOM", room)  # fewer than there are cells
    draws = DRAWS // 4 if room else DRAWS
    kept = 0
    for seed in [*range(draws), *RARE]:
        ours, expected = drawn_paths(seed, 26 + seed % 20, 4 + seed % 9, warping)
        assert sorted(ours) == sorted(expected), seed
        kept += len(ours)
    assert kept > draws


def asked_for_order(monkeypatch):
    """List that grows whenever the order of equal ends is looked up."""
    asked = []
    positive = ties.list_positive_inplace
    monkeypatch.setattr(
        ties,
        "list_positive_inplace",
        lambda *given: asked.append(1) or positive(*given),
    )
    return asked


def test_paths_with_few_decimals_do_meet_ties_that_matter(monkeypatch):
    asked = asked_for_order(monkeypatch)
    found_paths(series(90, 1, seed=4, decimals=0), 4, 0.5, True)
    assert asked


def test_looking_whether_an_order_matters_leaves_no_marks():
    n = 60
    x = series(n, 1, seed=1, decimals=0)
    cells = _locomotif.Similarities(x).packed()
    (tau,) = _locomotif.quantiles(cells, [0.3])
    cumulative.cumulate_inplace(cells, n, tau, True, cells)
    codes = np.empty(len(cells), np.uint8)
    links.link_inplace(cells, n, 10, 20, np.float32(0), codes)
    before = codes & (255 - links.END)
    ended = np.flatnonzero(codes & links.END)[:50]
    assert order.leave_doubt(cells, codes, ended, n)
    assert np.array_equal(codes & (255 - links.END), before)
    assert np.array_equal(codes[ended] & links.END, np.zeros(50))


def test_order_of_short_paths_is_not_asked_for_without_warping(monkeypatch):
    asked = asked_for_order(monkeypatch)
    x = series(90, 1, seed=4, decimals=0)
    assert not found_paths(x, 60, 0.5, False)
    assert not asked


def test_paths_take_the_last_of_equal_ends_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(_locomotif, "SETTLE", 0)
    monkeypatch.setattr(ties, "list_positive_inplace", None)
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
        keys = heap.reserve(keys, size, 1)
        heap.push_inplace(keys, size, key)
    drawn = []
    for size in range(len(given), 0, -1):
        drawn.append(int(keys[0]))
        heap.pop_inplace(keys, size)
    assert drawn == sorted(given.tolist(), reverse=True)


def test_tables_hold_the_diagonal_paths_and_their_mirror_images():
    # The first path steps over column 11 and row 5.
    cells = np.array([[3, 10], [4, 12], [6, 13], [0, 2], [1, 3]], np.int32)
    values = np.array([0.5, 0.25, 0.125, 1, 2], np.float32)
    spans, columns, sums = candidates.tabulate(15, cells, np.array([0, 3, 5]), values)
    assert columns[:15].tolist() == [[t, t] for t in range(15)]
    parts = [columns[start : start + last - first] for first, last, start, _ in spans]
    assert [part.tolist() for part in parts[1:]] == [
        [[0, 3], [1, 4], [1, 4], [2, 6]],
        [[0, 0], [1, 1]],
        [[0, 10], [1, 12], [2, 13], [2, 13]],
        [[0, 2], [1, 3]],
    ]
    assert spans[:, :2].tolist() == [[0, 15], [10, 14], [2, 4], [3, 7], [0, 2]]
    assert sums[:16].tolist() == list(range(16))
    for row, expected in ((1, [0, 0.5, 0.75, 0.875]), (2, [0, 1, 3])):
        for mirror in (0, 2):
            start = spans[row + mirror, 3]
            assert sums[start : start + len(expected)].tolist() == expected


def test_running_sums_are_of_float32():
    values = np.random.default_rng(0).random(2000).astype(np.float32)
    cells = np.repeat(np.arange(2000, dtype=np.int32)[:, None], 2, axis=1)
    spans, _, sums = candidates.tabulate(9, cells, np.array([0, 700, 2000]), values)
    for row, part in ((1, values[:700]), (2, values[700:])):
        start = spans[row, 3] + 1
        expected = np.cumsum(part, dtype=np.float32)
        assert same_bits(sums[start : start + len(part)], expected)


def test_threads_share_similarities_and_quantiles():
    x = series(101, 2)
    alone, shared = _locomotif.Similarities(x), _locomotif.Similarities(x, n_jobs=3)
    packed = alone.packed()
    assert same_bits(shared.packed(), packed)
    rhos = [0.1, 0.5, 0.9]
    assert _locomotif.quantiles(packed, rhos, n_jobs=3) == _locomotif.quantiles(
        packed, rhos
    )


def test_series_with_too_many_cells_are_an_error(monkeypatch):
    monkeypatch.setattr(_locomotif, "LONGEST", 100)
    _locomotif.Similarities(series(100))
    with pytest.raises(InputError, match="at most 100 samples, got 101; cut"):
        _locomotif.Similarities(series(101))


def test_cells_of_the_longest_series_can_be_numbered_in_32_bits():
    assert _locomotif.LONGEST * (_locomotif.LONGEST + 1) // 2 < 1 << 32
    assert (_locomotif.LONGEST + 1) * (_locomotif.LONGEST + 2) // 2 >= 1 << 32


def test_scratch_is_used_again_where_it_suffices():
    scratch = _locomotif.Scratch()
    first = scratch.array("a", 10, np.float32)
    assert np.shares_memory(scratch.array("a", 7, np.float32), first)
    assert not np.shares_memory(scratch.array("b", 7, np.float32), first)
    assert len(scratch.array("a", 20, np.float32)) == 20
    assert scratch.array("a", 20, np.uint8).dtype == np.uint8


def test_paths_do_not_depend_on_what_scratch_holds():
    scratch = _locomotif.Scratch()
    for l_min in (30, 10, 20):  # bands of different widths
        x = series(90, 1, seed=3, decimals=1)
        cells = _locomotif.Similarities(x).packed()
        (tau,) = _locomotif.quantiles(cells, [0.4])
        cumulative.cumulate_inplace(cells, 90, tau, True, cells)
        scratch.array("codes", len(cells), np.uint8).fill(255)
        found = _locomotif.find_paths(
            cells, 90, tau, l_min, warping=True, scratch=scratch
        )
        alone = _locomotif.find_paths(cells, 90, tau, l_min, warping=True)
        assert np.array_equal(found.cells, alone.cells)
        assert np.array_equal(found.offsets, alone.offsets)
