"""Links between cells, the cells that are needed, and vicinities, by definition."""

import numpy as np
import pytest

from tests.reference import loco as reference
from tsmdbench._kernels.locomotif import links, vicinity

STEPS = {links.STRAIGHT: (1, 1), links.STEEP: (2, 1), links.FLAT: (1, 2)}


def cumulated(n, seed, decimals, rho, warping):
    """Cumulative similarities of a random walk, f4[n, n], zero below the diagonal."""
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.normal(size=(n, 1)), axis=0)
    x = np.round((x - x.mean()) / x.std(), decimals).astype(np.float32)
    sm = reference.similarities(x)
    return np.triu(
        reference.cumulate(sm, reference.threshold(sm, rho), warping)[2:, 2:]
    )


def pack(full):
    return np.ascontiguousarray(full[np.triu_indices(len(full))])


def value(c, i, j):
    return c[i, j] if i >= 0 and j >= i else np.float32(0)


def defined_links(c, band, warping):
    """Link of each cell, {cell: (code, cell it leads to)}, by the definition."""
    n = len(c)
    tops = {(i, j): c[i, j] for i in range(n) for j in range(i + band + 1, n)}
    found = {}
    for i, j in sorted(tops, reverse=True):
        codes = STEPS if warping else [links.STRAIGHT]
        # max returns the first of equal ones: straight, steep, flat.
        code = max(codes, key=lambda a: value(c, i - STEPS[a][0], j - STEPS[a][1]))
        to = i - STEPS[code][0], j - STEPS[code][1]
        if to in tops and 0 < c[to] <= tops[i, j]:
            found[i, j] = code, to
            tops[to] = max(tops[to], tops[i, j])
    return found


def defined_needs(c, band, l_min, found):
    """Cells needed, grown until nothing changes."""
    below = {}
    for cell, (_, to) in found.items():
        below.setdefault(to, []).append(cell)

    def reached(cell):
        waiting, cells = [cell], []
        while waiting:
            cells.append(waiting.pop())
            waiting += below.get(cells[-1], [])
        return cells

    def extent(cell):
        return 1 + max(max(a - cell[0], b - cell[1]) for a, b in reached(cell))

    n = len(c)
    cells = [(i, j) for i in range(n) for j in range(i + band + 1, n)]
    needed = {other for x in cells if extent(x) >= l_min for other in reached(x)}
    while True:
        steps = [(x, to) for x, (a, to) in found.items() if a != links.STRAIGHT]
        over = {to for (i, j), to in steps if (i - 1, j - 1) in needed}
        larger = needed | {other for to in over for other in reached(to)}
        if larger == needed:
            return needed
        needed = larger


def defined_ends(c, stop, found):
    """Cells above `stop` not smaller than where they lead, with none as large below."""
    passed = {to for cell, (_, to) in found.items() if c[cell] >= c[to]}
    closing = {cell for cell, (_, to) in found.items() if c[cell] >= c[to]}
    return {cell for cell in closing - passed if c[cell] > stop}


def linked(c, band, l_min, stop, warping):
    """Codes before they spread, put into memory that holds anything."""
    codes = np.full(len(c) * (len(c) + 1) // 2, 255, np.uint8)
    link = links.link_inplace if warping else links.link_diagonals_inplace
    link(pack(c), len(c), band, l_min, np.float32(stop), codes)
    return codes


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize("decimals", [9, 0])
@pytest.mark.parametrize(
    ("l_min", "rho", "stop"), [(8, 0.5, 1), (6, 0.6, 0), (16, 0.3, 4)]
)
def test_codes_are_those_of_the_definition(warping, decimals, l_min, rho, stop):
    n, band = 48, 4
    c = cumulated(n, l_min, decimals, rho, warping)
    codes = linked(c, band, l_min, stop, warping)
    links.spread_inplace(codes, n, band, warping)
    found = defined_links(c, band, warping)
    needed = defined_needs(c, band, l_min, found)
    ended = defined_ends(c, stop, found)
    full = np.zeros((n, n), np.uint8)
    for cell, (code, to) in found.items():
        full[cell] = code | (links.RISES if c[cell] > c[to] else 0)
    for cell in needed:
        full[cell] |= links.NEEDED
    for cell in ended:
        full[cell] |= links.END
    assert 0 < len(needed) < n * (n + 1) // 2
    assert ended & needed
    assert np.array_equal(codes, pack(full))


@pytest.mark.parametrize("link", [links.STRAIGHT, links.STEEP, links.FLAT])
def test_rows_and_columns_are_counted_up_to_what_is_asked_for(link):
    before = [0, links.FAR - 1, links.FAR, 7, 0]
    rows, columns = np.array(before * 3, np.int16), np.array(before * 3, np.int16)
    here, below, below2 = np.arange(1, 15, 5, dtype=np.uint64)
    leading = np.full(15, link, np.int16)
    leading[1:4] = 0  # the row itself
    codes = np.zeros(3, np.uint8)
    links.encode_inplace(
        *(leading, rows, columns, here, below, below2),
        *(np.int16(links.FAR), codes, np.uint64(0), 3),
    )
    down, along = STEPS[link]
    first = {links.STRAIGHT: 1, links.STEEP: 0, links.FLAT: 2}[link]
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
        links.spread_inplace(codes, 60, 4, True)
        links.spread_inplace(without, 60, 4, False)
        grown += np.count_nonzero(codes != without)
    assert grown


@pytest.mark.parametrize("seed", range(8))
def test_vicinity_is_that_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    n, band = 60, int(rng.integers(1, 9))
    path = [(int(rng.integers(0, 5)), int(rng.integers(8, 30)))]
    while path[-1][0] < n - 3 and path[-1][1] < n - 3 and len(path) < 20:
        step = [(1, 1), (2, 1), (1, 2)][rng.integers(3)]
        path.append((path[-1][0] + step[0], path[-1][1] + step[1]))
    expected = set()
    for t, (i, j) in enumerate(path):
        i_next, j_next = path[t + 1] if t + 1 < len(path) else (i + 1, j + 1)
        around = range(-band, band + 1)
        expected |= {(row, j + a) for row in range(i, i_next) for a in around}
        expected |= {(i + a, column) for column in range(j, j_next) for a in around}
    expected = {(i, j) for i, j in expected if i >= 0 and i + band < j < n}
    spans = vicinity.vicinity(n, band, np.array(path[::-1]))
    found = [(i, i + k) for i, low, high in spans.tolist() for k in range(low, high)]
    assert len(found) == len(set(found))
    assert set(found) == expected


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
    full[np.triu_indices(n)] = linked(c, band, 9, 0, warping)
    assert full[6, 13] == (links.STRAIGHT if leads else 0)
    assert full[7, 14] & links.LINK == links.STRAIGHT
