# fuzz.mk: builds the harnesses; part of the Makefile. fuzz/README.md says how to use them.
#
#   FUZZ_CC      clang (libFuzzer), afl-clang-fast (AFL++) or any compiler, with FUZZ_ENGINE=main and FUZZ_COVER=
#   FUZZ_SANITIZE  address,undefined; memory; or nothing, for speed
#   FUZZ_FLAGS, FUZZ_COVER, FUZZ_WORK, FUZZ_LINK, FUZZ_ENGINE   what compiler and linker are given

FUZZ_OUT      ?= $(BUILD)/fuzz
FUZZ_CC       ?= clang
FUZZ_SANITIZE ?= address,undefined
FUZZ_COVER    ?= -fsanitize=fuzzer-no-link
FUZZ_ENGINE   ?= -fsanitize=fuzzer
FUZZ_LINK     ?= $(FUZZ_CC) $(FUZZ_FLAGS)
FUZZ_FLAGS    ?= -O1 -g -fno-omit-frame-pointer \
                 $(if $(FUZZ_SANITIZE),-fsanitize=$(FUZZ_SANITIZE) -fno-sanitize-recover=all)
# Counts the blocks of the core that run, for the bound on work.
FUZZ_WORK     ?= -fsanitize-coverage=trace-pc
# What is done with large members, to small ones too: no harness can afford many MiB.
FUZZ_SMALL    := -DSNPY_BLOCK_SIZE=512u -DSNPY_HELD_CAPACITY=2048u -DSNPY_FLAT_MOST_ITEMS=20000u \
                 -DSNPY_FLAT_BUDGET=4096u

# What is no harness.
FUZZ_SHARED    := $(addprefix fuzz/,fuzz.c agree.c model.c zip.c zip_parts.c inflate.c run.c files.c main.c mutate.c \
                  mutate_text.c mutate_zip.c text.c memory.c flat_members.c \
                  libfuzzer.c afl.c feed.c feed_archive.c)
# What takes the archive layer; archive_directory takes the core alone.
FUZZ_SHARED    += $(if $(filter yes,$(ARCHIVES)),,$(addprefix fuzz/archive_,member.c round_trip.c command.c))
FUZZ_HARNESSES := $(patsubst fuzz/%.c,%,$(filter-out $(FUZZ_SHARED), \
                  $(sort $(wildcard fuzz/*.c))))
FUZZ_BIN       := $(addprefix $(FUZZ_OUT)/,$(FUZZ_HARNESSES))
FUZZ_LIB_OBJ   := $(patsubst src/%.c,$(FUZZ_OUT)/src/%.o,$(CORE_SRC) $(HOST_SRC) $(NPZ_SRC))
FUZZ_CLI_OBJ   := $(patsubst src/%.c,$(FUZZ_OUT)/src/%.o,$(CLI_SRC))
FUZZ_AGREE     := $(FUZZ_OUT)/fuzz/agree.o $(FUZZ_OUT)/tests/oracle/literal.o $(FUZZ_OUT)/tests/oracle/judge.o
FUZZ_MAIN      := $(if $(filter main,$(FUZZ_ENGINE)),$(FUZZ_OUT)/fuzz/main.o)
# Those whose input is a file: their mutator knows what a header is, and an archive.
FUZZ_TEXTS     := header canonical descr shape name file command \
                  $(filter archive_directory archive_member archive_command,$(FUZZ_HARNESSES))
FUZZ_MUTATOR   := $(addprefix fuzz/,mutate.c mutate_text.c mutate_zip.c text.c zip_parts.c inflate.c)

.PHONY: fuzz fuzz-smoke fuzz-run fuzz-campaign fuzz-eacsl

$(FUZZ_OUT)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FUZZ_CC) $(FUZZ_FLAGS) $(FUZZ_COVER) $(FUZZ_WORK) $(FUZZ_ENGINE) $(FUZZ_SMALL) $(WARNINGS)' | cmp -s - $@ || \
	    echo '$(FUZZ_CC) $(FUZZ_FLAGS) $(FUZZ_COVER) $(FUZZ_WORK) $(FUZZ_ENGINE) $(FUZZ_SMALL) $(WARNINGS)' > $@

$(FUZZ_OUT)/src/core/%.o: src/core/%.c $(FUZZ_OUT)/flags
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CORE) $(FUZZ_FLAGS) $(FUZZ_COVER) $(FUZZ_WORK) -c -o $@ $<

$(FUZZ_OUT)/src/cli/main.o: src/cli/main.c $(FUZZ_OUT)/flags
	@mkdir -p $(@D)
	$(FUZZ_CC) $(HOSTED) $(FUZZ_FLAGS) $(FUZZ_COVER) -Dmain=fuzz_command -Wno-missing-prototypes -c -o $@ $<

$(FUZZ_OUT)/src/%.o: src/%.c $(FUZZ_OUT)/flags
	@mkdir -p $(@D)
	$(FUZZ_CC) $(HOSTED) $(FUZZ_FLAGS) $(FUZZ_COVER) $(FUZZ_SMALL) -c -o $@ $<

# The harnesses themselves are not counted as covered: what they reach of the library is.
$(FUZZ_OUT)/%.o: %.c $(FUZZ_OUT)/flags
	@mkdir -p $(@D)
	$(FUZZ_CC) $(HOSTED) $(FUZZ_FLAGS) -c -o $@ $<

$(FUZZ_OUT)/libsafenpy.a: $(FUZZ_LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(FUZZ_OUT)/header: $(FUZZ_AGREE)
$(FUZZ_OUT)/descr: $(FUZZ_AGREE)
$(FUZZ_OUT)/shape: $(FUZZ_AGREE)
$(FUZZ_OUT)/view $(FUZZ_OUT)/copy: $(FUZZ_OUT)/fuzz/model.o
$(addprefix $(FUZZ_OUT)/archive_,directory member round_trip command): $(FUZZ_OUT)/fuzz/zip.o
$(FUZZ_OUT)/archive_round_trip: $(FUZZ_OUT)/fuzz/zip_parts.o $(FUZZ_OUT)/fuzz/inflate.o
# They count the memory that the library takes.
FUZZ_COUNTED   := $(addprefix $(FUZZ_OUT)/,archive_member flat)
$(FUZZ_COUNTED): $(FUZZ_OUT)/fuzz/memory.o
$(FUZZ_COUNTED): private FUZZ_WRAP := -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free
# They can keep their files themselves.
FUZZ_FILES     := $(addprefix $(FUZZ_OUT)/,file command archive_command archive_round_trip)
$(FUZZ_FILES): $(FUZZ_OUT)/fuzz/files.o
$(FUZZ_FILES): private FUZZ_WRAP := $(addprefix -Wl$(comma)--wrap=,open64 close read pread64 write pwrite64 lseek64 fstat64 \
                  stat64 lstat64 unlink ftruncate64 fsync isatty fcntl64 posix_fadvise64)
$(FUZZ_OUT)/command $(FUZZ_OUT)/archive_command: $(FUZZ_CLI_OBJ) $(FUZZ_OUT)/fuzz/run.o
$(FUZZ_OUT)/flat: $(FUZZ_OUT)/fuzz/flat_members.o $(FUZZ_MUTATOR:%.c=$(FUZZ_OUT)/%.o)
$(addprefix $(FUZZ_OUT)/,$(FUZZ_TEXTS)): $(FUZZ_MUTATOR:%.c=$(FUZZ_OUT)/%.o) $(FUZZ_OUT)/fuzz/libfuzzer.o

$(FUZZ_BIN): $(FUZZ_OUT)/%: $(FUZZ_OUT)/fuzz/%.o $(FUZZ_OUT)/fuzz/fuzz.o $(FUZZ_MAIN) $(FUZZ_OUT)/libsafenpy.a
	$(FUZZ_LINK) $(LDFLAGS) -Wl,--wrap=__sanitizer_cov_trace_pc $(FUZZ_WRAP) -o $@ $(filter %.o,$^) $(FUZZ_OUT)/libsafenpy.a \
	    $(filter-out main,$(FUZZ_ENGINE)) $(LIBS)

$(BUILD)/oracle: $(sort $(wildcard tests/oracle/*.c)) tests/oracle/oracle.h $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MF $@.d -o $@ $(filter %.c,$^)

-include $(FUZZ_LIB_OBJ:.o=.d) $(FUZZ_CLI_OBJ:.o=.d) $(wildcard $(FUZZ_OUT)/fuzz/*.d $(FUZZ_OUT)/tests/oracle/*.d)

fuzz: $(FUZZ_BIN) ## build the fuzz harnesses (clang, libFuzzer, sanitizers)

fuzz-smoke: fuzz ## replay the seeds and fuzz each harness briefly; 90 seconds
	@$(PYTHON) fuzz/smoke.py $(FUZZ_OUT)

HARNESS ?= header
TIME    ?= 60
fuzz-run: $(FUZZ_OUT)/$(HARNESS) ## fuzz one harness: HARNESS=header TIME=60 (seconds)
	@$(PYTHON) fuzz/seeds.py $(FUZZ_OUT)/seeds $(HARNESS)
	@mkdir -p $(FUZZ_OUT)/corpus/$(HARNESS) $(FUZZ_OUT)/findings
	$(FUZZ_OUT)/$(HARNESS) -max_total_time=$(TIME) -max_len=4096 -timeout=10 -print_final_stats=1 \
	    -artifact_prefix=$(FUZZ_OUT)/findings/$(HARNESS)- $(if $(wildcard fuzz/$(HARNESS).dict),-dict=fuzz/$(HARNESS).dict) \
	    $(FUZZ_OUT)/corpus/$(HARNESS) $(FUZZ_OUT)/seeds/$(HARNESS)

# A time that is not given is an hour; a harness that is not given is all.
fuzz-campaign: ## run a piece of the fuzzing campaign and add it to the account: HARNESS=header TIME=600; all for an hour
	@$(PYTHON) fuzz/campaign.py $(if $(filter file,$(origin HARNESS)),,--only $(HARNESS)) \
	    $(if $(filter file,$(origin TIME)),,--time $(TIME))

# The mutator for AFL++.
$(FUZZ_OUT)/mutator.so: fuzz/afl.c $(FUZZ_MUTATOR)
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -MF $@.d -o $@ $(filter %.c,$^)

# Not a harness: what feeds a NumPy process.
$(FUZZ_OUT)/feed: fuzz/feed.c $(if $(filter yes,$(ARCHIVES)),fuzz/feed_archive.c) fuzz/fuzz.c $(FUZZ_MUTATOR) $(BUILD)/libsafenpy.a
	@mkdir -p $(@D)
	$(CC) $(HOSTED) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MF $@.d -o $@ $(filter %.c,$^) $(BUILD)/libsafenpy.a $(LIBS)

COUNT   ?= 100000
SEED    ?= 1
.PHONY: fuzz-numpy fuzz-numpy-archives
fuzz-numpy: $(FUZZ_OUT)/feed ## hold COUNT=100000 mutated headers against NumPy; into the account, unless SEED=1 is given
	@/usr/bin/python3 fuzz/numpy_server.py $(FUZZ_OUT)/feed --count $(COUNT) \
	    $(if $(filter file,$(origin SEED)),--record,--seed $(SEED))

fuzz-numpy-archives: $(FUZZ_OUT)/feed ## hold COUNT=100000 mutated archives against NumPy
	@/usr/bin/python3 fuzz/numpy_archives.py $(FUZZ_OUT)/feed --count $(COUNT) --seed $(SEED)

fuzz-eacsl: ## headers judged by the contracts alone, at run time: builds build/eacsl/judge for AFL++
	@sh tools/deps.sh prove eacsl
	@$(PYTHON) fuzz/eacsl/build.py $(BUILD)/eacsl
