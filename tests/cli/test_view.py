"""``tsmdbench view``, and the same page by --plot."""

import json
import re
import signal
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

TRUTH = {"a": [[10, 60], [200, 250]]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 2)).round(4)
    lines = ["seconds,left,right", *(f"{k / 50},{a},{b}" for k, (a, b) in enumerate(x))]
    (tmp_path / "walk.csv").write_text("\n".join(lines))
    (tmp_path / "truth.json").write_text(json.dumps(TRUTH))
    (tmp_path / "found.json").write_text(json.dumps([[[12, 60], [100, 150]]]))
    (tmp_path / "labels.txt").write_text("0.2\t1.2\ta\n4\t5\ta\n")
    return tmp_path


def facts(file):
    text = file.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.S)[1])


def test_a_page_is_written_in_this_folder(folder, cli):
    given = ["walk.csv", "--truth", "truth.json", "--found", "found.json"]
    captured = cli("view", *given)
    assert captured.out == "page: walk.view.html\n"
    assert "400 samples, 2 channels (left, right), 50 Hz" in captured.err
    page = facts(folder / "walk.view.html")
    assert [channel["name"] for channel in page["channels"]] == ["left", "right"]
    assert page["truth"] == [{"label": "a", "segments": TRUTH["a"]}]
    found = [{"label": "0", "segments": [[12, 60], [100, 150]]}]
    assert page["found"] == [{"name": "found", "sets": found}]
    given = ["--truth", "labels.txt", "--truth-format", "audacity"]
    cli("view", "walk.csv", *given, "--columns", "right", "--out", "x.html")
    page = facts(folder / "x.html")
    assert page["truth"] == [{"label": "a", "segments": TRUTH["a"]}]
    assert [channel["name"] for channel in page["channels"]] == ["right"]


def test_several_finds_keep_names_apart(folder, cli):
    (folder / "b").mkdir()
    (folder / "b" / "found.json").write_text("[]")
    names = ["found.json", "b/found.json", "truth.json"]
    cli("view", "walk.csv", *(word for name in names for word in ("--found", name)))
    groups = facts(folder / "walk.view.html")["found"]
    assert [group["name"] for group in groups] == [*names[:2], "truth"]


def test_overlapping_truth_can_be_viewed_as_found(folder, cli):
    (folder / "over.json").write_text('{"a": [[0, 10]], "b": [[5, 20]]}')
    said = cli("view", "walk.csv", "--truth", "over.json", status=2).err
    assert "over.json must not overlap" in said
    assert "give it with --found" in said
    cli("view", "walk.csv", "--found", "over.json")
    (folder / "far.json").write_text('{"a": [[0, 401]]}')
    said = cli("view", "walk.csv", "--truth", "far.json", status=2).err
    assert "ends beyond the series" in said


def test_missing_values_are_gaps(folder, cli):
    x = np.arange(300.0)
    x[20:25] = np.nan
    np.save(folder / "holes.npy", x)
    assert "5 values are missing and drawn as gaps" in cli("view", "holes.npy").err
    cli("view", "holes.npy", "--missing", "error", status=2)


def test_discover_and_evaluate_write_the_page(folder, cli):
    given = ["-m", "stomp", "walk.csv", "--set", "length=40", "--max-sets", "1"]
    printed = cli("discover", *given, "--plot", "found.html").out
    assert "figure: found.html" in printed
    page = facts(folder / "found.html")
    assert [group["name"] for group in page["found"]] == ["STOMP"]
    assert [item["label"] for item in page["found"][0]["sets"]] == ["set 1"]
    assert page["truth"] == []

    given = ["evaluate", "truth.json", "found.json", "--plot", "score.html"]
    assert "give it with --series" in cli(*given, status=2).err
    cli(*given, "--series", "walk.csv")
    page = facts(folder / "score.html")
    assert page["truth"] == [{"label": "a", "segments": TRUTH["a"]}]
    assert page["title"] == "walk.csv"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_serving_saves_until_it_is_interrupted(folder):
    code = "import sys; from tsmdbench.cli import main; sys.exit(main())"
    given = ["view", "walk.csv", "--serve", "--truth", "new.json"]
    running = subprocess.Popen(
        [sys.executable, "-c", code, *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    try:
        url = running.stdout.readline().removeprefix("open ").strip()
        with urllib.request.urlopen(url, timeout=10) as answer:
            assert b"walk.csv" in answer.read()
        body = {"version": "", "sets": [{"label": "a", "segments": [[0, 10]]}]}
        request = urllib.request.Request(
            f"{url}save",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.status == 200
        assert json.loads((folder / "new.json").read_text()) == {"a": [[0, 10]]}
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    finally:
        running.kill()
    assert running.returncode == 0
    assert out == "stopped; saved 1 time to new.json\n"
    assert "Traceback" not in err
