/* part.c: reads the elements of a view of a file's data into memory.                    API-VIEW, HOST-CHANGED, HOST-IO
 * input.c reads bytes; the core checks the view.
 *
 * Each contiguous stretch of the file is read with one call. If stretches are short and the gaps between them small, the
 * gaps are read, too, and dropped: a call costs as much as some thousand bytes. */
#include "host/part.h"

#include <string.h>

/* A stretch of this many bytes is read by a call of its own, however small the gaps around it. */
#define LONG_STRETCH ((uint64_t)32768)

/* Gaps of at most this many bytes between shorter stretches are read, too. */
#define SMALL_GAP ((uint64_t)4096)

/* How the elements of a view are read in the order of their offsets: the axes sorted by the size of their strides, the
 * largest first, and reversed where a stride is negative. Axes of length 1 are left out; those whose elements are
 * contiguous are part of the stretch. */
typedef struct snpy_route {
    uint64_t first;               /* the offset of the first byte */
    uint64_t stretch;             /* bytes that are contiguous */
    uint64_t span;                /* bytes of a group: stretches that are read together with their gaps */
    uint32_t ndim;                /* number of axes */
    uint32_t grouped;             /* the axes from this one on are within a group */
    uint32_t axis[SNPY_MAX_NDIM]; /* the axis of the view */
    uint64_t length[SNPY_MAX_NDIM];
    uint64_t leap[SNPY_MAX_NDIM]; /* bytes from one element to the next */
    uint64_t index[SNPY_MAX_NDIM];
} snpy_route;

static uint64_t snpy_length_of(int64_t stride)
{
    return (uint64_t)(stride < 0 ? -stride : stride);
}

/* Sorts the axes of a view that is not empty, and sets `first`. The sort is stable: leaps are all 0 if the itemsize is. */
static void snpy_route_sort(const snpy_view *part, snpy_route *route)
{
    route->ndim = 0;
    route->first = part->offset;
    for (uint32_t k = 0; k < part->ndim; k++) {
        uint64_t leap = snpy_length_of(part->strides[k]);
        if (part->shape[k] == 1) continue;
        if (part->strides[k] < 0) route->first -= (part->shape[k] - 1) * leap;
        uint32_t at = route->ndim++;
        for (; at > 0 && route->leap[at - 1] < leap; at--) {
            route->axis[at] = route->axis[at - 1];
            route->leap[at] = route->leap[at - 1];
        }
        route->axis[at] = k;
        route->leap[at] = leap;
    }
    for (uint32_t k = 0; k < route->ndim; k++) {
        route->length[k] = part->shape[route->axis[k]];
        route->index[k] = 0;
    }
}

/* Finds what is contiguous, and what is read together. */
static void snpy_route_group(const snpy_view *part, snpy_route *route)
{
    route->stretch = part->itemsize;
    while (route->ndim > 0 && route->leap[route->ndim - 1] == route->stretch)
        route->stretch *= route->length[--route->ndim];
    route->span = route->stretch;
    route->grouped = route->ndim;
    while (route->grouped > 0 && route->stretch < LONG_STRETCH) {
        uint64_t leap = route->leap[route->grouped - 1];
        if (leap - route->span > SMALL_GAP) break; /* too far apart; a leap below the span wraps to a huge gap */
        route->span += (route->length[--route->grouped] - 1) * leap;
    }
}

/* Advances `offset` and the route's index along the axes from `from` to `to` - 1, the last one fastest. Returns false
 * after the last step, with both back at the start. */
static bool snpy_route_step(snpy_route *route, uint32_t from, uint32_t to, uint64_t *offset)
{
    for (uint32_t k = to; k > from; k--) {
        *offset += route->leap[k - 1];
        if (++route->index[k - 1] < route->length[k - 1]) return true;
        *offset -= route->leap[k - 1] * route->length[k - 1];
        route->index[k - 1] = 0;
    }
    return false;
}

/* Reads the stretches of a group to *out, which it advances, and drops the gaps. */
static snpy_status snpy_read_group(snpy_input *input, snpy_route *route, uint64_t offset, uint8_t **out,
                                   snpy_io_error *error)
{
    const size_t size = (size_t)route->stretch;
    const uint64_t end = offset + route->span;
    do {
        const uint8_t *bytes = NULL;
        snpy_status status = snpy_input_window(input, offset, size, end, &bytes, error);
        if (status != SNPY_OK) return status;
        memcpy(*out, bytes, size);
        *out += size;
    } while (snpy_route_step(route, route->grouped, route->ndim, &offset));
    return SNPY_OK;
}

/* Reads all groups of a route. */
static snpy_status snpy_read_route(snpy_input *input, snpy_route *route, uint8_t *out, snpy_io_error *error)
{
    uint64_t offset = route->first;
    do {
        snpy_status status;
        if (route->grouped == route->ndim) {
            status = snpy_input_read(input, offset, out, route->stretch, error);
            out += route->stretch;
        } else {
            status = snpy_read_group(input, route, offset, &out, error);
        }
        if (status != SNPY_OK) return status;
    } while (snpy_route_step(route, 0, route->grouped, &offset));
    return SNPY_OK;
}

snpy_status snpy_part_place(const snpy_view *part, snpy_view *memory, snpy_io_error *error)
{
    snpy_route route;
    snpy_status status = snpy_view_dense(part, false, memory, &error->error);
    if (status != SNPY_OK) return status;
    if (part->count == 0) return SNPY_OK;
    snpy_route_sort(part, &route);
    int64_t stride = part->itemsize;
    for (uint32_t k = route.ndim; k > 0; k--) {
        uint32_t axis = route.axis[k - 1];
        bool is_backward = part->strides[axis] < 0;
        int64_t reach = stride * (int64_t)(route.length[k - 1] - 1); /* at most data_size */
        memory->strides[axis] = is_backward ? -stride : stride;
        if (is_backward) memory->offset += (uint64_t)reach;
        stride += reach;
    }
    return snpy_view_check(memory, &error->error);
}

snpy_status snpy_part_read(snpy_input *input, const snpy_view *part, uint8_t *out, snpy_view *memory,
                           snpy_io_error *error)
{
    snpy_route route;
    snpy_view checked = *part;
    snpy_status status = snpy_view_check(&checked, &error->error);
    if (status == SNPY_OK) status = snpy_part_place(&checked, memory, error);
    if (status != SNPY_OK || memory->data_size == 0) return status;
    snpy_route_sort(&checked, &route);
    snpy_route_group(&checked, &route);
    input->window_size = input->reader.is_stream ? input->window_size : 0; /* a file may have changed: read it again */
    return snpy_read_route(input, &route, out, error);
}

bool snpy_part_is_forward(const snpy_view *view)
{
    int64_t above = INT64_MAX;
    if (view->count == 0) return true;
    for (uint32_t k = 0; k < view->ndim; k++) {
        if (view->shape[k] == 1) continue;
        if (view->strides[k] < 0 || view->strides[k] > above) return false;
        above = view->strides[k];
    }
    return true;
}
