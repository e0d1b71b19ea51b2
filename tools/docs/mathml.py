r"""TeX to MathML, as much of it as the docstrings use; browsers show it without help.

>>> print(mathml(r"\frac{TP}{TP + FP}"))
<math><mfrac><mrow><mi>TP</mi></mrow><mrow><mi>TP</mi><mo>+</mo><mi>FP</mi></mrow></mfrac></math>
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[A-Za-z]+|\d+(?:\.\d+)?|[{}^_]|\S")
SYMBOLS = {
    "cap": "∩",
    "cup": "\u222a",
    "sum": "∑",
    "pi": "π",
    "in": "∈",
    "exists": "∃",
    "min": "min",
    "max": "max",
    "cdot": "⋅",
    "{": "{",
    "}": "}",
    "|": "‖",
    "le": "≤",
    "ge": "≥",
    "neq": "≠",
    "alpha": "\u03b1",
    "beta": "β",
    "gamma": "\u03b3",
    "rho": "\u03c1",
    "sigma": "\u03c3",
    "tau": "τ",
    "theta": "θ",
    "lambda": "λ",
    "mu": "μ",
    "delta": "δ",
    "sim": "\u223c",
    "pm": "±",
    "times": "\u00d7",
    "log": "log",
    "exp": "exp",
}
SPACES = {"quad": "1em", "qquad": "2em", ";": "0.28em", ",": "0.17em", " ": "0.3em"}
IDENTIFIERS = {
    "max",
    "pi",
    "alpha",
    "beta",
    "gamma",
    "rho",
    "sigma",
    "tau",
    "theta",
    "min",
}
SILENT = {"left", "right", "displaystyle"}
SUMS = {"∑"}


def mathml(tex: str, *, block: bool = False) -> str:
    """Return a formula as MathML.

    Raises
    ------
    ValueError
        A command is not known: better no page than a wrong formula.
    """
    tokens = Tokens(tex)
    body = "".join(tokens.row(until=None))
    shown = ' display="block"' if block else ""
    return f"<math{shown}>{body}</math>"


class Tokens:
    """The tokens of a formula, read one after the other."""

    def __init__(self, tex: str) -> None:
        self._left = TOKEN.findall(tex)[::-1]

    def row(self, until: str | None) -> Iterator[str]:
        """Yield the parts up to a closing brace, or to the end."""
        while self._left:
            if self._left[-1] == until:
                self._left.pop()
                return
            yield self._with_scripts(self._part())
        if until is not None:
            raise ValueError(f"a formula lacks {until!r}")

    def _part(self) -> str:
        token = self._left.pop()
        if token == "{":
            return f"<mrow>{''.join(self.row(until='}'))}</mrow>"
        if token.startswith("\\"):
            return self._command(token[1:])
        if token[0].isalpha():
            return f"<mi>{token}</mi>"
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token == "|":  # a bar of a pair, not a relation: no room around it
            return '<mo stretchy="false" lspace="0" rspace="0">|</mo>'
        return f"<mo>{html.escape(token)}</mo>"

    def _command(self, name: str) -> str:
        if name == "frac":
            return f"<mfrac>{self._part()}{self._part()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self._part()}</msqrt>"
        if name == "text":
            return self._part().replace("mi>", "mtext>")
        if name in SILENT:
            return ""
        if name in SPACES:
            return f'<mspace width="{SPACES[name]}"></mspace>'
        if name not in SYMBOLS:
            raise ValueError(f"no MathML for \\{name}")
        kind = "mi" if name in IDENTIFIERS else "mo"
        return f"<{kind}>{SYMBOLS[name]}</{kind}>"

    def _with_scripts(self, base: str) -> str:
        """Put what is written below and above a part there."""
        scripts: dict[str, str] = {}
        while self._left and self._left[-1] in "_^":
            place = self._left.pop()
            scripts[place] = self._part()
        if not scripts:
            return base
        over = any(f"<mo>{symbol}</mo>" == base for symbol in SUMS)
        kinds = {"_": "under", "^": "over"} if over else {"_": "sub", "^": "sup"}
        tag = "m" + "".join(kinds[place] for place in "_^" if place in scripts)
        inner = "".join(scripts[place] for place in "_^" if place in scripts)
        return f"<{tag}>{base}{inner}</{tag}>"
