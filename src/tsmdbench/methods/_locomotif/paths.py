"""Paths along which a series is similar to itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import paths
from tsmdbench._kernels.threads import thread_count
from tsmdbench.arrays import Integers
from tsmdbench.methods._locomotif.linking import Linking, Scratch
from tsmdbench.methods._locomotif.similarities import Similarities

VICINITY = 10  # smallest width of the vicinity of a path, in samples


class Paths(NamedTuple):
    """Paths one after the other: ``int32[m, 2]`` cells, ``int64[p + 1]`` offsets."""

    cells: NDArray[np.int32]
    offsets: Integers


def find_paths(
    similarities: Similarities,
    tau: np.float32,
    l_min: int,
    *,
    warping: bool,
    n_jobs: int = 1,
    tell: Callable[[float], None] = lambda _: None,
    scratch: Scratch | None = None,
) -> Paths:
    """Return the paths above the main diagonal of a series, best first.

    Parameters
    ----------
    similarities : Similarities
        Of the series.
    tau : float32
        Similarity from which on two samples match.
    l_min : int
        Fewest rows or columns of a path.
    warping : bool
        Whether a path may step over one row or column at a time.
    n_jobs : int, default 1
        Threads that share the work. Results do not depend on it.
    tell : callable, optional
        Is told the share of the work that is done.
    scratch : Scratch, optional
        Memory to work in, for one search at a time.
    """
    band = max(VICINITY, l_min // 2)
    stop = _smallest_end(tau, l_min, warping=warping)
    settings = band, l_min, stop
    linking = Linking(
        similarities, tau, settings, scratch or Scratch(), warping=warping
    )
    cells = linking.linked(thread_count(n_jobs), tell)
    flat = paths.search(*cells, *similarities.source, tau, *settings)
    tell(1.0)
    lengths = np.bincount(flat[:, 0])
    return Paths(flat[:, 1:], np.concatenate([[0], np.cumsum(lengths)]))


def _smallest_end(tau: np.float32, l_min: int, *, warping: bool) -> np.float32:
    """Return a value that the end of a path of useful length exceeds.

    The end is the largest cell of its path. Either all cells but the first are
    matches, each adding tau or more, or there is a gap, and what came before a gap
    that left something was above 4 tau. A little is taken off for rounding.
    """
    steps = -(-(l_min - 1) // 2) if warping else l_min - 1
    return np.float32(min(4, steps) * float(tau) * (1 - 1e-5))
