/* memory.c: allocates and frees the memory of arrays.                                                 HOST-MEMORY
 * map.c maps files.
 *
 * Large arrays get pages of their own, huge ones if possible: the heap would return them to the system and ask for them
 * again each time, and the page faults of 4 KiB pages would cost more than copying the data. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* NOLINT: MAP_ANONYMOUS and MADV_HUGEPAGE are not in POSIX */
#endif
#include "host/io.h"

#include <stdlib.h>
#include <sys/mman.h>

/* From this size on data get pages of their own: two huge pages of the usual size. */
#define MANY_BYTES ((uint64_t)4 << 20)

/* The usual size of a huge page. */
#define HUGE_PAGE ((size_t)2 << 20)

/* Smaller buffers are not worth a call of realloc. */
#define SMALLEST_BUFFER 65600u

bool snpy_grow(uint8_t **buffer, size_t *capacity, uint64_t wanted)
{
    if (wanted <= *capacity) return true;
    if (wanted > SIZE_MAX / 2) return false;
    size_t size = *capacity < SMALLEST_BUFFER ? SMALLEST_BUFFER : *capacity;
    while (size < wanted) size *= 2;
    uint8_t *grown = realloc(*buffer, size);
    if (grown == NULL) return false;
    *buffer = grown;
    *capacity = size;
    return true;
}

void snpy_array_clear(snpy_array *array)
{
    static const snpy_array empty = {.data = NULL};
    *array = empty;
}

void snpy_array_own_header(snpy_array *array, uint8_t *bytes, size_t size)
{
    array->head_ = bytes;
    array->head_size_ = size;
}

void snpy_array_release(snpy_array *array)
{
    if (array->held_ == SNPY_HELD_HEAP) free(array->base_);
    if (array->held_ == SNPY_HELD_PAGES) (void)munmap(array->base_, array->base_length_);
    free(array->table.fields);
    free(array->table.dims);
    free(array->head_);
    free(array->path_);
    snpy_array_clear(array);
}

void snpy_array_describe(snpy_array *array, snpy_description *description)
{
    const snpy_frame *frame = &array->header.frame;
    description->header = &array->header;
    description->table = &array->table;
    description->names = array->text;
    description->names_length = frame->header_len;
    description->encoding = frame->major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1;
    description->version = (snpy_version_choice)frame->major;
}

/* Maps anonymous pages. NULL if there are none. */
static void *snpy_map_pages(size_t size)
{
#ifdef MAP_ANONYMOUS
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
#else
    (void)size;
    return NULL;
#endif
}

/* Asks for huge pages in mapped memory. Returns the first address at which a huge page can begin; the pages before it are
 * never touched and cost no memory. */
static uint8_t *snpy_ask_for_huge_pages(uint8_t *pages, size_t size)
{
    uint8_t *first = pages + (HUGE_PAGE - (uintptr_t)pages % HUGE_PAGE) % HUGE_PAGE;
#ifdef MADV_HUGEPAGE
    (void)madvise(first, size, MADV_HUGEPAGE); /* best effort */
#else
    (void)size;
#endif
    return first;
}

snpy_status snpy_array_reserve(snpy_array *array, uint64_t size, snpy_io_error *error)
{
    if (size > SIZE_MAX - HUGE_PAGE) return snpy_io_no_memory(error, "malloc");
#ifdef MAP_ANONYMOUS
    bool has_pages = size >= MANY_BYTES;
#else
    bool has_pages = false;
#endif
    const size_t length = (size_t)size + (has_pages ? HUGE_PAGE : 0);
    void *base = has_pages ? snpy_map_pages(length) : malloc(length);
    if (base == NULL) return snpy_io_no_memory(error, has_pages ? "mmap" : "malloc");
    array->base_ = base;
    array->base_length_ = length;
    array->held_ = has_pages ? SNPY_HELD_PAGES : SNPY_HELD_HEAP;
    array->data = has_pages ? snpy_ask_for_huge_pages(base, (size_t)size) : base;
    return SNPY_OK;
}

snpy_status snpy_array_extend(snpy_array *array, uint64_t size, snpy_io_error *error)
{
    if (size > SIZE_MAX) return snpy_io_no_memory(error, "realloc");
    void *base = realloc(array->base_, (size_t)size);
    if (base == NULL) return snpy_io_no_memory(error, "realloc");
    array->base_ = base;
    array->base_length_ = (size_t)size;
    array->held_ = SNPY_HELD_HEAP;
    array->data = base;
    return SNPY_OK;
}
