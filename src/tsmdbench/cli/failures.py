"""Turn an exception into one sentence on standard error and an exit status.

=======  =========================================================================
status   meaning
=======  =========================================================================
0        success
1        the work failed: a locked or damaged store, a full disk, too little memory
2        the command, its input or its data is wrong
3        an optional package is not installed
4        a download failed
70       internal error: a bug in tsmdbench
130      interrupted by Ctrl-C
141      the program that reads the output has closed it
143      ended by SIGTERM
=======  =========================================================================

Only standard modules are imported here, so that an error while the rest is imported is
reported like any other.
"""

from __future__ import annotations

import os
import select
import sys
import tempfile
import traceback
from typing import NamedTuple

from tsmdbench.cli.output import escaped
from tsmdbench.errors import (
    DownloadError,
    InputError,
    InternalError,
    MissingExtraError,
    TsmdbenchError,
)

FAILED = 1
USAGE = 2
MISSING_EXTRA = 3
DOWNLOAD = 4
INTERNAL = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
CLOSED = 141  # 128 + SIGPIPE
TERMINATED = 143  # 128 + SIGTERM

REPORT_TO = "the issue tracker of tsmdbench"
# Which extra installs an optional package that a module imports at its top.
EXTRAS = {
    "matplotlib": "plot",
    "pyarrow": "parquet",
    "aeon": "archive",
    "kmedoids": "archive",
    "sklearn": "archive",
    "statsmodels": "archive",
    "dask": "run",
    "distributed": "run",
    "cloudpickle": "run",
    "filelock": "run",
    "psutil": "run",
    "jinja2": "report",
    "tsdownsample": "report",
}
# What the versions of typer raise for a command line that they refuse.
USAGE_ERRORS = (
    ("typer.exceptions", "TyperException"),
    ("click.exceptions", "ClickException"),
)


class TerminatedError(KeyboardInterrupt):
    """SIGTERM came: a command ends as it does on Ctrl-C."""


class Failure(NamedTuple):
    """What to print, and how to exit."""

    sentence: str
    status: int


def report_failure(error: BaseException, *, debug: bool = False) -> int:
    """Print what went wrong and return the exit status.

    Parameters
    ----------
    error : BaseException
        What a command raised.
    debug : bool, default False
        Print the traceback as well.
    """
    if isinstance(error, BrokenPipeError) and _output_is_closed():
        return CLOSED
    failure = failure_of(error)
    lines = "".join(traceback.format_exception(error))
    if debug:
        _complain(lines)
    sentence = failure.sentence
    if failure.status == INTERNAL:
        sentence += f"; please report this bug to {REPORT_TO} with {_kept(lines)}"
    _complain(f"tsmdbench: {escaped(' '.join(sentence.split()))}\n")
    return failure.status


def _complain(text: str) -> None:
    """Write to standard error whatever its encoding; it may be closed."""
    stream = sys.stderr
    if stream is None:
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def failure_of(error: BaseException) -> Failure:
    """Return the sentence and the exit status of an exception.

    Examples
    --------
    >>> failure_of(InputError("length must be at least 2, got 1"))
    Failure(sentence='length must be at least 2, got 1', status=2)
    >>> failure_of(KeyError("radius"))
    Failure(sentence="internal error (KeyError: 'radius')", status=70)
    """
    if isinstance(error, TerminatedError):
        return Failure("; ".join(["terminated", *_notes(error)]), TERMINATED)
    if isinstance(error, KeyboardInterrupt):
        return Failure("; ".join(["interrupted", *_notes(error)]), INTERRUPTED)
    if isinstance(error, TsmdbenchError) and not isinstance(error, InternalError):
        return Failure(str(error), _status(error))
    if isinstance(error, ModuleNotFoundError):
        package = (error.name or "").partition(".")[0]
        if package in EXTRAS:
            need = MissingExtraError(f"this command needs {package}", EXTRAS[package])
            return Failure(str(need), MISSING_EXTRA)
    if _is_usage_error(error):
        return Failure(error.format_message(), USAGE)  # type: ignore[attr-defined]
    if isinstance(error, OSError):
        if error.filename is not None:
            return Failure(f"{error.filename}: {error.strerror}", USAGE)
        return Failure(str(error) or type(error).__name__, FAILED)
    if isinstance(error, MemoryError):
        return Failure(f"out of memory ({error})" if str(error) else "out of memory", 1)
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Failure(f"internal error ({what})", INTERNAL)


def _status(error: TsmdbenchError) -> int:
    if isinstance(error, InputError):
        return USAGE
    if isinstance(error, MissingExtraError):
        return MISSING_EXTRA
    if isinstance(error, DownloadError):
        return DOWNLOAD
    return FAILED


def _is_usage_error(error: BaseException) -> bool:
    """Tell whether typer, or click below older versions of it, refused the command."""
    classes = (
        getattr(sys.modules.get(module), name, None) for module, name in USAGE_ERRORS
    )
    return isinstance(error, tuple(filter(None, classes)))


def _notes(error: BaseException) -> list[str]:
    return list(getattr(error, "__notes__", ()))


def _kept(lines: str) -> str:
    """Write a traceback to a private temporary file and return its path."""
    try:
        handle, path = tempfile.mkstemp(prefix="tsmdbench-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(f"{sys.argv}\n{sys.version}\n{lines}")
    except OSError:
        return "what TSMDBENCH_DEBUG=1 prints"
    return path


def _output_is_closed() -> bool:
    """Tell whether nobody reads standard output; if so, discard what is left in it."""
    if hasattr(select, "poll"):
        watch = select.poll()
        watch.register(sys.stdout.fileno(), 0)
        if not any(event & select.POLLERR for _, event in watch.poll(0)):
            return False
    # Windows cannot ask: there, a broken pipe is taken for that of the output.
    # Python flushes once more at exit and would complain.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True
