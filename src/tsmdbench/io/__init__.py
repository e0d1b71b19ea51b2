"""Read and write series and motif sets, in the formats that people have them in.

`read_recording` reads a series with the names of its channels, its sampling rate and
its start; `as_recording` makes the same of arrays and frames. `read_annotations` reads
motif sets, in samples or in time, and `write_motif_sets` writes them. `read_series` and
`read_motif_sets` return the bare values.

Conventions
-----------
* Rows are samples; time is axis 0.
* Nothing is guessed. What is read by a rule is said in the notes of the result, what is
  missing or does not fit is an `InputError` of one sentence that says how to fix it.
* Nothing can run code that a file holds: no pickle, no eval.
* pandas, pyarrow, SciPy's readers, wfdb and aeon are imported when a file needs them.
"""

from tsmdbench.io.annotations import (
    Annotations,
    read_annotations,
    read_motif_sets,
    write_motif_sets,
)
from tsmdbench.io.formats import (
    MotifFormat,
    SeriesFormat,
    motif_formats,
    series_formats,
)
from tsmdbench.io.missing import split_at_missing
from tsmdbench.io.objects import as_recording
from tsmdbench.io.paths import PathLike as PathLike
from tsmdbench.io.paths import write_atomically
from tsmdbench.io.recording import Gap, Recording
from tsmdbench.io.results import (
    from_frame,
    from_leitmotifs,
    from_locomotif,
    from_motiflets,
    from_sample_labels,
    from_stumpy,
)
from tsmdbench.io.series import read_recording, read_series

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
