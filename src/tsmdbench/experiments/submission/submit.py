"""Check a store, recompute a share of it, and pack it for submission."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.running import check_trust
from tsmdbench.experiments.sources import runs_code
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.submission.archive import write_submission
from tsmdbench.experiments.submission.check import (
    SPLIT,
    Finding,
    check_submission,
    methods_of,
)
from tsmdbench.experiments.submission.entry import Entry
from tsmdbench.experiments.submission.recompute import (
    Recomputed,
    environments_of,
    recompute,
)
from tsmdbench.io import PathLike

FACTS = ("univariate", "variable_length", "symbolic")


@dataclass(frozen=True)
class Submitted:
    """What came of a submission; `file` is None where a rule is broken."""

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
    share: float = 0.1,
    seed: int = 0,
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
    share : float
        Part of the runs that are recomputed.
    seed : int
        Which runs these are.
    trust : bool
        Import methods that the store names as ``file.py:Class`` or ``module:Class``.
    datasets : sequence of str, optional
        Which are required, see `required_datasets`.
    told : callable
        Is told how many runs are recomputed, and of how many.
    """
    opened = Store(store)
    chosen = methods_of(opened, methods)
    used = opened.table(["dataset"], {"split": SPLIT, "method": list(chosen)})
    named = set(used["dataset"].to_pylist())
    imports = [*filter(runs_code, sorted(named)), *(n for n in chosen if ":" in n)]
    check_trust(opened, imports, trust=trust)
    _check_target(Path(out))
    findings = check_submission(opened, entry, chosen, datasets)
    if not all(finding.kept for finding in findings):
        return Submitted(tuple(findings), None, None)
    done = recompute(opened, chosen, share=share, seed=seed, told=told)
    rule = f"{share:.0%} of the runs recomputed (seed {seed})"
    seen = f"{done.equal} of {done.runs} the same"
    if done.different:
        seen += f"; {'; '.join(done.different[:3])}"
    findings.append(Finding(rule, not done.different, seen))
    if done.different:
        return Submitted(tuple(findings), done, None)
    about = _about(opened, chosen)
    file = write_submission(out, opened, entry, about, findings, done)
    return Submitted(tuple(findings), done, file)


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
