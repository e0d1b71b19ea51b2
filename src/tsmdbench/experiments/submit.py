"""Submit results: the rules, runs that are repeated, and the file or a receipt.

`check_submission` has the rules and `recompute` repeats a part of the runs. `submit` is
what authors do with a store and keepers of boards with a submitted file, and `verify`
runs submitted methods on unseen problems.
"""

from __future__ import annotations

import json
import math
import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

from tsmdbench.datasets.suite import DATASETS, frozen_recipes, unseen_problems
from tsmdbench.errors import InputError, TsmdbenchError
from tsmdbench.experiments.environments import Environment
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.rows import Outcome, seed_of, without_seed
from tsmdbench.experiments.running import check_trust
from tsmdbench.experiments.settings import chosen_fields, tuned_winners
from tsmdbench.experiments.sources import folders_of, load_problems, runs_code
from tsmdbench.experiments.specification import Limits, Specification, check_platform
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.submission import (
    LEAST,
    RUN,
    SPLIT,
    Entry,
    Finding,
    Recomputed,
    read_submission,
    runs_digest,
    runs_of,
    sample,
    write_submission,
)
from tsmdbench.experiments.tasks import Task
from tsmdbench.experiments.truth import data_digest, read_truth
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.metrics import evaluate_many
from tsmdbench.plural import counted, first_few

VERIFY_LEVEL = 0.01  # probability that an honest submission is found not compatible
FACTS = ("univariate", "variable_length", "symbolic")
SHOWN = 3  # examples in a finding
Callback = Callable[[int, int], None]


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
        for one in _requests(store)
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
    seen += f"; missing {first_few(missing, SHOWN)}" if missing else ""
    seen += f"; on other data {first_few(other, SHOWN)}" if other else ""
    faults = [fault or seen] * bool(missing or other or fault)
    note("all problems of the test split", seen, faults)

    # 2. One setting and one version of a method per dataset, with the same seeds on
    # every problem: the best of several on the test split is not a result.
    looked_at = f"{len(places)} looked at"
    seeds = runs.groupby(["method", "dataset", "problem"])["seed"].agg(frozenset)
    by_problem = seeds.groupby(level=[0, 1])
    most = f"at most {counted(max(map(len, seeds), default=0), 'run')} per problem"
    each = "per method and dataset"
    note(f"one setting {each}", looked_at, several(places["setting"], "settings"))
    faults = several(by_problem, "selections of seeds")
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
        f"{one.limits.seconds:g} s, {one.limits.memory / 2**30:g} GiB"
        for one in requests
        if one.limits.seconds > standard.seconds or one.limits.memory > standard.memory
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


def _requests(store: Store) -> list[Specification]:
    """Return what was requested of a store."""
    return [Specification.from_dict(one) for one in store.specifications]


def _environments(store: Store) -> dict[str, Environment]:
    """Return the environments of a store by method, for those that had one."""
    return {
        method: one.environment
        for one in _requests(store)
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
    repeats a sample that the author cannot know, by a `seed`. Runs that ended by a
    limit are not repeated: whether a limit is broken depends on the machine.
    `progress` is called with the number of runs done, and of all.
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
                problems = {dataset: {p.name: p for p in loaded}}
            what = f"{row['method']} on {name} of {dataset}"
            if name not in problems[dataset]:
                different.append(f"{what}: there is no such problem")
                continue
            series = problems[dataset][name].series
            again = found_by(row["method"], row["parameters"], series)
            if again.status != row["status"]:
                changed = f"{row['status']} became {again.status} {again.message}"
                different.append(f"{what}: {changed.strip()}")
            elif again.found != row["found"]:
                before, now = len(row["found"]), len(again.found)
                different.append(
                    f"{what}: {before} stored sets, {now} now, not the same"
                )
    equal = len(rows) - len(different)
    return Recomputed(float(share), digest, len(rows), equal), different


@contextmanager
def _running(
    store: Store, rows: Sequence[Mapping[str, Any]]
) -> Iterator[Callable[[str, str, Any], Outcome]]:
    """Yield a function of method, parameters and series that runs as the store did.

    The environments are those of the store; the limits are the standard ones, which a
    store may not exceed. Raises `InputError` for a method that is not the version that
    made the rows.
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
    methods must be importable here.

    Parameters
    ----------
    store, out : path
        The store, or without `entry` the submitted file; and the file to write.
    methods, datasets : sequence of str
        Which methods of a store are submitted, by default all that have test runs; and
        which datasets are required, see `required_datasets`.
    share, seed : float and int
        Part of the runs that are repeated, at least a tenth. What an author repeats
        follows from the hash of all runs, what a keeper repeats from a secret seed.
    trust : bool
        Import methods that the store names as ``file.py:Class`` or ``module:Class``.
    progress : callable
        Called with the number of runs repeated so far, and of all.
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
        imports = [*filter(runs_code, sorted(named)), *(n for n in chosen if ":" in n)]
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
        findings.append(
            Finding(rule, not different, "; ".join([same, *different[:SHOWN]]))
        )
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
            about = _facts(opened, chosen)
            write_submission(out, opened, entry, about, findings, done)
    return Submitted(tuple(findings), done, Path(out))


def _facts(store: Store, methods: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return what methods say of themselves: version, summary, properties."""
    environments = _environments(store)
    about: dict[str, dict[str, Any]] = {}
    for name in methods:
        described = describe(name, environments.get(name))
        facts = {fact: getattr(described.cls, fact, None) for fact in FACTS}
        lines = (described.cls.__doc__ or "").strip().splitlines()
        about[name] = {
            "version": described.version,
            "summary": lines[0] if lines else "",
            **{n: v for n, v in facts.items() if isinstance(v, bool | str)},
        }
    return about


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
    means (Welch's, normal quantiles, Bonferroni over methods and datasets). `problems`
    are drawn of each dataset; `progress` is called with the number of runs done, and of
    all.
    """
    with read_submission(file) as read:
        store, methods = read.store, list(read.methods)
        imports = [name for name in methods if ":" in name]
        check_trust(store, imports, trust=trust, where=str(file))
        rows = [r for r in runs_of(store, RUN, methods) if r["dataset"] in DATASETS]
        if not rows:
            raise InputError(
                f"{file} has no runs on a dataset of TSMD-Bench, so no unseen problems "
                f"can be drawn"
            )
        places = defaultdict(list)
        for row in rows:
            places[row["dataset"], row["method"]].append(row)
        quantile = NormalDist().inv_cdf(1 - VERIFY_LEVEL / (2 * len(places)))
        truths = read_truth(store.path)
        verified: list[Unseen] = []
        with _running(store, rows) as found_by:
            for (dataset, method), mine in sorted(places.items()):
                known = [
                    (truths[dataset, SPLIT, row["problem"]].sets, row["found"])
                    for row in mine
                ]
                setting = min(row["parameters"] for row in mine)  # of several, one seed
                new: list[Any] = []
                for problem in unseen_problems(dataset, seed, problems):
                    done = len(verified) * problems + len(new)
                    progress(done, problems * len(places))
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
