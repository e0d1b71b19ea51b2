"""The scores of every run, a row per problem: what others can compute with."""

from __future__ import annotations

from pathlib import Path

from tsmdbench.analysis.scores import Scores
from tsmdbench.io import write_atomically

NAME = "scores"
# What the rest of the table is for is drawing and joining.
LEFT_OUT = ("clock",)


def write_scores(
    scores: Scores, folder: Path, *, csv: bool, parquet: bool
) -> tuple[Path, ...]:
    """Write ``scores.csv`` and ``scores.parquet`` to a folder, as far as wanted.

    Returns
    -------
    tuple of Path
        The files.
    """
    table = scores.table.drop(columns=list(LEFT_OUT)).rename(
        columns={"label": "method", "method": "implementation"}
    )
    written = []
    if csv:
        file = folder / f"{NAME}.csv"
        write_atomically(file, table.to_csv(index=False, lineterminator="\n").encode())
        written.append(file)
    if parquet:
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = folder / f"{NAME}.parquet"
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pandas(table, preserve_index=False), sink)
        write_atomically(file, bytes(sink.getvalue()))
        written.append(file)
    return tuple(written)
