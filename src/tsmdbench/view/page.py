"""Put the page together: series, motif sets, template, style, scripts."""

from __future__ import annotations

import hashlib
import html
from collections.abc import Mapping
from typing import Any

import numpy as np

from tsmdbench.html_text import content_policy, joined_scripts, json_block, page_asset
from tsmdbench.io import Recording, as_recording
from tsmdbench.io.annotations import check_label
from tsmdbench.plotting import COLOURS, GREY, SHADES
from tsmdbench.types import MotifSet, MotifSets
from tsmdbench.validation import check_motif_sets, check_truth
from tsmdbench.view.levels import EXACT_VALUES, Channel, finest_width, make_channel

# The order in which they stand in the page; a later one may use an earlier one.
SHARED_SCRIPTS = ("dom", "figure", "theme")
SCRIPTS = (
    "prom",
    "samples",
    "units",
    "model",
    "formats",
    "palette",
    "state",
    "layout",
    "curves",
    "segments",
    "overview",
    "edit",
    "pointer",
    "keys",
    "score",
    "overlay",
    "sets",
    "inspector",
    "propose",
    "saving",
    "main",
)


SHOWN_GAPS = 5  # gaps that a note names


def view_page(
    series: Any,
    truth: Any = None,
    found: Mapping[str, Any] | None = None,
    *,
    title: str | None = None,
) -> str:
    """Return a page to look at a series, to compare motif sets and to annotate it.

    Parameters
    ----------
    series : array-like of shape (n,) or (n, d), or Recording
        The series. A recording names its channels, and its rate shows times.
    truth : motif sets in any accepted form, optional
        True motif sets; they must not overlap. Sets may be empty.
    found : mapping, optional
        Name, for example of a method, to the motif sets that it found.
    title : str, optional
        Heading; by default where the series came from.

    Returns
    -------
    str
        The page, to be written as UTF-8.

    Raises
    ------
    InputError
        A segment ends beyond the series, or true segments overlap.

    Examples
    --------
    >>> import numpy as np
    >>> page = view_page(np.sin(np.arange(500.0)), {"wave": [(0, 40), (100, 140)]})
    >>> page.startswith("<!DOCTYPE html>"), "<link" in page, "<script src" in page
    (True, False, False)
    """
    return ViewPage(series, found, title=title).html(truth)


class ViewPage:
    """A page whose large part is made once, so that it can be shown again.

    Parameters
    ----------
    series, found, title
        As for `view_page`.
    """

    def __init__(
        self,
        series: Any,
        found: Mapping[str, Any] | None = None,
        *,
        title: str | None = None,
    ) -> None:
        given = isinstance(series, Recording)
        self.recording: Recording = (
            series if given else as_recording(series, source="series", missing="keep")
        )
        self.n = len(self.recording)
        self.shape: tuple[int, ...] = self.recording.values.shape
        self.title = title or self.recording.source
        groups = [] if found is None else list(found.items())
        self._found = [
            {"name": str(name), "sets": listed(_checked(sets, str(name), self.shape))}
            for name, sets in groups
        ]
        values = self.recording.values
        self.width = finest_width(values.size)
        self.exact = values.size <= EXACT_VALUES
        channels = [
            make_channel(column, self.width, exact=self.exact) for column in values.T
        ]
        self._facts = self._known(channels)
        self._blocks = "\n".join(
            f'<script type="text/plain" id="level-{place}-{level}">{text}</script>'
            for place, channel in enumerate(channels)
            for level, text in enumerate(channel.blocks())
        )

    def html(self, truth: Any = None, *, save: Mapping[str, str] | None = None) -> str:
        """Return the page with these true motif sets.

        Parameters
        ----------
        truth : motif sets in any accepted form, optional
            They can be edited, unless they name their channels.
        save : mapping, optional
            Where a server keeps them: ``file`` and ``version``.
        """
        sets = listed(check_annotation(truth, self.shape))
        facts = self._facts | {
            "truth": sets,
            "save": None if save is None else dict(save),
        }
        if any("intervals" in one for one in sets):
            shown = {"name": "truth, by channel", "sets": sets}
            facts |= {"truth": [], "found": [shown, *self._found]}
        script, style = _script(), _asset("style.css") + _palette_css()
        parts = {
            "title": html.escape(self.title),
            "policy": content_policy(script, style, connect=save is not None),
            "style": style,
            "data": json_block(facts),
            "blocks": self._blocks,
            "script": script,
        }
        page = _asset("page.html")
        pieces = page.split("@@")  # text and names in turn
        return "".join(
            parts[piece] if place % 2 else piece for place, piece in enumerate(pieces)
        )

    def notes(self) -> tuple[str, ...]:
        """Return notes on data that the page holds only approximately."""
        return tuple(self._facts["notes"])

    def _known(self, channels: list[Channel]) -> dict[str, Any]:
        """Return everything but the truth and the samples."""
        recording, start = self.recording, self.recording.start
        first = 0.0 if start is None else start
        if isinstance(first, np.datetime64):  # milliseconds since 1970
            first = int(first.astype("datetime64[ns]").astype(np.int64)) / 1e6
        return {
            "title": self.title,
            "n": self.n,
            "summary": recording.summary(),
            "rate": None if recording.gaps else recording.rate,
            "start": {
                "stamp": isinstance(start, np.datetime64),
                "value": float(first),
            },
            "gaps": [list(gap) for gap in recording.gaps],
            "key": series_key(recording),
            "encoding": "f4" if self.exact else "i2",
            "channels": [
                {"name": name, "unit": unit} | channel.facts()
                for name, unit, channel in zip(
                    recording.channels,
                    recording.units or [""] * len(channels),
                    channels,
                    strict=True,
                )
            ],
            "found": self._found,
            "notes": [*recording.notes, *self._said(channels)],
            "colours": len(COLOURS),
        }

    def _said(self, channels: list[Channel]) -> list[str]:
        """Describe thinned, missing and untimed data."""
        said = []
        if self.width > 1:
            said.append(
                f"the page holds the lowest and the highest of every {self.width} "
                f"samples"
            )
        if not self.exact:
            said.append("values are rounded to 1/65,000 of the range of their channel")
        missing = sum(channel.missing for channel in channels)
        if missing:
            said.append(f"{missing} values are missing and drawn as gaps")
        if self.recording.gaps:
            rows = [gap.row + 1 for gap in self.recording.gaps]
            more = ", ..." if len(rows) > SHOWN_GAPS else ""
            places = ", ".join(map(str, rows[:SHOWN_GAPS])) + more
            said.append(f"rows are missing before {places}, so times are not shown")
        return said


def check_annotation(
    truth: Any, shape: tuple[int, ...], name: str = "truth"
) -> MotifSets:
    """Check annotations in progress: sets may still be empty.

    Raises
    ------
    InputError
        Segments overlap, or lie outside of a series of this shape.
    """
    sets = _checked({} if truth is None else truth, name, shape)
    filled = [place for place, motifs in enumerate(sets.sets) if len(motifs)]
    if filled:
        check_truth(sets.reordered(filled), name)
    return sets


def series_key(recording: Recording) -> str:
    """Return a name for the content of a series; annotations are kept under it."""
    made = hashlib.sha256(repr((recording.channels, len(recording))).encode())
    made.update(np.ascontiguousarray(recording.values).data)
    return made.hexdigest()[:32]


def labelled(sets: MotifSets) -> dict[str, MotifSet]:
    """Return motif sets by the text of their label."""
    return {
        str(label): motifs for label, motifs in zip(sets.labels, sets.sets, strict=True)
    }


def _checked(sets: Any, name: str, shape: tuple[int, ...]) -> MotifSets:
    checked = check_motif_sets(sets, name, n=shape[0], n_channels=shape[1])
    for label in checked.labels:
        check_label(str(label), name)
    return checked


def listed(sets: MotifSets) -> list[dict[str, Any]]:
    """Return motif sets as the page has them."""
    shown = []
    for label, motifs in zip(sets.labels, sets.sets, strict=True):
        one: dict[str, Any] = {"label": str(label)}
        one["segments"] = [list(pair) for pair in motifs]
        if motifs.channels is not None:
            places = motifs.channels
            one["intervals"] = [
                dict(zip(places, motif, strict=True))
                for motif in motifs.intervals.tolist()
            ]
        shown.append(one)
    return shown


def _palette_css() -> str:
    """Return the rules that colour motif sets by place, in light and dark."""
    named = [*((f"set-{place}", colour) for place, colour in enumerate(COLOURS))]
    rules = [
        ".{} {{ color: light-dark({}, {}); }}".format(name, *SHADES[colour])
        for name, colour in [*named, ("set-none", GREY)]
    ]
    return "\n".join(rules) + "\n"


def _script() -> str:
    shared = [page_asset("report/assets", f"{name}.js") for name in SHARED_SCRIPTS]
    return joined_scripts([*shared, *(_asset(f"js/{name}.js") for name in SCRIPTS)])


def _asset(name: str) -> str:
    return page_asset("view/assets", name)
