"""Score the runs of a store and compare methods, as in section 6 of the paper.

Everything starts from one table, `score_store`: a row per method and problem with its
scores, computed from the motif sets that were found.

======================= =============================================================
`agreement`             do metrics rank results alike? Kendall's tau (RQ1)
`disagreements`         the results about which two metrics differ most (RQ1)
`summary`               mean, median, quartiles per dataset and method (RQ2)
`seed_spread`           how much the mean of a random method varies with its seed
`intervals`             bootstrap intervals of the means, per dataset
`overall_intervals`     the same over datasets
`ranks`                 ranks per dataset and on average (RQ2)
`significance`          Friedman, Wilcoxon with Holm, cliques of the diagram (RQ2)
`compare`               differences on this benchmark and on other data
`bayesian_signed_rank`  how probable it is that one method is better
`leave_one_out`         ranks when one dataset is left out
`method_seconds`        the time of a method: processor time of successful runs
`cost`                  time, memory and failures
`time_and_quality`      time against quality, and the Pareto front
`dial_scores`           scores by position of the difficulty dials
`breaking_points`       the position of each dial at which a method breaks
`dataset_properties`    channels, lengths, number of sets and so on, per dataset
`property_correlations` is a method worse where there is more of a property?
`error_costs`           the F1 that each kind of error costs a method
`leaderboard`           methods of your stores among the published baselines
======================= =============================================================

`tsmdbench.paper` compares the paper's statements with results.

Conventions
-----------
* Failed runs score 0 and are part of the mean.
* The score of a method on a dataset is the mean over its problems; all datasets have
  the same weight.
* A method that was run with several seeds scores the mean over them, in one row.
* Methods are compared on datasets that all of them have. Which were left out, and who
  is missing there, is part of every result.
* The order of rows never matters. The result of a method does not depend on the other
  methods in the table, except for ranks and corrected tests.
* Functions that use random numbers have a parameter `seed`.
* Nothing raises for ties, equal methods, one dataset, one or two methods, or missing
  values: the result says why something is missing. A table without any row is refused
  when it is made.
"""

from typing import TYPE_CHECKING

from tsmdbench._lazy import attach

if TYPE_CHECKING:
    from tsmdbench.analysis.baselines import load_baselines
    from tsmdbench.analysis.bootstrap import intervals, overall_intervals, summary
    from tsmdbench.analysis.comparison import Comparison, bayesian_signed_rank, compare
    from tsmdbench.analysis.costs import cost, method_seconds, pareto, time_and_quality
    from tsmdbench.analysis.difficulty import (
        ProtocolGain,
        breaking_points,
        dataset_properties,
        dial_scores,
        error_costs,
        property_correlations,
        protocol_gains,
    )
    from tsmdbench.analysis.metric_agreement import (
        Agreement,
        Disagreement,
        agreement,
        disagreements,
    )
    from tsmdbench.analysis.ranking import (
        Ranks,
        Significance,
        Stability,
        leave_one_out,
        ranks,
        significance,
    )
    from tsmdbench.analysis.scores import Scores, score_store, seed_spread
    from tsmdbench.analysis.standings import Leaderboard, leaderboard

__all__ = [
    "Agreement",
    "Comparison",
    "Disagreement",
    "Leaderboard",
    "ProtocolGain",
    "Ranks",
    "Scores",
    "Significance",
    "Stability",
    "agreement",
    "bayesian_signed_rank",
    "breaking_points",
    "compare",
    "cost",
    "dataset_properties",
    "dial_scores",
    "disagreements",
    "error_costs",
    "intervals",
    "leaderboard",
    "leave_one_out",
    "load_baselines",
    "method_seconds",
    "overall_intervals",
    "pareto",
    "property_correlations",
    "protocol_gains",
    "ranks",
    "score_store",
    "seed_spread",
    "significance",
    "summary",
    "time_and_quality",
]

__getattr__, __dir__ = attach(__name__)
