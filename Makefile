# Each target makes the virtual environment it needs; no target needs another's.
PYTHON ?= python3
DEMO := .venv-demo
DEV := .venv
MINIMA := .venv-minima
# For `make fuzz`: seconds for each fuzzer, and what its random cases depend on.
SECONDS ?= 60
SEED ?= 1
FUZZERS ?= programs calls threads urdf saved_models files macros

.PHONY: demo test test-minima lint docs notebooks package viewer bench bench-quick fuzz clean

demo: $(DEMO)/.ready
	$(DEMO)/bin/kinetrace demo

test: $(DEV)/.ready
	$(DEV)/bin/python -m pytest -n auto

# What matters most, on the least versions of everything that pyproject.toml allows.
test-minima: $(MINIMA)/.ready
	$(MINIMA)/bin/python -m pytest -q tests/engine/test_share.py tests/test_short_calls.py tests/test_bad_input.py tests/test_calls.py tests/cli/test_cli.py

lint: $(DEV)/.ready
	$(DEV)/bin/ruff check .
	$(DEV)/bin/ruff format --check .
	$(DEV)/bin/mypy
	$(DEV)/bin/python tools/check_types.py
	$(DEV)/bin/python tools/check_docstrings.py

# The site in build/docs, without a network; tutorials are run.
docs: $(DEV)/.ready
	$(DEV)/bin/python -m sphinx -W --keep-going -q -j auto -d build/doctrees docs build/docs
	$(DEV)/bin/python tools/check_site.py build/docs

# The tutorials as notebooks in build/notebooks, run, with their pictures.
notebooks: $(DEV)/.ready
	$(DEV)/bin/python tools/make_notebooks.py build/notebooks

# The wheel and the source archive: built, checked, installed afresh; the archive runs some of its own tests.
package: $(DEV)/.ready
	$(DEV)/bin/python tools/check_package.py

bench: $(DEV)/.ready
	$(DEV)/bin/kinetrace bench

# Every task and library once, on small robots: fails if kinetrace raises an error or disagrees with a library.
bench-quick: $(DEV)/.ready
	$(DEV)/bin/kinetrace bench --quick

fuzz: $(DEV)/.ready
	set -e; for name in $(FUZZERS); do $(DEV)/bin/python tools/fuzz/$$name.py --seconds $(SECONDS) --seed $(SEED); done

# The page of the viewer, from its sources: needs npm. The result is kept in the package.
viewer:
	cd viewer && npm ci --no-audit --no-fund && npm run build

$(DEMO)/.ready: pyproject.toml
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/pip install --quiet --editable .
	touch $@

$(DEV)/.ready: pyproject.toml tools/constraints.txt
	$(PYTHON) -m venv $(DEV)
	$(DEV)/bin/pip install --quiet --constraint tools/constraints.txt --editable '.[test,reference,bench,lint,simulate,motion,timing,descriptions,record,live,docs,jax,torch,casadi,symbolic,cluster]'
	touch $@

$(MINIMA)/.ready: pyproject.toml tools/minima.py
	$(PYTHON) tools/minima.py > /dev/null
	$(PYTHON) -m venv $(MINIMA)
	$(MINIMA)/bin/pip install --quiet --editable . pytest $$($(PYTHON) tools/minima.py)
	touch $@

clean:
	rm -rf $(DEMO) $(DEV) $(MINIMA) build dist docs/reference docs/tutorials
