"""Comparing methods: the same rows, evaluator and budget."""
