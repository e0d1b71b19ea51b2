"""Run what the pages show, and check that they show the output.

``python -m tools.docs.examples [PAGE ...]`` runs the examples of the pages and writes
the output into them; a test does the same and fails where a page would change.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tools.docs.blocks import ROOT, Block, blocks, name, output_below, pages

# What these say on standard error is how far they are, which differs every time.
TALKING = ("run", "resume")
NOT_PYTHON = re.compile(r"^(:[\w-]+:|%).*$", flags=re.MULTILINE)  # of a cell
TSMDBENCH = "import sys; from tsmdbench.cli import main; sys.exit(main())"


class ExampleError(Exception):
    """An example does not do what its page says."""


class Runner:
    """Runs the blocks of one page in one folder and collects the page as it should be.

    Parameters
    ----------
    page : str
        The Markdown text.
    folder : Path
        Where files are written and commands run; the bundled example lies there.
    """

    def __init__(self, page: str, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.names: dict[str, object] = {"__name__": "__main__"}
        self.edits: list[tuple[int, int, str]] = []

    def run(self) -> str:
        """Run everything and return the page with the output."""
        from tsmdbench.example import write_example

        write_example(self.folder)
        found = blocks(self.page)
        with working_in(self.folder):
            for block, below in zip(found, [*found[1:], None], strict=True):
                if not block.reason_not_to_run:
                    self._block(block, output_below(self.page, block, below))
        return self._edited()

    def _block(self, block: Block, output: Block | None) -> None:
        if block.title:
            self._file(block)
        elif block.language == "python":
            self._python(block, output)
        elif block.language == "console":
            self._console(block)
        elif block.language == "{code-cell}":
            self._cell(block)

    def _file(self, block: Block) -> None:
        """Write a block with a title; one of the repository's own must equal it."""
        content = block.content
        if block.title.startswith("examples/"):
            content = (ROOT / block.title).read_text()
            self._put(block, content)
        (self.folder / Path(block.title).name).write_text(content)

    def _python(self, block: Block, output: Block | None) -> None:
        code = "\n" * block.line + block.content  # so that errors name the page's line
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(code, "page", "exec"), self.names)
        text = printed.getvalue()
        if output is not None:
            self._put(output, text)
        elif text:
            self.edits.append((block.after, block.after, f"\n\n```text\n{text}```"))

    def _cell(self, block: Block) -> None:
        code = "\n" * block.line + NOT_PYTHON.sub("", block.content)
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, "notebook", "exec"), self.names)

    def _console(self, block: Block) -> None:
        lines = []
        for command, shown in commands(block.content):
            printed, status = execute(command, self.folder)
            if status != block.status:
                raise ExampleError(
                    f"line {block.line}: {command!r} ended with {status}:\n{printed}"
                )
            lines.append(f"$ {command}\n{shown if agrees(shown, printed) else printed}")
        self._put(block, "".join(lines))

    def _put(self, block: Block, text: str) -> None:
        """Replace a block's content, unless it differs in nothing but its gaps."""
        if not agrees(block.content, text):
            self.edits.append((block.begin, block.end, text))

    def _edited(self) -> str:
        page = self.page
        for begin, end, text in sorted(self.edits, reverse=True):
            page = page[:begin] + text + page[end:]
        return page


def commands(content: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with what is shown below it."""
    parts = re.split(r"^\$ ", content, flags=re.MULTILINE)
    if parts[0].strip():
        raise ExampleError(f"a console block begins with '$ ', got {content[:40]!r}")
    for part in parts[1:]:
        command, shown = part.split("\n", 1)
        while command.endswith("\\"):
            more, shown = shown.split("\n", 1)
            command = f"{command}\n{more}"
        yield command, shown


def execute(command: str, folder: Path) -> tuple[str, int]:
    """Run one command of a page; return what it prints and its exit status."""
    words = shlex.split(command.replace("\\\n", " "), comments=True)
    given = {}
    while "=" in words[0]:
        key, _, given[key] = words.pop(0).partition("=")
    if words[0] == "cat":
        return "".join((folder / word).read_text() for word in words[1:]), 0
    if words[0] == "python":
        return _in_a_process([sys.executable, *words[1:]], folder, given)
    if words[0] != "tsmdbench":
        raise ExampleError(f"{words[0]!r} is not run here; say why with 'not run:'")
    from tsmdbench.cli.discover import COMPILING

    # Each in a process of its own, as for a reader: nothing is left of those before.
    program = [sys.executable, "-u", "-c", TSMDBENCH, *words[1:]]
    printed, status = _in_a_process(
        program, folder, given, all_of_it=words[1] not in TALKING
    )
    # Whether a method has to be compiled depends on what was run before.
    return printed.replace(f"{COMPILING}\n", ""), status


def _in_a_process(
    command: list[str], folder: Path, given: dict[str, str], *, all_of_it: bool = False
) -> tuple[str, int]:
    paths = [given.pop("PYTHONPATH", ""), str(ROOT / "src")]
    ended = subprocess.run(
        command,
        cwd=folder,
        env={
            **os.environ,
            **given,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "PYTHONSAFEPATH": "1",  # as for a command that is installed
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if all_of_it else subprocess.PIPE,
        text=True,
        check=False,
    )
    more = ended.stderr if ended.returncode and ended.stderr else ""
    return ended.stdout + more, ended.returncode


def agrees(shown: str, printed: str) -> bool:
    """Tell whether two texts are equal where the first has no ``...``.

    >>> agrees("ran 20 runs in ...", "ran 20 runs in 3.1 s"), agrees("a", "b")
    (True, False)
    """
    pattern = ".*?".join(map(re.escape, shown.rstrip("\n").split("...")))
    return re.fullmatch(pattern, printed.rstrip("\n"), flags=re.DOTALL) is not None


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Work in a folder, and let modules that lie in it be imported."""
    before, environment = Path.cwd(), dict(os.environ)
    known = set(sys.modules)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)
        sys.path.remove(str(folder))
        for module in set(sys.modules) - known:  # two pages may write one name
            file = getattr(sys.modules[module], "__file__", None) or ""
            if Path(file).parent == folder:
                del sys.modules[module]


def page_as_it_should_be(page: Path) -> str:
    """Run the examples of a page and return its text with the output."""
    with tempfile.TemporaryDirectory() as folder:
        return Runner(page.read_text(), Path(folder).resolve()).run()


def main() -> None:
    """Write into the pages what their examples print."""
    wanted = [Path(argument).resolve() for argument in sys.argv[1:]] or pages()
    for page in wanted:
        text = page_as_it_should_be(page)
        if text != page.read_text():
            page.write_text(text)
            print(f"written: {name(page)}")


if __name__ == "__main__":
    main()
