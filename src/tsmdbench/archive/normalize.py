"""Z-normalise an instance so that the bytes are the same on every machine.

Sums of floats depend on the order of addition, which differs between processors and
versions of NumPy. Means and variances are therefore summed exactly (`math.fsum` rounds
once), and all that remains is elementwise arithmetic, which IEEE 754 fixes.
"""

from __future__ import annotations

import math

import numpy as np

from tsmdbench.archive.dataset import Instance
from tsmdbench.validation import check_choice

NORMALIZE = ("joint", "channel")


def check_normalize(value: str | None) -> str | None:
    """Return the way to normalise: ``"joint"``, ``"channel"`` or None."""
    return value if value is None else check_choice(value, "normalize", NORMALIZE)


def normalized(instance: Instance, how: str | None) -> Instance:
    """Shift and scale an instance to mean 0 and population standard deviation 1.

    Parameters
    ----------
    instance : float64[length, d]
    how : {"joint", "channel", None}
        ``"joint"`` takes mean and deviation over all channels together, which keeps
        their relative sizes; ``"channel"`` over each by itself; None changes nothing.

    Returns
    -------
    float64[length, d]
        All zeros where the input (or, for ``"channel"``, a channel) is constant.

    Examples
    --------
    >>> normalized(np.array([[1.0], [3.0]]), "joint").tolist()
    [[-1.0], [1.0]]
    >>> normalized(np.array([[5.0, 1.0], [5.0, 3.0]]), "channel").tolist()
    [[0.0, -1.0], [0.0, 1.0]]
    """
    if how is None:
        return instance
    if how == "joint":
        return _unit(instance)
    columns = [_unit(instance[:, column]) for column in range(instance.shape[1])]
    return np.stack(columns, axis=1)


def _unit(values: Instance) -> Instance:
    """Normalise all entries of an array by one mean and one deviation."""
    if values.min() == values.max():
        return np.zeros_like(values)
    centred = values - math.fsum(values.ravel().tolist()) / values.size
    variance = math.fsum((centred * centred).ravel().tolist()) / values.size
    return centred / math.sqrt(variance)
