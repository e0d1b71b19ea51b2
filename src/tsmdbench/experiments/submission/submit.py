"""Check a store, recompute a share of it, and pack it for submission."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.running import check_trust
from tsmdbench.experiments.sources import runs_code
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.submission.archive import read_submission, write_submission
from tsmdbench.experiments.submission.check import (
    SPLIT,
    Finding,
    check_submission,
    methods_of,
)
from tsmdbench.experiments.submission.entry import Entry
from tsmdbench.experiments.submission.recompute import (
    LEAST,
    Recomputed,
    check_share,
    environments_of,
    recompute,
)
from tsmdbench.io import PathLike, write_atomically

FACTS = ("univariate", "variable_length", "symbolic")


@dataclass(frozen=True)
class Submitted:
    """The outcome of a check; `file` is None where a rule is broken."""

    findings: tuple[Finding, ...]
    recomputed: Recomputed | None
    file: Path | None

    @property
    def accepted(self) -> bool:
        """Whether a file was written."""
        return self.file is not None


def submit(
    store: PathLike,
    out: PathLike,
    entry: Entry,
    *,
    methods: Sequence[str] = (),
    share: float = LEAST,
    trust: bool = False,
    datasets: Sequence[str] | None = None,
    told: Callable[[int, int], None] = lambda _done, _total: None,
) -> Submitted:
    """Check a store and write the file of a submission if all rules are kept.

    Parameters
    ----------
    store : path
    out : path
        The file to write.
    entry : Entry
        Who submits.
    methods : sequence of str
        Which are submitted; all that have test runs by default.
    share : float, default 0.1
        Part of the runs that are recomputed, at least a tenth. Which runs these are
        follows from the hash of all runs.
    trust : bool
        Import methods that the store names as ``file.py:Class`` or ``module:Class``.
    datasets : sequence of str, optional
        Which are required, see `required_datasets`.
    told : callable
        Called with the number of runs recomputed so far, and of all.
    """
    opened = Store(store)
    chosen = methods_of(opened, methods)
    _check_target(Path(out))
    findings, done = _checked(
        opened,
        entry,
        chosen,
        where=str(store),
        share=share,
        seed=None,
        trust=trust,
        datasets=datasets,
        told=told,
    )
    if done is None or not all(finding.kept for finding in findings):
        return Submitted(findings, done, None)
    about = _about(opened, chosen)
    file = write_submission(out, opened, entry, about, findings, done)
    return Submitted(findings, done, file)


def check_file(
    file: PathLike,
    out: PathLike,
    *,
    share: float = LEAST,
    seed: int | None = None,
    trust: bool = False,
    datasets: Sequence[str] | None = None,
    told: Callable[[int, int], None] = lambda _done, _total: None,
) -> Submitted:
    """Check a submitted file as the keeper of a board, and write a receipt.

    A receipt says of which file, by its hash, how many runs were recomputed here. A
    board shows it beside what the author says. The methods must be importable here.

    Parameters
    ----------
    file : path
        What `submit` wrote.
    out : path
        The receipt to write, a JSON file.
    share : float, default 0.1
        Part of the runs that are recomputed, at least a tenth.
    seed : int, optional
        Which runs these are; by default nobody can know it before.
    trust, datasets, told
        As for `submit`.
    """
    _check_target(Path(out))
    with read_submission(file) as read:
        findings, done = _checked(
            read.store,
            read.entry,
            tuple(read.methods),
            where=str(file),
            share=share,
            seed=secrets.randbits(64) if seed is None else seed,
            trust=trust,
            datasets=datasets,
            told=told,
        )
        if done is None or not all(finding.kept for finding in findings):
            return Submitted(findings, done, None)
        receipt = {
            "sha256": read.sha256,
            "tsmdbench": version("tsmdbench"),
            "findings": [[f.rule, f.kept, f.seen] for f in findings],
            "recomputed": done.to_dict(),
        }
    write_atomically(Path(out), (json.dumps(receipt, indent=1) + "\n").encode())
    return Submitted(findings, done, Path(out))


@dataclass(frozen=True)
class Receipt:
    """The check of a submitted file by the keeper of a board."""

    findings: tuple[Finding, ...]
    recomputed: Recomputed


def read_receipts(folder: PathLike) -> dict[str, Receipt]:
    """Return the receipts of a folder, by the hash of the file that they are about."""
    found = {}
    if not Path(folder).is_dir():
        raise InputError(f"{folder} is not a folder; 'submit --check' writes receipts")
    for file in sorted(Path(folder).glob("*.json")):
        try:
            about = json.loads(file.read_text("utf-8"))
            findings = [
                Finding(str(r), k is True, str(s)) for r, k, s in about["findings"]
            ]
            done = Recomputed.from_dict(about["recomputed"])
            found[str(about["sha256"])] = Receipt(tuple(findings), done)
        except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise InputError(f"{file} is not a receipt of a check: {error}") from None
    return found


def _checked(
    store: Store,
    entry: Entry,
    methods: Sequence[str],
    *,
    where: str,
    share: float,
    seed: int | None,
    trust: bool,
    datasets: Sequence[str] | None,
    told: Callable[[int, int], None],
) -> tuple[tuple[Finding, ...], Recomputed | None]:
    """Check all rules; recompute runs if none is broken."""
    used = store.table(["dataset"], {"split": SPLIT, "method": list(methods)})
    named = sorted(set(used["dataset"].to_pylist()))
    imports = [*filter(runs_code, named), *(n for n in methods if ":" in n)]
    check_trust(store, imports, trust=trust, where=where)
    check_share(share)
    findings = check_submission(store, entry, methods, datasets)
    if not all(finding.kept for finding in findings):
        return tuple(findings), None
    done = recompute(store, methods, share=share, seed=seed, told=told)
    drawn = "drawn by the hash of all runs" if seed is None else "drawn by the keeper"
    rule = f"{share:.0%} of the runs recomputed, {drawn}"
    seen = f"{done.equal} of {done.runs} the same"
    if done.different:
        seen += f"; {'; '.join(done.different[:3])}"
    return (*findings, Finding(rule, not done.different, seen)), done


def _check_target(out: Path) -> None:
    """Raise before hours of recomputing where the file cannot be written."""
    if out.is_dir():
        raise InputError(f"{out} is a folder; --out is the file to write")
    if not out.parent.is_dir():
        raise InputError(f"{out.parent} is not a folder; make it, or change --out")


def _about(store: Store, methods: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what methods say of themselves: version, summary and facts."""
    environments = environments_of(store)
    made = {}
    for name in methods:
        described = describe(name, environments.get(name))
        facts = {f: getattr(described.cls, f, None) for f in FACTS}
        lines = (described.cls.__doc__ or "").strip().splitlines()
        made[name] = {
            "version": described.version,
            "summary": lines[0] if lines else "",
            **{n: v for n, v in facts.items() if isinstance(v, bool | str)},
        }
    return made
