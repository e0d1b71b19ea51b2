"""What the pages show is what happens; and they can be read."""

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
import typer
from tools.docs.blocks import ROOT, SLOW, blocks, name, pages
from tools.docs.examples import ExampleError, Runner, agrees, commands, working_in

PAGES = pages()
LANGUAGES = {"python", "console", "text", "toml", "csv", "bash"}
DIRECTIVES = {"{eval-rst}", "{toctree}", "{include}", "{code-cell}"}
MAX_BYTES = 150_000
MAX_RESULT_BYTES = 1_000_000  # figures of results show every run
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)#]*)(?:#[^)]*)?\)")
FENCED = re.compile(r"^```.*?^```$", flags=re.DOTALL | re.MULTILINE)
PIECE = re.compile(r"\n\s*\n|\n\s*(?=[*-] |\d+\. )")
MAX_WORDS = 130  # of a paragraph, or of an item of a list
COMMENT = re.compile(r"<!--.*?-->", flags=re.DOTALL)


def runs_something(page):
    return any(
        (block.language in ("python", "console", "{code-cell}") or block.title)
        and not block.reason_not_to_run
        for block in blocks(page.read_text())
    )


def prose(page):
    """The text of a page without code and comments."""
    return COMMENT.sub("", FENCED.sub("", page.read_text()))


RUNNABLE = [
    pytest.param(
        page,
        id=name(page),
        marks=[pytest.mark.slow] if SLOW in page.read_text() else [],
    )
    for page in PAGES
    if runs_something(page)
]
EVERY = [pytest.param(page, id=name(page)) for page in PAGES]


@pytest.mark.parametrize("page", RUNNABLE)
def test_examples_print_what_is_shown(page, tmp_path):
    assert Runner(page.read_text(), tmp_path).run() == page.read_text()


@pytest.mark.parametrize("page", EVERY)
def test_every_block_runs_or_says_why_not(page):
    for block in blocks(page.read_text()):
        assert block.language in LANGUAGES | DIRECTIVES, f"line {block.line}"
        if block.comment.startswith("not run"):
            assert block.reason_not_to_run, f"line {block.line}"


def lines_that_are_not_run():
    for page in PAGES:
        for block in blocks(page.read_text()):
            if block.language == "bash":
                shown = block.content.replace("\\\n", " ").splitlines()
            elif block.language == "console" and block.reason_not_to_run:
                shown = [line for line, _ in commands(block.content)]
            else:
                continue
            for line in shown:
                words = shlex.split(line.replace("\\\n", " "), comments=True)
                if words[:1] == ["tsmdbench"] and "…" not in words:
                    yield pytest.param(words[1:], id=f"{name(page)}: {line}")


@pytest.mark.parametrize("words", list(lines_that_are_not_run()))
def test_commands_that_are_not_run_could_be(words):
    from tsmdbench.cli.app import app

    command = typer.main.get_command(app)
    while hasattr(command, "commands") and words and words[0] in command.commands:
        command, words = command.commands[words[0]], words[1:]
    command.make_context("tsmdbench", [word for word in words if word != "--help"])


@pytest.mark.parametrize("page", EVERY)
def test_pictures_are_there_small_and_told_in_words(page):
    for words, target in IMAGE.findall(prose(page)):
        assert len(words) > 20, f"{target} needs an alternative text"
        picture = page.parent / target
        assert picture.is_file()
        drawn_here = picture.resolve().is_relative_to(ROOT / "docs" / "images")
        assert picture.stat().st_size < (MAX_BYTES if drawn_here else MAX_RESULT_BYTES)


def test_no_picture_is_left_over():
    shown = {
        (page.parent / target).resolve()
        for page in PAGES
        for _, target in IMAGE.findall(page.read_text())
    }
    drawn = {file.resolve() for file in (ROOT / "docs" / "images").rglob("*.*")}
    assert drawn <= shown


@pytest.mark.parametrize("page", EVERY)
def test_headings_are_in_order(page):
    if page.read_text().startswith("```{include}"):
        return
    levels = [len(marks) for marks in re.findall(r"^(#+) ", prose(page), re.MULTILINE)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    for above, below in pairwise(levels):
        assert below <= above + 1


@pytest.mark.parametrize("page", EVERY)
def test_links_lead_somewhere_in_the_repository_too(page):
    for target in LINK.findall(prose(page)):
        if target and "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", EVERY)
def test_no_wall_of_text(page):
    if page.read_text().startswith("```{include}"):
        return
    for paragraph in PIECE.split(prose(page)):
        if not paragraph.lstrip().startswith("|"):
            assert len(paragraph.split()) <= MAX_WORDS, paragraph[:80]


def test_examples_of_the_repository_are_on_a_page():
    shown = {block.title for page in PAGES for block in blocks(page.read_text())}
    files = {f"examples/{file.name}" for file in (ROOT / "examples").glob("*.py")}
    assert files
    assert files <= shown


def run(text, folder):
    return Runner(text, folder).run()


def test_a_wrong_output_is_put_right(tmp_path):
    page = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    assert run(page, tmp_path) == page.replace("3", "2")


def test_an_output_that_is_not_shown_is_noticed(tmp_path):
    page = "```python\nprint('new')\n```\n"
    assert "```text\nnew\n```" in run(page, tmp_path)


def test_blocks_share_names_and_files(tmp_path):
    page = (
        '```python title="made.py"\nanswer = 42\n```\n\n'
        "```python\nfrom made import answer\n```\n\n"
        "```python\nprint(answer)\n```\n\n```text\n42\n```\n"
    )
    assert run(page, tmp_path) == page


def test_an_example_of_the_repository_must_be_the_file(tmp_path):
    page = '```python title="examples/naive.py"\n```\n'
    assert (ROOT / "examples" / "naive.py").read_text() in run(page, tmp_path)


def test_a_failing_command_is_an_error_unless_it_is_meant(tmp_path):
    page = "```console\n$ tsmdbench evaluate nothing.json found.json\n```\n"
    with pytest.raises(ExampleError, match="ended with 2"):
        run(page, tmp_path)
    assert "tsmdbench: nothing.json" in run(f"<!-- exit 2 -->\n{page}", tmp_path)


def test_a_command_that_cannot_run_needs_a_reason(tmp_path):
    page = "```console\n$ rm -rf /\n```\n"
    with pytest.raises(ExampleError, match="not run"):
        run(page, tmp_path)
    excused = f"<!-- not run: no -->\n{page}"
    assert run(excused, tmp_path) == excused


def test_blocks_inside_a_comment_are_not_there():
    assert blocks("<!-- later:\n```python\n1 / 0\n```\n-->\n") == []


def test_gaps_stand_for_anything():
    assert agrees("ran 3 runs in ...\ndone\n", "ran 3 runs in 2.1 s\ndone\n")
    assert not agrees("ran 3 runs in ...\ndone\n", "ran 4 runs in 2.1 s\ndone\n")


def test_modules_of_a_page_do_not_stay(tmp_path):
    import sys

    Path(tmp_path, "only_here.py").write_text("")
    with working_in(tmp_path):
        __import__("only_here")
    assert "only_here" not in sys.modules
