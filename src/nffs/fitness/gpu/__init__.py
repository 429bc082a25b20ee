"""Forests on a GPU: the same question as `nffs.fitness.forest`, many subsets at a time."""
