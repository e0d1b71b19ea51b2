"""Make the example that ships with the package: a series, its truth, a find.

Run ``python tools/make_example.py``; the same seed gives the same files. The series
is drawn, not recorded: three shapes repeat between stretches that do not.
"""

from pathlib import Path

import numpy as np

from tsmdbench import MotifSet
from tsmdbench.io import write_motif_sets

FOLDER = Path(__file__).parents[1] / "src" / "tsmdbench" / "data" / "example"
LENGTH = 80
SEED = 7


def shape(kind: str, phase: np.ndarray) -> np.ndarray:
    """Return one of the three shapes, phase running from 0 to 1."""
    if kind == "bump":
        return 2.2 * np.exp(-(((phase - 0.5) / 0.16) ** 2)) - 0.6
    if kind == "wave":
        return 1.3 * np.sin(4 * np.pi * phase) * (1 - phase)
    return np.where(phase < 0.3, -1.1, np.where(phase < 0.65, 1.2, -0.2))


def main() -> None:
    """Write series, truth and found."""
    rng = np.random.default_rng(SEED)
    order = ["bump", "wave", "step", "bump", "wave", "bump", "step", "wave", "bump"]
    truth: dict[str, list[tuple[int, int]]] = {"bump": [], "wave": [], "step": []}
    pieces, position = [], 0
    for kind in order:
        gap = int(rng.integers(35, 70))
        pieces.append(np.convolve(rng.normal(size=gap + 14), np.ones(15) / 15, "valid"))
        position += gap
        pieces.append(shape(kind, np.linspace(0, 1, LENGTH)))
        truth[kind].append((position, position + LENGTH))
        position += LENGTH
    series = np.concatenate(pieces)
    series += rng.normal(scale=0.08, size=len(series))
    bump, wave, step = truth["bump"], truth["wave"], truth["step"]
    found = {
        "0": [(s + 6, e + 6) for s, e in bump[:3]],  # one bump missed
        "1": [*((s - 3, e + 5) for s, e in wave), (step[1][0], step[1][1])],
        "2": [(step[0][0] + 8, step[0][1] + 2), (step[1][0] + 50, step[1][1] + 50)],
        "3": [(e - 10, e + 30) for _, e in (bump[0], wave[1], step[0])],  # off target
    }
    np.savetxt(FOLDER / "series.csv", series, fmt="%.4f")
    for name, sets in (("truth", truth), ("found", found)):
        labelled = {label: MotifSet(segments) for label, segments in sets.items()}
        write_motif_sets(FOLDER / f"{name}.json", labelled)


if __name__ == "__main__":
    main()
