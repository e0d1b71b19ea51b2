"""Loops in compiled code that do not end by themselves."""

from numba import njit


def _loop(x):
    total = 0.0
    step = 0
    while True:
        total += x[step % len(x)]
        step += 1
        if step < 0:  # never: it keeps the compiler from dropping the loop
            return total


endless = njit(nogil=True)(_loop)
endless_with_gil = njit(_loop)
