"""Datasets: where they come from, and the problems that are made of them.

The public names are in `tsmdbench.archive` and `tsmdbench.benchmark`.
"""
