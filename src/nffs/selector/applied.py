"""What a fitted selector does with tables: reduce them, and name the columns in question.

A table is told by the names of its columns, and needs only those that were selected. scikit-learn
is stricter, and its checks of estimators demand three of its refusals; those are kept.
"""

from __future__ import annotations

from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from nffs._sklearn import check_feature_names_in, output_config, validate_data
from nffs.errors import InputError, quoted
from nffs.selection import apply_columns, check_places
from nffs.table.encoding import EncodedColumn, Encoding
from nffs.table.missing import Missing
from nffs.table.reading import RawTable, is_frame, read_table


class AppliedMixin(SelectorMixin):  # type: ignore[misc]
    """A selector whose `fit` leaves an `encoding_`, and in `support_` which of its columns stay."""

    missing: Missing
    encoding_: Encoding
    support_: NDArray[np.bool_]

    def transform(self, X: Any) -> Any:
        """Reduce a table to the selected encoded columns.

        Parameters
        ----------
        X : table like the one given to `fit`
            It is not modified. A frame only needs the columns that `raw_features_` names. If it has
            other columns of `fit` too, it must have all of them, in the order of `fit`, because
            scikit-learn's checks demand it; ``selection_.transform`` is not so strict.

        Returns
        -------
        frame of the same kind, or array
            Numeric and boolean columns as they are, with what is missing in them, categories as 0/1
            columns; `set_output` chooses another container.
        """
        columns = self._output_columns()
        if not self._suffices(X):
            self._check_like_fit(X)
        wanted = output_config("transform", self)["dense"]
        same_kind = wanted == "default" or type(X).__module__.startswith(wanted)
        return apply_columns(X, columns, as_array=not same_kind, missing=self.missing)

    @property
    def raw_features_(self) -> list[str]:
        """The raw columns that `transform` needs, in the table's order."""
        return list(dict.fromkeys(column.column for column in self._output_columns()))

    def _output_columns(self) -> list[EncodedColumn]:
        check_is_fitted(self)
        return list(compress(self.encoding_.columns, self.support_))

    def _suffices(self, X: Any) -> bool:
        """Tell whether a frame that differs from that of `fit` has what is needed."""
        if not is_frame(X) or not hasattr(self, "feature_names_in_"):
            return False
        needed, fitted = set(self.raw_features_), set(self.feature_names_in_)
        found = set(getattr(X, "column_names", X.columns))
        # Some of the columns of `fit`, or all of them, are what scikit-learn's checks refuse.
        return needed <= found and (found == needed != fitted or not found <= fitted)

    def _check_like_fit(self, X: Any) -> None:
        """Refuse a table that is not like that of `fit`, in scikit-learn's words and ours."""
        table = read_table(X)
        if not is_frame(X) and hasattr(self, "feature_names_in_"):
            check_places(X, self.encoding_.raw)
        if is_frame(X) and not hasattr(self, "feature_names_in_"):
            self._refuse_other_names(table)
        try:
            shown = np.asarray(X) if isinstance(X, list) else X
            validate_data(self, shown, reset=False, skip_check_array=True)
        except ValueError as error:
            if not is_frame(X):
                raise
            raise InputError(
                f"{error}\nGive X[selector.raw_features_], or all columns of fit in their order; "
                "selector.selection_.transform(X) takes the needed columns in any order."
            ) from error
        self.encoding_.check(table)

    def _refuse_other_names(self, table: RawTable) -> None:
        """Refuse a frame where `fit` had no names, unless its columns are called as ours are."""
        if not set(self.raw_features_) <= set(table.names):
            raise InputError(
                f"X: has the columns {quoted(table.names, 3)}, but fit was given a table without "
                "column names; give an array of the same columns in the same order."
            )

    def inverse_transform(self, X: Any) -> Any:
        """Put the columns that `transform` gave back in their places among all encoded columns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_selected)
            What is missing in it stays missing.

        Returns
        -------
        array or sparse matrix of shape (n, n_encoded)
            Zeros in the columns that were not selected.
        """
        if issparse(X):
            return super().inverse_transform(X)
        support = self.get_support()
        values = check_array(X, dtype=None, ensure_all_finite=False)
        if values.shape[1] != support.sum():
            raise InputError(
                f"X: found {values.shape[1]} columns, but {support.sum()} are selected; give what "
                "transform gives."
            )
        full = np.zeros((len(values), support.size), dtype=values.dtype)
        full[:, support] = values
        return full

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Name the columns that `transform` gives.

        Parameters
        ----------
        input_features : array-like of str, optional
            The raw columns' names, if `fit` was given an array.
        """
        check_is_fitted(self)
        raw = self.encoding_.raw
        names = dict(zip(raw, check_feature_names_in(self, input_features), strict=True))
        kept = np.flatnonzero(self.support_)
        return np.array([self.encoding_.columns[i].named(names) for i in kept], dtype=object)

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Mark the encoded columns that were selected, or give their places.

        The mask has an entry for each of `encoded_feature_names_`, not for each column of the
        table: to index the table take ``X[selector.raw_features_]``.

        Parameters
        ----------
        indices : bool, default=False
            Whether to give places instead of a mask.
        """
        support: NDArray[Any] = super().get_support(indices=indices)
        return support

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        support: NDArray[np.bool_] = self.support_
        return support
