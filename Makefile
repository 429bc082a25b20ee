# Two commands to know: `make demo` and `make test`. Both set up .venv themselves.

PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
ACCEL := .venv/.installed-accel

.PHONY: demo test coverage lint docs generate bench clean

demo: $(INSTALLED)  ## Run the whole method on the embedded table.
	@$(BIN)/nffs demo --folder demo

test: $(INSTALLED)  ## Run the full test suite.
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal $(PYTEST)

coverage: PYTEST = --cov --cov-report=term
coverage: test  ## Run the full test suite and show which lines it does not reach; slower.

lint: $(INSTALLED)  ## Lint, check formatting, types and who imports whom.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

docs: $(INSTALLED)  ## Build the documentation site; a warning is an error.
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env \
	  --doctree-dir docs/_build/doctrees docs docs/_build/html
	@echo "docs/_build/html/index.html"

generate: $(INSTALLED)  ## Make the generated parts of docs/ again: slow, and what it makes is committed.
	$(BIN)/python docs/generate.py

bench: $(ACCEL)  ## Measure what docs/benchmarks.md claims, and write it.
	$(BIN)/python benchmarks/run.py

clean:  ## Remove the environment and everything generated.
	rm -rf .venv demo bench dist build docs/_build .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "nffs needs Python 3.11 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(ACCEL): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  --constraint constraints.txt --editable '.[dev,accel]'
	@touch $@
