"""The forest's inner loops, compiled by numba."""
