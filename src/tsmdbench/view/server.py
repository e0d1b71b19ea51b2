"""Serve a page on this machine, so that saving in it writes a file.

Conventions
-----------
* Only 127.0.0.1 listens. The address holds a random token, which is compared in
  constant time; requests for another host name or from another origin are refused, so
  that no web page that is open in the same browser can read or write anything.
* Saved motif sets are checked like those of a file, and written whole or not at all.
  What else the file holds is kept; where that is not possible, nothing is served.
* A page shows what the file holds when it is loaded. It sends the hash of that with
  what it saves; if the file has another one now, nothing is written, and the page
  offers both.
"""

from __future__ import annotations

import hashlib
import hmac
import html
import json
import secrets
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tsmdbench.errors import InputError, TsmdbenchError
from tsmdbench.io import read_annotations
from tsmdbench.io.annotations import replace_motif_sets
from tsmdbench.io.files import regular_file
from tsmdbench.types import MotifSet, MotifSets
from tsmdbench.view.page import ViewPage, check_annotation, labelled, listed

ADDRESS = "127.0.0.1"
MAX_BODY = 64 * 2**20  # bytes of an annotation: some three million segments
TIMEOUT = 30  # seconds that a request may take to arrive
READINGS = 5  # attempts to read a file that another program is writing


class ConflictError(InputError):
    """The file has changed since the page read it."""


class AnnotationFile:
    """The file that a page is saved to.

    Parameters
    ----------
    file : Path
        Where to; it may not exist yet.
    page : ViewPage
        The page; its recording turns samples into times.
    **options
        How the file is read: ``file_format``, ``tier`` and so on.

    Raises
    ------
    InputError
        The file cannot be read, or saving onto it would lose something.
    """

    def __init__(self, file: Path, page: ViewPage, **options: Any) -> None:
        self.file = file
        self.saves = 0
        self._page = page
        self._options = options | {"recording": page.recording}
        self._lock = threading.Lock()
        _, sets = self.read()
        probe = labelled(sets) if len(sets.segments) else {"set": MotifSet([(0, 1)])}
        replace_motif_sets(file, probe, dry=True, **self._options)

    def html(self) -> str:
        """Return the page with the current content of the file."""
        with self._lock:
            version, sets = self.read()
            facts = {"file": str(self.file), "version": version}
            return self._page.html(sets, save=facts)

    def version(self) -> str:
        """Return the hash of the file; empty if there is none."""
        if not self.file.exists():
            return ""
        return hashlib.sha256(regular_file(self.file).read_bytes()).hexdigest()

    def read(self) -> tuple[str, MotifSets]:
        """Return the version and the content of the file."""
        for _ in range(READINGS):
            version = self.version()
            given = read_annotations(self.file, **self._options).sets if version else {}
            sets = check_annotation(given, self._page.shape, str(self.file))
            if any(motifs.channels is not None for motifs in sets.sets):
                raise InputError(
                    f"{self.file} names the channels of its sets, which can be viewed "
                    f"but not edited; leave out --serve"
                )
            if version == self.version():
                return version, sets
        raise ConflictError(f"{self.file} is being written by another program")

    def save(self, body: bytes) -> dict[str, Any]:
        """Write the annotations of a request and return the response.

        Raises
        ------
        InputError
            The sets are malformed, overlap or do not lie in the series.
        ConflictError
            The file was changed since the page was opened.
        """
        version, given = _parsed(body)
        sets = check_annotation(given, self._page.shape, "the annotation")
        with self._lock:
            if not hmac.compare_digest(version.encode(), self.version().encode()):
                raise ConflictError(
                    f"{self.file} was changed by another program or page since this "
                    f"page was opened"
                )
            lost = replace_motif_sets(self.file, labelled(sets), **self._options)
            self.saves += 1
            return {
                "file": str(self.file),
                "version": self.version(),
                "notes": "; ".join(f"Lost: {text}." for text in lost),
            }

    def present(self) -> dict[str, Any]:
        """Return version and sets of the file, to offer them; empty if unreadable."""
        try:
            version, sets = self.read()
        except (TsmdbenchError, OSError):
            return {}
        return {"version": version, "sets": listed(sets)}


def _parsed(body: bytes) -> tuple[str, dict[str, list[Any]]]:
    """Return version and label to segments of a request."""
    try:
        value = json.loads(body)
        version, sent = value["version"], value["sets"]
        pairs = [(item["label"], item["segments"]) for item in sent]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise InputError("the request is not an annotation of this page") from None
    if not (isinstance(version, str) and version.isascii()) or not all(
        isinstance(label, str) and isinstance(segments, list)
        for label, segments in pairs
    ):
        raise InputError("the request is not an annotation of this page")
    named = dict(pairs)
    if len(named) < len(pairs):
        raise InputError("two sets have the same name; rename one")
    return version, named


class ViewServer(ThreadingHTTPServer):
    """A server for one page; `url` is where it is.

    Parameters
    ----------
    annotation : AnnotationFile
        What is shown and saved.
    port : int, default 0
        Port to listen on; 0 takes a free one.
    """

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, annotation: AnnotationFile, port: int = 0) -> None:
        try:
            super().__init__((ADDRESS, port), _Handler)
        except (OSError, OverflowError) as cause:
            raise InputError(
                f"port {port} of {ADDRESS} cannot be used ({cause}); choose another "
                f"with --port, or leave it out"
            ) from None
        self.annotation = annotation
        self.token = secrets.token_urlsafe(24)

    @property
    def url(self) -> str:
        """The address of the page, with its token."""
        return f"http://{ADDRESS}:{self.server_port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, str]:
        """The names that a browser may have for this server."""
        return (f"{ADDRESS}:{self.server_port}", f"localhost:{self.server_port}")

    def handle_error(self, *_: Any) -> None:
        """Print nothing: a browser that closes a connection is not an error."""


class _Handler(BaseHTTPRequestHandler):
    """Answers for the page and for saving; everything else is refused."""

    server: ViewServer
    server_version = "tsmdbench"
    sys_version = ""
    timeout = TIMEOUT

    def do_GET(self) -> None:
        """Send the page."""
        if self._refused("/"):
            return
        try:
            data, status = self.server.annotation.html().encode(), HTTPStatus.OK
        except (TsmdbenchError, OSError) as cause:
            said = f"The annotation cannot be shown: {cause}."
            page = f"<!DOCTYPE html><title>tsmdbench</title><p>{html.escape(said)}</p>"
            data, status = page.encode("utf-8", "replace"), HTTPStatus.CONFLICT
        self._send(status, data, "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """Save what the page sends."""
        if self._refused("/save"):
            return
        body = self._body()
        if body is None:
            return
        annotation = self.server.annotation
        try:
            self._answer(HTTPStatus.OK, annotation.save(body))
        except ConflictError as cause:
            offered = {"error": f"Not saved: {cause}."} | annotation.present()
            self._answer(HTTPStatus.CONFLICT, offered)
        except TsmdbenchError as cause:
            self._answer(HTTPStatus.BAD_REQUEST, {"error": f"Not saved: {cause}."})
        except OSError as cause:
            self._answer(
                HTTPStatus.INTERNAL_SERVER_ERROR, {"error": f"Not saved: {cause}."}
            )

    def _refused(self, wanted: str) -> bool:
        """Refuse another host, another origin, or an address without the token."""
        origin = self.headers.get("Origin")
        known = {f"http://{host}" for host in self.server.hosts}
        if self.headers.get("Host") not in self.server.hosts or (
            origin is not None and origin not in known
        ):
            self._answer(HTTPStatus.FORBIDDEN, {"error": "This is another site."})
            return True
        given = self.path.partition("?")[0].encode("utf-8", "replace")
        right = f"/{self.server.token}{wanted}".encode()
        if not hmac.compare_digest(given, right):
            self._answer(HTTPStatus.NOT_FOUND, {"error": "There is nothing here."})
            return True
        return False

    def _body(self) -> bytes | None:
        """Return the body of the request; None if it was refused."""
        if self.headers.get_content_type() != "application/json":
            self._answer(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE, {"error": "JSON is expected."}
            )
            return None
        text = self.headers.get("Content-Length", "")
        if not (text.isascii() and text.isdigit()):
            self._answer(HTTPStatus.LENGTH_REQUIRED, {"error": "No length was given."})
            return None
        if len(text) > 12 or int(text) > MAX_BODY:
            self._answer(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                {"error": f"Not saved: an annotation has at most {MAX_BODY} bytes."},
            )
            return None
        return self.rfile.read(int(text))

    def _answer(self, status: HTTPStatus, value: dict[str, Any]) -> None:
        self._send(status, json.dumps(value).encode(), "application/json")

    def _send(self, status: HTTPStatus, data: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(data))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Print nothing: the address holds the token."""
