"""``tsmdbench warmup``: compile the methods in advance."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import typer

from tsmdbench.cli.options import Workers
from tsmdbench.plural import counted

# Methods that share kernels, those that take longest first; the others share one more
# group. A group is compiled in one process, so that no kernel is compiled twice.
GROUPS = (
    ("locomotif",),
    ("gv_repair", "gv_sequitur", "mrmotif"),
    ("random_walk_detector",),
)


def warmup(names: list[str] | None = None, *, workers: Workers = None) -> None:
    """Compile the methods, so that their first use does not have to.

    Example: tsmdbench warmup setfinder locomotif

    Compiled code is kept per version and shared by all processes; a second call
    compiles nothing. NUMBA_CACHE_DIR names another folder for it.

    Options:
    names [METHOD]...: Methods; by default all of them.
    """
    from tsmdbench._kernels.cache_folder import cache_folder
    from tsmdbench.methods import METHODS

    chosen = names or METHODS.added()
    for name in chosen:
        METHODS[name]  # an unknown one is refused before the others are compiled
    begin, skipped = time.monotonic(), 0
    lines = compiled(chosen, min(workers or os.cpu_count() or 1, len(chosen)))
    for place, line in enumerate(lines, start=1):
        typer.echo(f"[{place}/{len(chosen)}] {line}")
        skipped += ": skipped, " in line
    seconds = time.monotonic() - begin
    typer.echo(f"{counted(len(chosen) - skipped, 'method')} ready in {seconds:.0f} s")
    typer.echo(f"compiled code: {cache_folder() or 'not kept'}")


def compiled(names: Sequence[str], workers: int) -> Iterator[str]:
    """Compile methods, in this or several processes; yield a line for each.

    Parameters
    ----------
    names : sequence of str
        Methods of this package.
    workers : int
        Number of processes; with 1 everything is done in this one.
    """
    if workers == 1:
        from tsmdbench.methods.warmup import warmup as warm

        for ready in warm(names):
            did = f"{counted(ready.functions, 'function')} compiled"
            said = ready.skipped and f"skipped, {ready.skipped}"
            yield f"{ready.name}: {said or f'{did}, {ready.seconds:.1f} s'}"
        return
    with ThreadPoolExecutor(workers) as pool:
        for lines in pool.map(_in_a_process, groups_of(names)):
            yield from lines


def groups_of(names: Sequence[str]) -> list[list[str]]:
    """Return methods in groups that share kernels.

    >>> groups_of(["stomp", "locomotif", "setfinder"])
    [['locomotif'], ['stomp', 'setfinder']]
    """
    grouped = {name for group in GROUPS for name in group}
    groups = [[name for name in names if name in group] for group in GROUPS]
    groups.append([name for name in names if name not in grouped])
    return [group for group in groups if group]


def _in_a_process(names: list[str]) -> list[str]:
    """Compile methods in a process of its own and return its lines."""
    command = [sys.executable, "-m", "tsmdbench", "warmup", "--workers", "1", *names]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    lines = done.stdout.splitlines()[: len(names)]
    return [line.partition("] ")[2] for line in lines]
