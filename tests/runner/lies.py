"""Every lie that an adapter can tell, and the outcome that the runner must give each case for it.

A lie about one case must leave all others `pass`: what the runner says of them is compared too.
"""

from dataclasses import dataclass, field

import small

PASS, ACCEPTS, REFUSES, UNSUPPORTED, CANONICAL = "pass", "accepts", "refuses", "unsupported", "canonical"
WRONG_ACCEPT, WRONG_REJECT, WRONG_VALUE, WRONG_ERROR = "wrong-accept", "wrong-reject", "wrong-value", "wrong-error"
CRASH, HANG, MEMORY, PROTOCOL, UNREADABLE = "crash", "hang", "memory", "protocol", "unreadable"
UNUSABLE = "unusable"            # no outcome: the runner refuses to say anything of the implementation
GOOD = (small.F8, small.FORTRAN, small.ENTRY, small.VERSION, small.BYTE, small.OBJECT, small.FLAGGED,
        small.HANDMADE)
BAD = (small.MAGIC, small.SIZES, small.ONE)
CHOICE = (small.STRICT, small.LONG, small.COMPAT, small.NATIVE)
ALL = GOOD + BAD + CHOICE
ORDER = tuple(sorted(ALL))       # as the runner asks, one after the other
FEW = (small.F8, small.OBJECT, small.STRICT, small.SIZES)       # where each costs a process
WRITTEN = (small.F8, small.FORTRAN, small.ENTRY, small.VERSION, small.BYTE, small.FLAGGED)


SHORT = 3.0                      # seconds after which a process that only waits is found to hang; others must not
LONG = 20.0                      # instead, where others were as slow


@dataclass
class Lie:
    """A lie, and what must come of it."""

    level: str
    lie: str
    case: str = None                 # about this one alone
    outcomes: dict = field(default_factory=dict)   # the cases whose outcome is not pass
    detail: str = ""                 # stands in the detail of each of them
    flags: tuple = ("strict",)       # declared; None: nothing
    knows: tuple = ()                # flags that the liar itself goes by, instead
    canonical: bool = False          # the canonical profile
    writer: bool = False
    fresh: bool = False
    few: bool = False                # not all cases are run
    alone: bool = False              # only the case in question is run
    problem: str = ""                # stands in a fault that belongs to no case
    problem_may: bool = False        # there may or may not be such a fault
    time: float = 20.0               # seconds a case
    memory: int = 64 << 20
    start: float = 20.0

    def cases(self):
        """The cases that are run."""
        if self.writer:
            return WRITTEN
        if self.alone:
            return (self.case,)
        if self.level == "lines" and not self.few:
            return ALL
        return tuple(case for case in ORDER if case in (self.case, *FEW))

    def title(self):
        """Its name in a report."""
        words = [self.level, "writes" if self.writer else "", self.lie, self.case or "", "fresh" * self.fresh]
        return " ".join(filter(None, words))


def one(level, lie, case, outcome, detail="", **more):
    """A lie about one case."""
    outcomes = {case: outcome} if outcome != PASS else {}
    return Lie(level, lie, case, outcomes, detail, **more)


def every(level, lie, outcome, cases=ALL, detail="", **more):
    """A lie about all cases."""
    return Lie(level, lie, None, {case: outcome for case in cases}, detail, **more)


# ---- Verdicts -------------------------------------------------------------------------------------

def verdicts():
    """Yes, no and perhaps, always; the truth, under other flags."""
    for level in ("exit", "json", "lines"):
        yield every(level, "truth", PASS, ())
        yield every(level, "always:accept", WRONG_ACCEPT, BAD + CHOICE)
        yield every(level, "always:reject", WRONG_REJECT, GOOD)
        yield every(level, "always:unsupported", UNSUPPORTED)
        yield one(level, "always:accept", small.SIZES, WRONG_ACCEPT)
        yield one(level, "always:reject", small.FORTRAN, WRONG_REJECT)
        yield one(level, "always:unsupported", small.SIZES, UNSUPPORTED)
    yield one("lines", "always:reject", small.STRICT, PASS)
    yield from flags()


def flags():
    """What is declared decides what is right."""
    every_flag = tuple(small.FLAGS)
    others = tuple(flag for flag in every_flag if flag != "strict")
    for declared in ((), ("strict",), every_flag, others, ("strict", "int-shape")):
        yield Lie("lines", "truth", flags=declared, knows=declared)
    opposite = {**{case: WRONG_ACCEPT for case in CHOICE}, small.ONE: WRONG_ERROR}
    accepting = {**{case: WRONG_REJECT for case in CHOICE}, small.ONE: WRONG_ERROR}
    yield one("lines", "always:reject", small.STRICT, WRONG_REJECT, flags=())
    yield Lie("lines", "truth", flags=("strict",), knows=others, outcomes=opposite)
    yield Lie("lines", "truth", flags=others, knows=("strict",), outcomes=accepting)
    yield Lie("lines", "truth", flags=None, knows=("strict",), outcomes={case: REFUSES for case in CHOICE})
    mixed = {**{case: ACCEPTS for case in CHOICE}, small.ONE: WRONG_ERROR}
    yield Lie("lines", "truth", flags=None, knows=others, outcomes=mixed)
    mixed = {**mixed, small.COMPAT: WRONG_VALUE, small.LONG: REFUSES, small.NATIVE: REFUSES}
    yield Lie("lines", "value:shape!", small.COMPAT, flags=None, knows=("int-shape",), outcomes=mixed)
    unknown = {small.HANDMADE: REFUSES}          # the manifest does not say whether it is canonical
    yield Lie("lines", "truth", outcomes=unknown, canonical=True)
    both = ("strict", "long-header")
    yield Lie("lines", "truth", outcomes=unknown, canonical=True, flags=both, knows=both)
    refusing = {case: WRONG_REJECT for case in (small.F8, small.FORTRAN, small.ENTRY, small.BYTE, small.OBJECT)}
    yield Lie("lines", "always:reject", outcomes={**refusing, **unknown}, canonical=True)
    taking = [case for case in ALL if case not in refusing and case != small.HANDMADE]
    yield Lie("lines", "always:accept", canonical=True,
              outcomes={**{case: WRONG_ACCEPT for case in taking}, small.HANDMADE: ACCEPTS})


# ---- Values ---------------------------------------------------------------------------------------

def values():
    """Each key wrong in turn, each of the right type."""
    for key in ("version", "descr", "shape", "fortran_order", "itemsize", "count", "data_offset", "data_size",
                "has_object", "elements_sha256"):
        for level in ("json", "lines"):
            yield one(level, f"value:{key}!", small.ENTRY, WRONG_VALUE, f"{key}: expected ", alone=level == "json")
        yield one("lines", f"value:only:{key}", small.ENTRY, PASS)
    yield one("lines", "value:fields!", small.ENTRY, WRONG_VALUE, "fields: expected 2, got 1")
    for key in ("name", "path", "descr", "offset", "itemsize", "shape", "title"):
        yield one("lines", f"value:field.{key}!", small.ENTRY, WRONG_VALUE, f"fields[0].{key}: expected ")
        yield one("lines", f"value:field.-{key}", small.ENTRY, PASS)
    for lie in ("shape=[3, 2]", "shape=[]", "shape=[2, 3, 1]", "shape=[6]", "descr=\"<f4\"", "descr=\">f8\"",
                "descr=\"[('f0', '>f4')]\"", "descr=\"float32\"", "descr=\"\"", "fields=[{}]", "data_size=null",
                "count=7", "count=-6", "shape=[-2, 3]", "itemsize=0", "data_offset=127", "version=\"1\"",
                "fortran_order=false"):
        yield one("lines", f"value:{lie}", small.FORTRAN, WRONG_VALUE, lie.partition("=")[0] + ": expected ")
    for lie in ("descr=\"=u1\"", "descr=\">u1\"", "descr=\"u1\"", "fields=[]", "x-own={\"a\": [1.5, null]}",
                "message=\"fine\""):
        yield one("lines", f"value:{lie}", small.BYTE, PASS)
    yield one("lines", "value:data_size=0", small.OBJECT, WRONG_VALUE, "data_size: expected null, got 0")
    digest = "0" * 64
    yield one("lines", f"value:elements_sha256=\"{digest}\"", small.OBJECT, PASS)
    yield one("lines", "value:field.title=null", small.ENTRY, WRONG_VALUE, "title: expected \"T\", got null")
    yield one("lines", "value:only:", small.ENTRY, PASS)
    yield from errors()


def errors():
    """Right verdicts with another error."""
    for level in ("json", "lines"):
        yield one(level, "value:offset!", small.SIZES, WRONG_ERROR, "expected SNPY_SIZE_OVERFLOW at 61, got "
                                                                    "SNPY_SIZE_OVERFLOW at 62")
    yield one("lines", "value:offset=-1", small.SIZES, WRONG_ERROR, "at -1")
    yield one("lines", "value:offset=0", small.STRICT, WRONG_ERROR, "at 63")
    yield one("lines", "value:status=\"SNPY_BAD_MAGIC\"", small.SIZES, WRONG_ERROR, "got SNPY_BAD_MAGIC at 61")
    yield one("lines", "value:status=\"SNPY_NO_SUCH\"", small.SIZES, WRONG_ERROR, "no status of the suite")
    yield one("lines", "value:status=\"SNPY_ONE_AS_SHAPE\"", small.ONE, WRONG_ERROR, "SNPY_EXPECTED_SHAPE")
    declared = ("strict", "int-shape")
    yield one("lines", "value:status=\"SNPY_EXPECTED_SHAPE\"", small.ONE, WRONG_ERROR,
              "SNPY_ONE_AS_SHAPE at 34, got", flags=declared)
    yield one("lines", "value:status=\"EOF\"", small.SIZES, PASS)
    yield one("lines", "value:-status", small.SIZES, PASS)
    yield one("lines", "value:-offset", small.SIZES, PASS)


WRONG_TYPES = (
    "shape=[1.0]", "shape=[true]", "shape=[\"1\"]", "shape=\"(1,)\"", "shape=1", "shape=null", "shape={}",
    "shape=[[1]]", "count=1.0", "count=true", "count=\"1\"", "count=null", "count=1e0",
    "count=1e999", "fortran_order=0", "fortran_order=\"False\"", "fortran_order=null", "version=1.0",
    "version=null",
    "descr=null", "descr=[[\"a\", \"<f8\"]]", "itemsize=\"1\"", "itemsize=1.5", "data_offset=false",
    "data_size=\"1\"", "data_size=1.0", "data_size=true", "has_object=0", "has_object=null", "fields={}",
    "fields=null", "fields=[1]", "elements_sha256=null", "elements_sha256=\"abc\"",
    f"elements_sha256=\"{'A' * 64}\"", "message=1", "message=null", "verdict=1", "verdict=null",
    "verdict=\"Accept\"", "verdict=[\"accept\"]", "verdict=true", "-verdict", "fortranOrder=false", "rule=\"x\"",
    "status=\"SNPY_BAD_MAGIC\"", "offset=0",
)
WRONG_FIELD_TYPES = ("name=3", "name=null", "path=\"a\"", "path=[1]", "descr=null", "offset=true", "offset=0.0",
                     "itemsize=\"2\"", "shape=[2.0]", "shape=null", "title=1", "size=2")


def types():
    """Wrong types are no answers, even where Python would call them equal."""
    for lie in WRONG_TYPES:
        yield one("lines", f"value:{lie}", small.BYTE, PROTOCOL, alone=True)
    for lie in WRONG_FIELD_TYPES:
        yield one("lines", f"value:field.{lie}", small.ENTRY, PROTOCOL, "fields[0].", alone=True)
    for lie in ("offset=61.0", "offset=\"61\"", "status=3", "status=null", "shape=[1]",
                "verdict=\"rejected\""):
        yield one("lines", f"value:{lie}", small.SIZES, PROTOCOL, alone=True)
    yield one("json", "value:count=true", small.BYTE, PROTOCOL, "count cannot be true")
    yield one("json", "value:count=1.0", small.BYTE, PROTOCOL, "count cannot be 1.0")


# ---- What is printed ------------------------------------------------------------------------------

BAD_TEXT = ("garbage", "binary", "empty", "array", "string", "deep", "half", "twice-a-line", "twice",
            "then-garbage",
            "duplicate", "duplicate-shape", "nan", "infinity", "latin", "huge", "endless")


def texts():
    """What is no answer."""
    for lie in BAD_TEXT:
        yield one("lines", lie, small.F8, PROTOCOL)
        yield one("json", lie, small.F8, PROTOCOL, alone=True)
    yield one("json", "nothing", small.F8, PROTOCOL)
    yield one("json", "no-newline", small.F8, PASS)
    yield one("exit", "noise", small.F8, PASS)
    for lie in ("twice", "twice-late"):
        yield every("lines", lie, PROTOCOL, FEW[:-1], problem="protocol: it spoke without being asked", few=True)
    yield one("lines", "twice-late", small.F8, PROTOCOL)
    for lie in ("seq+1", "seq-1", "str(seq)", "float(seq)", "True", "None", "last", "[seq]"):
        yield one("lines", f"seq={lie}", small.F8, PROTOCOL, "seq")
    yield every("lines", "seq=last", PROTOCOL, FEW, few=True)
    yield one("lines", "no-seq", small.F8, PROTOCOL, "no seq")
    yield one("lines", "change", small.F8, PROTOCOL, "changed the file")


# ---- The process ----------------------------------------------------------------------------------

def deaths():
    """Processes that end when they should not."""
    for level in ("exit", "json", "lines"):
        for name in ("SIGSEGV", "SIGABRT", "SIGKILL", "SIGTERM"):
            yield one(level, f"signal:{name}", small.SIZES, CRASH, f"signal {name}", alone=name != "SIGSEGV")
        yield one(level, "exit:4", small.SIZES, CRASH, "exit status 4")
        yield one(level, "exit:134", small.F8, CRASH, "exit status 134")
        yield every(level, "signal:SIGSEGV", CRASH, FEW, few=True)
    yield one("exit", "exit:2", small.F8, CRASH, "exit status 2")
    yield one("exit", "exit:3", small.F8, UNSUPPORTED)
    yield one("exit", "exit:1", small.F8, WRONG_REJECT)
    yield one("exit", "exit:0", small.SIZES, WRONG_ACCEPT)
    for status in (1, 3):
        yield one("json", f"after:{status}", small.F8, CRASH, f"exit status {status}", alone=True)
        yield one("json", f"exit:{status}", small.F8, CRASH, f"exit status {status}", alone=True)
        yield one("lines", f"exit:{status}", small.F8, CRASH, f"exit status {status}")
    yield one("json", "exit:0", small.F8, PROTOCOL)
    yield one("lines", "exit:0", small.F8, CRASH, "exit status 0")
    yield from idle_deaths()


def idle_deaths():
    """Processes that end after they have answered."""
    after = "after its answer: signal SIGKILL"
    yield one("lines", "die-after", small.FORTRAN, CRASH, "after its answer: exit status 0")
    yield one("lines", "die-after-late", small.FORTRAN, CRASH, after)
    yield every("lines", "die-after", CRASH, FEW[:-1], problem="exit status 0", problem_may=True, few=True)
    yield every("lines", "die-after-late", CRASH, FEW[:-1], after, problem=f"crash: {after}", few=True)
    yield every("lines", "second-dies", CRASH, FEW[:-1], "after its answer: exit status 5", few=True)
    yield every("lines", "second-dies", PASS, (), few=True, fresh=True)
    yield every("lines", "die-after-late", CRASH, FEW, after, fresh=True, few=True)
    yield Lie("lines", "stop:exit", problem="crash: after its answer: exit status 7")
    yield every("lines", "stop:exit", CRASH, FEW, "exit status 7", fresh=True, few=True)
    yield Lie("lines", "stop:chatter", problem="protocol: it spoke without being asked")
    yield Lie("lines", "stop:ignore", problem="hang: it does not end after stop", time=SHORT)


def slow():
    """Processes that do not answer, or late."""
    for level in ("exit", "json", "lines"):
        yield one(level, "hang", small.SIZES, HANG, "no answer within the time limit", time=SHORT)
        yield one(level, "sleep:0.3", small.SIZES, PASS)
        yield one(level, f"sleep:{2 * LONG}", small.F8, HANG, time=SHORT)
    yield one("json", "close", small.F8, HANG, time=SHORT)
    yield one("json", "leave-child", small.F8, PASS)
    yield one("lines", "no-newline", small.F8, HANG, time=SHORT)
    yield one("lines", "close", small.F8, PROTOCOL, "closed its standard output")


def greedy():
    """Processes that take memory. What a runtime has from the start is nobody's fault."""
    for level in ("exit", "json", "lines"):
        yield one(level, "eat:160", small.SIZES, MEMORY, "over the memory limit")
        yield one(level, "eat:20", small.SIZES, PASS)
        yield one(level, "eat-in-child:160", small.F8, MEMORY)
        yield one(level, "reserve:512", small.F8, PASS)
        yield one(level, "shout:5", small.F8, PASS)
    yield one("lines", "eat:30", small.SIZES, MEMORY, memory=16 << 20)       # too short to be looked at
    yield every("lines", "keep:25", PASS, ())
    yield every("lines", "start:large", PASS, ())
    yield every("lines", "start:peak", PASS, ())
    yield every("lines", "keep:120", MEMORY, FEW, few=True)


def starts():
    """Processes that do not come up, or speak another language."""
    for lie in ("die", "garbage", "protocol=2", "protocol=0", "protocol=true", "protocol=1.0", "protocol=\"1\"",
                "-protocol", "version=1", "implementation=null", "extra=1"):
        yield every("lines", f"start:{lie}", UNUSABLE)
    yield every("lines", "start:ignore", UNUSABLE, start=1.0)
    yield every("lines", "start:once", UNUSABLE)         # a case ends it, and it does not come up again
    yield every("lines", "start:late", PASS, ())
    yield every("lines", "start:x-extra=1", PASS, ())
    yield every("lines", "start:chatter", PROTOCOL, FEW, few=True)


# ---- Writers --------------------------------------------------------------------------------------

def writers():
    """Writers that write something else, or nothing."""
    for level in ("exit", "json", "lines"):
        yield writer(level, "truth")
        yield writer(level, "w:nothing", small.F8, UNREADABLE, "no file")
        yield writer(level, "w:elements", small.F8, WRONG_VALUE, "the elements are others")
        yield writer(level, "w:unsupported", small.F8, UNSUPPORTED)
        yield writer(level, "w:error", small.F8, WRONG_REJECT)
        yield writer(level, "signal:SIGSEGV", small.F8, CRASH, "signal SIGSEGV")
        yield writer(level, "exit:5", small.F8, CRASH, "exit status 5")
        yield writer(level, "hang", small.F8, HANG, time=SHORT)
        yield writer(level, "eat:160", small.F8, MEMORY)
    for lie in ("w:garbage", "w:empty", "w:truncated"):
        yield writer("lines", lie, small.F8, UNREADABLE, "SNPY_")
    for lie in ("w:folder", "w:link"):
        yield writer("lines", lie, small.F8, UNREADABLE, "no regular file")
    for case in (small.FORTRAN, small.ENTRY, small.BYTE):
        yield writer("lines", "w:last-element", case, WRONG_VALUE, "the elements are others")
    yield writer("lines", "w:trailing", small.F8, WRONG_VALUE, "1 bytes after the data")
    yield writer("lines", "w:text:(2, 3)->(3, 2)", small.FORTRAN, WRONG_VALUE,
                 "shape: expected [2, 3], got [3, 2]")
    yield writer("lines", "w:text:(2, 3)->(6,)", small.FORTRAN, WRONG_VALUE, "shape: expected [2, 3], got [6]")
    yield writer("lines", "w:text:True->False", small.FORTRAN, WRONG_VALUE,
                 "fortran_order: expected true, got false")
    yield writer("lines", "w:text:>f4->>i4", small.FORTRAN, WRONG_VALUE, "descr: expected \">f4\", got \">i4\"")
    yield writer("lines", "w:text:>f4-><f4", small.FORTRAN, WRONG_VALUE, "descr: expected \">f4\", got \"<f4\"")
    yield writer("lines", "w:text:'b'->'c'", small.ENTRY, WRONG_VALUE, "descr: ")
    yield writer("lines", "w:downgrade", small.VERSION, WRONG_VALUE, "version: expected \"2.0\", got \"1.0\"")
    yield from plain_writers()
    for lie in ("w:false", "w:both", "w:silent", "w:verdict", "garbage", "nan", "twice", "duplicate-shape"):
        yield writer("lines", lie, small.F8, PROTOCOL)


def plain_writers():
    """Right, but not as NumPy writes."""
    yield writer("lines", "w:padded", small.F8, PASS)
    yield writer("lines", "w:version", small.F8, PASS)
    yield writer("lines", "w:text:'<f8'->\"<f8\"", small.VERSION, PASS)
    yield writer("lines", "w:gap", small.ENTRY, PASS)
    yield writer("lines", "w:text:True->False", small.FLAGGED, CANONICAL)


def writer(level, lie, case=None, outcome=CANONICAL, detail="", **more):
    """A lie of a writer; the others write NumPy's bytes, but for the one whose flag NumPy would not set."""
    outcomes = {**{name: CANONICAL for name in WRITTEN}, small.FLAGGED: PASS}
    if case:
        outcomes[case] = outcome
    return Lie(level, lie, case, outcomes, detail, writer=True, **more)


def all_lies():
    """Everything above."""
    for part in (verdicts, values, types, texts, deaths, slow, greedy, starts, writers):
        yield from part()
