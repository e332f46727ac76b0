/* any.h: values that CBMC chooses freely, for the harnesses of this folder. */
#ifndef PROOFS_BOUNDED_ANY_H
#define PROOFS_BOUNDED_ANY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint8_t nondet_byte(void);
int8_t nondet_char(void);
uint32_t nondet_uint32(void);
uint64_t nondet_uint64(void);
int64_t nondet_int64(void);
size_t nondet_size(void);
bool nondet_bool(void);
float nondet_float(void);
double nondet_double(void);
void __CPROVER_assume(_Bool condition);
void __CPROVER_assert(_Bool condition, const char *what);
#define ASSUME(condition) __CPROVER_assume(condition)
#define CHECK(condition) __CPROVER_assert(condition, #condition)

#endif
