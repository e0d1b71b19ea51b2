# Commands for users and developers of a checkout. Requires Python 3.11 or newer.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
OUTPUT ?= demo-output
# Processes of the default test run. Each process compiles the kernels that it is the first to use.
JOBS ?= 2
# Tests start many processes; each would compile all that it imports again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-slow test-nojit test-matrix test-package check docs docs-update format bench clean

## demo: evaluate the bundled example, then methods on two datasets, ending with the report
demo: $(if $(wildcard $(VENV)/.installed),,$(VENV)/.demo)
	@$(BIN)/tsmdbench demo --out $(OUTPUT)

## test: the default test run, doctests included
test: $(VENV)/.installed
	$(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder

## test-slow: the tests that take longer than a few seconds each
test-slow: $(VENV)/.installed
	$(BIN)/python -m pytest -q -m slow

## test-nojit: the kernels as plain Python, for coverage and the debugger
test-nojit: $(VENV)/.installed
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q tests/kernels

## test-matrix: lowest and newest versions, all installed Pythons; QUICK=1 for golden outputs and frozen recipes only
test-matrix:
	$(PYTHON) -m tools.test_matrix $(if $(QUICK),--quick) $(ENVIRONMENTS)

## test-package: build wheel and sdist, check them, install the wheel into an empty environment and try it
test-package: $(VENV)/.installed
	@rm -rf dist
	@test -x .cache/package/bin/twine || { $(PYTHON) -m venv .cache/package && \
	    .cache/package/bin/python -m pip install --quiet --disable-pip-version-check build twine; }
	.cache/package/bin/python -m build --outdir dist .
	.cache/package/bin/python -m twine check --strict dist/*
	TSMDBENCH_DIST=dist $(BIN)/python -m pytest -q -m slow tests/test_package.py

## check: lint, format, types, direction of imports
check: $(VENV)/.installed
	$(BIN)/ruff check src tests benchmarks tools examples
	$(BIN)/ruff format --check src tests benchmarks tools examples
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_layers.py

## docs: the documentation site in site/; fails on a warning, a broken link, a failing example or a missing name
docs: $(VENV)/.installed
	$(BIN)/python -m sphinx -W -n -q docs site
	$(BIN)/python -m tools.docs.check_site
	TSMDBENCH_SITE=site $(BIN)/python -m pytest -q -m "slow or not slow" \
	    tests/test_pages.py tests/test_generated_pages.py tests/test_site.py
	@echo "The site: site/index.html"

## docs-update: write the parts of the pages that come from the code
docs-update: $(VENV)/.installed
	$(BIN)/python -m tools.docs.pictures
	$(BIN)/python -m tools.docs.generate
	$(BIN)/python -m tools.docs.examples

## format: fix automatically what 'check' reports
format: $(VENV)/.installed
	$(BIN)/ruff check --fix src tests benchmarks tools examples
	$(BIN)/ruff format src tests benchmarks tools examples

## bench: times compared with public implementations, after comparing the results
bench: $(VENV)/.installed
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

## clean: delete caches and the output of the other targets
clean:
	rm -rf .cache .pytest_cache .mypy_cache .ruff_cache build dist site jupyter_execute docs/reference/generated $(OUTPUT) benchmarks/output

# The demo needs less than development. Python compiles a module when it is first imported, so pip does not compile all.
$(VENV)/.demo: EXTRA := all
$(VENV)/.installed: EXTRA := dev
# The lock file pins the tested versions; a plain 'pip install tsmdbench' uses version ranges.
$(VENV)/.demo $(VENV)/.installed: pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "tsmdbench needs Python 3.11 or newer: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@echo "Installing into $(VENV) (once, up to a minute) ..."
ifneq ($(UV),)
	@test -x $(BIN)/python || $(UV) venv --quiet --python $(PYTHON) $(VENV)
	$(UV) pip install --quiet --python $(BIN)/python -c requirements.lock -e '.[$(EXTRA)]'
else
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c requirements.lock -e '.[$(EXTRA)]'
endif
	@touch $@
