"""``tsmdbench warmup``: compile the methods in advance."""

from __future__ import annotations

from typing import Annotated

import typer

from tsmdbench.plural import counted


def warmup(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[METHOD]...", help="Methods; by default all of them."),
    ] = None,
) -> None:
    """Compile the methods, so that their first use does not have to.

    Example: tsmdbench warmup setfinder locomotif

    Compiled code is kept per version and shared by all processes; a second call
    compiles nothing. NUMBA_CACHE_DIR names another folder for it.
    """
    from tsmdbench._kernels.cache_folder import cache_folder
    from tsmdbench.methods import METHODS
    from tsmdbench.methods.warmup import warmup as warm

    chosen = names or METHODS.added()
    total, skipped = 0.0, 0
    for place, ready in enumerate(warm(chosen), start=1):
        total += ready.seconds
        done = f"{counted(ready.functions, 'function')} compiled, {ready.seconds:.1f} s"
        if ready.skipped:
            skipped += 1
            done = f"skipped, {ready.skipped}"
        typer.echo(f"[{place}/{len(chosen)}] {ready.name}: {done}")
    typer.echo(f"{counted(len(chosen) - skipped, 'method')} ready in {total:.0f} s")
    typer.echo(f"compiled code: {cache_folder() or 'not kept'}")
