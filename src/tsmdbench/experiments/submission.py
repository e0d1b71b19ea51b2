"""Submissions: a store that keeps the rules, packed into one file; checks of files.

`submit` is what authors do with a store, and keepers of boards with a submitted file:
`check_submission` has the rules of docs/experiments/submitting.md, and `recompute`
repeats a part of the runs. `verify` runs submitted methods on unseen problems.

The file is a ZIP file without code: ``submission.json``, and the files of a packed
store (`edit.pack`). Times in it are fixed, so the same content is the same file.
`read_submission` looks at names, sizes and checksums before anything is written, and
executes or unpickles nothing. Checksums show that a file is complete, not that it is
true: anyone can write a file like it. What the author says about repeated runs is
therefore shown as the author's check only.
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
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import date
from importlib.metadata import version
from itertools import groupby, product
from operator import itemgetter
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple, Self

import numpy as np

from tsmdbench.datasets.suite import DATASETS, frozen_recipes, unseen_problems
from tsmdbench.errors import InputError, TsmdbenchError
from tsmdbench.experiments.edit import pack
from tsmdbench.experiments.environments import Environment
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.rows import Outcome, seed_of, without_seed
from tsmdbench.experiments.running import check_trust
from tsmdbench.experiments.settings import chosen_fields, tuned_winners
from tsmdbench.experiments.sources import folders_of, load_problems, runs_code
from tsmdbench.experiments.specification import Limits, Specification, check_platform
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.tasks import Task
from tsmdbench.experiments.truth import check_sets, data_digest, read_truth
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.metrics import evaluate_many
from tsmdbench.plural import counted, first_few
from tsmdbench.validation import check_shape

SPLIT = "test"
LEAST = 0.1  # share of the runs that is repeated
NEEDED = ("name", "version", "licence", "contact")
LONGEST = 1000  # characters of a field of an entry
LARGEST_ENTRY = 2**20  # bytes of its file
ADDRESS = re.compile(r"https?://[^\s<>\"'\\^`{|}]+")
RUN = ("method", "version", "dataset", "problem", "parameters", "status", "found")
FORMAT = 2
ABOUT = "submission.json"
# The names that a packed store has; nothing else is read.
NAMES = re.compile(
    r"store/(manifest\.json|truth\.parquet|runs-[0-9]+-[0-9]+\.parquet"
    r"|tuning/tuned\.toml|tuning/[\w-]{1,200}\.parquet)"
)
# The description of a file; a receipt has the first two fields.
CHECK_SHAPE: dict[str, Any] = {
    "findings": [[(str, bool)]],
    "recomputed": {"share": (float, int), "of": str, "runs": int, "equal": int},
}
ABOUT_SHAPE: dict[str, Any] = {
    **CHECK_SHAPE,
    "tsmdbench": str,
    "entry": {...: str},
    "methods": {...: {"version": str, ...: (str, bool)}},
    "files": {...: str},
}
LARGEST = 2**30  # bytes of all parts together, unpacked
MOST_PARTS = 10_000
DAMAGES = (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, OSError,
           EOFError, ValueError)  # fmt: skip
VERIFY_LEVEL = 0.01  # probability that an honest submission is found not compatible
FACTS = ("univariate", "variable_length", "symbolic")
SHOWN = 3  # examples in a finding
Callback = Callable[[int, int], None]


@dataclass(frozen=True)
class Entry:
    """Who submits what, and under which licence; all texts.

    `name` is what the method is called on a board: several versions have one name and
    are ordered by `date`, ``YYYY-MM-DD``. The `licence` says what others may do with
    the results. `contact` is where a question reaches the authors; it is in the file
    and not on a board. `url`, `code` (to repeat the results) and `paper` are addresses.
    `tuning` says how settings were chosen that neither a search of this package nor the
    data chose.
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
            address = name in ("url", "code", "paper") and value
            if not isinstance(value, str):
                rule = "be a text"
            elif len(value) > LONGEST or not value.isprintable():
                rule = f"be one line of at most {LONGEST} characters"
            elif address and not ADDRESS.fullmatch(value):
                rule = "be an address like https://example.org"
            else:
                rule = ""
            if rule:
                raise InputError(f"entry: {name} must {rule}, got {value!r:.80}")
            if name in NEEDED and not value.strip():
                raise InputError(
                    f"entry: {name} is missing; give --{name}, or {name} = ... in the "
                    f"file of --entry"
                )
        try:
            date.fromisoformat(self.date or "2000-01-01")
        except ValueError:
            raise InputError(
                f"entry: date must be written YYYY-MM-DD, got {self.date!r:.80}"
            ) from None

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Make an entry of names and values; raise `InputError` for unknown names."""
        known = [field.name for field in fields(cls)]
        unknown = [name for name in given if name not in known]
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


class Recomputed(NamedTuple):
    """The outcome of repeating runs."""

    share: float  # part of the runs that was repeated
    of: str  # hash of all runs, see `runs_digest`
    runs: int  # how many were repeated
    equal: int  # how many of them found the same


class Receipt(NamedTuple):
    """The check of a submitted file by the keeper of a board."""

    findings: tuple[Finding, ...]
    recomputed: Recomputed


def runs_of(
    store: Store, columns: Sequence[str], methods: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Return columns of the test runs of some methods, by default of all."""
    where = {"split": SPLIT} | ({} if methods is None else {"method": list(methods)})
    rows: list[dict[str, Any]] = store.table(columns, where).to_pylist()
    return rows


def runs_digest(store: Store, methods: Sequence[str]) -> str:
    """Return a hash of the test runs of some methods, in whatever order they are."""
    rows = runs_of(store, RUN, methods)
    lines = sorted(json.dumps([row[name] for name in RUN]) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def sample(
    store: Store, methods: Sequence[str], share: float, seed: int
) -> list[dict[str, Any]]:
    """Return the runs that are repeated, dataset by dataset."""
    rng, drawn = np.random.default_rng(seed), []
    for method in sorted(methods):
        rows = runs_of(store, RUN, [method])
        rows = [row for row in rows if row["status"] in ("ok", "error")]
        rows.sort(key=itemgetter("dataset", "problem", "parameters"))
        number = math.ceil(share * len(rows))
        drawn += [rows[n] for n in rng.choice(len(rows), number, replace=False)]
    return sorted(drawn, key=itemgetter("dataset", "method"))


def required_datasets() -> tuple[str, ...]:
    """Return the datasets that a submission must have.

    >>> len(required_datasets())
    12
    """
    return tuple(dict.fromkeys(name for name, _ in frozen_recipes()))


def check_submission(
    store: Store,
    entry: Entry,
    methods: Sequence[str],
    datasets: Sequence[str] | None = None,
) -> list[Finding]:
    """Check the rules of docs/experiments/submitting.md; the comments are its numbers.

    By default `required_datasets` are required.
    """
    required = required_datasets() if datasets is None else dict.fromkeys(datasets)
    columns = ["method", "version", "dataset", "problem", "parameters", "data"]
    runs = store.table(columns, {"split": SPLIT, "method": methods}).to_pandas()
    runs["setting"] = runs["parameters"].map(without_seed)
    runs["seed"] = runs["parameters"].map(lambda text: str(seed_of(text)))
    places = runs.groupby(["method", "dataset"])
    requests = [
        one
        for one in map(Specification.from_dict, store.specifications)
        if one.split == SPLIT and set(one.methods) & set(methods)
    ]
    findings = []

    def note(rule: str, seen: str, faults: Sequence[str] = ()) -> None:
        several = first_few(dict.fromkeys(faults), SHOWN)
        findings.append(Finding(rule, not faults, several or seen))

    def several(values: Any, what: str) -> list[str]:
        numbers = values.nunique().items()
        return [f"{m} on {d} has {n} {what}" for (m, d), n in numbers if n > 1]

    # 1. Every problem of every required dataset has a run, on the same data.
    keys = zip(runs["method"], runs["dataset"], runs["problem"], strict=True)
    have = dict(zip(keys, runs["data"], strict=True))
    wanted: dict[str, tuple[Any, str]] = {}  # what is stored of a run, and the hash
    fault = ""
    for dataset in required:
        try:
            found = load_problems(dataset, SPLIT, folders=folders_of(store.manifest))
            digests = {problem.name: data_digest(problem) for problem in found}
        except TsmdbenchError as error:
            fault = f"{dataset} cannot be checked: {error}"
            break
        for method, name in product(methods, digests):
            stored = have.get((method, dataset, name))
            wanted[f"{method} on {name} of {dataset}"] = stored, digests[name]
    missing = [what for what, (stored, _) in wanted.items() if stored is None]
    other = [w for w, (data, own) in wanted.items() if data not in (None, own, "")]
    seen = f"{len(wanted) - len(missing)} of {counted(len(wanted), 'run')} on "
    seen += counted(len(required), "dataset")
    seen += f"; missing {first_few(missing, SHOWN)}" if missing else ""
    seen += f"; on other data {first_few(other, SHOWN)}" if other else ""
    faults = [fault or seen] * bool(missing or other or fault)
    note("all problems of the test split", seen, faults)

    # 2. One setting and one version of a method per dataset, with the same seeds on
    # every problem: the best of several on the test split is not a result.
    looked_at, each = f"{len(places)} looked at", "per method and dataset"
    seeds = runs.groupby(["method", "dataset", "problem"])["seed"].agg(frozenset)
    most = f"at most {counted(max(map(len, seeds), default=0), 'run')} per problem"
    faults = several(seeds.groupby(level=[0, 1]), "selections of seeds")
    note(f"one setting {each}", looked_at, several(places["setting"], "settings"))
    note("the same seeds on every problem", most, faults)
    note(f"one version {each}", looked_at, several(places["version"], "versions"))

    # 3. Settings won a search on the validation split, follow from the data, or are
    # declared in the field `tuning` of the entry.
    winners = tuned_winners(store)
    searched = {m for one in requests if one.tune for m in one.methods}
    given = {m for one in requests for m in one.methods if m in one.params}
    ways: Counter[str] = Counter()
    losers = []
    for (method, dataset), texts in places["setting"].unique().items():
        won = winners.get((method, dataset))
        if method in searched and won is not None:
            ways["searched"] += 1
            played = [chosen_fields(json.loads(text)) for text in texts]
            if any(fields != chosen_fields(won) for fields in played):
                losers.append(f"{method} on {dataset}")
        else:
            ways["given" if method in given else "of data"] += 1
    seen = (
        f"{ways['searched']} searched on validation problems, {ways['of data']} from "
        f"the data, {ways['given']} given"
    )
    undeclared = ways["given"] and not entry.tuning
    faults = [f"{seen}; say how in 'tuning' of the entry"] * bool(undeclared)
    if losers:
        faults = [f"not the winner of the search: {first_few(losers, SHOWN)}"]
    note("settings chosen without the test split", seen, faults)

    # 4. Limits are not above the standard ones.
    standard = Limits()
    above = [
        f"{limits.seconds:g} s, {limits.memory / 2**30:g} GiB"
        for limits in (one.limits for one in requests)
        if limits.seconds > standard.seconds or limits.memory > standard.memory
    ]
    if not requests:
        above = ["the manifest does not say what was requested"]
    rule = f"limits of at most {standard.seconds:g} s and {standard.memory >> 30} GiB"
    note(rule, "kept", above)

    # 1, again: every run has a hash of its problem. (Rule 5, that a part of the runs
    # finds the same again, is checked by `recompute`.)
    hashed = int((runs["data"] != "").sum())
    seen = f"{hashed} of {counted(len(runs), 'run')}"
    rule = "a hash of the problem in every run"
    note(rule, seen, [seen] * (hashed < len(runs)))
    return findings


def _environments(store: Store) -> dict[str, Environment]:
    """Return the environments of a store by method, for those that had one."""
    return {
        method: one.environment
        for one in map(Specification.from_dict, store.specifications)
        if one.environment is not None
        for method in one.methods
    }


def recompute(
    store: Store,
    methods: Sequence[str],
    *,
    share: float = LEAST,
    seed: int | None = None,
    progress: Callback = lambda _done, _total: None,
) -> tuple[Recomputed, list[str]]:
    """Repeat a share of the test runs of some methods; also return what differs.

    The author repeats a sample that follows from the hash of the runs: it cannot be
    chosen, and a run that is changed afterwards changes it. The keeper of a board
    repeats one that the author cannot know, by a `seed`. Runs that ended by a limit are
    not repeated: whether it is broken depends on the machine.
    """
    if not (isinstance(share, float | int) and LEAST <= share <= 1.0):
        raise InputError(
            f"at least a tenth of the runs must be recomputed: the share must lie in "
            f"[{LEAST:g}, 1], got {share!r}"
        )
    digest = runs_digest(store, methods)
    rows = sample(store, methods, share, int(digest, 16) if seed is None else seed)
    different: list[str] = []
    problems: dict[str, dict[str, Any]] = {}  # of one dataset at a time
    with _running(store, rows) as found_by:
        for done, row in enumerate(rows):
            progress(done, len(rows))
            dataset, name = row["dataset"], row["problem"]
            if dataset not in problems:
                folders = folders_of(store.manifest)
                loaded = load_problems(dataset, SPLIT, folders=folders)
                problems = {dataset: {p.name: p.series for p in loaded}}
            fault = "there is no such problem"
            if name in problems[dataset]:
                series = problems[dataset][name]
                again = found_by(row["method"], row["parameters"], series)
                before, now = len(row["found"]), len(again.found)
                fault = ""
                if again.status != row["status"]:
                    fault = f"{row['status']} became {again.status} {again.message}"
                elif again.found != row["found"]:
                    fault = f"{before} stored sets, {now} now, not the same"
            if fault:
                what = f"{row['method']} on {name} of {dataset}"
                different.append(f"{what}: {fault.strip()}")
    equal = len(rows) - len(different)
    return Recomputed(float(share), digest, len(rows), equal), different


@contextmanager
def _running(
    store: Store, rows: Sequence[Mapping[str, Any]]
) -> Iterator[Callable[[str, str, Any], Outcome]]:
    """Yield a function of method, parameters and series that runs as the store did.

    The environments are those of the store; the limits are the standard ones, which a
    store may not exceed. A method must be the version that made the rows.
    """
    check_platform()
    from tsmdbench.experiments.engine import Supervisor

    places = _environments(store)
    for method in {row["method"] for row in rows}:
        here = describe(method, places.get(method)).version
        stored = {row["version"] for row in rows if row["method"] == method}
        if stored != {here}:
            raise InputError(
                f"{method} is version {here} here, but the runs are of "
                f"{', '.join(sorted(stored))}: run it again, or use that version"
            )
    supervisor = Supervisor(Limits())

    def found_by(method: str, parameters: str, series: Any) -> Outcome:
        setting, place = json.loads(parameters), places.get(method)
        task = Task(method, (setting,), series, environment=place)
        ((outcome,),) = supervisor.run([task])
        return outcome

    try:
        yield found_by
    finally:
        supervisor.stop()


# The file


@dataclass(frozen=True)
class Submission:
    """A submission that was read and verified."""

    entry: Entry
    methods: Mapping[str, Mapping[str, Any]]  # version and facts of each method
    tsmdbench: str  # the version that made it
    findings: tuple[Finding, ...]
    recomputed: Recomputed  # the check of the author
    sha256: str  # of the whole file
    store: Store  # open as long as the context that read it


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
        names = {
            f"store/{file.relative_to(packed).as_posix()}": file
            for file in sorted(packed.rglob("*"))
        }
        kept = {n: file.read_bytes() for n, file in names.items() if NAMES.fullmatch(n)}
    about = {
        "format": FORMAT,
        "tsmdbench": version("tsmdbench"),
        "entry": asdict(entry),
        "methods": methods,
        "findings": findings,
        "recomputed": recomputed._asdict(),
        "files": {n: hashlib.sha256(data).hexdigest() for n, data in kept.items()},
    }
    whole = {ABOUT: json.dumps(about, indent=1, sort_keys=True).encode(), **kept}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in whole.items():
            info = zipfile.ZipInfo(name)  # of the first time that a file may have
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    write_atomically(Path(out), made.getvalue())
    return Path(out)


@contextmanager
def read_submission(file: PathLike) -> Iterator[Submission]:
    """Yield the content of a file; `InputError` if it is damaged, or another."""
    path = Path(file)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    verified = False
    with tempfile.TemporaryDirectory(prefix="tsmdbench-") as folder:
        try:
            read = _verified(data, Path(folder))
            verified = True
            yield read
        except (TsmdbenchError, TypeError, ValueError) as error:
            if verified and folder not in str(error):
                raise  # an error of the caller, not of the file
            fault = str(error).replace(f"{folder}/", "").split(";")[0]
            raise InputError(
                f"{path} is not a submission that can be used ({fault}); 'tsmdbench "
                f"submit' writes them"
            ) from None


def _verified(data: bytes, folder: Path) -> Submission:
    """Unpack a submission; raise `ValueError` unless all of it fits together."""
    # Names and sizes before anything is unpacked.
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        infos = archive.infolist()
    except DAMAGES as error:
        raise ValueError(f"it is not a ZIP file that can be read: {error}") from None
    names = [info.filename for info in infos]
    size = sum(info.file_size for info in infos)
    if odd := [n for n in names if n != ABOUT and not NAMES.fullmatch(n)]:
        raise ValueError(f"a submission has no part {odd[0]!r:.80}")
    if len(set(names)) < len(names) or len(names) > MOST_PARTS:
        raise ValueError("it has too many parts, or two of one name")
    if size > LARGEST:
        raise ValueError(f"it would have {size} bytes, more than {LARGEST}")
    try:
        parts = {name: archive.read(name) for name in names}
    except DAMAGES as error:
        raise ValueError(f"it is not a ZIP file that can be read: {error}") from None
    # The description, and that the parts are those that it describes.
    try:
        about = json.loads(parts.pop(ABOUT))
        json.dumps(about, ensure_ascii=False).encode()  # no half of a character
    except (KeyError, ValueError, RecursionError):
        raise ValueError(f"it has no {ABOUT} that can be read") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ValueError(f"it is not of format {FORMAT}")
    sums = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}
    if about.get("files") != sums:
        raise ValueError("its parts are not those that were packed")
    check = _read_check(about, ABOUT_SHAPE)
    entry, methods = Entry.from_dict(about["entry"]), about["methods"]
    done = check.recomputed
    for name, content in parts.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    # All of the store, and that its runs are those that the author checked.
    store = Store(folder / "store")
    truths, runs = read_truth(store.path), store.table().to_pylist()
    if {run["method"] for run in runs} != set(methods) or not methods:
        raise ValueError("its runs are of other methods than it describes")
    for run in runs:
        truth = truths.get((run["dataset"], run["split"], run["problem"]))
        name = f"problem {run['problem']!r:.80}"
        if truth is None or run["data"] != truth.data:
            raise ValueError(f"{name} is not the one that its truth is of")
        check_sets(run["found"], truth, name)
    if done.of != runs_digest(store, list(methods)):
        raise ValueError("its runs are not those of which a part was recomputed")
    expected = len(sample(store, list(methods), done.share, 0))
    if done.runs != expected or done.equal != done.runs:
        raise ValueError(
            f"{done.equal} of {done.runs} runs recomputed are the same, {expected} "
            f"must be"
        )
    sha256 = hashlib.sha256(data).hexdigest()
    return Submission(entry, methods, about["tsmdbench"], *check, sha256, store)


def read_receipts(folder: PathLike) -> dict[str, Receipt]:
    """Return the receipts of a folder, by the hash of the file that they are about."""
    if not Path(folder).is_dir():
        raise InputError(f"{folder} is not a folder; 'submit --check' writes receipts")
    found = {}
    for file in sorted(Path(folder).glob("*.json")):
        try:
            about = json.loads(file.read_text("utf-8"))
            receipt = _read_check(about, {"sha256": str, **CHECK_SHAPE})
        except (OSError, TypeError, ValueError, RecursionError) as error:
            raise InputError(f"{file} is not a receipt of a check: {error}") from None
        found[about["sha256"]] = receipt
    return found


def _read_check(about: Any, shape: Any) -> Receipt:
    """Return the check that a file or a receipt has; raise `ValueError` for none."""
    check_shape(about, shape, "description")
    findings = [
        Finding(str(r), kept is True, str(s)) for r, kept, s in about["findings"]
    ]
    given = about["recomputed"]
    if not LEAST <= given["share"] <= 1.0:
        raise ValueError(
            f"the share recomputed must be a number in [{LEAST:g}, 1], got "
            f"{given['share']!r:.80}"
        )
    done = Recomputed(**{name: given[name] for name in Recomputed._fields})
    return Receipt(tuple(findings), done._replace(share=float(done.share)))


# Submit and check


class Submitted(NamedTuple):
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
    entry: Entry | None,
    *,
    methods: Sequence[str] = (),
    datasets: Sequence[str] | None = None,
    share: float = LEAST,
    seed: int | None = None,
    trust: bool = False,
    progress: Callback = lambda _done, _total: None,
) -> Submitted:
    """Check a store and pack it if all rules are kept; or check a submitted file.

    With an `entry` the author submits a store. Without one, the keeper of a board
    checks a submitted file and gets a receipt, which says of which file, by its hash,
    how many runs were repeated here; a board shows it beside what the author says. The
    methods must be importable here; those named ``file.py:Class`` or ``module:Class``
    are imported only with `trust`. `methods` of a store are submitted, by default all
    that have test runs, and `datasets` are required. Of the runs a `share` is repeated:
    what an author repeats follows from the hash of all runs, what a keeper repeats from
    a secret `seed`. `progress` is called with the number of runs done, and of all.
    """
    with ExitStack() as stack:
        if entry is None:
            read = stack.enter_context(read_submission(store))
            opened, who, chosen = read.store, read.entry, list(read.methods)
            seed = secrets.randbits(64) if seed is None else seed
        else:
            opened, who, seed = Store(store), entry, None
            known = sorted({row["method"] for row in runs_of(opened, ["method"])})
            if not known:
                raise InputError(f"{store} has no runs of the test split to submit")
            chosen = list(dict.fromkeys(methods)) or known
            if unknown := [name for name in chosen if name not in known]:
                raise InputError(
                    f"{store} has no test runs of {unknown[0]!r}; it has "
                    f"{', '.join(known)}"
                )
        # Before hours of work: `out` can be written, and methods may be imported.
        if Path(out).is_dir():
            raise InputError(f"{out} is a folder; --out is the file to write")
        if not Path(out).parent.is_dir():
            raise InputError(
                f"{Path(out).parent} is not a folder; make it, or change --out"
            )
        named = {row["dataset"] for row in runs_of(opened, ["dataset"], chosen)}
        imports = [*filter(runs_code, [*sorted(named), *chosen])]
        check_trust(opened, imports, trust=trust, where=str(store))

        findings = check_submission(opened, who, chosen, datasets)
        if not all(finding.kept for finding in findings):
            return Submitted(tuple(findings), None, None)
        done, different = recompute(
            opened, chosen, share=share, seed=seed, progress=progress
        )
        by = "the hash of all runs" if seed is None else "the keeper"
        rule = f"{share:.0%} of the runs recomputed, drawn by {by}"
        same = f"{done.equal} of {done.runs} the same"
        seen = "; ".join([same, *different[:SHOWN]])
        findings.append(Finding(rule, not different, seen))
        if different:
            return Submitted(tuple(findings), done, None)

        if entry is None:
            receipt = {
                "sha256": read.sha256,
                "tsmdbench": version("tsmdbench"),
                "findings": findings,
                "recomputed": done._asdict(),
            }
            text = json.dumps(receipt, indent=1) + "\n"
            write_atomically(Path(out), text.encode())
        else:
            environments, about = _environments(opened), {}
            for info in (describe(name, environments.get(name)) for name in chosen):
                facts = {fact: getattr(info, fact) for fact in FACTS}
                about[info.name] = {"version": info.version, "summary": info.summary}
                about[info.name] |= {k: v for k, v in facts.items() if v is not None}
            write_submission(out, opened, entry, about, findings, done)
    return Submitted(tuple(findings), done, Path(out))


class Unseen(NamedTuple):
    """Mean F1 of a method on the submitted and on unseen problems of a dataset.

    The interval is that of the difference, submitted minus unseen. All intervals of a
    check hold together with a probability of 99 %. Failed runs score 0.
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
    progress: Callback = lambda _done, _total: None,
) -> list[Unseen]:
    """Run submitted methods on problems that their authors cannot have seen.

    The problems are drawn by a secret seed from the instances of the test side, by the
    rules of the frozen ones (`unseen_problems`). A method that knows the frozen
    problems, or settings that were chosen on them, score higher there. What a submitted
    score may exceed the other by is decided by an interval of the difference of the two
    means (Welch's, normal quantiles, Bonferroni over methods and datasets).
    """
    with read_submission(file) as read:
        store, methods = read.store, list(read.methods)
        imports = [*filter(runs_code, methods)]
        check_trust(store, imports, trust=trust, where=str(file))
        rows = [r for r in runs_of(store, RUN, methods) if r["dataset"] in DATASETS]
        if not rows:
            raise InputError(
                f"{file} has no runs on a dataset of TSMD-Bench, so no unseen problems "
                f"can be drawn"
            )
        by_place = itemgetter("dataset", "method")
        rows.sort(key=by_place)
        places = {place: list(mine) for place, mine in groupby(rows, by_place)}
        quantile = NormalDist().inv_cdf(1 - VERIFY_LEVEL / (2 * len(places)))
        truths = read_truth(store.path)
        verified: list[Unseen] = []
        with _running(store, rows) as found_by:
            for (dataset, method), mine in places.items():
                known = [
                    (truths[dataset, SPLIT, row["problem"]].sets, row["found"])
                    for row in mine
                ]
                setting = min(row["parameters"] for row in mine)  # of several, one seed
                new: list[Any] = []
                for problem in unseen_problems(dataset, seed, problems):
                    progress(
                        len(verified) * problems + len(new), problems * len(places)
                    )
                    found = found_by(method, setting, problem.series).found
                    new.append((problem.truth, found))
                scores = [
                    evaluate_many(p, ["prom_f1"])["prom_f1"] for p in (known, new)
                ]
                submitted, unseen = (float(each.mean()) for each in scores)
                spread = sum(each.var(ddof=1) / len(each) for each in scores)
                margin, middle = quantile * math.sqrt(spread), submitted - unseen
                ends = middle - margin, middle + margin
                verified.append(Unseen(method, dataset, submitted, unseen, *ends))
    return verified
