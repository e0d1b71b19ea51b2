"""View and annotate one recording in a self-contained page.

`view_page` puts a series, its true motif sets and any number of found ones into one
HTML file. ``tsmdbench view`` writes it, or serves it on this machine so that saving
goes to a file.

Conventions
-----------
* Everything is inside: no network, no library. A content security policy forbids every
  request but saving to the server that the page came from.
* Names come from files and are never trusted: they are written as text.
* The series is stored at several resolutions, see `tsmdbench.view.levels`; segments are
  exact.
* The scores are those of `tsmdbench.metrics.prom`, by the script that the report uses.

Departures
----------
The picture is drawn on a canvas by scripts of our own. bokeh and plotly draw what they
are given: neither keeps several resolutions without a server, and neither can edit
segments by keyboard.
"""

from tsmdbench.view.page import view_page

__all__ = ["view_page"]
