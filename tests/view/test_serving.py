"""Saving to a file by a server on this machine, and who may not."""

import http.client
import json
import threading

import pytest

from tests.view.making import TRUTH, make_recording
from tsmdbench.io import read_motif_sets
from tsmdbench.validation import check_motif_sets
from tsmdbench.view.page import ViewPage
from tsmdbench.view.server import MAX_BODY, AnnotationFile, ViewServer


@pytest.fixture
def server(tmp_path):
    """A running server that saves to truth.json."""
    page = ViewPage(make_recording(), title="walk.csv")
    sets = check_motif_sets(TRUTH, "truth")
    annotation = AnnotationFile(tmp_path / "truth.json", page, sets, None)
    made = ViewServer(annotation)
    thread = threading.Thread(target=made.serve_forever, args=(0.05,))
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def ask(server, method="GET", path=None, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
    path = f"/{server.token}/" if path is None else path
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, given)
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer, data


def post(server, sets, version="", **headers):
    listed = [{"label": label, "segments": pairs} for label, pairs in sets.items()]
    body = json.dumps({"version": version, "sets": listed})
    headers = {"Content_Type": "application/json"} | headers
    answer, data = ask(server, "POST", f"/{server.token}/save", body, **headers)
    return answer.status, json.loads(data)


def test_page_is_served_to_the_right_address_only(server):
    answer, data = ask(server)
    assert answer.status == 200
    assert b"connect-src 'self'" in data
    assert answer.getheader("Cache-Control") == "no-store"
    assert answer.getheader("X-Frame-Options") == "DENY"
    other = "A" if server.token[-1] != "A" else "B"
    near = f"/{server.token[:-1]}{other}/"
    for path in ("/", "/wrong/", near, f"/{server.token}/etc", "/%C3%A9"):
        wrong, data = ask(server, path=path)
        assert wrong.status == 404
        assert b"4000" not in data
    assert server.server_address[0] == "127.0.0.1"


def test_tokens_differ(tmp_path):
    page = ViewPage(make_recording(n=100))
    annotation = AnnotationFile(
        tmp_path / "t.json", page, check_motif_sets({}, "t"), None
    )
    tokens = set()
    for _ in range(3):
        made = ViewServer(annotation)
        tokens.add(made.token)
        made.server_close()
    assert len(tokens) == 3
    assert all(len(token) >= 32 for token in tokens)


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
    ],
)
def test_other_sites_are_refused(server, headers):
    assert ask(server, **headers)[0].status == 403
    status, answer = post(server, TRUTH, **headers)
    assert status == 403
    assert answer["error"] == "This is another site."
    assert not server.annotation.file.exists()


def test_saving_writes_the_file_and_knows_its_version(server):
    status, answer = post(server, {"a": [[0, 10]], "b": []})
    assert status == 200
    file = server.annotation.file
    assert read_motif_sets(file) == {"a": [[0, 10]], "b": []}
    status, again = post(server, {"a": [[5, 10]]}, answer["version"])
    assert status == 200
    # A page that was opened earlier, or a file that somebody else changed.
    for version in ("", answer["version"], "nonsense"):
        status, refused = post(server, {"a": [[7, 10]]}, version)
        assert status == 409
        assert "was changed since this page was opened" in refused["error"]
    file.write_text("{}")
    assert post(server, {"a": [[7, 10]]}, again["version"])[0] == 409
    assert file.read_text() == "{}"
    assert server.annotation.saves == 2


@pytest.mark.parametrize(
    ("sets", "says"),
    [
        ({"a": [[0, 10], [5, 20]]}, "must not overlap"),
        ({"a": [[0, 10]], "b": [[9, 20]]}, "must not overlap"),
        ({"a": [[0, 4001]]}, "ends beyond the series"),
        ({"a": [[-1, 5]]}, "Not saved"),
        ({"a": [[3, 3]]}, "Not saved"),
        ({"a": [[0.5, 3]]}, "Not saved"),
        ({"a": [["x", 3]]}, "Not saved"),
        ({"a": "xx"}, "not an annotation"),
        ({"a": [7]}, "Not saved"),
    ],
)
def test_what_cannot_be_truth_is_not_saved(server, sets, says):
    status, answer = post(server, sets)
    assert status == 400
    assert says in answer["error"]
    assert not server.annotation.file.exists()


@pytest.mark.parametrize(
    "body",
    ["", "{", "[]", "3", '{"version": 1, "sets": []}', '{"version": ""}', "[" * 9999],
)
def test_malformed_requests_are_refused(server, body):
    path = f"/{server.token}/save"
    answer, data = ask(server, "POST", path, body, Content_Type="application/json")
    assert answer.status == 400
    assert "not an annotation" in json.loads(data)["error"]


def test_large_and_foreign_bodies_are_refused_unread(server):
    path = f"/{server.token}/save"
    for length, status in (
        (str(MAX_BODY + 1), 413),
        ("9" * 40, 413),
        ("-1", 411),
        ("x", 411),
    ):
        headers = {"Content_Type": "application/json", "Content_Length": length}
        assert ask(server, "POST", path, None, **headers)[0].status == status
    assert ask(server, "POST", path, "{}", Content_Type="text/plain")[0].status == 415


def test_a_file_that_cannot_be_written_is_said(server):
    server.annotation.file = server.annotation.file.parent / "gone" / "truth.json"
    status, answer = post(server, TRUTH)
    assert status == 500
    assert "Not saved" in answer["error"]


def test_page_saves_and_shows_what_was_saved(server, look):
    tab = look(server.url, allow=[server.url])
    assert tab.page.locator("#save-format").is_hidden()
    tab.click(1600)
    tab.keys("Delete", "Control+s")
    tab.page.locator("#status", has_text="Saved ").wait_for()
    wave = [(500, 700), (2600, 2800)]
    assert [tuple(p) for p in read_motif_sets(server.annotation.file)["wave"]] == wave
    assert tab.state("t.isUnsaved()") is False
    tab.page.reload()
    tab.page.wait_for_selector("body[data-ready]")
    assert tab.sets["wave"] == wave
    assert tab.asked == []
    # Saving again works, since the page knows the version now.
    tab.click(2700)
    tab.keys("Delete")
    tab.page.locator("#save").click()
    tab.page.locator("#status", has_text="Saved ").wait_for()
    assert len(read_motif_sets(server.annotation.file)["wave"]) == 1


def test_page_says_when_the_file_was_changed(server, look):
    tab = look(server.url, allow=[server.url])
    server.annotation.file.write_text("{}")
    tab.click(1600)
    tab.keys("Delete", "Control+s")
    tab.page.wait_for_selector("#status.refused")
    assert "was changed since this page was opened" in tab.status
    assert tab.state("t.isUnsaved()") is True
    tab.wrong.clear()  # the browser logs every answer of 409
