"""The explorer's data: runs of every dataset, and as many series as are wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from tsmdbench.analysis.scores import Scores
from tsmdbench.experiments.sources import folders_of
from tsmdbench.experiments.store import Store
from tsmdbench.report.page.embed import Embed
from tsmdbench.report.page.runs import Rows, dataset_block, store_rows, truths_of
from tsmdbench.report.page.series import channels_looked_at, thinned
from tsmdbench.report.page.sources import SeriesSource
from tsmdbench.webpage import packed

OTHER_BYTES = 700_000  # of style, scripts, charts and tables, generously


@dataclass(frozen=True)
class Explorer:
    """What the explorer needs, by dataset in the order of the scores.

    Attributes
    ----------
    rows : dict
        The stored runs, by dataset, label and problem.
    blocks : list of str
        Problems, truths and runs, packed.
    series : list of list of str
        For each problem its packed series, or "" where there is none.
    reasons : list of str
        Why series of a dataset are missing; "" where none is.
    """

    rows: dict[str, Rows]
    blocks: list[str]
    series: list[list[str]]
    reasons: list[str]


def explorer(
    scores: Scores,
    stores: Mapping[str, Sequence[Store]],
    split: str,
    limits: Embed,
) -> Explorer:
    """Collect runs and series."""
    rows = store_rows(scores, stores, split)
    truths = truths_of(scores, stores, split)
    blocks = [
        dataset_block(scores, rows[name], truths[name], name)
        for name in scores.datasets
    ]
    texts = [packed(block) for block in blocks]
    room = None
    if limits.page_bytes is not None:
        room = limits.page_bytes - OTHER_BYTES - sum(map(len, texts))
    folders: dict[str, str] = {}
    for store in chain.from_iterable(stores.values()):
        folders |= folders_of(store.manifest)
    sources = [SeriesSource(name, split, folders) for name in scores.datasets]
    series, reasons = _series(sources, blocks, limits.problems, room)
    return Explorer(rows, texts, series, reasons)


def _series(
    sources: list[SeriesSource],
    blocks: list[dict[str, Any]],
    problems: int | None,
    room: int | None,
) -> tuple[list[list[str]], list[str]]:
    """Pack series, one of each dataset in turn, until there is no more room."""
    names = [[problem["name"] for problem in block["problems"]] for block in blocks]
    texts: list[list[str]] = [[""] * len(line) for line in names]
    if problems == 0:
        return texts, ["the page was made without series"] * len(sources)
    reasons = [source.reason for source in sources]
    looked_at = [channels_looked_at(block["parameters"]) for block in blocks]
    longest = max(map(len, names), default=0)
    for number in range(longest if problems is None else min(problems, longest)):
        for place, source in enumerate(sources):
            if number >= len(names[place]):
                continue
            values = source.get(names[place][number])
            if values is None:
                continue
            text = packed(thinned(values, looked_at[place], source.points))
            if room is not None and len(text) > room:
                return texts, _told(texts, reasons)
            room = None if room is None else room - len(text)
            texts[place][number] = text
    return texts, _told(texts, reasons)


def _told(texts: list[list[str]], reasons: list[str]) -> list[str]:
    """Say how many series a dataset has, where it has not all and no other reason."""
    return [
        reason
        or (
            ""
            if all(line)
            else f"the page carries the series of {sum(map(bool, line))} of "
            f"{len(line)} problems"
        )
        for reason, line in zip(reasons, texts, strict=True)
    ]
