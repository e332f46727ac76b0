"""Object arrays, hostile and good: each a payload in an NPY file, with the set that it fits or the status and byte of its refusal.

A case is made of parts; HERE stands before the byte that the refusal points to. Take status and byte from spec/objects.md, never
from what a decoder says. No payload here does harm where it is run: what could, is asked to print a word.
"""

import struct

HERE = object()
CASES = []

# Status, its rule: the order of the spec.
RULES = {
    "SNPY_PKL_TRUNCATED": "NPY-PKL-002", "SNPY_PKL_OPCODE": "NPY-PKL-003", "SNPY_PKL_PROTOCOL": "NPY-PKL-004",
    "SNPY_PKL_FRAME": "NPY-PKL-005", "SNPY_PKL_TRAILING": "NPY-PKL-006", "SNPY_PKL_STACK": "NPY-PKL-007",
    "SNPY_PKL_MEMO": "NPY-PKL-008", "SNPY_PKL_NUMBER": "NPY-PKL-009", "SNPY_PKL_TEXT": "NPY-PKL-010",
    "SNPY_PKL_GLOBAL": "NPY-PKL-011", "SNPY_PKL_NOT_DATA": "NPY-PKL-012", "SNPY_PKL_CALL": "NPY-PKL-013",
    "SNPY_PKL_STATE": "NPY-PKL-014", "SNPY_PKL_CONTAINER": "NPY-PKL-015", "SNPY_PKL_KEY": "NPY-PKL-016",
    "SNPY_PKL_DUPLICATE_KEY": "NPY-PKL-017", "SNPY_PKL_RAW_STRING": "NPY-PKL-018", "SNPY_PKL_DTYPE": "NPY-PKL-019",
    "SNPY_PKL_ARRAY": "NPY-PKL-020", "SNPY_PKL_RESULT": "NPY-PKL-021", "SNPY_PKL_HEADER": "NPY-PKL-022",
    "SNPY_PKL_TOO_MANY_NODES": "NPY-PKL-023", "SNPY_PKL_TOO_DEEP": "NPY-PKL-024", "SNPY_PKL_INTEGER_TOO_LONG": "NPY-PKL-025",
    "SNPY_PKL_TOO_MANY_BYTES": "NPY-PKL-026",
}

HEADER_TOTAL = 128


class Case:
    """One file: its data, and what a decoder says of it."""

    def __init__(self, name, parts, reason, status=None, fits=None, rules=(), options=None, header="()", descr="'|O'", order="False"):
        head = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {header}, }}".encode()
        text = head.ljust(HEADER_TOTAL - 11) + b"\n"
        self.prefix = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text
        where = parts.index(HERE) if HERE in parts else None
        self.payload = b"".join(part for part in parts if part is not HERE)
        self.data = self.prefix + self.payload
        self.id = ("reject/" if status else "accept/") + name
        self.reason, self.status, self.fits, self.options = reason, status and "SNPY_PKL_" + status, fits, options or {}
        self.offset = None if where is None else len(self.prefix) + sum(len(part) for part in parts[:where])
        self.rules = sorted({*rules, *([RULES[self.status]] if status else [])})
        assert (status is None) == (fits is not None) and (status is None) == (where is None), name


def refused(name, status, reason, *parts, **kept):
    CASES.append(Case(name, list(parts), reason, status=status, **kept))


def accepted(name, fits, reason, *parts, **kept):
    CASES.append(Case(name, list(parts), reason, fits=fits, **kept))


# --- pieces of payloads ------------------------------------------------------------------------------------

NO_SIZE = b"J\xff\xff\xff\xff"


def named(module, name):
    return b"c" + module.encode() + b"\n" + name.encode() + b"\n"


def text(value):
    data = value.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(data)) + data


def short(value):
    return b"C" + bytes([len(value)]) + value


def integer(value):
    return b"K" + bytes([value]) if 0 <= value < 256 else b"J" + struct.pack("<i", value)


def dtype(name, order="|", size=None, align=None, flags=0, sub=b"N", names=b"N", fields=b"N", last=b"", version=3):
    """The pickle of a dtype."""
    numbers = (integer(-1 if size is None else size), integer(-1 if align is None else align))
    return [named("numpy", "dtype"), text(name), b"\x89\x88\x87R", b"(", integer(version), text(order), sub, names, fields,
            *numbers, integer(flags), last, b"t", b"b"]


OBJECT = dtype("O8", flags=63)
FLOAT = dtype("f8", "<")
PROTO = b"\x80\x04"
MADE = named("numpy.core.multiarray", "_reconstruct") + named("numpy", "ndarray") + b"K\x00\x85" + short(b"b") + b"\x87R"


def array(*data, kind=None, shape=b")", order=b"\x89", made=MADE):
    """An array: its shape and dtype, then its data."""
    return [made, b"(K\x01", shape, *(kind or OBJECT), order, *data, b"t", b"b"]


def holding(*value):
    """A whole payload: an array without dimensions that holds a value."""
    return [PROTO, *array(b"]", *value, b"a"), b"."]


def at(parts, index):
    """The parts with HERE before one of them."""
    parts = list(parts)
    parts.insert(index if index >= 0 else len(parts) + index, HERE)
    return parts


def numbers(content, *kept, kind=None, shape=b"K\x02\x85", order=b"\x89"):
    """An array of floats inside the array, refused at its BUILD."""
    inner = array(content, kind=kind or FLOAT, shape=shape, order=order)
    return holding(*at(inner, -1))


# --- what scanners look for --------------------------------------------------------------------------------

DANGEROUS = """
posix.system os.system nt.system os.popen os.execv os.spawnv os.startfile os.remove os.putenv subprocess.Popen subprocess.call
subprocess.check_output subprocess.run subprocess.getoutput commands.getoutput popen2.popen3 pty.spawn platform.popen builtins.eval
builtins.exec builtins.compile builtins.open builtins.getattr builtins.setattr builtins.__import__ builtins.breakpoint builtins.input
builtins.type builtins.map builtins.globals builtins.memoryview __builtin__.eval __builtin__.apply __builtin__.execfile
__builtin__.file __builtin__.reduce runpy._run_code runpy.run_path runpy.run_module code.InteractiveInterpreter code.interact
codeop.compile_command importlib.import_module importlib.reload imp.load_source pkgutil.resolve_name pydoc.locate pydoc.pipepager
pickle.loads pickle.load _pickle.loads cPickle.loads marshal.loads shelve.open dill.loads joblib.load pandas.read_pickle numpy.load
types.CodeType types.FunctionType types.MethodType operator.attrgetter operator.methodcaller operator.itemgetter functools.partial
functools.reduce itertools.starmap webbrowser.open antigravity.geohash socket.create_connection socket.socket ssl.get_server_certificate
urllib.request.urlopen urllib.urlopen http.client.HTTPSConnection httplib.HTTPSConnection smtplib.SMTP ftplib.FTP telnetlib.Telnet
imaplib.IMAP4_stream requests.get shutil.rmtree shutil.copyfile tempfile.mktemp glob.glob linecache.getlines fileinput.input
io.open io.FileIO _io.FileIO codecs.open codecs.decode _codecs.decode _codecs.lookup zipimport.zipimporter ctypes.CDLL _ctypes.dlopen
cffi.FFI bdb.Bdb pdb.run cProfile.run profile.run trace.Trace timeit.timeit timeit.main doctest.debug_script unittest.main
idlelib.pyshell.ModifiedInterpreter lib2to3.pgen2.grammar.Grammar ensurepip._run_pip pip.main pip._internal.main venv.create
distutils.file_util.write_file distutils.spawn.spawn test.support.script_helper.assert_python_ok uuid._get_command_stdout
asyncio.unix_events._UnixSubprocessTransport multiprocessing.util.spawnv_passfds concurrent.futures.ProcessPoolExecutor
threading.Thread _thread.start_new_thread signal.raise_signal sys.exit sys.settrace gc.get_objects site.addpackage
logging.config.listen logging.config.dictConfig copyreg.add_extension copyreg.__newobj__ sqlite3.connect tkinter.Tcl
numpy.testing._private.utils.runstring numpy.f2py.crackfortran.myeval numpy.f2py.diagnose.run_command numpy.distutils.exec_command.exec_command
numpy.fromfile numpy.memmap numpy.lib.npyio.load numpy.core.multiarray.fromfile numpy.ma.core.MaskedConstant numpy.random._pickle.__randomstate_ctor
torch.load torch.hub.load torch.storage._load_from_bytes torch._utils._rebuild_tensor_v2 transformers.pipeline sklearn.tree._tree.Tree
scipy.sparse.csr_matrix pandas.core.frame.DataFrame keras.models.load_model __main__.Model collections.deque collections.Counter
array._array_reconstructor weakref.ref enum.Enum re._compile zoneinfo.ZoneInfo
""".split()


def globals_cases():
    """Every name that is not in the table is refused, whatever it would do."""
    for name in DANGEROUS:
        module, function = name.rsplit(".", 1)
        refused("global/" + name, "GLOBAL", f"{name} is not in the table of globals.",
                *holding(HERE, named(module, function), text("echo safenpy"), b"\x85R"))


DISGUISED = {
    "blank-behind": ("builtins", "set "), "blank-in-front": (" builtins", "set"), "carriage-return": ("builtins\r", "set\r"),
    "upper-case": ("Builtins", "Set"), "nul": ("builtins\0", "set"), "homoglyph": ("builtin\u0455", "set"), "no-name": ("builtins", ""),
    "no-module": ("", "set"), "dotted-globals": ("numpy.core.multiarray", "_reconstruct.__globals__"), "dotted-path": ("numpy", "core.multiarray.scalar"),
    "dotted-class": ("builtins", "set.__init__"), "class-method": ("collections", "OrderedDict.fromkeys"),
    "class-of-type": ("numpy", "dtype.__class__"), "read-text": ("pathlib", "Path.read_text"), "fromtimestamp": ("datetime", "datetime.fromtimestamp"),
    "module-pathlib-os": ("pathlib", "os"), "module-collections-sys": ("collections", "_sys"), "module-uuid-os": ("uuid", "os"),
    "module-ma-builtins": ("numpy.ma.core", "builtins"), "module-decimal": ("_pydecimal", "Decimal"), "abstract-path": ("pathlib", "Path"),
    "full-width": ("\uff42uiltins", "set"), "relative": (".builtins", "set"), "path-like": ("os/path", "system"),
    "python-2-in-4": ("__builtin__", "set"), "copy-reg-in-4": ("copy_reg", "_reconstructor"), "unicode-in-4": ("__builtin__", "unicode"),
}


def disguise_cases():
    """Names that look like one of the table, or lead from one elsewhere."""
    for name, (module, function) in DISGUISED.items():
        refused("disguise/" + name, "GLOBAL", "The name is none of the table, byte for byte.", *holding(HERE, named(module, function)))
        refused("disguise/stack-" + name, "GLOBAL", "The same by STACK_GLOBAL.", *holding(text(module), text(function), HERE, b"\x93"))
    memo = [text("os"), b"\x940", text("system"), b"\x940"]
    refused("stack-global/from-memo", "GLOBAL", "Both names come from the memo.",
            PROTO, *memo, *array(b"]", b"h\x00h\x01", HERE, b"\x93", text("echo safenpy"), b"\x85R", b"a"), b".")
    refused("stack-global/from-long-memo", "GLOBAL", "Both names come from the memo, by LONG_BINGET.",
            PROTO, *memo, *array(b"]", b"j\x00\x00\x00\x00j\x01\x00\x00\x00", HERE, b"\x93", b")R", b"a"), b".")
    refused("stack-global/decoy-popped", "GLOBAL", "A harmless name is pushed and popped in between.",
            *holding(text("builtins"), b"0", text("os"), text("set"), b"0", text("system"), HERE, b"\x93"))
    refused("stack-global/memo-reused", "MEMO", "An index is used twice, so that scanners take the first name.",
            *holding(text("set"), b"q\x05", text("eval"), HERE, b"q\x05"))
    refused("stack-global/bytes", "GLOBAL", "A name is bytes.", *holding(short(b"os"), short(b"system"), HERE, b"\x93"))
    refused("stack-global/old-strings", "GLOBAL", "A name is a string of Python 2.", *holding(b"U\x08builtins", b"U\x03set", HERE, b"\x93"))
    refused("stack-global/tuple", "GLOBAL", "A name is a tuple.", *holding(text("os"), text("system"), b"\x85", HERE, b"\x93"))
    refused("stack-global/long-string", "GLOBAL", "A name has a length of eight bytes.",
            *holding(text("os"), b"\x8d\x06\0\0\0\0\0\0\0system", HERE, b"\x93"))
    refused("stack-global/encoded", "GLOBAL", "A name is made by a call.",
            *holding(text("os"), named("_codecs", "encode"), text("system"), text("latin1"), b"\x86R", HERE, b"\x93"))
    refused("stack-global/one-name", "STACK", "One name is missing.", PROTO, text("os"), HERE, b"\x93", b".")
    accepted("stack-global/from-memo", "plain", "Names from the memo are names.",
             PROTO, text("builtins"), b"\x940", text("set"), b"\x940", *array(b"]", b"h\x00h\x01\x93]\x85R", b"a"), b".", rules=["NPY-PKL-011"])
    accepted("stack-global/python-2", "plain", "Python 2's name, under protocol 2.",
             b"\x80\x02", *array(b"]", named("__builtin__", "set"), b"]\x85R", b"a"), b".", rules=["NPY-PKL-011"])


# --- calls -------------------------------------------------------------------------------------------------

def call(module, name, *args):
    """A call, refused at its REDUCE."""
    return holding(named(module, name), b"(", *args, b"t", HERE, b"R")


def call_cases():
    """Calls that picklers do not write: of results, of values, with other arguments."""
    reconstruct = ("numpy.core.multiarray", "_reconstruct")
    nd = named("numpy", "ndarray")
    builtin = "builtins"
    deltas = named("datetime", "timedelta")
    forms = {
        "result": [MADE, b")", HERE, b"R"], "string": [text("system"), b")", HERE, b"R"],
        "tuple": [b")", b")", HERE, b"R"], "list-of-arguments": [named(builtin, "set"), b"]", HERE, b"R"],
        "nothing": [b"N", b")", HERE, b"R"], "chain": [named(builtin, "set"), b"]\x85R", b")", HERE, b"R"],
        "type-record": [named("numpy", "record"), b")", HERE, b"R"], "ndarray": [nd, b"K\x05\x85\x85", HERE, b"R"],
        "list-type": [named(builtin, "list"), b")", HERE, b"R"], "object": [named(builtin, "object"), b")", HERE, b"R"],
        "masked-array": [named("numpy.ma", "MaskedArray"), b"]\x85", HERE, b"R"],
        "newobj-set": [named(builtin, "set"), b")", HERE, b"\x81"], "newobj-ndarray": [nd, b"K\x05\x85\x85", HERE, b"\x81"],
        "newobj-uuid-arguments": [named("uuid", "UUID"), text("x"), b"\x85", HERE, b"\x81"],
        "newobj-string": [text("x"), b")", HERE, b"\x81"], "newobj-dtype": [named("numpy", "dtype"), b")", HERE, b"\x81"],
    }
    for name, parts in forms.items():
        refused("call/" + name, "CALL", "No such call is in the table.", *holding(*parts))
    arguments = {
        "reconstruct-other-class": (*reconstruct, named(builtin, "set"), b"K\x00\x85", short(b"b")),
        "reconstruct-large": (*reconstruct, nd, b"J\xff\xff\xff\x7f\x85", short(b"b")),
        "reconstruct-code": (*reconstruct, nd, b"K\x00\x85", short(b"O")), "reconstruct-two": (*reconstruct, nd, b"K\x00\x85"),
        "reconstruct-string": (*reconstruct, text("ndarray"), b"K\x00\x85", short(b"b")),
        "reconstruct-list": (*reconstruct, nd, b"]", short(b"b")),
        "scalar-object": ("numpy.core.multiarray", "scalar", *OBJECT, short(b"\x10" * 8)),
        "scalar-no-state": ("numpy.core.multiarray", "scalar", named("numpy", "dtype") + text("f8") + b"\x89\x88\x87R", short(b"\0" * 8)),
        "scalar-string": ("numpy.core.multiarray", "scalar", text("f8"), short(b"\0" * 8)),
        "dtype-comma": ("numpy", "dtype", text("i4,i4"), b"\x89", b"\x88"), "dtype-dictionary": ("numpy", "dtype", b"}", b"\x89", b"\x88"),
        "dtype-list": ("numpy", "dtype", b"]", b"\x89", b"\x88"), "dtype-no-copy": ("numpy", "dtype", text("f8"), b"\x89", b"\x89"),
        "dtype-align": ("numpy", "dtype", text("V4"), b"\x88", b"\x88"), "dtype-class": ("numpy", "dtype", nd, b"\x89", b"\x88"),
        "dtype-name": ("numpy", "dtype", text("float64"), b"\x89", b"\x88"), "dtype-platform": ("numpy", "dtype", text("f12"), b"\x89", b"\x88"),
        "frombuffer-object": ("numpy.core.numeric", "_frombuffer", short(b"\x10" * 8), *OBJECT, b"K\x01\x85", text("C")),
        "frombuffer-order": ("numpy.core.numeric", "_frombuffer", short(b"\x10" * 8), *FLOAT, b"K\x01\x85", text("K")),
        "frombuffer-array": ("numpy.core.numeric", "_frombuffer", MADE, *FLOAT, b"K\x01\x85", text("C")),
        "encode-rot13": ("_codecs", "encode", text("x"), text("rot13")), "encode-zip": ("_codecs", "encode", text("x"), text("zip")),
        "encode-high": ("_codecs", "encode", text("\u0100"), text("latin1")), "encode-bytes": ("_codecs", "encode", short(b"x"), text("latin1")),
        "encode-errors": ("_codecs", "encode", text("x"), text("latin1"), text("x")),
        "bytes-count": (builtin, "bytes", b"J\xff\xff\xff\x7f"), "bytearray-count": (builtin, "bytearray", b"J\xff\xff\xff\x7f"),
        "complex-text": (builtin, "complex", text("1"), text("2")), "complex-one": (builtin, "complex", b"G" + bytes(8)),
        "set-string": (builtin, "set", text("abc")), "frozenset-tuple": (builtin, "frozenset", b")"), "range-zero": (builtin, "range", b"K\0", b"K\1", b"K\0"),
        "range-two": (builtin, "range", b"K\0", b"K\1"), "slice-list": (builtin, "slice", b"]", b"N", b"N"),
        "str": (builtin, "str", short(b"x"), text("utf-8")), "int": (builtin, "int", text("7")), "dict": (builtin, "dict", b"]"),
        "date-numbers": ("datetime", "date", b"M\xe4\x07", b"K\1", b"K\1"), "date-month": ("datetime", "date", short(b"\x07\xe4\x0d\x01")),
        "date-day": ("datetime", "date", short(b"\x07\xe5\x02\x1d")), "date-year": ("datetime", "date", short(b"\0\0\1\1")),
        "date-length": ("datetime", "date", short(b"\x07\xe4\1\1\1")), "datetime-hour": ("datetime", "datetime", short(b"\x07\xe4\1\1\x18\0\0\0\0\0")),
        "datetime-micro": ("datetime", "datetime", short(b"\x07\xe4\1\1\0\0\0\x0f\x42\x40")),
        "datetime-zone": ("datetime", "datetime", short(b"\x07\xe4\1\1\0\0\0\0\0\0"), text("UTC")),
        "time-minute": ("datetime", "time", short(b"\0\x3c\0\0\0\0")), "timedelta-seconds": ("datetime", "timedelta", b"K\0", b"J\x80\x51\1\0", b"K\0"),
        "timedelta-days": ("datetime", "timedelta", b"J\xff\xff\xff\x7f", b"K\0", b"K\0"),
        "timezone-day": ("datetime", "timezone", deltas + b"(K\1K\0K\0tR"), "timezone-number": ("datetime", "timezone", b"K\1"),
        "decimal-tuple": ("decimal", "Decimal", b"K\0K\1\x85K\2\x87"), "decimal-underscore": ("decimal", "Decimal", text("1_0")),
        "decimal-exponent": ("decimal", "Decimal", text("1E+9999999999")), "decimal-blank": ("decimal", "Decimal", text(" 1")),
        "fraction-zero": ("fractions", "Fraction", text("1/0")), "fraction-decimal": ("fractions", "Fraction", text("1.5")),
        "fraction-negative": ("fractions", "Fraction", b"K\1", NO_SIZE), "fraction-float": ("fractions", "Fraction", b"G" + bytes(8)),
        "ordered-tuples": ("collections", "OrderedDict", b"]", b"K\1K\2\x86a"), "ordered-dictionary": ("collections", "OrderedDict", b"}"),
        "defaultdict-instance": ("collections", "defaultdict", text("list")), "defaultdict-encode": ("collections", "defaultdict", named("_codecs", "encode")),
        "defaultdict-ndarray": ("collections", "defaultdict", nd), "defaultdict-object": ("collections", "defaultdict", named(builtin, "object")),
        "defaultdict-two": ("collections", "defaultdict", named(builtin, "list"), b"]"),
        "struct-time-ten": ("time", "struct_time", b"(" + b"K\1" * 10 + b"t", b"}"), "struct-time-name": ("time", "struct_time", b"(" + b"K\1" * 9 + b"t", b"}" + text("x") + b"Ns"),
        "path-slash": ("pathlib", "PosixPath", text("a"), text("b/c")), "path-dot": ("pathlib", "PosixPath", text("a/./b")),
        "path-double": ("pathlib", "PosixPath", text("a//b")), "path-bytes": ("pathlib", "PosixPath", short(b"a")), "path-empty": ("pathlib", "PurePosixPath", text("")),
        "path-end": ("pathlib._local", "PurePosixPath", text("a/")), "path-stream": ("pathlib", "PureWindowsPath", text("a"), text("b:c")),
        "uuid-text": ("uuid", "UUID", text("12345678123456781234567812345678")),
        "reconstructor-list": ("copyreg", "_reconstructor", named(builtin, "list"), named(builtin, "object"), b"N"),
        "reconstructor-ndarray": ("copyreg", "_reconstructor", nd, named(builtin, "object"), b"N"),
        "reconstructor-base": ("copyreg", "_reconstructor", named("uuid", "UUID"), named(builtin, "list"), b"]"),
        "mareconstruct-base": ("numpy.ma.core", "_mareconstruct", named("numpy.ma", "MaskedArray"), named("numpy", "matrix"), b"K\0\x85", text("b")),
        "stringdtype-missing": ("numpy._core._internal", "_convert_to_stringdtype_kwargs", b"K\1", b"]"),
    }
    for name, (module, function, *args) in arguments.items():
        refused("call/" + name, "CALL", f"{module}.{function} has no such arguments.", *call(module, function, *args))


# --- the machine -------------------------------------------------------------------------------------------

def machine_cases():
    """Opcodes, protocols, frames, tails, stack and memo."""
    others = {
        "inst": b"ios\nsystem\n", "obj": b"o", "newobj-ex": b"\x92", "ext1": b"\x82\x01", "ext2": b"\x83\x01\x00", "ext4": b"\x84\x01\x00\x00\x00",
        "persid": b"Pid\n", "binpersid": b"Q", "next-buffer": b"\x97", "readonly-buffer": b"\x98", "dup": b"2", "nul": b"\0", "ff": b"\xff",
        "line-feed": b"\n", "blank": b" ", "after-last": b"\x99"}
    for name, code in others.items():
        refused("opcode/" + name, "OPCODE", "No pickler writes this opcode for values.", *holding(b"(", text("x"), HERE, code))
    refused("opcode/inst-first", "OPCODE", "The oldest way to call, at the payload's beginning.", b"(", text("echo safenpy"), HERE, b"ios\nsystem\n.")
    refused("opcode/obj-first", "OPCODE", "OBJ calls what stands above the mark.", b"(", named("builtins", "set"), HERE, b"o.")
    refused("opcode/buffer-out-of-band", "OPCODE", "The bytes of the buffer are elsewhere.", *holding(HERE, b"\x97"))
    whole = holding(b"N")
    refused("protocol/twice", "PROTOCOL", "PROTO stands at the beginning only.", PROTO, HERE, *whole)
    refused("protocol/inside", "PROTOCOL", "PROTO stands at the beginning only.", *holding(HERE, b"\x80\x02N"))
    for version in (0, 1, 6, 255):
        refused(f"protocol/{version}", "PROTOCOL", "Protocols with a PROTO are 2 to 5.", HERE, b"\x80" + bytes([version]), *whole[1:])
    accepted("protocol/none", "data", "Protocols 0 and 1 have no PROTO.", *whole[1:], rules=["NPY-PKL-004"])
    accepted("protocol/5", "data", "Protocol 5.", b"\x80\x05", *whole[1:], rules=["NPY-PKL-004"])
    body = b"".join(whole[1:])
    frame = b"\x95" + struct.pack("<Q", len(body))
    accepted("frame/whole", "data", "A frame to the end.", PROTO, frame, body, rules=["NPY-PKL-005"])
    half = len(whole[1])
    accepted("frame/two", "data", "A frame ends where an opcode does, and another one follows.", PROTO, b"\x95" + struct.pack("<Q", half), body[:half],
             b"\x95" + struct.pack("<Q", len(body) - half), body[half:], rules=["NPY-PKL-005"])
    refused("frame/too-long", "TRUNCATED", "The frame ends after the payload.", PROTO, b"\x95" + struct.pack("<Q", len(body) + 1), body, HERE)
    refused("frame/huge", "TRUNCATED", "A frame of 2^63 bytes.", PROTO, b"\x95" + struct.pack("<Q", 2**63), body, HERE)
    refused("frame/crossed", "FRAME", "An opcode crosses the frame's end.", PROTO, b"\x95" + struct.pack("<Q", 5), HERE, body)
    refused("frame/nested", "FRAME", "A frame begins in another one.", PROTO, b"\x95" + struct.pack("<Q", len(body) + 9), HERE, frame, body)
    refused("frame/empty", "FRAME", "A frame of no bytes.", PROTO, HERE, b"\x95" + bytes(8), body)
    refused("frame/tail", "FRAME", "The frame goes on after STOP.", PROTO, b"\x95" + struct.pack("<Q", len(body) + 1), *at([body[:-1], b".", b"N"], 1))
    refused("tail/no-stop", "TRUNCATED", "The payload has no STOP.", *whole[:-1], HERE)
    refused("tail/no-stop-after-call", "GLOBAL", "What is broken later has run before.", HERE, named("os", "system"), text("echo safenpy"), b"\x85R")
    refused("tail/second-pickle", "TRAILING", "A second pickle follows.", *whole, HERE, b"N.")
    refused("tail/zero", "TRAILING", "A byte follows STOP.", *whole, HERE, b"\0")
    refused("tail/zip", "TRAILING", "A ZIP archive follows: both NPY and ZIP.", *whole, HERE, b"PK\x05\x06" + bytes(18))
    refused("tail/npy", "TRAILING", "An NPY file follows.", *whole, HERE, b"\x93NUMPY\x01\x00")
    refused("tail/zip-first", "OPCODE", "The payload is a ZIP archive.", HERE, b"PK\x05\x06" + bytes(18) + b"\n.")
    refused("tail/gzip", "OPCODE", "The payload is gzip.", HERE, b"\x1f\x8b\x08" + bytes(20))
    refused("tail/npy-in-payload", "STACK", "The payload is an NPY file.", HERE, b"\x93NUMPY\x01\x00.")
    refused("tail/text", "OPCODE", "The payload is a Git LFS pointer.", HERE, b"version https://git-lfs.github.com/spec/v1\n")
    accepted("tail/archive-in-bytes", "data", "Bytes may hold anything.", *holding(short(b"PK\x05\x06" + bytes(18))), rules=["NPY-PKL-006"])
    for name, parts in {
        "append-empty": [HERE, b"a"], "appends-no-mark": [b"]N", HERE, b"e"], "tuple2-one": [b"N", HERE, b"\x86"], "reduce-one": [b")", HERE, b"R"],
        "build-none": [HERE, b"b"], "setitem-one": [b"}N", HERE, b"s"], "pop-empty": [HERE, b"0"], "tuple-no-mark": [b"N", HERE, b"t"],
        "pop-mark-none": [b"N", HERE, b"1"], "stop-empty": [HERE], "stop-two": [b"NN", HERE], "stop-mark": [b"(", HERE], "put-empty": [HERE, b"\x94"],
        "mark-as-value": [b"](", HERE, b"a"], "put-mark": [b"(", HERE, b"q\0"], "stop-mark-below": [b"(N", HERE], "dict-odd": [b"(N", HERE, b"d"],
        "setitems-odd": [b"}(NNN", HERE, b"u"], "reduce-mark": [b"(", HERE, b"R"],
    }.items():
        refused("stack/" + name, "STACK", "The stack does not hold what the opcode takes.", PROTO, *parts, b".")
    for name, parts in {
        "get-unset": [HERE, b"h\0"], "get-later": [HERE, b"h\1", b"N\x94"], "long-get-unset": [HERE, b"j\xff\xff\xff\xff"], "put-twice": [b"Nq\0", HERE, b"q\0"],
        "memoize-taken": [b"Nq\x010N", HERE, b"\x94"], "put-huge": [b"N", HERE, b"r\xff\xff\xff\xff"], "put-large": [b"N", HERE, b"q\xff"],
        "text-get-sign": [b"Np0\n", HERE, b"g+0\n"], "text-get-blank": [b"Np0\n", HERE, b"g 0\n"], "text-get-zeros": [b"Np0\n", HERE, b"g00\n"],
        "text-put-negative": [b"N", HERE, b"p-1\n"], "text-put-hex": [b"N", HERE, b"p0x1\n"], "text-get-empty": [HERE, b"g\n"],
        "text-put-long": [b"N", HERE, b"p99999999999999999999\n"],
    }.items():
        refused("memo/" + name, "MEMO", "An index is set once, before it is used, and less than the payload's length.", PROTO, *parts, b".")
    accepted("memo/gap", "data", "Indices may leave gaps: pickletools.optimize and protocol 0.", *holding(b"Nq\x09h\x09\x860", b"N"), rules=["NPY-PKL-008"])
    accepted("stack/popped", "data", "What is popped is no part of the result.", PROTO, b"N0(NN1", *whole[1:], rules=["NPY-PKL-007"])


def value_cases():
    """Counts, numbers, strings."""
    for name, parts in {
        "unicode8": b"\x8d" + struct.pack("<Q", 2**60), "bytes8": b"\x8e" + struct.pack("<Q", 2**62), "bytearray8": b"\x96" + struct.pack("<Q", 2**63 - 1),
        "bytes8-all-ones": b"\x8e" + b"\xff" * 8, "unicode": b"X\xff\xff\xff\xff", "bytes": b"B\xff\xff\xff\xff", "long4": b"\x8b\xff\xff\xff\x7f",
        "string": b"T\xff\xff\xff\x7f", "short-unicode": b"\x8c\xff", "short-bytes": b"C\xff", "long1": b"\x8a\xff", "short-string": b"U\xff",
        "float": b"G\0", "int": b"J\0", "frame": b"\x95\0", "line": b"V", "global": b"cos\nsys", "int-line": b"I1", "get": b"j\0",
    }.items():
        refused("truncated/" + name, "TRUNCATED", "The payload does not hold as many bytes.", PROTO, parts, HERE)
    for name, parts in {
        "int-empty": b"I\n", "int-plus": b"I+1\n", "int-zeros": b"I01x\n", "int-hex": b"I0x10\n", "int-underscore": b"I1_0\n", "int-blank": b"I 1\n",
        "int-minus-zero": b"I-0\n", "int-leading": b"I007\n", "int-octal": b"I0o7\n", "long-no-l": b"L1\n", "long-two-l": b"L1LL\n", "long4-negative": b"\x8b\xff\xff\xff\xff",
        "float-hex": b"F0x1p3\n", "float-empty": b"F\n", "float-underscore": b"F1_0.0\n", "float-infinity": b"Finfinity\n", "float-nan-payload": b"Fnan(1)\n",
        "float-long": b"F" + b"1" * 33 + b"\n", "int-nul": b"I1\0\n", "float-comma": b"F1,5\n", "int-arabic": "I\u0661\n".encode(),
    }.items():
        refused("number/" + name, "NUMBER", "Python writes numbers another way.", *holding(HERE, parts))
    for name, parts in {
        "utf8-overlong": b"X\x02\0\0\0\xc0\x80", "utf8-cut": b"X\x01\0\0\0\xe4", "utf8-large": b"X\x04\0\0\0\xf4\x90\x80\x80", "utf8-tail": b"\x8c\x01\x80",
        "unicode-escape": b"V\\n\n", "unicode-short": b"V\\u12\n", "unicode-large": b"V\\U00110000\n", "string-open": b"S'a\n", "string-bare": b"Sa\n",
        "string-escape": b"S'\\q'\n", "string-octal": b"S'\\101'\n", "string-quote": b"S'a'b'\n", "string-negative": b"T\xff\xff\xff\xff", "string-empty": b"S\n",
        "string-cut": b"S'\\x4'\n", "unicode-tail": b"V\\\n",
    }.items():
        refused("text/" + name, "TEXT", "The string is not spelt as Python spells it.", *holding(HERE, parts))
    accepted("number/longest", "data", "An integer of 4,096 bytes.", *holding(b"\x8b\0\x10\0\0" + b"\xff" * 4095 + b"\x7f"), rules=["NPY-PKL-025"])
    accepted("number/4300-digits", "data", "An integer of 4,300 digits.", *holding(b"L" + b"9" * 4300 + b"L\n"), rules=["NPY-PKL-025"])
    accepted("number/padded", "data", "LONG1 may have more bytes than it needs.", *holding(b"\x8a\x03\1\0\0"), rules=["NPY-PKL-009"])
    accepted("text/surrogates", "data", "Lone surrogates.", *holding(text("\ud800\udfff")), rules=["NPY-PKL-010"])
    refused("limit/integer", "INTEGER_TOO_LONG", "An integer of 4,097 bytes.", *holding(HERE, b"\x8b\1\x10\0\0" + b"\xff" * 4096 + b"\x7f"))
    refused("limit/digits", "INTEGER_TOO_LONG", "An integer of 4,301 digits.", *holding(HERE, b"L" + b"9" * 4301 + b"L\n"))
    deep = b"]" * 999
    accepted("limit/depth-1000", "data", "1,000 containers in one another.", *holding(deep, b"a" * 998), rules=["NPY-PKL-024"])
    inner = [b"]" * 999, HERE, b"]", b"N", b"a" * 1000]
    refused("limit/depth-1001", "TOO_DEEP", "1,001 containers in one another.", *holding(*inner))
    refused("limit/nodes", "TOO_MANY_NODES", "More nodes than are allowed.", PROTO, b"(NN", HERE, b"t.", options={"nodes": 2})
    refused("limit/bytes", "TOO_MANY_BYTES", "More bytes than are allowed.", PROTO, b"(", text("abc"), HERE, text("d"), b"t.", options={"decoded_bytes": 3})
    billion = b"".join(b"(" + b"h" + bytes([level]) + b"h" + bytes([level]) + b"l\x94" for level in range(40))
    accepted("limit/laughs", "data", "Each list holds the one before twice: they are references.",
             PROTO, b"(", b"]\x94", billion, b"1", *array(b"]", b"h\x28", b"a"), b".", rules=["NPY-PKL-027"])


def container_cases():
    """Members, keys, states."""
    one = b"K\x01"
    for name, parts in {
        "append-tuple": [b")N", HERE, b"a"], "append-dict": [b"}N", HERE, b"a"], "append-string": [text("x") + b"N", HERE, b"a"], "append-set": [b"\x8fN", HERE, b"a"],
        "append-array": [MADE + b"N", HERE, b"a"], "append-global": [named("builtins", "list") + b"N", HERE, b"a"], "appends-bytearray": [named("builtins", "bytearray") + b")R(K\x01", HERE, b"e"],
        "setitem-list": [b"]K\0N", HERE, b"s"], "setitem-array": [MADE + b"K\0N", HERE, b"s"], "setitem-global": [named("collections", "OrderedDict") + text("x") + b"N", HERE, b"s"],
        "additems-list": [b"](N", HERE, b"\x90"], "additems-dict": [b"}(N", HERE, b"\x90"], "additems-frozenset": [b"(\x91(N", HERE, b"\x90"],
        "setitems-dtype": [*OBJECT, b"(NN", HERE, b"u"], "append-scalar": [named("numpy.core.multiarray", "scalar"), *FLOAT, short(bytes(8)), b"\x86RN", HERE, b"a"],
    }.items():
        refused("container/" + name, "CONTAINER", "The opcode is for another container.", *holding(*parts))
    for name, parts in {
        "dict-of-uuid": [named("uuid", "UUID"), b")\x81}\x94", text("int"), b"K\5sb", b"h\0", text("is_safe"), b"K\0", HERE, b"s\x86"],
        "dict-of-struct-time": [named("time", "struct_time"), b"(" + b"K\1" * 9 + b"t", b"}\x94\x86R", b"h\0(", text("tm_gmtoff"), b"K\5", HERE, b"u\x86"],
    }.items():
        refused("container/" + name, "CONTAINER", "The call took the dictionary as it was.", *holding(*parts))
    zone = named("datetime", "timezone") + named("datetime", "timedelta") + b"K\0K\0K\0\x87R\x85R"
    aware = named("datetime", "datetime") + short(b"\x07\xe4\1\1\0\0\0\0\0\0") + zone + b"\x86R"
    for name, key in {"list": b"]", "dict": b"}", "set": b"\x8f", "bytearray": named("builtins", "bytearray") + b")R", "array": b"".join(array(b"]Na")),
                      "tuple-of-list": b"]\x85", "slice": named("builtins", "slice") + b"NNN\x87R", "aware": aware, "dtype": b"".join(FLOAT), "global": named("builtins", "list"),
                      "frozenset": b"(\x91", "decimal": named("decimal", "Decimal") + text("1") + b"\x85R", "long-double": named("numpy.core.multiarray", "scalar") + b"".join(dtype("f16", "<")) + short(bytes(16)) + b"\x86R",
                      "uuid-unbuilt": named("uuid", "UUID") + b")\x81"}.items():
        refused("key/" + name, "KEY", "The key is unhashable, or its equality is not defined here.", *holding(b"}", key, b"N", HERE, b"s"))
        refused("key/set-" + name, "KEY", "The same as a member of a set.", *holding(b"\x8f(", key, HERE, b"\x90"))
    scalar = named("numpy.core.multiarray", "scalar")
    number = scalar + b"".join(dtype("i8", "<")) + short(b"\1" + bytes(7)) + b"\x86R"
    nan = b"G" + struct.pack(">d", float("nan"))
    for name, (first, second) in {
        "same": (text("a"), text("a")), "int-true": (one, b"\x88"), "int-float": (one, b"G" + struct.pack(">d", 1.0)), "false-zero": (b"\x89", b"K\0"),
        "minus-zero": (b"G" + struct.pack(">d", 0.0), b"G" + struct.pack(">d", -0.0)), "complex": (one, named("builtins", "complex") + (b"G" + struct.pack(">d", 1.0)) + (b"G" + bytes(8)) + b"\x86R"),
        "numpy": (one, number), "numpy-text": (text("a"), scalar + b"".join(dtype("U1", "<", 4, 4, 8)) + short(b"a\0\0\0") + b"\x86R"), "nan": (nan, nan),
        "tuple": (b"K\1\x85", b"\x88\x85"), "old-string": (text("a"), b"U\1a"), "bytes": (short(b"a"), short(b"a")), "none": (b"N", b"N"),
        "large": (b"\x8a\x09" + bytes(8) + b"\1", b"G" + struct.pack(">d", 2.0**64)),
        "fold": (named("datetime", "datetime") + short(b"\x07\xe4\1\1\0\0\0\0\0\0") + b"\x85R", named("datetime", "datetime") + short(b"\x07\xe4\x81\1\0\0\0\0\0\0") + b"\x85R"),
    }.items():
        refused("duplicate/" + name, "DUPLICATE_KEY", "Python finds the keys equal.", *holding(b"}(", first, b"N", second, b"N", HERE, b"u"))
    refused("duplicate/set", "DUPLICATE_KEY", "Python finds the members equal.", *holding(b"\x8f(", one, b"\x88", HERE, b"\x90"))
    refused("duplicate/frozenset", "DUPLICATE_KEY", "Python finds the members equal.", *holding(b"(", one, one, HERE, b"\x91"))
    refused("duplicate/ordered", "DUPLICATE_KEY", "A key is set twice.", *holding(named("collections", "OrderedDict"), b")R", one, b"Ns", one, b"N", HERE, b"s"))
    refused("duplicate/dict-opcode", "DUPLICATE_KEY", "Python finds the keys equal.", *holding(b"(", one, b"N", one, b"N", HERE, b"d"))
    accepted("duplicate/different", "data", "Keys that look alike.", *holding(b"}(", text("1"), b"N", short(b"1"), b"N", one, b"N", one, b"\x85", b"N", b"u"), rules=["NPY-PKL-017"])
    deep_key = b")" + b"\x85" * 63
    accepted("key/64-tuples", "data", "A key of 64 tuples in one another.", *holding(b"}", deep_key, b"Ns"), rules=["NPY-PKL-016"])
    refused("key/65-tuples", "KEY", "A key of 66 tuples in one another.", *holding(b"}", deep_key + b"\x85\x85", b"N", HERE, b"s"))
    doubled = b")" + b"".join(b"q" + bytes([level]) + b"h" + bytes([level]) + b"\x86" for level in range(60))
    refused("key/doubled", "KEY", "A key that expands to 2^60 tuples.", *holding(b"}", doubled, b"N", HERE, b"s"))
    refused("limit/set-again", "TOO_MANY_NODES", "The members of a list that is made a set again and again count each time.",
            PROTO, b"(](K\0K\1K\2K\3e\x940", named("builtins", "set"), b"h\0\x85RN", named("builtins", "set"), b"h\0\x85", HERE, b"Rt.", options={"nodes": 20})
    accepted("key/kinds", "data", "Keys of each kind.", *holding(b"}(", b"N", b"N", number, b"N", text("a"), b"N", short(b"a"), b"N", b")", b"N", b"u"), rules=["NPY-PKL-016"])
    accepted("container/cycle", "data", "A list in itself.", *holding(b"]\x94h\0a"), rules=["NPY-PKL-015"])
    accepted("container/snapshot", "plain", "A set has what its list held at the call.", *holding(b"]\x94", one, b"a0", named("builtins", "set"), b"h\0\x85R\x94" + b"h\0K\x02a0"), rules=["NPY-PKL-015"])
    attributes = b"}" + text("__setstate__") + b"Ns"
    for name, parts in {
        "list": [b"]}", HERE, b"b"], "dict": [b"}}", HERE, b"b"], "ordered-setstate": [named("collections", "OrderedDict") + b")R", attributes, HERE, b"b"],
        "slots": [named("collections", "OrderedDict") + b")R", b"N", attributes, b"\x86", HERE, b"b"], "array-dict": [MADE, attributes, HERE, b"b"],
        "array-slots": [MADE, b"N", attributes, b"\x86", HERE, b"b"], "string": [text("x"), b"}", HERE, b"b"], "global": [named("builtins", "set"), b"}", HERE, b"b"],
        "array-twice": [*array(b"]Na"), b"(K\1)", *OBJECT, b"\x89]Nat", HERE, b"b"], "dtype-twice": [*FLOAT, b"(K\3", text("<"), b"NNN", NO_SIZE, NO_SIZE, b"K\0t", HERE, b"b"],
        "array-four": [MADE, b"()", *OBJECT, b"\x89]Nat", HERE, b"b"], "array-version": [MADE, b"(K\2)", *OBJECT, b"\x89]Nat", HERE, b"b"],
        "array-six": [MADE, b"(K\1)", *OBJECT, b"\x89]NaNt", HERE, b"b"], "array-list": [MADE, b"]", HERE, b"b"], "array-tuple-of-objects": [MADE, b"(K\1)", *OBJECT, b"\x89N\x85t", HERE, b"b"],
        "array-dtype-name": [MADE, b"(K\1)", text("O"), b"\x89]Nat", HERE, b"b"], "array-text": [MADE, b"(K\1K\1\x85", *FLOAT, b"\x89", text("12345678"), b"t", HERE, b"b"],
        "array-negative": [MADE, b"(K\1", NO_SIZE, b"\x85", *OBJECT, b"\x89]t", HERE, b"b"], "array-65-dimensions": [MADE, b"(K\1(" + b"K\1" * 65 + b"t", *OBJECT, b"\x89]Nat", HERE, b"b"],
        "array-subarray": [MADE, b"(K\1K\1\x85", *dtype("V16", size=16, align=8, sub=b"".join(FLOAT) + b"K\2\x85\x86"), b"\x89", short(bytes(16)), b"t", HERE, b"b"],
        "masked-five": [named("numpy.ma.core", "_mareconstruct"), b"(", named("numpy.ma", "MaskedArray"), named("numpy", "ndarray"), b"K\0\x85", text("b"), b"tR", b"(K\1K\1\x85", *FLOAT, b"\x89", short(bytes(8)), b"t", HERE, b"b"],
        "dtype-seven": [named("numpy", "dtype"), text("f8"), b"\x89\x88\x87R(K\3", text("<"), b"NNN", NO_SIZE, NO_SIZE, b"t", HERE, b"b"],
        "dtype-version": [named("numpy", "dtype"), text("f8"), b"\x89\x88\x87R(K\2", text("<"), b"NNN", NO_SIZE, NO_SIZE, b"K\0t", HERE, b"b"],
        "dtype-metadata": [named("numpy", "dtype"), text("f8"), b"\x89\x88\x87R(K\4", text("<"), b"NNN", NO_SIZE, NO_SIZE, b"K\0}t", HERE, b"b"],
        "uuid-attributes": [named("uuid", "UUID"), b")\x81}", text("int"), b"K\1s", text("x"), b"Ns", HERE, b"b"], "uuid-large": [named("uuid", "UUID"), b")\x81}", text("int"), b"\x8a\x12" + bytes(16) + b"\1\0", b"s", HERE, b"b"],
        "uuid-tuple": [named("uuid", "UUID"), b")\x81)", HERE, b"b"], "scalar": [named("numpy.core.multiarray", "scalar"), *FLOAT, short(bytes(8)), b"\x86R}", HERE, b"b"],
    }.items():
        refused("state/" + name, "STATE", "BUILD is for the listed states only.", *holding(*parts))


def array_cases():
    """Inner dtypes and arrays, results, headers."""
    def bad(*args, **kept):
        return at(dtype(*args, **kept), -1)

    float_field = b"".join(FLOAT)
    pair = b"".join([text("a"), text("b"), b"\x86"])

    def table(first, second, extra=b""):
        return b"}(" + text("a") + float_field + integer(first) + b"\x86" + text("b") + float_field + integer(second) + b"\x86" + extra + b"u"

    def unit(name, count=1):
        return b"}(" + short(name) + integer(count) + b"K\1K\1t\x86"

    for name, parts in {
        "object-flags": bad("O8", flags=0), "float-flags": bad("f8", "<", flags=63), "float-order": bad("f8", "|"), "native-order": bad("f8", "="),
        "byte-order": bad("i1", "<"), "object-order": bad("O8", "<", flags=63), "float-size": bad("f8", "<", size=4), "float-align": bad("f8", "<", align=8),
        "string-size": bad("S5", size=6, align=1), "unicode-size": bad("U5", "<", size=5, align=4, flags=8), "unicode-flags": bad("U5", "<", size=20, align=4),
        "void-align": bad("V4", size=4, align=3), "negative-size": bad("S1", size=-1, align=1), "fields-of-float": bad("f8", "<", names=pair, fields=table(0, 8)),
        "overlap": bad("V16", size=16, align=1, flags=16, names=pair, fields=table(0, 4)), "outside": bad("V16", size=16, align=1, flags=16, names=pair, fields=table(0, 9)),
        "negative-offset": bad("V16", size=16, align=1, flags=16, names=pair, fields=table(-1, 8)), "order": bad("V16", size=16, align=1, flags=16, names=pair, fields=table(8, 0)),
        "missing-field": bad("V16", size=16, align=1, flags=16, names=pair, fields=b"}" + text("a") + float_field + b"K\0\x86s"),
        "more-fields": bad("V16", size=16, align=1, flags=16, names=pair, fields=table(0, 8, text("c") + float_field + b"K\0\x86")),
        "same-name": bad("V16", size=16, align=1, flags=16, names=text("a") * 2 + b"\x86", fields=table(0, 8)),
        "field-no-dtype": bad("V16", size=16, align=1, flags=16, names=text("a") + b"\x85", fields=b"}" + text("a") + text("f8") + b"K\0\x86s"),
        "record-flags": bad("V16", size=16, align=1, flags=63, names=pair, fields=table(0, 8)), "title-elsewhere": bad("V16", size=16, align=1, flags=16, names=pair, fields=table(0, 8, text("t") + float_field + b"K\0\x86")),
        "subarray-size": bad("V16", size=16, align=8, sub=float_field + b"K\3\x85\x86"), "subarray-negative": bad("V16", size=16, align=8, sub=float_field + NO_SIZE + b"\x85\x86"),
        "subarray-no-shape": bad("V8", size=8, align=8, sub=float_field + b")\x86"), "subarray-65": bad("V8", size=8, align=8, sub=float_field + b"(" + b"K\1" * 65 + b"t\x86"),
        "subarray-and-fields": bad("V16", size=16, align=1, sub=float_field + b"K\2\x85\x86", names=pair, fields=table(0, 8), flags=16),
        "unit": bad("M8", "<", version=4, last=unit(b"fortnight")), "unit-zero": bad("M8", "<", version=4, last=unit(b"s", 0)), "unit-generic": bad("m8", "<", version=4, last=unit(b"generic", 2)),
        "metadata": bad("M8", "<", version=4, last=b"}" + text("x") + b"Ns" + b"(" + short(b"s") + b"K\1K\1K\1t\x86"),
    }.items():
        refused("dtype/" + name, "DTYPE", "No dtype has such a state.", *holding(*parts))
    def double(level):
        """A record of two fields of the level before, which the memo keeps; without its BUILD."""
        size, offset = (b"J" + struct.pack("<i", count << level) for count in (16, 8))
        inner = b"h" + bytes([level])
        fields = b"}(" + text("a") + inner + b"K\0\x86" + text("b") + inner + offset + b"\x86u"
        return named("numpy", "dtype") + text(f"V{16 << level}") + b"\x89\x88\x87R(K\3" + text("|") + b"N" + pair + fields + size + b"K\1K\x10t"

    nested = [part for level in range(15) for part in (double(level), b"bq" + bytes([level + 1]) + b"0")]
    accepted("dtype/doubled", "data", "Records of two records, 15 levels: 65,535 fields.", *holding(float_field + b"q\x000", *nested, b"h\x0f"), rules=["NPY-PKL-019"])
    refused("dtype/doubled-again", "DTYPE", "One level more: 131,071 fields.", *holding(float_field + b"q\x000", *nested, double(15), HERE, b"b"))
    accepted("dtype/record", "data", "Two fields.", *holding(*dtype("V16", size=16, align=1, flags=16, names=pair, fields=table(0, 8))), rules=["NPY-PKL-019"])
    accepted("dtype/padded", "data", "Two fields and a gap.", *holding(*dtype("V20", size=20, align=1, flags=16, names=pair, fields=table(0, 12))), rules=["NPY-PKL-019"])
    objects = b"".join(OBJECT)
    record = dtype("V16", size=16, align=1, flags=27, names=pair, fields=b"}(" + text("a") + float_field + b"K\0\x86" + text("b") + objects + b"K\x08\x86u")
    for name, parts in {
        "short": numbers(short(bytes(15))), "long": numbers(short(bytes(17))), "empty": numbers(short(b"")), "list-short": holding(*at(array(b"]", shape=b"K\2\x85"), -1)),
        "list-long": holding(*at(array(b"](NNNe", shape=b"K\2\x85"), -1)), "list-no-dimensions": holding(*at(array(b"](NNe"), -1)),
        "overflow": numbers(short(b""), shape=b"J\xff\xff\xff\x7f" * 2 + b"J\xff\xff\xff\x7f\x87"), "overflow-empty": numbers(short(b""), shape=b"K\0" + b"J\xff\xff\xff\x7f" * 2 + b"\x87"),
        "wraps": numbers(short(b""), shape=b"\x8a\x08" + bytes(7) + b"\x20K\x08\x86"), "no-bytes": numbers(short(b""), kind=dtype("S0", size=0, align=1), shape=b"J\xff\xff\xff\x7f\x85"),
        "code-point": numbers(short(b"\0\0\x11\0" * 2), kind=dtype("U1", "<", size=4, align=4, flags=8)), "record-list": holding(*at(array(b"]]a", kind=record), -1)),
        "record-short": holding(*at(array(b"]N\x85a", kind=record), -1)), "record-kind": holding(*at(array(b"]NN\x86a", kind=record), -1)),
        "scalar-short": call("numpy.core.multiarray", "scalar", *FLOAT, short(bytes(7))), "frombuffer-short": call("numpy.core.numeric", "_frombuffer", short(bytes(15)), *FLOAT, b"K\2\x85", text("C")),
        "matrix-flat": holding(*at(array(short(bytes(8)), kind=FLOAT, shape=b"K\1\x85", made=MADE.replace(b"ndarray", b"matrix")), -1)),
    }.items():
        refused("array/" + name, "ARRAY", "Shape, type and data do not agree.", *parts)
    masked = [named("numpy.ma.core", "_mareconstruct"), b"(", named("numpy.ma", "MaskedArray"), named("numpy", "ndarray"), b"K\0\x85", text("b"), b"tR", b"(K\1K\1\x85", *FLOAT, b"\x89", short(bytes(8))]
    refused("array/mask-short", "ARRAY", "The mask is too short.", *holding(*masked, short(b""), b"Nt", HERE, b"b"))
    refused("array/mask-value", "ARRAY", "A mask is of zeros and ones.", *holding(*masked, short(b"\2"), b"Nt", HERE, b"b"))
    refused("array/fill-shape", "ARRAY", "The fill value has a dimension.",
            *holding(*masked, short(b"\1"), *array(short(bytes(8)), kind=FLOAT, shape=b"K\1\x85"), b"t", HERE, b"b"))
    accepted("array/fill-type", "plain", "The fill value has a larger type, as NumPy makes it.",
             *holding(*masked, short(b"\1"), *array(short(bytes(8)), kind=dtype("i8", "<")), b"t", b"b"), rules=["NPY-PKL-020"])
    aligned = dtype("V16", size=16, align=8, names=pair, fields=table(0, 8), flags=144)
    accepted("array/aligned", "data", "A sub-array has all flags of its base.",
             *holding(*array(short(bytes(32)), kind=dtype("V32", size=32, align=8, flags=16, names=text("s") + b"\x85", fields=b"}" + text("s") +
                             b"".join(dtype("V32", size=32, align=8, flags=144, sub=b"".join(aligned) + b"K\2\x85\x86")) + b"K\0\x86s"))),
             rules=["NPY-PKL-019"])
    accepted("array/masked", "plain", "A masked array.", *holding(*masked, short(b"\1"), b"Nt", b"b"), rules=["NPY-PKL-020"])
    accepted("array/inside", "data", "An array in the array.", *holding(*array(short(bytes(16)), kind=FLOAT, shape=b"K\2\x85")), rules=["NPY-PKL-020"])
    accepted("array/shared", "data", "An array twice.", *holding(*array(short(bytes(16)), kind=FLOAT, shape=b"K\2\x85"), b"\x94h\0\x86"), rules=["NPY-PKL-027"])
    accepted("array/record", "data", "A record with an object.", *holding(*array(b"]", b"G" + bytes(8), b"N\x86a", kind=record)), rules=["NPY-PKL-020"])
    for name, parts in {
        "global": [HERE, named("builtins", "list")], "ndarray": [HERE, named("numpy", "ndarray")], "dtype-class": [HERE, named("numpy", "dtype")],
        "in-tuple": [b"N", HERE, named("builtins", "set"), b"\x86"], "as-dict-value": [b"}", text("k"), HERE, named("_codecs", "encode"), b"s"],
        "array-unbuilt": [MADE[:-1], HERE, b"R"], "dtype-unbuilt": [named("numpy", "dtype"), text("f8"), b"\x89\x88\x87", HERE, b"R"], "uuid-unbuilt": [named("uuid", "UUID"), b")", HERE, b"\x81"],
        "stringdtype": [named("numpy._core._internal", "_convert_to_stringdtype_kwargs"), b"K\1\x85", HERE, b"R"],
    }.items():
        refused("result/" + name, "RESULT", "What is left is no value.", *holding(*parts))
    refused("raw/not-ascii", "RAW_STRING", "A string of Python 2 whose encoding nobody knows.", *holding(HERE, b"U\1\xe9"))
    refused("raw/key", "RAW_STRING", "The same as a key.", *holding(b"}U\1\xe9N", HERE, b"s"))
    refused("raw/quoted", "RAW_STRING", "The same under protocol 0.", *holding(HERE, b"S'\\xe9'\n"))
    accepted("raw/ascii", "data", "A string of Python 2.", *holding(b"U\1e"), rules=["NPY-PKL-018"])
    accepted("raw/data", "data", "Data of an array under Python 2.", *holding(*array(b"U\x10" + b"\xe9" * 16, kind=FLOAT, shape=b"K\2\x85")), rules=["NPY-PKL-018"])
    whole = holding(b"N")
    refused("header/shape", "HEADER", "The header says (1,), the payload ().", HERE, *whole, header="(1,)")
    refused("header/order", "HEADER", "The header says Fortran order.", HERE, *whole, order="True")
    refused("header/dtype", "HEADER", "The header says a record.", HERE, *whole, descr="[('a', '|O')]")
    refused("header/numbers", "HEADER", "The payload holds floats.", HERE, PROTO, *array(short(bytes(8)), kind=FLOAT), b".")
    refused("header/dict", "HEADER", "The payload is no array.", HERE, PROTO, b"}.")
    refused("header/list", "HEADER", "The payload is no array.", HERE, PROTO, b"]Na.")
    refused("header/none", "HEADER", "The payload is no array.", HERE, b"N.")
    refused("header/scalar", "HEADER", "The payload is a scalar.", HERE, PROTO, named("numpy.core.multiarray", "scalar"), *FLOAT, short(bytes(8)), b"\x86R.")
    accepted("header/same", "data", "Header and payload agree.", PROTO, *array(b"](NNe", shape=b"K\2\x85"), b".", header="(2,)", rules=["NPY-PKL-001", "NPY-PKL-022"])
    accepted("header/titled", "data", "A record that both describe.", PROTO, *array(b"]", b"G" + bytes(8), b"N\x86a", kind=record), b".", descr="[('a', '<f8'), ('b', '|O')]", rules=["NPY-PKL-022"])
    for name, parts in {"set": [HERE, b"\x8f"], "frozenset": [b"(", HERE, b"\x91"], "bytearray": [HERE, b"\x96" + bytes(8)], "slice": [HERE, named("builtins", "slice"), b"NNN\x87R"],
                        "path": [HERE, named("pathlib", "PosixPath"), b")R"], "ordered": [HERE, named("collections", "OrderedDict"), b")R"]}.items():
        refused("set/" + name, "NOT_DATA", "The value belongs to the plain set, and data is asked for.", *holding(*parts), options={"allowed": "data"})
    accepted("set/data", "data", "A dictionary of numbers fits data.", *holding(b"}", text("w"), b"G" + bytes(8), b"s"), options={"allowed": "data"}, rules=["NPY-PKL-012"])


def all_cases():
    """Every case."""
    CASES.clear()
    for group in (globals_cases, disguise_cases, call_cases, machine_cases, value_cases, container_cases, array_cases):
        group()
    return CASES
