"""``tsmdbench leaderboard``: rank a method among the published baselines."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import typer

from tsmdbench.cli.options import chosen_baselines
from tsmdbench.cli.output import print_json


def leaderboard(
    *,
    add: list[Path] | None = None,
    dataset: list[str] | None = None,
    baselines: str = "best",
    only: str | None = None,
    reference: str | None = None,
    metric: str = "prom_f1",
    version: str = "newest",
    as_json: bool = False,
) -> None:
    """Rank methods among the published baselines without running those again.

    Example: tsmdbench leaderboard --add my-store

    Methods are compared on the problems of the added stores.

    Options:
    add STORE: Store with methods to add to the ranking; may be repeated.
    dataset: Use only this dataset; may be repeated.
    baselines NAME: 'best' (recommended parameters), 'paper' (defaults of the methods'
        public code) or 'both', for TSMD-Bench; 'recordings' or 'recordings-pvldb', for
        the recordings suite; 'none' ranks only the added methods.
    only METHODS: Compare only these methods, separated by commas; 'mine' means the
        added ones.
    reference METHOD: Method to compare with each other one on other data; by default
        the added one.
    metric: Metric to rank by: a name of 'tsmdbench metrics', or ./file.py:function.
    """
    if "numpy" not in sys.modules:
        # The products are small: more threads only wait for each other.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from tsmdbench.analysis import leaderboard as rank

    board = rank(
        add or (),
        metric=metric,
        datasets=dataset,
        baselines=chosen_baselines(baselines),
        version=version,
        only=only,
        reference=reference,
    )
    if as_json:
        print_json(board.record())
    else:
        typer.echo(board)
