"""Tables of paths that candidates are evaluated with."""

import numpy as np

from tests.kernels.locomotif.test_similarity import same_bits
from tsmdbench._kernels.locomotif import candidates


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
