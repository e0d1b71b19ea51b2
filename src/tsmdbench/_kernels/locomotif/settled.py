"""The search for paths with ties settled in the order of the quicksort."""

import numpy as np

from tsmdbench._kernels.jit import strict_kernel
from tsmdbench._kernels.locomotif.paths import TIE, take_all, take_until_tie
from tsmdbench._kernels.locomotif.ties import new_lists, new_tree
from tsmdbench._kernels.locomotif.window import ordered


@strict_kernel
def take_rest(
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
    count,
    keys,
    wide,
):
    """Go on from a tie, state[TIE], to the end. -> heap, flat as `take_until_tie`.

    Of equal ends the last in the order of the quicksort comes first. keys: u4[count],
    of all cells outside the band that are not 0, in packed order; see `ties`. wide: u8,
    the same memory with some room; see `window`. If `keys` is empty, `wide` holds all
    of them, with their values, from the start. Both are overwritten.
    """
    bits = cells.view(np.uint32)
    room = np.empty((settings[0], 3), np.int64)
    nodes, inner, size = new_tree(count), new_tree(count), 1
    lists = new_lists()
    held = np.array([0, -1 if len(keys) else count - 1, 1])
    while state[TIE]:
        order, nodes, size, inner = ordered(
            bits, keys, wide, nodes, size, inner, held, state[TIE], lists
        )
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
