"""Addresses of Dask schedulers: checked before anything waits for an answer."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from tsmdbench.errors import ExperimentError, InputError

SCHEMES = ("tcp", "tls", "ws", "wss")
LISTEN_SECONDS = 5.0  # to find out whether anybody listens at an address


def check_address(address: str) -> tuple[str, int]:
    """Return host and port of an address.

    Raises
    ------
    InputError
        It is not written as an address.

    Examples
    --------
    >>> check_address("tcp://10.0.0.7:8786"), check_address("localhost:8786")
    (('10.0.0.7', 8786), ('localhost', 8786))
    """
    whole = address if "://" in address else f"tcp://{address}"
    try:
        parts = urlsplit(whole)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    plain = address.isascii() and not any(map(str.isspace, address))
    if not (plain and host and port and parts.scheme in SCHEMES):
        raise InputError(
            f"the address of a scheduler must be written like tcp://host:8786, got "
            f"{address!r}"
        )
    return host, port


def check_listening(address: str) -> None:
    """Raise `ExperimentError` if nobody listens at an address."""
    try:
        socket.create_connection(check_address(address), LISTEN_SECONDS).close()
    except (OSError, UnicodeError) as error:
        raise no_scheduler(address, str(error)) from None


def no_scheduler(address: str, reason: str) -> ExperimentError:
    """Return the error for an address at which no scheduler answers."""
    return ExperimentError(
        f"no Dask scheduler answers at {address!r} ({reason}); start one with 'dask "
        f"scheduler', or use this machine, without --scheduler"
    )
