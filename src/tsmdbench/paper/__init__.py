"""The paper: its experiments and statements, with the code that only they need.

* `reproduce`: run the experiments and compare each statement, what ``tsmdbench
  reproduce`` calls;
* `random_walk_problem`: motifs in a random walk, which are too easy to find (section
  6.3), and `RandomWalkDetector`, which finds them without looking for repetition.
"""

from typing import TYPE_CHECKING

from tsmdbench._lazy import attach

if TYPE_CHECKING:
    from tsmdbench.paper.random_walk import random_walk_problem
    from tsmdbench.paper.random_walk_detector import RandomWalkDetector
    from tsmdbench.paper.reproduction import Reproduction, reproduce

__all__ = [
    "RandomWalkDetector",
    "Reproduction",
    "random_walk_problem",
    "reproduce",
]

__getattr__, __dir__ = attach(__name__)
