"""MLX as an implementation: mlx.core.load, which has a reader of its own in C++, and mlx.core.save.

    adapter.py PACKAGES      PACKAGES is the directory that MLX is installed in

Loading is lazy in MLX: the data are read when the array is evaluated, and that is done here at once. Any
exception is a refusal. Elements come from the array's buffer, in the order of its indices. Each case runs in a
forked process.
"""

import base64
import hashlib
import sys

sys.path[:0] = [sys.argv[1], "../shared"]

import mlx.core as mx  # noqa: E402
from lines import accept, isolated, reject, serve, unsupported  # noqa: E402

NO_TYPE = "Unsupported array protocol type-string"      # what MLX says of a type string that it does not know
# MLX's type, and what memoryview calls numbers of that size.
TYPES = {
    "|b1": (mx.bool_, "?"), "|i1": (mx.int8, "b"), "<i2": (mx.int16, "h"), "<i4": (mx.int32, "i"),
    "<i8": (mx.int64, "q"), "|u1": (mx.uint8, "B"), "<u2": (mx.uint16, "H"), "<u4": (mx.uint32, "I"),
    "<u8": (mx.uint64, "Q"), "<f4": (mx.float32, "f"), "<f8": (mx.float64, "d"),
}


@isolated
def read(path):
    """Loads and evaluates."""
    mx.set_default_device(mx.cpu)
    try:
        array = mx.load(path)
        mx.eval(array)
    except Exception as error:
        answer = unsupported if NO_TYPE in str(error) else reject
        return answer(f"{type(error).__name__}: {error}")
    return accept(shape=list(array.shape), itemsize=array.itemsize, count=array.size,
                  elements_sha256=hashlib.sha256(memoryview(mx.flatten(array)).tobytes()).hexdigest())


@isolated
def write(request, path):
    """Saves an array; MLX chooses the version, and the order by how the array lies."""
    if request["descr"] not in TYPES:
        return f"no type of MLX that a buffer can be made of is {request['descr']}"
    if request["version"] is not None or request["fortran_order"]:
        return "mlx.core.save chooses version and order itself"
    mx.set_default_device(mx.cpu)
    kind, code = TYPES[request["descr"]]
    raw = memoryview(base64.b64decode(request["elements_base64"])).cast(code)
    mx.save(path, mx.array(raw, dtype=kind).reshape(request["shape"]))
    return None


def main():
    """Speaks the protocol."""
    serve("MLX", mx.__version__, "C++", read, write)


if __name__ == "__main__":
    main()
