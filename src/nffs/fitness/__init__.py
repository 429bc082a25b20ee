"""How good is a subset of features? One question, one answer object."""
