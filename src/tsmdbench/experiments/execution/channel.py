"""Messages between a supervisor and the process that computes.

A method shares its process with our end of the channel. It may fork, write to every
file descriptor that it can count to, or leave a thread behind that does so later. A
message therefore has a keyed digest and names the request that it belongs to: bytes
that are not ours are noticed, and an answer is never taken for that of another request.
Bytes are read as they come, so that half a message does not keep the reader from
looking at the clock.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import select
import socket
import struct
import time
from typing import Any, NamedTuple

KEY_BYTES = 16
DIGEST_BYTES = 16
# Beginning of a message, taken from the key; digest, request, length of the payload.
BEGIN_BYTES = 8
HEADER = struct.Struct(f"<{BEGIN_BYTES}s{DIGEST_BYTES}sqQ")
LONGEST = 2**33  # bytes of a message; more is not from tsmdbench
CHUNK = 2**20  # bytes that are read at once
SEND_SECONDS = 120.0  # a reader that takes nothing for so long is gone


class StrayBytesError(Exception):
    """Bytes came that tsmdbench has not sent."""


class Message(NamedTuple):
    """What was sent, and the number of the request that it belongs to."""

    request: int
    content: Any


class Channel:
    """One end of a connection between two processes.

    Parameters
    ----------
    connection : socket
        Connected; it belongs to the channel from now on.
    key : bytes
        What both ends know and a method does not.
    """

    def __init__(self, connection: socket.socket, key: bytes) -> None:
        connection.settimeout(SEND_SECONDS)
        self._socket = connection
        self._poll = select.poll()  # select() cannot take high file descriptors
        self._poll.register(connection, select.POLLIN)
        self._key = key
        self._begin = hashlib.blake2b(key, digest_size=BEGIN_BYTES).digest()
        self._read = bytearray()

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self._socket.fileno()

    def send(self, request: int, content: Any) -> None:
        """Send a message.

        Raises
        ------
        OSError
            The other end is gone.
        """
        payload = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)
        digest = self._digest(request, payload)
        head = HEADER.pack(self._begin, digest, request, len(payload))
        self._socket.sendall(head + payload)

    def receive(self, timeout: float) -> Message | None:
        """Return the next message; None if it is not complete after `timeout` seconds.

        Raises
        ------
        EOFError, OSError
            The other end is gone.
        StrayBytesError
            Somebody else has written.
        """
        message = self._taken()
        if message is None and self._poll.poll(timeout * 1000):
            more = self._socket.recv(CHUNK)
            if not more:
                raise EOFError
            self._read += more
            message = self._taken()
        return message

    def wait(self, seconds: float) -> Message | None:
        """Return the next message; None if there is none for so many seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            message = self.receive(left)
            if message is not None:
                return message
        return None

    def _taken(self) -> Message | None:
        """Cut a complete message off what was read."""
        if not self._begin.startswith(self._read[:BEGIN_BYTES]):
            raise StrayBytesError
        if len(self._read) < HEADER.size:
            return None
        _, digest, request, length = HEADER.unpack_from(self._read)
        if length > LONGEST:
            raise StrayBytesError
        end = HEADER.size + length
        if len(self._read) < end:
            return None
        payload = bytes(self._read[HEADER.size : end])
        if digest != self._digest(request, payload):
            raise StrayBytesError
        del self._read[:end]
        return Message(request, pickle.loads(payload))  # noqa: S301 (ours: see digest)

    def _digest(self, request: int, payload: bytes) -> bytes:
        digest = hashlib.blake2b(key=self._key, digest_size=DIGEST_BYTES)
        digest.update(request.to_bytes(8, "little", signed=True))
        digest.update(payload)
        return digest.digest()

    def close(self) -> None:
        """Give the file descriptor back."""
        self._socket.close()


def open_channel() -> tuple[Channel, socket.socket]:
    """Return our end, and the socket of which `accept_channel` makes the other end."""
    ours, theirs = socket.socketpair()
    key = os.urandom(KEY_BYTES)
    ours.sendall(key)  # not as an argument, where a method could read it
    return Channel(ours, key), theirs


def accept_channel(connection: socket.socket) -> Channel:
    """Return the other end of a channel that `open_channel` made."""
    key = b""
    while len(key) < KEY_BYTES:
        more = connection.recv(KEY_BYTES - len(key))
        if not more:
            raise EOFError
        key += more
    return Channel(connection, key)
