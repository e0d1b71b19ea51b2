"""``tsmdbench submit``: check a store and pack it into one file for a leaderboard."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated, Any

import typer

from tsmdbench.cli.output import StatusLine, print_json
from tsmdbench.errors import InputError


def submit(
    store: Path,
    *,
    out: Path | None = None,
    check: bool = False,
    verify: bool = False,
    problems: Annotated[int, typer.Option(min=2)] = 50,
    entry: Path | None = None,
    name: str | None = None,
    version: str | None = None,
    licence: str | None = None,
    contact: str | None = None,
    method: list[str] | None = None,
    dataset: list[str] | None = None,
    recompute: float = 0.1,
    seed: Annotated[
        int | None,
        typer.Option(
            help="With --check and --verify: secret seed; drawn by default.",
            min=0,
        ),
    ] = None,
    trust: bool = False,
    quiet: bool = False,
    as_json: bool = False,
) -> None:
    """Check that a store is complete, recompute a part, and pack one file.

    Example: tsmdbench submit my-store --entry entry.toml --out mine.zip

    Checked are: all datasets and problems of the test split, one setting per dataset
    that was chosen without it, the limits, and the data. Which runs are repeated
    follows from the hash of all runs. Nothing is sent anywhere. Where a rule is broken
    no file is written, and the exit status is 1.

    Options:
    store: Store written by 'run'; with --check and --verify a submitted file.
    out FILE: The file to write; with --check the receipt (JSON). --verify needs none.
    check: Check a submitted file, as the keeper of a board: repeat runs that the author
        cannot know, and write a receipt for 'board --checks'.
    verify: Run a submitted method on problems that its authors cannot have seen, drawn
        by a secret seed, and compare its scores with the submitted ones.
    problems: With --verify: unseen problems of each dataset.
    entry FILE: TOML file: name, version, licence, contact, ...
    method: Submit only this method; may be repeated.
    dataset: Dataset that the board requires; may be repeated. The 12 with frozen
        recipes by default.
    recompute: Share of the runs to repeat, at least 0.1.
    trust: Import methods that the store names as module:Class.

    Rare options:
    name: Name of the entry; as in the file.
    version: Version of the entry; as in the file.
    licence: Licence of the results; as in the file.
    contact: Where to reach you; not published.
    """
    from tsmdbench.experiments.submission import check_file, read_entry
    from tsmdbench.experiments.submission import submit as pack

    options = {"name": name, "version": version}
    options |= {"licence": licence, "contact": contact}
    given = entry or method or any(v is not None for v in options.values())
    if check and verify:
        raise InputError("give --check or --verify, not both")
    if (check or verify) and given:
        raise InputError(
            f"--{'check' if check else 'verify'} takes entry and methods from the "
            f"submitted file; leave out --entry, --name, --version, --licence, "
            f"--contact and --method"
        )
    if seed is not None and not (check or verify):
        raise InputError(
            "--seed goes with --check and --verify only: which runs 'submit' repeats "
            "follows from the hash of all runs"
        )
    line = StatusLine()

    def progress(done: int, total: int) -> None:
        if not (quiet or as_json):
            line.update(f"recomputing {done} of {total} ...")

    if verify:
        from tsmdbench.experiments.submission import verify as run_unseen

        if out is not None:
            raise InputError("--verify writes no file; leave out --out")
        secret = 1 + secrets.randbits(62) if seed is None else seed
        found = run_unseen(
            store, seed=secret, problems=problems, trust=trust, told=progress
        )
        line.end()
        if as_json:
            shown = [{**one._asdict(), "kept": one.kept} for one in found]
            print_json({"seed": secret, "problems": problems, "scores": shown})
        elif not quiet:
            for one in found:
                typer.echo(one)
            typer.echo(f"seed {secret}")
        if not all(one.kept for one in found):
            raise typer.Exit(1)
        return
    if out is None:
        raise InputError("give --out FILE, the file to write")
    more: dict[str, Any] = {"share": recompute, "trust": trust, "told": progress}
    more["datasets"] = dataset or None
    if check:
        result = check_file(store, out, seed=seed, **more)
    else:
        who = read_entry(entry, options)
        result = pack(store, out, who, methods=method or (), **more)
    line.end()
    if as_json:
        findings = [finding._asdict() for finding in result.findings]
        file = None if result.file is None else str(result.file)
        print_json({"findings": findings, "file": file})
    elif not quiet:
        for finding in result.findings:
            typer.echo(finding)
        typer.echo(f"file {result.file}" if result.file else "no file was written")
    if not result.accepted:
        raise typer.Exit(1)
