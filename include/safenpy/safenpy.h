/* safenpy/safenpy.h: includes all headers but safenpy/zip.h. */
#ifndef SAFENPY_SAFENPY_H
#define SAFENPY_SAFENPY_H

#include "safenpy/archive.h"
#include "safenpy/archive_write.h"
#include "safenpy/array.h"
#include "safenpy/copy.h"
#include "safenpy/copy_fast.h"
#include "safenpy/double.h"
#include "safenpy/dtype.h"
#include "safenpy/export.h"
#include "safenpy/header.h"
#include "safenpy/looks_like.h"
#include "safenpy/name.h"
#include "safenpy/object.h"
#include "safenpy/object_data.h"
#include "safenpy/options.h"
#include "safenpy/safe_text.h"
#include "safenpy/status.h"
#include "safenpy/value.h"
#include "safenpy/view.h"
#include "safenpy/write.h"
#include "safenpy/zip_types.h"

#endif
