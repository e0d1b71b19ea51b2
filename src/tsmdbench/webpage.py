"""Shared parts of self-contained pages: embedded data, scripts, content policy.

The report and ``tsmdbench view`` each write one HTML file with everything inside.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import zlib
from collections.abc import Iterable
from importlib.resources import files
from typing import Any
from urllib.parse import quote

# No text between tags may end them or open new ones, whatever a name holds.
UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}


def json_block(value: Any) -> str:
    r"""Return JSON for a script element; NaN and infinities become null.

    Examples
    --------
    >>> json_block({"name": "</script>", "mean": float("nan")})
    '{"name":"\\u003c/script\\u003e","mean":null}'
    """
    text = compact_json(value)
    for character, escaped in UNSAFE.items():
        text = text.replace(character, escaped)
    return text


def packed(value: Any) -> str:
    """Return JSON, compressed, as base64: a quarter of its size, letters only."""
    return base64.b64encode(zlib.compress(compact_json(value).encode(), 9)).decode()


def compact_json(value: Any) -> str:
    """Return JSON without blanks, in ASCII."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:  # rare, and the walk costs more than the rest
        return json.dumps(_finite(value), separators=(",", ":"), allow_nan=False)


def _finite(value: Any) -> Any:
    """Replace numbers that JSON does not know."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return value


def fragment(*parts: Any) -> str:
    """Return the address of a view: parts that may hold anything, separated by ``/``.

    >>> fragment("explore", "a/b", "<i>")
    '#explore/a%2Fb/%3Ci%3E'
    """
    return "#" + "/".join(quote(str(part), safe="") for part in parts)


def page_asset(folder: str, name: str) -> str:
    """Return the text of a file of the package that goes into a page."""
    return (files("tsmdbench") / folder / name).read_text(encoding="utf-8")


def joined_scripts(parts: Iterable[str]) -> str:
    """Join scripts into one with a scope of its own."""
    joined = "\n".join(parts)
    return f'(() => {{\n"use strict";\n{joined}\n}})();\n'


def content_policy(script: str, style: str, *, connect: bool = False) -> str:
    """Return a content security policy for one script and one style.

    Parameters
    ----------
    script, style : str
        The texts of the two elements.
    connect : bool, default False
        Allow requests to the server that the page came from.
    """
    allowed = "connect-src 'self'; " if connect else ""
    return (
        f"default-src 'none'; script-src 'sha256-{_digest(script)}'; "
        f"style-src 'sha256-{_digest(style)}'; {allowed}"
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
