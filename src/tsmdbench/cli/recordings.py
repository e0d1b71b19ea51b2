"""Problems of annotated recordings, and their data card, for ``tsmdbench build``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from tsmdbench.benchmark.recordings import Recordings


def write_recordings(
    folder: Path, out: Path, split: str | None, **options: Any
) -> tuple[list[Recordings], list[str]]:
    """Load recordings and write their data card.

    Returns
    -------
    list of Recordings
        The splits that have problems.
    list of str
        What to say.
    """
    from tsmdbench.benchmark import load_recordings, recordings_card
    from tsmdbench.benchmark.suite import SPLITS
    from tsmdbench.io import write_atomically

    wanted = SPLITS if split is None else (split,)
    loaded = [load_recordings(folder, part, **options) for part in wanted]
    card = recordings_card(*loaded)
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "data_card.md", card.text().encode())
    for warning in card.warnings:
        typer.echo(f"warning: {warning}", err=True)
    return [one for one in loaded if len(one)], list(card.notes)
