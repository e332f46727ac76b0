"""A small suite and results of imagined implementations, for the tests of the page. Standard library only.

Every outcome, verdict and kind of declaration comes in it; so do results made for another edition, and names and
messages that try to become HTML, script, a template's placeholder, or text that runs the other way. The same seed
gives the same files.
"""

import hashlib
import json
import random

FLAGS = {
    "strict": {"declared": "reject", "text": "NumPy takes the spelling, and no NumPy ever wrote it."},
    "int-shape": {"declared": "accept", "text": "A shape `3` for <b>(3,)</b> & \"others\"."},
    "type-names": {"declared": "accept", "text": "A type by its name."},
}
TOPICS = [("accept", "accept/plain"), ("accept", "accept/record/nested"), ("accept", "accept/record/title"),
          ("reject", "reject/frame"), ("reject", "reject/literal"), ("reject", "reject/literals-too"),
          ("choice", "choice/compat"), ("choice", "choice/strict")]
SCRIPT = "</script><script>window.hacked = 1</script>"
IMAGE = "\"'><img src=x onerror=\"window.hacked = 2\">"
TURNED = "\u202egnp.exe\u2066 \u200f"
HOSTILE = [f"reject/literal/{SCRIPT}", f"reject/literal/{IMAGE}", f"reject/literal/{TURNED}",
           "reject/literal/@DATA@", "reject/literal/__proto__", "reject/literal/constructor",
           "reject/literal/a&lt;b?c#d%20e",
           "reject/literal/\u4f60\u597d \U0001f40d", "reject/literal/\n\x07\x1b[31m", "reject/literal/\ud800"]
MESSAGES = ["shape: [3] instead of [3, 4]", "invalid header: expected ',' found 'L'", f"no {SCRIPT}",
            f"bad {IMAGE}", f"what {TURNED}", "line one\nline two\x07", "lone \udfff half", "-->", "<!-- <script>",
            "@SCRIPT@", "x" * 2000]
REASONS = ["A plain one.", "Reason {} & <i>why</i>.", "Another reason, {}.", SCRIPT, "@TOTALS@"]
TOLD = {"wrong-accept", "wrong-reject", "wrong-value", "wrong-error", "unsupported", "accepts", "refuses"}
# Who withholds what it does with the cases of a verdict.
SHY = {"accept": ["reader-2"], "reject": ["reader-2", "reader-4", "script"], "choice": ["reader-2", "script"]}
FAULTS = {"accept": ["wrong-reject", "wrong-value", "unsupported", "crash", "protocol"],
          "reject": ["wrong-accept", "wrong-error", "unsupported", "crash", "hang", "memory"],
          "choice": ["unsupported", "wrong-value", "crash"]}


def rule_of(dice):
    """A rule of one of the two documents."""
    return f"{dice.choice(['NPY-FRAME', 'NPY-LIT', 'NPY-SHAPE', 'NPZ-DIR'])}-{dice.randint(1, 9):03d}"


def case(dice, name, verdict, flag):
    """One record of the manifest."""
    shape = [dice.choice([0, 1, 3, 2 ** 60]) for _ in range(dice.randint(0, 3))]
    descr = dice.choice(["<f8", ">i4", "[('<b>', '<i2')]", "|S5", "[('" + "y" * 400 + "', '|u1')]"])
    record = {"id": name, "file": name + ".npy", "sha256": "0" * 64, "format": "npy 1.0", "verdict": verdict,
              "flags": [flag] if flag else [], "rules": sorted({rule_of(dice), rule_of(dice)}),
              "reason": dice.choice(REASONS).format(dice.randint(1, 50)),
              "numpy": {"2.4.6": dice.choice(["accept", "reject"]), "1.26.4": "accept"}, "maker": "fixture.py"}
    if verdict == "accept" and dice.random() < 0.7:
        record["canonical"] = dice.random() < 0.5
    if verdict != "reject":
        record["expect"] = {"version": "1.0", "descr": descr, "shape": shape, "fortran_order": dice.random() < 0.5,
                            "itemsize": 8, "count": 1, "data_offset": 128,
                            "data_size": dice.choice([None, 0, 24, 2 ** 63 - 1]), "has_object": False}
    if verdict != "accept":
        record["error"] = {"status": f"SNPY_{len(name) % 7}_STATUS", "offset": dice.choice([0, 61, 2 ** 63])}
    return record


def manifest(dice, size):
    """A suite of about `size` cases, the hostile ones among them."""
    cases = []
    for number in range(size):
        verdict, topic = TOPICS[number * len(TOPICS) // size]
        flag = None
        if verdict == "choice":
            flag = "strict" if topic.endswith("strict") else dice.choice(["int-shape", "type-names"])
        cases.append(case(dice, f"{topic}/case-{number:04d}", verdict, flag))
    cases += [case(dice, name, "reject", None) for name in HOSTILE]
    cases.sort(key=lambda one: one["id"])
    return {"suite": "suite & <test>", "version": "9.9.9", "unicode": "14.0.0", "flags": FLAGS, "cases": cases}


def outcome(dice, one, declares, badness, profile):
    """What an imagined implementation does with a case."""
    if profile == "narrow":
        return narrow(dice, one)
    if dice.random() < badness:
        return dice.choice(FAULTS[one["verdict"]])
    if profile and one["verdict"] == "accept" and "canonical" not in one:
        return dice.choice(["accepts", "refuses"])
    if one["verdict"] == "choice":
        if declares is None:
            return dice.choice(["accepts", "refuses"])
        if dice.random() < badness:
            return dice.choice(["wrong-accept", "wrong-reject"])
    return "pass"


def narrow(dice, one):
    """One that takes hardly anything: of one flag it knows nothing, one it half knows, one it refuses."""
    if one["flags"] == ["strict"]:
        return "refuses"
    return dice.choice(["unsupported", "refuses"]) if one["flags"] == ["int-shape"] else "unsupported"


def results(dice, suite, digest, number, who):
    """One file of results."""
    name, title, language, declares, badness = who
    profile = {"exact": "canonical", "narrow": "narrow"}.get(name)
    outcomes = {one["id"]: outcome(dice, one, declares, badness, profile) for one in suite["cases"]}
    others, right = dict.fromkeys(("accept", "reject", "choice"), "pass"), {}
    for verdict in others:
        cases = [one["id"] for one in suite["cases"] if one["verdict"] == verdict]
        right[verdict] = sum(outcomes[case] == "pass" for case in cases)
        if name in SHY[verdict]:
            others[verdict] = "withheld"
            outcomes |= {case: "withheld" for case in cases if not outcomes[case].startswith("wrong-")}
    totals = {}
    for value in outcomes.values():
        totals[value] = totals.get(value, 0) + 1
    faults = {key: value for key, value in outcomes.items() if value not in ("pass", "withheld")}
    details = {key: dice.choice(MESSAGES) for key, value in faults.items() if value not in ("accepts", "refuses")}
    ids = [one["id"] for one in suite["cases"]]
    writer = {"others": dict.fromkeys(others, "pass"), "right": {"accept": 40, "reject": 0, "choice": 0}, "totals": {"canonical": 1, "pass": 39, "unreadable": 1, "wrong-value": 1},
              "outcomes": {ids[0]: "wrong-value", ids[1]: "canonical", ids[2]: "unreadable"},
              "details": {ids[0]: MESSAGES[2]}}
    public = None if set(faults.values()) <= TOLD else "https://example.org/report"
    return {"results": 2, "public": public, "others": others, "right": right, "name": name, "title": title, "version": f"0.{number}.1", "language": language,
            "loader": dice.choice(["stream", "map", "file"]), "command": f"BUILD/{name} --quiet <in> & {SCRIPT}",
            "level": "lines", "suite": suite["version"], "manifest_sha256": digest, "declares": declares,
            "totals": totals, "outcomes": faults, "details": details, "profile": profile,
            "writer": writer if number % 3 == 0 else None, "notes": "a note" if number % 2 else "",
            "problems": [MESSAGES[3]] if number == 2 else []}


def make(directory, size=240, seed=5):
    """Writes manifest.json and results/ below `directory`; returns the manifest and the results by name."""
    dice = random.Random(seed)
    suite = manifest(dice, size)
    text = json.dumps(suite, indent=1).encode("ascii")
    digest = hashlib.sha256(text).hexdigest()
    (directory / "results").mkdir(parents=True)
    (directory / "manifest.json").write_bytes(text)
    people = [("perfect", "perfect", "C", ["strict"], 0),
              ("compat", "perfect, all flags", "C", ["int-shape", "type-names"], 0),
              ("same", "perfect", "Zig", ["strict"], 0), ("exact", "canonical only", "C", ["strict"], 0.05),
              ("narrow", "takes little", "C", None, 0), ("__proto__", "proto", "JavaScript", None, 0.3),
              ("constructor", f"evil {IMAGE}", "HTML", None, 0.4), ("a,b&c=d#e%", f"{TURNED}", "Arabic", [], 0.2),
              ("old", "an old one", "Go", None, 0.3), ("script", SCRIPT, "C++", [], 0.5)]
    people += [(f"reader-{number}", f"reader {number} | `x` <y>", "Rust", None, 0.1 * number)
               for number in range(1, 8)]
    found = {}
    for number, who in enumerate(people):
        record = results(dice, suite, digest, number, who)
        if who[0] == "old":
            record["manifest_sha256"], record["suite"] = "f" * 64, "8.0.0"
            record["outcomes"]["reject/gone/away"] = "crash"
        (directory / "results" / f"{number:02d}.json").write_text(json.dumps(record), encoding="ascii")
        found[who[0]] = record
    return suite, found
