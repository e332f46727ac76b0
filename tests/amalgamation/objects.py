"""The core as machine code, function by function: from src/core, and from the amalgamation."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# No function is compiled in view of others: the amalgamation has more of them in one file.
ALONE = {
    "gcc": ["-fno-inline", "-fno-partial-inlining", "-fno-toplevel-reorder", "-fno-tree-switch-conversion",
            *(f"-fno-ipa-{name}" for name in ("bit-cp", "cp", "icf", "modref", "pure-const", "ra", "reference", "sra",
                                       "stack-alignment", "vrp"))],
    "clang": [],
}
DIRECTIVE = re.compile(r"\s*(?:\.(?:align|addrsig\w*|file|globl|hidden|ident|local|p2align|section|size|text|type|weak)\b|#)")
STRING = re.compile(r"\s*\.(?:string|ascii|asciz)\s+(.*)")


def assembly(compiler, level, source):
    """Functions and tables of a file, by name: their lines, in which labels are numbered and texts stand for themselves.

    A call by way of the linkage table is one to another file, and no difference."""
    done = subprocess.run([compiler, "-std=c99", "-ffreestanding", "-fno-asynchronous-unwind-tables", level, *ALONE[compiler],
                           "-Iinclude", "-Isrc", "-I.", "-S", "-o", "-", source], cwd=ROOT, text=True, capture_output=True,
                          check=True)
    strings, bodies, label, name = {}, {}, "", None
    for line in done.stdout.splitlines():
        mark, text = re.match(r"([.\w]+):", line), STRING.match(line)
        if mark and not mark[1].startswith(".L"):
            name, label = mark[1], ""
            bodies[name] = []
            continue
        label = mark[1] if mark else label
        if text and label:
            strings[label] = strings.get(label, "") + text[1]
        elif re.match(r"\s*\.size\s", line):
            name = None
        elif name and not DIRECTIVE.match(line):
            bodies[name].append(re.sub(r"\s*# .*|@PLT", "", line))
    return {name: normal(lines, strings) for name, lines in bodies.items()}


def normal(lines, strings):
    labels = {}

    def rename(match):
        return strings.get(match[0]) or labels.setdefault(match[0], f".L{len(labels)}")

    return re.sub(r"\.L[\w.]+", rename, "\n".join(lines))


def differences(compiler, level, amalgamation):
    """How many functions and tables are the same, and the names of those that are not."""
    whole, left, same, different = assembly(compiler, level, amalgamation), set(), 0, []
    sources = sorted((ROOT / "src" / "core").rglob("*.c"))
    for source in sources:
        suffix = "_" + source.relative_to(ROOT / "src").with_suffix("").as_posix().replace("/", "_")
        for name, body in assembly(compiler, level, source).items():
            other = name + suffix if name + suffix in whole else name
            left.add(other)
            if whole.get(other, "").replace(suffix, "") == body:
                same += 1
            else:
                different.append(f"{source.name}: {name}")
    return same, different + [f"only in the amalgamation: {name}" for name in sorted(whole.keys() - left)]
