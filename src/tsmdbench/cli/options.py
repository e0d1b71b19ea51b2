"""Options that several commands share, and how they print counts."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tsmdbench.errors import InputError

Workers = Annotated[
    int | None,
    typer.Option(help="Number of local processes; one per core by default.", min=1),
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Address of a Dask scheduler to use: tcp://host:8786."),
]
Version = Annotated[
    str,
    typer.Option(
        help="Of methods that ran in several versions: 'newest', 'all', or a version "
        "that 'tsmdbench store list' shows."
    ),
]
Python = Annotated[
    str | None,
    typer.Option(
        help="Interpreter of another environment, for methods file.py:Class and "
        "module:Class.",
        metavar="PATH",
    ),
]
With = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        help="Package for a new environment of such methods: leitmotif==0.3.5; may be "
        "repeated.",
        metavar="PACKAGE",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing.")]


def replaced(name: str, instead: str) -> Any:
    """Return a hidden option that is refused with what to use in its place."""

    def refuse(value: str | None) -> None:
        if value is not None:
            raise InputError(f"{name} was replaced; {instead}")

    return typer.Option(name, hidden=True, callback=refuse)


def chosen_baselines(name: str) -> str | None:
    """Return a choice of baselines; None for ``none``."""
    return None if name == "none" else name
