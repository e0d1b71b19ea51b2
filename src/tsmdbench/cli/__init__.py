"""The command line: one sentence per error.

A command raises an exception; `main` turns it into a sentence and an exit status (see
`tsmdbench.cli.failures`). Commands import packages when they run, which keeps
``--help`` fast. Options are taken from signature and docstring of a command (see
`tsmdbench.cli.options`).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tsmdbench.cli.failures import TerminatedError, report_failure
from tsmdbench.cli.output import safe_output
from tsmdbench.errors import InputError

DEBUG = "TSMDBENCH_DEBUG"
AGAIN = getattr(signal, "SIGALRM", None)  # not on Windows
AGAIN_AFTER = 5.0  # seconds after which a command that goes on is stopped again


@dataclass
class Settings:
    """Options that precede the command."""

    debug: bool = False


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after the name of the program; by default those of this process.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    settings = Settings(debug=os.environ.get(DEBUG, "0") not in ("", "0"))
    try:
        with _Terminable(is_program=arguments is None), safe_output():
            return _run(given, settings)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (the last resort)
        return report_failure(error, debug=settings.debug)


class _Terminable:
    """Let SIGTERM end a command as Ctrl-C does, with all cleaning up; a context.

    A program ignores further signals once its command is over: the interpreter takes a
    moment to shut down, and a signal there would replace the exit status.
    """

    def __init__(self, *, is_program: bool) -> None:
        self._is_program = is_program
        self._came: list[KeyboardInterrupt] = []
        self._before: dict[int, Any] = {}

    def _stop(self, number: int, frame: Any) -> None:
        if number != AGAIN:
            terminated = number == signal.SIGTERM
            self._came.append(TerminatedError() if terminated else KeyboardInterrupt())
        while frame is not None:
            if frame.f_code is _Terminable.__exit__.__code__:
                return  # the command is over; raised there, it would leave this handler
            frame = frame.f_back
        if AGAIN is not None:  # it may be swallowed by a package that catches all
            signal.setitimer(signal.ITIMER_REAL, AGAIN_AFTER)
        raise self._came[-1]

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # only the main thread may set handlers
        numbers = [signal.SIGTERM, *([] if AGAIN is None else [AGAIN])]
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            numbers.append(signal.SIGINT)
        for number in numbers:
            self._before[number] = signal.signal(number, self._stop)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_IGN if self._is_program else handler)
        if self._before and AGAIN is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        if kind is not None and issubclass(kind, Exception) and self._came:
            # Swallowed on its way, as by callbacks of a compiler, which then fail.
            raise self._came[-1] from None


# Options that have another name now, by command.
LISTED = "the command 'tsmdbench datasets list'"
NEW_NAMES = {
    ("build", "--recordings"): "--from FOLDER",
    ("discover", "--show"): "--units",
    (
        "reproduce",
        "--preset",
    ): "the experiment alone, as in 'tsmdbench reproduce quick'",
    ("run", "--preset"): "the experiment alone, as in 'tsmdbench run best'",
    **dict.fromkeys(
        (("datasets", f"--{n}") for n in ("data", "json", "paper")), LISTED
    ),
}


def _check_arguments(arguments: Sequence[str]) -> None:
    """Raise for an argument that cannot be encoded, or that has another name now."""
    for argument in arguments:
        try:
            os.fsencode(argument)
        except UnicodeEncodeError:
            raise InputError(
                f"the argument {argument!r} is not valid text; use Unicode characters"
            ) from None
    command, *others = arguments or [""]
    if command == "datasets":  # its subcommand has these options
        others = others[:1]
    for argument in others:
        old = argument.partition("=")[0]
        if new := NEW_NAMES.get((command, old)):
            raise InputError(f"'{command}' has no {old}; use {new}")


def _run(arguments: list[str], settings: Settings) -> int:
    """Run a command without typer's `main`, which treats Ctrl-C as an exit."""
    from typer import Exit
    from typer.main import get_command

    from tsmdbench.cli.app import app

    _check_arguments(arguments)
    command = get_command(app)
    try:
        with command.make_context("tsmdbench", arguments, obj=settings) as context:
            command.invoke(context)
    except Exit as end:
        return end.exit_code
    return 0
