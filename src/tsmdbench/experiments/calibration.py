"""How fast a machine is: the processor time of a fixed kernel, noted in the manifest.

Times of two stores can be compared only if they come from machines of known speed. A
store therefore notes, once for each machine that writes to it, how long the machine
takes for a fixed piece of work, `tsmdbench._kernels.calibration`. Where both stores
have that number, the times of one are scaled to the machine of the other. Where one has
not, the times are shown as not comparable; they are never mixed silently.

The number is the shortest of some repetitions, in processor time, so that what else the
machine does hardly matters. It says how fast one core computes. How a machine copes
with little memory or with many threads is not in it.
"""

from __future__ import annotations

import hashlib
import math
import platform
import time
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np

MACHINES = "machines"  # field of the manifest: machine to what was measured
KERNEL = 1  # number of the work; only equal ones can be compared
SAMPLES, WINDOW, REPEATS = 1200, 64, 7
SEVERAL = "scheduler"  # stands for machines of unknown speed
SAME = 1.15  # ratio of two speeds up to which machines count as equal


def machine_name() -> str:
    """Return an anonymous name of this machine."""
    about = f"{platform.node()} {platform.machine()} {platform.processor()}"
    return hashlib.blake2b(about.encode(), digest_size=6).hexdigest()


@cache
def kernel_seconds() -> float:
    """Return the processor time of the fixed kernel on this machine, once measured."""
    from tsmdbench._kernels.calibration import sliding_distances

    x = np.sin(np.arange(SAMPLES) ** 1.5)
    sliding_distances(x[: WINDOW + 1], WINDOW)  # compiles
    spent = []
    for _ in range(REPEATS):
        begin = time.process_time()
        sliding_distances(x, WINDOW)
        spent.append(time.process_time() - begin)
    return min(spent)


def note_machine(manifest: dict[str, Any], *, elsewhere: bool = False) -> None:
    """Note the speed of the machine that runs are made on, unless it is known.

    Parameters
    ----------
    manifest : dict
        Of the store; is changed.
    elsewhere : bool
        Runs are made by the workers of a scheduler, whose speed is unknown.
    """
    machines = manifest.setdefault(MACHINES, {})
    name = SEVERAL if elsewhere else machine_name()
    if name not in machines:
        seconds = None if elsewhere else kernel_seconds()
        machines[name] = {"kernel": KERNEL, "seconds": seconds}


def speed_of(manifest: Mapping[str, Any]) -> float | None:
    """Return the kernel's seconds on the machine that a store was made on.

    None where it is not known, or where machines of different speed were used: a row
    does not say on which of them it was made.

    Examples
    --------
    >>> speed_of({"machines": {"a": {"kernel": 1, "seconds": 0.02}}})
    0.02
    >>> speed_of({}) is None
    True
    """
    machines = manifest.get(MACHINES)
    if not isinstance(machines, Mapping) or not machines:
        return None
    values = [_seconds(entry) for entry in machines.values()]
    known = [value for value in values if value is not None]
    if len(known) < len(values) or max(known) > SAME * min(known):
        return None
    return float(np.median(known))


def is_mixed(manifest: Mapping[str, Any]) -> bool:
    """Return True if a store was made on machines of different or unknown speed.

    >>> is_mixed({"machines": {"scheduler": {"kernel": 1, "seconds": None}}})
    True
    """
    return bool(manifest.get(MACHINES)) and speed_of(manifest) is None


def joint_machines(manifests: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the machines of several stores as those of one; none if one is unknown."""
    found: dict[str, Any] = {}
    for manifest in manifests:
        if not manifest.get(MACHINES):
            return {}
        found |= manifest[MACHINES]
    return {MACHINES: found}


def _seconds(entry: Any) -> float | None:
    if not isinstance(entry, Mapping) or entry.get("kernel") != KERNEL:
        return None
    seconds = entry.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return float(seconds) if math.isfinite(seconds) and seconds > 0 else None
