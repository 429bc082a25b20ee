"""Errors that users can make: one sentence each, no traceback on the command line."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable


class InputError(ValueError):
    """Data or arguments that cannot be used; the message names them and says what to do."""


class AdjustedWarning(UserWarning):
    """A default was adjusted to fit the table; the message says which and to what."""


class PartialWarning(UserWarning):
    """A search was interrupted and its best result so far is kept."""


class FailedWarning(UserWarning):
    """A few subsets could not be evaluated and were left out; the message says why."""


class WaitingWarning(UserWarning):
    """A search waits for another process that uses its journal; the message says which."""


class EvaluationError(RuntimeError):
    """Too many subsets could not be evaluated; the message says why the first one could not."""


class ClusterError(OSError):
    """A cluster cannot be reached or has no workers; the message says what to do."""


class DownloadError(OSError):
    """A data file could not be downloaded; the message says what every mirror replied."""


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


def nearest(name: str, names: Iterable[object]) -> str:
    """Ask whether the name most like a wrong one was meant; say nothing if none is like it.

    >>> nearest("lable", ["flag", "label"])
    " did you mean 'label'?"
    >>> nearest("lable", ["flag"])
    ''
    """
    known = {str(other).lower(): str(other) for other in names}
    close = difflib.get_close_matches(name.lower(), known, n=1)
    return f" did you mean {known[close[0]]!r}?" if close else ""


def instead(name: str, names: Collection[object], have: str = "it has", limit: int = 20) -> str:
    """End a message about a name that does not exist: the nearest name, then those there are.

    >>> instead("lable", ["flag", "label"])
    "; did you mean 'label'? It has 'flag', 'label'."
    >>> instead("x", ["flag", "label"], "there are")
    "; there are 'flag', 'label'."
    """
    meant = nearest(name, names)
    start = have[0].upper() + have[1:] if meant else have
    return f";{meant} {start} {quoted(names, limit)}."
