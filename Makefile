# SPDX-License-Identifier: MIT
# make [V=1] [WERROR=1] [HARDEN=0] [SANITIZE=address,undefined] [DLPACK_INCLUDE=dir] [DEPS=dir] [PREFIX=/usr/local]
# Targets: all check demo test test-gpu test-wheel test-freethreaded wheel fuzz replayers bench lint call-count coverage test-builds analyze test-asan test-tsan test-valgrind test-faults test-trace docs interop install uninstall clean
# DEPS: a directory with what the machine lacks (see tools/pack-deps): include, lib, kernels.

CC = gcc
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
BUILD ?= build
DEPS ?= $(BUILD)/deps
python_found := $(shell python3-config --includes 2>/dev/null | tr ' ' '\n' | sed -n 's/^-I//p' | head -n 1)
PYTHON_INCLUDE ?= $(if $(wildcard $(python_found)/Python.h),$(python_found),$(DEPS)/include/python)
DLPACK_INCLUDE ?= $(DEPS)/include
llvm_version := $(shell tools/llvm-version)
CLANG ?= $(if $(llvm_version),clang-$(llvm_version),$(notdir $(shell command -v clang)))
PTXAS ?= $(firstword $(shell command -v ptxas) $(wildcard /usr/local/cuda/bin/ptxas))
LLVM_SPIRV ?= $(if $(llvm_version),llvm-spirv-$(llvm_version),$(notdir $(shell command -v llvm-spirv)))

# $(call brief,CC,$<) prefixes a command: make prints "  CC      FILE" instead of it, with V=1 the command, and with -s nothing.
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
brief = $(if $(filter-out 0,$(V)),,@$(if $(silent),,printf '  %-7s %s\n' $(1) $(2) && ))

# As many jobs as there are cores, unless -j sets the number; a make within a make gets its jobs from that.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

comma := ,
VERSION := 0.1.0
MODULE_DIR := lib/suai

# The module's file: for the stable ABI of CPython 3.11 and later, or for one interpreter, such as _suai.cpython-314t-x86_64-linux-gnu.so.
MODULE ?= _suai.abi3.so

machine := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))

# Hardening: what the compiler accepts of it. HARDEN=0 omits it. _FORTIFY_SOURCE requires optimization, is the choice of a
# packager who sets it, and hides accesses from sanitizers.
HARDEN ?= 1
accepts = $(shell printf '\043include <stdio.h>\n' | $(CC) -O2 -Werror $(1) -x c -c -o /dev/null - 2>/dev/null && echo $(1))
fortify := $(if $(SANITIZE)$(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),,$(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=))
hardening_wanted := -fstack-protector-strong -fstack-clash-protection \
	$(if $(filter x86_64,$(machine)),-fcf-protection=full)$(if $(filter aarch64,$(machine)),-mbranch-protection=standard)
hardening := $(if $(filter 0,$(HARDEN)),,$(or $(call accepts,$(hardening_wanted)),$(foreach flag,$(hardening_wanted),$(call accepts,$(flag)))) \
	$(if $(fortify),$(or $(call accepts,$(fortify)3),$(call accepts,$(fortify)2))))
hardened_link := $(if $(filter 0,$(HARDEN)),,-Wl$(comma)-z$(comma)relro -Wl$(comma)-z$(comma)now -Wl$(comma)-z$(comma)noexecstack)

warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla
flags := -std=c11 -D_GNU_SOURCE -Isrc -isystem $(DLPACK_INCLUDE) -fPIC -fvisibility=hidden -MMD -MP $(warnings) $(hardening) \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all) \
	-DSUAI_VERSION='"$(VERSION)"' -DSUAI_MODULE_DIR='"$(MODULE_DIR)"'
compile = $(CC) $(flags) $(if $(WERROR),-Werror) $(CPPFLAGS) $(CFLAGS)$(if $(extra_cflags), $(extra_cflags))
linking := $(hardened_link) $(LDFLAGS) -L$(DEPS)/lib $(if $(SANITIZE),-fsanitize=$(SANITIZE))

# Sources of layers: src/LAYER/*.c and src/LAYER/*/*.c.
sources = $(filter-out %_test.c,$(foreach layer,$(1),$(wildcard src/$(layer)/*.c src/$(layer)/*/*.c)))
objects = $(patsubst src/%.c,$(BUILD)/%.o,$(1))

shared_sources := $(call sources,base model facts protocols consumers)
judge_sources := $(call sources,rules matrix why formats exchanges supervisor cli settings targets documents findings run output docgen commands) src/main.c
fixtures := $(wildcard testdata/rules/*/*.yaml testdata/rules/*/*.py)
made_objects := $(BUILD)/rules/engine/examples.o $(BUILD)/matrix/page.o $(BUILD)/targets/consumer_imports_source.o
# What monitors a worker; the module monitors its own forks by it.
monitor_sources := $(addprefix src/supervisor/,channel.c interrupt.c ledger.c orphans.c shard.c stack.c worker.c)
worker_sources := $(call sources,worker devices copy os) $(monitor_sources)
made_worker_objects := $(BUILD)/worker/python/definition_items_source.o $(BUILD)/worker/python/consumer_source.o
kernel_libraries := -l:liblzma.a
kernel_tables := $(BUILD)/copy/kernels/kernel_tables.o
test_sources := $(wildcard src/*/*_test.c src/*/*/*_test.c)
test_parts := $(filter-out src/main.c,$(judge_sources)) $(call sources,copy devices os) src/trace/map.c src/trace/lines.c src/trace/layout.c

# Kernels: compiled if clang and llvm-spirv are installed, otherwise taken from $(DEPS)/kernels if they match this source.
names_of = $(shell sed -n 's/^\([a-z][^ ]*\).*/\1/p' $(1))
kernel_lists := src/copy/kernels/kernels.list src/copy/kernels/reduce.list
kernel_sources := $(sort $(wildcard src/copy/kernels/*.cl src/copy/kernels/cl/*.cl)) src/copy/kernels/kernel_constants.h
reduce_names := $(call names_of,src/copy/kernels/reduce.list)
kernel_names := $(call names_of,$(kernel_lists))
kernel_stamp := $(shell cat $(kernel_lists) $(kernel_sources) tools/pack-kernels tools/encode_kernels.c | cksum)
kernels_are_carried := $(if $(kernel_stamp),$(filter $(subst $() ,_,$(kernel_stamp)),$(subst $() ,_,$(shell cat $(DEPS)/kernels/stamp 2>/dev/null))))
kernels_from := $(if $(and $(CLANG),$(LLVM_SPIRV)),$(BUILD)/kernels,$(if $(kernels_are_carried),$(DEPS)/kernels))
# The forms of their code: those that can be made here (native code if ptxas knows the architecture), or those carried.
native_known := $(if $(PTXAS),$(shell $(PTXAS) --help | grep -o "sm_[0-9]*" | sort -u))
all_forms := spv ptx sm_80 sm_90 sm_100 sm_120
forms_made := spv ptx $(filter $(all_forms),$(native_known))
kernel_forms := $(if $(filter $(BUILD)/%,$(kernels_from)),$(forms_made),$(if $(kernels_from),$(patsubst $(kernels_from)/%.xz,%,$(wildcard $(kernels_from)/*.xz))))
kernel_form_names := $(patsubst spv,SPIR-V,$(patsubst ptx,PTX,$(filter $(kernel_forms),$(all_forms))))
kernel_options = $(shell awk '$$1 == "$*" { print "-DNAME=" $$1 " -D" $$2 " -DW=" $$3 " -DV=" $$4 " -DN=" $$5 }' $(kernel_lists))
kernel_registers = $(shell awk '$$1 == "$*" && $$8 { print $$8 }' $(kernel_lists))
kernel_source = src/copy/kernels/$(if $(filter $*,$(reduce_names)),reduce,strided_copy).cl
compile_kernel = $(CLANG) -x cl -cl-std=CL1.2 -Wall -Wno-unused-function -Werror -Xclang -finclude-default-header $(kernel_options)
archive := $(BUILD)/libsuai.a
tests := $(patsubst src/%.c,$(BUILD)/tests/%,$(test_sources))
test_archive := $(BUILD)/libtests.a
tables := $(BUILD)/tests/kernel_table $(BUILD)/tests/mapping_table $(BUILD)/tests/kernel_choices

.PHONY: all check unit-tests demo test test-distributed test-freethreaded test-gpu test-wheel wheel fuzz fuzzers replayers bench lint call-count coverage test-builds analyze test-asan test-tsan test-valgrind test-faults test-trace docs interop install uninstall clean units deps analyzed
all: suai $(MODULE) suai-bootstrap.py suai-devices libsuai_trace.so

# SMALL_CFLAGS: for all but copies, such as -Os. UNWIND_CFLAGS: for code through which no exception of another library passes, which is
# that of the program alone and that of the copies.
$(call objects,$(judge_sources)): extra_cflags = $(SMALL_CFLAGS) $(UNWIND_CFLAGS)
$(call objects,$(call sources,worker devices)): extra_cflags = $(SMALL_CFLAGS)
$(call objects,$(call sources,copy)): extra_cflags = $(UNWIND_CFLAGS)

$(archive): $(call objects,$(shared_sources))
	$(call brief,AR,$@)rm -f $@ && ar qcs $@ $^

suai: $(call objects,$(judge_sources)) $(made_objects) $(archive)
	$(call brief,LD,$@)$(CC) $(linking) -pie -o $@ $^ -l:libyaml.a -l:libjansson.a -lm

# Symbols are resolved when it is loaded, and not in each fork.
$(MODULE): $(call objects,$(worker_sources)) $(made_worker_objects) $(kernel_tables) $(archive) src/worker/exports.map
	$(call brief,LD,$@)$(CC) $(linking) -shared -Wl,-z,now -Wl,--version-script=src/worker/exports.map -o $@ $(filter-out %.map,$^) $(kernel_libraries) -pthread -lm

suai-bootstrap.py: src/supervisor/bootstrap.py
	$(call brief,COPY,$@)install -m 644 $< $@

# At other places within a line, copies of some layouts take 1.25 times as long.
$(BUILD)/copy/host/%.o: flags += -falign-functions=64
$(BUILD)/copy/host/host_items.o: flags += -falign-loops=32

# One file per instruction set; the CPU is queried at run time.
ifeq ($(machine),x86_64)
$(BUILD)/copy/host/%_avx2.o: flags += -mavx2
$(BUILD)/copy/host/%_avx512.o: flags += -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vbmi
endif

# Lists devices for suai without Python; opens drivers at run time, as the module does.
suai-devices: $(call objects,$(call sources,probe)) $(BUILD)/libdevices.a $(archive)
	$(call brief,LD,$@)$(CC) $(linking) -pie -Wl,--gc-sections -o $@ $^ $(kernel_libraries) -pthread -lm

# What suai trace preloads into a program, without a sanitizer: its runtime has to be loaded first.
libsuai_trace.so: $(call objects,$(call sources,trace))
	$(call brief,LD,$@)$(CC) $(hardened_link) $(LDFLAGS) -shared -Wl,-z,now -Wl,-z,nodelete -Wl,--version-script=src/trace/exports.map -o $@ \
		$(filter-out %.map,$^) -ldl -pthread

libsuai_trace.so: src/trace/exports.map
$(BUILD)/trace/%.o: flags := $(filter-out -fsanitize=% -fno-sanitize-recover=%,$(flags)) -fvisibility=hidden

# So that suai-devices leaves out the kernels.
$(BUILD)/devices/%.o: flags += -ffunction-sections -fdata-sections

$(BUILD)/libdevices.a: $(call objects,$(call sources,devices copy os)) $(kernel_tables)
	$(call brief,AR,$@)rm -f $@ && ar qcs $@ $^

$(BUILD)/worker/%.o: flags += $(if $(filter %.abi3.so,$(MODULE)),-DPy_LIMITED_API=0x030B0000) -isystem $(PYTHON_INCLUDE)

$(BUILD)/supervisor/worker_options.o: flags += -DSUAI_MODULE_FILE='"$(MODULE)"'

$(BUILD)/%.o: src/%.c $(BUILD)/flags | $(DLPACK_INCLUDE)/dlpack/dlpack.h
	@mkdir -p $(@D)
	$(call brief,CC,$<)$(compile) -c -o $@ $<

$(BUILD)/%.o: $(BUILD)/%.c $(BUILD)/flags
	$(call brief,CC,$<)$(compile) -c -o $@ $<

$(BUILD)/rules/engine/examples.c: tools/embed testdata/rules $(wildcard testdata/rules/*) $(fixtures)
	@mkdir -p $(@D)
	$(call brief,GEN,$@)tools/embed $(fixtures) > $@

$(BUILD)/matrix/page.c: tools/embed-text src/matrix/page.html
	@mkdir -p $(@D)
	$(call brief,GEN,$@)tools/embed-text matrix/page.h matrix_page src/matrix/page.html > $@

# Programs in Python. Sources that make removed after the build would be made again, and all objects of them, by the next one.
.SECONDARY: $(patsubst %.o,%.c,$(filter %_source.o,$(made_objects) $(made_worker_objects)))
$(BUILD)/%_source.c: src/%.py tools/embed-text
	@mkdir -p $(@D)
	$(call brief,GEN,$@)tools/embed-text $*.h $(notdir $*)_source $< > $@

# One source for OpenCL, which is built where there are no files to include.
$(BUILD)/copy/kernels/%.cl: src/copy/kernels/%.cl $(kernel_sources) tools/expand-includes
	@mkdir -p $(@D)
	$(call brief,GEN,$@)tools/expand-includes $< > $@

$(BUILD)/copy/kernels/kernel_tables.c: tools/embed-kernels $(kernel_lists) $(BUILD)/copy/kernels/strided_copy.cl $(BUILD)/copy/kernels/reduce.cl \
		$(BUILD)/kernels/from $(kernel_forms:%=$(kernels_from)/%.xz)
	$(call brief,GEN,$@)tools/embed-kernels $(@D) '$(kernels_from)' $(kernel_forms) > $@

# Where kernels come from, and their forms, so that a change of either is seen.
$(BUILD)/kernels/from: FORCE
	@mkdir -p $(@D)
	@echo '$(kernels_from)' | cmp -s - $@ || echo '$(kernels_from)' > $@
	@echo '$(kernel_stamp)' > $(@D)/stamp

$(BUILD)/kernels/forms: FORCE
	@mkdir -p $(@D)
	@echo '$(kernel_forms)' | cmp -s - $@ || echo '$(kernel_forms)' > $@

$(BUILD)/commands/version.o: $(BUILD)/kernels/forms
$(BUILD)/commands/version.o: flags += -DSUAI_KERNEL_FORMS='"$(kernel_form_names:%=%$(comma))"'

kernel_files = $(kernel_names:%=$(BUILD)/kernels/%.$(1))
$(call kernel_files,bc): $(BUILD)/kernels/%.bc: $(kernel_sources) $(kernel_lists)
	@mkdir -p $(@D)
	$(call brief,CLANG,$@)$(compile_kernel) -target spir64 -O0 -Xclang -disable-O0-optnone -emit-llvm -c -o $@ $(kernel_source)

# Not optimized: the runtimes do that, and clang 14 would generate SPIR-V that is invalid or three times as large.
$(call kernel_files,spv): $(BUILD)/kernels/%.spv: $(BUILD)/kernels/%.bc
	$(call brief,SPIRV,$@)$(LLVM_SPIRV) --spirv-max-version=1.1 -o $@ $<

# PTX ISA 6.0 for sm_52: drivers since 2018 load it.
$(call kernel_files,ptx): $(BUILD)/kernels/%.ptx: $(kernel_sources) $(kernel_lists)
	@mkdir -p $(@D)
	$(call brief,CLANG,$@)$(compile_kernel) -DCUDA -target nvptx64-nvidia-cuda -Xclang -target-feature -Xclang +ptx60 -march=sm_52 -S -O3 -o $@ $(kernel_source)
	@[ -z '$(kernel_registers)' ] || sed -i '/^)$$/,/^{$$/ s/^{$$/.maxnreg $(kernel_registers)\n{/' $@

$(foreach sm,$(filter sm_%,$(forms_made)),$(call kernel_files,$(sm))): $(kernel_names:%=$(BUILD)/kernels/%.ptx)
	$(call brief,PTXAS,$@)$(PTXAS) -arch=$(patsubst .%,%,$(suffix $@)) -O3 -o $@ $(basename $@).ptx

# The code for sm_100 resembles that for sm_90: packed with it, it takes half the room.
packed_together := $(if $(filter sm_90,$(forms_made)),$(filter sm_100,$(forms_made)))
$(filter-out $(packed_together:%=$(BUILD)/kernels/%.xz),$(forms_made:%=$(BUILD)/kernels/%.xz)): $(BUILD)/kernels/%.xz: tools/pack-kernels $(BUILD)/kernels/encode $(kernel_lists)
	$(call brief,XZ,$@)tools/pack-kernels $(@D) $* $(BUILD)/kernels/encode $(if $(filter sm_90,$*),$(packed_together))
$(packed_together:%=$(BUILD)/kernels/%.xz): $(BUILD)/kernels/sm_90.xz
	@touch $@
$(if $(packed_together),$(eval $(BUILD)/kernels/sm_90.xz: $(call kernel_files,$(packed_together))))
$(BUILD)/kernels/encode: tools/encode_kernels.c src/copy/kernels/kernel_decode.c src/copy/kernels/kernel_decode.h src/base/crc32.c src/base/crc32.h
	@mkdir -p $(@D)
	$(call brief,CC,$<)$(CC) -std=c11 $(warnings) $(if $(WERROR),-Werror) -O2 -Isrc -o $@ $(filter %.c,$^)
$(foreach form,$(forms_made),$(eval $(BUILD)/kernels/$(form).xz: $(call kernel_files,$(form))))

# Objects depend on what they were compiled with, so SANITIZE=... rebuilds them; WERROR=1 changes none.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) $(SMALL_CFLAGS) $(PYTHON_INCLUDE)' | cmp -s - $@ || \
		echo '$(CC) $(flags) $(CPPFLAGS) $(CFLAGS) $(SMALL_CFLAGS) $(PYTHON_INCLUDE)' > $@
FORCE:
.DELETE_ON_ERROR:

# dlpack.h 1.3, from one pinned and hashed wheel, once.
$(BUILD)/deps/include/dlpack/dlpack.h: deps/dlpack.txt
	@mkdir -p $(BUILD)/deps
	$(call brief,FETCH,$@)python3 -m pip download -q --no-deps --only-binary=:all: --require-hashes --python-version 3.12 \
		--implementation cp --platform manylinux_2_24_x86_64 -d $(BUILD)/deps/wheel -r $< || \
		{ echo "make: dlpack.h 1.3 could not be fetched; set DLPACK_INCLUDE to the directory that contains dlpack/dlpack.h" >&2; exit 1; }
	@cd $(BUILD)/deps && python3 -m zipfile -e wheel/*.whl unpacked && mkdir -p include/dlpack && \
		cp unpacked/tvm_ffi/include/dlpack/dlpack.h include/dlpack/ && rm -rf unpacked

$(test_archive): $(call objects,$(test_parts)) $(made_objects) $(kernel_tables)
	$(call brief,AR,$@)rm -f $@ && ar qcs $@ $^

# Unit tests: src/LAYER/FILE_test.c and src/LAYER/*/FILE_test.c, each a program.
worker_tests := $(filter $(BUILD)/tests/worker/%,$(tests))
$(filter-out $(worker_tests),$(tests)): $(BUILD)/tests/%: $(BUILD)/%.o $(test_archive) $(archive)
	@mkdir -p $(@D)
	$(call brief,LD,$@)$(CC) $(linking) -o $@ $^ -l:libyaml.a -l:libjansson.a $(kernel_libraries) -pthread -lm

# Unit tests of the worker embed an interpreter; where there is no libpython to link with they are omitted.
python_embed := $(shell python3-config --embed --ldflags 2>/dev/null)
python_lib := $(patsubst -L%,%,$(filter -L%,$(python_embed)))
has_libpython := $(wildcard $(addsuffix /libpython3*.so,$(python_lib)))
worker_archive := $(BUILD)/libworker.a
ifeq ($(has_libpython),)
tests := $(filter-out $(worker_tests),$(tests))
endif

$(worker_archive): $(call objects,$(worker_sources)) $(made_worker_objects) $(kernel_tables)
	$(call brief,AR,$@)rm -f $@ && ar qcs $@ $^

$(worker_tests): $(BUILD)/tests/%: $(BUILD)/%.o $(worker_archive) $(archive)
	@mkdir -p $(@D)
	$(call brief,LD,$@)$(CC) $(linking) -o $@ $^ $(kernel_libraries) $(python_embed) $(addprefix -Wl$(comma)-rpath$(comma),$(python_lib)) -pthread -lm

# The table of layouts through the kernels of a device, and over buffers that are mapped, for bats/kernels.bats.
$(tables): $(BUILD)/tests/%: testdata/tools/%.c $(call objects,$(call sources,copy devices os)) $(kernel_tables) $(archive)
	@mkdir -p $(@D)
	$(call brief,LD,$@)$(compile) $(linking) -o $@ $(filter %.c %.o %.a,$^) $(kernel_libraries) -pthread -lm

unit-tests: $(tests)
units: unit-tests $(tables) $(BUILD)/bench/libcopy_peers.so

# suai's copies and other ones, for testdata/bench/copies.py and usm.py.
$(BUILD)/bench/libcopy_peers.so: testdata/bench/copy_peers.c testdata/bench/transfer_peers.c $(BUILD)/libdevices.a $(archive)
	@mkdir -p $(@D)
	$(call brief,LD,$@)$(compile) $(linking) -shared -o $@ $(filter %.c %.o %.a,$^) $(kernel_libraries) -pthread -lm

demo:
	tools/setup demo
	$(MAKE) -s all
	demo/run

# The inner loop: unit tests, and the command-line tests that start no Python worker.
check: all units
	tools/run-units $(BUILD)/tests
	tools/run-tests --judge

# TESTS=bats/inspect.bats runs one file.
test:
	tools/setup test
	$(MAKE) -s all units WERROR=1
	tools/run-tests $(TESTS)

# On a machine with an NVIDIA GPU, with a directory filled by tools/pack-deps: make test-gpu DEPS=dir
test-gpu:
	tools/tier test-gpu tools/gpu $(DEPS)

# Dask, MPI and Ray, in a separate environment: 434 MiB on disk.
test-distributed: all
	[ -x $(BUILD)/distributed/bin/python ] || python3 -m venv $(BUILD)/distributed
	$(BUILD)/distributed/bin/python -m pip install -q --disable-pip-version-check --only-binary=:all: -r deps/distributed.txt
	SUAI_TEST_PYTHON=$(abspath $(BUILD)/distributed/bin/python) tools/tier test-distributed tools/run-tests bats/distributed.bats

# The fuzzers of src/fuzz, TIME=60 seconds each, or only FUZZERS='dump trace', linked with the judge and the copy planner: neither devices, nor
# kernels, nor copy loops. docs/tiers.md records runs of all, of 60 seconds and longer.
fuzz: TIME ?= $(or $(FUZZ_SECONDS),60)
fuzz:
	$(MAKE) -s BUILD=$(BUILD)/fuzz DLPACK_INCLUDE=$(DLPACK_INCLUDE) CC='$(CLANG)' CFLAGS='-O1 -g' \
		SANITIZE=fuzzer-no-link,address,undefined fuzzers
	FUZZ_SECONDS=$(TIME) $(if $(FUZZERS),,$(shell [ $(TIME) -lt 60 ] || echo tools/tier fuzz)) tools/fuzz $(BUILD)/fuzz/fuzzers

fuzz_archive := $(BUILD)/libfuzz.a
$(fuzz_archive): $(call objects,$(filter-out src/main.c,$(judge_sources)) src/copy/plan.c src/copy/plan_kind.c \
		$(filter-out %_fuzz.c,$(wildcard src/fuzz/*.c))) $(made_objects)
	$(call brief,AR,$@)rm -f $@ && ar qcs $@ $^

fuzz_programs := $(patsubst src/fuzz/%.c,$(BUILD)/fuzzers/%,$(wildcard src/fuzz/*_fuzz.c))
fuzzers: $(fuzz_programs)
$(fuzz_programs): $(BUILD)/fuzzers/%: $(BUILD)/fuzz/%.o $(fuzz_archive) $(archive)
	@mkdir -p $(@D)
	$(call brief,LD,$@)$(CC) $(linking) -fsanitize=fuzzer -o $@ $^ -l:libyaml.a -l:libjansson.a $(kernel_libraries) -pthread -lm

# The same without libFuzzer, which replay testdata/fuzz: bats/fuzz.bats.
replay_programs := $(fuzz_programs:$(BUILD)/fuzzers/%=$(BUILD)/replay/%)
replayers: $(replay_programs)
$(replay_programs): $(BUILD)/replay/%: testdata/tools/replay.c $(BUILD)/fuzz/%.o $(fuzz_archive) $(archive)
	@mkdir -p $(@D)
	$(call brief,LD,$@)$(compile) $(linking) -o $@ $(filter %.c %.o %.a,$^) -l:libyaml.a -l:libjansson.a $(kernel_libraries) -pthread -lm

# Most tables of docs/performance.md in one document; BENCH="start cpu" prints some.
bench: all $(BUILD)/bench/libcopy_peers.so
	@DEPS=$(DEPS) tools/bench $(BENCH)

# The kernels for tools/bench-cuda, which measures them one by one and in variants.
$(BUILD)/bench/libsuai_bench.so: tools/bench_cuda.c $(call objects,$(filter src/devices/cuda/% src/devices/gate.c src/os/fault.c \
		src/os/peek.c src/os/maps% src/copy/%,$(worker_sources))) $(archive)
	@mkdir -p $(@D)
	$(call brief,LD,$@)$(compile) -shared -Wl,-z,defs -o $@ $(filter %.c %.o %.a,$^) $(kernel_libraries) -lm -ldl -pthread

# The functions that one SYCL dictionary passes on its way from a dump to SARIF.
call-count:
	tools/call-count

# Lines and branches that the tests execute; TESTS=bats/inspect.bats runs one file.
coverage:
	tools/setup test
	tools/coverage $(TESTS)

# Other compilers and flags, with warnings as errors, and tests of each build; BUILDS=clang chooses one.
test-builds:
	tools/setup test
	tools/test-builds $(BUILDS)

# gcc's static analyzer on all sources, unit tests and fuzzers, its findings as errors. What has passed is analyzed again once it changes.
analyze:
	+$(MAKE) -s -k BUILD=$(BUILD)/analyze DEPS=$(DEPS) DLPACK_INCLUDE=$(DLPACK_INCLUDE) CFLAGS='-O1 -fanalyzer' HARDEN=0 WERROR=1 \
		analyzed
analyzed: $(call objects,$(shared_sources) $(judge_sources) $(worker_sources) $(call sources,probe trace) $(test_sources) $(wildcard src/fuzz/*.c))

# The command-line tests under AddressSanitizer and UndefinedBehaviorSanitizer, judge and worker; TESTS=bats/inspect.bats runs one file.
test-asan:
	tools/setup test
	tools/test-asan $(TESTS)

# Lets system calls and allocations of each command fail in turn, then imposes limits, signals and closed descriptors: the tables of
# docs/reliability.md, which FAULTS_WRITE='--write docs/reliability.md' replaces. FAULTS='--commands trace --most 3', ALLOCATIONS and
# CONDITIONS='--rows steps --most 5' choose some of them.
FAULTS = --most 5
ALLOCATIONS = --allocations 200
faults = $(BUILD)/env/bin/python testdata/tools/faults.py ./suai $(BUILD)/env/bin/python $(BUILD)/faults/faults.so $(BUILD)/faults/malloc.so
test-faults: all
	tools/setup test
	mkdir -p $(BUILD)/faults
	$(CC) -D_GNU_SOURCE -fPIC -shared -o $(BUILD)/faults/faults.so testdata/fakes/fake_faults.c -ldl
	$(CC) -fPIC -shared -o $(BUILD)/faults/malloc.so testdata/fakes/fake_malloc.c
	$(faults) $(FAULTS) $(FAULTS_WRITE)
	$(faults) --calls none $(ALLOCATIONS) $(FAULTS_WRITE)
	$(BUILD)/env/bin/python testdata/tools/conditions.py ./suai $(BUILD)/env/bin/python $(CONDITIONS) $(FAULTS_WRITE)

# The unit tests of code with threads under ThreadSanitizer. Of host copies, those by several threads.
threaded_tests := copy/copy_test copy/host/host_test copy/host/host_random_test devices/gate_test worker/trials/trial_deleter_test
test-tsan: $(kernel_tables)
	+$(MAKE) -s BUILD=$(BUILD)/tsan DEPS=$(DEPS) DLPACK_INCLUDE=$(DLPACK_INCLUDE) SANITIZE=thread CFLAGS='-O1 -g' HARDEN=0 \
		kernels_from=$(kernels_from) \
		$(threaded_tests:%=$(BUILD)/tsan/tests/%)
	for test in $(threaded_tests); do TSAN_OPTIONS=halt_on_error=1 $(BUILD)/tsan/tests/$$test threads || exit; done

# The unit tests under valgrind.
test-valgrind: unit-tests
	tools/test-valgrind $(BUILD)/tests

lint: | $(DLPACK_INCLUDE)/dlpack/dlpack.h
	tools/lint

# Man pages and completions, from the tables of options and rules.
docs: suai
	./suai docs man > man/suai.1
	./suai docs rules > man/suai-rules.7
	./suai docs config > man/suai.yaml.5
	./suai docs bash > completions/suai.bash
	./suai docs zsh > completions/_suai
	./suai docs fish > completions/suai.fish

# The libraries of the tests with each other.
interop_env := $(BUILD)/interop
interop_extensions := testdata/matrix/extensions
interop_matrix := OCL_ICD_VENDORS=$(interop_env)/icd PYTHONPATH=$(interop_env)/extensions ./suai matrix --config $(interop_extensions)/suai.yaml \
	--python $(interop_env)/bin/python --placement all -j0
$(interop_env)/.done: deps/interop.txt $(wildcard $(interop_extensions)/*)
	python3 -m venv $(interop_env)
	$(interop_env)/bin/python -m pip install -q --disable-pip-version-check --require-hashes --only-binary=:all: -r $<
	mkdir -p $(interop_env)/icd
	echo $(abspath $(interop_env))/lib/libintelocl.so > $(interop_env)/icd/intel.icd
	for name in nanobind pybind11; do $(interop_extensions)/build $$name $(interop_env)/bin/python $(interop_env)/extensions || exit; done
	touch $@

interop: all $(interop_env)/.done
	$(interop_matrix) -o $(interop_env)/interop.json || [ $$? -eq 1 ]
	for name in md html; do ./suai matrix --from $(interop_env)/interop.json -o docs/interop.$$name || [ $$? -eq 1 ] || exit; done

# MODE:FILE:PLACE below PREFIX, one for each file that is installed.
installed := 755:suai:bin/suai 644:$(MODULE):$(MODULE_DIR)/$(MODULE) 644:suai-bootstrap.py:$(MODULE_DIR)/suai-bootstrap.py \
	755:suai-devices:$(MODULE_DIR)/suai-devices 644:libsuai_trace.so:$(MODULE_DIR)/libsuai_trace.so \
	644:man/suai.1:share/man/man1/suai.1 644:man/suai-rules.7:share/man/man7/suai-rules.7 \
	644:man/suai.yaml.5:share/man/man5/suai.yaml.5 \
	644:completions/suai.bash:share/bash-completion/completions/suai \
	644:completions/_suai:share/zsh/site-functions/_suai \
	644:completions/suai.fish:share/fish/vendor_completions.d/suai.fish
field = $(word $(2),$(subst :, ,$(1)))

# The sdist and the wheel of ARCH (x86_64, aarch64), in dist/.
ARCH ?= $(machine)
wheel:
	+tools/wheel $(ARCH)

# The suite on the wheel's files; on demand, since it takes as long as make test.
test-wheel:
	tools/setup test
	+tools/tier test-wheel tools/test-wheel

# CPython without the GIL, and suai's wheel for it.
test-freethreaded:
	+tools/tier test-freethreaded tools/build-freethreaded $(PYTHON_SOURCE)

# suai trace with the packages of SUAI_TEST_PYTHON, and what takes longer than make test may.
test-trace: all
	+SUAI_TEST_CALLS=10000000 tools/tier test-trace tools/run-tests bats/trace_*.bats

install: all
	$(call brief,INSTALL,'$(DESTDIR)$(PREFIX)')$(foreach row,$(installed),install -D -m $(call field,$(row),1) $(call field,$(row),2) \
		'$(DESTDIR)$(PREFIX)/$(call field,$(row),3)' &&) true

uninstall:
	$(call brief,REMOVE,'$(DESTDIR)$(PREFIX)')rm -f $(foreach row,$(installed),'$(DESTDIR)$(PREFIX)/$(call field,$(row),3)')
	@rmdir '$(DESTDIR)$(PREFIX)/$(MODULE_DIR)' 2>/dev/null || true

# What was fetched (deps, env, icd) stays.
clean:
	$(call brief,CLEAN,$(BUILD))! [ -d $(BUILD) ] || find $(BUILD) -mindepth 1 -maxdepth 1 ! -name deps ! -name env ! -name icd -exec rm -rf {} +
	@rm -f suai _suai.*.so suai-bootstrap.py suai-devices libsuai_trace.so

-include $(shell find $(BUILD) -mindepth 1 \( -name env -o -name wheel -o -name freethreaded -o -name "python3.1*" \) -prune -o -name '*.d' -print 2>/dev/null)
