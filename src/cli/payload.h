/* payload.h: the pickle of an object array: what it needs, in a word, and whether a set has it.
 * objects.c lists what a pickle needs; accept.c reports the word. */
#ifndef SAFENPY_CLI_PAYLOAD_H
#define SAFENPY_CLI_PAYLOAD_H

#include "cli/cli.h"
#include "safenpy/object_data.h"

/* One pickle, and where it was found. */
typedef struct cli_payload {
    const char *name;   /* of the file */
    const char *member; /* the key of a member, or NULL */
    const char *format; /* npy, npz or pickle */
    const uint8_t *bytes;
    size_t length;
    uint64_t offset; /* of its first byte in the file or member: errors count from there */
} cli_payload;

/* A scan through a pickle. */
typedef struct cli_scan_state {
    const cli_payload *of;
    snpy_object_scan state;
    snpy_opcode opcode;
    snpy_error error; /* SNPY_OK after STOP; SNPY_NO_MEMORY */
} cli_scan_state;

/* What a whole scan has found. */
typedef struct cli_needs {
    unsigned set;        /* the largest that an opcode needs */
    snpy_opcode foreign; /* the first with a global of no set, if set is SNPY_SET_OTHER */
    snpy_error error;
    uint64_t protocol;
    uint64_t opcodes;
    uint64_t counts[256];
} cli_needs;

/* The object data of a file or member that was checked. */
typedef struct cli_object_data {
    bool is_known;    /* false: not scanned, because no line will say what they need, or they were not read */
    snpy_pickle read; /* owned: of a file its object data, of a member all of it */
    cli_payload of;
    cli_needs needs;
    snpy_object_data *data; /* owned: the values, if the options name a set that has them */
} cli_object_data;

/* Begin a scan, read its next opcode, and free what it has. cli_next_opcode returns false after STOP, or if there is no opcode
 * that keeps the rules. */
void cli_begin_scan(cli_scan_state *one, const cli_payload *of);
bool cli_next_opcode(cli_scan_state *one);
void cli_end_scan(cli_scan_state *one);

/* Scans a whole pickle. */
void cli_summarize(const cli_payload *of, cli_needs *found);

/* Return the name that pickletools has for an opcode, NULL if it has none, and that of an snpy_set. */
const char *cli_opcode_name(size_t code);
const char *cli_set_name(uint64_t set);

/* Returns what a pickle needs: data, plain, other, or that it is damaged. */
const char *cli_objects_word(const cli_payload *of, const cli_needs *found);

/* Writes a global as it stands in the pickle: "posix system". */
void cli_put_global(const cli_payload *of, const snpy_opcode *opcode);

/* Writes the word with its byte: "plain", "other (posix system at byte 135)", "damaged (byte 12)". */
void cli_put_objects_word(const cli_payload *of, const cli_needs *found);

/* Writes the JSON keys `objects` and, if there is a byte to name, `objects_offset`. Nothing if the data were not read. */
void cli_json_objects(const cli_object_data *objects, bool *first);

/* Scans the object data of an accepted NPY file that cli_check_file has read, and refuses the file if the options name a set
 * that does not have them. Returns the file's status.                                        NPY-OBJ-002, NPY-PKL-012 */
snpy_status cli_check_objects(const cli_options *options, snpy_file *file, cli_object_data *objects);

/* Likewise with the whole bytes of a member, of which *objects becomes the owner; the caller releases it. */
snpy_status cli_check_payload(uint8_t *bytes, size_t size, const cli_options *options, snpy_file *file,
                              cli_object_data *objects);

/* Frees what belongs to it. */
void cli_release_objects(cli_object_data *objects);

/* An object array that is open for its values. */
typedef struct cli_decoded {
    uint8_t *bytes; /* owned: the pickle */
    snpy_object_data *data;
} cli_decoded;

/* Reads the object data of an open file or member, decodes them, and checks that they are the array of the header. They may
 * need the set of the options; plain, if there is none. error->offset counts bytes of the file. The caller releases
 * *decoded, whatever the status.                                                              NPY-PKL-012, NPY-PKL-022 */
snpy_status cli_decode_objects(const cli_options *options, snpy_file *file, struct snpy_input *input,
                               cli_decoded *decoded, snpy_io_error *error);

/* Frees what belongs to it. */
void cli_release_decoded(cli_decoded *decoded);

#endif
