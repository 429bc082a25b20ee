"""Methods beside one another: the same rows, evaluator and budget."""
