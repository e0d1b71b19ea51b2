"""Submissions: a store that follows the rules, packed into one file with an entry.

`submit` checks a store (`check_submission` has the rules), repeats a part of its runs
(`recompute`) and writes the file; `read_submission` reads it; `check_file` is the check
of the keeper of a board, who writes a receipt; `verify` runs the methods on unseen
problems.

The file is a ZIP file without code: ``submission.json``, and the files of a packed
store (`edit.pack`). Times in it are fixed, so the same content is the same file. A
reader looks at names, sizes and checksums before anything is written, and executes or
unpickles nothing. Checksums show that a file is complete, not that it is true: anyone
can write a file like it. What the author says about repeated runs is therefore shown as
the author's check only.

An entry is a TOML file::

    name = "MyMethod"
    version = "1.2"
    licence = "MIT"
    contact = "me@example.org"
    authors = "A. Author, B. Author"
    organisation = "University of Somewhere"
    url = "https://example.org/mymethod"
    code = "https://example.org/mymethod/replication"
    paper = "https://doi.org/10.1000/1"
    date = "2026-11-16"
    about = "One sentence about the method."
    tuning = "The grid of the class, on the validation split."
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import secrets
import tempfile
import tomllib
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import date
from importlib.metadata import version
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench.datasets.suite import DATASETS, frozen_recipes, unseen_problems
from tsmdbench.errors import InputError, TsmdbenchError
from tsmdbench.experiments.edit import pack
from tsmdbench.experiments.environments import Environment
from tsmdbench.experiments.grids import chosen_fields, tuned_winners
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.rows import Outcome, seed_of, without_seed
from tsmdbench.experiments.running import check_trust
from tsmdbench.experiments.sources import folders_of, load_problems, runs_code
from tsmdbench.experiments.specification import Limits, Specification, check_platform
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.tasks import Task
from tsmdbench.experiments.truth import data_digest, read_truth
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.metrics import evaluate_many
from tsmdbench.plural import counted

SPLIT = "test"
LEAST = 0.1  # share of the runs that is repeated
VERIFY_LEVEL = 0.01  # probability that an honest submission is found not compatible
NEEDED = ("name", "version", "licence", "contact")
LONGEST = 1000  # characters of a field of an entry
LARGEST_ENTRY = 2**20  # bytes of its file
ADDRESS = re.compile(r"https?://[^\s<>\"'\\^`{|}]+")
FACTS = ("univariate", "variable_length", "symbolic")
RUN = ("method", "version", "dataset", "problem", "parameters", "status", "found")
SHOWN = 3  # examples in a finding
FORMAT = 2
ABOUT = "submission.json"
# The names that a packed store has; nothing else is read.
NAMES = re.compile(
    r"store/(manifest\.json|truth\.parquet|runs-[0-9]+-[0-9]+\.parquet"
    r"|tuning/tuned\.toml|tuning/[\w-]{1,200}\.parquet)"
)
LARGEST = 2**30  # bytes of all parts together, unpacked
MOST_PARTS = 10_000
BEGINNING = (1980, 1, 1, 0, 0, 0)  # of time, for ZIP files
DAMAGES = (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, OSError,
           EOFError, ValueError)  # fmt: skip
Told = Callable[[int, int], None]


# The entry


@dataclass(frozen=True)
class Entry:
    """Who submits what, and under which licence; all texts.

    Parameters
    ----------
    name : str
        What the method is called on a board; several versions have one name.
    version : str
    licence : str
        Of the results: what others may do with them.
    contact : str
        Where a question reaches the authors. It is in the file and not on a board.
    authors, organisation, url, code, paper, about : str
        Shown on a board; `code` is where others find the code to repeat the results.
        The three addresses begin with ``https://`` or ``http://``.
    date : str
        ``YYYY-MM-DD``; the versions of a name are ordered by it.
    tuning : str
        How settings were chosen that neither a search of this package nor the data
        chose.
    """

    name: str
    version: str
    licence: str
    contact: str
    authors: str = ""
    organisation: str = ""
    url: str = ""
    code: str = ""
    paper: str = ""
    date: str = ""
    about: str = ""
    tuning: str = ""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not isinstance(value, str):
                raise InputError(f"entry: {name} must be a text, got {value!r:.80}")
            if name in NEEDED and not value.strip():
                raise InputError(
                    f"entry: {name} is missing; give --{name}, or {name} = ... in the "
                    f"file of --entry"
                )
            if len(value) > LONGEST or not value.isprintable():
                raise InputError(
                    f"entry: {name} must be one line of at most {LONGEST} characters"
                )
        for name in ("url", "code", "paper"):
            address = getattr(self, name)
            if address and not ADDRESS.fullmatch(address):
                raise InputError(
                    f"entry: {name} must be an address like https://example.org, got "
                    f"{address!r:.80}"
                )
        try:
            date.fromisoformat(self.date or "2000-01-01")
        except ValueError:
            raise InputError(
                f"entry: date must be written YYYY-MM-DD, got {self.date!r:.80}"
            ) from None

    def to_dict(self) -> dict[str, str]:
        """Return it as JSON can hold it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Any) -> Self:
        """Make an entry of names and values; raise `InputError` for anything else."""
        if not isinstance(given, Mapping):
            raise InputError(f"an entry must be names and values, got {given!r:.80}")
        known = [field.name for field in fields(cls)]
        unknown = [str(name) for name in given if name not in known]
        if unknown:
            raise InputError(
                f"entry: {unknown[0]!r:.80} is not a field; fields are "
                f"{', '.join(known)}"
            )
        return cls(**{**dict.fromkeys(NEEDED, ""), **given})


def read_entry(file: PathLike | None, options: Mapping[str, str | None]) -> Entry:
    """Return the entry of a TOML file; options that are given take precedence."""
    given: dict[str, Any] = {}
    if file is not None:
        path = Path(file)
        try:
            if path.stat().st_size > LARGEST_ENTRY:
                raise InputError(f"{path} has more than {LARGEST_ENTRY} bytes")
            given = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"{path} is not a TOML file: {error}") from None
    given |= {name: value for name, value in options.items() if value is not None}
    if isinstance(given.get("date"), date):  # TOML has dates of its own
        given["date"] = given["date"].isoformat()
    return Entry.from_dict(given)


# The rules


class Finding(NamedTuple):
    """Result of checking one rule."""

    rule: str
    kept: bool
    seen: str

    def __str__(self) -> str:
        return f"{'ok' if self.kept else 'NO'}  {self.rule}: {self.seen}"


def required_datasets() -> tuple[str, ...]:
    """Return the datasets that a submission must have.

    >>> len(required_datasets())
    12
    """
    return tuple(dict.fromkeys(name for name, _ in frozen_recipes()))


def methods_of(store: Store, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the methods of a store that are submitted; all by default."""
    known = tuple(sorted({row["method"] for row in _rows(store, ["method"])}))
    if not known:
        raise InputError(f"{store.path} has no runs of the test split to submit")
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise InputError(
            f"{store.path} has no test runs of {unknown[0]!r}; it has "
            f"{', '.join(known)}"
        )
    return tuple(dict.fromkeys(chosen)) or known


def _rows(
    store: Store, columns: Sequence[str], methods: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Return columns of the test runs of some methods, by default of all."""
    where = {"split": SPLIT} | ({} if methods is None else {"method": list(methods)})
    rows: list[dict[str, Any]] = store.table(columns, where).to_pylist()
    return rows


def check_submission(
    store: Store,
    entry: Entry,
    methods: Sequence[str],
    datasets: Sequence[str] | None = None,
) -> list[Finding]:
    """Check the rules of docs/experiments/submitting.md, one after the other.

    Parameters
    ----------
    store : Store
    entry : Entry
    methods : sequence of str
        Which are submitted.
    datasets : sequence of str, optional
        Which are required; by default `required_datasets`.
    """
    required = required_datasets() if datasets is None else dict.fromkeys(datasets)
    columns = ["method", "version", "dataset", "problem", "parameters", "data"]
    rows = _rows(store, columns, methods)
    asked = [
        one
        for one in map(Specification.from_dict, store.specifications)
        if one.split == SPLIT and set(one.methods) & set(methods)
    ]
    findings = []

    def note(rule: str, faults: Sequence[str], seen: str) -> None:
        findings.append(Finding(rule, not faults, _some(faults) if faults else seen))

    # 1. Every problem of every required dataset has a run, on the same data.
    have = {(r["method"], r["dataset"], r["problem"]): r["data"] for r in rows}
    missing, other, number, fault = [], [], 0, ""
    for dataset in required:
        try:
            found = load_problems(dataset, SPLIT, folders=folders_of(store.manifest))
            digests = {problem.name: data_digest(problem) for problem in found}
        except TsmdbenchError as error:
            fault = f"{dataset} cannot be checked: {error}"
            break
        for method in methods:
            for problem, digest in digests.items():
                number += 1
                what = f"{method} on {problem} of {dataset}"
                if (method, dataset, problem) not in have:
                    missing.append(what)
                elif have[method, dataset, problem] not in (digest, ""):
                    other.append(what)
    seen = f"{number - len(missing)} of {counted(number, 'run')} on "
    seen += counted(len(required), "dataset")
    seen += f"; missing {_some(missing)}" if missing else ""
    seen += f"; on other data {_some(other)}" if other else ""
    kept = not (missing or other or fault)
    findings.append(Finding("all problems of the test split", kept, fault or seen))

    # 2. One setting and one version of a method per dataset, with the same seeds on
    # every problem: the best of several on the test split is not a result.
    settings, versions = defaultdict(set), defaultdict(set)
    seeds: dict[Any, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        place = (row["method"], row["dataset"])
        settings[place].add(without_seed(row["parameters"]))
        versions[place].add(row["version"])
        seeds[place][row["problem"]].add(str(seed_of(row["parameters"])))
    looked_at = f"{len(settings)} looked at"
    uneven = [
        f"{method} on {dataset}"
        for (method, dataset), problems in sorted(seeds.items())
        if len(set(map(frozenset, problems.values()))) > 1
    ]
    most = max((len(u) for p in seeds.values() for u in p.values()), default=0)
    several, mixed = (
        [f"{m} on {d} has {len(v)}" for (m, d), v in sorted(by.items()) if len(v) > 1]
        for by in (settings, versions)
    )
    note("one setting per method and dataset", several, looked_at)
    seen = f"at most {counted(most, 'run')} per problem"
    note("the same seeds on every problem", uneven, seen)
    note("one version per method and dataset", mixed, looked_at)

    # 3. Settings won a search on the validation split, follow from the data, or are
    # declared in the field `tuning` of the entry.
    winners = tuned_winners(store)
    given = {m for one in asked for m in one.methods if m in one.params}
    tuned = {m for one in asked if one.tune for m in one.methods}
    ways: Counter[str] = Counter()
    losers = []
    for (method, dataset), texts in settings.items():
        won = winners.get((method, dataset))
        if method in tuned and won is not None:
            ways["searched"] += 1
            played = [chosen_fields(json.loads(text)) for text in texts]
            if any(fields != chosen_fields(won) for fields in played):
                losers.append(f"{method} on {dataset}")
        else:
            ways["given" if method in given else "of data"] += 1
    undeclared = bool(ways["given"]) and not entry.tuning
    seen = (
        f"{ways['searched']} searched on validation problems, {ways['of data']} from "
        f"the data, {ways['given']} given"
    )
    if losers:
        seen = f"not the winner of the search: {_some(losers)}"
    elif undeclared:
        seen += "; say how in 'tuning' of the entry"
    kept = not losers and not undeclared
    findings.append(Finding("settings chosen without the test split", kept, seen))

    # 4. Limits are not above the standard ones.
    standard = Limits()
    above = [
        f"{one.limits.seconds:g} s, {one.limits.memory / 2**30:g} GiB"
        for one in asked
        if one.limits.seconds > standard.seconds or one.limits.memory > standard.memory
    ]
    rule = f"limits of at most {standard.seconds:g} s and {standard.memory >> 30} GiB"
    unknown = ["the manifest does not say what was requested"] * (not asked)
    note(rule, above or unknown, "kept")

    # 5. Every run has a hash of its problem. (That a tenth finds the same again is the
    # rule of `recompute`.)
    hashed = sum(bool(row["data"]) for row in rows)
    seen = f"{hashed} of {counted(len(rows), 'run')}"
    kept = hashed == len(rows)
    findings.append(Finding("a hash of the problem in every run", kept, seen))
    return findings


def _some(texts: Sequence[str]) -> str:
    """Return the first of many texts, and how many more there are."""
    unique = list(dict.fromkeys(texts))
    more = f" and {len(unique) - SHOWN} more" if len(unique) > SHOWN else ""
    return ", ".join(unique[:SHOWN]) + more


# Repeating runs


@dataclass(frozen=True)
class Recomputed:
    """The outcome of repeating runs.

    Attributes
    ----------
    share : float
        Part of the runs that was repeated.
    of : str
        Hash of all runs, see `runs_digest`.
    runs, equal : int
        How many were repeated, and how many of them found the same.
    different : tuple of str
        The others, in words.
    """

    share: float
    of: str
    runs: int
    equal: int
    different: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it, without the words."""
        return {
            name: value for name, value in vars(self).items() if name != "different"
        }

    @classmethod
    def from_dict(cls, given: Any) -> Recomputed:
        """Return what `to_dict` gave; raise `ValueError` for anything else."""
        if not isinstance(given, dict):
            raise ValueError("'recomputed' must have names and values")
        share: Any = given.get("share")
        of, runs, equal = (given.get(name) for name in ("of", "runs", "equal"))
        if type(share) not in (float, int) or not LEAST <= share <= 1.0:
            raise ValueError(
                f"the share recomputed must be a number in [{LEAST:g}, 1], got "
                f"{share!r:.80}"
            )
        if not isinstance(runs, int) or not isinstance(equal, int):
            raise ValueError("the runs recomputed must be whole numbers")
        if not isinstance(of, str):
            raise ValueError("the hash of the runs must be a text")
        return cls(float(share), of, runs, equal)


def recompute(
    store: Store,
    methods: Sequence[str],
    *,
    share: float = LEAST,
    seed: int | None = None,
    told: Told = lambda _done, _total: None,
) -> Recomputed:
    """Repeat a share of the test runs of some methods, and compare what is found.

    The author repeats a sample that follows from the hash of the runs: it cannot be
    chosen, and a run that is changed afterwards changes it. The keeper of a board
    repeats a sample that the author cannot know. Runs that ended by a limit are not
    repeated: whether a limit is broken depends on the machine.

    Parameters
    ----------
    store : Store
    methods : sequence of str
    share : float
        In [0.1, 1].
    seed : int, optional
        Of the draw; by default it follows from the hash of the runs.
    told : callable
        Called with the number of runs done, and of all.

    Raises
    ------
    InputError
        The share is too small, or a method is not the version that made the runs.
    """
    if not (isinstance(share, float | int) and LEAST <= share <= 1.0):
        raise InputError(
            f"at least a tenth of the runs must be recomputed: the share must lie in "
            f"[{LEAST:g}, 1], got {share!r}"
        )
    digest = runs_digest(store, methods)
    rows = sample(store, methods, share, int(digest, 16) if seed is None else seed)
    different = []
    problems: dict[str, dict[str, Any]] = {}
    with _running(store, rows) as found_by:
        for done, row in enumerate(rows):
            told(done, len(rows))
            dataset, name = row["dataset"], row["problem"]
            what = f"{row['method']} on {name} of {dataset}"
            if dataset not in problems:
                folders = folders_of(store.manifest)
                loaded = load_problems(dataset, SPLIT, folders=folders)
                problems = {dataset: {p.name: p for p in loaded}}
            if name not in problems[dataset]:
                different.append(f"{what}: there is no such problem")
                continue
            series = problems[dataset][name].series
            outcome = found_by(row["method"], row["parameters"], series)
            if outcome.status != row["status"]:
                became = f"{row['status']} became {outcome.status} {outcome.message}"
                different.append(f"{what}: {became.strip()}")
            elif outcome.found != row["found"]:
                stored_sets, now = len(row["found"]), len(outcome.found)
                different.append(
                    f"{what}: {stored_sets} stored sets, {now} now, not the same"
                )
    equal = len(rows) - len(different)
    return Recomputed(float(share), digest, len(rows), equal, tuple(different))


@contextmanager
def _running(
    store: Store, rows: Sequence[Mapping[str, Any]]
) -> Iterator[Callable[[str, str, Any], Outcome]]:
    """Yield a function of method, parameters and series that runs as the store did.

    The environments are those of the store, and the limits its largest. Raises
    `InputError` for a method that is not the version that made the rows.
    """
    check_platform()
    from tsmdbench.experiments.engine import Supervisor

    asked = [*map(Specification.from_dict, store.specifications)]
    places = _environments(store)
    for method in {row["method"] for row in rows}:
        here = describe(method, places.get(method)).version
        stored = {row["version"] for row in rows if row["method"] == method}
        if stored != {here}:
            raise InputError(
                f"{method} is version {here} here, but the runs are of "
                f"{', '.join(sorted(stored))}: run it again, or use that version"
            )
    limits = [one.limits for one in asked] or [Limits()]
    supervisor = Supervisor(max(limits, key=lambda each: (each.seconds, each.memory)))

    def found_by(method: str, parameters: str, series: Any) -> Outcome:
        setting, place = json.loads(parameters), places.get(method)
        ((outcome,),) = supervisor.run(
            [Task(method, (setting,), series, environment=place)]
        )
        return outcome

    try:
        yield found_by
    finally:
        supervisor.stop()


def _environments(store: Store) -> dict[str, Environment]:
    """Return where the methods of a store were run, if not here."""
    asked = map(Specification.from_dict, store.specifications)
    return {
        method: one.environment
        for one in asked
        if one.environment is not None
        for method in one.methods
    }


def runs_digest(store: Store, methods: Sequence[str]) -> str:
    """Return a hash of the test runs of some methods, in whatever order they are."""
    rows = _rows(store, RUN, methods)
    lines = sorted(json.dumps([row[name] for name in RUN]) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def sample(
    store: Store, methods: Sequence[str], share: float, seed: int
) -> list[dict[str, Any]]:
    """Return the runs that are repeated, dataset by dataset."""
    rng = np.random.default_rng(seed)
    drawn = []
    for method in sorted(methods):
        rows = _rows(store, RUN, [method])
        rows = [row for row in rows if row["status"] in ("ok", "error")]
        rows.sort(key=lambda row: (row["dataset"], row["problem"], row["parameters"]))
        number = math.ceil(share * len(rows))
        drawn += [rows[n] for n in rng.choice(len(rows), number, replace=False)]
    return sorted(drawn, key=lambda row: (row["dataset"], row["method"]))


# The author's and the keeper's command


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
    told: Told = lambda _done, _total: None,
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
        Part of the runs that are repeated, at least a tenth. Which runs these are
        follows from the hash of all runs.
    trust : bool
        Import methods that the store names as ``file.py:Class`` or ``module:Class``.
    datasets : sequence of str, optional
        Which are required, see `required_datasets`.
    told : callable
        Called with the number of runs repeated so far, and of all.
    """
    opened = Store(store)
    chosen = methods_of(opened, methods)
    _may_check(opened, chosen, out, trust=trust, where=str(store))
    findings = check_submission(opened, entry, chosen, datasets)
    result = _repeated(opened, chosen, findings, out, share, None, told)
    if result.recomputed is None or not result.accepted:
        return result
    environments = _environments(opened)
    about: dict[str, dict[str, Any]] = {}
    for name in chosen:
        described = describe(name, environments.get(name))
        facts = {fact: getattr(described.cls, fact, None) for fact in FACTS}
        lines = (described.cls.__doc__ or "").strip().splitlines()
        about[name] = {
            "version": described.version,
            "summary": lines[0] if lines else "",
            **{n: v for n, v in facts.items() if isinstance(v, bool | str)},
        }
    write_submission(out, opened, entry, about, result.findings, result.recomputed)
    return result


def check_file(
    file: PathLike,
    out: PathLike,
    *,
    share: float = LEAST,
    seed: int | None = None,
    trust: bool = False,
    datasets: Sequence[str] | None = None,
    told: Told = lambda _done, _total: None,
) -> Submitted:
    """Check a submitted file as the keeper of a board, and write a receipt.

    A receipt says of which file, by its hash, how many runs were repeated here. A board
    shows it beside what the author says. The methods must be importable here.

    Parameters
    ----------
    file : path
        What `submit` wrote.
    out : path
        The receipt to write, a JSON file.
    share : float, default 0.1
        Part of the runs that are repeated, at least a tenth.
    seed : int, optional
        Seed of the choice of these runs; secret by default.
    trust, datasets, told
        As for `submit`.
    """
    drawn = secrets.randbits(64) if seed is None else seed
    with read_submission(file) as read:
        methods = tuple(read.methods)
        _may_check(read.store, methods, out, trust=trust, where=str(file))
        findings = check_submission(read.store, read.entry, methods, datasets)
        result = _repeated(read.store, methods, findings, out, share, drawn, told)
        if result.recomputed is None or not result.accepted:
            return result
        receipt = {
            "sha256": read.sha256,
            "tsmdbench": version("tsmdbench"),
            "findings": [list(finding) for finding in result.findings],
            "recomputed": result.recomputed.to_dict(),
        }
    write_atomically(Path(out), (json.dumps(receipt, indent=1) + "\n").encode())
    return result


def _may_check(
    store: Store, methods: Sequence[str], out: PathLike, *, trust: bool, where: str
) -> None:
    """Raise before hours of work: `out` cannot be written, or trust is missing."""
    if Path(out).is_dir():
        raise InputError(f"{out} is a folder; --out is the file to write")
    if not Path(out).parent.is_dir():
        raise InputError(
            f"{Path(out).parent} is not a folder; make it, or change --out"
        )
    named = sorted({row["dataset"] for row in _rows(store, ["dataset"], methods)})
    imports = [*filter(runs_code, named), *(n for n in methods if ":" in n)]
    check_trust(store, imports, trust=trust, where=where)


def _repeated(
    store: Store,
    methods: Sequence[str],
    findings: Sequence[Finding],
    out: PathLike,
    share: float,
    seed: int | None,
    told: Told,
) -> Submitted:
    """Add the finding of repeated runs, unless a rule is broken already."""
    if not all(finding.kept for finding in findings):
        return Submitted(tuple(findings), None, None)
    done = recompute(store, methods, share=share, seed=seed, told=told)
    by = "the hash of all runs" if seed is None else "the keeper"
    rule = f"{share:.0%} of the runs recomputed, drawn by {by}"
    seen = "; ".join([f"{done.equal} of {done.runs} the same", *done.different[:SHOWN]])
    last = Finding(rule, not done.different, seen)
    return Submitted((*findings, last), done, Path(out) if last.kept else None)


class Unseen(NamedTuple):
    """Scores of a method on the submitted and on unseen problems of a dataset.

    Attributes
    ----------
    method, dataset : str
    submitted, unseen : float
        Mean F1 of PROM; failed runs score 0.
    low, high : float
        Interval of the difference, submitted minus unseen. All intervals of a check
        hold together with a probability of 99 %.
    """

    method: str
    dataset: str
    submitted: float
    unseen: float
    low: float
    high: float

    @property
    def kept(self) -> bool:
        """Whether the submitted score is compatible with that on unseen problems."""
        return self.low <= 0.0

    def __str__(self) -> str:
        return (
            f"{'ok' if self.kept else 'NO'}  {self.method} on {self.dataset}: F1 "
            f"{self.submitted:.3f} submitted, {self.unseen:.3f} on unseen problems, "
            f"difference in [{self.low:.3f}, {self.high:.3f}]"
        )


def verify(
    file: PathLike,
    *,
    seed: int,
    problems: int = 50,
    trust: bool = False,
    told: Told = lambda _done, _total: None,
) -> list[Unseen]:
    """Run submitted methods on problems that their authors cannot have seen.

    The problems are drawn by a secret seed from the instances of the test side, by the
    rules of the frozen ones (`unseen_problems`). A method that knows the frozen
    problems, or settings that were chosen on them, score higher there. What a submitted
    score may exceed the other by is decided by an interval of the difference of the two
    means (Welch's, normal quantiles, Bonferroni over methods and datasets).

    Parameters
    ----------
    file : path
        What `submit` wrote.
    seed : int
        Secret, above 0.
    problems : int, default 50
        Unseen problems of each dataset.
    trust : bool
        Import methods that the file names as ``file.py:Class`` or ``module:Class``.
    told : callable
        Called with the number of runs done, and of all.

    Raises
    ------
    InputError
        No dataset of the file has recipes to draw from, or a method is not the version
        that made the runs.
    """

    def f1(pairs: Sequence[Any]) -> NDArray[np.float64]:
        scores: NDArray[np.float64] = evaluate_many(pairs, ["prom_f1"])["prom_f1"]
        return scores

    with read_submission(file) as read:
        store, methods = read.store, tuple(read.methods)
        imports = [name for name in methods if ":" in name]
        check_trust(store, imports, trust=trust, where=str(file))
        rows = [row for row in _rows(store, RUN, methods) if row["dataset"] in DATASETS]
        if not rows:
            raise InputError(
                f"{file} has no runs on a dataset of TSMD-Bench, so no unseen problems "
                f"can be drawn"
            )
        truths = read_truth(store.path)
        places = defaultdict(list)
        for row in rows:
            places[row["dataset"], row["method"]].append(row)
        quantile = NormalDist().inv_cdf(1 - VERIFY_LEVEL / (2 * len(places)))
        found: list[Unseen] = []
        with _running(store, rows) as found_by:
            for (dataset, method), mine in sorted(places.items()):
                setting = min(row["parameters"] for row in mine)  # of several, one seed
                pairs: list[Any] = []
                for problem in unseen_problems(dataset, seed, problems):
                    told(len(found) * problems + len(pairs), problems * len(places))
                    outcome = found_by(method, setting, problem.series)
                    pairs.append((problem.truth, outcome.found))
                known, new = (
                    f1([(truths[dataset, SPLIT, r["problem"]].sets, r["found"])
                        for r in mine]),
                    f1(pairs),
                )  # fmt: skip
                spread = sum(one.var(ddof=1) / len(one) for one in (known, new))
                margin = quantile * math.sqrt(spread)
                means = float(known.mean()), float(new.mean())
                low, high = (means[0] - means[1] + m for m in (-margin, margin))
                found.append(Unseen(method, dataset, *means, low, high))
    return found


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
            done = Recomputed.from_dict(about["recomputed"])
            found[str(about["sha256"])] = Receipt(_findings(about), done)
        except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise InputError(f"{file} is not a receipt of a check: {error}") from None
    return found


def _findings(about: Mapping[str, Any]) -> tuple[Finding, ...]:
    given = about["findings"]
    return tuple(
        Finding(str(rule), kept is True, str(seen)) for rule, kept, seen in given
    )


# The file


@dataclass(frozen=True)
class Submission:
    """A submission that was read and verified.

    Attributes
    ----------
    entry : Entry
    methods : mapping
        Name of each method to what it says of itself: version, facts.
    tsmdbench : str
        The version that made it.
    findings : tuple of Finding
    recomputed : Recomputed
        What the author says of their own check.
    sha256 : str
        Of the whole file.
    store : Store
        Open as long as the context that read it.
    """

    entry: Entry
    methods: Mapping[str, Mapping[str, Any]]
    tsmdbench: str
    findings: tuple[Finding, ...]
    recomputed: Recomputed
    sha256: str
    store: Store


def write_submission(
    out: PathLike,
    store: Store,
    entry: Entry,
    methods: Mapping[str, Mapping[str, Any]],
    findings: Sequence[Finding],
    recomputed: Recomputed,
) -> Path:
    """Pack a submission into one file; `methods` are by name, with their facts."""
    with tempfile.TemporaryDirectory(prefix="tsmdbench-") as folder:
        packed = Path(folder) / "store"
        pack(store.path, packed, split=SPLIT, methods=tuple(methods))
        files = {
            f"store/{file.relative_to(packed).as_posix()}": file.read_bytes()
            for file in sorted(packed.rglob("*"))
            if file.is_file()
        }
    kept = {name: data for name, data in files.items() if NAMES.fullmatch(name)}
    about = {
        "format": FORMAT,
        "tsmdbench": version("tsmdbench"),
        "entry": entry.to_dict(),
        "methods": {name: dict(facts) for name, facts in methods.items()},
        "findings": [list(finding) for finding in findings],
        "recomputed": recomputed.to_dict(),
        "files": {n: hashlib.sha256(data).hexdigest() for n, data in kept.items()},
    }
    whole = {ABOUT: json.dumps(about, indent=1, sort_keys=True).encode(), **kept}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in whole.items():
            info = zipfile.ZipInfo(name, BEGINNING)
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    write_atomically(Path(out), made.getvalue())
    return Path(out)


@contextmanager
def read_submission(file: PathLike) -> Iterator[Submission]:
    """Verify a file and give its content, as a context.

    Raises
    ------
    InputError
        It is not a submission, or damaged, or changed after it was made.
    """
    path = Path(file)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    with tempfile.TemporaryDirectory(prefix="tsmdbench-") as folder:
        try:
            read = _verified(data, Path(folder))
        except KeyError as error:
            reason = f"its description lacks {error}"
        except (TypeError, ValueError) as error:
            reason = str(error)
        else:
            reason = ""
        if reason:
            raise InputError(
                f"{path} is not a submission that can be used ({reason}); 'tsmdbench "
                f"submit' writes them"
            )
        yield read


def _verified(data: bytes, folder: Path) -> Submission:
    """Unpack a submission; raise `ValueError` unless all of it fits together."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            names = [info.filename for info in infos]
            odd = [n for n in names if n != ABOUT and not NAMES.fullmatch(n)]
            size = sum(info.file_size for info in infos)
            fault = ""
            if odd:
                fault = f"a submission has no part {odd[0]!r:.80}"
            elif len(set(names)) < len(names) or len(names) > MOST_PARTS:
                fault = "it has too many parts, or two of one name"
            elif size > LARGEST:
                fault = f"it would have {size} bytes, more than {LARGEST}"
            parts = {} if fault else {i.filename: archive.read(i) for i in infos}
    except DAMAGES as error:
        raise ValueError(f"it is not a ZIP file that can be read: {error}") from None
    if fault:
        raise ValueError(fault)
    try:
        about = json.loads(parts.pop(ABOUT))
    except (KeyError, ValueError, RecursionError):
        raise ValueError(f"it has no {ABOUT} that can be read") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ValueError(f"it is not of format {FORMAT}")
    sums = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}
    if about.get("files") != sums:
        raise ValueError("its parts are not those that were packed")
    for name, content in parts.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    try:
        read = Submission(
            Entry.from_dict(about["entry"]),
            _methods(about["methods"]),
            str(about["tsmdbench"]),
            _findings(about),
            Recomputed.from_dict(about["recomputed"]),
            hashlib.sha256(data).hexdigest(),
            Store(folder / "store"),
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"its description cannot be read: {error}") from None
    store, methods, done = read.store, tuple(read.methods), read.recomputed
    if set(store.table(["method"])["method"].to_pylist()) != set(methods):
        raise ValueError("its runs are of other methods than it describes")
    # Runs that were changed after the author's check have another hash.
    if done.of != runs_digest(store, methods):
        raise ValueError("its runs are not those of which a part was recomputed")
    expected = len(sample(store, methods, done.share, 0))
    if done.runs != expected or done.equal != done.runs:
        raise ValueError(
            f"{done.equal} of {done.runs} runs recomputed are the same, {expected} "
            f"must be"
        )
    return read


def _methods(given: Any) -> dict[str, dict[str, Any]]:
    """Return what is said of the methods; raise `ValueError` unless it is plain."""
    if not isinstance(given, dict) or not given:
        raise ValueError("'methods' must have the methods by name")
    for name, facts in given.items():
        if not isinstance(facts, dict) or not isinstance(facts.get("version"), str):
            raise ValueError(f"method {name!r:.80} has no version")
        for fact, value in facts.items():
            if not isinstance(value, str | bool):
                raise ValueError(
                    f"{fact!r:.80} of method {name!r:.80} must be a text, true or "
                    f"false, got {value!r:.80}"
                )
    return given
