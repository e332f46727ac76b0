"""Writes payloads again by the library, through ctypes: decoded with the set plain, written in the one form."""

import ctypes


class Form(ctypes.Structure):
    _fields_ = [("protocol", ctypes.c_uint32), ("is_numpy_2", ctypes.c_bool)]


class Error(ctypes.Structure):
    """The beginning of snpy_io_error."""
    _fields_ = [("status", ctypes.c_int), ("offset", ctypes.c_uint64), ("rest", ctypes.c_uint8 * 8192)]


class Writer:
    """The library's snpy_object_data_open and snpy_object_data_write."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.library.snpy_status_name.restype = ctypes.c_char_p

    def rewrite(self, payload, protocol=4, is_numpy_2=False):
        """The bytes that are written; the name of the status if there are none."""
        data, written, size, error = ctypes.c_void_p(), ctypes.POINTER(ctypes.c_uint8)(), ctypes.c_size_t(), Error()
        status = self.library.snpy_object_data_open(payload, ctypes.c_size_t(len(payload)), 1, ctypes.byref(data), ctypes.byref(error))
        if status == 0:
            form = Form(protocol, is_numpy_2)
            status = self.library.snpy_object_data_write(data, ctypes.byref(form), ctypes.byref(written), ctypes.byref(size), ctypes.byref(error))
        found = ctypes.string_at(written, size.value) if status == 0 else self.library.snpy_status_name(status).decode()
        self.library.snpy_object_data_close(ctypes.byref(data))
        self.library.snpy_object_bytes_free(ctypes.byref(written))
        return found
