# Each target makes the virtual environment it needs; no target needs another's.
PYTHON ?= python3
DEMO := .venv-demo
DEV := .venv

.PHONY: demo test lint bench clean

demo: $(DEMO)/.ready
	$(DEMO)/bin/kinetrace demo

test: $(DEV)/.ready
	$(DEV)/bin/python -m pytest -n auto

lint: $(DEV)/.ready
	$(DEV)/bin/ruff check .
	$(DEV)/bin/ruff format --check .
	$(DEV)/bin/mypy

bench: $(DEV)/.ready
	$(DEV)/bin/kinetrace bench

$(DEMO)/.ready: pyproject.toml
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/pip install --quiet --editable .
	touch $@

$(DEV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(DEV)
	$(DEV)/bin/pip install --quiet --editable '.[test,reference,bench,lint]'
	touch $@

clean:
	rm -rf $(DEMO) $(DEV)
