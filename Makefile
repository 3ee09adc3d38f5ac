# make demo   answers questions over a real graph
# make test   lints, type-checks and tests core and adapters
# make test-slow   builds wheels, measures every pattern, calls everything with anything: minutes that make test leaves out
# make test-browser   tests the pages of Lens in the system's Chromium; they skip where there is none
# make test-engines   puts the engines under load: servers killed again and again, many processes at once
# make bench  measures quality and speed beside other retrievers (FOURFOLD_DATASETS names a folder of collections);
#             make bench-tools ARGS="--rounds 50" runs one other script of benchmarks/
# make docs   builds the documentation as a site, in site/; any warning fails it
# make dist   builds the four distributions into dist/, the same bytes wherever they are built
# make soak   tries for hours what must always hold; make soak ARGS="fuzz --calls 50000" one part of it
#
# Each builds what it needs in .venv; the second time is quick. PYTHON=python3.12 make … takes another interpreter.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
ADAPTERS := $(patsubst %/pyproject.toml,%,$(wildcard adapters/*/pyproject.toml))
MANIFESTS := pyproject.toml $(ADAPTERS:=/pyproject.toml)
JOBS ?= $(shell $(PYTHON) -c 'import os; print(min(os.cpu_count() or 1, 8))')

# Several processes share the cores: one that multiplies matrices on all of them waits for the others at each step.
test test-slow test-browser test-engines soak: export OMP_NUM_THREADS = 1

.PHONY: demo test test-slow test-browser test-engines lint types bench docs soak dist clean

demo: $(VENV)/.demo
	$(BIN)/fourfold demo

# The adapters are type-checked one by one: several have a package of the name "tests".
test: lint types
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not slow and not browser and not engines" \
	  tests $(wildcard $(ADAPTERS:=/tests))

test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "slow and not browser and not engines" tests

# axe-core, for tests only, checks what the pages are to those who do not see them; without npm that part skips.
test-browser: $(VENV)/.test
	@test -d $(VENV)/axe || ! command -v npm >/dev/null || \
	  npm install --silent --no-audit --no-fund --prefix $(VENV)/axe axe-core@4 || echo "axe-core could not be fetched."
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m browser tests/lens

# What takes minutes with real servers: power cuts by the dozen, twelve processes for a minute, Milvus Lite.
test-engines: $(VENV)/.engines
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m engines tests/engines

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy
	set -e; for adapter in $(ADAPTERS); do ( \
	  cd $$adapter && MYPYPATH=src ../../$(BIN)/mypy --strict --explicit-package-bases --exclude '^tests/' \
	    $$(if [ -d src ]; then echo src; else echo .; fi) ); done

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/quality.py
	$(BIN)/python benchmarks/speed.py

bench-%: $(VENV)/.bench
	$(BIN)/python benchmarks/$*.py $(ARGS)

# Links, anchors and the names in the reference; the code blocks are run by make test.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --clean --strict
	@echo "Open site/index.html."

soak: $(VENV)/.test
	$(BIN)/python benchmarks/soak $(ARGS)

dist: $(VENV)/.test
	rm -rf dist
	set -e; for package in . $(ADAPTERS); do $(BIN)/python -m build --no-isolation --outdir dist $$package; done

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Fourfold needs Python 3.11 or newer; $(PYTHON) is not. Say PYTHON=python3.12 make …"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.demo: $(VENV)/.made pyproject.toml
	@echo "Installing into $(VENV): a few minutes the first time."
	@$(PIP) -e '.[cli]'
	touch $@

$(VENV)/.test: $(VENV)/.made $(MANIFESTS)
	@echo "Installing into $(VENV): a few minutes the first time."
	@$(PIP) -e '.[all,test]' \
	  $(foreach adapter,$(ADAPTERS),-e './$(adapter)[test]')
	touch $@ $(VENV)/.demo

# Milvus Lite is 450 MB with what it needs; its tests skip where a platform has none.
$(VENV)/.engines: $(VENV)/.test
	@$(PIP) -e '.[all,milvus]' || { [ -z "$$CI" ] && echo "Milvus Lite could not be installed; its tests skip."; }
	touch $@

$(VENV)/.docs: $(VENV)/.made pyproject.toml
	@echo "Installing into $(VENV): a minute the first time."
	@$(PIP) -e '.[docs]'
	touch $@

$(VENV)/.bench: $(VENV)/.test
	@$(PIP) -e '.[all,bench]'
	touch $@
