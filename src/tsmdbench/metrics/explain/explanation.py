"""The explanation of one evaluation, as data: motifs, pairs of sets, oracle fixes."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tsmdbench.io.timebase import plain_number
from tsmdbench.metrics.batch import Batch
from tsmdbench.metrics.explain.oracle import KINDS, fixed
from tsmdbench.metrics.prom import prom_of
from tsmdbench.metrics.prom_result import Prom

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 12  # lines of detail in the text
LENGTH_SHOWN = 0.005  # a difference in length below half a percent is not worth a word


@dataclass(frozen=True)
class TrueMotif:
    """What happened to one true motif.

    Attributes
    ----------
    index, true_set : int
        Position in ``result.truth.segments`` and of its set.
    start, end : int
        The segment.
    status : str
        "matched", "found twice", "wrong set", "off" or "missed".
    found_motif : int
        The found motif that it is matched with or overlaps most, -1 for none.
    overlap : float
        Overlap rate with that motif.
    """

    index: int
    true_set: int
    start: int
    end: int
    status: str
    found_motif: int
    overlap: float


@dataclass(frozen=True)
class FoundMotif:
    """What one found motif is.

    Attributes
    ----------
    index, found_set : int
        Position in ``result.found.segments`` and of its set.
    start, end : int
        The segment.
    status : str
        "true positive", "duplicate", "wrong set", "off" or "spurious".
    true_motif : int
        The true motif that it is matched with or overlaps most, -1 for none.
    late : int
        Samples that it starts after that true motif; negative if before.
    too_long : float
        How much longer than that true motif, as a share; negative if shorter.
    """

    index: int
    found_set: int
    start: int
    end: int
    status: str
    true_motif: int
    late: int = 0
    too_long: float = 0.0

    def located(self, *, late: int, too_long: float) -> FoundMotif:
        """Return the same motif with its displacement filled in."""
        return replace(self, late=late, too_long=too_long)

    def displacement(self, rate: float | None = None) -> str:
        """Describe in words where it lies relative to its true motif.

        In seconds if a sampling rate is given, else in samples.
        """
        words = []
        if self.late:
            when = "late" if self.late > 0 else "early"
            late = abs(self.late)
            seconds = "" if rate is None else f"{plain_number(late / rate, 3)} s"
            words.append(f"start {when} by {seconds or late}")
        if abs(self.too_long) >= LENGTH_SHOWN:
            how = "long" if self.too_long > 0 else "short"
            words.append(f"{abs(self.too_long):.0%} too {how}")
        return ", ".join(words) or "exact"


@dataclass(frozen=True)
class SetRelation:
    """What a true and a found set have in common.

    Attributes
    ----------
    true_set, found_set : int
        Row and column of the matching matrix.
    common : int
        Motifs in common.
    matched : bool
        Whether the two are matched with each other.
    kinds : tuple of str
        Of "complete", "partial", "nothing", "split", "merged".
    """

    true_set: int
    found_set: int
    common: int
    matched: bool
    kinds: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Explanation:
    """Every motif and every pair of sets of one evaluation, explained.

    Made by `tsmdbench.metrics.explain`; ``print`` it to read it.
    """

    result: Prom
    true_motifs: tuple[TrueMotif, ...]
    found_motifs: tuple[FoundMotif, ...]
    relations: tuple[SetRelation, ...]

    @property
    def true_counts(self) -> dict[str, int]:
        """Number of true motifs by status."""
        return dict(Counter(motif.status for motif in self.true_motifs))

    @property
    def found_counts(self) -> dict[str, int]:
        """Number of found motifs by status."""
        return dict(Counter(motif.status for motif in self.found_motifs))

    @cached_property
    def f1_if_fixed(self) -> dict[str, float]:
        """F1 if all errors of one kind, and only those, were fixed.

        Kinds that do not occur are left out.
        """
        counts = self.error_counts()
        return {kind: self.f1_after([kind]) for kind in KINDS if counts[kind]}

    @property
    def repairs(self) -> dict[str, float]:
        """Return `f1_if_fixed`, with a warning: this is its deprecated name."""
        warnings.warn(
            "Explanation.repairs is deprecated, use Explanation.f1_if_fixed",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.f1_if_fixed

    def f1_after(self, kinds: Iterable[str]) -> float:
        """Return F1 with the errors of these kinds fixed.

        Fixing all kinds gives 1.0, in whatever order they are added.
        """
        found = fixed(self, kinds)
        batch = Batch.of_one(self.result.truth, found)
        values = prom_of(
            batch,
            threshold=self.result.threshold,
            penalize_off_target=self.result.penalize_off_target,
        )
        return float(values["prom_f1"][0])

    def error_counts(self) -> dict[str, int]:
        """Return the number of errors of each kind that can be fixed."""
        counts = Counter(self.found_counts)
        fixable = {motif.true_motif for motif in self.found_motifs}
        counts["missed"] = sum(
            motif.status == "missed"
            or (motif.status == "off" and motif.index not in fixable)
            for motif in self.true_motifs
        )
        return counts

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, lists and strings, ready for JSON."""
        return {
            **self.result.to_dict(),
            "true_motifs": [vars(motif) for motif in self.true_motifs],
            "found_motifs": [vars(motif) for motif in self.found_motifs],
            "relations": [vars(relation) for relation in self.relations],
            "true_counts": self.true_counts,
            "found_counts": self.found_counts,
            "f1_if_fixed": self.f1_if_fixed,
        }

    def plot(self, series: Any = None) -> Figure:
        """Draw the evaluation with a mark at every motif that went wrong."""
        from tsmdbench.metrics.explain.figure import draw

        return draw(self.result, series, explanation=self)

    def __str__(self) -> str:
        from tsmdbench.metrics.explain.text import text

        return text(self)

    def _repr_html_(self) -> str:
        """Show the explanation in a notebook."""
        from tsmdbench.metrics.explain.html import html

        return html(self)
