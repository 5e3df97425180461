# Thin: what a target does is one line here or a script in scripts/.
JOBS ?= $(shell nproc)
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

.PHONY: setup setup-build build run test bench lint format clean

build: setup-build    # the optimised program: build/release/assay
	@cmake --preset release >/dev/null && cmake --build --preset release -j $(JOBS) --target assay
setup:          # installs what is missing to build and to test (Debian; as root or with sudo)
	@scripts/setup
setup-build:
	@scripts/setup build
run: build      # tests SQLite: runs a workload, records it, checks it, writes a report
	@scripts/demo build/release/assay
test: setup     # every test, optimised and with assertions
	@cmake --preset test >/dev/null && cmake --build --preset test -j $(JOBS)
	@ctest --preset test -j $(JOBS)
bench: setup    # the micro-benchmarks
	@cmake --preset release >/dev/null && cmake --build --preset release -j $(JOBS)
	@build/release/bench/assay_bench
lint: setup     # formatting, clang-tidy, and what must not stand in a file
	@scripts/lint $(JOBS)
format: setup   # puts every source into the house style
	@git ls-files '*.cpp' '*.hpp' '*.c' '*.h' | xargs -r clang-format -i
clean:          # forgets everything that was built
	@rm -rf build
