"""Data as text that can be in a page and cannot leave its place there."""

from __future__ import annotations

import base64
import json
import math
import zlib
from typing import Any

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
