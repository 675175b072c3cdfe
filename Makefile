# Everything works from a clean clone with Python, make and a C++ compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src/core -name '*.?pp' -o -name '*.inl') CMakeLists.txt pyproject.toml
# The oldest installed Python that the package supports.
OLDEST ?= $(firstword $(wildcard $(HOME)/.pyenv/versions/3.10.*/bin/python) \
  $(foreach v,10 11 12 13,$(shell python3.$(v) -c "import sys; print(sys.executable)" 2>/dev/null)) $(PYTHON))

.PHONY: demo test check bench docs clang asan attack test-oldest test-bertopic dist format clean

demo: $(VENV)/installed
	$(BIN)/dynmeans demo

# Another interpreter: `make test VENV=.venv-3.12 PYTHON=python3.12`; PYTEST="tests/core -x" chooses tests and options.
test: $(VENV)/installed-test $(VENV)/installed-bench
	$(BIN)/python -m pytest -n auto $(PYTEST)

check: $(VENV)/installed-test $(VENV)/installed-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(filter %.hpp %.cpp,$(SOURCES))
	$(BIN)/mypy
	$(BIN)/lint-imports

# Runs the campaigns of docs/guarantees.md (kills, power cuts, damaged files, extreme parameters) and prints the counts.
attack: $(VENV)/installed-test
	cd tests && ../$(BIN)/python -m attack

# The test suite with the lowest version of every requirement, as pyproject.toml declares it. The dependencies of these
# versions are current and may deprecate functions that they use, so deprecation warnings are no errors here.
# OLDEST_TESTS chooses some tests.
# One BLAS thread per process: the tests use all cores already, and old OpenBLAS threads wait by spinning.
test-oldest:
	$(OLDEST) -m venv --clear $(VENV)-oldest
	$(VENV)-oldest/bin/pip install -q -U "pip>=25.3" packaging "tomli; python_version < '3.11'"
	$(VENV)-oldest/bin/python tools/lowest.py > $(VENV)-oldest/lowest.txt
	$(VENV)-oldest/bin/python tools/lowest.py --build > $(VENV)-oldest/lowest-build.txt
	$(VENV)-oldest/bin/pip install -q --prefer-binary -r $(VENV)-oldest/lowest.txt
	$(VENV)-oldest/bin/pip install -q --no-deps --build-constraint $(VENV)-oldest/lowest-build.txt \
		-C build-dir=build/oldest .
	$(VENV)-oldest/bin/pip check
	OPENBLAS_NUM_THREADS=1 PYTEST_ADDOPTS="-W ignore::DeprecationWarning" \
		$(VENV)-oldest/bin/python -m pytest -q -n auto -p no:cacheprovider $(OLDEST_TESTS)

# The recipe for BERTopic with the real package, without the embedding models that it would install.
test-bertopic: $(VENV)/installed-test
	$(BIN)/pip install -q --no-deps bertopic plotly narwhals pyyaml tqdm
	$(BIN)/python -m pytest -q tests/docs/test_bertopic.py

# Source distribution and wheel in dist/, checked: metadata, contents, installation without a compiler.
dist: $(VENV)/pip
	$(BIN)/pip install -q --group dist
	rm -rf dist
	$(BIN)/python -m build --installer pip
	$(BIN)/twine check --strict dist/*
	$(BIN)/python tools/check_dist.py dist

bench: $(VENV)/installed-bench
	$(BIN)/python -m benchmarks

docs: $(VENV)/installed-docs
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

format: $(VENV)/installed-check
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(filter %.hpp %.cpp,$(SOURCES))

# Another build of the package: (name, options of pip, compiler). It has a separate environment and build directory,
# and uses all other packages of $(VENV).
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
SANITIZE = LD_PRELOAD="$$($(CXX) -print-file-name=$(ASAN_RUNTIME)) $$($(CXX) -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0

asan: $(VENV)/installed-test
	@test -e "$$($(CXX) -print-file-name=$(ASAN_RUNTIME))" || \
	  { echo "$(CXX) has no $(ASAN_RUNTIME), in Debian's libclang-rt-VERSION-dev for Clang"; exit 1; }
	$(call build-variant,asan-$(notdir $(CXX)),-C cmake.define.DYNMEANS_SANITIZE=ON,$(CXX))
	$(SANITIZE) $(VENV)-asan-$(notdir $(CXX))/bin/python -m pytest -q -p no:cacheprovider $(PYTEST) $(SANITIZED)
	cd tests && $(SANITIZE) ../$(VENV)-asan-$(notdir $(CXX))/bin/python -m attack 'false state files' --count 3000

clean:
	rm -rf build dist $(VENV) $(VENV)-* docs/_build

$(VENV)/pip:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -U "pip>=25.1"
	@touch $@

$(VENV)/installed: $(VENV)/pip $(SOURCES)
	$(BIN)/pip install -q -e ".[all]"
	@touch $@

# A wheel, even of an older version: without one the newest River for Python 3.10 would need a Rust compiler.
$(VENV)/installed-%: $(VENV)/installed pyproject.toml
	$(BIN)/pip install -q --prefer-binary --group $*
	@touch $@
