"""One path, from its end back to where what it came from is used up.

`cells` are packed, `codes` theirs (see `links`), `settings` i8[4]: n, l_min, band,
whether to stop for a tie.
"""

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.links import LINK, RISES, USED, link_target
from tsmdbench._kernels.locomotif.triangle import row_of, row_start


@strict_kernel
def origin(cells, codes, n, i, at, level):
    """Row and position of the cell that a path goes on to, row -1 if there is none.

    The path ends with the value `level` and is at row i, this position.
    """
    code = codes[at]
    if not code & LINK:
        return -1, at
    i, at = link_target(n, i, at, code & LINK)
    # What a cell rises above is below the level; its value need not be fetched.
    if codes[at] & USED or (not code & RISES and cells[at] > level):
        return -1, at
    return i, at


@strict_kernel
def trace_inplace(cells, codes, settings, position, path):
    """Write the path that ends at `position`, last cell first.

    Return its length and whether another of its cells is as large as the end.
    path: i8[n, 3], rows, columns, and 1 where it steps over a row or column, else 0.
    """
    n = settings[0]
    level = cells[position]
    i, at = row_of(n, position), position
    length = 0
    tied = False
    while i >= 0:
        path[length, 0] = i
        path[length, 1] = i + at - row_start(n, i)
        above = at - (n - i + 1)
        rises = codes[at] & RISES
        i, at = origin(cells, codes, n, i, at, level)
        tied |= i >= 0 and not rises and cells[at] == level
        path[length, 2] = i >= 0 and at != above
        length += 1
    return length, tied


@strict_kernel
def is_long(path, l_min):
    """Whether a path, last cell first, has at least l_min rows or columns."""
    return max(path[0, 0] - path[-1, 0], path[0, 1] - path[-1, 1]) + 1 >= l_min
