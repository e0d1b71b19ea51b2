"""Score many results in one pass over arrays: what the metrics are computed with."""
