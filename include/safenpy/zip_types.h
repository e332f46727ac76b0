/* safenpy/zip_types.h: describes the directory of an archive (NPZ) and its members, and has the limits of archives. */
#ifndef SAFENPY_ZIP_TYPES_H
#define SAFENPY_ZIP_TYPES_H

#include <stddef.h>

#include "safenpy/options.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SNPY_ZIP_MAX_MEMBERS 0x7fffffffu /* the most members of an archive */
#define SNPY_ZIP_TAIL 65633u             /* bytes at the end of a file that can contain the end records */

#define SNPY_ZIP_NAME_OFFSET 46u /* bytes from a central header to the name in it */

#define SNPY_ZIP_STORED 0u   /* method: the data are the member's bytes */
#define SNPY_ZIP_DEFLATED 8u /* method: the data are a deflate stream (RFC 1951) */

#define SNPY_ZIP_FLAG_DESCRIPTOR 0x0008u /* a data descriptor follows the data */
#define SNPY_ZIP_FLAG_UTF8 0x0800u       /* the name is UTF-8; otherwise code page 437 */

/* Limits of a walk over the directory, and what it accepts (spec/npz.md, "Flags of archives"). Initialise with
 * SNPY_ZIP_OPTIONS_INIT, then change what you need. `size` lets the struct grow. snpy_zip_find refuses any size but its
 * own (SNPY_BAD_ARGUMENT). The functions of archive.h also accept a smaller, older struct: the fields it lacks have
 * their defaults. */
typedef struct snpy_zip_options {
    uint32_t size;            /* sizeof(snpy_zip_options) */
    bool prefix;              /* zip-prefix           bytes before the first local header */
    bool trailing;            /* zip-trailing         bytes after the end record and its comment */
    bool gaps;                /* zip-gaps             bytes between entries and before the directory */
    bool unsigned_descriptor; /* unsigned-descriptor  descriptors without a signature */
    uint64_t max_members;     /* 1,048,576; at most SNPY_ZIP_MAX_MEMBERS */
} snpy_zip_options;

#define SNPY_ZIP_OPTIONS_INIT                                   \
    {                                                           \
        (uint32_t)sizeof(snpy_zip_options), 0, 0, 0, 0, 1048576 \
    }

/* Where the directory is, by the end records. Offsets are in bytes from the beginning of the file. */
typedef struct snpy_zip_directory {
    uint64_t file_size;
    uint64_t offset;   /* of the first central header */
    uint64_t size;     /* of all central headers */
    uint64_t count;    /* members */
    uint64_t count_at; /* offset of the count in the end record */
    uint64_t prefix;   /* bytes before the archive that its own offsets do not count; 0 without the flag */
} snpy_zip_directory;

/* A member. Offsets are in bytes from the beginning of the file, whatever comes before the archive. */
typedef struct snpy_zip_member {
    uint64_t central_offset;  /* of its central header; its name begins 46 bytes later */
    uint64_t local_offset;    /* of its local header */
    uint64_t data_offset;     /* of its data; set by snpy_zip_local */
    uint64_t end_offset;      /* of the first byte after data and descriptor; set by snpy_zip_local */
    uint64_t compressed_size; /* bytes of its data in the archive */
    uint64_t size;            /* bytes of the member, inflated */
    uint32_t crc;             /* CRC-32 of the inflated member */
    uint32_t order_;          /* for the library only */
    uint16_t flags;
    uint16_t method;      /* SNPY_ZIP_STORED or SNPY_ZIP_DEFLATED */
    uint16_t name_length; /* bytes */
    bool has_zip64;       /* whether its local header has a ZIP64 field; set by snpy_zip_local */
} snpy_zip_member;

#ifdef __cplusplus
}
#endif

#endif
