"""A key of a cell, u8: the bits of its value, shifted, plus its packed position."""

import numpy as np

SHIFT = np.uint64(32)
POSITION = np.uint64(0xFFFFFFFF)
