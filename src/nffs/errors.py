"""What users did that we cannot work with: one sentence, no traceback from the command line."""

from __future__ import annotations

from collections.abc import Iterable


class InputError(ValueError):
    """Data or arguments that cannot be used; the message names them and the remedy."""


class AdjustedWarning(UserWarning):
    """A default was adjusted to fit the table; the message says which and to what."""


class PartialWarning(UserWarning):
    """A search was interrupted and its best result so far is kept."""


class FailedWarning(UserWarning):
    """A few subsets could not be evaluated and were left out; the message says why."""


class EvaluationError(RuntimeError):
    """Too many subsets could not be evaluated; the message says why the first one could not."""


class ClusterError(OSError):
    """A cluster cannot be reached or has no workers; the message says what to do."""


class DownloadError(OSError):
    """A data file could not be downloaded; the message says what every mirror answered."""


class JournalError(OSError):
    """A journal cannot be read or written; the message says why and what to do."""


def quoted(names: Iterable[object], limit: int = 5) -> str:
    """Join names for a message, quoted, the first few only.

    >>> quoted(["a", "b"])
    "'a', 'b'"
    >>> quoted(range(9), limit=2)
    "'0', '1' and 7 more"
    """
    listed = [repr(str(name)) for name in names]
    if len(listed) <= limit:
        return ", ".join(listed)
    return ", ".join(listed[:limit]) + f" and {len(listed) - limit} more"
