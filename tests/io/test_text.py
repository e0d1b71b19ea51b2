"""Tables of text: layouts, headers and decimal signs, compared with pandas."""

import io
from itertools import product

import numpy as np
import pandas as pd
import pytest

from tests.io.damage import sentence
from tsmdbench.io import read_recording, read_series

FRAME = pd.DataFrame(
    {"acc_x": [0.1, -2.5, 3e-7, 4.0, 1e300], "acc_y": [10.5, 11.0, -12.25, 13.0, 0.0]}
)
EXPORT = """Messung vom 3. Mai
Pruefstand 7

Zeit;Kraft;Weg
[ms];[N];[mm]
0;1.234,5;0,5
10;1.235,5;0,25
20;2.234,5;0,125
30;1.234,0;0,5
"""
LOGGER = """Device: X1
Serial: 17, revision 2

time,acc
0.0,1.5
0.1,2.5
0.2,3.5
"""


@pytest.fixture
def text(tmp_path):
    """Write a text, or bytes, to a file."""

    def write(content):
        file = tmp_path / "x.csv"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    return write


def test_every_layout_gives_the_values_of_pandas(tmp_path):
    file = tmp_path / "x.csv"
    for separator, decimal, header in product(",;\t|", ".,", (True, False)):
        if separator != decimal:
            FRAME.to_csv(
                file, sep=separator, decimal=decimal, header=header, index=False
            )
            recording = read_recording(file)
            names = ("acc_x", "acc_y") if header else ("0", "1")
            assert recording.channels == names
            assert np.array_equal(recording.values, FRAME.to_numpy())


def test_random_numbers_are_read_to_the_last_bit(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 3)) * 10.0 ** rng.integers(-300, 300, size=(300, 3))
    pd.DataFrame(values, columns=list("abc")).to_csv(tmp_path / "x.csv", index=False)
    assert np.array_equal(read_series(tmp_path / "x.csv"), values)


def test_the_index_of_pandas_is_left_out_and_noted(tmp_path):
    file = tmp_path / "x.csv"
    FRAME.to_csv(file)
    recording = read_recording(file)
    assert recording.channels == ("acc_x", "acc_y")
    assert "numbers the rows and was left out" in " ".join(recording.notes)
    pd.DataFrame(FRAME.to_numpy()).to_csv(file)
    assert read_recording(file).channels == ("0", "1")
    assert np.array_equal(read_series(file), FRAME.to_numpy())


@pytest.mark.parametrize(
    ("content", "options", "values"),
    [
        ("# a comment\n\n  1.0   2\n3\t4\n 5 6 \n", {}, [[1, 2], [3, 4], [5, 6]]),
        ("1,5\n2,5\n3,5\n", {}, [[1, 5], [2, 5], [3, 5]]),
        ("1,5\n2,5\n", {"separator": ";", "decimal": ","}, [[1.5], [2.5]]),
        ("0,1\n5,6\n7,9\n", {"header": True}, [[5, 6], [7, 9]]),
        ('a,b\n"1,5","2,5"\n"3,5","4,5"\n', {}, [[1.5, 2.5], [3.5, 4.5]]),
        ("a,word,b\n1,x,2\n3,y,4\n", {"columns": "b,a"}, [[2, 1], [4, 3]]),
        ("a;b;\n1;2;\n3;4;\n", {}, [[1, 2], [3, 4]]),
        ('\ufeff"a, left","b"\r\n1,2\r\n3,4\r\n', {}, [[1, 2], [3, 4]]),
        ("größe\n1\n2\n".encode("latin-1"), {"encoding": "latin-1"}, [[1], [2]]),
        ("größe\n1\n2\n".encode("utf-16"), {"encoding": "utf-16"}, [[1], [2]]),
    ],
)
def test_layouts(text, content, options, values):
    assert read_recording(text(content), **options).values.tolist() == values


def test_names_and_notes(text):
    recording = read_recording(text("a;b;\n1;2;\n3;4;\n"))
    assert recording.channels == ("a", "b")
    assert recording.notes == ("column 3 is empty and was left out",)
    assert read_recording(text('"a, left",b\n1,2\n')).channels == ("a, left", "b")
    one = read_recording(text("1,5\n2,5\n"), separator=";", decimal=",")
    assert (one.channels, one.notes) == (("value",), ("decimal comma",))
    numbers = "+1.5\n-2e3\n.5\n5.\ninf\n-inf\n\nnan\n"
    read = read_series(text(numbers))
    assert np.array_equal(read, np.loadtxt(io.StringIO(numbers)), equal_nan=True)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"", {}, "holds no samples"),
        (b" \n\n", {}, "holds no samples"),
        (b"a,b\n", {}, "holds no samples"),
        (bytes(range(256)), {}, "is binary, not text"),
        (b"a,b\n1,2\n3", {}, "line 3: 1 columns where the lines above have 2"),
        (b"a,b\n1,2\n3,\xff\n", {}, "not UTF-8"),
        ("größe\n1\n".encode("utf-16"), {}, "is UTF-16 text"),
        (b"1\n", {"encoding": "klingon"}, "no encoding 'klingon'"),
        (b'a,b\n1,"2\n3,4\n', {}, "x.csv"),
        ("a,word\n1,x\n", {}, "line 2, column 2: 'x' is not a number"),
        ("a,word\n1,x\n", {"columns": "a,c"}, "no column 'c'; known: a, word"),
        ("a;b\n1,5;2.5\n", {}, "give the decimal sign"),
        ("a,a\n1,2\n3,4\n", {}, "two columns are called 'a'"),
        ("when,x\n01.02.2024 10:00,1\n", {}, "is a date, but not in ISO form"),
        ("2024-01-01 00:00:00 1.5\n2024-01-01 00:00:01 2.5\n", {}, "several columns"),
        (
            "when,x\n2024-01-01T00:00:00Z,1\n2024-01-01T00:00:01,2\n",
            {},
            "line 3, column 1: '2024-01-01T00:00:01' has no time zone",
        ),
        ("when,x\n2024-01-01,1\nsoon,2\n", {}, "line 3, column 1: 'soon' is not a tim"),
        ("time,x\n1e300,1\n2e300,2\n", {}, "holds 2e+300, which is not a time"),
        ("time,x\ninf,1\ninf,2\n", {}, "lacks 2 values"),
        ("seconds,x\n1714564800000000000,1\n", {}, "which is not a time in seconds"),
        ("clock,x\n00:00:01,1\n2,1\n00:00:03,1\n", {}, "line 3, column 1: '2' is not"),
        ("1," * 100_000, {}, "line 1 has more than"),
        ("time,x\n0,1\n1,2,3\n", {}, "line 3: 3 columns where"),
        ("time\n0\n1\n", {}, "has no column beside the time"),
        ("time,seconds,x\n0,0,1\n1,1,2\n", {}, "several columns may be the time"),
        (EXPORT, {}, "begins with line 4; skip what is above it with skip_rows=3"),
        (LOGGER, {}, "begins with line 4; skip what is above it with skip_rows=3"),
        (EXPORT, {"skip_rows": 3}, "line 6, column 2: '1.234,5' is a number with th"),
    ],
)
def test_what_cannot_be_read_is_named(text, content, options, message):
    assert message in sentence(read_recording, text(content), **options)


def test_bad_lines_far_down_are_found_whichever_columns_are_read(text):
    lines = ["a,b,c", *(f"{row},{row % 5},{row % 7}" for row in range(50_000))]
    for bad, options, message in (
        ("1,2", {}, "line 40001: 2 columns where the lines above have 3"),
        ("1,2,3,4", {}, "line 40001: 4 columns where"),
        ("1,2", {"columns": "a"}, "line 40001: 2 columns where"),
        ("1,2,3,4", {"columns": "b,c"}, "line 40001: 4 columns where"),
        ("1,oops,3", {}, "line 40001, column 2: 'oops'"),
    ):
        lines[40_000] = bad
        assert message in sentence(read_recording, text("\n".join(lines)), **options)
    lines[40_000] = '"1",2,3'
    assert len(read_recording(text("\r\n".join(lines)), columns="b,c")) == 50_000


def test_an_export_of_excel_is_read_with_the_options_that_errors_name(text):
    read = read_recording(text(EXPORT), skip_rows=3, thousands=".")
    assert read.channels == ("Kraft", "Weg")
    assert read.values[:, 0].tolist() == [1234.5, 1235.5, 2234.5, 1234.0]
    assert read.values[:, 1].tolist() == [0.5, 0.25, 0.125, 0.5]
    assert read.rate == 100.0
    assert "line 5 has units" in read.notes
    # Each error names the next option, also where a row of units has no number below.
    rows = "".join(f"01.05.2024 12:00:0{k};1.23{k},5\n" for k in range(5))
    file, given = text(f"log of device 3\n\nDatum;Kraft\n-;N\n{rows}"), {}
    for remedy, option in (
        ("skip_rows=2", {"skip_rows": 2}),
        ("give day_first", {"day_first": True}),
        ("thousands='.'", {"thousands": ".", "decimal": ","}),
    ):
        assert remedy in sentence(read_recording, file, **given)
        given |= option
    assert read_recording(file, **given).values[1] == 1231.5
    marked = text("sep=;\n" + EXPORT.partition("\n\n")[2])
    assert np.array_equal(read_recording(marked, thousands=".").values, read.values)


def test_dates_are_read_in_the_order_that_is_given(text):
    rows = "".join(f"01.05.2024 12:00:{k:02d};{k % 7}\n" for k in range(30))
    file = text("when;x\n" + rows)
    assert "--day-first" in sentence(read_recording, file)
    day, month = (read_recording(file, day_first=first) for first in (True, False))
    assert (day.rate, month.rate) == (1.0, 1.0)
    assert day.start == np.datetime64("2024-05-01T12:00:00")
    assert month.start == np.datetime64("2024-01-05T12:00:00")


def test_columns_that_rise_are_the_time_or_are_left_out(text):
    rows = "".join(f"{k / 4},{k % 5}\n" for k in range(40))
    for name, rate in (
        ("Zeit", 4.0),
        ("Zeit [ms]", 4000.0),
        ("Zeit [min]", 4 / 60),
        ("tiempo_s", 4.0),
        ("elapsed clicks", None),
    ):
        read = read_recording(text(f"{name},x\n{rows}"))
        assert read.channels == ("x",)
        assert read.rate == (rate if rate is None else pytest.approx(rate))
    assert any("rises by 0.25 in every row and was left out" in n for n in read.notes)
    file = text(f"elapsed clicks,x\n{rows}")
    assert read_recording(file, time_column="elapsed clicks").rate == 4.0
    chosen = read_recording(file, columns="elapsed clicks,x")
    assert chosen.channels == ("elapsed clicks", "x")
    unnamed = read_recording(text(rows))
    assert unnamed.channels == ("1",)
    assert "if it is the time, give --time-column '0'" in " ".join(unnamed.notes)
    warm = read_recording(text("t,x\n20.5,1\n20.4,2\n20.6,3\n20.5,4\n"))
    assert (warm.channels, warm.rate) == (("t", "x"), None)
