"""How far a long search is; see `tsmdbench._kernels.progress`, which walks tell too."""

from __future__ import annotations

from tsmdbench._kernels.progress import each, listening, tell, within

__all__ = ["each", "listening", "tell", "within"]
