"""Experiments that survive: many runs, on one machine or many, nothing lost.

The parts, in the order in which a run passes them:

* `settings`, `grids`, `tune`: hyperparameters from validation data, and the search;
* `specification`, `groups`, `plan`: what was asked for, and the runs it stands for;
* `engine`, `worker`, `supervisor`, `child`: Dask hands batches to workers, a worker
  watches over one process that computes, and ends it when it breaks a limit;
* `store`, `parts`, `lock`, `repair`: where rows are kept, one writer at a time;
* `run`, `driver`: what ties them together; the driver is the only writer.
"""
