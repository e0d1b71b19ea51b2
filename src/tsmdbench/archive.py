"""Classification archives: load datasets, describe them, select those that cluster.

>>> from tsmdbench.archive import load
>>> load("JapaneseVowels").classes
('1', '2', '3', '4', '5', '6', '7', '8', '9')
"""

from tsmdbench.datasets.archive import Place, load, locate
from tsmdbench.datasets.dataset import Dataset, Properties
from tsmdbench.datasets.dataset import describe as describe_dataset

__all__ = ["Dataset", "Place", "Properties", "describe_dataset", "load", "locate"]
