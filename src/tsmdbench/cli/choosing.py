"""What ``tsmdbench discover`` chooses where it is told nothing: method and lengths."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tsmdbench.io import Recording


class Choices:
    """Estimates of a recording, made once, and the sentences that describe them.

    Parameters
    ----------
    recording : Recording
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._suggestion: Any = None
        self.notes: list[str] = []

    @property
    def suggestion(self) -> Any:
        """What `tsmdbench.methods.suggest` says of the recording."""
        if self._suggestion is None:
            from tsmdbench.methods.suggestions import suggest

            self._suggestion = suggest(self._recording.series)
            found = self._suggestion.length
            self.notes.append(f"estimated length: {found}{self._in_time(found.length)}")
        return self._suggestion

    def method(self) -> str:
        """Choose a method, and note why."""
        chosen: str = self.suggestion.method
        self.notes.append(
            f"chose --method {chosen}: {self.suggestion.reason}; 'tsmdbench methods' "
            f"lists the others"
        )
        return chosen

    def fields(self, missing: list[str]) -> Mapping[str, Any]:
        """Return values for those of the missing fields that can be estimated."""
        from tsmdbench.methods.suggestions import estimated_fields

        known = estimated_fields(self.suggestion.length)
        filled = {name: known[name] for name in missing if name in known}
        if filled:
            shown = " ".join(f"--set {name}={v}" for name, v in filled.items())
            self.notes.append(f"chose {shown}; give other values the same way")
        return filled

    def _in_time(self, samples: int) -> str:
        rate = self._recording.rate
        return "" if rate is None else f"; {samples / rate:.3g} s"
