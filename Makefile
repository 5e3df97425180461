# Thin: what a target does is one line here or a script in scripts/.
JOBS ?= $(shell nproc)
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

PREFIX ?= /usr/local

.PHONY: setup setup-run setup-build setup-packages build run install deb dist test bench lint format clean

build: setup-build    # all that is installed, optimised; the program is build/release/assay
	@cmake --preset release >/dev/null && cmake --build --preset release -j $(JOBS) --target installed
setup:          # installs what is missing to build and to test (Debian; as root or with sudo)
	@scripts/setup
setup-run setup-build setup-packages:
	@scripts/setup $(@:setup-%=%)
run: setup-run  # tests SQLite: runs a workload, records it, checks it, writes a report
	@cmake --preset release >/dev/null && cmake --build --preset release -j $(JOBS) --target assay
	@scripts/demo build/release/assay
install:        # what make build has built, below PREFIX and DESTDIR
	@cmake --install build/release --prefix $(PREFIX)
deb: setup-packages build     # Debian packages, in build/packages
	@scripts/deb
dist: setup-packages build    # a tarball that can be unpacked anywhere, in build/packages
	@scripts/dist
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
