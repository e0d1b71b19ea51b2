"""From a store to what people look at: tables, figures, one self-contained page.

* `write`: everything at once, what ``tsmdbench report`` calls;
* `tables`, `comparison_tables`, `run_tables`: as Markdown, LaTeX and CSV;
* `figures`: one function per figure, gathered by `drawn`;
* `page`: the page with leaderboard, charts and explorer;
* `reproduce`, `statements`: the paper's experiments, and each of its statements.
"""
