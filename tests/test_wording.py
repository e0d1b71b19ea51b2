"""Texts are plain technical English: phrases of the word list do not occur."""

import re
import tomllib

import pytest
from tools.docs.blocks import ROOT

LIST = ROOT / "tools" / "docs" / "wording.toml"
PHRASES = tomllib.loads(LIST.read_text())["phrases"]
FOLDERS = ("docs", "src", "examples", "tools", "packaging")
SUFFIXES = (".md", ".py", ".html", ".j2", ".js", ".toml")
FILES = [
    *sorted(ROOT.glob("*.md")),
    ROOT / "Makefile",
    ROOT / "pyproject.toml",
    *sorted((ROOT / ".github").rglob("*.yml")),
    *(
        file
        for folder in FOLDERS
        for file in sorted((ROOT / folder).rglob("*"))
        if file.suffix in SUFFIXES and "generated" not in file.parts and file != LIST
    ),
]
# The end of a line inside a sentence, with the mark of a comment or of a string.
END = re.compile(r'(?:\s"|")?\n\s*(?:(?:#|//|>)\s+|f?")?')
COMPILED = {phrase: re.compile(phrase.replace(" ", " +")) for phrase in PHRASES}


def faults(text):
    """Yield line, phrase and what to write instead."""
    joined = END.sub(lambda match: " " * len(match[0]), text.lower())
    for phrase, compiled in COMPILED.items():
        for match in compiled.finditer(joined):
            around = (
                joined[match.start() - 1 : match.start()],
                joined[match.end() :][:1],
            )
            if not any(one.isalnum() or one in "_-" for one in around if one):
                line = text.count("\n", 0, match.start()) + 1
                yield f"line {line}: {match[0]!r}; write: {PHRASES[phrase]}"


@pytest.mark.parametrize(
    "file", [pytest.param(f, id=f.relative_to(ROOT).as_posix()) for f in FILES]
)
def test_texts_have_no_phrase_of_the_list(file):
    assert list(faults(file.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "text",
    [
        "Three ways on",
        "F1 if only these were mended",
        "its data was not\nto be had",
        "# what was\n# asked for",
        'f"a value that was "\n    f"asked for"',
        "read 1 channels",
    ],
)
def test_phrases_are_noticed(text):
    assert list(faults(text))


@pytest.mark.parametrize("text", ["recommended", "1 of 1 runs", "11 channels", "amend"])
def test_other_words_are_left_alone(text):
    assert not list(faults(text))
