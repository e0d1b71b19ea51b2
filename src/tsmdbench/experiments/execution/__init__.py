"""Execute runs: from a plan, through batches and workers, to rows of the store."""
