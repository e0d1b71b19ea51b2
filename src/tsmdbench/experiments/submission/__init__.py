"""Submit results: who, what is complete, what was recomputed, and one file of it."""
