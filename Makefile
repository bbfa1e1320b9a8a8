# SPDX-License-Identifier: MIT
# Thin wrappers over the CMake presets: `make run` and `make test` do everything from a clean clone, installing what is missing.
SHELL := /bin/sh
PREFIX ?= /usr/local
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)

.PHONY: all run test test-asan test-ubsan test-tsan bench calibrate examples verify-symbols install uninstall ci-local lint tidy clean

all: deps-run
	@scripts/build.sh release

run: all
	@build/release/applebottom demo

test: deps-test
	@scripts/run_tests.sh dev --suites

test-asan: deps-test
	@scripts/run_tests.sh asan

test-ubsan: deps-test
	@scripts/run_tests.sh ubsan

test-tsan: deps-test
	@scripts/run_tests.sh tsan

bench: all
	@build/release/applebottom bench $(BENCH)

# The next build compiles the table in.
calibrate: all
	@build/release/applebottom calibrate $(CALIBRATE) --output src/routing/tables/calibrated.txt

examples: all
	@scripts/run_examples.sh build/release

verify-symbols: all
	@python3 tools/check_exports.py build/release/libapplebottom.so

install: all
	@cmake --install build/release --prefix "$(PREFIX)"

uninstall:
	@scripts/uninstall.sh build/release/install_manifest.txt

ci-local:
	@.ci/run

lint: deps-lint
	@scripts/lint.sh

tidy: deps-test
	@cmake --preset dev >/dev/null && git ls-files 'src/*.cpp' | xargs clang-tidy --quiet -p build/dev

clean:
	@rm -rf build

.PHONY: deps-run deps-test deps-lint
deps-run deps-test deps-lint: deps-%:
	@scripts/install_dependencies.sh $*
