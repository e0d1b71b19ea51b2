"""The command line: one file per command, one sentence per error.

Exit status: 0, the work is done; 1, the work failed; 2, wrong use or wrong input.
A command imports what it needs when it runs, so that ``--help`` answers at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tsmdbench.errors import InputError

USAGE = 2
FAILED = 1
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; by default the arguments of this process.
    """
    try:
        from typer.exceptions import Abort, TyperException

        from tsmdbench.cli.app import app
    except ImportError:
        return _say("the command line needs typer: pip install 'tsmdbench[cli]'")
    try:
        status = app(arguments, prog_name="tsmdbench", standalone_mode=False)
    except TyperException as error:
        return _say(error.format_message())
    except (InputError, OSError) as error:
        return _say(str(error))
    except (KeyboardInterrupt, Abort):
        return _say("interrupted", INTERRUPTED)
    return status if isinstance(status, int) else 0


def _say(sentence: str, status: int = USAGE) -> int:
    """Print one sentence for the person who typed the command."""
    sys.stderr.write(f"tsmdbench: {' '.join(sentence.split())}\n")
    return status
