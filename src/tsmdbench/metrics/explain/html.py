"""The explanation as HTML for notebooks: the same as the text, in tables."""

from __future__ import annotations

from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.metrics.explain.explanation import SHOWN, Explanation
from tsmdbench.metrics.explain.text import ADVICE, counted_lines, details


def html(explanation: Explanation) -> str:
    """Return the explanation as HTML; labels come from outside and are escaped."""
    parts = [html_lines(counted_lines(explanation))]
    if explanation.f1_if_fixed:
        counts = explanation.error_counts()
        rows = [
            [ADVICE[kind][counts[kind] > 1].format(n=counts[kind]), f"{f1:.3f}"]
            for kind, f1 in sorted(
                explanation.f1_if_fixed.items(), key=lambda item: -item[1]
            )
        ]
        parts.append(html_table(["what to fix", "F1 if fixed"], rows))
    lines = details(explanation)
    if lines:
        rows = [[line] for line in lines[:SHOWN]]
        if len(lines) > SHOWN:
            rows.append([f"... and {len(lines) - SHOWN} more"])
        parts.append(html_table(["what to look at"], rows))
    return html_block(*parts)
