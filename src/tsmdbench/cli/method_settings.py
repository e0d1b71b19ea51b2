"""A method from ``key=value`` texts: numbers, words, times, and names of channels."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tsmdbench.errors import InputError, TsmdbenchError

if TYPE_CHECKING:
    from tsmdbench.io import Recording

WORDS = {"true": True, "false": False, "none": None, "null": None}
IN_SAMPLES = ("length", "l_min", "l_max", "window", "step")


def make_method(
    cls: Any,
    name: str,
    settings: Sequence[str],
    max_sets: int | None,
    recording: Callable[[], Recording] | None = None,
    notes: list[str] | None = None,
    estimate: Callable[[list[str]], Mapping[str, Any]] | None = None,
) -> Any:
    """Make a method from ``key=value`` texts, with one sentence for what is wrong.

    Parameters
    ----------
    cls : type
        The method.
    name : str
        What errors call it.
    settings : sequence of str
        ``length=3s`` and ``channel=acc_x`` need a recording.
    max_sets : int, optional
        Passed on where the method has this parameter.
    recording : callable, optional
        Returns the recording; called only where a setting needs it.
    notes : list of str, optional
        Takes what times became in samples.
    estimate : callable, optional
        Returns values for those of some missing fields that can be estimated.
    """
    fields = (
        {field.name: field for field in dataclasses.fields(cls)}
        if dataclasses.is_dataclass(cls)
        else None
    )
    values: dict[str, Any] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise InputError(f"--set takes KEY=VALUE, got {text!r}")
        if fields is not None and key not in fields:
            known = ", ".join(fields)
            raise InputError(f"{name} has no parameter {key!r}; known: {known}")
        field = None if fields is None else fields[key]
        values[key] = value_of(key, value.strip(), field, recording, notes)
    if max_sets is not None and (fields is None or "max_sets" in fields):
        values["max_sets"] = max_sets
    missing = [
        key
        for key, field in (fields or {}).items()
        if field.default is dataclasses.MISSING
        and field.default_factory is dataclasses.MISSING
        and key not in values
    ]
    if missing and estimate is not None and not _beyond_estimates(missing):
        values |= estimate(missing)
        missing = [key for key in missing if key not in values]
    if missing:
        wanted = " ".join(f"--set {key}=..." for key in missing)
        raise InputError(f"{name} needs {', '.join(missing)}: {wanted}")
    try:
        return cls(**values)
    except TsmdbenchError:
        raise
    except (Exception, SystemExit) as cause:
        raise InputError(f"{name}: {type(cause).__name__}: {cause}") from cause


def _beyond_estimates(missing: Sequence[str]) -> bool:
    """Tell whether a field is missing that nothing can be said about."""
    return "radius" in missing


def value_of(
    key: str,
    text: str,
    field: Any,
    recording: Callable[[], Recording] | None,
    notes: list[str] | None,
) -> Any:
    """Read a value: a word, a whole number, a number, a time, else the text itself."""
    from tsmdbench.io.timebase import parse_duration

    if field is not None and str(field.type) == "str":
        return text
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    seconds = parse_duration(text)
    if seconds is not None and recording is not None:
        return _samples(key, text, seconds, field, recording, notes)
    if key == "channel" and recording is not None:
        return recording().channel(text)
    return text


def _samples(
    key: str,
    text: str,
    seconds: float,
    field: Any,
    recording: Callable[[], Recording],
    notes: list[str] | None,
) -> int:
    """Return a duration in samples, and note what it became."""
    if field is not None and key not in IN_SAMPLES:
        raise InputError(f"{key} is not counted in samples, so it cannot be {text}")
    whole = recording()
    if whole.rate is None:
        raise InputError(
            f"{key}={text} needs a sampling rate, which {whole.source} does not have; "
            f"give --rate HZ"
        )
    count = round(seconds * whole.rate)
    if notes is not None:
        exact = seconds * whole.rate
        off = f", rounded from {exact:.6g}" if abs(exact - count) > 1e-9 * exact else ""
        notes.append(f"{key}={text} is {count} samples{off}")
    return count
