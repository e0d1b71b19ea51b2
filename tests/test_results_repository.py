"""The results repository in a box: its workflows, from no entry to a board with two."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEMPLATE = ROOT / "packaging" / "results-repository"
METHOD = '''from tsmdbench.methods import STOMP


class {name}(STOMP):
    """STOMP by the name of {name}."""
'''


def steps(name):
    """Return the commands of a workflow and its variables, without installation."""
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((TEMPLATE / f".github/workflows/{name}.yml").read_text())
    commands = [
        step["run"]
        for job in workflow["jobs"].values()
        for step in job["steps"]
        if "run" in step and step["name"] != "Install"
    ]
    assert commands
    return commands, workflow["env"]


@pytest.fixture
def shell(tmp_path):
    """Run a command in bash, with this package as ``tsmdbench``."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "tsmdbench"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m tsmdbench "$@"\n')
    script.chmod(0o755)
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    sources = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])

    def run(command, cwd, **variables):
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", command],
            cwd=cwd,
            env={**os.environ, "PATH": path, "PYTHONPATH": sources, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    return run


@pytest.mark.slow
@pytest.mark.archive
def test_from_an_empty_repository_to_a_board_with_two_entries(tmp_path, shell):
    repository = tmp_path / "repository"
    shutil.copytree(TEMPLATE, repository)
    check, variables = steps("check")
    shell(check[0], repository, **{**variables, "BASELINES": "best"})  # without entries
    only = {**variables, "DATASETS": "--dataset JapaneseVowels", "BASELINES": "none"}
    for name in ("First", "Second"):  # the authors
        folder = repository / "methods" / name.lower()
        folder.mkdir()
        (folder / f"{name.lower()}.py").write_text(METHOD.format(name=name))
        method = f"./{name.lower()}.py:{name}"
        store = tmp_path / name
        shell(
            f"tsmdbench run $DATASETS --method {method} --out {store}", folder, **only
        )
        file = repository / "entries" / f"{name.lower()}.zip"
        shell(
            f"tsmdbench submit {store} --trust --out {file} $DATASETS --name {name} "
            "--version 1.0 --licence CC-BY-4.0 --contact me@example.org",
            folder,
            **only,
        )
        for command in check:
            shell(command, repository, **only)
        # Only the new entry is run; the maintainer commits its receipt.
        (receipt,) = (repository / "receipts").iterdir()
        assert receipt.name == f"{name.lower()}.json"
        assert json.loads(receipt.read_text())["recomputed"]
        shutil.move(receipt, repository / "checks")
    for command in steps("publish")[0]:
        shell(command, repository, **only)
    board = json.loads((repository / "site" / "board.json").read_text())
    assert {entry["name"] for entry in board["entries"]} == {"First", "Second"}
    page = (repository / "site" / "index.html").read_text()
    assert "First" in page
    assert "Second" in page


def test_the_check_of_foreign_code_has_no_rights():
    """Pull requests run the code of their authors: no secrets, a read-only token."""
    text = (TEMPLATE / ".github/workflows/check.yml").read_text()
    assert "pull_request_target" not in text
    assert "secrets." not in text
    assert "permissions:\n  contents: read\n" in text
    assert "write" not in text
