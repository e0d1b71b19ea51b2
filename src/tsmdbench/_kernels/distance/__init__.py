"""Compiled loops over the z-normalised distances between windows of a series."""
