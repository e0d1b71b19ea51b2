"""A cache of its own for every test, and datasets in the archive's layout."""

from tests.archive_files import own_cache, write_dataset

__all__ = ["own_cache", "write_dataset"]
