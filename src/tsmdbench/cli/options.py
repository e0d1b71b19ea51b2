"""Options that several commands have, said in the same words everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

Workers = Annotated[
    int | None, typer.Option(help="Processes here; one per core by default.", min=1)
]
Scheduler = Annotated[
    str | None, typer.Option(help="Dask scheduler to use instead: tcp://host:8786.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Say nothing.")]
