"""Draw the recipes of TSMD-Bench and write what the package ships.

    python tools/freeze_recipes.py FOLDER [--check]

FOLDER has the archive's datasets (``<Name>/<Name>_TRAIN.ts``). Writes
``fingerprints.parquet``, ``recipes.parquet`` and ``subspace.parquet`` in
``src/tsmdbench/datasets/data``, byte for byte the same every time; ``--check`` writes
nothing and says whether the shipped files would be the same.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tsmdbench.archive import load
from tsmdbench.datasets.catalogue import BENCHMARK, PARTS
from tsmdbench.datasets.dataset import Dataset, fingerprint
from tsmdbench.datasets.subspace import SubspaceBenchmark, drawn_fillers
from tsmdbench.datasets.suite import (
    PROBLEMS,
    Benchmark,
    draw_recipes,
    load_benchmark,
    series_sha256,
)
from tsmdbench.io import write_atomically

PACKAGE = Path(__file__).parents[1] / "src" / "tsmdbench"
FINGERPRINTS = PACKAGE / "datasets" / "data" / "fingerprints.parquet"
RECIPES = PACKAGE / "datasets" / "data" / "recipes.parquet"
SUBSPACE = PACKAGE / "datasets" / "data" / "subspace.parquet"
NOT_FROZEN = ("Mallat", "Cricket")  # their files were unavailable
# Copies fill the missing ends of channels differently, so these rows are not probed.
FILLED_ENDS = ("CharacterTrajectories",)


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    names = [name for name in BENCHMARK if name not in NOT_FROZEN]
    datasets = [load(name, given.folder, allow_download=False) for name in names]
    made = {
        FINGERPRINTS: fingerprints(datasets),
        RECIPES: recipes(datasets),
        SUBSPACE: subspace(given.folder, names),
    }
    same = True
    for file, table in made.items():
        if given.check:
            equal = pq.read_table(file).equals(table)
            print(f"{file.name}: {'the same' if equal else 'DIFFERENT'}")
            same &= equal
        else:
            write_table(file, table)
            print(f"{file.name}: {table.num_rows} rows, {file.stat().st_size} bytes")
    return 0 if same else 1


def fingerprints(datasets: list[Dataset]) -> pa.Table:
    """Return what `tsmdbench.datasets.dataset` compares."""
    rows = []
    for dataset in datasets:
        for part in PARTS:
            found = fingerprint(dataset, part)
            probes: list[float | None] = found.probes.tolist()
            if dataset.name in FILLED_ENDS:
                for row in filled_ends(dataset, part):
                    probes[row] = None
            rows.append(
                {
                    "dataset": dataset.name,
                    "part": part,
                    **found._asdict(),
                    "probes": probes,
                }
            )
    schema = pa.schema(
        {
            "dataset": pa.string(),
            "part": pa.string(),
            "n": pa.int32(),
            "channels": pa.int32(),
            "labels_sha256": pa.binary(32),
            "lengths_sha256": pa.binary(32),
            "probes": pa.list_(pa.float32()),
        }
    )
    return pa.Table.from_pylist(rows, schema)


def filled_ends(dataset: Dataset, part: str) -> list[int]:
    """Return rows in which some, not all, channels end in zeros."""
    rows = []
    for row, position in enumerate(dataset.of_part(part)):
        ends_in_zeros = (dataset.instances[position][-1:] == 0).all(axis=0)
        if ends_in_zeros.any() and not ends_in_zeros.all():
            rows.append(row)
    return rows


def recipes(datasets: list[Dataset]) -> pa.Table:
    """Return the recipes of both splits and the hash of every series."""
    rows = []
    for dataset in datasets:
        for split in PROBLEMS:
            drawn = draw_recipes(dataset, split)
            bench = Benchmark(
                dataset.name,
                split,
                dataset.instances,
                dataset.labels,
                dataset.origins,
                drawn,
                tuple(range(len(drawn))),
            )
            rows += [
                {
                    "dataset": dataset.name,
                    "split": split,
                    "problem": number,
                    "parts": [dataset.origins[position][0] for position in recipe],
                    "rows": [dataset.origins[position][1] for position in recipe],
                    "sha256": series_sha256(bench[number].series),
                }
                for number, recipe in enumerate(drawn)
            ]
    schema = pa.schema(
        {
            "dataset": pa.string(),
            "split": pa.string(),
            "problem": pa.int16(),
            "parts": pa.list_(pa.string()),
            "rows": pa.list_(pa.int16()),
            "sha256": pa.binary(32),
        }
    )
    return pa.Table.from_pylist(rows, schema)


def subspace(folder: Path, names: list[str]) -> pa.Table:
    """Return fillers and hashes of Sub-TSMD-Bench, whose recipes are those above."""
    rows = []
    for name in names:
        for split in PROBLEMS:
            bench = load_benchmark(name, split, folder=folder)
            kept = {field.name: getattr(bench, field.name) for field in fields(bench)}
            drawn = drawn_fillers(bench)
            plain = SubspaceBenchmark(**kept, fillers=drawn)
            shifted = replace(plain, shifted=True)
            several = bench.instances[0].shape[1] > 1
            rows += [
                {
                    "dataset": name,
                    "split": split,
                    "problem": number,
                    "fillers": fillers,
                    "sha256": series_sha256(plain[number].series),
                    "shifted": series_sha256(shifted[number].series)
                    if several
                    else None,
                }
                for number, fillers in enumerate(drawn)
            ]
    schema = pa.schema(
        {
            "dataset": pa.string(),
            "split": pa.string(),
            "problem": pa.int16(),
            "fillers": pa.list_(pa.int16()),
            "sha256": pa.binary(32),
            "shifted": pa.binary(32),
        }
    )
    return pa.Table.from_pylist(rows, schema)


def write_table(file: Path, table: pa.Table) -> None:
    """Write Parquet atomically."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", compression_level=19)
    write_atomically(file, bytes(sink.getvalue()))


if __name__ == "__main__":
    sys.exit(main())
