# Everything works from a clean clone with Python, make and a C++ compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(wildcard src/dynmeans/core/*.?pp) CMakeLists.txt pyproject.toml

.PHONY: demo test check bench docs asan attack format clean

demo: $(VENV)/installed
	$(BIN)/dynmeans demo

test: $(VENV)/installed-test $(VENV)/installed-bench
	$(BIN)/python -m pytest -n auto

check: $(VENV)/installed-test $(VENV)/installed-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror src/dynmeans/core/*.?pp
	$(BIN)/mypy
	$(BIN)/lint-imports

# Kills, power cuts, damaged files and absurd parameters by the thousand; prints the counts.
attack: $(VENV)/installed-test
	cd tests && ../$(BIN)/python -m attack

bench: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks

docs: $(VENV)/installed-docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

format: $(VENV)/installed-check
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i src/dynmeans/core/*.?pp

# The compiled core under AddressSanitizer and UBSan, in an environment of its own.
asan:
	$(PYTHON) -m venv $(VENV)-asan
	$(VENV)-asan/bin/pip install -q -U "pip>=25.1"
	$(VENV)-asan/bin/pip install -q --group test
	$(VENV)-asan/bin/pip install -q -C cmake.define.DYNMEANS_SANITIZE=ON -C build-dir=build/asan .
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 $(VENV)-asan/bin/python -m pytest -q -p no:cacheprovider tests/core tests/algorithms

clean:
	rm -rf build $(VENV) $(VENV)-asan docs/_build

$(VENV)/pip:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -U "pip>=25.1"
	@touch $@

$(VENV)/installed: $(VENV)/pip $(SOURCES)
	$(BIN)/pip install -q -e ".[all]"
	@touch $@

$(VENV)/installed-%: $(VENV)/installed pyproject.toml
	$(BIN)/pip install -q --group $*
	@touch $@
