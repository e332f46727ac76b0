# safenpy: what `make` can do stands in `make help`.
#
# Everything is built under $(BUILD). To build another variant beside the first one, name another place:
#   make BUILD=build/debug CFLAGS='-O0 -g'

BUILD   ?= build
CC      ?= cc
AR      ?= ar
CFLAGS  ?= -O2
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib
INCDIR  ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR  ?= $(DATADIR)/man
PYTHON  ?= python3
INSTALL ?= install
PER     ?= 10

VERSION := $(shell sed -n 's/^\#define SNPY_VERSION_STRING "\(.*\)"/\1/p' include/safenpy/export.h)
SONAME  := libsafenpy.so.$(firstword $(subst ., ,$(VERSION)))
SOFILE  := libsafenpy.so.$(VERSION)

# -Werror only where we check ourselves (WERROR=1): a compiler of tomorrow must not break a user's build.
WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Wstrict-prototypes
ifeq ($(WERROR),1)
WARNINGS += -Werror
endif

COMMON   := -std=c99 $(WARNINGS) -Iinclude -Isrc -I. -MMD -MP
# The core may use nothing of the C library, and each of its functions has its contract in one place; the rest
# is POSIX, with 64-bit file sizes on every machine.
CORE     := $(COMMON) -ffreestanding -Wmissing-prototypes
HOSTED   := $(COMMON) -D_POSIX_C_SOURCE=200809L -D_DARWIN_C_SOURCE -D_FILE_OFFSET_BITS=64
SHARED   := -fPIC -fvisibility=hidden -DSNPY_BUILD_SHARED

CORE_SRC := $(sort $(wildcard src/core/*.c src/core/*/*.c))
HOST_SRC := $(sort $(wildcard src/data/*.c src/host/*.c))
NPZ_SRC  := $(sort $(wildcard src/npz/*.c))
CLI_SRC  := $(sort $(wildcard src/cli/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
FAULT_SRC := $(sort $(wildcard tests/fault/test_*.c))
HEADERS  := $(sort $(wildcard include/safenpy/*.h))

comma := ,

# Archives (.npz) take zlib and libdeflate. Where one of them is missing, all else is built; ARCHIVES=no does so anyway.
ARCHIVE_LIBS := -ldeflate -lz -pthread
ifndef ARCHIVES
ARCHIVES := $(shell printf '\043include <libdeflate.h>\n\043include <zlib.h>\nint main(void) { return !crc32(0, 0, 0) && %s }\n' \
                'libdeflate_crc32(0, 0, 0);' | \
                $(CC) $(CPPFLAGS) -x c -o /dev/null - $(LDFLAGS) $(ARCHIVE_LIBS) 2>/dev/null && echo yes || echo no)
endif
ifeq ($(ARCHIVES),yes)
HOSTED   += -DSNPY_ARCHIVES
LIBS     := $(ARCHIVE_LIBS)
REQUIRES := zlib libdeflate
ARCHIVE_BENCH = $(BUILD)/bench/archives
else
NPZ_SRC  :=
UNIT_SRC := $(filter-out $(addprefix %/test_,zip.c zip_steps.c archive.c archive_write.c contents.c deflate.c salvage.c untrusted.c),$(UNIT_SRC))
endif

# Windows: src/windows has what the other rooms use of POSIX.
ifneq ($(filter %mingw32 %windows-gnu,$(shell $(CC) -dumpmachine 2>/dev/null)),)
EXE      := .exe
HOSTED   += -D__USE_MINGW_ANSI_STDIO=1
POSIX    := -Wno-shadow -Isrc/windows/posix -include windows/posix.h
HOST_SRC += $(filter-out %/main.c,$(wildcard src/windows/*.c))
CLI_SRC  += src/windows/main.c
LIBS     += -lntdll -static
endif

STATIC_OBJ := $(patsubst src/%.c,$(BUILD)/static/%.o,$(CORE_SRC) $(HOST_SRC) $(NPZ_SRC))
SHARED_OBJ := $(patsubst src/%.c,$(BUILD)/shared/%.o,$(CORE_SRC) $(HOST_SRC) $(NPZ_SRC))
CLI_OBJ    := $(patsubst src/%.c,$(BUILD)/static/%.o,$(CLI_SRC))
UNIT_BIN   := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(UNIT_SRC))
FAULT_BIN  := $(patsubst tests/fault/%.c,$(BUILD)/fault/%,$(FAULT_SRC))

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
.PHONY: all programs demo check prove prove-full prove-bounded prove-gate prove-smoke eva bench lint format test-unit test-fault test-cli \
        test-corpus test-data test-runner test-grammar mutate-test mutate-proof trace corpus matrix pages site test-symbols \
        deps install uninstall clean help unit-programs fault-programs cross footprint \
        test-work bench-check coverage records amalgamation dist release FORCE

all: programs $(BUILD)/libsafenpy.so $(BUILD)/$(SONAME) ## build the command and both libraries (default)

programs: $(BUILD)/safenpy$(EXE) $(BUILD)/libsafenpy.a
ifneq ($(ARCHIVES),yes)
	@echo 'built without archives (.npz): they need zlib and libdeflate (Debian: zlib1g-dev libdeflate-dev)'
endif

help: ## list the targets
	@echo "targets of safenpy $(VERSION):"
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## \(.*\)/  \1|\2/p' Makefile | \
	    while IFS='|' read -r name text; do printf '%-16s%s\n' "$$name" "$$text"; done
	@echo "variables: BUILD=$(BUILD) CC=$(CC) CFLAGS='$(CFLAGS)' WERROR=1 ARCHIVES=$(ARCHIVES) PREFIX=$(PREFIX) DESTDIR="

# --- compiling ---------------------------------------------------------------------------------------------

# Rebuilds everything when the compiler or its flags change.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(WARNINGS) $(LIBS)' | cmp -s - $@ || \
	    echo '$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(WARNINGS) $(LIBS)' > $@
FORCE:

$(BUILD)/static/core/%.o: src/core/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CORE) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/static/windows/%.o: src/windows/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/static/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(POSIX) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/shared/core/%.o: src/core/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CORE) $(SHARED) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/shared/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(SHARED) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/libsafenpy.a: $(STATIC_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/libsafenpy.so: $(SHARED_OBJ) src/safenpy.map
	$(CC) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=src/safenpy.map -Wl,--no-undefined \
	    $(CFLAGS) $(LDFLAGS) -o $@ $(SHARED_OBJ) $(LIBS)

$(BUILD)/$(SONAME): $(BUILD)/libsafenpy.so
	ln -sf libsafenpy.so $@

$(BUILD)/safenpy$(EXE): $(CLI_OBJ) $(BUILD)/libsafenpy.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libsafenpy.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MF $@.d -o $@ $< $(BUILD)/libsafenpy.a -lcmocka -ljansson \
	    $(LIBS)

# The library as three files, and the command made of them.
amalgamation: ## write the library as three files, safenpy.h, safenpy.c and safenpy_host.c, to $(BUILD)/dist
	@$(PYTHON) tools/amalgamate.py $(BUILD)/dist

$(BUILD)/dist/%.o: amalgamation $(BUILD)/flags
	$(CC) $(filter-out -I% -MMD -MP,$(HOSTED)) $(if $(filter yes,$(ARCHIVES)),,-DSNPY_WITHOUT_ZIP) $(CPPFLAGS) $(CFLAGS) \
	    -c -o $@ $(@:.o=.c)

$(BUILD)/dist/safenpy: $(CLI_OBJ) $(BUILD)/dist/safenpy.o $(BUILD)/dist/safenpy_host.o
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

unit-programs: $(UNIT_BIN)

# The calls that tests/fault/wrap.c makes fail, under both names that the C library may give them.
WRAPPED := open open64 read pread pread64 write pwrite pwrite64 fsync close rename ftruncate ftruncate64 mmap \
           mmap64 msync malloc calloc realloc fstat fstat64 lseek lseek64 fcntl fcntl64 posix_fallocate \
           posix_fallocate64 fchmod access realpath \
           fread fflush fseeko fseeko64 fwrite stat stat64 lstat lstat64 openat openat64 mkdir mkdirat \
           fstatat fstatat64 linkat renameat unlinkat dup pthread_create \
           poll fchown fgetxattr flistxattr fsetxattr fremovexattr sysconf posix_fadvise posix_fadvise64 sigaction \
           clock_gettime flock nanosleep syncfs fstatfs fstatfs64 uname

# The whole command, but for its main, which is called by another name there.
$(BUILD)/fault/main.o: src/cli/main.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) -Dmain=safenpy_main -c -o $@ $<

$(addprefix $(BUILD)/fault/test_,command screen rights): $(filter-out %/main.o,$(CLI_OBJ)) $(BUILD)/fault/main.o

$(BUILD)/fault/%: tests/fault/%.c tests/fault/wrap.c $(BUILD)/libsafenpy.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -c -o $@.wrap.o tests/fault/wrap.c
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MF $@.d -o $@ $< $@.wrap.o $(filter %.o,$^) $(BUILD)/libsafenpy.a \
	    $(addprefix -Wl$(comma)--wrap=,$(WRAPPED)) -lcmocka -ljansson $(LIBS)

fault-programs: $(FAULT_BIN)

$(BUILD)/tests/%: tests/data/%.c $(BUILD)/libsafenpy.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MF $@.d -o $@ $< $(BUILD)/libsafenpy.a $(LIBS)

$(BUILD)/bench/header: bench/header.c bench/plain.c bench/plain.h $(BUILD)/libsafenpy.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MF $@.d -o $@ bench/header.c bench/plain.c $(BUILD)/libsafenpy.a \
	    $(LIBS)

$(BUILD)/bench/files: bench/files.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MF $@.d -o $@ $<

$(BUILD)/bench/archives $(BUILD)/bench/fixed: $(BUILD)/bench/%: bench/%.c $(BUILD)/libsafenpy.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MF $@.d -o $@ $< $(BUILD)/libsafenpy.a $(LIBS)

$(BUILD)/bench/data: bench/data.c $(BUILD)/libsafenpy.a $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MF $@.d -o $@ $< $(BUILD)/libsafenpy.a

include fuzz/fuzz.mk

-include $(STATIC_OBJ:.o=.d) $(SHARED_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(addsuffix .d,$(UNIT_BIN) $(FAULT_BIN))

# --- trying and checking -----------------------------------------------------------------------------------

demo: programs ## build with the C compiler alone and judge the sample files of corpus/
	@sh tools/demo.sh $(BUILD)/safenpy corpus/demo.txt

# Where Why3 finds its provers: tools/deps.sh writes the file.
export WHY3CONFIG ?= $(CURDIR)/build/why3.conf

deps: ## install what `make check` needs, where it is missing (apt-get; sudo unless root)
	@sh tools/deps.sh build test page fuzz eacsl lint prove

CHECK = tools/check.py $(if $(PART),--only $(PART),$(if $(filter 1,$(FAST)),--fast,$(if $(filter 1,$(FULL)),--full)))
check: ## what decides about a change; FAST=1 leaves out what takes long, FULL=1 nothing (hours, resumable); DEPS=no installs nothing
ifneq ($(DEPS),no)
	@sh tools/deps.sh build test
	@sh tools/deps.sh $$($(PYTHON) $(CHECK) --deps)
endif
	@$(PYTHON) $(CHECK)

records: ## bring every page made from records up to date, and say which records are stale (MEASURED=1 looks at all of them)
	@$(PYTHON) tools/records.py $(if $(filter 1,$(MEASURED)),--measured)

test-unit: ## unit tests (cmocka) under address and undefined-behaviour sanitizers
	@$(PYTHON) tools/check.py --only unit

test-fault: ## system calls that fail and processes that are killed, under sanitizers
	@$(PYTHON) tools/check.py --only fault

test-cli: programs ## tests of the real command
	@/usr/bin/python3 -m pytest tests/cli -n auto --safenpy $(BUILD)/safenpy

test-corpus: programs ## every file of the corpus against its expected verdict
	@/usr/bin/python3 -m pytest tests/corpus -n auto --safenpy $(BUILD)/safenpy

test-runner: programs ## the conformance runner against adapters that lie
	@/usr/bin/python3 -m pytest tests/runner --safenpy $(BUILD)/safenpy

test-data: programs $(addprefix $(BUILD)/tests/,probe files archives) ## views, copies, files, archives and command against NumPy
	@/usr/bin/python3 -m pytest tests/data -n auto --safenpy $(BUILD)/safenpy

test-grammar: programs ## spec/grammar.abnf against the corpus
	@/usr/bin/python3 -m pytest tests/spec --safenpy $(BUILD)/safenpy

trace: ## tie each rule to what proves, tests and reports it; writes spec/TRACE.md
	@$(PYTHON) tools/trace.py
	@$(PYTHON) tools/differences.py

corpus: ## make the conformance suite again, byte for byte
	@$(PYTHON) corpus/make.py
	@$(PYTHON) corpus/make_archives.py

mutate-test: ## plant mistakes into the code, count what the tests notice (PER=10 a function; hours, can be resumed)
	@$(PYTHON) tests/mutate/run.py tests --per-function $(PER)

mutate-proof: ## likewise, what the proofs notice
	@$(PYTHON) tests/mutate/run.py proofs --per-function $(PER)

matrix: programs ## run the implementations that are installed, write corpus/results and the page
	@$(PYTHON) tools/matrix.py --safenpy $(BUILD)/safenpy

pages: ## one page per case of the suite, in $(BUILD)/cases
	@$(PYTHON) corpus/matrix/make_pages.py $(BUILD)/cases

test-symbols: ## exported symbols, freestanding core, installed files, header cleanliness
	@$(PYTHON) tools/check.py --only symbols,symbols-O3,install,headers

lint: ## clang-format, clang-tidy, cppcheck, mandoc
	@$(PYTHON) tools/lint.py

format: ## lay out the sources as .clang-format says
	clang-format -i $(wildcard include/safenpy/*.h src/*/*.[ch] src/core/*/*.[ch] proofs/theorems/*.[ch] proofs/eva/*.c bench/*.[ch] examples/*.[ch] fuzz/*.[ch] \
	    $(addprefix tests/,unit/*.[ch] fault/*.[ch] cross/*.c cross/shim/*.h every/*.c growth/*.c oracle/*.[ch]))

cross: ## the core on i386, s390x, Arm and a Cortex-M4, by gcc and clang at -O0 -O2 -O3 -Os; installs what is missing
	@sh tools/deps.sh build cross
	@$(PYTHON) tests/cross/run.py --all

test-work: ## whether work is linear: basic blocks and instructions of inputs that grow to 16 MiB
	@$(PYTHON) tests/growth/run.py

footprint: ## code and stack of the core by compiler and target, against bench/footprint.md
	@$(PYTHON) tools/footprint.py --check

prove: ## prove the core from scratch; FN=name proves one function, with a cache; RECORD=1 proves and records what changed
	@$(PYTHON) proofs/prove.py $(if $(FN),--function $(FN)) $(if $(RECORD),--record) $(PROVE_FLAGS)

prove-full: ## a whole run from scratch, smoke tests too, recorded; RESUME=1 goes on where it was cut, MINUTES=N cuts it
	@$(PYTHON) proofs/prove.py --full $(if $(RESUME),--resume) $(if $(MINUTES),--minutes $(MINUTES)) $(PROVE_FLAGS)

prove-bounded: ## a second opinion: CBMC on all inputs up to a size, ONLY=TEXT takes the harnesses of that name
	@$(PYTHON) proofs/bounded.py $(if $(ONLY),--only $(ONLY))

prove-gate: ## show that the gate turns red: planted bugs, holes in contracts, missing goals
	@$(PYTHON) proofs/test_gate.py

prove-smoke: ## look for contradictory contracts and dead code in the core
	@$(PYTHON) proofs/prove.py --smoke $(if $(FN),--function $(FN)) $(PROVE_FLAGS)

eva: ## abstract interpretation of the core and of what handles strangers' bytes; GROUP=name does one part
	@SNPY_FULL=1 $(PYTHON) proofs/eva.py $(if $(GROUP),--group $(GROUP))

BENCH_SIZE ?= 1024
bench: programs $(BUILD)/bench/header $(BUILD)/bench/files $(BUILD)/bench/data $(ARCHIVE_BENCH) ## measure headers, small files, data, archives (BENCH_SIZE= MiB)
	@$(PYTHON) bench/bench.py $(BUILD)
	@$(PYTHON) bench/data.py $(BUILD) --size $(BENCH_SIZE)
	@test ! -x $(BUILD)/bench/archives || $(PYTHON) bench/archives.py $(BUILD)

coverage: ## lines, branches and MC/DC by clang-19, against tests/coverage.json; installs what is missing
	@sh tools/deps.sh build test coverage
	@$(PYTHON) tools/coverage.py --check

bench-check: ## instructions of a fixed set of calls, by callgrind, against bench/counts.json
	@$(PYTHON) tools/check.py --only counts

site: ## build the documentation, in $(BUILD)/site/html; the first run fetches Sphinx with pip, later ones are offline
	@sh tools/deps.sh site js
	@$(PYTHON) docs/site/build.py $(BUILD)

# --- installing --------------------------------------------------------------------------------------------

# The completions, each by the name that its shell looks for.
COMPLETIONS := bash-completion/completions/safenpy zsh/site-functions/_safenpy fish/vendor_completions.d/safenpy.fish

install: all ## install under PREFIX= (below DESTDIR=): command, libraries, headers, pkg-config file, man pages, completions
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCDIR)/safenpy \
	    $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man3
	$(INSTALL) -m 755 $(BUILD)/safenpy $(DESTDIR)$(BINDIR)/safenpy
	$(INSTALL) -m 644 $(BUILD)/libsafenpy.a $(DESTDIR)$(LIBDIR)/libsafenpy.a
	$(INSTALL) -m 755 $(BUILD)/libsafenpy.so $(DESTDIR)$(LIBDIR)/$(SOFILE)
	ln -sf $(SOFILE) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libsafenpy.so
	$(INSTALL) -m 644 $(HEADERS) $(DESTDIR)$(INCDIR)/safenpy/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCDIR@|$(INCDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@REQUIRES@|$(REQUIRES)|' \
	    src/safenpy.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/safenpy.pc
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/safenpy.pc
	$(INSTALL) -m 644 man/safenpy.1 $(DESTDIR)$(MANDIR)/man1/safenpy.1
	@if command -v $(PYTHON) >/dev/null; then \
	    $(PYTHON) tools/man3.py $(BUILD)/man3 && $(INSTALL) -m 644 $(BUILD)/man3/*.3 $(DESTDIR)$(MANDIR)/man3/; \
	else echo 'installed without the pages of section 3 of the manual: they need Python'; fi
	$(INSTALL) -d $(dir $(addprefix $(DESTDIR)$(DATADIR)/,$(COMPLETIONS)))
	$(INSTALL) -m 644 completions/safenpy.bash $(DESTDIR)$(DATADIR)/$(word 1,$(COMPLETIONS))
	$(INSTALL) -m 644 completions/_safenpy $(DESTDIR)$(DATADIR)/$(word 2,$(COMPLETIONS))
	$(INSTALL) -m 644 completions/safenpy.fish $(DESTDIR)$(DATADIR)/$(word 3,$(COMPLETIONS))

uninstall: ## remove what install has put there
	rm -f $(DESTDIR)$(BINDIR)/safenpy $(DESTDIR)$(LIBDIR)/libsafenpy.a $(DESTDIR)$(LIBDIR)/$(SOFILE) \
	    $(DESTDIR)$(LIBDIR)/$(SONAME) $(DESTDIR)$(LIBDIR)/libsafenpy.so $(DESTDIR)$(LIBDIR)/pkgconfig/safenpy.pc \
	    $(DESTDIR)$(MANDIR)/man1/safenpy.1 $(DESTDIR)$(MANDIR)/man3/safenpy*.3 $(DESTDIR)$(MANDIR)/man3/snpy_*.3 \
	    $(addprefix $(DESTDIR)$(DATADIR)/,$(COMPLETIONS)) \
	    $(addprefix $(DESTDIR)$(INCDIR)/safenpy/,$(notdir $(HEADERS)))
	-rmdir $(DESTDIR)$(INCDIR)/safenpy 2>/dev/null

TARBALL := $(BUILD)/safenpy-$(VERSION).tar.gz
dist: ## write the last commit as a tarball, the same bytes each time, to $(BUILD)
	@mkdir -p $(BUILD)
	git archive --format=tar --prefix=safenpy-$(VERSION)/ -o $(TARBALL:.gz=) HEAD
	gzip -9nf $(TARBALL:.gz=)

release: ## write all files of a release, of the last commit, and what binds evidence to them, to $(BUILD)/release
	@sh tools/deps.sh build test js release
	@rm -rf $(BUILD)/release
	@$(PYTHON) tools/release.py $(BUILD)/release

clean: ## remove everything that was built
	rm -rf $(BUILD)
