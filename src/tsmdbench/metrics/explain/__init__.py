"""Explain a score: errors by kind, as data, as text and as a figure."""
