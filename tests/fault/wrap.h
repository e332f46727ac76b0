/* wrap.h: system calls that fail when they are told to.
 *
 * The linker sends each call of the library to a function here (ld --wrap, as the Makefile says), which passes it on
 * unless the fault that is armed says otherwise. Nothing is preloaded, so the sanitizers see all of it. */
#ifndef SAFENPY_TESTS_WRAP_H
#define SAFENPY_TESTS_WRAP_H

#include <stdbool.h>
#include <stddef.h>

/* What a fault does to its call. */
enum fault_kind {
    FAULT_ONCE,     /* the call fails, those behind it succeed */
    FAULT_FOR_GOOD, /* this call and all behind it fail */
    FAULT_SHORT,    /* it moves one byte less than it was asked to */
    FAULT_ONE_BYTE, /* it moves one byte, as do all behind it */
    FAULT_SIGNAL,   /* it fails with EINTR; called once more it succeeds */
    FAULT_WAIT,     /* it fails with EAGAIN, likewise */
    FAULT_NOTHING,  /* it moves nothing, or a file says that it is empty; no error is reported */
    FAULT_KINDS
};

/* The calls that can fail, by name and with the errno that they fail with. */
struct faulty_call {
    const char *name;
    int reason;
    bool is_transfer; /* may be short */
    bool is_slow;     /* may be interrupted */
    bool must_report; /* its failure is never harmless */
};

extern const struct faulty_call faulty_calls[];
extern const size_t faulty_call_count;

/* From now on the call of that number (from 1 on) to faulty_calls[which] is at fault. */
void arm_fault(size_t which, enum fault_kind kind, unsigned number);

/* Likewise, and it fails for another reason than faulty_calls says. */
void arm_fault_for(const char *name, enum fault_kind kind, unsigned number, int reason);

/* Faults that are armed from now on fail for this reason; 0: for that of faulty_calls. */
void fault_reason(int reason);

/* No call fails any more. Returns whether one did. */
bool disarm_fault(void);

/* Writes down, from now on, which calls that change files are made: "write fsync rename ". */
void record_calls(void);

/* What was written down; no more is. */
const char *recorded_calls(void);

/* From now on this is called after each call that has not failed by a fault; NULL: no longer. What it calls itself is
 * not watched. */
void watch_calls(void (*look)(const char *call));

/* From now on fsync only says that it has done so: nobody is killed, and a disk is slow. */
void pretend_to_sync(void);

/* Does something before the call of that number (from 1 on) of that name: once. */
void act_before(const char *call, unsigned number, void (*act)(void));

/* From now on nanosleep returns at once. */
void pretend_to_sleep(void);

/* The milliseconds that were to be slept since; from now on they are slept. */
unsigned long long pretended_sleep(void);

/* Cuts a file when the next call of mmap, or the pread of that number (from 1 on), begins: once. */
void cut_on_mmap(const char *path, long long size);
void cut_on_pread(const char *path, long long size, unsigned number);

/* Puts a byte at a place of a file when the pread of that number (from 1 on) begins. */
void change_on_pread(const char *path, long at, int byte, unsigned number);

/* Files stay as they are from now on. Returns whether the byte is still to be put. */
bool leave_unchanged(void);

#endif
