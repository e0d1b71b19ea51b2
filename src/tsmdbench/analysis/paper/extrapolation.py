"""What runs would cost on datasets that were not run, from those that were.

For each method the processor time of a run is taken to be a power of the length of the
series times, for methods that look at all channels, a power of their number. The powers
come from a least-squares fit of logarithms to the means per dataset. That is crude:
series differ in more than length. `Fit.spread` says by which factor the datasets that
were run lie off their own fit, and an estimate is to be read with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tsmdbench.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

LEAST = 1e-6  # seconds; what is below is not told apart


class Size(NamedTuple):
    """What the cost of a problem depends on."""

    n: float
    channels: int


class Fit(NamedTuple):
    """Seconds of a run are ``exp(constant) n^length channels^width``."""

    constant: float
    length: float
    width: float
    spread: float

    def seconds(self, size: Size) -> float:
        """Return the estimate for problems of a size."""
        logs = self.length * np.log(size.n) + self.width * np.log(size.channels)
        return float(np.exp(self.constant + logs))


def fit(seconds: pd.Series, sizes: Mapping[str, Size], *, channels: bool) -> Fit:
    """Fit the powers to mean seconds per dataset.

    Parameters
    ----------
    seconds : Series
        Dataset to mean processor seconds of a run.
    sizes : mapping
        Dataset to size.
    channels : bool
        Whether the method looks at all channels.

    Raises
    ------
    DataError
        There are fewer than four datasets, or they all have one length.

    Examples
    --------
    >>> import pandas as pd
    >>> sizes = {name: Size(n, 1) for name, n in zip("abcd", (10, 20, 40, 80))}
    >>> quadratic = pd.Series({name: size.n**2 / 1e6 for name, size in sizes.items()})
    >>> found = fit(quadratic, sizes, channels=False)
    >>> round(found.length, 6), round(found.seconds(Size(100, 1)), 6)
    (2.0, 0.01)
    """
    names = list(seconds.index)
    n = np.log([sizes[name].n for name in names])
    if len(names) < 4 or np.ptp(n) == 0:
        raise DataError(
            "to extrapolate, at least four datasets of different lengths are needed"
        )
    columns = [np.ones(len(names)), n]
    if channels:
        columns.append(np.log([sizes[name].channels for name in names]))
    design = np.stack(columns, axis=1)
    logs = np.log(np.maximum(seconds.to_numpy(dtype=np.float64), LEAST))
    solved, *_ = np.linalg.lstsq(design, logs, rcond=None)
    spread = float(np.exp(np.std(logs - design @ solved)))
    width = float(solved[2]) if channels else 0.0
    return Fit(float(solved[0]), float(solved[1]), width, spread)
