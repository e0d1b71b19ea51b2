"""Paths against the definition: in one strip or many, in memory or in a file."""

import functools

import numpy as np
import pytest

from tests.kernels.locomotif.test_similarity import pack, series
from tests.reference import loco as reference
from tsmdbench._kernels.locomotif import paths
from tsmdbench.methods import locomotif
from tsmdbench.methods.locomotif import Similarities

DRAWS = 100
# Draws with short paths that cross or share cells in such a way that their order
# decides about a long one: once in some ten thousand.
RARE = [356, 490, 1436, 71978, 84517, 120899]


def choose(monkeypatch, way):
    """Treat a short series as a longer one is."""
    small = {"STRIP": 1, "AHEAD": 2, "RUN": 9, "BATCH": 5, "TURN": 99, "IN_FILE": 99}
    for name, value in small.items() if way != "short" else ():
        monkeypatch.setattr(locomotif, name, value)
    if way == "file":
        search = functools.partial(locomotif.Search, in_file=True)
        monkeypatch.setattr(locomotif, "Search", search)


@pytest.fixture(params=["short", "long", "file"])
def way(request, monkeypatch):
    choose(monkeypatch, request.param)
    return request.param


def lists(tables):
    """Cells of the paths above the diagonal, from the tables of candidates."""
    spans, columns, _ = tables
    found = []
    for first, stop, begin, _ in spans[1 : 1 + len(spans) // 2].tolist():
        of_cell, rows = columns[begin : begin + stop - first].T
        # Columns that the path steps over belong to the next cell.
        own = np.append(np.diff(of_cell), 1) > 0
        along = np.arange(first, stop)[own]
        found.append(list(zip(rows[own].tolist(), along.tolist(), strict=True)))
    return found


def found_paths(x, l_min, rho, warping, jobs=1, report=lambda _: None):
    of_x = Similarities(x, jobs)
    search = locomotif.Search(of_x, of_x.quantile(rho), l_min, warping=warping)
    return lists(search.paths(report))


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize("rho", [0.1, 0.5, 0.8, 0.95])
@pytest.mark.parametrize(
    ("d", "l_min", "decimals"),
    [(1, 20, 9), (1, 5, 9), (3, 9, 9), (1, 12, 1), (1, 4, 0), (2, 24, 0)],
)
@pytest.mark.usefixtures("way")
def test_paths_are_those_of_the_definition(warping, rho, d, l_min, decimals):
    x = series(90, d, seed=l_min, decimals=decimals)
    sm = reference.similarities(x)
    csm = reference.cumulate(sm, reference.threshold(sm, rho), warping)
    assert found_paths(x, l_min, rho, warping) == reference.paths(csm, l_min, warping)


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
    drawn = Similarities(series(n))
    drawn.packed = pack(sm)
    found = locomotif.Search(drawn, tau, l_min, warping=warping).paths()
    csm = reference.cumulate(sm, tau, warping)
    return lists(found), reference.paths(csm, l_min, warping)


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.usefixtures("way")
def test_paths_among_drawn_similarities_are_those_of_the_definition(warping):
    kept = 0
    for seed in [*range(DRAWS), *RARE]:
        ours, expected = drawn_paths(seed, 26 + seed % 20, 4 + seed % 9, warping)
        assert ours == expected, seed
        kept += len(ours)
    assert kept > DRAWS


def test_of_equal_ends_the_latest_comes_first():
    # Three copies of a part with pauses: paths between them gather the same.
    part = np.tile([0.0, 3.0, -2.0, 5.0, 1.0], 6)
    pause = np.linspace(20, 80, 12)
    x = np.concatenate([part, pause, part, -pause, part])
    x = x.astype(np.float32)[:, None]
    found = found_paths(x, 20, 0.9, False)
    last = [path[-1] for path in found[:3]]
    assert last == sorted(last, reverse=True)
    assert len({len(path) for path in found[:3]}) == 1


@pytest.mark.usefixtures("way")
def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr(locomotif, "NARROW", 10)  # columns worth a thread
    x = series(120, 2, seed=3)
    for warping in (True, False):
        alone = found_paths(x, 12, 0.5, warping)
        assert found_paths(x, 12, 0.5, warping, jobs=4) == alone


@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize("rho", [0.3, 0.8])
def test_paths_across_many_tiles_do_not_depend_on_the_way(monkeypatch, warping, rho):
    x = series(500, seed=4)
    shares = []
    expected = found_paths(x, 20, rho, warping, report=shares.append)
    assert expected
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    for chosen in ("long", "file"):
        with monkeypatch.context() as patch:
            choose(patch, chosen)
            assert found_paths(x, 20, rho, warping) == expected


@pytest.mark.parametrize("seed", range(5))
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
    spans = paths.vicinity(n, band, n - 1 - np.array(path[::-1]))
    found = [
        (n - 1 - i, n - 1 - j)
        for i, low, high in spans.tolist()
        for j in range(low, high)
    ]
    assert len(found) == len(set(found))
    assert set(found) == expected
