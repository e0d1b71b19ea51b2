"""Tables of results, from the stores that come with the package.

The table "which method for which data" is the same on every page that has it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from tsmdbench import METHODS
from tsmdbench.datasets.catalogue import KNOWN
from tsmdbench.methods.info import method_info

PRESETS = ("best", "paper")
NAMED = 3  # methods in a row of the table of kinds of data
QUICK = 0.01  # mean seconds of a run that make a method quick


@cache
def _scores(preset: str) -> Any:
    from tsmdbench.analysis import load_baselines, score_store

    return score_store(load_baselines(preset), metrics=["prom_f1"])


@cache
def _board(preset: str) -> Any:
    from tsmdbench.analysis import leaderboard

    return leaderboard(baselines=preset)


def leaderboard_table() -> str:
    """Return the methods by mean F1, with both presets if they differ."""
    boards = {preset: _board(preset).table.set_index("label") for preset in PRESETS}
    first, second = boards.values()
    same = first["mean"].equals(second["mean"].reindex(first.index))
    head = "| place | method | F1 | 95 % interval | rank | s/run |"
    rows = [head, "|--:|---|--:|---|--:|--:|"]
    if not same:
        rows = [f"{head} F1, `paper` |", "|--:|---|--:|---|--:|--:|--:|"]
    for label, row in first.iterrows():
        cells = [
            f"{row['place']:.0f}",
            linked(str(label)) + (" +" if row["extra"] else ""),
            f"{row['mean']:.3f}",
            f"{row['low']:.3f} to {row['high']:.3f}",
            f"{row['average_rank']:.1f}",
            f"{row['seconds']:.3f}",
        ]
        if not same:
            known = label in second.index
            cells.append(f"{second.loc[label, 'mean']:.3f}" if known else "–")  # noqa: RUF001
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def linked(name: str) -> str:
    """Return the title of a method as a link to its page, seen from the front page."""
    if name not in METHODS:
        return f"`{name}`"
    return f"[{method_info(name).title}](methods/{name}.md)"


def kinds() -> dict[str, list[str]]:
    """Return the datasets of the stores by kind of data."""
    found: dict[str, list[str]] = {}
    for name in _scores("best").datasets:
        entry = KNOWN[name.partition("?")[0]]
        channels = "one channel" if entry.channels == 1 else "several channels"
        equal = entry.l_min == entry.l_max
        lengths = "motifs of one length" if equal else "motifs of different length"
        found.setdefault(f"{channels}, {lengths}", []).append(name)
    return found


def data_table() -> str:
    """Return the best methods for each kind of data, with their mean F1."""
    means = _scores("best").means("prom_f1")
    rows = ["| data | methods, with mean F1 | datasets |", "|---|---|---|"]
    for kind, datasets in kinds().items():
        rows.append(_row(kind, means.loc[datasets].mean(), ", ".join(datasets)))
    recordings = _recordings()
    names = ", ".join(recordings.index)
    rows.append(_row("recordings, tuned on annotated ones", recordings.mean(), names))
    quick = _quick(means)
    rows.append(_row(f"less than {QUICK:g} s per series", quick, "all of TSMD-Bench"))
    return "\n".join(rows)


def _recordings() -> Any:
    """Return the mean F1 on the datasets of the recordings suite."""
    from tsmdbench.analysis.baselines import published_scores

    return published_scores("recordings").means("prom_f1")


def _quick(means: Any) -> Any:
    """Return the mean F1 of the methods that take little time."""
    from tsmdbench.analysis import method_seconds

    seconds = method_seconds(_scores("best"))
    return means[seconds.index[seconds < QUICK]].mean()


def _row(kind: str, values: Any, datasets: str) -> str:
    best = values.sort_values(ascending=False, kind="stable")[:NAMED]
    shown = "<br>".join(f"{linked(name)} {value:.2f}" for name, value in best.items())
    return f"| {kind} | {shown} | {datasets} |"
