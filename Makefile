# SPDX-License-Identifier: MIT
# Thin wrappers over the CMake presets: `make run` and `make test` do everything from a clean clone, installing what is missing.
SHELL := /bin/sh
PREFIX ?= /usr/local
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)

.PHONY: all run test test-dd-bound test-asan test-ubsan test-tsan bench calibrate examples verify-symbols install uninstall ci-local lint tidy clean

all: deps-run
	@scripts/build.sh release

run: all
	@build/release/applebottom demo

test: deps-test
	@scripts/run_tests.sh dev --suites

# The bound of class dd, (3K + 13) 2^-48 |A||B|: certificates against exact sums, then every family of data on every device.
test-dd-bound: deps-test
	@scripts/build.sh dev ops_test ops_random_test applebottom_cli
	@ctest --preset dev -R '^(ops_test.GemmDd|ops_random_test.Certificates)\.'
	@build/dev/applebottom verify --precision dd

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

# What a change must pass, then adversarial data, then errors as K grows.
ci-local:
	@.ci/run
	@build/dev/applebottom verify --count 3
	@build/dev/applebottom verify --data uniform --shape 16x16x16,16x16x64,16x16x256,16x16x1024,16x16x4096,16x16x16384

lint: deps-lint
	@scripts/lint.sh

tidy: deps-test
	@cmake --preset dev >/dev/null && git ls-files 'src/*.cpp' | xargs clang-tidy --quiet -p build/dev

clean:
	@rm -rf build

.PHONY: deps-run deps-test deps-lint
deps-run deps-test deps-lint: deps-%:
	@scripts/install_dependencies.sh $*
