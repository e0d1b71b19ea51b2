"""Compiled loops that infer grammars: Sequitur and Re-Pair."""
