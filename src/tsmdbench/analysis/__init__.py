"""Studies on top of methods, metrics and the benchmark."""
