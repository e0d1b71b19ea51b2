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


@pytest.mark.parametrize("page", RUNNABLE)
def test_examples_print_what_is_shown(page, tmp_path):
    assert Runner(page.read_text(), tmp_path).run() == page.read_text()


def test_every_block_runs_or_says_why_not():
    for page in PAGES:
        for block in blocks(page.read_text()):
            assert block.language in LANGUAGES | DIRECTIVES, f"{page}: {block.line}"
            if block.comment.startswith("not run"):
                assert block.reason_not_to_run, f"{page}: line {block.line}"


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
                    yield words[1:]


def test_commands_that_are_not_run_could_be():
    from tsmdbench.cli.app import app

    root = typer.main.get_command(app)
    for words in lines_that_are_not_run():
        command, rest = root, words
        while hasattr(command, "commands") and rest and rest[0] in command.commands:
            command, rest = command.commands[rest[0]], rest[1:]
        command.make_context("tsmdbench", [word for word in rest if word != "--help"])


def test_pictures_are_there_small_and_described_in_words():
    shown = set()
    for page in PAGES:
        for words, target in IMAGE.findall(page.read_text()):
            assert len(words) > 20, f"{target} needs an alternative text"
            picture = (page.parent / target).resolve()
            assert picture.is_file(), f"{page}: {target}"
            drawn_here = picture.is_relative_to(ROOT / "docs" / "images")
            most = MAX_BYTES if drawn_here else MAX_RESULT_BYTES
            assert picture.stat().st_size < most, picture
            shown.add(picture)
    drawn = {file.resolve() for file in (ROOT / "docs" / "images").rglob("*.*")}
    assert drawn <= shown


def test_headings_are_in_order_links_lead_somewhere_and_paragraphs_are_short():
    for page in PAGES:
        for target in LINK.findall(prose(page)):
            if target and "://" not in target:
                assert (page.parent / target).exists(), f"{page}: {target}"
        if page.read_text().startswith("```{include}"):
            continue
        headings = re.findall(r"^(#+) ", prose(page), re.MULTILINE)
        levels = [len(marks) for marks in headings]
        assert levels[0] == 1, page
        assert levels.count(1) == 1, page
        assert all(below <= above + 1 for above, below in pairwise(levels)), page
        for paragraph in PIECE.split(prose(page)):
            if not paragraph.lstrip().startswith("|"):
                assert len(paragraph.split()) <= MAX_WORDS, f"{page}: {paragraph[:80]}"


def test_files_that_the_design_names_exist():
    package = ROOT / "src" / "tsmdbench"
    for page in (ROOT / "docs" / "design.md", ROOT / "CONTRIBUTING.md"):
        folder = package
        for named in re.findall(r"`([\w/]+\.py|[\w/]+/)`", page.read_text()):
            # A file without its folder is in that of the file before it.
            places = [package / named, ROOT / named, folder / named]
            found = [place for place in places if place.exists()]
            assert found, f"{page.name}: {named}"
            folder = found[0].parent
        layout = FENCED.search(page.read_text())[0]
        for part in re.findall(r"^  (\w+)/", layout, re.MULTILINE):
            assert (package / part).is_dir(), f"{page.name}: {part}"


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
