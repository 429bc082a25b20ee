"""Tables from files as people have them: any separator, encoding and compression, many formats.

`formats` tells what a file is by its ending and reads it, `sources` gets its bytes. Text goes on
through `encodings` (characters), `dialects` (separator and quotes), `delimited` (header and lines)
and `cells` (numbers and missing values in text). Whatever one of them decides that the file does
not say is told in a note.
"""

from nffs.cli.reading.formats import (
    format_of,
    index_columns,
    is_parquet,
    parquet_columns,
    read_file,
)
from nffs.cli.reading.how import How, Kinds, Note
from nffs.cli.reading.sources import STANDARD, packing

__all__ = [
    "STANDARD",
    "How",
    "Kinds",
    "Note",
    "format_of",
    "index_columns",
    "is_parquet",
    "packing",
    "parquet_columns",
    "read_file",
]
