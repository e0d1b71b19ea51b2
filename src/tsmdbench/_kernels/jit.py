"""The one decorator of all kernels."""

from functools import partial

from numba import njit

# Fast, but without the assumptions that NaN and infinity do not occur: both do.
FASTMATH = {"nsz", "arcp", "contract", "afn", "reassoc"}

kernel = partial(njit, cache=True, nogil=True, fastmath=FASTMATH)
# For loops whose result must not depend on how a sum was regrouped.
strict_kernel = partial(njit, cache=True, nogil=True, fastmath=False)
