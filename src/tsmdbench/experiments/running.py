"""Run the requested experiments that are not stored yet; resume interrupted ones.

The `Driver` keeps an engine busy and a store filled, until nothing is missing. Nothing
else writes to the store. Rows are stored about every `FLUSH` seconds, and only then
reported as done, so a driver that is killed at any moment has lost nothing that it
reported; a resumed run does what is missing and nothing twice.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import tempfile
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsmdbench.errors import ExperimentError, InputError, StoreError, TsmdbenchError
from tsmdbench.experiments.code_hash import is_hash, local_file
from tsmdbench.experiments.environments import Environment, interpreter_of
from tsmdbench.experiments.method_info import (
    FACTS,
    as_methods,
    declared_facts,
    noted_facts,
)
from tsmdbench.experiments.results import (
    CompileWatch,
    Progress,
    RunResult,
    Summary,
    notebook_progress,
)
from tsmdbench.experiments.rows import ATTEMPTS, KILLED, STATUSES
from tsmdbench.experiments.settings import (
    TUNED,
    no_grid,
    surface_of,
    surface_parquet,
    tuned_toml,
    tuned_winners,
)
from tsmdbench.experiments.sources import by_protocol, stored_name
from tsmdbench.experiments.specification import (
    WHOLE,
    Limits,
    Shard,
    Specification,
    check_platform,
    note_machine,
    provenance,
)
from tsmdbench.experiments.store import (
    FILES,
    SHARD,
    Store,
    StoreWriter,
    noted_since,
    noted_version,
)
from tsmdbench.experiments.tasks import Kind, Plan, Task, missing, next_batch
from tsmdbench.experiments.truth import TRUTH, joined, read_truth, truth_parquet
from tsmdbench.io import PathLike
from tsmdbench.methods import METHODS
from tsmdbench.methods.info import MethodInfo
from tsmdbench.plural import counted
from tsmdbench.registry import importable
from tsmdbench.validation import check_choice, check_integer

if TYPE_CHECKING:
    from tsmdbench.experiments.engine import Engine

FLUSH = 2.0  # seconds between parts; a killed driver loses no more than that
ROWS = 20_000  # rows that are not kept waiting


def run(
    methods: Any,
    datasets: Any,
    out: PathLike | None = None,
    *,
    split: str = "test",
    protocol: str = "validation",
    tune: bool = False,
    params: Mapping[str, Any] | None = None,
    grid: Any = "powers",
    radius: str = "own",
    limit: int | None = None,
    limit_validation: int | None = None,
    limits: Limits | None = None,
    repeats: int = 1,
    environment: Environment | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
    force: bool = False,
    shard: str | None = None,
) -> RunResult:
    """Run methods on the problems of datasets; keep the results in a store.

    Runs that are in the store are not repeated, unless the code of the method has
    changed since (`tsmdbench.experiments.code_hash`). A run that fails or
    exceeds a limit is stored with that status and does not stop the others.

    Parameters
    ----------
    methods : str, class, instance, function, or iterable of them
        Names out of `METHODS`, ``module:object`` or ``./file.py:object``; or the
        objects themselves, also those that a notebook defines. The fields of a class
        are computed from the validation split, an instance runs with the fields that it
        has, and further arguments of a function are fields, such as ``length`` in
        ``find(series, length)``.
    datasets : str, mapping, or iterable of them
        Names of TSMD-Bench or the recordings suite, ``"dials"``, ``folder/name`` of
        benchmarks that `write_benchmarks` wrote, or ``module:function`` that returns
        problems. A mapping gives options of `load_benchmark` or `load_dials`, such as
        ``{"name": "Symbols", "seed": 1}``.
    out : path, optional
        The store; created, or extended where there is one. By default a temporary
        folder, which is deleted together with the returned object.
    split : {"test", "validation"}
        Which problems.
    protocol : {"validation", "pvldb", "both"}
        Where parameters come from: validation problems, the truth of each problem, or
        both one after the other.
    tune : bool, default False
        Search each method's grid on the validation split first.
    params : mapping, optional
        Method to values of its fields; the others are computed from the validation
        split.
    grid : "powers", "full", "paper" or mapping
        What a search tries: a grid by name, or values per method and field.
    radius : {"own", "stacked"}
        How a radius is computed from the validation split, see `data_facts`.
    limit, limit_validation : int, optional
        Only the first problems of each split, or of the validation split.
    limits : Limits, optional
        Time and memory of a run; by default ``Limits()``.
    repeats : int, default 1
        Seeds of each method that has a field `seed`; scores are means over them.
    environment : Environment, optional
        Python environment of the methods ``file.py:Class`` and ``module:Class``.
    workers : int, optional
        Number of local processes; by default one per core. With 0 the methods run in
        the calling process, where they can be debugged, without time and memory limits.
    scheduler : str, optional
        Address of a Dask scheduler to use instead.
    progress : Progress, optional
        Reports the progress, see `progress_for`. By default the progress is shown in
        notebooks only.
    force : bool, default False
        Whether to repeat runs that are in the store, and replace them.
    shard : str, optional
        Only a part of the runs: ``"3/40"``, the third of 40 parts. Each part has a
        store of its own; `merge_stores` joins them.

    Returns
    -------
    RunResult
        How many runs were done, skipped and failed; their scores, the leaderboard,
        explanations of single problems, and a report.

    Raises
    ------
    InputError
        The request is invalid; nothing was run.
    ExperimentError
        The store cannot be written, or the scheduler has stopped. What was reported as
        done is in the store.

    Examples
    --------
    In a script::

        run(["locomotif", "stomp"], "JapaneseVowels", "my-store", limit=10)
        run(**experiment("demo"), out="my-store")

    In a notebook, with a function that was defined in a cell before::

        result = run([my_function, "stomp"], "JapaneseVowels", limit=20)
        leaderboard(result)
    """
    names, session = as_methods(
        methods, by_value=workers != 0, external=environment is not None
    )
    given = [datasets] if isinstance(datasets, str | Mapping) else list(datasets)
    stored = (importable(stored_name(one), "dataset") for one in given)
    request = Specification(
        by_protocol(stored, protocol),
        names,
        split=split,
        tune=tune,
        params={} if params is None else params,
        grid=grid,
        radius=radius,
        limit=limit,
        limit_validation=limit_validation,
        limits=Limits() if limits is None else limits,
        repeats=repeats,
        environment=environment,
    )
    made = tempfile.mkdtemp(prefix="tsmdbench-") if out is None else None
    summary = run_specification(
        request,
        f"{made}/store" if out is None else out,
        workers=workers,
        scheduler=scheduler,
        progress=notebook_progress() if progress is None else progress,
        session=session,
        force=force,
        shard=shard,
    )
    result = RunResult(**vars(summary), request=request)
    if made is not None:  # it goes with the result, or when Python ends
        weakref.finalize(result, shutil.rmtree, made, ignore_errors=True)
    return result


def run_specification(
    request: Specification,
    out: PathLike,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
    force: bool = False,
    session: Mapping[str, MethodInfo] | None = None,
    shard: str | None = None,
) -> Summary:
    """Run the missing runs of a specification.

    `run` makes the specification from its arguments; this is for one that was made
    before, for instance from the manifest of another store.

    Parameters
    ----------
    request : Specification
    out : path
        The store; created, or extended where there is one.
    session : mapping, optional
        The methods among those that are objects of the session, by name.
    workers, scheduler, progress, force, shard
        As for `run`, which also raises the same errors.
    """
    if workers is not None and scheduler is not None:
        raise InputError("give the number of workers or a scheduler, not both")
    if workers is not None:
        check_integer(workers, "workers", minimum=0)
    not_enforced = check_platform()
    # Only now: these import what Windows does not have.
    from tsmdbench.experiments.engine import InProcess, LocalEngine

    if scheduler is not None:
        from tsmdbench.experiments.cluster import ClusterEngine, check_address

        check_address(scheduler)
    part = WHOLE if shard is None else Shard.of(shard)
    begun = time.monotonic()
    shown = progress or Progress()
    if request.environment is not None:
        interpreter_of(request.environment, shown.say)
    plan = Plan(request, session)
    plan.check()

    def engine() -> Engine:
        if scheduler is not None:
            return ClusterEngine(request.limits, scheduler)
        if workers == 0:
            return InProcess(request.limits, session or {})
        return LocalEngine(request.limits, workers)

    with _resumable(out, request, session), StoreWriter(out) as writer:
        for sentence in not_enforced:
            shown.say(sentence)
        if writer.took_over:
            shown.say(f"took over from {writer.took_over}, which was killed")
        notes = _changes(plan.methods, Store(writer.path))
        if request.tune:
            searched = {method for method, _ in plan.searches}
            notes += [
                no_grid(method)
                for method in plan.methods
                if method.name not in searched and method.name not in METHODS.added()
            ]
        for sentence in notes:
            shown.say(sentence)
        _note_request(request, plan, writer, part, on_cluster=scheduler is not None)
        with Driver(writer, shown, engine, force=force, shard=part) as driver:
            driver.summary.versions = {m.name: m.version for m in plan.methods}
            winners = driver.tune(plan)
            if winners is None:
                notes.append(
                    f"shard {part} of the search is done; merge all shards, then run "
                    f"them again on copies of the merged store, or resume that"
                )
                shown.say(notes[-1])
            else:
                driver.do("runs", plan.runs(winners))
            driver.summary.notes = tuple(notes)
        writer.flush()
        writer.compact()
    driver.summary.seconds = time.monotonic() - begun
    return driver.summary


def resume(
    path: PathLike,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
    retry: Sequence[str] = (),
    trust: bool = False,
) -> list[Summary]:
    """Run the missing runs of a store; options as for `run`.

    Runs whose status is in `retry` (``"error"``, ``"timeout"``, ``"memory"``) are done
    again.

    A store contains the names of its methods and datasets. Those of the form
    ``module:object`` are imported only with `trust`, because importing runs their code,
    and a store from another person may name anything.
    """
    for status in retry:
        check_choice(status, "retry", STATUSES[1:])
    store = Store(path)
    manifest = store.manifest
    kept = [Specification.from_dict(one) for one in store.specifications]
    if not kept:
        raise InputError(f"{path} has no experiment to resume; use 'tsmdbench run'")
    imports = sorted({name for one in kept for name in one.imports})
    requested = {name for one in kept for name in one.methods}
    noted = declared_facts(manifest)
    gone = sorted(name for name in requested & set(noted) if noted[name].session)
    if gone:
        raise InputError(
            f"{', '.join(gone)} of {path} was defined in a Python session and is not "
            f"stored; define it again and repeat the call of run"
        )
    check_trust(store, imports, trust=trust)
    if retry:
        with StoreWriter(path) as writer:
            writer.forget({"status": retry})
    return [
        run_specification(
            one,
            path,
            workers=workers,
            scheduler=scheduler,
            progress=progress,
            shard=manifest.get(SHARD),
        )
        for one in kept
    ]


def check_trust(
    store: Store, imports: Sequence[str], *, trust: bool, where: str = ""
) -> None:
    """Raise if names of a store must not be imported; make their files importable.

    The names have the form ``module:object`` or ``file.py:object``. A message calls the
    store by its path, or by `where`.
    """
    if imports and not trust:
        names = ", ".join(imports)
        raise InputError(
            f"{where or store.path} names code that would be imported and run, "
            f"{names}; if you trust it, add --trust"
        )
    files = store.manifest.get(FILES, {})
    for name in imports:
        place, _, attribute = name.rpartition(":")
        # A packed store does not say where the file was; it may be in this folder.
        file = files.get(name, str(Path(f"{place}.py").absolute()))
        if not isinstance(file, str) or not Path(file).is_file():
            continue
        if not place.endswith(".py"):
            if importlib.util.find_spec(place.partition(".")[0]) is None:
                importable(f"{file}:{attribute}")
        elif not Path(place).is_file():
            folder = str(Path(file)).removesuffix(str(Path(place)))
            raise InputError(
                f"{place} of {store.path} is not in this folder; it was run in {folder}"
            )


@contextmanager
def _resumable(
    path: PathLike, request: Specification, session: Mapping[str, MethodInfo] | None
) -> Iterator[None]:
    """Note on Ctrl-C how to continue; the command line prints it."""
    try:
        yield
    except KeyboardInterrupt as stop:
        kept: list[Any] = []
        with suppress(TsmdbenchError, OSError):
            specifications = map(Specification.from_dict, Store(path).specifications)
            kept = [one.to_dict() for one in specifications]
        note = "nothing was stored; repeat the same command"
        if session:
            note = "continue with the same call of run"
        elif request.to_dict() in kept:
            trust = " --trust" if request.imports else ""
            note = f"continue with 'tsmdbench resume {shlex.quote(str(path))}{trust}'"
        stop.add_note(note)
        raise


def _changes(methods: Sequence[MethodInfo], store: Store) -> list[str]:
    """Return a sentence for each method that has changed since its last run."""
    sentences, stored = [], store.versions()
    for method in methods:
        name, version = method.name, method.version
        before = stored.get(name, ())
        last = before[-1] if before else version
        if method.uncertain:
            sentences.append(
                f"{name} is run again every time, since a change of its code cannot be "
                f"noticed: {method.uncertain}; give it an attribute 'version' to "
                f"decide yourself"
            )
        elif last != version and version in before:
            sentences.append(
                f"{name} has version {version} again, not {last}: uses what is stored "
                f"of it"
            )
        elif last != version:
            what = f"{name} has another version than before"
            if is_hash(version):
                since = noted_since(store.manifest, name, last)
                what = f"the code of {name} changed{f' since {since}' * bool(since)}"
            sentences.append(
                f"{what}: runs it again as version {version}; the runs of version "
                f"{last} stay in the store"
            )
    return sentences


def _note_request(
    request: Specification,
    plan: Plan,
    writer: StoreWriter,
    shard: Shard,
    *,
    on_cluster: bool,
) -> None:
    """Record the request, its methods, its data and this host in the manifest."""
    manifest = Store(writer.path).manifest
    known = manifest["specifications"]
    # Where a benchmark lies does not change what is requested.
    wanted = request.to_dict() | {"folders": None}
    kept = [Specification.from_dict(k).to_dict() | {"folders": None} for k in known]
    if wanted in kept:
        known[kept.index(wanted)] = request.to_dict()
    else:
        known.append(request.to_dict())
        manifest.setdefault("planned", []).append(plan.planned)
    manifest["made_by"] = provenance()
    note_machine(manifest, on_cluster=on_cluster)
    manifest.pop(SHARD, None)
    if shard != WHOLE:
        manifest[SHARD] = str(shard)
    manifest.setdefault(FACTS, {}).update(noted_facts(plan.methods))
    for method in plan.methods:
        history = manifest.get("versions", {})
        manifest["versions"] = noted_version(history, method.name, method.version)
        if method.environment is not None:
            # Python and packages, not folders: those describe a machine.
            requirements = list(method.environment.requirements)
            about = {"requirements": requirements, **method.cls.about}
            places = manifest.setdefault("environments", {})
            places[f"{method.name} {method.version}"] = about
    for name in request.imports:
        if file := local_file(name):
            manifest.setdefault(FILES, {})[name] = file
    datasets = manifest.setdefault("datasets", {})
    for dataset, facts in plan.facts.items():
        recipes = {
            split: getattr(problems, "recipe_sha256", None)
            for (name, split), problems in plan.problems.items()
            if name == dataset
        }
        known_facts = asdict(facts) if facts else None
        datasets[dataset] = {"facts": known_facts, "recipe_sha256": recipes}
    truth = before = read_truth(writer.path)
    for (dataset, split), truths in plan.truths.items():
        truth = joined(truth, dataset, split, truths)
    if truth != before:
        writer.write_file(TRUTH, truth_parquet(truth))
    writer.write_manifest(manifest)


class Driver(ExitStack):
    """Do the tasks of a shard and store their rows, as a context.

    `engine` makes the engine, when the first run is to be done. With `force`, what is
    in the store is done, too, and replaced.
    """

    def __init__(
        self,
        writer: StoreWriter,
        shown: Progress,
        engine: Callable[[], Engine],
        *,
        force: bool = False,
        shard: Shard = WHOLE,
    ) -> None:
        super().__init__()
        self._writer = writer
        self._shown = shown
        self._make_engine = engine
        self._engine: Engine | None = None
        self._force = force
        self._shard = shard
        self._renewed: set[str] = set()  # runs of this session are not forgotten
        self.summary = Summary(str(Path(writer.path)))

    def tune(self, plan: Plan) -> dict[tuple[str, str], dict[str, Any]] | None:
        """Do the searches, store their surfaces, and return the winners.

        None where runs of other shards are missing.
        """
        searches = [plan.search(*key) for key in plan.searches]
        if not searches:
            return {}
        self.do("search", [task for tasks in searches for task in tasks])
        if any(missing(tasks, self._writer.done) for tasks in searches):
            return None
        store, winners = Store(self._writer.path), {}
        for (method, dataset), tasks in zip(plan.searches, searches, strict=True):
            truths = plan.truths[dataset, "validation"]
            winners[method, dataset], surface = surface_of(store, tasks, truths)
            name = re.sub(r"\W+", "-", f"{dataset}-{method}")
            data = surface_parquet(surface)
            self._writer.write_file(f"tuning/{name}.parquet", data)
        text = tuned_toml({**tuned_winners(store), **winners})
        self._writer.write_file(TUNED, text.encode())
        return winners

    def do(self, title: str, tasks: Sequence[Task]) -> None:
        """Do the runs of this shard that are not in the store."""
        if self._force:
            wanted = {run.key for task in tasks for run in task.runs}
            old = (wanted & self._writer.done) - self._renewed
            if old:
                self._writer.forget({"key": sorted(old)})
            self._renewed |= wanted
        mine = tasks[self._shard.number - 1 :: self._shard.total]
        left = missing(mine, self._writer.done)
        total = sum(len(task.runs) for task in mine)
        stored = total - sum(len(task.runs) for task in left)
        self.summary.planned += total
        self.summary.skipped += stored
        self._shown.begin(title, total, stored)
        try:
            if left:
                self._work(left)
        finally:
            self._shown.end()

    def _work(self, left: deque[Task]) -> None:
        """Keep the engine busy, and store what comes back about every `FLUSH` s."""
        if self._engine is None:
            self._engine = self.enter_context(self._make_engine())
        spent: dict[Kind, tuple[float, int]] = {}
        waiting: list[str] = []  # statuses of the rows that are not written yet
        lost: list[str] = []  # why runs have no result
        compiling = CompileWatch(self._shown)
        flushed = time.monotonic()

        def store() -> None:
            self._writer.flush()
            self.summary.ran.update(waiting)
            failed = sum(status != "ok" for status in waiting)
            self._shown.advance(len(waiting), failed)
            waiting.clear()

        try:
            for done in self._engine.stream(partial(next_batch, left, spent)):
                for task, outcomes in zip(*done, strict=True) if done else ():
                    seconds, number = spent.get(task.kind, (0.0, 0))
                    seconds += sum(outcome.seconds for outcome in outcomes)
                    spent[task.kind] = seconds, number + 1
                    for run, outcome in zip(task.runs, outcomes, strict=True):
                        if outcome.status == KILLED:  # by whom, the method cannot know
                            lost.append(f"for {run.method}, {outcome.message}")
                            continue
                        self._writer.add([run.row(outcome)])
                        waiting.append(outcome.status)
                if time.monotonic() - flushed > FLUSH or len(waiting) > ROWS:
                    store()
                    compiling.look()
                    flushed = time.monotonic()
        except StoreError:
            raise
        except (ExperimentError, KeyboardInterrupt):
            store()  # whatever is gone, what came back is kept
            raise
        store()
        if lost:
            raise ExperimentError(
                f"{counted(len(lost), 'run')} could not be completed: {lost[-1]} in "
                f"{ATTEMPTS} attempts. Was it ended by a user, or by the system for "
                f"lack of memory? Then resume; all other runs are stored"
            )
