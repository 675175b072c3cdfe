# Everything works from a clean clone with Python, make and a C++ compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(wildcard src/dynmeans/core/*.?pp) CMakeLists.txt pyproject.toml

.PHONY: demo test check bench docs clang asan attack format clean

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

# Another build of the package: (name, options of pip, compiler). It has an environment and a build directory of its own,
# and takes all other packages from $(VENV).
define build-variant
	$(BIN)/python -m venv --without-pip $(VENV)-$(1)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" \
	  > $$($(VENV)-$(1)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/packages.pth
	CXX=$(3) $(BIN)/pip --python $(VENV)-$(1)/bin/python install -q --no-deps --force-reinstall -C build-dir=build/$(1) $(2) .
endef

# The compiled core by Clang, which also makes the wheels for Windows and macOS.
clang: $(VENV)/installed-test
	$(call build-variant,clang,,clang++)
	$(VENV)-clang/bin/python -m pytest -q -p no:cacheprovider $(PYTEST) tests/core tests/algorithms

# The compiled core under AddressSanitizer and UBSan: `make asan`, or `make asan CXX=clang++`.
SANITIZED := tests/core tests/algorithms tests/estimators
ASAN_RUNTIME = $(if $(findstring clang,$(CXX)),libclang_rt.asan-$(shell uname -m).so,libasan.so)

asan: $(VENV)/installed-test
	$(call build-variant,asan-$(notdir $(CXX)),-C cmake.define.DYNMEANS_SANITIZE=ON,$(CXX))
	LD_PRELOAD="$$($(CXX) -print-file-name=$(ASAN_RUNTIME)) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 $(VENV)-asan-$(notdir $(CXX))/bin/python -m pytest -q -p no:cacheprovider $(PYTEST) $(SANITIZED)

clean:
	rm -rf build $(VENV) $(VENV)-clang $(VENV)-asan-* docs/_build

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
