"""Analyses of the paper alone: its statements, its random-walk study, robustness."""
