"""The work failed, although what was asked for was right."""


class ExperimentError(RuntimeError):
    """An experiment cannot go on; the message says why and what to do.

    The command line reports it in one sentence and ends with status 1.
    """


class StoreError(ExperimentError):
    """A store cannot be read or written."""
