"""The progress of a long search; see `tsmdbench._kernels.progress`."""

from __future__ import annotations

from tsmdbench._kernels.progress import each, listening, tell, within

__all__ = ["each", "listening", "tell", "within"]
