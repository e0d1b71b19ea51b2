"""One format of series per file; a module with a ``FORMAT`` is found by itself."""
