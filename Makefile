# make            build
# make validate   set up, build, run all published cases, write the report build/validate/report/index.html
# make test       set up, build, run all tests
# make gallery    a page for each example, in build/gallery; stills in docs/gallery
# make bench      benchmarks;  make bench-peers: beside MuJoCo, Simbody and Bullet
# make asan       the tests under the address and undefined-behaviour sanitizers
# make tsan       runs in eight threads under the thread sanitizer
# make install PREFIX=…, make clean

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
BUILD := build/release
PLUMB := $(BUILD)/bin/plumb

.PHONY: all setup build validate gallery test bench bench-peers asan tsan install clean

all: build

setup:
	@tools/setup packages.txt

build: setup
	@cmake --preset release > build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }; rm -f build.log
	@cmake --build --preset release -j $(JOBS)

validate: build
	@$(PLUMB) validate --out build/validate --report build/validate/report

gallery: build
	@node web/gallery.mjs $(PLUMB) build/gallery
	@echo "gallery in build/gallery/index.html"

test: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

bench: build
	@$(BUILD)/bin/plumb_bench

bench-peers: build
	@tools/setup bench/peers/packages.txt
	@bench/peers/compare $(BUILD)

asan: setup
	@cmake --preset asan > /dev/null
	@cmake --build --preset asan -j $(JOBS)
	@ctest --test-dir build/asan --output-on-failure -j $(JOBS)

tsan: setup
	@cmake --preset tsan > /dev/null
	@cmake --build --preset tsan -j $(JOBS) --target plumb_threads_test
	@build/tsan/bin/plumb_threads_test

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	rm -rf build
