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

Only standard modules are imported here: an error while the others are imported is
reported in the same way.
"""

from __future__ import annotations

import os
import select
import sys
import tempfile
import traceback

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
# Extra that installs an optional package, for modules that import it at their top.
EXTRAS = {
    "matplotlib": "plot",
    "pyarrow": "parquet",
    **dict.fromkeys(("aeon", "kmedoids", "sklearn", "statsmodels"), "archive"),
    **dict.fromkeys(("dask", "distributed", "cloudpickle", "psutil"), "run"),
    "filelock": "run",
    **dict.fromkeys(("jinja2", "tsdownsample"), "report"),
}
# Raised by the versions of typer for a wrong command line.
USAGE_ERRORS = (
    ("typer.exceptions", "TyperException"),
    ("click.exceptions", "ClickException"),
)
STATUSES = (
    (InputError, USAGE),
    (MissingExtraError, MISSING_EXTRA),
    (DownloadError, DOWNLOAD),
    (TsmdbenchError, FAILED),
)


class TerminatedError(KeyboardInterrupt):
    """SIGTERM arrived: a command ends as it does on Ctrl-C."""


def report_failure(error: BaseException, *, debug: bool = False) -> int:
    """Print what went wrong, with `debug` the traceback too; return the exit status."""
    if isinstance(error, BrokenPipeError) and _output_is_closed():
        return CLOSED
    sentence, status = failure_of(error)
    lines = "".join(traceback.format_exception(error))
    if status == INTERNAL:
        sentence += f"; please report this bug to {REPORT_TO} with {_kept(lines)}"
    said = f"tsmdbench: {escaped(' '.join(sentence.split()))}\n"
    if sys.stderr is not None:  # it may be closed
        encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
        text = (lines if debug else "") + said
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding))
    return status


def failure_of(error: BaseException) -> tuple[str, int]:
    """Return the sentence and the exit status of an exception.

    >>> failure_of(KeyError("radius"))
    ("internal error (KeyError: 'radius')", 70)
    """
    if isinstance(error, KeyboardInterrupt):
        ended = isinstance(error, TerminatedError)
        words = ["terminated" if ended else "interrupted"]
        words += getattr(error, "__notes__", ())
        return "; ".join(words), TERMINATED if ended else INTERRUPTED
    if isinstance(error, TsmdbenchError) and not isinstance(error, InternalError):
        status = next(status for kind, status in STATUSES if isinstance(error, kind))
        return str(error), status
    if isinstance(error, ModuleNotFoundError):
        package = (error.name or "").partition(".")[0]
        if package in EXTRAS:
            need = MissingExtraError(f"this command needs {package}", EXTRAS[package])
            return str(need), MISSING_EXTRA
    usage = (getattr(sys.modules.get(m), name, None) for m, name in USAGE_ERRORS)
    if isinstance(error, tuple(filter(None, usage))):
        return error.format_message(), USAGE  # type: ignore[attr-defined]
    if isinstance(error, OSError):
        if error.filename is not None:
            return f"{error.filename}: {error.strerror}", USAGE
        return str(error) or type(error).__name__, FAILED
    if isinstance(error, MemoryError):
        what = f"out of memory ({error})" if str(error) else "out of memory"
        return what, FAILED
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"internal error ({what})", INTERNAL


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
    """Return True if the reader of stdout is gone; if so, discard what is left."""
    if hasattr(select, "poll"):
        watch = select.poll()
        watch.register(sys.stdout.fileno(), 0)
        if not any(event & select.POLLERR for _, event in watch.poll(0)):
            return False
    # Windows has no poll: a broken pipe there is taken for that of the output. Python
    # flushes once more at exit and would fail again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return True
