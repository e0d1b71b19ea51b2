"""Compiled loops of LoCoMotif: similarities, warping paths and candidates."""
