"""Tiers of annotation programs: one is chosen, none is guessed."""

from __future__ import annotations

from tsmdbench.errors import InputError
from tsmdbench.io.marks import Mark, Marks


def choose_tier(rows: list[tuple[str, Mark]], tier: str | None, where: str) -> Marks:
    """Return the marks of one tier; a file with several needs its name."""
    tiers = list(dict.fromkeys(name for name, _ in rows))
    if not tiers:
        raise InputError(f"{where} holds no annotation")
    if tier is None and len(tiers) > 1:
        raise InputError(
            f"{where} has the tiers {', '.join(map(repr, tiers))}; choose one with "
            f"tier (--tier NAME)"
        )
    if tier is not None and tier not in tiers:
        known = ", ".join(map(repr, tiers))
        raise InputError(f"{where} has no tier {tier!r}; it has {known}")
    chosen = tiers[0] if tier is None else tier
    others = [name for name in tiers if name != chosen]
    left_out = [f"tiers left out: {', '.join(others)}"] if others else []
    kept = [mark for name, mark in rows if name == chosen]
    return Marks(kept, left_out=left_out)
