"""Forests on the columns themselves, by bit sets.

A cut of a column is the set of rows whose value is at most some value. A table of few values to a
column is all cuts, and they are the same in every subset: a node of a tree is a set of rows too,
and a split is one set minus another. Counting is a matter of population counts, 64 rows at a time.

Columns of many values are counted by bins, and a small node's rows are sorted; see
:mod:`.numbers`. Trees are not kept: a branch that no evaluation row takes is not even grown.
"""
