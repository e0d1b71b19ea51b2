"""The page of statements: every verdict is shown, and names are text."""

from tests.analysis.made import scores_of
from tsmdbench.paper.reproduction import (
    statements_html,
    statements_markdown,
    summary,
)
from tsmdbench.paper.statements import (
    FAILS,
    HOLDS,
    UNTESTED,
    Finding,
    Statement,
    Verdict,
)

HOSTILE = "<script>alert(1)</script> | x"
SCORES = scores_of({"a": [0.1, 0.2], "b": [0.3, 0.4]}, problems=2)


def verdict(key, question, word, here=""):
    text = f"What {key} says."
    statement = Statement(key, question, text, "when so", "", lambda _: None)
    statement = statement._replace(paper="0.46")
    return Verdict(statement, Finding(word, here, "1 of 2"))


VERDICTS = [
    verdict("one", "RQ1", HOLDS),
    verdict("two", "RQ2", FAILS, HOSTILE),
    verdict("three", "RQ3", UNTESTED),
]


def test_every_statement_is_on_both_pages_with_its_verdict():
    told = "Of 3 statements, 1 holds, 1 does not hold, 1 was not tested."
    assert summary(VERDICTS) == told
    for page in (
        statements_html(VERDICTS, SCORES),
        statements_markdown(VERDICTS, SCORES),
    ):
        for one in VERDICTS:
            assert one.statement.text in page
            assert one.finding.verdict in page
        assert "2 methods on 2 datasets, 2 test problems each: 8 results" in page
        assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; | x" in statements_html(
        VERDICTS, SCORES
    )
    (row,) = [line for line in page.splitlines() if "alert" in line]
    assert row.replace("\\|", "").count("|") == 8  # a cell more would break the table


def test_statements_link_to_their_figures():
    known = verdict("s-f", "RQ1", HOLDS)
    known = known._replace(statement=known.statement._replace(figure="kendall"))
    figures = {"kendall": "report/figures/kendall.svg"}
    page = statements_html([known, *VERDICTS], SCORES, figures)
    assert '<a href="report/figures/kendall.svg">kendall</a>' in page
    text = statements_markdown([known, *VERDICTS], SCORES, figures)
    assert "| [kendall](report/figures/kendall.svg) |" in text
    assert text.count("](") == 1  # the others have no figure


def test_the_spread_over_seeds_is_shown():
    one = verdict("s-f", "RQ1", HOLDS)
    repeated = [
        [one._replace(finding=one.finding._replace(verdict=word, value=value))]
        for word, value in ((HOLDS, 0.41), (HOLDS, 0.5), (FAILS, 0.61))
    ]
    for page in (
        statements_html([one], SCORES, repeated=repeated),
        statements_markdown([one], SCORES, repeated=repeated),
    ):
        assert "2 of 3; 0.41 to 0.61" in page
        assert "of 3 benchmarks with other seeds" in page
    assert "other seeds" not in statements_markdown([one], SCORES)
