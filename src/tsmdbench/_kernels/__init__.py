"""Compiled loops: the only place that imports numba.

A kernel takes arrays and scalars and returns arrays and scalars; its preconditions
are in its docstring and were checked by the caller. Each has a slow, obvious
twin in ``tests/reference`` that it is compared with.
"""
