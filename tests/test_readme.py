"""What the README shows is what happens."""

import re
import shlex
from pathlib import Path

import pytest

from tsmdbench.cli import main
from tsmdbench.example import write_example

README = (Path(__file__).parents[1] / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_python_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {})
    assert (tmp_path / "evaluation.png").exists()
    assert "('walk', 1)" in capsys.readouterr().out


@pytest.mark.parametrize(
    "block", [text for text in blocks("console") if text.startswith("$ tsmdbench")]
)
def test_commands_print_what_is_shown(block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_example(tmp_path)
    command, _, shown = block.partition("\n")
    assert main(shlex.split(command)[2:]) == 0
    assert capsys.readouterr().out == shown


def test_pictures_are_there():
    for picture in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README):
        assert (Path(__file__).parents[1] / picture).is_file()
