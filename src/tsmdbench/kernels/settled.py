"""The search for paths with ties settled in the order of the quicksort."""

import numpy as np

from tsmdbench.kernels._jit import strict_kernel
from tsmdbench.kernels.paths import POSITION, TIE, take_all, take_until_tie
from tsmdbench.kernels.ties import first_at_least, settle


@strict_kernel
def take_rest(
    cells, codes, grouped, begins, ranked, settings, stop, state, heap, flat, keys
):
    """Go on from a tie, state[TIE], to the end. -> heap, flat as `take_until_tie`.

    keys: u4 or u8[m], of all cells outside the band that are not 0, in packed order;
    see `ties`. They are reordered.
    Of equal ends the last in the order of the quicksort comes first.
    """
    bits = cells.view(np.uint32)
    room = np.empty((settings[0], 3), np.int64)
    nodes = np.full((1024, 5), -1, np.int64)
    nodes[0, 0] = 0
    nodes[0, 1] = len(keys) - 1
    size = 1
    while state[TIE]:
        value = state[TIE]
        nodes, size, first, last = settle(bits, keys, nodes, size, value)
        low = first_at_least(bits, keys, value, first, last + 1)
        high = first_at_least(bits, keys, value + 1, low, last + 1)
        order = (keys[low:high][::-1] & POSITION).astype(np.int64)
        heap, flat = take_all(
            cells, codes, order, settings, stop, state, heap, flat, room
        )
        heap, flat = take_until_tie(
            cells,
            codes,
            grouped,
            begins,
            ranked,
            settings,
            stop,
            state,
            heap,
            flat,
            room,
        )
    return heap, flat
