"""The report as one self-contained page: no server, no network, no library.

`page` turns the scores of a store into one HTML file that opens from a disk, an
attachment or a static host. It holds the leaderboard with intervals and significance,
critical difference diagrams, a heat map, box plots, time against quality, the failures,
and an explorer that shows for every problem what each method found and why it scored as
it did. The explorer evaluates PROM again in the browser, at any overlap threshold, with
the same numbers as `tsmdbench.metrics.prom`.

Conventions
-----------
* Everything is inside: styles, scripts, data. A content security policy in the page
  forbids every request, and allows only the script and the style that we put in.
* Names come from files and are never trusted: the template escapes them, the scripts
  write them as text, and data is in blocks that cannot be ended by what they hold.
* Any view has an address: ``#explore/DATASET/METHOD/PROBLEM/THRESHOLD/OTHER``.
* Series are thinned for the eye (MinMaxLTTB, `tsmdbench.report.page.series`); segments
  are exact.

Departures
----------
The charts are a few hundred lines of JavaScript of our own instead of an inlined
plotly, which alone weighs more than many of the pages made here, and whose charts
cannot be used with a keyboard or a screen reader as a table can.
"""

from tsmdbench.report.page.embed import Embed, check_embed
from tsmdbench.report.page.page import Tab, page

__all__ = ["Embed", "Tab", "check_embed", "page"]
