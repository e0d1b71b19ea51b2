"""What running experiments needs of an operating system, see ``docs/platforms.md``."""

from __future__ import annotations

import sys

from tsmdbench.errors import ExperimentError


def check_platform(platform: str = sys.platform) -> list[str]:
    """Return what cannot be kept on this system, as sentences.

    Parameters
    ----------
    platform : str
        As `sys.platform`.

    Raises
    ------
    ExperimentError
        Experiments cannot run at all.

    Examples
    --------
    >>> check_platform("linux")
    []
    >>> check_platform("win32")
    Traceback (most recent call last):
        ...
    tsmdbench.errors.ExperimentError: experiments cannot run on Windows, which lacks \
process groups and file locks; use the Windows Subsystem for Linux
    """
    if platform == "win32":
        raise ExperimentError(
            "experiments cannot run on Windows, which lacks process groups and file "
            "locks; use the Windows Subsystem for Linux"
        )
    if platform == "linux":
        return []
    return [
        "on this system the peak memory of a run is that of its process since its "
        "start, which may include earlier runs; the memory limit is enforced"
    ]
