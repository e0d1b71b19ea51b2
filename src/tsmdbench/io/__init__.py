"""Read and write series and motif sets in common formats.

`read_recording` reads a series with the names of its channels, its sampling rate and
its start; `as_recording` makes the same of arrays and frames. `read_annotations` reads
motif sets, in samples or in time, and `write_motif_sets` writes them. `read_series` and
`read_motif_sets` return the values only.

Conventions
-----------
* Rows are samples; time is axis 0.
* Files are read by documented rules. The notes of the result state what a rule decided;
  missing or inconsistent information raises an `InputError` that says how to fix it.
* Reading a file never runs code: there is no pickle and no eval.
* pandas, pyarrow, SciPy's readers, wfdb and aeon are imported when a file needs them.
"""

from tsmdbench.io.annotations import (
    Annotations,
    read_annotations,
    read_motif_sets,
    write_motif_sets,
)
from tsmdbench.io.files import PathLike as PathLike
from tsmdbench.io.files import write_atomically
from tsmdbench.io.formats import (
    MotifFormat,
    SeriesFormat,
    motif_formats,
    series_formats,
)
from tsmdbench.io.recording import Recording, split_at_missing
from tsmdbench.io.results import (
    from_frame,
    from_leitmotifs,
    from_locomotif,
    from_motiflets,
    from_sample_labels,
    from_stumpy,
)
from tsmdbench.io.series import as_recording, read_recording, read_series
from tsmdbench.io.timebase import Gap

__all__ = [
    "Annotations",
    "Gap",
    "MotifFormat",
    "Recording",
    "SeriesFormat",
    "as_recording",
    "from_frame",
    "from_leitmotifs",
    "from_locomotif",
    "from_motiflets",
    "from_sample_labels",
    "from_stumpy",
    "motif_formats",
    "read_annotations",
    "read_motif_sets",
    "read_recording",
    "read_series",
    "series_formats",
    "split_at_missing",
    "write_atomically",
    "write_motif_sets",
]
