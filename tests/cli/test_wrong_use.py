"""Wrong use of any command: one sentence, status 2, and nothing is written."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest

from tests.experiments.driving import MOCKS, PROBLEMS
from tsmdbench.cli import main
from tsmdbench.example import write_example
from tsmdbench.methods.contract import planted_problem

RUN = f"run --dataset {PROBLEMS}small"
MOCK = f"{RUN} --method {MOCKS}Mock"
SEARCH = "discover series.npy -m setfinder"
SET = "--set length=50 --set radius=1"
TIMED = "discover timed.csv -m setfinder"
SWEEP = "discover series.npy -m stomp --set length=50"

# A command line and a part of the sentence.
CASES = f"""
evaluat | No such command
run --preset best | use the experiment alone
discover series.npy --show time | use --units
datasets --json | 'tsmdbench datasets list'
evaluate none.json found.json | none.json does not exist
evaluate truth.json | Missing argument
evaluate truth.json found.json --threshold 2 | threshold must lie in
evaluate truth.json found.json --threshold x | a valid
evaluate truth.json found.json --tresh 0.5 | No such option
evaluate truth.json found.json --plot x.bmp | a figure must end in
evaluate truth.json found.json --plot no/x.png | folder no does not exist
evaluate truth.json found.json --plot x.html | give it with --series
evaluate . found.json | is a folder
evaluate truth.json found.json --series series.npy | ends beyond the series, which has 7
evaluate truth.json found.json --missing split | must be one of 'keep', 'interpolate'
evaluate truth.json found.json --metric prom_f9 | did you mean
evaluate truth.json found.json --metric score --threshold 0.7 | no option 'threshold'
evaluate truth.json found.json --metric score --explain | belong to PROM's table
evaluate truth.json found.json --format nope | no format of motif sets 'nope'
evaluate truth.json found.json --units weeks | units must be one of
view no.csv | no.csv does not exist
view walk.csv --truth no.json | no.json does not exist
view walk.csv --out x.png | a page must end in .html, got '.png'
view walk.csv --out no/x.html | the folder no does not exist
view walk.csv --serve | give --truth FILE, which need not exist yet
view walk.csv --serve --truth no/t.json | folder no does not exist
view walk.csv --serve --truth t.qrs | cannot be written
view walk.csv --serve --truth t.xyz | t.xyz
view walk.csv --serve --truth t.json --out x.html | --serve
view walk.csv --serve --truth t.json --units s | --units s would not read its file again
view walk.csv --port 8000 | add --serve
view walk.csv --missing split | --missing must be one of 'keep', 'interpolate', 'error'
view walk.csv --found found.json --found found.json | twice
view walk.csv --columns up | up
convert short.json x.TextGrid | no sampling rate is known
convert short.json x.csv --out-units weeks | units must be one of
convert short.json x.npy | cannot be written
convert late.csv x.json --series walk.csv | which ends at 8 s
discover none.csv -m setfinder {SET} | none.csv does not exist
discover none.ts -m setfinder {SET} | none.ts does not exist
discover series.npy -m setfindr {SET} | no method 'setfindr'; did you mean 'setfinder'
discover series.npy -m no_module:Thing | cannot import method 'no_module:Thing'
{SEARCH} | setfinder needs length, radius: --set length=...
{SEARCH} --set length | --set takes KEY=VALUE
{SEARCH} --set l=3 | setfinder has no parameter 'l'; known
{SEARCH} {SET} --set radius=x | radius must be a number
{SEARCH} {SET} --max-sets 0 | max_sets must be at least 1
{SEARCH} {SET} --plot a.gif | a figure must end in .png
{SEARCH} {SET} --plot no/a.png | folder no does not exist
{SEARCH} {SET} --case 1 | --case is for .ts files
{SEARCH} {SET} --units s | --units s needs a sampling rate
{SEARCH} --set length=500ms --set radius=1 | give --rate HZ
{TIMED} --set length=50 --set radius=1s | radius is not counted in samples
{TIMED} {SET} --set channel=up | no channel
{TIMED} {SET} --missing x | missing must be one of
{TIMED} {SET} --units x | --units must be
{TIMED} --set length=1s --set radius=1 --rate 7 | rate is 7 Hz
{SWEEP} --sweep length | KEY=V1,V2
{SWEEP} --sweep size=1,2 | no parameter 'size'
{SWEEP} --sweep auto --sweep length=3,4 | cannot be combined
{SWEEP} --sweep length=30,40 --sweep length=50 | twice
{SWEEP} --sweep length=30,40 --out x.json | need one
build Vowels --out x | TSMD-Bench has no dataset 'Vowels'
build Plane --from x.csv --out x | not both
build --from x.csv --out x | x.csv does not exist
build --from none --out x | unknown format
build --from walks --g-min 2 --out x | --g-min has no effect
build JapaneseVowels --piece 3s --out x | it needs --from
build JapaneseVowels --from walks --out x | not both
build MITBIH --seed 3 --out x | --seed has no effect on these problems
build --check walks --seed 3 --out x | has no effect
build --from walks --piece 3s --out x | needs a sampling rate
datasets list --data nowhere | nowhere does not exist
datasets select --max-instances 1 | at least 2
run | experiment or at least one --dataset
{RUN} | experiment or at least one --method
run huge | experiment must be one of 'demo', 'quick', 'paper', 'best', 'pvldb'
{RUN} --method locomotiv | no method 'locomotiv'
run --dataset JapanVowels --method {MOCKS}Mock | JapanVowels
{MOCK} --time-limit soon | must be written like 600s
{MOCK} --time-limit 0s | must be above 0
{MOCK} --memory-limit '4 elephants' | like 4GiB
{MOCK} --memory-limit 1MB | at least 256MiB
{MOCK} --params no.toml | no.toml does not exist
{MOCK} --grid no.toml | no.toml does not exist
{MOCK} --split train | split must be one of
{MOCK} --limit 0 | limit must be at least 1
{MOCK} --repeats 0 | repeats must be at least 1
{MOCK} --workers 2 --scheduler tcp://x:1 | workers or a scheduler, not both
resume nowhere | nowhere is not a store
status nowhere | nowhere is not a store
store repair nowhere | nowhere is not a store
store list nowhere | nowhere is not a store
store remove nowhere --method m | nowhere is not a store
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a series, a recording with times, and motif sets."""
    monkeypatch.chdir(tmp_path)
    write_example(tmp_path)
    series = planted_problem().series
    np.save("series.npy", series)
    when = pd.date_range("2024-05-01", periods=len(series), freq="10ms")
    pd.DataFrame({"when": when, "load": series}).to_csv("timed.csv", index=False)
    rows = (f"{k / 50},{np.sin(k)}" for k in range(400))
    (tmp_path / "walk.csv").write_text("seconds,left\n" + "\n".join(rows))
    (tmp_path / "short.json").write_text('{"a": [[10, 30], [100, 121]]}')
    (tmp_path / "late.csv").write_text("set,start,end\na,0.5s,9s\n")
    (tmp_path / "walks").mkdir()
    np.savetxt("walks/a.csv", np.random.default_rng(0).normal(size=200))
    truth = {"step": [[10, 30], [60, 80], [120, 140], [160, 181]]}
    (tmp_path / "walks" / "a.truth.json").write_text(json.dumps(truth))
    return tmp_path


@pytest.mark.archive
def test_wrong_use_is_one_sentence_with_status_2(folder, capsys):
    before = sorted(folder.rglob("*"))
    for line in CASES.strip().splitlines():
        command, _, sentence = line.partition(" | ")
        assert main(shlex.split(command)) == 2, line
        printed = capsys.readouterr()
        assert printed.out == "", line
        said = printed.err.splitlines()
        assert said[-1].startswith("tsmdbench: "), line
        assert sentence in said[-1], f"{line}\n{said[-1]}"
        assert all(one.startswith(("read ", "settings: ")) for one in said[:-1]), said
    assert sorted(folder.rglob("*")) == before
