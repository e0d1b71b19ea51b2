"""Which methods a comparison is about, and which of them it is restricted to."""

from __future__ import annotations

from collections.abc import Sequence

from tsmdbench.analysis.scores import Scores
from tsmdbench.errors import InputError
from tsmdbench.methods import METHODS

MINE = "mine"  # stands for the methods of one's own


def own_labels(scores: Scores) -> tuple[str, ...]:
    """Return the labels that a report is about, among others that it compares with.

    Where results to compare with were joined, all others. Otherwise the methods that
    are not registered. None where that does not tell them apart.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": ["emma", "new"], "dataset": "A", "problem": 1})
    >>> own_labels(Scores(table.assign(prom_f1=0.5)))
    ('new',)
    """
    is_own = scores.table["own"].to_numpy(dtype=bool)
    own = set(scores.table.loc[is_own, "label"])
    if is_own.all():
        own = {name for name in scores.labels if scores.methods[name] not in METHODS}
    if len(own) == len(scores.labels):
        return ()
    return tuple(name for name in scores.labels if name in own)


def restricted(scores: Scores, only: str | Sequence[str] | None) -> Scores:
    """Keep the methods that are named, in one text with commas or one by one.

    Parameters
    ----------
    scores : Scores
    only : str, sequence of str, or None
        A method is named by its label, its name, or the class in ``module:Class``.
        ``"mine"`` stands for the methods of one's own, see `own_labels`. None keeps
        all.

    Returns
    -------
    Scores
        Tests on them are corrected for the pairs that are left.

    Raises
    ------
    InputError
        No method is called so; the message has the names.

    Examples
    --------
    >>> import pandas as pd
    >>> names = ["emma", "my.module:New", "valmod"]
    >>> table = pd.DataFrame({"label": names, "dataset": "A", "problem": 1})
    >>> restricted(Scores(table.assign(prom_f1=0.5)), "New, emma").labels
    ('emma', 'my.module:New')
    """
    if only is None:
        return scores
    parts = only.split(",") if isinstance(only, str) else list(only)
    names = [str(part).strip() for part in parts]
    if not any(names):
        raise InputError("only must name at least one method")
    kept: dict[str, None] = {}
    for name in filter(None, names):
        kept.update(dict.fromkeys(_named(scores, name)))
    return scores.only(labels=list(kept))


def _named(scores: Scores, name: str) -> list[str]:
    """Return the labels that a name stands for."""
    if name in scores.labels:
        return [name]
    found = [
        label
        for label, method in scores.methods.items()
        if name in (method, method.rpartition(":")[2])
    ]
    if not found and name == MINE:
        found = list(own_labels(scores))
    if not found:
        raise InputError(
            f"no method is called {name!r}; known: {', '.join(scores.labels)}"
        )
    return found
