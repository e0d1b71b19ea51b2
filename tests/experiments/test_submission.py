"""A submission is complete, recomputed and packed, or refused with the reason."""

import dataclasses
import hashlib
import io
import json
import re
import shutil
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.experiments.driving import LIMITS, MOCKS, PROBLEMS
from tsmdbench.cli import main
from tsmdbench.errors import InputError
from tsmdbench.experiments import packed_sets, submission
from tsmdbench.experiments.running import run_specification
from tsmdbench.experiments.specification import Limits, Specification
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.experiments.submission import (
    Entry,
    check_submission,
    read_entry,
    read_submission,
    recompute,
    required_datasets,
    runs_digest,
    sample,
    submit,
)

METHOD, DATA = f"{MOCKS}Mock", f"{PROBLEMS}small"
PLAIN = f"{MOCKS}Plain"
ENTRY = Entry("Mine", "1.0", "CC-BY-4.0", "me@example.org")
ABOUT = "submission.json"
MANIFEST = "store/manifest.json"
FILES = {ABOUT, MANIFEST, "store/truth.parquet"}
CHOSEN = "settings chosen without the test split"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """All test problems of a small dataset, and another method besides."""
    path = tmp_path_factory.mktemp("submission") / "store"
    params = {PLAIN: {"length": 7}}
    request = Specification((DATA,), (METHOD, PLAIN), params=params, limits=LIMITS)
    run_specification(request, path, workers=0)
    return path


@pytest.fixture
def copy(store, tmp_path):
    return shutil.copytree(store, tmp_path / "copy")


def changed(path, change):
    """Write the rows of a store anew, each changed."""
    rows = [change(row) for row in Store(path).table().to_pylist()]
    for part in Store(path).parts():
        part.unlink()
    with StoreWriter(path) as writer:
        writer.add([row for row in rows if row is not None])
    return Store(path)


def request(path, **fields):
    """Change what the manifest says was requested."""
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["specifications"][0] |= fields
    (path / "manifest.json").write_text(json.dumps(manifest))


def findings(path, entry=ENTRY, method=METHOD):
    return {f.rule: f for f in check_submission(Store(path), entry, [method], [DATA])}


def broken(path, **options):
    return [rule for rule, f in findings(path, **options).items() if not f.kept]


def submitted(store, out, **options):
    given = {"methods": [METHOD], "datasets": [DATA], "trust": True, **options}
    return submit(store, out, ENTRY, **given)


@pytest.fixture(scope="module")
def once(store, tmp_path_factory):
    return submitted(store, tmp_path_factory.mktemp("packed") / "mine.zip").file


def test_the_required_datasets_are_those_of_the_baselines():
    from tsmdbench.analysis.baselines import load_baselines

    known = {row[0] for row in load_baselines().counts()}
    assert set(required_datasets()) == known


def test_a_complete_store_is_packed_and_read_again(store, once, tmp_path):
    result = submitted(store, tmp_path / "mine.zip", share=0.2)
    assert result.accepted, [str(f) for f in result.findings]
    assert (result.recomputed.runs, result.recomputed.equal) == (3, 3)
    with read_submission(result.file) as read:
        assert read.entry == ENTRY
        done = read.recomputed
        assert (done.share, done.runs, done.equal) == (0.2, 3, 3)
        assert done.of == runs_digest(read.store, [METHOD])
        assert set(read.methods) == {METHOD}
        assert read.methods[METHOD]["variable_length"] == "no"
        assert len(read.store) == 12
        assert {row[2] for row in read.store.counts()} == {METHOD}
        assert "host" not in read.store.manifest["made_by"]
        assert all(finding.kept for finding in read.findings)
    # The same content is the same file, and there is no code in it.
    again = submitted(store, tmp_path / "again.zip").file
    assert again.read_bytes() == once.read_bytes()
    names = set(zipfile.ZipFile(again).namelist())
    assert names > FILES
    assert not [name for name in names if name.endswith((".py", ".pkl", ".pyc"))]


def with_seed(row, seed):
    fields = {**json.loads(row["parameters"]), "seed": seed}
    return {**row, "parameters": json.dumps(fields, sort_keys=True)}


def ends(row, *numbers):
    return row["problem"].endswith(numbers)


@pytest.mark.parametrize(
    ("change", "rule", "seen"),
    [
        (
            lambda row: None if ends(row, "003") else row,
            "all problems of the test split",
            "11 of 12 runs .*missing .*test/003",
        ),
        (
            lambda row: {**row, "data": "0" * 32},
            "all problems of the test split",
            "on other data .* and 9 more",
        ),
        (
            lambda row: {**row, "data": ""},
            "a hash of the problem in every run",
            "0 of 12 runs",
        ),
        (
            lambda row: (
                {**row, "parameters": '{"length": 9}'} if ends(row, "001") else row
            ),
            "one setting per method and dataset",
            "Mock on .* has 2 settings",
        ),
        (
            lambda row: with_seed(row, int(ends(row, "003"))),
            "the same seeds on every problem",
            "Mock on .* has 2 selections of seeds",
        ),
        (
            lambda row: {**row, "version": row["problem"][-1]},
            "one version per method and dataset",
            "Mock on .* has 10 versions",
        ),
    ],
)
def test_a_rule_that_the_runs_break_is_named(copy, change, rule, seen):
    changed(copy, change)
    assert broken(copy) == [rule]
    assert re.search(seen, findings(copy)[rule].seen)


def test_repeats_with_several_seeds_are_one_setting(copy):
    rows = Store(copy).table().to_pylist()
    changed(copy, lambda row: with_seed(row, 0))
    with StoreWriter(copy) as writer:
        writer.add([{**with_seed(r, 1), "key": r["key"][::-1]} for r in rows])
    assert broken(copy) == []
    seen = findings(copy)["the same seeds on every problem"].seen
    assert seen == "at most 2 runs per problem"


def test_settings_that_were_given_must_be_declared(store):
    assert broken(store, method=PLAIN) == [CHOSEN]
    declared = dataclasses.replace(ENTRY, tuning="The value of the paper.")
    assert broken(store, method=PLAIN, entry=declared) == []
    assert "1 given" in findings(store, method=PLAIN, entry=declared)[CHOSEN].seen


def test_a_setting_that_did_not_win_its_search_is_noticed(copy):
    request(copy, tune=True)
    winners = copy / "tuning" / "tuned.toml"
    winners.parent.mkdir()
    heading = f'["{METHOD}"."datasets"."{DATA}"]\n'
    stored = json.loads(Store(copy).table(["parameters"])["parameters"][0].as_py())
    fields = {k: v for k, v in stored.items() if v is not None}
    right = "".join(f"{k} = {json.dumps(v)}\n" for k, v in fields.items())
    winners.write_text(heading + right)
    assert broken(copy) == []
    winners.write_text(heading + "length = 3\n")
    assert broken(copy) == [CHOSEN]
    winners.write_text("[")
    with pytest.raises(InputError, match=r"tuned\.toml cannot be read"):
        findings(copy)


def test_limits_above_the_standard_are_noticed(copy):
    limits = dataclasses.asdict(Limits())
    request(copy, limits={**limits, "seconds": limits["seconds"] + 1})
    (rule,) = broken(copy)
    assert rule.startswith("limits of at most 600 s and 4 GiB")


def test_a_changed_result_or_method_is_noticed_by_recomputing(copy, tmp_path):
    changed(copy, lambda row: {**row, "found": [[[0, 5], [5, 10]]]})
    result = submitted(copy, tmp_path / "mine.zip", share=0.1)
    assert not result.accepted
    assert "0 of 2 the same" in result.findings[-1].seen
    assert not (tmp_path / "mine.zip").exists()
    changed(copy, lambda row: {**row, "version": "of yesterday"})
    with pytest.raises(InputError, match="but the runs are of of yesterday"):
        recompute(Store(copy), [METHOD])


def test_which_runs_are_recomputed_follows_from_what_was_found(copy):
    """A result that is changed changes the sample: nobody can work around it."""

    def sampled(store):
        seed = int(runs_digest(store, [METHOD]), 16)
        return [row["problem"] for row in sample(store, [METHOD], 0.3, seed)]

    first = sampled(Store(copy))
    assert len(set(first)) == 4
    changed(copy, lambda row: row)  # the same, in another order and other files
    assert sampled(Store(copy)) == first
    one = Store(copy).table(["key"], {"method": METHOD})["key"][0].as_py()
    drawn = set()
    for number in range(8):
        other = [[[number, 9], [10, 19]]]
        changed(copy, lambda r, o=other: {**r, "found": o} if r["key"] == one else r)
        drawn.add(tuple(sampled(Store(copy))))
    assert len(drawn) > 2


def test_an_entry_from_file_and_options(tmp_path):
    file = tmp_path / "entry.toml"
    file.write_text(
        'name = "Mine"\nversion = "1"\nlicence = "MIT"\ncontact = "me"\n'
        "date = 2026-11-16\n"
    )
    entry = read_entry(file, {"version": "2", "licence": None})
    assert (entry.version, entry.licence, entry.date) == ("2", "MIT", "2026-11-16")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "is not a TOML file"),
        ('version = " "', "version is missing; give --version"),
        ('colour = "red"', "'colour' is not a field"),
        ("name = 3", "name must be a text"),
        ('name = "a\\nb"', "name must be one line"),
        (f'name = "{"x" * 2000}"', "name must be one line"),
        ('url = "javascript:alert(1)"', "url must be an address"),
        ('date = "yesterday"', "date must be written YYYY-MM-DD"),
    ],
)
def test_bad_entries(tmp_path, text, message):
    file = tmp_path / "entry.toml"
    file.write_text(text, encoding="utf-8")
    known = {"name": "Mine", "version": "1", "licence": "MIT", "contact": "me"}
    given = {name: None if name in text else known[name] for name in known}
    with pytest.raises(InputError, match=message):
        read_entry(file, given)
    with pytest.raises(InputError, match="cannot be read"):
        read_entry(tmp_path / "nowhere.toml", given)


@pytest.fixture
def packed(once, tmp_path):
    return shutil.copy(once, tmp_path / "mine.zip")


def edited(path, change):
    """Change the parts of a file, and what it says of itself."""
    with zipfile.ZipFile(path) as before:
        parts = {name: before.read(name) for name in before.namelist()}
    whole, about = parts[ABOUT], json.loads(parts[ABOUT])
    change(parts, about)
    if parts.get(ABOUT) == whole:
        parts[ABOUT] = json.dumps(about).encode()
    with zipfile.ZipFile(path, "w") as after:
        for name, data in parts.items():
            after.writestr(name, data)
    return path


def without_runs(parts, about):
    for name in [name for name in parts if "/runs-" in name]:
        del parts[name], about["files"][name]
    digest = hashlib.sha256(b"").hexdigest()
    about["recomputed"] |= {"runs": 0, "equal": 0, "of": digest}
    about["methods"] = {}


def forged(part, change):
    """Change a part of the store, and its checksum."""

    def forge(parts, about):
        (name,) = [name for name in parts if name.startswith(f"store/{part}")]
        parts[name] = change(parts[name])
        about["files"][name] = hashlib.sha256(parts[name]).hexdigest()

    return forge


def with_values(column, value):
    """Return a function that fills a column of a Parquet file."""

    def change(data):
        table = pq.read_table(io.BytesIO(data))
        place, made = table.column_names.index(column), io.BytesIO()
        filled = pa.array([value], packed_sets.LISTS) if column == "found" else None
        given = value if filled is None else packed_sets.packed(filled)[0]
        values = pa.array([given] * len(table), table.schema.field(column).type)
        pq.write_table(table.set_column(place, column, values), made)
        return made.getvalue()

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *(
            (forged(part, with_values(column, value)), message)
            for part, column, value, message in (
                (
                    "runs-",
                    "seconds",
                    float("inf"),
                    r"\(store/runs-\S+: damaged .*inite",
                ),
                ("runs-", "found", [[[0, 2**62]]], "ends beyond the series"),
                ("runs-", "found", [[[0, 9, 5, 0, 9]]], "channel 5 must be below 1"),
                ("runs-", "data", "0" * 32, "not the one that its truth is of"),
                ("truth", "channels", 0, r"\(store/truth.parquet is damaged"),
            )
        ),
        (forged("manifest", lambda _: b"{}"), r"\(store/manifest.json is damaged"),
        (lambda _, a: a["entry"].update(name="\ud800"), "has no submission.json"),
        (lambda p, _: p.update({MANIFEST: b"{}"}), "not those that were packed"),
        (lambda p, _: p.pop(MANIFEST), "not those that were packed"),
        (lambda p, _: p.update({"store/run.py": b"x"}), "has no part 'store/run.py'"),
        (lambda p, _: p.update({"../evil": b"x"}), "has no part '../evil'"),
        (lambda p, _: p.update({"/etc/evil": b"x"}), "has no part '/etc/evil'"),
        (lambda p, _: p.update({ABOUT: b"[1]"}), "not of format 2"),
        (lambda p, _: p.update({ABOUT: b"["}), "has no submission.json"),
        (lambda p, _: p.pop(ABOUT), "has no submission.json"),
        (without_runs, "of other methods than it describes"),
        (lambda _, a: a["methods"].update(x={"version": "1"}), "of other methods than"),
        (lambda _, a: a["methods"][METHOD].pop("version"), "has no 'version'"),
        (lambda _, a: a["methods"][METHOD].update(symbolic=[1]), r"is \[1\]"),
        (lambda _, a: a["entry"].update(version=2**4000), "entry.version is 1"),
        (lambda _, a: a["recomputed"].update(share=float("nan")), "must be a number"),
        (lambda _, a: a["recomputed"].update(share=0), r"in \[0.1, 1\], got 0"),
        (lambda _, a: a["recomputed"].update(share=True), "share is True"),
        (lambda _, a: a["recomputed"].update(runs=[2]), r"runs is \[2\]"),
        (lambda _, a: a["recomputed"].update(runs=1, equal=1), "2 must be"),
        (lambda _, a: a["recomputed"].update(equal=1), "1 of 2 runs recomputed are"),
        (lambda _, a: a["recomputed"].update(of="0" * 64), "not those of which a part"),
        (lambda _, a: a.pop("entry"), "description has no 'entry'"),
        (lambda _, a: a["entry"].update(name=3), "entry.name is 3"),
        (lambda _, a: a.update(methods=[]), r"methods is \[\]"),
        (lambda _, a: a.update(findings=3), "findings is 3"),
        (lambda _, a: a["findings"].append(["x"]), "can be used"),
    ],
)
def test_a_file_that_was_changed_is_refused(packed, change, message, capsys):
    edited(packed, change)
    assert main(["board", str(packed), "--out", str(packed.parent / "site")]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert re.search(message, said)
    assert "is not a submission that can be used" in said
    assert [file.name for file in packed.parent.iterdir()] == ["mine.zip"]


def test_damaged_files_are_refused(packed, tmp_path, monkeypatch):
    def refused(file, message):
        with pytest.raises(InputError, match=message), read_submission(file):
            pytest.fail("it was read")

    whole = packed.read_bytes()
    for data in (b"", b"PK", whole[:-50], whole[:200]):
        file = tmp_path / "damaged.zip"
        file.write_bytes(data)
        refused(file, "is not a submission")
    refused(tmp_path / "nowhere.zip", "cannot be read")
    monkeypatch.setattr(submission, "LARGEST", 100)
    refused(packed, "more than 100")


def perfect(parts, about):
    """Make all runs perfect by hand, with new checksums."""
    truth = pq.read_table(io.BytesIO(parts["store/truth.parquet"])).to_pylist()
    sets = {row["problem"]: row["truth"] for row in truth}

    def change(data):
        runs, made = pq.read_table(io.BytesIO(data)), io.BytesIO()
        rows = [{**row, "found": sets[row["problem"]]} for row in runs.to_pylist()]
        pq.write_table(pa.Table.from_pylist(rows, schema=runs.schema), made)
        return made.getvalue()

    forged("runs-", change)(parts, about)


def test_a_file_edited_by_hand_does_not_pass_as_recomputed(
    packed, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    check = ["submit", str(packed), "--check", "--trust", "--dataset", DATA]
    check += ["--out", "checks/mine.json"]
    board = ["board", str(packed), "--out", "site", "--baselines", "none"]
    board += ["--no-explorers", "--quiet", "--checks", "checks"]
    (tmp_path / "checks").mkdir()

    def shown():
        assert main(board) == 0
        made_of = json.loads((tmp_path / "site" / "board.json").read_text())
        index = (tmp_path / "site" / "index.html").read_text()
        return made_of["entries"][0]["recomputed"]["keeper"], index

    keeper, index = shown()
    assert keeper is None  # what an author says is not a check of the board
    assert "not yet" in index
    assert ">checked</span>" not in index
    assert main([*check, "--recompute", "0.5"]) == 0
    out = capsys.readouterr().out
    assert "50% of the runs recomputed, drawn by the keeper: 6 of 6 the same" in out
    keeper, index = shown()
    assert (keeper["share"], keeper["runs"], keeper["equal"]) == (0.5, 6, 6)
    assert ">checked</span>" in index
    # Only the checksums are new: the runs are not those that were recomputed.
    edited(packed, perfect)
    assert main(board) == 2
    assert "not those of which a part was recomputed" in capsys.readouterr().err
    # The hash of the runs is new, too: nobody can see that, but nothing is checked.
    zipfile.ZipFile(packed).extractall(tmp_path / "forged")
    digest = runs_digest(Store(tmp_path / "forged" / "store"), [METHOD])
    edited(packed, lambda _, about: about["recomputed"].update(of=digest))
    keeper, index = shown()
    assert keeper is None
    assert ">checked</span>" not in index
    assert main(check) == 1
    assert "0 of 2 the same" in capsys.readouterr().out
