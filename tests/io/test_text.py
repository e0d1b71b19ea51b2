"""Tables of text: layouts, headers and decimal signs, compared with pandas."""

import io

import numpy as np
import pandas as pd
import pytest

from tsmdbench import InputError
from tsmdbench.io import read_recording, read_series

FRAME = pd.DataFrame(
    {"acc_x": [0.1, -2.5, 3e-7, 4.0, 1e300], "acc_y": [10.5, 11.0, -12.25, 13.0, 0.0]}
)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("header", [True, False])
def test_every_layout_gives_the_values_of_pandas(tmp_path, separator, decimal, header):
    if separator == decimal:
        return
    file = tmp_path / "x.csv"
    FRAME.to_csv(file, sep=separator, decimal=decimal, header=header, index=False)
    recording = read_recording(file)
    names = ("acc_x", "acc_y") if header else ("0", "1")
    assert recording.channels == names
    assert np.array_equal(recording.values, FRAME.to_numpy())


def test_random_numbers_are_read_to_the_last_bit(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 3)) * 10.0 ** rng.integers(-300, 300, size=(300, 3))
    file = tmp_path / "x.csv"
    pd.DataFrame(values, columns=list("abc")).to_csv(file, index=False)
    assert np.array_equal(read_series(file), values)


def test_the_index_of_pandas_is_left_out_and_said(tmp_path):
    file = tmp_path / "x.csv"
    FRAME.to_csv(file)
    recording = read_recording(file)
    assert recording.channels == ("acc_x", "acc_y")
    assert "numbers the rows and was left out" in " ".join(recording.notes)
    pd.DataFrame(FRAME.to_numpy()).to_csv(file)
    assert read_recording(file).channels == ("0", "1")
    assert np.array_equal(read_series(file), FRAME.to_numpy())


def test_white_space_may_be_any(tmp_path):
    file = tmp_path / "x.txt"
    file.write_text("# a comment\n\n  1.0   2\n3\t4\n 5 6 \n")
    assert read_series(file).tolist() == [[1, 2], [3, 4], [5, 6]]


def test_one_column_with_decimal_comma_needs_a_word(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("1,5\n2,5\n3,5\n")
    assert read_series(file).shape == (3, 2)
    one = read_recording(file, separator=";", decimal=",")
    assert one.series.tolist() == [1.5, 2.5, 3.5]
    assert "decimal comma" in one.notes


def test_columns_are_chosen_by_name_in_the_order_asked_for(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a,word,b\n1,x,2\n3,y,4\n")
    assert read_recording(file, columns="b,a").values.tolist() == [[2, 1], [4, 3]]
    assert read_recording(file, columns=["b"]).channels == ("b",)
    with pytest.raises(InputError, match="has no column 'c'; known: a, word, b"):
        read_recording(file, columns="a,c")
    with pytest.raises(InputError, match="line 2, column 2: 'x' is not a number"):
        read_recording(file)


def test_quoted_names_and_byte_order_mark(tmp_path):
    file = tmp_path / "x.csv"
    file.write_bytes('\ufeff"a, left","b"\r\n1,2\r\n3,4\r\n'.encode())
    recording = read_recording(file)
    assert recording.channels == ("a, left", "b")
    assert recording.values.tolist() == [[1, 2], [3, 4]]


def test_other_encodings_are_named(tmp_path):
    file = tmp_path / "x.csv"
    file.write_bytes("größe\n1\n2\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8 text"):
        read_recording(file)
    assert read_recording(file, encoding="latin-1").channels == ("größe",)
    file.write_bytes("größe\n1\n2\n".encode("utf-16"))
    with pytest.raises(InputError, match="is UTF-16 text"):
        read_recording(file)
    assert read_recording(file, encoding="utf-16").series.tolist() == [1, 2]
    with pytest.raises(InputError, match="no encoding 'klingon'"):
        read_recording(file, encoding="klingon")


def test_a_letter_far_down_is_found(tmp_path):
    file = tmp_path / "x.csv"
    lines = ["a,b", *(f"{row},{row}.5" for row in range(200_000))]
    lines[150_001] = "150000,oops"
    file.write_text("\n".join(lines))
    with pytest.raises(InputError, match="line 150002, column 2: 'oops'"):
        read_recording(file)
    lines[150_001] = "1,2,3"
    file.write_text("\n".join(lines))
    with pytest.raises(InputError, match="line 150002: 3 columns where"):
        read_recording(file)


def test_two_decimal_signs_are_not_guessed(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a;b\n1,5;2.5\n")
    with pytest.raises(InputError, match="give the decimal sign"):
        read_recording(file)


def test_a_header_of_numbers_is_what_it_is_said_to_be(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("0,1\n5,6\n7,9\n")
    assert len(read_recording(file)) == 3
    assert read_recording(file, header=True).values.tolist() == [[5, 6], [7, 9]]


def test_two_columns_of_one_name_are_refused(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a,a\n1,2\n3,4\n")
    with pytest.raises(InputError, match="two columns are called 'a'"):
        read_recording(file)


def test_numbers_with_signs_and_exponents(tmp_path):
    text = "+1.5\n-2e3\n.5\n5.\ninf\n-inf\n"
    file = tmp_path / "x.csv"
    file.write_text(text)
    expected = np.loadtxt(io.StringIO(text))
    assert np.array_equal(read_series(file), expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("when,x\n01.02.2024 10:00,1\n", "is a date, but not in ISO form"),
        ("2024-01-01 00:00:00 1.5\n2024-01-01 00:00:01 2.5\n", "several columns"),
        (
            "when,x\n2024-01-01T00:00:00Z,1\n2024-01-01T00:00:01,2\n",
            "line 3, column 1: '2024-01-01T00:00:01' has no time zone",
        ),
        ("when,x\n2024-01-01,1\nsoon,2\n", "line 3, column 1: 'soon' is not a time"),
        ("time,x\n1e300,1\n2e300,2\n", "holds 2e.300, which is not a time"),
        ("time,x\ninf,1\ninf,2\n", "lacks 2 values"),
        ("1," * 100_000, "line 1 has more than"),
        ("time,x\n0,1\n1,2,3\n", "line 3: 3 columns where"),
        ("time\n0\n1\n", "has no column beside the time"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, text, message):
    file = tmp_path / "x.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=message) as error:
        read_recording(file)
    assert "\n" not in str(error.value)


def test_separators_at_the_ends_of_lines(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a;b;\n1;2;\n3;4;\n")
    recording = read_recording(file)
    assert recording.channels == ("a", "b")
    assert recording.notes == ("column 3 is empty and was left out",)


def test_quoted_decimal_commas(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text('a,b\n"1,5","2,5"\n"3,5","4,5"\n')
    assert read_series(file).tolist() == [[1.5, 2.5], [3.5, 4.5]]


EXPORT = """Messung vom 3. Mai
Pruefstand 7

Zeit;Kraft;Weg
[ms];[N];[mm]
0;1.234,5;0,5
10;1.235,5;0,25
20;2.234,5;0,125
30;1.234,0;0,5
"""


def test_an_export_of_excel_is_read_with_the_options_that_errors_name(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text(EXPORT)
    with pytest.raises(InputError, match=r"begins with line 4; .*--skip-rows 3"):
        read_recording(file)
    with pytest.raises(InputError, match=r"line 6, column 2: '1.234,5' .*--thousands"):
        read_recording(file, skip_rows=3)
    read = read_recording(file, skip_rows=3, thousands=".")
    assert read.channels == ("Kraft", "Weg")
    assert read.values[:, 0].tolist() == [1234.5, 1235.5, 2234.5, 1234.0]
    assert read.values[:, 1].tolist() == [0.5, 0.25, 0.125, 0.5]
    assert read.rate == 100.0
    assert "line 5 has units" in read.notes
    file.write_text("sep=;\n" + EXPORT.partition("\n\n")[2])
    assert np.array_equal(read_recording(file, thousands=".").values, read.values)


@pytest.mark.parametrize("zone", ["", "Z"])
def test_dates_are_read_in_the_order_that_is_given(tmp_path, zone):
    file = tmp_path / "x.csv"
    rows = "".join(f"01.05.2024 12:00:{k:02d}{zone};{k % 7}\n" for k in range(30))
    file.write_text("when;x\n" + rows)
    with pytest.raises(InputError, match=r"line 2, column 1: .*--day-first"):
        read_recording(file)
    if zone:
        return
    day, month = (read_recording(file, day_first=first) for first in (True, False))
    assert (day.rate, month.rate) == (1.0, 1.0)
    assert day.start == np.datetime64("2024-05-01T12:00:00")
    assert month.start == np.datetime64("2024-01-05T12:00:00")


@pytest.mark.parametrize(
    ("name", "channels", "rate"),
    [
        ("Zeit", ("x",), 4.0),
        ("Zeit [ms]", ("x",), 4000.0),
        ("tiempo_s", ("x",), 4.0),
        ("elapsed clicks", ("x",), None),
    ],
)
def test_a_time_column_with_another_name_is_no_channel(tmp_path, name, channels, rate):
    file = tmp_path / "x.csv"
    file.write_text(f"{name},x\n" + "".join(f"{k / 4},{k % 5}\n" for k in range(40)))
    read = read_recording(file)
    assert (read.channels, read.rate) == (channels, rate)
    if rate is None:
        assert any(
            "rises by 0.25 in every row and was left out" in n for n in read.notes
        )
        assert read_recording(file, time_column=name).rate == 4.0
        assert read_recording(file, columns=f"{name},x").channels == (name, "x")


def test_lines_of_another_width_are_found_whichever_columns_are_read(tmp_path):
    file = tmp_path / "x.csv"
    lines = ["a,b,c", *(f"{row},{row % 5},{row % 7}" for row in range(5000))]
    for bad, count in (("1,2", 2), ("1,2,3,4", 4)):
        file.write_text("\n".join([*lines, bad, "1,2,3"]))
        for columns in (None, "a", "b,c"):
            message = f"line 5002: {count} columns where the lines above have 3"
            with pytest.raises(InputError, match=message):
                read_recording(file, columns=columns)
    file.write_text("\r\n".join([*lines, '"1",2,3', ""]))
    assert len(read_recording(file, columns="b,c")) == 5001
