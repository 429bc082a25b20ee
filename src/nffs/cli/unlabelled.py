"""Rows without labels, from a file: what of it is read, and what the rows are used for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nffs.cli.options import listed, option, search_option
from nffs.cli.reading import Note
from nffs.cli.table import TableOptions
from nffs.errors import InputError

_UNLABELLED = option(
    "Table of rows without labels, such as those to predict. They are compared with the training "
    "rows, and used as --unlabelled-for says, but never scored on. If the table has the target's "
    "column, that is left out."
)


@dataclass(frozen=True, kw_only=True)
class UnlabelledOptions:
    """A table of rows without labels, and their uses."""

    unlabelled: Path | None = _UNLABELLED
    unlabelled_for: str | None = search_option(
        "What to use the rows of --unlabelled for, separated by commas. components: means, scales "
        "and principal components come from them too. self-training: models also train on those "
        "that they label with confidence. likeness: training rows weigh more, the more they look "
        "like these. By default nothing.",
        metavar="USES",
    )

    def check(self, *, repeats: bool) -> None:
        """Refuse uses of no rows, and rows that a repeated search could not use."""
        if self.unlabelled_for is not None and self.unlabelled is None:
            raise InputError("--unlabelled-for: there are no such rows; give --unlabelled FILE.")
        if repeats and self.unlabelled is not None:
            raise InputError(
                "--check, --unlabelled: the searches of a check have no unlabelled rows; leave out "
                "one of them."
            )

    @property
    def parameters(self) -> dict[str, Any]:
        """Give the uses as a selector takes them, if the user named any."""
        uses = self.unlabelled_for
        return {} if uses is None else {"unlabelled_for": listed(uses)}

    def read(
        self, table: TableOptions, note: Note, group: str | None, like: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Read the rows as `fit` takes them; nothing if there are none."""
        if self.unlabelled is None:
            return {}
        return {"unlabelled": table.features(self.unlabelled, note, group, like=like)}
