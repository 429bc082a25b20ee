"""Gradient boosting of any subset of columns: shallow trees on columns that are binned once."""
