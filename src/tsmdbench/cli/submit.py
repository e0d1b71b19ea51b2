"""``tsmdbench submit``: check a store and pack it into one file for a leaderboard."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tsmdbench.cli.options import Quiet
from tsmdbench.errors import InputError


def submit(
    store: Annotated[
        Path,
        typer.Argument(help="Store written by 'run'; with --check a submitted file."),
    ],
    *,
    out: Annotated[
        Path,
        typer.Option(
            help="The file to write; with --check the receipt (JSON).", metavar="FILE"
        ),
    ],
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Check a submitted file, as the keeper of a board: repeat runs that "
            "the author cannot know, and write a receipt for 'board --checks'.",
        ),
    ] = False,
    entry: Annotated[
        Path | None,
        typer.Option(
            help="TOML file: name, version, licence, contact, ...", metavar="FILE"
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the entry; as in the file.")
    ] = None,
    version: Annotated[
        str | None, typer.Option(help="Version of the entry; as in the file.")
    ] = None,
    licence: Annotated[
        str | None, typer.Option(help="Licence of the results; as in the file.")
    ] = None,
    contact: Annotated[
        str | None, typer.Option(help="Where to reach you; not published.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="Submit only this method; may be repeated."),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            help="Dataset that the board asks for; may be repeated. "
            "The 12 with frozen recipes by default."
        ),
    ] = None,
    recompute: Annotated[
        float, typer.Option(help="Share of the runs to repeat, at least 0.1.")
    ] = 0.1,
    seed: Annotated[
        int | None,
        typer.Option(
            help="With --check: seed of the choice of these runs; secret by default.",
            min=0,
        ),
    ] = None,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="Import methods that the store names as module:Class."
        ),
    ] = False,
    quiet: Quiet = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the findings as JSON.")
    ] = False,
) -> None:
    """Check that a store is complete, recompute a part, and pack one file.

    Example: tsmdbench submit my-store --entry entry.toml --out mine.zip

    Checked are: all datasets and problems of the test split, one setting per dataset
    that was chosen without it, the limits, and the data. Which runs are repeated
    follows from the hash of all runs. Nothing is sent anywhere. Where a rule is broken
    no file is written, and the exit status is 1.
    """
    from tsmdbench.experiments.submission.entry import read_entry
    from tsmdbench.experiments.submission.submit import check_file
    from tsmdbench.experiments.submission.submit import submit as pack

    options = {"name": name, "version": version}
    options |= {"licence": licence, "contact": contact}
    if check and (entry or method or any(v is not None for v in options.values())):
        raise InputError(
            "--check takes entry and methods from the submitted file; leave out "
            "--entry, --name, --version, --licence, --contact and --method"
        )
    if seed is not None and not check:
        raise InputError(
            "--seed goes with --check only: which runs 'submit' repeats follows from "
            "the hash of all runs"
        )
    silent = quiet or as_json or not sys.stderr.isatty()

    def told(done: int, total: int) -> None:
        if not silent:
            typer.echo(f"\rrecomputing {done} of {total} ...", nl=False, err=True)

    more: dict[str, Any] = {"share": recompute, "trust": trust, "told": told}
    more["datasets"] = dataset or None
    if check:
        result = check_file(store, out, seed=seed, **more)
    else:
        who = read_entry(entry, options)
        result = pack(store, out, who, methods=method or (), **more)
    if not silent:
        typer.echo("\r" + " " * 40 + "\r", nl=False, err=True)
    if as_json:
        findings = [finding._asdict() for finding in result.findings]
        file = None if result.file is None else str(result.file)
        typer.echo(json.dumps({"findings": findings, "file": file}))
    elif not quiet:
        for finding in result.findings:
            typer.echo(finding)
        typer.echo(f"file {result.file}" if result.file else "no file was written")
    if not result.accepted:
        raise typer.Exit(1)
