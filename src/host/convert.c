/* convert.c: rewrites an array in another order, byte order or version. NPY-WRITE-009, NPY-VALUE-001, 011, NPY-DATA-008
 * flow.c copies bytes that do not change, part.c and parts.c cut arrays into parts, and the core says where elements are
 * and how their bytes change.
 *
 * Nothing is mapped and no more than a box is in memory: an array may be larger than memory. */
#include "host/flow.h"
#include "safenpy/copy_fast.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Bytes of a box: elements that are reordered in memory and then written. */
#define BOX ((uint64_t)16 << 20)

/* Bytes of a box that are read at once, and of one element that are converted at once. */
#define PIECE ((uint64_t)1 << 20)
#define ITEM ((uint64_t)4 << 20)

/* A contiguous stretch of this many bytes is worth a read call of its own if the file is in the page cache. */
#define STRETCH ((uint64_t)2048)

/* Bytes that are converted at once if elements keep their order, and that are written at once. */
#define BLOCK ((uint64_t)262144)

/* After this many bytes of new data the system is asked to start writing them, while the next are converted. */
#define BEHIND ((uint64_t)8 << 20)

/* One conversion. */
typedef struct snpy_work {
    const snpy_conversion *how;
    snpy_input *input;
    int descriptor; /* the output's */
    uint64_t start; /* offset of the data in the output */
    uint64_t begun; /* bytes of data that the system was asked to write */
    bool reorders;  /* elements change their order: they are written at offsets */
    snpy_view from; /* where the elements are in the old data */
    snpy_view to;   /* where they are in the new data: in C order of the axes, which are reversed for Fortran order */
    snpy_plan plan;
    uint8_t *old_bytes; /* buffers; owned */
    uint8_t *new_bytes;
} snpy_work;

/* Whether elements change their order. */
static bool snpy_reorders(const snpy_conversion *how, const snpy_header *header)
{
    return snpy_order_matters(header) && snpy_wants_fortran(how->order, header) != header->fortran_order;
}

uint64_t snpy_conversion_work(const snpy_conversion *how, const snpy_file *file, const snpy_output *output)
{
    const snpy_header *header = &file->head.header;
    if (header->has_object) return file->size > header->frame.data_offset ? file->size - header->frame.data_offset : 0;
    bool goes_twice = snpy_reorders(how, header) && output->temporary == NULL;
    return goes_twice && header->data_size <= SNPY_MAX_SIZE / 2 ? 2 * header->data_size : header->data_size;
}

/* Reports progress: `bytes` more bytes are done. */
static void snpy_report_progress(const snpy_conversion *how, uint64_t bytes)
{
    if (how->tell != NULL) how->tell(how->watcher, bytes);
}

/* Notes that the new data are complete up to `end`. Asks the system to start writing them if there are many. */
static void snpy_note_complete(snpy_work *work, uint64_t end)
{
    if (end < work->begun + BEHIND) return;
    snpy_begin_writing(work->descriptor, work->start + work->begun, end - work->begun);
    work->begun = end;
}

/* Returns `status`; if it is a failure, sets the error's path to the output's. */
static snpy_status snpy_set_output_path(const snpy_work *work, snpy_status status, snpy_io_error *error)
{
    if (status != SNPY_OK) snpy_io_name(error, work->how->to);
    return status;
}

/* Returns `status`; if it is a failure, sets the error's path to the input's. */
static snpy_status snpy_set_input_path(const snpy_work *work, snpy_status status, snpy_io_error *error)
{
    if (status != SNPY_OK) snpy_io_name(error, work->how->from);
    return status;
}

/* --- elements that keep their order ------------------------------------------------------------------------ */

/* Copies the first `size` bytes of the input's data, or with SNPY_TO_THE_END all, unchanged to the output's current position. */
static snpy_status snpy_copy_unchanged(snpy_work *work, snpy_input *input, snpy_output *output, uint64_t size,
                                       snpy_io_error *error)
{
    const snpy_conversion *how = work->how;
    const snpy_flow flow = {input, how->from, snpy_put_output, output, how->tell, how->watcher};
    snpy_io_name(error, how->to);
    return snpy_pour(&flow, size, error);
}

/* Converts contiguous elements in memory, in place. */
static snpy_status snpy_convert_bytes(const snpy_plan *plan, uint64_t count, uint8_t *bytes, snpy_io_error *error)
{
    snpy_view view = {.data_size = count * plan->itemsize, .count = count, .itemsize = plan->itemsize, .ndim = 1};
    view.dtype.kind = SNPY_KIND_VOID;
    view.dtype.byteorder = '|';
    view.dtype.itemsize = plan->itemsize;
    view.shape[0] = count;
    view.strides[0] = plan->itemsize;
    return snpy_copy_fast_in_place(&view, bytes, plan, &error->error);
}

/* Reads `count` elements of the plan's size at offset `from` of the old data, converts them, and writes them: at offset
 * `to` of the new data if elements are reordered, else at the output's current position. */
static snpy_status snpy_convert_piece(snpy_work *work, const snpy_plan *plan, uint64_t count, uint64_t from,
                                      uint64_t to, snpy_io_error *error)
{
    uint64_t size = count * plan->itemsize;
    snpy_status status = snpy_input_read(work->input, from, work->old_bytes, size, error);
    if (status != SNPY_OK) return snpy_set_input_path(work, status, error);
    status = snpy_convert_bytes(plan, count, work->old_bytes, error);
    if (status != SNPY_OK) return status;
    if (work->reorders)
        status = snpy_write_at(work->descriptor, work->old_bytes, size, work->start + to, error);
    else
        status = snpy_write_all(work->descriptor, work->old_bytes, size, error);
    snpy_report_progress(work->how, size);
    return snpy_set_output_path(work, status, error);
}

/* Converts all elements without changing their order, a block at a time. */
static snpy_status snpy_convert_in_place(snpy_work *work, snpy_io_error *error)
{
    const uint64_t itemsize = work->plan.itemsize;
    const uint64_t most = itemsize < BLOCK ? BLOCK / itemsize : 1;
    for (uint64_t done = 0; done < work->from.count;) {
        uint64_t count = work->from.count - done < most ? work->from.count - done : most;
        snpy_status status = snpy_convert_piece(work, &work->plan, count, done * itemsize, done * itemsize, error);
        if (status != SNPY_OK) return status;
        done += count;
        snpy_note_complete(work, done * itemsize);
    }
    return SNPY_OK;
}

/* --- large elements --------------------------------------------------------------------------------------- */

/* Makes a plan for the next piece of an element: at most ITEM bytes from `from` on, which is in run *first. A run that is
 * too long is cut at a multiple of its unit, so that no number is split. Advances *first to the run after the piece. */
static void snpy_cut_plan(const snpy_plan *plan, uint32_t *first, int32_t from, snpy_plan *piece)
{
    int32_t at = from;
    piece->count = 0;
    while (*first < plan->count) {
        const snpy_run *run = &plan->runs[*first];
        int32_t left = (int32_t)ITEM - (at - from);
        int32_t size = run->end - at <= left ? run->end - at : left - left % run->unit;
        if (size == 0) break;
        const snpy_run part = {at - from, at - from + size, run->unit, run->action};
        piece->runs[piece->count++] = part;
        at += size;
        if (at < run->end) break;
        ++*first;
    }
    piece->itemsize = (uint32_t)(at - from);
}

/* Converts one element, a piece at a time. */
static snpy_status snpy_convert_item(snpy_work *work, uint64_t from, uint64_t to, snpy_plan *piece,
                                     snpy_io_error *error)
{
    uint32_t first = 0;
    for (uint32_t at = 0; at < work->plan.itemsize; at += piece->itemsize) {
        snpy_cut_plan(&work->plan, &first, (int32_t)at, piece);
        snpy_status status = snpy_convert_piece(work, piece, 1, from + at, to + at, error);
        if (status != SNPY_OK) return status;
    }
    return SNPY_OK;
}

/* Sets the offsets of element `number` in the old and the new data. */
static snpy_status snpy_find_item(const snpy_work *work, uint64_t number, uint64_t *from, uint64_t *to,
                                  snpy_io_error *error)
{
    *from = *to = number * work->plan.itemsize;
    if (!work->reorders) return SNPY_OK;
    snpy_status status = snpy_view_flat(&work->from, number, from, &error->error);
    return status == SNPY_OK ? snpy_view_flat(&work->to, number, to, &error->error) : status;
}

/* Converts all elements one by one. If they keep their order, the input is read from front to end, as a stream must be. */
static snpy_status snpy_convert_items(snpy_work *work, snpy_io_error *error)
{
    snpy_plan piece = {malloc(work->plan.count * sizeof *piece.runs), work->plan.count, 0, 0};
    snpy_status status = piece.runs != NULL ? SNPY_OK : snpy_io_no_memory(error, "malloc");
    for (uint64_t i = 0; i < work->from.count && status == SNPY_OK; i++) {
        uint64_t from = 0;
        uint64_t to = 0;
        status = snpy_find_item(work, i, &from, &to, error);
        if (status == SNPY_OK) status = snpy_convert_item(work, from, to, &piece, error);
    }
    free(piece.runs);
    return status;
}

/* --- elements that change their order ---------------------------------------------------------------------- */

/* Advances `index` and `offset` to the next contiguous stretch of a box, along its first `outer` axes. Returns false
 * after the last one. */
static bool snpy_next_stretch(const snpy_view *box, uint32_t outer, uint64_t *index, uint64_t *offset)
{
    for (uint32_t k = outer; k > 0; k--) {
        uint64_t stride = (uint64_t)box->strides[k - 1];
        *offset += stride;
        if (++index[k - 1] < box->shape[k - 1]) return true;
        *offset -= stride * box->shape[k - 1];
        index[k - 1] = 0;
    }
    return false;
}

/* Writes bytes of the new data in blocks that stay in the processor's cache until the system has copied them. */
static snpy_status snpy_write_stretch(snpy_work *work, const uint8_t *bytes, uint64_t size, uint64_t offset,
                                      snpy_io_error *error)
{
    snpy_status status = SNPY_OK;
    for (uint64_t at = 0; at < size && status == SNPY_OK; at += BLOCK) {
        const uint64_t block = size - at < BLOCK ? size - at : BLOCK;
        status = snpy_write_at(work->descriptor, bytes + at, block, work->start + offset + at, error);
    }
    return snpy_set_output_path(work, status, error);
}

/* Writes a box whose elements are in new_bytes, in the order of the new data, one contiguous stretch at a time. */
static snpy_status snpy_write_box(snpy_work *work, const snpy_view *box, snpy_io_error *error)
{
    uint64_t index[SNPY_MAX_NDIM] = {0};
    uint64_t stretch = box->itemsize;
    uint64_t offset = box->offset;
    uint32_t outer = box->ndim;
    const uint8_t *bytes = work->new_bytes;
    for (; outer > 0; outer--) {
        if (box->shape[outer - 1] > 1 && (uint64_t)box->strides[outer - 1] != stretch) break;
        stretch *= box->shape[outer - 1];
    }
    do {
        snpy_status status = snpy_write_stretch(work, bytes, stretch, offset, error);
        if (status != SNPY_OK) return status;
        bytes += stretch;
    } while (snpy_next_stretch(box, outer, index, &offset));
    return SNPY_OK;
}

/* Slices a view to the indexes of `part`, the part that `parts` gave last. */
static snpy_status snpy_cut_alike(snpy_view *view, const snpy_parts *parts, const snpy_view *part, snpy_io_error *error)
{
    for (uint32_t k = 0; k < view->ndim; k++) {
        int64_t first = (int64_t)parts->first[k];
        const snpy_slice slice = {first, first + (int64_t)part->shape[k], 1, true, true, true};
        snpy_status status = snpy_view_slice(view, k, &slice, &error->error);
        if (status != SNPY_OK) return status;
    }
    return SNPY_OK;
}

/* Reads a part of a box and copies its elements, converted, to their places in new_bytes. */
static snpy_status snpy_convert_part(snpy_work *work, const snpy_view *part, const snpy_parts *parts,
                                     const snpy_view *made, snpy_io_error *error)
{
    snpy_view read;
    snpy_view target = *made;
    snpy_status status = snpy_part_read(work->input, part, work->old_bytes, &read, error);
    if (status != SNPY_OK) return snpy_set_input_path(work, status, error);
    status = snpy_cut_alike(&target, parts, part, error);
    if (status == SNPY_OK)
        status = snpy_copy_fast(&read, work->old_bytes, &work->plan, &target, work->new_bytes, &error->error);
    snpy_report_progress(work->how, read.data_size);
    return status;
}

/* Converts one box: reads it a part at a time, then writes it. */
static snpy_status snpy_convert_box(snpy_work *work, const snpy_view *box, const snpy_parts *boxes,
                                    snpy_io_error *error)
{
    snpy_view places = work->to;
    snpy_view made;
    snpy_view part;
    snpy_parts parts;
    snpy_status status = snpy_view_dense(box, false, &made, &error->error);
    snpy_parts_strips(box, box, PIECE, 0, &parts);
    while (!parts.is_done && status == SNPY_OK) {
        status = snpy_parts_next(&parts, &part, error);
        if (status == SNPY_OK) status = snpy_convert_part(work, &part, &parts, &made, error);
    }
    if (status == SNPY_OK) status = snpy_cut_alike(&places, boxes, box, error);
    return status == SNPY_OK ? snpy_write_box(work, &places, error) : status;
}

/* Returns how many bytes of the new data are complete: no later part writes before this offset. It is a whole step along
 * the first axis that is longer than 1. */
static uint64_t snpy_complete_bytes(const snpy_view *to, const snpy_parts *parts)
{
    if (parts->is_done) return to->data_size;
    for (uint32_t k = 0; k < to->ndim; k++)
        if (to->shape[k] > 1) return parts->next[k] * (uint64_t)to->strides[k];
    return to->data_size;
}

/* Cuts the array into boxes with long contiguous stretches in the new data, or in both if the old data must come from the
 * disk. */
static void snpy_make_boxes(const snpy_work *work, snpy_parts *boxes)
{
    if (snpy_input_expect(work->input, work->from.data_size))
        snpy_parts_strips(&work->from, &work->to, BOX, STRETCH, boxes);
    else
        snpy_parts_boxes(&work->from, &work->to, BOX, boxes);
}

/* Converts all elements, a box at a time. Boxes come in the order of the new data, so that the system can write what is
 * complete. */
static snpy_status snpy_convert_boxes(snpy_work *work, snpy_io_error *error)
{
    snpy_parts boxes;
    snpy_view box;
    snpy_status status = SNPY_OK;
    snpy_make_boxes(work, &boxes);
    while (!boxes.is_done && status == SNPY_OK) {
        status = snpy_parts_next(&boxes, &box, error);
        if (status == SNPY_OK) status = snpy_convert_box(work, &box, &boxes, error);
        if (status == SNPY_OK) snpy_note_complete(work, snpy_complete_bytes(&work->to, &boxes));
    }
    return status;
}

/* Converts and reorders all elements into a file. A stream is first copied to a temporary file. */
static snpy_status snpy_convert_order(snpy_work *work, snpy_io_error *error)
{
    snpy_io_name(error, work->how->from);
    snpy_status status = snpy_input_spool(work->input, work->from.data_size, error);
    if (status != SNPY_OK) return status;
    return work->plan.itemsize > ITEM ? snpy_convert_items(work, error) : snpy_convert_boxes(work, error);
}

/* Converts and reorders all elements for an output that cannot seek: into a temporary file without a name, and from there
 * to the output. */
static snpy_status snpy_convert_through_file(snpy_work *work, snpy_output *output, snpy_io_error *error)
{
    snpy_input spooled;
    snpy_status status = snpy_make_nameless(&work->descriptor, error);
    if (status != SNPY_OK) return status;
    work->start = 0;
    status = snpy_convert_order(work, error);
    snpy_input_from_file(&spooled, work->descriptor, 0);
    if (status == SNPY_OK) status = snpy_copy_unchanged(work, &spooled, output, work->to.data_size, error);
    (void)close(work->descriptor); /* which deletes the file */
    return status;
}

/* --- the whole array --------------------------------------------------------------------------------------- */

/* Allocates the buffers. The caller frees them, whatever the status. */
static snpy_status snpy_make_buffers(snpy_work *work, snpy_io_error *error)
{
    const uint64_t itemsize = work->plan.itemsize;
    work->old_bytes = malloc((size_t)(work->reorders || itemsize > BLOCK ? ITEM : BLOCK));
    if (work->reorders) work->new_bytes = malloc((size_t)BOX);
    if (work->old_bytes != NULL && (work->new_bytes != NULL || !work->reorders)) return SNPY_OK;
    return snpy_io_no_memory(error, "malloc");
}

/* Whether the data can be copied unchanged. */
static bool snpy_is_plain(const snpy_work *work)
{
    const snpy_plan *plan = &work->plan;
    bool keeps_all = plan->count == 1 && plan->runs[0].action == SNPY_ACTION_KEEP;
    return work->from.data_size == 0 || (keeps_all && !work->reorders);
}

/* Converts all data; the new header has been written. */
static snpy_status snpy_convert_data(snpy_work *work, snpy_output *output, snpy_io_error *error)
{
    if (snpy_is_plain(work)) return snpy_copy_unchanged(work, work->input, output, work->from.data_size, error);
    snpy_status status = snpy_make_buffers(work, error);
    if (status != SNPY_OK) return status;
    if (work->reorders && output->temporary == NULL) return snpy_convert_through_file(work, output, error);
    if (work->reorders) return snpy_convert_order(work, error);
    return work->plan.itemsize > ITEM ? snpy_convert_items(work, error) : snpy_convert_in_place(work, error);
}

/* Writes the pickle of an object array as `disarm` makes it.                                        NPY-PKL-022, NPY-PKL-028 */
static snpy_status snpy_disarm_objects(snpy_work *work, snpy_file *file, snpy_io_error *error)
{
    const snpy_conversion *how = work->how;
    uint8_t *bytes = NULL;
    size_t size = 0;
    snpy_status status = how->disarm(work->input, file, &how->form, &bytes, &size, error);
    if (status != SNPY_OK) return snpy_set_input_path(work, status, error);
    status = snpy_write_all(work->descriptor, bytes, size, error);
    free(bytes);
    return snpy_set_output_path(work, status, error);
}

/* Copies the pickle of an object array. SNPY_NO_OBJECTS if a stream turns out to have none.       NPY-DATA-003 */
static snpy_status snpy_copy_objects(snpy_work *work, const snpy_file *file, snpy_output *output, snpy_io_error *error)
{
    const uint64_t start = file->head.header.frame.data_offset;
    const bool is_stream = work->input->reader.is_stream;
    uint64_t size = is_stream ? SNPY_TO_THE_END : file->size - start;
    snpy_status status = snpy_copy_unchanged(work, work->input, output, size, error);
    if (status != SNPY_OK || !is_stream || work->input->position > 0) return status;
    return snpy_set_input_path(work, snpy_io_refuse(error, SNPY_NO_OBJECTS, start), error);
}

/* Sets `reorders`, the views `from` and `to`, and the plan. The plan's runs are to be freed, whatever the status. */
static snpy_status snpy_plan_work(snpy_work *work, const snpy_table *table, const snpy_header *header,
                                  snpy_io_error *error)
{
    work->reorders = snpy_reorders(work->how, header);
    snpy_status status = snpy_find_places(header, work->how->order, &work->from, &work->to, error);
    if (status != SNPY_OK) return status;
    if (header->data_size == 0) return SNPY_OK; /* no data, no plan */
    return snpy_make_plan(&work->from, table, work->how->byteorder, &work->plan, error);
}

/* Writes the new header and sets `start`. Without a version asked for, the old one is kept if it can hold the header. */
static snpy_status snpy_write_new_head(snpy_work *work, snpy_file *file, snpy_io_error *error)
{
    const snpy_conversion *how = work->how;
    snpy_description description;
    snpy_array head;
    snpy_array_describe(&file->head, &description);
    if (how->has_version) description.version = how->version;
    snpy_status status = snpy_make_new_head(description, how->order, how->byteorder, how->has_version, &head, error);
    work->start = head.header.frame.data_offset;
    if (status == SNPY_OK) {
        status = snpy_write_all(work->descriptor, head.head_, work->start, error);
        (void)snpy_set_output_path(work, status, error);
    }
    snpy_array_release(&head);
    return status;
}

/* Writes header and data. The plan is made before the header, which changes the byte order in the table. */
static snpy_status snpy_do_work(snpy_work *work, snpy_file *file, snpy_output *output, snpy_io_error *error)
{
    const snpy_header *header = &file->head.header;
    snpy_status status = SNPY_OK;
    if (!header->has_object) status = snpy_plan_work(work, &file->head.table, header, error);
    if (status == SNPY_OK) status = snpy_write_new_head(work, file, error);
    if (status != SNPY_OK) return status;
    if (!header->has_object) return snpy_convert_data(work, output, error);
    if (work->how->disarm != NULL) return snpy_disarm_objects(work, file, error);
    return snpy_copy_objects(work, file, output, error);
}

snpy_status snpy_convert_array(const snpy_conversion *how, snpy_file *file, snpy_input *input, snpy_output *output,
                               snpy_io_error *error)
{
    snpy_work work = {.how = how, .input = input, .descriptor = output->descriptor};
    bool changes_data = how->order != 0 || how->byteorder != SNPY_BYTEORDER_KEEP;
    snpy_io_begin(error, how->from);
    if (file->head.header.has_object && changes_data)
        return snpy_io_refuse(error, SNPY_OBJECT_DATA, file->head.header.frame.data_offset);
    snpy_status status = snpy_do_work(&work, file, output, error);
    free(work.plan.runs);
    free(work.old_bytes);
    free(work.new_bytes);
    return status;
}
