"""How much is held at once: the sizes that decide by which way paths are found."""

from typing import NamedTuple


class Sizes(NamedTuple):
    """Numbers of cells of the triangle, and of rows. Results do not depend on them.

    Attributes
    ----------
    stored : int
        Cells up to which all similarities are kept.
    whole : int
        Cells up to which all values are kept, if all similarities are.
    dense : int
        Cells up to which the codes of all are kept.
    window : int
        Cells of rows that are settled together, otherwise.
    strip : int
        Cells of a strip, unless a strip of sqrt(n) rows has more.
    ahead : int
        Rows that are linked before others are settled, at least.
    """

    stored: int = 1 << 24
    whole: int = 1 << 25
    dense: int = 1 << 26
    window: int = 1 << 25
    strip: int = 1 << 19
    ahead: int = 64


USUAL = Sizes()
# What a short series has to be given, to be treated as longer and longer ones are.
STRIPS = USUAL._replace(whole=0, strip=1)
COMPUTED = STRIPS._replace(stored=0)
SPARSE = COMPUTED._replace(dense=0, window=0, ahead=2)
