"""``tsmdbench report``, ``leaderboard``, ``submit`` and ``board``: show results."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

import typer

from tsmdbench.cli.output import StatusLine, print_json, say
from tsmdbench.errors import InputError


def report(
    store: Path,
    *,
    out: Path | None = None,
    baselines: str = "none",
    compare: list[str] | None = None,
    only: str | None = None,
    metric: list[str] | None = None,
    transpose: bool = False,
    latex: bool = False,
    csv: bool = False,
    parquet: bool = False,
    embed: str = "auto",
    split: str = "test",
    version: str = "newest",
    quiet: bool = False,
) -> None:
    """Write tables, figures and a self-contained HTML page.

    Example: tsmdbench report my-store --baselines best --out my-report

    Options:
    store: Store written by 'run'.
    out: Folder for the report; STORE-report by default.
    baselines NAME: Published results to compare with: 'best' (recommended parameters),
        'paper' (defaults of the methods' public code), 'recordings' (the recordings
        suite) or 'none'.
    compare STORE: Another store to compare with; may be repeated.
    only METHODS: Compare only these methods, separated by commas; 'mine' means those of
        STORE.
    metric: Metric of the tables: a name of 'tsmdbench metrics', or ./file.py:function;
        may be repeated.
    latex: Also write LaTeX tables.
    csv: Also write CSV tables and the scores per problem.

    Rare options:
    transpose: Swap rows and columns of the tables of means.
    parquet: Write the scores per problem as Parquet.
    embed: Problems that the page can show: 'auto', 'all', 'none' or a number per
        dataset.
    """
    from tsmdbench.experiments.results import progress_for
    from tsmdbench.report.write import write_report

    if out is None:
        whole = store.resolve() if store.name in ("", "..") else store
        if not whole.name:
            raise InputError(f"{store} is not a store; give the folder of a store")
        out = whole.with_name(f"{whole.name}-report")
    written = write_report(
        store,
        out,
        baselines=None if baselines == "none" else baselines,
        compare=compare or (),
        only=only,
        metrics=metric,
        transpose=transpose,
        latex=latex,
        csv=csv,
        parquet=parquet,
        embed=embed,
        split=split,
        version=version,
        progress=progress_for(quiet=quiet).say,
    )
    if not quiet:
        typer.echo(written)


def leaderboard(
    *,
    add: list[Path] | None = None,
    dataset: list[str] | None = None,
    baselines: str = "best",
    only: str | None = None,
    reference: str | None = None,
    metric: str | None = None,
    version: str = "newest",
    as_json: bool = False,
) -> None:
    """Rank methods among the published baselines without running those again.

    Example: tsmdbench leaderboard --add my-store

    Methods are compared on the problems of the added stores.

    Options:
    add STORE: Store with methods to add to the ranking; may be repeated.
    dataset: Use only this dataset; may be repeated.
    baselines NAME: 'best' (recommended parameters), 'paper' (defaults of the methods'
        public code) or 'both', for TSMD-Bench; 'recordings' or 'recordings-pvldb', for
        the recordings suite; 'subspace', for the subspace suite; 'none' ranks only the
        added methods.
    only METHODS: Compare only these methods, separated by commas; 'mine' means the
        added ones.
    reference METHOD: Method to compare with each other one on other data; by default
        the added one.
    metric: Metric to rank by: a name of 'tsmdbench metrics', or ./file.py:function. By
        default prom_f1, and subspace_prom_f1 for the subspace suite.
    """
    if "numpy" not in sys.modules:
        # The products are small: more threads only wait for each other.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from tsmdbench.analysis import leaderboard as rank

    ranking = rank(
        add or (),
        metric=metric,
        datasets=dataset,
        baselines=None if baselines == "none" else baselines,
        version=version,
        only=only,
        reference=reference,
    )
    if as_json:
        print_json(ranking.record())
    else:
        typer.echo(ranking)


def board(
    files: list[Path] | None = None,
    *,
    out: Path = Path("site"),
    title: str = "Motif discovery leaderboard",
    baselines: str = "best",
    embed: str = "auto",
    explorers: bool = True,
    checks: Path | None = None,
    quiet: bool = False,
) -> None:
    """Make a static leaderboard site from submitted files.

    Example: tsmdbench board mine.zip yours.zip --out site

    Every file is verified first. The site needs no server: it opens from a folder, and
    any web space can host it. Give all files again to add, replace or withdraw one.

    Options:
    files FILES: Files written by 'submit'; without any the baselines are shown.
    out: Folder for the site.
    baselines NAME: Published results to show: 'best', 'paper' or 'none'.
    checks FOLDER: Folder with the receipts of your own checks: 'submit --check'.

    Rare options:
    title: Heading of the site.
    embed: Series in the explorers: auto, all, none, or problems per dataset.
    explorers --explorers/--no-explorers: Write the explorer of each suite.
    """
    from tsmdbench.report.board import write_board

    made = write_board(
        files or (),
        out,
        title=title,
        baselines=None if baselines == "none" else baselines,
        embed=embed,
        explorers=explorers,
        checks=checks,
        progress=(lambda _: None) if quiet else say,
    )
    if not quiet:
        typer.echo(made)


def submit(
    store: Path,
    *,
    out: Path | None = None,
    check: bool = False,
    verify: bool = False,
    problems: int = 50,
    entry: Path | None = None,
    name: str | None = None,
    version: str | None = None,
    licence: str | None = None,
    contact: str | None = None,
    method: list[str] | None = None,
    dataset: list[str] | None = None,
    recompute: float = 0.1,
    seed: int | None = None,
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
    entry FILE: TOML file: name, version, licence, contact, ...
    method: Submit only this method; may be repeated.
    dataset: Dataset that the board requires; may be repeated. The 12 with frozen
        recipes by default.
    recompute: Share of the runs to repeat, at least 0.1.
    trust: Import methods that the store names as module:Class.

    Rare options:
    problems: With --verify: unseen problems of each dataset, at least 2.
    seed: With --check and --verify: secret seed; drawn by default.
    name: Name of the entry; as in the file.
    version: Version of the entry; as in the file.
    licence: Licence of the results; as in the file.
    contact: Where to reach you; not published.
    """
    from tsmdbench.experiments.submission import read_entry
    from tsmdbench.experiments.submission import submit as check_and_pack

    options = {"name": name, "version": version}
    options |= {"licence": licence, "contact": contact}
    given = entry or method or any(v is not None for v in options.values())
    checks = check or verify
    for wrong, message in (
        (check and verify, "give --check or --verify, not both"),
        (
            checks and given,
            f"--{'check' if check else 'verify'} takes entry and methods from the "
            f"submitted file; leave out --entry, --name, --version, --licence, "
            f"--contact and --method",
        ),
        (
            seed is not None and not checks,
            "--seed goes with --check and --verify only: which runs 'submit' repeats "
            "follows from the hash of all runs",
        ),
        (verify and out is not None, "--verify writes no file; leave out --out"),
    ):
        if wrong:
            raise InputError(message)
    line = StatusLine()

    def progress(done: int, total: int) -> None:
        if not (quiet or as_json):
            line.update(f"recomputing {done} of {total} ...")

    if verify:
        from tsmdbench.experiments.submission import verify as run_unseen

        secret = 1 + secrets.randbits(62) if seed is None else seed
        found = run_unseen(
            store, seed=secret, problems=problems, trust=trust, progress=progress
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
    result = check_and_pack(
        store,
        out,
        None if check else read_entry(entry, options),
        methods=method or (),
        datasets=dataset or None,
        share=recompute,
        seed=seed,
        trust=trust,
        progress=progress,
    )
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
