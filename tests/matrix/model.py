"""What the page must show, worked out from a manifest and results without the code that makes the page."""

import unicodedata

GROUPS = {"stopped": {"crash", "hang", "memory"},
          "fault": {"wrong-accept", "wrong-reject", "wrong-value", "wrong-error", "crash", "hang", "memory",
                    "protocol"}}
COLUMNS = ["wrong-accept", "wrong-reject", "wrong-value", "wrong-error", "crash", "hang", "memory", "protocol",
           "unsupported", "withheld"]
SECRET = {"crash", "hang", "memory", "protocol", "unsupported"}     # not told of who withholds results
SYMBOLS = {"pass": "✓", "wrong-accept": "A", "wrong-reject": "R", "wrong-value": "V", "wrong-error": "E",
           "crash": "C", "hang": "H", "memory": "M", "protocol": "P", "unsupported": "u", "accepts": "a",
           "refuses": "r", "withheld": "w", "unknown": "?"}
OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}     # categories of what a browser obeys instead of showing it


def shown(text):
    """Text with whatever a browser would obey instead of showing written as an escape."""
    return "".join(f"\\u{ord(one):04x}" if unicodedata.category(one) in OBEYED else one for one in text)


def cut(text, longest):
    """At most so many characters, the last one a mark if some are missing."""
    return text if len(text) <= longest else text[:longest - 1] + "…"


class Model:
    """Manifest and results, and the answers to what a reader of the page may ask."""

    def __init__(self, manifest, digest, results):
        self.manifest, self.cases, self.digest = manifest, manifest["cases"], digest
        self.results = sorted(results, key=self.place)
        self.by_id = {case["id"]: case for case in self.cases}

    @staticmethod
    def place(one):
        """Where an implementation stands: by language, then by title."""
        return shown(one["language"]).lower(), shown(one["title"]).lower(), one["name"]

    def label(self, one):
        """The title, with the version if another one has the same title."""
        titles = [record["title"] for record in self.results]
        return shown(one["title"] if titles.count(one["title"]) == 1 else f"{one['title']} {one['version']}")

    def stale(self, one):
        """Whether the results were made with another manifest."""
        return one["manifest_sha256"] != self.digest

    def outcome(self, one, case):
        """The outcome's name; what stale results do not list is not known."""
        return one["outcomes"].get(case["id"], "unknown" if self.stale(one) else one["others"][case["verdict"]])

    def did(self, one, case):
        """What the implementation did, whatever it should have done; None for no answer."""
        outcome = self.outcome(one, case)
        if outcome in ("unsupported", "withheld", "unknown"):
            return None
        if outcome in ("accepts", "wrong-accept"):
            return "accept"
        if outcome in ("refuses", "wrong-reject"):
            return "refuse"
        if outcome != "pass":
            return outcome
        if one.get("profile") == "canonical" and case.get("canonical") is not True:
            return "refuse"
        if case["verdict"] != "choice":
            return {"accept": "accept", "reject": "refuse"}[case["verdict"]]
        flag = case["flags"][0]
        if flag in one["declares"]:
            return "accept" if self.manifest["flags"][flag]["declared"] == "accept" else "refuse"
        return "refuse" if self.manifest["flags"][flag]["declared"] == "accept" else "accept"

    def text(self, case):
        """What the search looks into."""
        parts = [shown(case["id"]), shown(case["reason"]), shown(case.get("danger", ""))]
        parts += [*case["rules"], *case["flags"]]
        parts.append(cut(shown(case["expect"]["descr"]), 240) if "expect" in case else "")
        parts.append(case["error"]["status"] if "error" in case else "")
        parts += [self.detail(one, case) for one in self.results]
        return "\n".join(parts).lower()

    def detail(self, one, case):
        """What the implementation said of the case, as the page shows it."""
        return cut(shown(one["details"].get(case["id"], "")), 300)

    def rows(self, hidden=(), **wanted):
        """The cases that a filter leaves, by ID, in order."""
        seen = [one for one in self.results if one["name"] not in hidden]
        return [shown(case["id"]) for case in self.cases if self.passes(case, seen, wanted)]

    def passes(self, case, seen, wanted):
        """Whether one case passes all filters; one that is not set lets everything through."""
        outcomes = GROUPS.get(wanted.get("outcome"), {wanted.get("outcome")})
        answers = {self.did(one, case) for one in seen} - {None}
        words = wanted.get("q", "").lower().split()
        return all([
            "topic" not in wanted or shown(case["id"]).startswith(wanted["topic"] + "/"),
            "verdict" not in wanted or case["verdict"] == wanted["verdict"],
            "flag" not in wanted or wanted["flag"] in case["flags"],
            "rule" not in wanted or wanted["rule"] in case["rules"],
            "outcome" not in wanted or any(self.outcome(one, case) in outcomes for one in seen),
            "differ" not in wanted or len(answers) > 1,
            not words or all(word in self.text(case) for word in words)])

    def totals(self, ids):
        """The cells of the totals table for these cases, line by line, as text."""
        wanted = set(ids)
        cases = [case for case in self.cases if shown(case["id"]) in wanted]
        return [self.line(one, cases) for one in self.results]

    def bars(self, ids):
        """The bars of the totals table for these cases: passed and unsupported, cut off after one digit."""
        wanted = set(ids)
        cases = [case for case in self.cases if shown(case["id"]) in wanted]
        of = {verdict: [case for case in cases if case["verdict"] == verdict] for verdict in ("accept", "reject")}
        return [[self.bar(one, *part) for part in of.items()] for one in self.results if not self.stale(one)]

    def passed(self, one, verdict, cases):
        """How many of these cases of a verdict passed, and of how many; None where that is withheld."""
        found = [self.outcome(one, case) for case in cases]
        bound = [outcome for outcome in found if outcome not in ("accepts", "refuses")]
        passed = bound.count("pass")
        if "withheld" in bound:
            passed = one["right"][verdict] if len(cases) == sum(case["verdict"] == verdict for case in self.cases) else None
        return passed, bound

    def bar(self, one, verdict, cases):
        """One bar; without cases it is grey."""
        passed, bound = self.passed(one, verdict, cases)
        if not bound:
            return ["0.0%", "100.0%"]
        left = bound.count("unsupported") + bound.count("withheld") - ("withheld" in bound and passed or 0)
        return [f"{number // 10}.{number % 10}%" for number in (part * 1000 // len(bound) for part in (passed or 0, left))]

    def line(self, one, cases):
        """The counts of one implementation."""
        if self.stale(one):
            return ["–"] * (3 + len(COLUMNS))
        of = {verdict: [case for case in cases if case["verdict"] == verdict]
              for verdict in ("accept", "reject", "choice")}
        cells = []
        for verdict in ("accept", "reject"):
            passed, bound = self.passed(one, verdict, of[verdict])
            cells.append("–" if passed is None else f"{passed:,} / {len(bound):,}")
        kind = "accepts" if one["declares"] is None else "pass"
        chosen = sum(self.outcome(one, case) == kind for case in of["choice"])
        secret = "withheld" in {self.outcome(one, case) for case in of["choice"]}
        cells.append("–" if secret else f"takes {chosen:,} of {len(of['choice']):,}" if one["declares"] is None
                     else f"{chosen:,} / {len(of['choice']):,} as declared")
        shy = "withheld" in one["others"].values()
        return cells + ["–" if shy and name in SECRET else f"{sum(self.outcome(one, case) == name for case in cases):,}"
                        for name in COLUMNS]
