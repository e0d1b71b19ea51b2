"""A method and lengths for a series that nothing is known of: `suggest`.

A starting point, not an answer. ``tools/check_advice.py`` shows what methods reach on
the recordings suite with what is suggested; docs/guide/recording.md has figures.

* Several channels: LoCoMotif, which compares all of them at once.
* One channel: STOMP, which needs a length and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tsmdbench.html_text import html_block, html_facts
from tsmdbench.methods.lengths import LengthEstimate, estimate_length
from tsmdbench.validation import check_series

RADIUS_FACTOR = 3.0
K_MAX = 20
LETTERS = 4


@dataclass(frozen=True)
class Suggestion:
    """A method for a series, and why.

    Attributes
    ----------
    method : str
        Name in `METHODS`.
    length : LengthEstimate
    reason : str
    """

    method: str
    length: LengthEstimate
    reason: str

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the method that have no default."""
        from tsmdbench.methods import METHODS
        from tsmdbench.methods.base import fields_of

        names = {field.name for field in fields_of(METHODS[self.method])}
        known = estimated_fields(self.length)
        wanted = ("l_min", "l_max") if "l_min" in names else ("length",)
        return {name: known[name] for name in wanted}

    def _repr_html_(self) -> str:
        """Show method, reason and fields in a notebook."""
        fields = ", ".join(f"{name}={value}" for name, value in self.fields.items())
        facts = {"because": self.reason, "fields": fields, "length": self.length}
        return html_block(html_facts(self.method, facts))


def suggest(series: Any) -> Suggestion:
    """Suggest a method and a length for a series.

    Parameters
    ----------
    series : array-like of shape (n,) or (n, d)

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> found = suggest(np.cumsum(rng.normal(size=(500, 2)), axis=0))
    >>> found.method, sorted(found.fields)
    ('locomotif', ['l_max', 'l_min'])
    """
    x = check_series(series)
    length = estimate_length(x)
    if x.ndim == 2 and x.shape[1] > 1:
        return Suggestion("locomotif", length, f"the series has {x.shape[1]} channels")
    return Suggestion("stomp", length, "the series has one channel")


def estimated_fields(found: LengthEstimate) -> dict[str, Any]:
    """Return fields of methods that follow from an estimated length, or are usual.

    >>> estimated_fields(LengthEstimate(80, 60, 100, "contrast", 0.3))["window"]
    40
    """
    window = max(8, found.length // 2)
    return {
        "length": found.length,
        "l_min": found.l_min,
        "l_max": found.l_max,
        "window": window,
        "word_length": LETTERS,
        "alphabet_size": LETTERS,
        "radius_factor": RADIUS_FACTOR,
        "k_max": K_MAX,
    }
