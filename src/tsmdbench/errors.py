"""What went wrong with what the caller gave: one sentence, two types.

Everything that a caller can mend is raised as `InputError` (a `ValueError`) or
`InputTypeError` (a `TypeError` as well), so the command line can tell a wrong input,
which it reports in one sentence, from a fault of ours, which it must not hide.
"""


class InputError(ValueError):
    """The value of an input breaks a rule; the message names input, rule and value."""


class InputTypeError(InputError, TypeError):
    """The kind of an input is wrong; the message says which kinds are accepted."""
