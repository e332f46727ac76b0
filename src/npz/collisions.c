/* collisions.c: finds members whose names are no good paths, or whose paths collide.                 NPZ-PATH-001 … 003
 * member_path.c checks and compares paths. */
#include "npz/member_path.h"
#include "npz/npz.h"

#include <stdlib.h>
#include <string.h>

/* Orders places by path, equal paths by index; places without a path come last. For qsort. */
static int compare_places(const void *left, const void *right)
{
    const snpy_place *one = left;
    const snpy_place *other = right;
    if (one->path == NULL || other->path == NULL) return (one->path == NULL) - (other->path == NULL);
    const int order = snpy_compare_paths(one->path, strlen(one->path), other->path, strlen(other->path));
    if (order != 0) return order;
    return one->index < other->index ? -1 : one->index > other->index;
}

void snpy_mark_collisions(snpy_place *places, size_t count)
{
    size_t last = 0;
    if (count > 0) qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 1; i < count && places[i].path != NULL; i++) {
        const bool is_later = places[i].index > places[last].index;
        if (!snpy_paths_collide(places[last].path, places[i].path)) {
            last = i;
            continue;
        }
        places[is_later ? i : last].collides = true;
        if (!is_later) last = i;
    }
}

/* Returns a copy of a member's name, which the caller frees; NULL if there is no memory. */
static char *copy_name(const snpy_archive *archive, size_t index)
{
    const size_t capacity = snpy_archive_name(archive, index, NULL, 0) + 1;
    char *name = malloc(capacity);
    if (name != NULL) (void)snpy_archive_name(archive, index, name, capacity);
    return name;
}

bool snpy_find_collisions(const snpy_archive *archive, bool *collides)
{
    snpy_place *places = calloc(archive->count + 1, sizeof *places);
    bool is_complete = places != NULL;
    for (size_t i = 0; i < archive->count && is_complete; i++) {
        places[i] = (snpy_place){.path = copy_name(archive, i), .index = i};
        is_complete = places[i].path != NULL;
    }
    if (is_complete) snpy_mark_collisions(places, archive->count);
    for (size_t i = 0; i < archive->count && is_complete; i++) collides[places[i].index] = places[i].collides;
    for (size_t i = 0; i < archive->count && places != NULL; i++) free(places[i].path);
    free(places);
    return is_complete;
}

snpy_error snpy_check_member_name(const snpy_archive *archive, size_t index, const bool *collides)
{
    size_t fault = 0;
    char *name = copy_name(archive, index);
    snpy_error error = {SNPY_NO_MEMORY, 0};
    if (name == NULL) return error;
    error.status = snpy_check_path((const uint8_t *)name, strlen(name), &fault);
    if (error.status == SNPY_OK) fault = 0;
    if (error.status == SNPY_OK && collides[index]) error.status = SNPY_ZIP_PATH_COLLIDES;
    if (error.status != SNPY_OK) error.offset = snpy_place_in_name(&archive->members[index], name, fault);
    free(name);
    return error;
}

snpy_status snpy_archive_check_names(const snpy_archive *archive, snpy_io_error *error)
{
    bool *collides = calloc(archive->count + 1, sizeof *collides);
    snpy_error found = {SNPY_OK, 0};
    if (collides == NULL || !snpy_find_collisions(archive, collides)) found.status = SNPY_NO_MEMORY;
    for (size_t i = 0; i < archive->count && found.status == SNPY_OK; i++) {
        found = snpy_check_member_name(archive, i, collides);
        if (found.status != SNPY_OK && found.status != SNPY_NO_MEMORY) snpy_set_error_member(archive, i, error);
    }
    free(collides);
    if (found.status == SNPY_NO_MEMORY) return snpy_io_no_memory(error, "malloc");
    return found.status == SNPY_OK ? SNPY_OK : snpy_io_refuse(error, found.status, found.offset);
}
