"""A leaderboard site from submitted files: static pages that any web space can host."""

from tsmdbench.report.board.site import Board, write_board

__all__ = ["Board", "write_board"]
