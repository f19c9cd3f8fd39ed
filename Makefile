# Postil: every task is one word. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help demo test build bench experiments format lint asan tsan fuzz torture docs site wheel dist reproducible clean
SECONDS_PER_FUZZER ?= 60
TORTURE_SECONDS ?= 600
BUILD = cmake --build --preset

help:                           ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

demo: build                     ## see Postil work, on data it makes itself
	@tools/setup.sh demo
	@tools/demo.sh

test:                           ## run all tests: units, properties, oracles, command, fuzzers, sanitizers
	@tools/test.sh

build:                          ## build the command: build/postil
	@tools/setup.sh build
	@cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@$(BUILD) release

bench: build                    ## measure speed against peers, as ratios (build/bench-data holds the data)
	@tools/setup.sh build test bench
	@cmake --preset dev > /dev/null
	@$(BUILD) dev --target bench_parse bench_kernels bench_learn bench_advice bench_load bench_rules bench_kbsvm bench_svm
	build/dev/bench/bench_parse build/bench-data
	build/dev/bench/bench_kernels
	build/dev/bench/bench_advice
	build/dev/bench/bench_load
	build/dev/bench/bench_rules
	build/dev/bench/bench_svm
	@[ -d build/bench-venv ] || python3 -m venv build/bench-venv
	@build/bench-venv/bin/pip install -q -r bench/requirements.txt
	@CCACHE_BASEDIR=$$PWD CCACHE_NOHASHDIR=1 CXX=g++ CMAKE_CXX_COMPILER_LAUNCHER=ccache SKBUILD_CMAKE_DEFINE=POSTIL_WERROR=ON build/bench-venv/bin/pip install -q --no-build-isolation --no-deps .
	build/bench-venv/bin/python bench/python/run.py build/bench-data
	python3 bench/learn/run.py build/bench-data
	build/dev/bench/bench_kbsvm build/bench-data/text.svm

experiments: build              ## the papers' figures and tables, in full: docs/experiments (about 5 hours; what was done before is kept)
	@tools/setup.sh test python
	@tools/venv.sh
	build/postil experiment run all --out docs/experiments

format:                         ## format the sources
	@tools/setup.sh lint
	clang-format -i $$(git ls-files '*.cpp' '*.hpp')

lint:                           ## check formatting; run ruff and clang-tidy
	@tools/setup.sh build test lint
	clang-format --dry-run --Werror $$(git ls-files '*.cpp' '*.hpp')
	@[ -d build/lint-venv ] || python3 -m venv build/lint-venv
	@build/lint-venv/bin/pip install -q --disable-pip-version-check -r tools/lint-requirements.txt
	build/lint-venv/bin/ruff check $$(git ls-files '*.py' '*.pyi')
	@cmake --preset clang > /dev/null
	git ls-files 'src/*.cpp' 'cli/*.cpp' | xargs -P "$$(nproc)" -n 2 clang-tidy -p build/clang --quiet

asan:                           ## the C++ tests, and those of the Python module, under address and undefined-behaviour sanitizers
	@tools/setup.sh build test
	@cmake --preset asan > /dev/null
	@$(BUILD) asan
	ctest --preset asan
	@[ ! -d build/venv ] || tools/asan-python.sh

tsan:                           ## what runs in threads, under the thread sanitizer: readers, curves, cross-validation, Gram matrices
	@tools/setup.sh build test
	@cmake --preset tsan > /dev/null
	@$(BUILD) tsan --target postil test_unit
	@tools/tsan.sh

torture:                        ## attack it for hours: kills, failing calls, random command lines, fuzzers (2 hours; TORTURE_SECONDS=600 each fuzzer)
	@tools/setup.sh build test python
	@for preset in release asan fuzz; do cmake --preset $$preset > /dev/null && $(BUILD) $$preset > /dev/null || exit 1; done
	@tools/venv.sh
	POSTIL_TORTURE=1 build/venv/bin/python -m pytest -q -p no:cacheprovider tests/cli/test_killed.py tests/cli/test_failing_calls.py tests/cli/test_random_commands.py
	@tools/fuzz.sh build/fuzz $(TORTURE_SECONDS)

fuzz:                           ## fuzz every reader, SECONDS_PER_FUZZER=60 each
	@tools/setup.sh build test
	@cmake --preset fuzz > /dev/null
	@$(BUILD) fuzz
	@tools/fuzz.sh build/fuzz $(SECONDS_PER_FUZZER)

docs: build                     ## regenerate what is generated: docs/learners, docs/command.md, the picture
	@tools/setup.sh test
	/usr/bin/python3 tools/generate.py

site:                           ## the documentation as a web site that works without a network: build/site/index.html
	@tools/setup.sh python
	@[ -d build/site-venv ] || python3 -m venv build/site-venv
	@build/site-venv/bin/pip install -q --disable-pip-version-check -r docs/requirements.txt
	build/site-venv/bin/mkdocs build --strict --quiet

wheel:                          ## build the Python package: dist/ (sdist, and the wheel for this Python)
	@tools/wheel.sh

dist:                           ## make and try a release: dist/ (source archive, Debian packages, wheel, SHA256SUMS)
	@tools/dist.sh

reproducible:                   ## build twice, in two folders, and compare every byte (CCACHE_DISABLE=1: without the cache)
	@tools/reproducible.sh

clean:                          ## remove everything that was built
	rm -rf build build-python dist
