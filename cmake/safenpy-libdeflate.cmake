# Defines safenpy::libdeflate if libdeflate is there; not every package of it brings a file for CMake.
find_library(SAFENPY_LIBDEFLATE deflate)
find_path(SAFENPY_LIBDEFLATE_INCLUDE libdeflate.h)
if(SAFENPY_LIBDEFLATE AND SAFENPY_LIBDEFLATE_INCLUDE AND NOT TARGET safenpy::libdeflate)
    add_library(safenpy::libdeflate UNKNOWN IMPORTED)
    set_target_properties(safenpy::libdeflate PROPERTIES IMPORTED_LOCATION "${SAFENPY_LIBDEFLATE}"
                          INTERFACE_INCLUDE_DIRECTORIES "${SAFENPY_LIBDEFLATE_INCLUDE}")
endif()
