"""Whether it matters which of several equally large ends of paths goes first.

Paths do not depend on each other if none has or steps over a cell of another or, being
long, comes near it. Short ones may even share cells: together they use up all that
they lead through in any order, since a path stops only where another one has used up
the further way. The cells that links step over may differ, though. A link is not
followed if another path has used up where it leads, by ending there or by another
link; then what it steps over stays free. And if that is a cell of another path, it
may be used up before this path comes by. Such a cell is in doubt; without any, short
paths may go in any order.

`cells`, `codes` and `settings` are those of `trace`.
"""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.links import END, MARKED, USED
from tsmdbench._kernels.locomotif.trace import is_long, origin, trace_inplace
from tsmdbench._kernels.locomotif.triangle import row_of

MANY = 64  # long paths beyond which it is not looked whether their order matters
PLAIN = np.uint8(255 - MARKED - END)


@strict_kernel
def mark_inplace(cells, codes, n, position):
    """Mark the cells of the path that ends at `position`, up to another path.

    END, of no more use once ends are listed, is set for those where several paths come
    or one of the group may end. Return how many cells were marked.
    """
    level = cells[position]
    i, at = row_of(n, position), position
    count = 0
    while i >= 0:
        if codes[at] & MARKED:
            codes[at] |= np.uint8(END)
            break
        codes[at] = codes[at] & PLAIN | np.uint8(MARKED)
        if cells[at] == level:
            codes[at] |= np.uint8(END)
        i, at = origin(cells, codes, n, i, at, level)
        count += 1
    return count


@strict_kernel
def steps_over_doubt(cells, codes, n, position, count):
    """Whether one of the first `count` links of a path steps over a cell in doubt."""
    level = cells[position]
    i, at = row_of(n, position), position
    for _ in range(count):
        over = at - (n - i + 1)
        i, at = origin(cells, codes, n, i, at, level)
        if i >= 0 and at != over and not codes[over] & USED:
            if codes[over] & MARKED or codes[at] & END:
                return True
    return False


@strict_kernel
def clear_inplace(cells, codes, n, position, count):
    """Take the marks off the first `count` cells of a path."""
    level = cells[position]
    i, at = row_of(n, position), position
    for _ in range(count):
        codes[at] &= PLAIN
        i, at = origin(cells, codes, n, i, at, level)


@strict_kernel
def leave_doubt(cells, codes, order, n):
    """Whether short paths leave a cell in doubt. order: i8[m], where they end."""
    counts = np.empty(len(order), np.int64)
    for t in range(len(order)):
        counts[t] = mark_inplace(cells, codes, n, order[t])
    doubt = False
    for t in range(len(order)):
        doubt = doubt or steps_over_doubt(cells, codes, n, order[t], counts[t])
    for t in range(len(order)):
        clear_inplace(cells, codes, n, order[t], counts[t])
    return doubt


@strict_kernel
def all_short(cells, codes, order, settings, path):
    """Whether the paths that end at these free cells are all too short to be kept."""
    for position in order:
        length, _ = trace_inplace(cells, codes, settings, position, path)
        if is_long(path[:length], settings[1]):
            return False
    return True


@strict_kernel
def collide(one, other, reach):
    """Whether a path has or steps over a cell of another, or comes within `reach`."""
    for a in range(len(one)):
        for b in range(len(other)):
            rows = one[a, 0] - other[b, 0]
            columns = one[a, 1] - other[b, 1]
            if abs(rows) <= reach and abs(columns) <= reach:
                return True
            # What is stepped over lies one row and one column back.
            over = one[a, 2] if rows == 1 else other[b, 2] and rows == -1
            if over and rows == columns:
                return True
    return False


@strict_kernel
def depend_on_order(cells, codes, order, settings, path):
    """Whether the paths that end at these free cells may depend on which goes first.

    path: i8[n, 3], room to work in.
    """
    if all_short(cells, codes, order, settings, path):
        return leave_doubt(cells, codes, order, settings[0])
    if len(order) > MANY:
        return True
    boxes = np.empty((len(order), 5), np.int64)
    for m in range(len(order)):
        length, tied = trace_inplace(cells, codes, settings, order[m], path)
        if tied:
            return True
        boxes[m, 0], boxes[m, 1] = path[length - 1, 0], path[length - 1, 1]
        boxes[m, 2], boxes[m, 3] = path[0, 0], path[0, 1]
        boxes[m, 4] = 0
        if is_long(path[:length], settings[1]):
            boxes[m, 4] = settings[2] + 1
    for a in range(len(order)):
        for b in range(a):
            reach = max(boxes[a, 4], boxes[b, 4])
            if (
                boxes[a, 0] > boxes[b, 2] + reach
                or boxes[b, 0] > boxes[a, 2] + reach
                or boxes[a, 1] > boxes[b, 3] + reach
                or boxes[b, 1] > boxes[a, 3] + reach
            ):
                continue
            length, _ = trace_inplace(cells, codes, settings, order[a], path)
            one = path[:length].copy()
            length, _ = trace_inplace(cells, codes, settings, order[b], path)
            if collide(one, path[:length], reach):
                return True
    return False
