"""An adapter that knows every answer, from the manifest, and lies as it is told.

    liar.py LEVEL MANIFEST LIE [CASE]

Without CASE it lies about every case; with CASE about that one only. The lie `truth` is none. LEVEL is exit,
json or lines; the manifest may have a key `declares` with the flags that this implementation declares. Standard
library only, and as little of it as goes, for it is started some hundred times.
"""

import binascii
import json
import os
import signal
import sys
import time

try:
    from _sha256 import sha256           # hashlib loads OpenSSL, which takes longer than all the rest
except ImportError:
    from hashlib import sha256

MIB = 1 << 20
FOR_EVER = 60                    # seconds; whoever waits for them has a limit below
HERE_ONLY = "verdict"


class Book:
    """What the manifest says of a file, found by what the file holds."""

    def __init__(self, path):
        with open(path, encoding="ascii") as file:
            manifest = json.load(file)
        self.declares = set(manifest.get("declares", []))
        self.canonical = manifest.get("canonical-only", False)
        self.flags = manifest["flags"]
        self.folder = manifest.get("folder", os.path.dirname(path))
        self.cases = manifest["cases"]
        self.by_digest = {case["sha256"]: case for case in self.cases}

    def case_of(self, path):
        """The case whose file this is."""
        with open(path, "rb") as file:
            return self.by_digest[sha256(file.read()).hexdigest()]

    def accepts(self, case):
        """Yes or no under the declared flags."""
        if self.canonical and not case.get("canonical"):
            return False
        if case["verdict"] != "choice":
            return case["verdict"] == "accept"
        flag = case["flags"][0]
        return (self.flags[flag]["declared"] == "accept") == (flag in self.declares)

    def answer(self, case):
        """The whole truth about a case."""
        if self.accepts(case):
            return {"verdict": "accept", **json.loads(json.dumps(case.get("expect", {})))}
        error = case.get("error", {})
        for refused in case.get("refused_with", []):
            word, value = refused["options"]
            if word == "--compat" and set(value.split(",")) <= self.declares:
                error = refused["error"]
            if self.canonical and value == "canonical":
                error = refused["error"]
        return {"verdict": "reject", **error}


# ---- Lies about values ----------------------------------------------------------------------------

def other(value):
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, list):
        return value + [7] if all(isinstance(item, int) for item in value) else value[:-1]
    if value is None:
        return 0
    if len(value) == 64:
        return value[:-1] + ("0" if value[-1] != "0" else "1")
    return {"1.0": "2.0", "<f8": ">f8"}.get(value, "<c16")


def lie_about(answer, lie):
    """Changes an answer as `lie` says: KEY=JSON, KEY! (another value), -KEY (left out), only:KEY,…"""
    if lie.startswith("only:"):
        kept = [HERE_ONLY, *lie[5:].split(",")]
        return {key: value for key, value in answer.items() if key in kept}
    key, equal, text = lie.partition("=")
    target = answer
    if key.startswith("field."):
        target, key = answer["fields"][0], key[6:]
    if equal:
        target[key] = json.loads(text)
    elif key.endswith("!"):
        target[key[:-1]] = other(target[key[:-1]]) if key not in ("name!", "title!") else "another"
    else:
        del target[key[1:]]
    return answer


# ---- Lies of the process --------------------------------------------------------------------------

def misbehave(lie):
    """Lies that the process tells before it answers; some of them do not return."""
    word, _, rest = lie.partition(":")
    if word == "signal":
        sys.stderr.write("about to die\n")
        sys.stderr.flush()
        os.kill(os.getpid(), getattr(signal, rest))
    elif word == "scream":
        sys.stderr.write(rest + "\n")
        sys.stderr.flush()
        os._exit(5)
    elif word == "exit":
        os._exit(int(rest))
    elif word == "hang":
        time.sleep(FOR_EVER)
    elif word == "sleep":
        time.sleep(float(rest))
    elif word == "eat":
        held = b"x" * (int(rest) * MIB)
        del held
    elif word == "reserve":
        import mmap
        keep.append(mmap.mmap(-1, int(rest) * MIB))
    elif word == "keep":
        keep.append(b"x" * (int(rest) * MIB))
    elif word == "eat-in-child":
        if os.fork() == 0:
            held = b"x" * (int(rest) * MIB)
            time.sleep(FOR_EVER)
        time.sleep(FOR_EVER)
    elif word == "daemon":
        daemon(rest)
    elif word == "shout":
        sys.stderr.write("x" * (int(rest) * MIB))
        sys.stderr.flush()


keep = []


def daemon(path):
    """Leaves a process that has a session of its own, and notes its number; `bare:` wipes its environment. `alone:`
    dies if one that was left before is still there."""
    bare, path = path.startswith("bare:"), path.removeprefix("bare:")
    alone, path = path.startswith("alone:"), path.removeprefix("alone:")
    if alone and os.path.exists(path):
        with open(path, encoding="ascii") as file:
            if any(os.path.exists(f"/proc/{line.strip()}") for line in file):
                os._exit(9)
    noted, note = os.pipe()
    if os.fork() != 0:
        os.close(note)
        os.read(noted, 1)                    # until it has noted its number
        os.close(noted)
        return
    os.setsid()
    if os.fork() == 0:
        with open(path, "a", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
        os.write(note, b"!")
        for number in (1, 2):                # whoever reads its pipes must not wait for it
            os.close(number)
        sleep = [sys.executable, "-I", "-S", "-c", f"import time; time.sleep({FOR_EVER})"]
        os.execve(sys.executable, sleep, {} if bare else os.environ)
    os._exit(0)


def hide(book, case, size):
    """Keeps more for two cases, then gives it back, and for the last case takes nearly as much at once."""
    place = book.cases.index(case)
    if place < 2:
        keep.append(b"x" * size)
    else:
        keep.clear()
    if place == len(book.cases) - 1:
        held = b"x" * (2 * size - 5 * MIB)
        del held


# ---- Levels ---------------------------------------------------------------------------------------


def told(book, lie, case):
    """The answer about a case, perhaps a lie about its values."""
    answer = book.answer(case)
    if lie.startswith("always:"):
        return {"verdict": lie[7:]}
    if lie.startswith("value:"):
        return lie_about(answer, lie[6:])
    return answer


def raw_text(lie, answer):
    """What is printed instead of an answer, as bytes; None if the answer itself is."""
    text = json.dumps(answer)
    return {
        "garbage": b"hello\n",
        "binary": bytes(range(128, 256)) + b"\n",
        "empty": b"\n",
        "array": b"[" + text.encode() + b"]\n",
        "string": b'"accept"\n',
        "deep": lie == "deep" and b"[" * 100000 + b"\n",
        "half": text[:-1].encode() + b"\n",
        "twice-a-line": (text + " " + text + "\n").encode(),
        "twice": (text + "\n" + text + "\n").encode(),
        "then-garbage": (text + "\nhello\n").encode(),
        "no-newline": text.encode(),
        "duplicate": (text[:-1] + ', "verdict": "accept"}\n').encode(),
        "duplicate-shape": (text[:-1] + ', "x-a": {"b": 1, "b": 1}}\n').encode(),
        "nan": (text[:-1] + ', "x-a": NaN}\n').encode(),
        "infinity": (text[:-1] + ', "x-a": -Infinity}\n').encode(),
        "latin": (text[:-1] + ', "x-a": "').encode() + b'\xe9"}\n',
        "huge": lie == "huge" and (text[:-1] + ', "x-a": "').encode() + b"x" * (17 * MIB) + b'"}\n',
        "endless": lie == "endless" and b"x" * (40 * MIB),
    }.get(lie)


def put(data):
    """All of it, now."""
    while data:
        data = data[os.write(1, data):]


def by_exit(book, lie, case, path):
    """Level exit."""
    misbehave(lie)
    if lie == "remove":
        os.unlink(path)
    if lie == "append":
        with open(path, "ab") as file:
            file.write(b"!")
    if lie.startswith("spoil:"):
        with open(lie[6:], "ab") as file:
            file.write(b"!")
    if lie == "noise":
        put(b"{not JSON\n" * 1000)
    verdict = told(book, lie, case)["verdict"]
    return {"accept": 0, "reject": 1, "unsupported": 3}[verdict]


def by_json(book, lie, case):
    """Level json."""
    misbehave(lie)
    answer = told(book, lie, case)
    if lie == "close":
        os.close(1)
        time.sleep(FOR_EVER)
    if lie == "leave-child" and os.fork() == 0:
        time.sleep(20)
        os._exit(0)
    if lie != "nothing":
        put(raw_text(lie, answer) or (json.dumps(answer) + "\n").encode())
    return int(lie[6:]) if lie.startswith("after:") else 0


class Lines:
    """Level lines."""

    def __init__(self, book, lie, where):
        self.book = book
        self.lie = lie
        self.where = where
        self.count = 0
        self.last = 0

    def say(self, answer):
        """One line."""
        put(json.dumps(answer).encode() + b"\n")

    def hello(self):
        """The answer to start."""
        answer = {"protocol": 1, "implementation": "liar", "version": "1.0", "language": "Python"}
        if self.lie.startswith("start:"):
            word = self.lie[6:]
            if word == "ignore":
                return
            if word == "once":
                mark = os.path.join(self.book.folder, "started-once")
                if os.path.exists(mark):
                    os._exit(4)
                open(mark, "x").close()
            if word == "die":
                sys.stderr.write("no library\n")
                os._exit(4)
            if word == "garbage":
                put(b"Welcome!\n")
                return
            if word == "late":
                time.sleep(0.5)
            if word == "large":
                keep.append(b"x" * (160 * MIB))
            if word == "peak":
                held = b"x" * (160 * MIB)
                del held
            if "=" in word or word[0] == "-":
                answer = lie_about(answer, word)
        self.say(answer)
        if self.lie == "start:chatter":
            put(b"ready\n")

    def run(self):
        """Until stop."""
        for line in sys.stdin:
            command = json.loads(line)
            if command["cmd"] == "start":
                self.hello()
            elif command["cmd"] == "stop":
                self.stop()
            elif command["cmd"] == "write":
                self.write(command)
            else:
                self.read(command)
        return 0

    def stop(self):
        """The end."""
        if self.lie == "stop:ignore":
            time.sleep(FOR_EVER)
        if self.lie == "stop:chatter":
            put(b"bye\n")
        if self.lie.startswith("stop:exit"):
            os._exit(7)
        os._exit(0)

    def read(self, command):
        """One file."""
        case = self.book.case_of(command["file"])
        self.count += 1
        lie = self.lie if self.where in (None, case["id"]) else "truth"
        misbehave(lie)
        if lie == "start:once":
            os._exit(5)
        if lie == "change":
            with open(command["file"], "ab") as file:
                file.write(b"!")
        if lie.startswith("hide:"):
            hide(self.book, case, int(lie[5:]) * MIB)
        if lie == "second-dies" and self.count == 2:
            os._exit(5)
        answer = {**told(self.book, lie, case), "seq": command["seq"]}
        if lie.startswith("seq="):
            answer["seq"] = eval(lie[4:], {"seq": command["seq"], "last": self.last})  # a lie of our own tests
        if lie == "no-seq":
            del answer["seq"]
        self.last = command["seq"]
        if lie == "close":
            os.close(1)
            time.sleep(FOR_EVER)
        put(raw_text(lie, answer) or json.dumps(answer).encode() + b"\n")
        self.after(lie, answer)

    def after(self, lie, answer):
        """Lies behind the answer."""
        if lie == "no-newline":
            time.sleep(FOR_EVER)
        elif lie == "twice-late":
            time.sleep(0.05)
            self.say(answer)
        elif lie == "die-after":
            os._exit(0)
        elif lie == "die-after-late":
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGKILL)

    def write(self, command):
        """One file to write."""
        lie = self.lie if self.where in (None, self.book_case(command["request"])["id"]) else "truth"
        misbehave(lie)
        answer = {"seq": command["seq"], **write(self.book, lie, command["request"], command["file"])}
        put(raw_text(lie, answer) or json.dumps(answer).encode() + b"\n")

    def book_case(self, request):
        """The case of a request."""
        return asked_case(self.book, request)


# ---- Writing --------------------------------------------------------------------------------------

def asked_case(book, request):
    """The case that a request was made of: the tests have no two that are alike."""
    digest = sha256(binascii.a2b_base64(request["elements_base64"])).hexdigest()
    wanted = {"elements_sha256": digest, "version": request["version"], "descr": request["descr"],
              "shape": request["shape"], "fortran_order": request["fortran_order"]}
    if request["version"] is None:
        del wanted["version"]
    fits = [case for case in book.cases if case["verdict"] == "accept" and case.get("rewrite")
            and all(case["expect"].get(key) == value for key, value in wanted.items())]
    canonical = [case for case in fits if case["canonical"]]
    return (canonical if canonical and request["version"] is None else fits)[0]


def original(book, case):
    """The bytes of a case's own file, nothing after the data."""
    with open(os.path.join(book.folder, case["file"]), "rb") as file:
        data = file.read()
    return data[:case["expect"]["data_offset"] + case["expect"]["data_size"]]


def forged(data, lie):
    """The bytes that a lying writer writes."""
    offset = 10 + int.from_bytes(data[8:10], "little")
    head, body = data[:offset], data[offset:]
    if lie == "w:elements":
        return head + bytes((body[0] ^ 1,)) + body[1:]
    if lie == "w:last-element":
        return head + body[:-1] + bytes((body[-1] ^ 128,))
    if lie == "w:trailing":
        return data + b"\0"
    if lie == "w:truncated":
        return data[:-1]
    if lie == "w:garbage":
        return b"hello"
    if lie == "w:empty":
        return b""
    if lie == "w:padded":
        longer = offset - 10 + 64
        return data[:8] + longer.to_bytes(2, "little") + head[10:-1] + b" " * 64 + b"\n" + body
    if lie == "w:version":
        return data[:6] + b"\2\0" + (offset - 10).to_bytes(4, "little") + head[10:] + body
    if lie == "w:downgrade":
        assert data[6] == 2
        return data[:6] + b"\1\0" + data[8:10] + data[12:]
    if lie.startswith("w:text:"):
        before, after = lie[7:].encode().split(b"->")
        assert before in head, head
        return head.replace(before, after, 1).rstrip(b" \n").ljust(offset - 1) + b"\n" + body
    if lie == "w:gap":
        return head + body[:2] + b"\xaa" + body[3:]
    return data


def write(book, lie, request, path):
    """Writes a file, or says that it did."""
    said = {"w:unsupported": {"unsupported": "not me"}, "w:error": {"error": "no disk"},
            "w:nothing": {"written": True}, "w:false": {"written": False},
            "w:both": {"written": True, "error": "x"}, "w:silent": {}, "w:verdict": {"verdict": "accept"}}
    if lie in said:
        return said[lie]
    if lie == "w:folder":
        os.mkdir(path)
    elif lie == "w:link":
        os.symlink(os.path.join(book.folder, asked_case(book, request)["file"]), path)
    else:
        with open(path, "wb") as file:
            file.write(forged(original(book, asked_case(book, request)), lie))
    return {"written": True}


def write_once(book, lie, where, request_path, path):
    """Writing at the levels exit and json."""
    with open(request_path, encoding="ascii") as file:
        request = json.load(file)
    if where not in (None, asked_case(book, request)["id"]):
        lie = "truth"
    misbehave(lie)
    answer = write(book, lie, request, path)
    return 0 if answer.get("written") else 3 if "unsupported" in answer else 1


def main():
    """One call, or a life."""
    level, manifest, lie, where = [*sys.argv[1:4], None]
    rest = sys.argv[4:]
    if rest and rest[0].startswith("case="):
        where, rest = rest[0][5:], rest[1:]
    book = Book(manifest)
    if level == "lines":
        sys.exit(Lines(book, lie, where).run())
    if rest[0] == "--write":
        sys.exit(write_once(book, lie, where, *rest[1:]))
    case = book.case_of(rest[0])
    if where not in (None, case["id"]):
        lie = "truth"
    sys.exit(by_exit(book, lie, case, rest[0]) if level == "exit" else by_json(book, lie, case))


if __name__ == "__main__":
    main()
