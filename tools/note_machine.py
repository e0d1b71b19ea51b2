"""Note how fast this machine is in a store that was made on it.

``python -m tools.note_machine STORE``: for stores that were written before runs did so
themselves. Without the number, times of the store are shown as not comparable with
those of other machines. Give it only on the machine that made all runs of the store.
"""

from __future__ import annotations

import sys

from tsmdbench.experiments.calibration import MACHINES, note_machine
from tsmdbench.experiments.store import Store, StoreWriter


def main(path: str) -> None:
    """Add the number to the manifest, unless it is there."""
    manifest = Store(path).manifest
    note_machine(manifest)
    with StoreWriter(path) as writer:
        writer.write_manifest(manifest)
    print(manifest[MACHINES])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m tools.note_machine STORE")
    main(sys.argv[1])
