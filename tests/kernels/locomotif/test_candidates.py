"""Tables of paths that candidates are evaluated with."""

import numpy as np
import pytest

from tests.kernels.locomotif.test_similarity import same_bits, series
from tests.reference import loco as reference
from tsmdbench.methods.locomotif import Search, Similarities


@pytest.mark.parametrize("in_file", [False, True])
@pytest.mark.parametrize("warping", [True, False])
def test_tables_hold_the_diagonal_paths_and_their_mirror_images(warping, in_file):
    n, l_min = 90, 9
    x = series(n)
    sm = reference.similarities(x)
    tau = reference.threshold(sm, 0.4)
    expected = reference.paths(reference.cumulate(sm, tau, warping), l_min, warping)
    assert expected
    if warping:
        steps = np.concatenate([np.diff(path, axis=0) for path in expected])
        assert steps.max(axis=0).tolist() == [2, 2]  # over a row, and over a column
    search = Search(Similarities(x), tau, l_min, warping=warping, in_file=in_file)
    spans, columns, sums = search.paths()
    cells = [np.array(path) for path in expected]
    mirrored = [path[:, ::-1] for path in cells]
    every = [np.arange(n)[:, None].repeat(2, axis=1), *cells, *mirrored]
    assert len(spans) == len(every)
    used = 0
    for path, (first, stop, begin, of_sums) in zip(every, spans.tolist(), strict=True):
        rows, along = path.T
        assert (first, stop, begin) == (along[0], along[-1] + 1, used)
        used += stop - first
        indices = np.searchsorted(along, np.arange(first, stop))
        part = columns[begin:used]
        assert part.tolist() == [[t, rows[t]] for t in indices]
        values = sm[path.min(axis=1), path.max(axis=1)]
        totals = np.append(np.float32(0), np.cumsum(values, dtype=np.float32))
        assert same_bits(sums[of_sums : of_sums + len(totals)], totals)
    assert used == len(columns)


def test_without_a_path_there_is_the_diagonal_alone():
    x = series(90)
    spans, columns, sums = Search(
        Similarities(x), np.float32(0.9), 80, warping=True
    ).paths()
    assert spans.tolist() == [[0, 90, 0, 0]]
    assert columns.tolist() == [[t, t] for t in range(90)]
    assert sums.tolist() == list(range(91))
