"""Cumulative similarities, links and needed cells, by definition."""

import itertools

import numpy as np
import pytest

from tests.kernels.locomotif.test_similarity import pack, same_bits, series
from tests.reference import loco as reference
from tsmdbench._kernels.locomotif import cumulative, links, listing, needed

STEPS = {links.STRAIGHT: (1, 1), links.STEEP: (2, 1), links.FLAT: (1, 2)}
CUT = {
    links.STRAIGHT: 128,
    links.STEEP: 128 | links.KEEPS,
    links.FLAT: links.KEEPS,
}


def cumulated(n, seed, decimals, rho, warping):
    """Cumulative similarities of a random walk, f4[n, n], zero below the diagonal."""
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.normal(size=(n, 1)), axis=0)
    x = np.round((x - x.mean()) / x.std(), decimals).astype(np.float32)
    sm = reference.similarities(x)
    return np.triu(
        reference.cumulate(sm, reference.threshold(sm, rho), warping)[2:, 2:]
    )


def strip_of(c):
    """All rows as one strip, in reversed time, and two rows of zeros above them."""
    n = len(c)
    full = np.zeros((n + 2, n + 2), np.float32)
    full[:n, :n] = np.tril(c[::-1, ::-1])
    return full[np.tril_indices(n + 2)]


def start_of(row):
    return row * (row + 1) // 2


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("rho", [0.2, 0.8])
@pytest.mark.parametrize("rows", [60, 13])
@pytest.mark.parametrize("edges", [[0, 60], [0, 7, 30, 60]])
def test_cumulative_similarities_have_the_bits_of_the_definition(
    warping, stored, rho, rows, edges
):
    n = 60
    x = series(n)
    sm = reference.similarities(x)
    tau = reference.threshold(sm, rho)
    packed = pack(sm) if stored else np.empty(0, np.float32)
    gamma = float(1 / np.std(x) ** 2)
    flipped = np.ascontiguousarray(x[::-1].T)
    found = {}
    above = np.zeros(2 * n + 3, np.float32)
    for a in reversed(range(0, n, rows)):
        count = min(rows, n - a)
        size = start_of(a + count) - start_of(a)
        strip = np.full(size + len(above), np.nan, np.float32)
        strip[size:] = above
        for first, last in itertools.pairwise(edges):
            cumulative.cumulate_strip_inplace(
                *(flipped, gamma, packed, a, count, first, last, tau, warping, strip)
            )
        found[a] = strip[:size]
        above = strip[: 2 * a + 3].copy()
    expected = pack(reference.cumulate(sm, tau, warping)[2:, 2:])
    assert same_bits(np.concatenate([found[a] for a in sorted(found)]), expected)


def value(c, i, j):
    return c[i, j] if i >= 0 and j >= i else np.float32(0)


def defined_links(c, band, warping):
    """Link of each cell, {cell: (code, cell it leads to)}, and what is cut."""
    n = len(c)
    inside = {(i, j): c[i, j] for i in range(n) for j in range(i, n)}
    tops = {cell: v for cell, v in inside.items() if cell[1] - cell[0] > band}
    found, cut = {}, {}
    for i, j in sorted(inside, reverse=True):
        codes = STEPS if warping else [links.STRAIGHT]
        # max returns the first of equal ones: straight, steep, flat.
        code = max(codes, key=lambda a: value(c, i - STEPS[a][0], j - STEPS[a][1]))
        to = i - STEPS[code][0], j - STEPS[code][1]
        if not value(c, *to) > 0:
            continue
        if (i, j) in tops and to in tops and c[to] <= tops[i, j]:
            found[i, j] = code, to
            tops[to] = max(tops[to], tops[i, j])
        else:
            cut[i, j] = code
    return found, cut


def defined_needs(c, band, l_min, found, origins):
    """Cells needed, with their origins or without, grown until nothing changes."""
    below = {}
    for cell, (_, to) in found.items():
        below.setdefault(to, []).append(cell)

    def tree(cell):
        while origins and cell in found:
            cell = found[cell][1]
        waiting, cells = [cell], []
        while waiting:
            cells.append(waiting.pop())
            waiting += below.get(cells[-1], [])
        return cells

    def extent(cells):
        return 1 + max(max(a - cells[0][0], b - cells[0][1]) for a, b in cells)

    n = len(c)
    cells = [(i, j) for i in range(n) for j in range(i + band + 1, n)]
    trees = [tree(cell) for cell in cells]
    needs = {cell for cells in trees if extent(cells) >= l_min for cell in cells}
    while True:
        steps = [(x, to) for x, (a, to) in found.items() if a != links.STRAIGHT]
        over = {to for (i, j), to in steps if (i - 1, j - 1) in needs}
        larger = needs | {other for to in over for other in tree(to)}
        if larger == needs:
            return needs
        needs = larger


def defined_ends(c, stop, found):
    """Cells above `stop` not smaller than where they lead, with none as large below."""
    keeping = {cell for cell, (_, to) in found.items() if c[cell] >= c[to]}
    passed = {found[cell][1] for cell in keeping}
    return {cell for cell in keeping - passed if c[cell] > stop}


def linked(c, band, l_min, stop, warping, rows=None, edges=None):
    """Codes before they spread, put into memory that holds anything."""
    n = len(c)
    codes = np.full(n * (n + 1) // 2, 255, np.uint8)
    state = np.zeros((2, 4, 2, n + links.PAD), np.float32)
    rows, edges = rows or n, edges or [0, n]
    strip = strip_of(c)
    for turn, a in enumerate(range(0, n, rows)):
        count = min(rows, n - a)
        for first, last in itertools.pairwise(edges):
            links.link_strip_inplace(
                *(strip[start_of(a) :].copy(), a, count, first, last, warping),
                *(band, l_min, np.float32(stop)),
                *(state[turn % 2], state[1 - turn % 2], codes, 0),
            )
    return codes


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize("decimals", [9, 0])
@pytest.mark.parametrize(
    ("rows", "edges", "origins"),
    [(None, None, False), (9, [0, 5, 20, 48], True)],
)
@pytest.mark.parametrize(
    ("l_min", "rho", "stop"), [(8, 0.5, 1), (6, 0.6, 0), (16, 0.3, 4)]
)
def test_codes_are_those_of_the_definition(
    warping, decimals, rows, edges, origins, l_min, rho, stop
):
    n, band = 48, 4
    c = cumulated(n, l_min, decimals, rho, warping)
    codes = linked(c, band, l_min, stop, warping, rows, edges)
    needed.spread_inplace(codes, 0, 0, n, True, origins, band, warping)
    found, cut = defined_links(c, band, warping)
    needs = defined_needs(c, band, l_min, found, origins)
    ended = defined_ends(c, stop, found)
    full = np.zeros((n, n), np.uint8)
    for cell, (code, to) in found.items():
        full[cell] = code | (links.KEEPS if c[cell] >= c[to] else 0)
    for cell, code in cut.items():
        full[cell] = CUT[code]
    for cell in needs:
        full[cell] |= links.NEEDED
    for cell in ended:
        full[cell] |= links.END
    assert 0 < len(needs) < n * (n + 1) // 2
    assert ended & needs
    assert np.array_equal(codes, full[::-1, ::-1][np.tril_indices(n)])
    for cell, code in {**{k: v[0] for k, v in found.items()}, **cut}.items():
        assert links.direction_of(full[cell]) == code


@pytest.mark.parametrize("link", [links.STRAIGHT, links.STEEP, links.FLAT])
def test_rows_and_columns_are_counted_up_to_what_is_asked_for(link):
    before = [0, links.FAR - 1, links.FAR, 7, 0]
    rows, columns = np.array(before * 3, np.int16), np.array(before * 3, np.int16)
    here, below, below2 = np.arange(1, 15, 5, dtype=np.uint64)
    leading = np.full(15, link, np.int16)
    leading[1:4] = 0  # the row itself
    codes = np.zeros(3, np.uint8)
    links.encode_inplace(
        *(leading, rows, columns, (here, below, below2), 3),
        *(np.int16(links.FAR), codes, np.uint64(0)),
    )
    down, along = STEPS[link]
    first = {links.STRAIGHT: 1, links.STEEP: 1, links.FLAT: 0}[link]
    reached = np.array(before[first : first + 3])
    assert rows[1:4].tolist() == np.minimum(reached + down, links.FAR).tolist()
    assert columns[1:4].tolist() == np.minimum(reached + along, links.FAR).tolist()
    far = reached + max(down, along) >= links.FAR
    assert codes.tolist() == np.where(far, links.NEEDED, 0).tolist()


def test_steps_over_needed_cells_do_spread_the_need():
    grown = 0
    for seed in range(6):
        c = cumulated(60, seed, 9, 0.6, warping=True)
        codes = linked(c, 4, 12, 0, warping=True)
        without = codes.copy()
        needed.spread_inplace(codes, 0, 0, 60, True, False, 4, True)
        needed.spread_inplace(without, 0, 0, 60, True, False, 4, False)
        grown += np.count_nonzero(codes != without)
    assert grown


@pytest.mark.parametrize("size", [0, 1, 7, 8, 5000])
@pytest.mark.parametrize("share", [0.5, 0.01])
@pytest.mark.parametrize("shift", [0, 2])
def test_ends_are_listed_in_order(size, share, shift):
    rng = np.random.default_rng(size)
    codes = rng.integers(0, 256, size).astype(np.uint8)
    codes[rng.random(size) > share] &= 255 - links.END
    strip = rng.random(size + 3).astype(np.float32)
    asked = links.END | links.NEEDED if shift else links.END
    wanted = np.flatnonzero(codes & asked == asked)
    keys = listing.list_ends(strip, codes, shift, 7)
    assert (keys & listing.LOWER).tolist() == (7 + wanted).tolist()
    bits = (listing.LOWER - (keys >> listing.UPPER)).astype(np.uint32)
    assert np.array_equal(bits.view(np.float32), strip[wanted])


def test_groups_of_keys_are_in_order_and_keep_the_order_within():
    rng = np.random.default_rng(0)
    values = np.exp(rng.normal(size=999)).astype(np.float32)
    bits = np.uint64(2**32 - 1) - values.view(np.uint32)
    keys = bits << np.uint64(32) | np.arange(999, dtype=np.uint64)
    upper = (keys >> listing.GROUP).astype(int)
    lowest, count = upper.min(), np.ptp(upper) + 1
    grouped, begins = listing.group_keys(keys, lowest, count)
    assert np.array_equal(grouped, keys[np.argsort(upper, kind="stable")])
    assert (
        begins.tolist()
        == np.searchsorted(np.sort(upper), lowest + np.arange(count + 1)).tolist()
    )


def test_values_of_some_rows_are_kept_one_after_the_other():
    n = 70
    strip = np.random.default_rng(0).random(start_of(n + 2)).astype(np.float32)
    values = np.full(listing.kept_start(80), -1, np.float32)
    for a in range(0, n, 9):
        rows = min(9, n - a)
        listing.keep_values_inplace(strip[start_of(a) :], a, rows, values)
    kept = [i for i in range(n) if i % listing.EVERY < 2]
    expected = np.concatenate([strip[start_of(i) : start_of(i + 1)] for i in kept])
    assert np.array_equal(values[: len(expected)], expected)
    assert (values[len(expected) :] == -1).all()


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize(("last", "leads"), [(4, True), (3, False)])
def test_links_lead_to_cells_as_large_as_what_is_reached_but_no_larger(
    warping, last, leads
):
    n, band = 20, 4
    c = np.zeros((n, n), np.float32)
    for i, cell in enumerate((4, 2, last)):
        c[5 + i, 12 + i] = cell
    full = np.zeros((n, n), np.uint8)
    full[np.tril_indices(n)] = linked(c, band, 9, 0, warping)
    full = full[::-1, ::-1]
    assert full[6, 13] == (links.STRAIGHT if leads else CUT[links.STRAIGHT])
    assert full[7, 14] & links.LINK == links.STRAIGHT
