"""What the tests do not reach, and why.

A gap is a condition that was never true, never false, or never decided anything (MC/DC). Each has a row in
tests/coverage-gaps.md with the reason: `| file | condition | why |`. The file may be a pattern, the condition is the
text of the source. tools/coverage.py asks; a gap without a row is a failure, a row without a gap is said.
"""

from fnmatch import fnmatchcase


def read_reasons(path):
    """The rows of the table: (pattern of files, condition)."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.replace("\\|", "\0").strip("|").split("|")]
        if not line.startswith("|") or len(cells) != 3 or cells[0] in ("file", "---") or not cells[2]:
            continue
        rows.append((cells[0], cells[1].strip("`").replace("\0", "|")))
    return rows


def text_of(lines, place):
    """The source from one place to another, in one line."""
    line, column, last_line, last_column = place
    if line == last_line:
        return lines[line - 1][column - 1:last_column - 1]
    words = [lines[line - 1][column - 1:], *lines[line:last_line - 1], lines[last_line - 1][:last_column - 1]]
    return " ".join(word.strip() for word in words)


def gaps_of_file(name, about, root):
    """Gaps of one file: {(line, condition): what is missing}."""
    with open(name, encoding="utf-8") as source:
        lines = source.read().split("\n")
    counts = {}
    for branch in about["branches"]:
        place = tuple(branch[:4])
        true, false = counts.get(place, (0, 0))
        counts[place] = (true + branch[4], false + branch[5])
    missing = {}
    for place, (true, false) in counts.items():
        if not true or not false:
            missing[place] = "not reached" if not true and not false else "never true" if not true else "never false"
    decided = {}  # a decision of a source that a test includes stands in two programs: it is enough that one reaches it
    for decision in about["mcdc_records"]:
        first, last = (decision[0], decision[1]), (decision[2], decision[3])
        inside = sorted(place for place in counts if first <= place[:2] and place[2:] <= last)
        inside = [place for place in inside  # the conditions only, not what they are made of
                  if not any(other != place and other[:2] <= place[:2] and place[2:] <= other[2:] for other in inside)]
        for place, decides in zip(inside, decision[-1]):
            decided[place] = decided.get(place, False) or decides
    for place, decides in decided.items():
        if not decides:
            missing.setdefault(place, "never decides")
    short = name.split(str(root) + "/", 1)[1]
    return {(short, place[0], text_of(lines, place)): what for place, what in missing.items()}


def find(exported, root):
    """All gaps in what llvm-cov has exported: its files."""
    gaps = {}
    for about in exported["files"]:
        gaps.update(gaps_of_file(about["filename"], about, root))
    return gaps


def judge(gaps, path, folders):
    """Prints what is wrong with the gaps of some parts. Returns how many are explained, and how many are not."""
    rows = read_reasons(path)
    used = set()
    unexplained = []
    for (name, line, condition), what in sorted(gaps.items()):
        fitting = {row for row in rows if fnmatchcase(name, row[0]) and row[1] == condition}
        used |= fitting
        if not fitting:
            unexplained.append(f"FAIL  {name}:{line}: {what}, and {path.name} says nothing of it: {condition}")
    print("".join(f"{line}\n" for line in unexplained), end="")
    for row in rows:
        if row not in used and {*row[0].split("/")[1:2]} & {*folders, "*"}:
            print(f"note  {path.name}: no gap any more: {row[0]}: {row[1]}")
    return len(gaps) - len(unexplained), len(unexplained)
