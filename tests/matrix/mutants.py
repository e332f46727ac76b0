"""Mistakes to plant in the sources of the page, and the check that must notice each of them."""

import shutil
from dataclasses import dataclass

# Checks of what is committed: the same checks as others here, of other files. And one that looks at the browser.
EXEMPT = {"committed_page_is_fresh", "committed_page_works", "a_console_message_would_be_seen",
          "mutants_fit_the_sources"}


@dataclass(frozen=True)
class Mutant:
    """One text of one source replaced by another."""

    check: str
    title: str
    file: str
    old: str
    new: str

    def plant(self, sources, target):
        """Copies the sources and makes the mistake."""
        shutil.copytree(sources, target, ignore=shutil.ignore_patterns("index.html", "__pycache__"))
        shutil.copytree(sources.parent / "npy_conformance", target.parent / "npy_conformance", dirs_exist_ok=True)
        path = target / self.file
        path.write_text(path.read_text(encoding="utf-8").replace(self.old, self.new), encoding="utf-8")

    def fits(self, sources):
        """Whether there is one place, and one only, where the mistake can be made."""
        return (sources / self.file).read_text(encoding="utf-8").count(self.old) == 1


PY, JS, CSS, HTML = "make_matrix.py", "matrix.js", "matrix.css", "template.html"
MUTANTS = [
    Mutant("same_bytes_every_time", "details in the order of the file", PY,
           "    for number, text in sorted(texts.items()):",
           "    for number, text in texts.items():"),

    Mutant("fixes_name_every_fault", "no crashes among what to fix", PY,
           'if code not in "yn"}',
           'if code not in "ynC"}'),
    Mutant("fixes_name_every_fault", "cases that cannot be opened", PY,
           'href=f"#case={quote(name)}"',
           'href="#matrix"'),

    Mutant("check_tells_stale_from_fresh", "every page is fresh", PY,
           'if current == text.encode("utf-8"):',
           "if current:"),
    Mutant("check_tells_stale_from_fresh", "--check writes", PY,
           "    if check:\n        print(",
           "    if check and not path.write_text(text):\n        print("),

    Mutant("readme_gets_its_table", "passes of all verdicts", PY,
           'total.part[verdict]["pass"], total.number',
           'total.counts["pass"], total.number'),
    Mutant("readme_gets_its_table", "a marker inside a line counts", PY,
           "(?ms)^{re.escape(BEGIN)}\\n",
           "(?ms){re.escape(BEGIN)}"),
    Mutant("readme_gets_its_table", "stale results are counted", PY,
           "        if one.stale:\n            lines.append",
           "        if False:\n            lines.append"),
    Mutant("readme_gets_its_table", "a bar in a title is a column", PY,
           "[\\\\`*_\\[\\]<>|~&$]",
           "[\\\\`*_\\[\\]<>~&$]"),

    Mutant("bad_input_is_refused", "totals are believed", PY,
           '            self.verify(record["totals"])',
           "            pass"),
    Mutant("bad_input_is_refused", "strangers are let in", PY,
           "if strangers and not self.stale",
           "if False"),
    Mutant("bad_input_is_refused", "names may come twice", PY,
           "if len(set(names)) != len(names)",
           "if False"),
    Mutant("bad_input_is_refused", "no results are fine", PY,
           "    if not found:",
           "    if False:"),
    Mutant("bad_input_is_refused", "who declares nothing passes choices", PY,
           "        if asked is None:\n            raise",
           "        if False:\n            raise"),

    Mutant("page_is_well_formed", "a section is not closed", HTML,
           "</section>\n</main>",
           "</main>"),
    Mutant("page_is_well_formed", "a field without a label", HTML,
           '<label>Rule <select id="rule"></select></label>',
           '<select id="rule"></select>'),
    Mutant("page_is_well_formed", "a handler", HTML,
           "<header>",
           '<header onclick="1">'),
    Mutant("page_is_well_formed", "titles are not escaped", PY,
           'html.escape(one.title), class_="title"',
           'one.title, class_="title"'),

    Mutant("nothing_comes_from_elsewhere", "an icon from a network", HTML,
           'href="data:,"',
           'href="https://example.org/icon.png"'),
    Mutant("nothing_comes_from_elsewhere", "a font by address", CSS,
           "h1 { font-size",
           "h1 { background: url(x.png); font-size"),
    Mutant("nothing_comes_from_elsewhere", "a policy that lets all in", HTML,
           "default-src 'none'",
           "default-src *"),
    Mutant("nothing_comes_from_elsewhere", "a policy for another script", HTML,
           "@SCRIPT_HASH@",
           "@DIGEST@"),

    Mutant("no_text_becomes_html", "data may end their element", PY,
           '.replace("<", "\\\\u003c")',
           ""),
    Mutant("no_text_becomes_html", "the script writes HTML", JS,
           "node.append(...children.filter((child) => child !== null));",
           "node.innerHTML = children.join('');"),
    Mutant("no_text_becomes_html", "text may turn round", PY,
           "return OBEYED.sub(",
           "return (lambda call, value: value)("),

    Mutant("data_say_what_the_results_say", "stale results pass", PY,
           '"unknown" if self.stale else "pass"',
           '"pass"'),
    Mutant("data_say_what_the_results_say", "details are of the next case", PY,
           "self.details = {suite.index[case]:",
           "self.details = {suite.index[case] + 1:"),
    Mutant("data_say_what_the_results_say", "staleness is not told", PY,
           '"stale": one.stale,',
           '"stale": False,'),

    Mutant("totals_stand_in_the_html", "unsupported counts as passed", PY,
           'return element("td", f"{counts[\'pass\']:,} /',
           'return element("td", f"{counts[\'pass\'] + counts[\'unsupported\']:,} /'),
    Mutant("totals_stand_in_the_html", "bars of something else", PY,
           "--pass-share:{share(counts['pass'], number)}",
           "--pass-share:{share(counts['unsupported'], number)}"),
    Mutant("totals_stand_in_the_html", "no command", PY,
           'element("code", html.escape(one.command))',
           'element("code", "")'),
    Mutant("totals_stand_in_the_html", "a writer's canonical files are not counted", PY,
           'WRITTEN = ["pass", "canonical"]',
           'WRITTEN = ["pass"]'),

    Mutant("choices_stand_in_the_html", "wrong accepts are no accepts", PY,
           'in "yaAV"',
           'in "yaV"'),
    Mutant("choices_stand_in_the_html", "unsupported is refused", PY,
           'in "uCHMP?"',
           'in "CHMP?"'),

    Mutant("it_renders_every_row_and_cell", "cells of another row", JS,
           "=> cell(implementation, index))",
           "=> cell(implementation, at))"),
    Mutant("it_renders_every_row_and_cell", "labels without the detail", JS,
           "${detail ? ': ' + detail : ''}`;\n  }",
           "`;\n  }"),
    Mutant("it_renders_every_row_and_cell", "two columns of one name", PY,
           "one.title if titles.count(one.title) == 1 else",
           "one.title if True else"),
    Mutant("it_renders_every_row_and_cell", "rows come too late", JS,
           "- seen);",
           "+ 3);"),
    Mutant("it_renders_every_row_and_cell", "new rows at the wrong end", JS,
           "body.insertBefore(near.get(at), next)",
           "body.prepend(near.get(at))"),

    Mutant("only_near_rows_exist", "all rows are drawn", JS,
           "Math.min(rows.length, first + 3 * seen)",
           "rows.length"),
    Mutant("only_near_rows_exist", "rows that are far stay", JS,
           "if (at < first || at >= last) {",
           "if (at < first - 500) {"),

    Mutant("head_and_first_column_stay", "the head scrolls away", CSS,
           "thead th { position: sticky; top: 0;",
           "thead th { position: relative;"),
    Mutant("head_and_first_column_stay", "the names scroll away", CSS,
           "tr > th:first-child { position: sticky; left: 0;",
           "tr > th:first-child { position: relative;"),

    Mutant("console_is_silent_and_nothing_is_loaded", "a message", JS,
           "    openNamed();\n  }\n\n  for",
           "    openNamed();\n    console.info('here');\n  }\n\n  for"),
    Mutant("console_is_silent_and_nothing_is_loaded", "a picture", HTML,
           "<h1>",
           '<img src="../x.png" alt=""><h1>'),
    Mutant("console_is_silent_and_nothing_is_loaded", "an error in the details", JS,
           "    state.open = one.id;",
           "    state.open = one.id.nowhere.at.all;"),

    Mutant("symbols_and_colours_tell_outcomes_apart", "a letter twice", PY,
           '("H", "hang", "H",',
           '("H", "hang", "C",'),
    Mutant("symbols_and_colours_tell_outcomes_apart", "a colour twice", CSS,
           ".o-memory { background: #56b4e9;",
           ".o-memory { background: #0072b2;"),

    Mutant("contrast_is_enough", "pale text", CSS,
           "--quiet: #595959;",
           "--quiet: #8a8a8a;"),
    Mutant("contrast_is_enough", "dark text in the dark", CSS,
           "--quiet: #a8aaad;",
           "--quiet: #6a6a6d;"),
    Mutant("contrast_is_enough", "white on vermillion", CSS,
           ".o-wrong-accept { background: #d55e00; color: #000; }",
           ".o-wrong-accept { background: #d55e00; color: #fff; }"),

    Mutant("filter_by_topic", "a topic that begins alike", JS,
           "one.id.startsWith(state.topic + '/')",
           "one.id.startsWith(state.topic)"),

    Mutant("filter_by_verdict", "no filter", JS,
           "(!state.verdict || one.verdict === state.verdict)",
           "true"),

    Mutant("filter_by_flag", "files without flags come along", JS,
           "one.flags.some((flag) =>",
           "one.flags.every((flag) =>"),

    Mutant("filter_by_rule", "only the first rule", JS,
           "one.rules.some((rule) =>",
           "one.rules.slice(0, 1).some((rule) =>"),

    Mutant("filter_by_outcome", "hidden implementations count", JS,
           "(!names.size || shown.some(",
           "(!names.size || implementations.some("),
    Mutant("filter_by_outcome", "a group lacks one", JS,
           "new Set(['crash', 'hang', 'memory'])",
           "new Set(['crash', 'hang'])"),

    Mutant("filter_by_text", "one word is enough", JS,
           "words.every((word) =>",
           "words.some((word) =>"),
    Mutant("filter_by_text", "capitals matter", JS,
           "state.q.toLowerCase()",
           "state.q"),
    Mutant("filter_by_text", "messages are not searched", JS,
           "data.strings[implementation.details.get(at)] ?? ''",
           "''"),
    Mutant("filter_by_text", "nothing says that nothing is left", JS,
           "nothing.hidden = rows.length > 0;",
           ""),

    Mutant("filter_by_verdict", "a bar of nothing is a bar of faults", JS,
           "counts.bound ? share(counts.unsupported ?? 0, counts.bound) : '100.0%'",
           "share(counts.unsupported ?? 0, counts.bound)"),
    Mutant("filter_by_several_at_once", "the totals stay", JS,
           "    fillTotals();\n    draw();",
           "    draw();"),
    Mutant("filter_by_several_at_once", "Reset keeps columns out", JS,
           "state.differ = false;\n    hidden.clear();",
           "state.differ = false;"),
    Mutant("filter_by_several_at_once", "Reset keeps the switch", JS,
           "byId('differ').checked = state.differ = false;",
           ""),

    Mutant("only_rows_that_differ", "no answer is a difference", JS,
           "u: null, '?': null",
           "u: 'u', '?': null"),
    Mutant("only_rows_that_differ", "right and wrong differ", JS,
           "R: 'refuse',",
           "R: 'R',"),
    Mutant("only_rows_that_differ", "hidden columns count", JS,
           "|| differs(index, shown)",
           "|| differs(index, implementations)"),

    Mutant("implementations_can_be_hidden", "the wrong column goes", JS,
           "else hidden.add(one.name);",
           "else hidden.add(implementations[0].name);"),
    Mutant("implementations_can_be_hidden", "none does nothing", JS,
           "    for (const one of implementations) hidden.add(one.name);\n",
           ""),

    Mutant("address_holds_the_state", "the rule is forgotten", JS,
           "for (const key of CHOSEN) if (state[key]) words.set(key, state[key]);",
           "for (const key of CHOSEN) if (state[key] && key !== 'rule') words.set(key, state[key]);"),
    Mutant("address_holds_the_state", "names are not escaped", JS,
           "return '#' + words.toString();",
           "return '#' + decodeURIComponent(words.toString());"),
    Mutant("address_holds_the_state", "hidden columns come back", JS,
           "const hide = words.getAll('hide');",
           "const hide = [];"),

    Mutant("address_is_followed", "a change is not seen", JS,
           "addEventListener('hashchange'",
           "addEventListener('haschange'"),
    Mutant("address_is_followed", "nonsense filters all away", JS,
           "state[key] = field.value;\n    }",
           "state[key] = words.get(key) || '';\n    }"),

    Mutant("details_say_everything", "no messages", JS,
           "detail ? make('div', {class: 'detail'}, detail) : null,",
           "null,"),
    Mutant("details_say_everything", "links to no rule", PY,
           ".md#{quote(rule.lower())}",
           ".md"),
    Mutant("details_say_everything", "numbers lose digits", PY,
           'str(error["offset"])',
           'int(error["offset"])'),
    Mutant("details_say_everything", "a link to no file", JS,
           "file: file || `../${id}.npy`",
           "file: file || `../${name}.npy`"),
    Mutant("details_say_everything", "a link that ends too early", PY,
           'return quote("../" + case["file"], errors="surrogatepass")',
           'return "../" + case["file"].encode("utf-8", "replace").decode("utf-8")'),

    Mutant("rows_that_stay_are_not_touched", "all rows are put in again", JS,
           "    for (const [at, line] of near) {\n",
           "    body.replaceChildren();\n    near.clear();\n    for (const [at, line] of near) {\n"),

    Mutant("details_say_everything", "the writer's faults are not told", JS,
           "const written = data.strings[one.wrote.get(index)];",
           "const written = '';"),

    Mutant("details_open_from_the_address", "they do not", JS,
           "    update();\n    openNamed();\n  }\n\n  for",
           "    update();\n  }\n\n  for"),

    Mutant("implementation_details_say_everything", "null is written", JS,
           "nodes.filter((node) => node !== null)",
           "nodes"),
    Mutant("implementation_details_say_everything", "no command", JS,
           "make('code', {}, one.command)",
           "''"),

    Mutant("hostile_texts_stay_text", "names become HTML", JS,
           "const isolated = (text) => make('bdi', {}, text);",
           "const isolated = (text) => { const node = make('bdi'); node.innerHTML = text; return node; };"),
    Mutant("hostile_texts_stay_text", "text may turn round", PY,
           "return OBEYED.sub(",
           "return (lambda call, value: value.encode('utf-8', 'replace').decode('utf-8'))("),

    Mutant("keyboard_reaches_everything", "the matrix is not reached", JS,
           "role: 'grid', tabindex: '0'",
           "role: 'grid', tabindex: '-1'"),

    Mutant("keyboard_moves_through_rows", "the row is out of sight", JS,
           "if (scroller.scrollTop < lowest) scroller.scrollTop = lowest;",
           ""),

    Mutant("keyboard_opens_and_closes_details", "Enter does nothing", JS,
           "event.key === 'Enter' || event.key === ' '",
           "event.key === ' '"),

    Mutant("keyboard_moves_through_rows", "Page Down does nothing", JS,
           "PageDown: start + page,",
           "PageDown: start,"),

    Mutant("keyboard_opens_and_closes_details", "no way through the details", JS,
           "ArrowRight: 'next row'",
           "ArrowRight: 'previous row'"),

    Mutant("phone_has_no_overflow", "tables push the page", CSS,
           ".scroll { overflow: auto; max-width: 100%;",
           ".scroll { overflow: auto;"),
    Mutant("phone_has_no_overflow", "long types push the details", CSS,
           "0 1.25rem 2rem; overflow-wrap: anywhere; }",
           "0 1.25rem 2rem; }"),
    Mutant("phone_has_no_overflow", "names take all the room", CSS,
           "--cell: 30px; --first: 9.5rem;",
           "--cell: 30px; --first: 19.5rem;"),
    Mutant("phone_has_no_overflow", "rows for needles", CSS,
           "--row: 38px;",
           "--row: 24px;"),

    Mutant("rows_keep_their_height", "rows higher than told", CSS,
           "#grid tbody tr { height: var(--row);",
           "#grid tbody tr { height: 41px;"),
    Mutant("rows_keep_their_height", "room for one row too few", JS,
           "below.style.height = (rows.length - last)",
           "below.style.height = (rows.length - last - 1)"),

    Mutant("totals_are_readable_without_a_script", "an empty table", HTML,
           '<table id="totals">\n@TOTALS@',
           '<table id="totals">'),
    Mutant("totals_are_readable_without_a_script", "dead filters", HTML,
           '<form id="filters" hidden>',
           '<form id="filters">'),
]
