/* object_save.c: saves decoded values as an NPY file.                                       NPY-WRITE-009, NPY-PKL-028, HOST-IO
 * object_write.c writes the pickle; output.c opens and renames files. */
#include "host/object_data.h"

snpy_status snpy_make_object_head(const snpy_object_data *data, snpy_version_choice version, snpy_array *head,
                                  snpy_io_error *error)
{
    snpy_array root;
    snpy_description description;
    snpy_array_clear(head);
    snpy_status status = snpy_object_array(data, snpy_object_root(data), &root, error);
    if (status == SNPY_OK && !root.header.has_object) status = snpy_io_refuse(error, SNPY_WRONG_TYPE, 0);
    if (status == SNPY_OK) {
        snpy_array_describe(&root, &description);
        description.version = version;
        status = snpy_make_new_head(description, 0, SNPY_BYTEORDER_KEEP, false, head, error);
    }
    if (status == SNPY_OK) status = snpy_io_refuse(error, snpy_object_data_match(data, head), 0);
    snpy_array_release(&root);
    return status;
}

/* Writes header and pickle to a path, as snpy_save does. */
static snpy_status snpy_save_pickle(const char *path, const snpy_array *head, const uint8_t *pickle, size_t size,
                                    snpy_io_error *error)
{
    snpy_output output;
    snpy_io_begin(error, path);
    snpy_status status = snpy_output_open(&output, path, 0, error);
    if (status != SNPY_OK) return status;
    status = snpy_write_all(output.descriptor, head->head_, head->header.frame.data_offset, error);
    if (status == SNPY_OK) status = snpy_write_all(output.descriptor, pickle, size, error);
    if (status == SNPY_OK) status = snpy_output_finish(&output, error);
    if (status != SNPY_OK) snpy_io_name(error, path);
    snpy_output_abandon(&output);
    return status;
}

snpy_status snpy_object_data_save(const char *path, const snpy_object_data *data, snpy_version_choice version,
                                  const snpy_pickle_form *form, snpy_io_error *error)
{
    snpy_array head;
    uint8_t *bytes = NULL;
    size_t size = 0;
    snpy_io_begin(error, "");
    snpy_status status = snpy_make_object_head(data, version, &head, error);
    if (status == SNPY_OK) status = snpy_object_data_write(data, form, &bytes, &size, error);
    if (status == SNPY_OK) status = snpy_save_pickle(path, &head, bytes, size, error);
    snpy_object_bytes_free(&bytes);
    snpy_array_release(&head);
    return status;
}
