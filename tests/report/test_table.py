"""A table is written the same each time, and no name breaks out of its cell."""

import csv
import io
import re

import numpy as np
import pandas as pd
import pytest

from tests.report.fakes import HOSTILE
from tsmdbench.report.table import DAGGER, DASH, LATEX, Table, latex_text, markdown_text


def table(**options):
    frame = pd.DataFrame(
        {
            "dataset": ["a", "b", "c"],
            "x": [0.5, 0.1234, np.nan],
            "y": [0.4996, 0.9, np.nan],
            "n": [1, 2, 3],
            "yes": [True, False, True],
        }
    )
    return Table("a table/1", "What & why.", frame, compared=("x", "y"), **options)


def cells(markdown):
    """Split the rows of a Markdown table at bars that are not escaped."""
    lines = markdown.splitlines()[2:]
    return [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]


def stripped(one):
    return [[cell.strip() for cell in row] for row in cells(one.markdown())]


def test_numbers_are_rounded_missing_ones_are_dashes_and_the_best_is_bold():
    head, rule, first, second, third = stripped(table())
    assert head == ["dataset", "x", "y", "n", "yes"]
    assert rule == [":---", "---:", "---:", "---:", ":---"]
    assert second == ["b", "0.123", "**0.900**", "2", "no"]
    assert third == ["c", DASH, DASH, "3", "yes"]
    # 0.5 and 0.4996 read alike, so both are best
    assert first == ["a", "**0.500**", "**0.500**", "1", "yes"]
    assert stripped(table(best="lowest"))[3][1:3] == ["**0.123**", "0.900"]
    alone = pd.DataFrame({"x": [0.5], "y": [np.nan]})
    assert "**" not in Table("t", "t", alone, compared=("x", "y")).markdown()


def test_failures_are_marked_and_explained():
    failed = pd.DataFrame({"x": [0, 3, 0], "y": [0, 0, 0]})
    marked = table(failed=failed)
    assert stripped(marked)[3][1:3] == [f"0.123{DAGGER}", "**0.900**"]
    assert "failed" in marked.markdown().splitlines()[0]
    assert r"0.123\textsuperscript{\dag}" in marked.latex()
    assert "failed" not in table(failed=failed * 0).markdown()


def test_csv_reads_back_what_was_stored():
    frame = pd.DataFrame({"name": HOSTILE, "value": np.arange(7) / 3})
    frame.loc[6, "value"] = np.nan
    text = Table("t", "t", frame).csv()
    head, *rows = csv.reader(io.StringIO(text))
    assert head == ["name", "value"]
    assert [row[0] for row in rows] == list(HOSTILE)
    assert [float(row[1]) for row in rows[:-1]] == frame["value"].tolist()[:-1]
    assert rows[-1][1] == ""
    assert "\r" not in text


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_in_their_cell(name):
    frame = pd.DataFrame({name: [name], "other": [1.0]})
    one = Table(name, name, frame)
    caption = one.markdown().splitlines()[0]
    assert all(len(row) == 2 for row in cells(one.markdown()))
    assert not re.search(r"<|(?<!\\)[_*`|]|\$", caption)
    lines = one.latex().splitlines()
    assert [line.count(" & ") for line in lines if line.endswith(r"\\")] == [1, 1]
    assert unescaped(latex_text(name)) == " ".join(name.split())
    assert re.fullmatch(r"\\label\{tab:[A-Za-z0-9-]*\}", lines[3])


def unescaped(text):
    """Read LaTeX as TeX does, by an independent list of what the commands print."""
    printed = {
        r"\textbackslash{}": "\\",
        r"\textasciitilde{}": "~",
        r"\textasciicircum{}": "^",
        r"\textless{}": "<",
        r"\textgreater{}": ">",
        r"\textbar{}": "|",
        r"\textasciigrave{}": "`",
        "{[}": "[",
        "{]}": "]",
        "{*}": "*",
        "-{}": "-",
    }
    pattern = "|".join(map(re.escape, printed)) + r"|\\([{}$&%#_])|([\\{}$&%#_~^])|."
    read = []
    for match in re.finditer(pattern, text):
        assert match[2] is None, f"{match[2]!r} is not escaped in {text!r}"
        read.append(match[1] or printed.get(match[0], match[0]))
    return "".join(read)


def test_every_special_letter_of_tex_is_escaped():
    for letter in "\\{}$&%#_~^<>|`[]*-":
        assert letter in LATEX
        assert unescaped(latex_text(f"a{letter}b")) == f"a{letter}b"
    assert latex_text("a--b") == "a-{}-{}b"
    assert latex_text("a\n\tb\x00c") == "a bc"


def test_markdown_leaves_plain_words_and_numbers_alone():
    for plain in ("0.500", "-1.5", "LoCoMotif", "GV-RePair", "12"):
        assert markdown_text(plain) == plain
    assert markdown_text("- item") == r"\- item"
    assert markdown_text("1. item") == r"1\. item"
    assert markdown_text("# x [a](b)") == r"\# x \[a\](b)"
    assert markdown_text("(1 is best). A-b") == "(1 is best). A-b"


def test_a_table_without_rows_is_a_head():
    empty = Table("t", "None.", pd.DataFrame(columns=["a", "b"]))
    assert cells(empty.markdown()) == [[" a ", " b "], [":---", ":---"]]
    assert empty.csv() == "a,b\n"
    assert r"\begin{tabular}{ll}" in empty.latex()


def test_a_table_longer_than_a_page_goes_over_pages():
    names = [f"method {number}" for number in range(60)]
    frame = pd.DataFrame({"method": names, "parameters": ["length=100, " * 9] * 60})
    text = Table("settings", "All of them.", frame).latex()
    assert r"\begin{longtable}{lp{0.5\linewidth}}" in text
    assert r"\begin{table}" not in text
    head, body = text.split(r"\endfoot")
    assert head.count(r"method & parameters \\") == 2  # also on later pages
    assert head.count(r"\caption") == head.count(r"\label{tab:settings}") == 1
    assert body.count(r" \\") == 60
    assert r"\begin{table}" in Table("settings", "Few.", frame[:40]).latex()
