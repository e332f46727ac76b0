/* safenpy/export.h: marks the functions that the shared library exports, and has the version of this interface. */
#ifndef SAFENPY_EXPORT_H
#define SAFENPY_EXPORT_H

#define SNPY_VERSION_MAJOR 0
#define SNPY_VERSION_MINOR 1
#define SNPY_VERSION_PATCH 0
#define SNPY_VERSION_STRING "0.1.0"

/* The build hides every symbol that is not marked with it. */
#if defined(SNPY_BUILD_SHARED) && defined(__GNUC__)
#define SNPY_API __attribute__((visibility("default")))
#else
#define SNPY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the running library, "MAJOR.MINOR.PATCH"; static text. Thread-safe.             API-VERSION */
SNPY_API const char *snpy_version(void);

#ifdef __cplusplus
}
#endif

#endif
