"""Let mkdocstrings read our docstrings: numpydoc with a little reStructuredText."""

from __future__ import annotations

from typing import Any

import griffe
from tools.docs.docstrings import markdown_inside


class Markdown(griffe.Extension):
    """Turn the text of every docstring into Markdown before it is parsed."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Change the docstring of one object, once."""
        if obj.docstring is not None:
            obj.docstring.value = markdown_inside(obj.docstring.value)
