"""Run the requested experiments that are not stored yet; resume interrupted ones.

The `Driver` keeps an engine busy and a store filled, until nothing is missing. It is
the only one that writes. Rows are stored about every `FLUSH` seconds, and only then
reported as done, so a driver that is killed at any moment has lost nothing that it
reported; a resumed run does what is missing and nothing twice.
"""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tsmdbench.errors import ExperimentError, InputError, StoreError, TsmdbenchError
from tsmdbench.experiments.code_hash import is_hash, local_file
from tsmdbench.experiments.environments import Environment, interpreter_of
from tsmdbench.experiments.grids import (
    TUNED,
    Surface,
    no_grid,
    surface_of,
    tuned_toml,
    tuned_winners,
)
from tsmdbench.experiments.method_info import (
    CARDS,
    Described,
    as_methods,
    cards,
    session_methods,
)
from tsmdbench.experiments.results import (
    CompileWatch,
    Progress,
    RunResult,
    Summary,
    notebook_progress,
)
from tsmdbench.experiments.rows import ATTEMPTS, KILLED, STATUSES
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
from tsmdbench.experiments.tasks import Batcher, Group, Plan
from tsmdbench.experiments.truth import TRUTH, read_truth, truth_parquet
from tsmdbench.io import PathLike
from tsmdbench.plural import counted
from tsmdbench.registry import importable
from tsmdbench.validation import check_choice, check_integer

if TYPE_CHECKING:
    from tsmdbench.experiments.engine import Batch, Engine, Outcomes

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
        methods, travel=workers != 0, elsewhere=environment is not None
    )
    given = [datasets] if isinstance(datasets, str | Mapping) else list(datasets)
    stored = (importable(stored_name(one), "dataset") for one in given)
    asked = Specification(
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
    if out is None:
        path: PathLike = Path(tempfile.mkdtemp(prefix="tsmdbench-")) / "store"
    else:
        path = out
    summary = run_specification(
        asked,
        path,
        workers=workers,
        scheduler=scheduler,
        progress=notebook_progress() if progress is None else progress,
        session=session,
        force=force,
        shard=shard,
    )
    result = RunResult(**vars(summary), asked=asked)
    if out is None:  # it goes with the result, or when Python ends
        weakref.finalize(result, shutil.rmtree, Path(path).parent, ignore_errors=True)
    return result


def run_specification(
    asked: Specification,
    out: PathLike,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
    force: bool = False,
    session: Mapping[str, Described] | None = None,
    shard: str | None = None,
) -> Summary:
    """Run the missing runs of a specification.

    `run` makes the specification from its arguments; this is for one that was made
    before, for instance from the manifest of another store. The other options are those
    of `run`.

    Parameters
    ----------
    asked : Specification
    out : path
        The store; created, or extended where there is one.
    workers : int, optional
    scheduler : str, optional
    progress : Progress, optional
    force : bool, default False
    session : mapping, optional
        The methods among those that are objects of the session, by name.
    shard : str, optional

    Raises
    ------
    InputError
        The request is invalid; nothing was run.
    ExperimentError
        The store cannot be written, or the scheduler has stopped. What was reported as
        done is in the store.
    """
    if workers is not None and scheduler is not None:
        raise InputError("give the number of workers or a scheduler, not both")
    if workers is not None:
        check_integer(workers, "workers", minimum=0)
    cannot = check_platform()
    # Only now: these import what Windows does not have.
    from tsmdbench.experiments.engine import InProcess, LocalEngine

    if scheduler is not None:
        from tsmdbench.experiments.cluster import ClusterEngine, check_address

        check_address(scheduler)
    part = WHOLE if shard is None else Shard.of(shard)
    begun = time.monotonic()
    if asked.environment is not None:
        interpreter_of(asked.environment, (progress or Progress()).say)
    plan = Plan(asked, session)
    plan.check()

    def engine() -> Engine:
        if scheduler is not None:
            return ClusterEngine(asked.limits, scheduler)
        if workers == 0:
            return InProcess(asked.limits, session or {})
        return LocalEngine(asked.limits, workers)

    with _resumable(out, asked, session), StoreWriter(out) as writer:
        told = progress or Progress()
        for sentence in cannot:
            told.say(sentence)
        if writer.took_over:
            told.say(f"took over from {writer.took_over}, which was killed")
        notes = [*_changes(plan, Store(writer.path))]
        notes += map(no_grid, plan.untunable() if asked.tune else ())
        for sentence in notes:
            told.say(sentence)
        _remember(asked, plan, writer, part, elsewhere=scheduler is not None)
        with Driver(writer, told, engine, force=force, shard=part) as driver:
            driver.summary.versions = plan.versions
            surfaces = driver.tune(plan.searches) if asked.tune else []
            if surfaces is None:
                notes.append(
                    f"shard {part} of the search is done; merge all shards, then run "
                    f"them again on copies of the merged store, or resume that"
                )
                told.say(notes[-1])
            else:
                driver.do("runs", plan.runs(surfaces))
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
    kept = [Specification.from_dict(one) for one in Store(path).specifications]
    shard = Store(path).manifest.get(SHARD)
    if not kept:
        raise InputError(f"{path} has no experiment to resume; use 'tsmdbench run'")
    imports = sorted({name for one in kept for name in one.imports})
    asked = {name for one in kept for name in one.methods}
    gone = sorted(asked & session_methods(Store(path).manifest))
    if gone:
        raise InputError(
            f"{', '.join(gone)} of {path} was defined in a Python session and is not "
            f"stored; define it again and repeat the call of run"
        )
    check_trust(Store(path), imports, trust=trust)
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
            shard=shard,
        )
        for one in kept
    ]


def check_trust(
    store: Store, imports: Sequence[str], *, trust: bool, where: str = ""
) -> None:
    """Raise if names of a store must not be imported; make their files importable.

    Parameters
    ----------
    store : Store
    imports : sequence of str
        Names of the form ``module:object`` or ``file.py:object``.
    trust : bool
        Whether the user trusts them.
    where : str, optional
        What the store is called in the message, if not by its path.
    """
    if imports and not trust:
        names = ", ".join(imports)
        raise InputError(
            f"{where or store.path} asks to import and run {names}; if you trust "
            f"these, add --trust"
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
    path: PathLike, asked: Specification, session: Mapping[str, Described] | None
) -> Iterator[None]:
    """Note on Ctrl-C how to continue; the command line prints it."""
    try:
        yield
    except KeyboardInterrupt as stop:
        kept: list[Any] = []
        with suppress(TsmdbenchError, OSError):
            for one in Store(path).specifications:
                kept.append(Specification.from_dict(one).to_dict())
        if session:
            stop.add_note("continue with the same call of run")
        elif asked.to_dict() in kept:
            trust = " --trust" if asked.imports else ""
            command = f"tsmdbench resume {shlex.quote(str(path))}{trust}"
            stop.add_note(f"continue with '{command}'")
        else:
            stop.add_note("nothing was stored; repeat the same command")
        raise


def _changes(plan: Plan, store: Store) -> Iterator[str]:
    """Yield a sentence for each method that has changed since its last run."""
    for method, doubt in plan.doubts.items():
        yield (
            f"{method} is run again every time, since a change of its code cannot be "
            f"noticed: {doubt}; give it an attribute 'version' to decide yourself"
        )
    stored = store.versions()
    manifest = store.manifest
    for method, version in plan.versions.items():
        before = stored.get(method, ())
        if not before or before[-1] == version or method in plan.doubts:
            continue
        last = before[-1]
        if version in before:
            yield (
                f"{method} has version {version} again, not {last}: uses what is "
                f"stored of it"
            )
            continue
        since = noted_since(manifest, method, last)
        what = (
            f"the code of {method} changed{f' since {since}' * bool(since)}"
            if is_hash(version)
            else f"{method} has another version than before"
        )
        yield (
            f"{what}: runs it again as version {version}; the runs of version {last} "
            f"stay in the store"
        )


def _remember(
    asked: Specification,
    plan: Plan,
    writer: StoreWriter,
    shard: Shard,
    *,
    elsewhere: bool,
) -> None:
    """Record the request, its data and this host in the manifest."""
    manifest = Store(writer.path).manifest
    known: list[Any] = Store(writer.path).specifications
    manifest["specifications"] = known
    # Where a benchmark lies does not change what is requested.
    wanted = asked.to_dict() | {"folders": None}
    kept = [Specification.from_dict(k).to_dict() | {"folders": None} for k in known]
    if wanted in kept:
        known[kept.index(wanted)] = asked.to_dict()
    else:
        known.append(asked.to_dict())
        manifest.setdefault("planned", []).append(plan.planned)
    manifest["made_by"] = provenance()
    manifest.pop(SHARD, None)
    if shard != WHOLE:
        manifest[SHARD] = str(shard)
    for method, version in plan.versions.items():
        history = manifest.get("versions", {})
        manifest["versions"] = noted_version(history, method, version)
    manifest.setdefault(CARDS, {}).update(cards(plan.methods))
    files = {name: local_file(name) for name in asked.imports}
    known_files = {name: file for name, file in files.items() if file}
    if known_files:
        manifest[FILES] = manifest.get(FILES, {}) | known_files
    note_machine(manifest, elsewhere=elsewhere)
    if environments := plan.environments():
        manifest["environments"] = manifest.get("environments", {}) | environments
    for name, facts in plan.about_data().items():
        manifest.setdefault("datasets", {})[name] = facts
    before = read_truth(writer.path)
    truth = plan.truth(before)
    if truth != before:
        writer.write_file(TRUTH, truth_parquet(truth))
    writer.write_manifest(manifest)


class Driver:
    """Do groups of runs, as a context.

    Parameters
    ----------
    writer : StoreWriter
    told : Progress
    engine : callable
        Makes the engine, when the first run is to be done.
    force : bool
        Do also what is in the store, and forget what it came to before.
    shard : Shard
        Which part of the runs to do.
    """

    def __init__(
        self,
        writer: StoreWriter,
        told: Progress,
        engine: Callable[[], Engine],
        *,
        force: bool = False,
        shard: Shard = WHOLE,
    ) -> None:
        self._writer = writer
        self._told = told
        self._make_engine = engine
        self._engine: Engine | None = None
        self._force = force
        self._shard = shard
        self._renewed: set[str] = set()  # runs of this session are not forgotten
        self._lost: list[str] = []  # why runs have no result
        self._stack = ExitStack()
        self.summary = Summary(str(Path(writer.path)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.close()

    def tune(self, groups: Sequence[Group]) -> list[Surface] | None:
        """Do the searches, store their surfaces, and return them.

        None where runs of other shards are missing.
        """
        self.do("search", groups)
        if any(group.missing(self._writer.done) for group in groups):
            return None
        store = Store(self._writer.path)
        surfaces = [surface_of(store, group) for group in groups]
        for surface in surfaces:
            self._writer.write_file(surface.file, surface.to_parquet())
        if surfaces:
            text = tuned_toml(surfaces, tuned_winners(store))
            self._writer.write_file(TUNED, text.encode())
        return surfaces

    def do(self, title: str, groups: Sequence[Group]) -> None:
        """Do all runs of some groups that are not in the store."""
        if not groups:
            return
        if self._force:
            self._forget(groups)
        batcher = Batcher(groups, self._writer.done, self._shard)
        stored = batcher.total - batcher.runs
        self.summary.planned += batcher.total
        self.summary.skipped += stored
        self._told.begin(title, batcher.total, stored)
        try:
            if batcher.runs:
                self._work(batcher)
        finally:
            self._told.end()

    def _forget(self, groups: Sequence[Group]) -> None:
        """Take what groups came to before out of the store."""
        wanted = {key for group in groups for keys in group.run_keys() for key in keys}
        old = (wanted & self._writer.done) - self._renewed
        if old:
            self._writer.forget({"key": sorted(old)})
        self._renewed |= wanted

    def _work(self, batcher: Batcher) -> None:
        if self._engine is None:
            self._engine = self._make_engine()
            self._stack.enter_context(self._engine)
        waiting: list[str] = []
        compiling = CompileWatch(self._told)
        flushed = time.monotonic()
        try:
            for done in self._engine.stream(batcher.next_batch):
                if done is not None:
                    batcher.learn(*done)
                    waiting += self._add(*done)
                if time.monotonic() - flushed > FLUSH or len(waiting) > ROWS:
                    waiting = self._store(waiting)
                    compiling.look()
                    flushed = time.monotonic()
        except StoreError:
            raise
        except (ExperimentError, KeyboardInterrupt):
            self._store(waiting)  # whatever is gone, what came back is kept
            raise
        self._store(waiting)
        if self._lost:
            raise ExperimentError(
                f"{counted(len(self._lost), 'run')} could not be completed: "
                f"{self._lost[-1]} in {ATTEMPTS} attempts. Was it ended by a user, "
                f"or by the system for lack of memory? Then resume; all other runs are "
                f"stored"
            )

    def _add(self, batch: Batch, outcomes: Outcomes) -> list[str]:
        """Give the rows of a batch to the writer; return their statuses."""
        statuses = []
        for task, each in zip(batch, outcomes, strict=True):
            for run, outcome in zip(task.runs, each, strict=True):
                if outcome.status == KILLED:  # by whom, the method cannot know
                    self._lost.append(f"for {run.method}, {outcome.message}")
                    continue
                self._writer.add([run.row(outcome)])
                statuses.append(outcome.status)
        return statuses

    def _store(self, statuses: list[str]) -> list[str]:
        """Write the pending rows, then report them."""
        self._writer.flush()
        self.summary.ran.update(statuses)
        failed = sum(status != "ok" for status in statuses)
        self._told.advance(len(statuses), failed)
        return []
