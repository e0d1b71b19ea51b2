"""The page of the command line, from what the commands say of themselves."""

from __future__ import annotations

import inspect
import re
from typing import Any

EXAMPLE = re.compile(r"^Examples?: ")
KINDS = {"Path": "PATH", "int": "NUMBER", "float": "NUMBER", "str": "TEXT"}
NOTE = (
    "<!-- Written by 'python -m tools.docs.generate' from the commands' own help: "
    "edit that. -->"
)
INTRODUCTION = """\
`tsmdbench COMMAND --help-all` prints the same text; `--help` leaves out options that
are rarely used. Every command that prints results takes `--json` for programs. An error
is one sentence on standard error. `tsmdbench --debug COMMAND`, or the environment
variable `TSMDBENCH_DEBUG=1`, prints the traceback as well.

| exit status | meaning |
|---|---|
| 0 | success |
| 1 | the work failed: a locked or damaged store, a full disk, too little memory |
| 2 | the command, its input or its data is wrong |
| 3 | an optional package is not installed; the message has the `pip` command |
| 4 | a download failed |
| 70 | internal error: a bug in tsmdbench; the message names a file with the traceback |
| 130 | interrupted by Ctrl-C |
| 141 | the program that reads the output has closed it |"""


def page() -> str:
    """Return the page."""
    import typer

    from tsmdbench.cli.app import app

    root: Any = typer.main.get_command(app)
    lines = [NOTE, "", "# Command line", "", INTRODUCTION, ""]
    lines += ["| command | does |", "|---|---|"]
    commands = list(_commands("tsmdbench", root))
    for name, command in commands:
        anchor = name.replace(" ", "-")
        lines.append(f"| [`{name}`](#{anchor}) | {_paragraphs(command)[0]} |")
    for name, command in commands:
        lines += ["", f"## {name}", "", *_described(name, command)]
    return "\n".join(lines) + "\n"


def _commands(prefix: str, group: Any) -> Any:
    """Yield the full name of every command with the command, groups with a use too."""
    for name, command in group.commands.items():
        full = f"{prefix} {name}"
        inner = getattr(command, "commands", None)
        if inner is None or command.invoke_without_command:
            yield full, command
        if inner is not None:
            yield from _commands(full, command)


def _paragraphs(command: Any) -> list[str]:
    text = inspect.cleandoc(getattr(command, "whole_help", command.help) or "")
    return [" ".join(part.split()) for part in text.split("\n\n")]


def _described(name: str, command: Any) -> list[str]:
    lines: list[str] = []
    examples: list[str] = []
    for part in _paragraphs(command):
        if EXAMPLE.match(part) or part.startswith("tsmdbench "):
            examples.append(EXAMPLE.sub("", part))
        else:
            lines += [part, ""]
    lines += ["```text", _usage(name, command), "```", ""]
    if examples:
        lines += ["For example:", "", "```bash", *examples, "```", ""]
    return [*lines, *_table(command)]


def _usage(name: str, command: Any) -> str:
    words = [name, "[OPTIONS]"]
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            word = parameter.metavar or parameter.name.upper()
            word += "..." * (parameter.nargs == -1)
            words.append(word if parameter.required else f"[{word}]")
    return " ".join(words)


def _table(command: Any) -> list[str]:
    rows = [
        f"| {_name(parameter)} | {_default(parameter)} | {_said(parameter)} |"
        for parameter in command.params
        if (parameter.name != "help" and not getattr(parameter, "hidden", False))
        or parameter in getattr(command, "rare", ())
    ]
    return ["| name | default | meaning |", "|---|---|---|", *rows] if rows else []


def _said(parameter: Any) -> str:
    return " ".join((parameter.help or "").split()).replace("|", "\\|")


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.metavar or parameter.name.upper()}`"
    names = [*parameter.opts, *parameter.secondary_opts]
    value = "" if parameter.is_flag else f" {parameter.metavar or _kind(parameter)}"
    return " or ".join(f"`{name}{value}`" for name in names)


def _kind(parameter: Any) -> str:
    """Return a word for the value of an option, by its annotation."""
    described = getattr(parameter, "type_descriptor", None)
    annotation = str(getattr(described, "annotation", ""))
    return next((word for key, word in KINDS.items() if key in annotation), "VALUE")


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    value = parameter.default
    if value is None or value is False or value == [] or value == ():
        return ""
    return f"`{value}`"
