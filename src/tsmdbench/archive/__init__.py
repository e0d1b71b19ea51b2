"""Classification archives: load datasets, describe them, select those that cluster.

>>> from tsmdbench.archive import load
>>> load("JapaneseVowels").classes
('1', '2', '3', '4', '5', '6', '7', '8', '9')
"""

from tsmdbench.archive.dataset import Dataset
from tsmdbench.archive.describe import Properties
from tsmdbench.archive.describe import describe as describe_dataset
from tsmdbench.archive.loading import load
from tsmdbench.archive.places import Place, locate

__all__ = ["Dataset", "Place", "Properties", "describe_dataset", "load", "locate"]
