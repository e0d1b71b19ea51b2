"""Cumulative similarities, links and needed cells, by definition."""

import itertools

import numpy as np
import pytest

from tests.kernels.locomotif.test_similarity import pack, same_bits, series
from tests.reference import loco as reference
from tsmdbench._kernels.locomotif import paths, strips

STEPS = {strips.STRAIGHT: (1, 1), strips.STEEP: (2, 1), strips.FLAT: (1, 2)}


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
    full = np.zeros((n + 2, 64), np.float32)
    full[:n, :n] = np.tril(c[::-1, ::-1])
    return full


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize("rho", [0.2, 0.8])
@pytest.mark.parametrize(
    ("stored", "rows", "edges"),
    [(True, 60, [0, 60]), (False, 60, [0, 7, 30, 60]), (False, 13, [0, 7, 30, 60])],
)
def test_cumulative_similarities_have_the_bits_of_the_definition(
    warping, rho, stored, rows, edges
):
    n = 60
    x = series(n)
    sm = reference.similarities(x)
    tau = reference.threshold(sm, rho)
    packed = pack(sm) if stored else np.empty(0, np.float32)
    gamma = float(1 / np.std(x) ** 2)
    flipped = np.ascontiguousarray(x[::-1].T)
    found = {}
    above = np.zeros((2, 64), np.float32)
    for a in reversed(range(0, n, rows)):
        count = min(rows, n - a)
        strip = np.full((count + 2, 64), np.nan, np.float32)
        strip[count:] = above
        for first, last in itertools.pairwise(edges):
            strips.cumulate_strip_inplace(
                *(flipped, gamma, packed, tau, warping, strip, a, count, first, last)
            )
        found.update({a + r: strip[r, : a + r + 1] for r in range(count)})
        above = strip[:2].copy()
    expected = pack(reference.cumulate(sm, tau, warping)[2:, 2:])
    assert same_bits(np.concatenate([found[i] for i in sorted(found)]), expected)


def value(c, i, j):
    return c[i, j] if i >= 0 and j >= i else np.float32(0)


def defined_links(c, band, warping):
    """Link of each cell, {cell: (code, cell it leads to)}, and what is cut."""
    n = len(c)
    inside = {(i, j): c[i, j] for i in range(n) for j in range(i, n)}
    tops = {cell: v for cell, v in inside.items() if cell[1] - cell[0] > band}
    found, cut = {}, {}
    for i, j in sorted(inside, reverse=True):
        codes = STEPS if warping else [strips.STRAIGHT]
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


def defined_needs(c, band, l_min, found):
    """Cells needed, with their trees, grown until nothing changes."""
    below = {}
    for cell, (_, to) in found.items():
        below.setdefault(to, []).append(cell)

    def tree(cell):
        while cell in found:
            cell = found[cell][1]
        waiting, cells = [cell], []
        while waiting:
            cells.append(waiting.pop())
            waiting += below.get(cells[-1], [])
        return cells

    def extent(cells):
        """Return the most rows or columns of steps from a cell to the first one."""
        steps = {cells[0]: 1}
        for cell in cells[1:]:
            code, to = found[cell]
            steps[cell] = steps[to] + max(STEPS[code])
        return max(steps.values())

    n = len(c)
    cells = [(i, j) for i in range(n) for j in range(i + band + 1, n)]
    trees = [tree(cell) for cell in cells]
    needs = {cell for cells in trees if extent(cells) >= l_min for cell in cells}
    while True:
        steps = [(x, to) for x, (a, to) in found.items() if a != strips.STRAIGHT]
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
    codes = np.full((n, 64), 255, np.uint8)
    codes[:, n:] = 0
    codes[:, :n] *= np.tri(n, dtype=np.uint8)
    state = np.zeros((2, 3, 3, n + strips.PAD), np.float32)
    rows, edges = rows or n, edges or [0, n]
    strip = strip_of(c)
    for turn, a in enumerate(range(0, n, rows)):
        count = min(rows, n - a)
        for first, last in itertools.pairwise(edges):
            strips.link_strip_inplace(
                *(warping, band, l_min, np.float32(stop)),
                *(state[turn % 2], state[1 - turn % 2], codes[a : a + count]),
                *(strip[a : a + count + 2].copy(), a, first, last),
            )
    return codes


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize("decimals", [9, 0])
@pytest.mark.parametrize(("rows", "edges"), [(None, None), (9, [0, 5, 20, 48])])
@pytest.mark.parametrize(
    ("l_min", "rho", "stop"), [(8, 0.5, 1), (6, 0.6, 0), (16, 0.3, 4)]
)
def test_codes_are_those_of_the_definition(
    warping, decimals, rows, edges, l_min, rho, stop
):
    n, band = 48, 4
    c = cumulated(n, l_min, decimals, rho, warping)
    codes = linked(c, band, l_min, stop, warping, rows, edges)
    strips.spread_inplace(codes, 0, True, band)
    found, cut = defined_links(c, band, warping)
    needs = defined_needs(c, band, l_min, found)
    ended = defined_ends(c, stop, found)
    full = np.zeros((n, n), np.uint8)
    for cell, (code, _) in found.items():
        full[cell] = code
    for cell, code in cut.items():
        full[cell] = code << strips.ASIDE
    for cell in needs:
        full[cell] |= strips.NEEDED
    for cell in ended:
        full[cell] |= strips.END
    assert 0 < len(needs) < n * (n + 1) // 2
    assert ended & needs
    assert np.array_equal(codes[:, :n], full[::-1, ::-1])


@pytest.mark.parametrize("share", [0.5, 0.01])
def test_ends_are_listed_with_their_values_and_cells(share):
    rng = np.random.default_rng(0)
    a, width, bits = 100, 192, 10
    codes = rng.integers(0, 256, (40, width)).astype(np.uint8)
    codes[rng.random(codes.shape) > share] &= 255 - strips.END
    codes[np.arange(width) > a + np.arange(40)[:, None]] = 0
    strip = rng.random((42, width)).astype(np.float32)
    largest = np.uint64(np.array([1], np.float32).view(np.uint32)[0])
    keys = strips.list_ends(codes, strip, a, largest, np.uint64(bits))
    rows, columns = np.nonzero(codes & strips.END)
    assert len(keys) == len(rows) > 0
    values = (largest - (keys >> np.uint64(2 * bits))).astype(np.uint32)
    assert np.array_equal(values.view(np.float32), strip[rows, columns])
    cells = [paths.cell_of(key, np.uint64(bits)) for key in keys]
    assert cells == list(zip((a + rows).tolist(), columns.tolist(), strict=True))


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize(("last", "leads"), [(4, True), (3, False)])
def test_links_lead_to_cells_as_large_as_what_is_reached_but_no_larger(
    warping, last, leads
):
    n, band = 20, 4
    c = np.zeros((n, n), np.float32)
    for i, cell in enumerate((4, 2, last)):
        c[5 + i, 12 + i] = cell
    codes = linked(c, band, 9, 0, warping)[:, :n][::-1, ::-1]
    link = strips.STRAIGHT
    assert codes[6, 13] == (link if leads else link << strips.ASIDE)
    assert codes[7, 14] & strips.LINK == link
