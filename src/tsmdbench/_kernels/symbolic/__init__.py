"""Compiled loops over SAX words and over groups of the segments they suggest."""
