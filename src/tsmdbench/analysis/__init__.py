"""From the runs of a store to the comparisons of the paper's section 6.

Everything starts from one table, `scores.score_store`: a row per run with its scores,
computed from the motif sets that were found.

========================= ==========================================================
`agreement`               do metrics rank results alike? Kendall's tau (RQ1)
`disagreements`           the results about which two metrics differ most (RQ1)
`summary`                 mean, median, quartiles per dataset and method (RQ2)
`bootstrap`               intervals of the means, per dataset and over datasets
`ranks`                   ranks per dataset and on average (RQ2)
`significance`            Friedman, Wilcoxon with Holm, cliques of the diagram (RQ2)
`bayes`                   how probable it is that one method is better
`stability`               ranks when one dataset is left out
`cost`                    time, memory, failures, time against quality
`random_walk_check`       random-walk benchmarks are too easy (RQ3)
========================= ==========================================================

What holds for all of them
--------------------------
* A run that failed found nothing and is scored so. It is never left out.
* The score of a method on a dataset is the mean over its problems; datasets weigh
  alike.
* Methods are compared on datasets that all of them have. Which were left out, and who
  is missing there, is part of every result.
* The order of rows never matters, nor does a method's result depend on who else is in
  the table, ranks and corrected tests excepted, which are about the others.
* What is random takes a seed and says so.
* Nothing raises for ties, equal methods, one dataset, one or two methods, or missing
  values: the result says why something is missing. A table without any row is refused
  when it is made.
"""
