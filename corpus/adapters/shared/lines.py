"""The persistent process of the adapter protocol (level `lines`), for adapters written in Python.

An adapter calls `serve` with what it is and with a function that reads a file. What the library under
test prints on standard output goes to standard error instead: the protocol has its own descriptor.
An exception in `read` is a fault of the adapter and ends the process, so that it can never pass for an
answer; a refusal is an answer that `read` returns. Standard library only.

`isolated` makes a function run in a forked process each time. It is for libraries that are memory-unsafe and
slow to load: what one case breaks, the next does not inherit, and a crash is passed on as the adapter's own.
"""

import functools
import json
import os
import resource
import signal
import sys
import traceback

PROTOCOL = 1


def accept(**values):
    """The answer of a reader that takes the file, with what it tells of it."""
    return {"verdict": "accept", **values}


def reject(message, **values):
    """The answer of a reader that refuses the file."""
    return {"verdict": "reject", "message": str(message)[:300], **values}


def unsupported(message):
    """The answer of a reader that has no type for the file's elements."""
    return {"verdict": "unsupported", "message": str(message)[:300]}


def written(write, message):
    """The answer to one request to write."""
    if write is None:
        return {"unsupported": "it has no writer"}
    try:
        reason = write(message["request"], message["file"])
    except Exception as error:          # whatever a writer says no with
        return {"error": str(error).strip().rpartition("\n")[2][:300] or type(error).__name__}
    return {"unsupported": reason} if reason else {"written": True}


def isolated(function):
    """The same function, called in a process of its own; what it returns must be JSON. Exceptions come through."""
    @functools.wraps(function)
    def call(*arguments):
        results, answer = os.pipe()
        child = os.fork()
        if child == 0:
            run_child(function, arguments, answer)
        os.close(answer)
        with os.fdopen(results, "rb") as file:
            text = file.read()
        end_like(os.waitpid(child, 0)[1])
        result, error = json.loads(text)
        if error is not None:
            raise RuntimeError(error)
        return result

    return call


def run_child(function, arguments, answer):
    """The forked process: it never returns."""
    status = 1
    try:
        try:
            outcome = [function(*arguments), None]
        except Exception:
            outcome = [None, traceback.format_exc()]
        with os.fdopen(answer, "w", encoding="ascii") as file:
            json.dump(outcome, file)
        status = 0
    finally:
        os._exit(status)


def end_like(status):
    """Dies as the forked process did, unless all was well."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    if code:
        os._exit(code)


def serve(implementation, version, language, read, write=None):
    """Answers until told to stop.

    `read(path)` returns an answer. `write(request, path)` writes a file and returns None, or says why
    its library has no way to write such a file."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii", newline="\n")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin:
        message = json.loads(line)
        if message["cmd"] == "stop":
            return
        if message["cmd"] == "start":
            answer = {"protocol": PROTOCOL, "implementation": implementation, "version": version,
                      "language": language}
        elif message["cmd"] == "read":
            answer = {"seq": message["seq"], **read(message["file"])}
        else:
            answer = {"seq": message["seq"], **written(write, message)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
