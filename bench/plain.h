/* plain.h: a rival for scale: a plain parser of simple headers, checked, not proved. See plain.c. */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAIN_MAX_NDIM 64

typedef struct plain_header {
    char byteorder;
    char kind;
    uint32_t itemsize;
    bool fortran_order;
    unsigned ndim;
    uint64_t shape[PLAIN_MAX_NDIM];
    uint64_t data_offset;
    uint64_t data_size;
} plain_header;

/* Reads the header of a version 1.0 file; false if it is not one, or not of a simple type. */
bool plain_parse(const uint8_t *bytes, size_t length, plain_header *header);

#endif
