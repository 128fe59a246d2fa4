# Each target makes the virtual environment it needs; no target needs another's.
PYTHON ?= python3
DEMO := .venv-demo
DEV := .venv
# For `make fuzz`: seconds for each fuzzer, and what its random cases depend on.
SECONDS ?= 60
SEED ?= 1
FUZZERS ?= programs urdf

.PHONY: demo test lint bench fuzz clean

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

fuzz: $(DEV)/.ready
	set -e; for name in $(FUZZERS); do $(DEV)/bin/python tools/fuzz/$$name.py --seconds $(SECONDS) --seed $(SEED); done

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
