"""Pairs of neighbouring words that occur more than once: only they can form rules."""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.symbolic.sax import first_place_inplace, no_words


@strict_kernel
def numbered(words):
    """Give the pairs that occur again numbers from 1 on; 0 is any that occurs once.

    i8[m] -> u4[max(m - 1, 0)], for every word but the last the number of its pair with
    the next. In most series few pairs occur again, and a grammar need not look at the
    others: this one pass over a small table replaces many over large ones. O(m).
    """
    count = max(len(words) - 1, 0)
    numbers = np.zeros(count, np.uint32)
    table = no_words(count)
    top = 0
    for i in range(count):
        place = first_place_inplace(words, 1, 2, table, i)
        if place >= 0:
            if numbers[place] == 0:
                top += 1
                numbers[place] = top
            numbers[i] = numbers[place]
    return numbers
