"""Start the process that computes, with a guard that ends its whole group.

Run as a script: ``guard.py ALIVE COMMAND...``. ALIVE is the file descriptor of a pipe
whose other end the supervisor holds. When the supervisor is gone, however it ended, the
pipe is closed, and the guard kills the process group: the process that computes, also
in the middle of compiled code, and whatever methods have started. Otherwise the guard
is killed with the group.

The guard is not a child of the process that computes, so that a method which waits for
all of its children does not wait for the guard.
"""

import os
import signal
import sys

MOST_HANDLES = 4096  # file descriptors that a new process may have inherited


def watch(alive: int) -> None:
    """Wait until the other end of a pipe is closed, then kill our process group."""
    os.closerange(0, alive)
    os.closerange(alive + 1, MOST_HANDLES)
    os.read(alive, 1)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def main(alive: int, command: list[str]) -> None:
    """Leave a guard behind, and become the command."""
    middle = os.fork()
    if middle == 0:
        if os.fork() == 0:
            watch(alive)
        os._exit(0)
    os.waitpid(middle, 0)
    os.close(alive)
    os.execv(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
