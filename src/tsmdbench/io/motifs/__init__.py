"""One format of motif sets per file; a module with a ``FORMAT`` is found by itself."""
