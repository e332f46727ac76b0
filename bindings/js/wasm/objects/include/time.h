/* time.h: what src/host takes of it to compile. */
#ifndef SAFENPY_WASM_TIME_H
#define SAFENPY_WASM_TIME_H

typedef long long time_t;
typedef int clockid_t;
#define CLOCK_REALTIME 0

struct timespec {
    time_t tv_sec;
    long tv_nsec;
};

int clock_gettime(clockid_t clock, struct timespec *now);

#endif
