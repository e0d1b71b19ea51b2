"""Exceptions of tsmdbench; each message is one sentence.

- `InputError`: the caller gave a wrong value.
- `InputTypeError`: the caller gave a value of a wrong type.
- `DataError`: data is missing, damaged, or too little.
- `MissingExtraError`: an optional package is not installed.
- `DownloadError`: a download failed.
- `ExperimentError`: an experiment cannot continue.
- `StoreError`: a store cannot be read or written.
- `UnknownNameError`: a registry has no entry of that name.
- `InternalError`: two parts of tsmdbench contradict each other.

All derive from `TsmdbenchError`, and each derives from the built-in exception that
other libraries raise in the same situation. `tsmdbench.cli` maps each class to an exit
status. Code that skips something on an error catches the narrowest class: an
`InternalError` is never a reason to skip.
"""

__all__ = [
    "DataError",
    "DownloadError",
    "ExperimentError",
    "InputError",
    "InputTypeError",
    "InternalError",
    "MissingExtraError",
    "StoreError",
    "TsmdbenchError",
    "UnknownNameError",
]


class TsmdbenchError(Exception):
    """Base class of all errors that tsmdbench raises on purpose."""


class InputError(TsmdbenchError, ValueError):
    """The value of an input breaks a rule; the message names input, rule and value."""


class InputTypeError(InputError, TypeError):
    """The type of an input is wrong; the message lists the accepted types."""


class DataError(InputError):
    """Data is missing, damaged, or too little for the request."""


class UnknownNameError(InputError, KeyError):
    """No entry has this name; the message suggests the nearest ones."""

    __str__ = Exception.__str__  # KeyError would show the repr of the sentence


class MissingExtraError(TsmdbenchError, ImportError):
    """An optional package is not installed; the message has the pip command.

    Parameters
    ----------
    need : str
        What needs which package.
    extra : str
        The extra of tsmdbench that installs it.

    Examples
    --------
    >>> print(MissingExtraError("figures need matplotlib", "plot"))
    figures need matplotlib: pip install "tsmdbench[plot]"
    """

    def __init__(self, need: str, extra: str) -> None:
        super().__init__(need, extra)  # both, so that a pickled error is the same
        self.need = need
        self.extra = extra

    def __str__(self) -> str:
        return f'{self.need}: pip install "tsmdbench[{self.extra}]"'


class DownloadError(TsmdbenchError, OSError):
    """A dataset could not be downloaded; the message says how to get it by hand."""


class ExperimentError(TsmdbenchError, RuntimeError):
    """An experiment cannot continue; the message says why and what to do."""


class StoreError(ExperimentError):
    """A store cannot be read or written."""


class InternalError(TsmdbenchError, RuntimeError):
    """Two parts of tsmdbench contradict each other; this is a bug to report."""
