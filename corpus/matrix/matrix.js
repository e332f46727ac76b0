/* The page of implementations × cases: filters, totals, matrix, details.
 *
 * The data may hold hostile names and messages, so nothing here makes HTML from text: every text becomes a text
 * node or an attribute. Only the rows near the visible part of the matrix exist as elements; the others are two
 * empty rows of their height. The filters are written into the address behind the #, and read from there.
 */
(() => {
  'use strict';

  const data = JSON.parse(document.getElementById('data').textContent);
  const byId = (id) => document.getElementById(id);
  const number = (value) => value.toLocaleString('en-US');

  const outcomes = new Map(data.outcomes.map(([code, name, symbol, text]) => [code, {code, name, symbol, text}]));
  const GROUPS = {
    fault: {title: 'any fault', names: new Set(data.outcomes.filter((row) => row[4]).map((row) => row[1]))},
    stopped: {title: 'crash, hang or memory', names: new Set(['crash', 'hang', 'memory'])},
  };
  // Each outcome once: a pass has two codes.
  const singly = () => [...outcomes.values()].filter((outcome) => outcome.code !== 'n');
  // What an implementation did, whatever was asked: two that did the same do not differ. Null is no answer.
  const DID = {y: 'accept', A: 'accept', a: 'accept', n: 'refuse', R: 'refuse', r: 'refuse', u: null, w: null, '?': null};

  // What was said, by case: each text stands once, with the distances from case to case.
  function unpacked(details) {
    const found = new Map();
    for (const [text, ...steps] of details) {
      let at = 0;
      for (const step of steps) found.set(at += step, text);
    }
    return found;
  }

  const implementations = data.implementations.map((one) => {
    return {...one, details: unpacked(one.details), wrote: unpacked(one.writer ? one.writer.faults : [])};
  });
  const cases = data.cases.map((record) => {
    const [topic, name, verdict, reason, rules, flags, expect, error, danger, numpy, file] = record;
    const path = data.topics[topic];
    const id = path ? path + '/' + name : name;
    return {
      topic: path, name, id, verdict: data.verdicts[verdict], reason: data.strings[reason],
      rules: rules.map((rule) => data.rules[rule]), flags: flags.map((flag) => data.flags[flag]),
      expect: data.expects[expect], error: error && [data.strings[error[0]], error[1]],
      danger: data.strings[danger], numpy: data.strings[numpy], file: file || `../${id}.npy`,
    };
  });
  const spaced = (name) => name.replace('-', ' ');

  /* ---- Elements ---- */

  function make(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== null && value !== false) node.setAttribute(key, value === true ? '' : value);
    }
    node.append(...children.filter((child) => child !== null));
    return node;
  }

  const chip = (outcome) => make('span', {class: 'chip o-' + outcome.name, 'aria-hidden': 'true'}, outcome.symbol);
  const isolated = (text) => make('bdi', {}, text);

  /* ---- State, and the address that holds it ---- */

  const CHOSEN = ['q', 'topic', 'verdict', 'flag', 'rule', 'outcome'];
  const state = {q: '', topic: '', verdict: '', flag: '', rule: '', outcome: '', differ: false, open: ''};
  const hidden = new Set();
  let rows = cases.map((_, index) => index);
  let writing = null;

  function readAddress() {
    const words = new URLSearchParams(location.hash.slice(1));
    for (const key of CHOSEN) {
      const field = byId(key);
      field.value = words.get(key) || '';
      state[key] = field.value;
    }
    state.differ = words.get('differ') === '1';
    byId('differ').checked = state.differ;
    state.open = words.get('case') || '';
    const only = words.getAll('only');
    const hide = words.getAll('hide');
    hidden.clear();
    for (const {name} of implementations) {
      if (hide.includes(name) || (only.length && !only.includes(name))) hidden.add(name);
    }
  }

  function address() {
    const words = new URLSearchParams();
    for (const key of CHOSEN) if (state[key]) words.set(key, state[key]);
    if (state.differ) words.set('differ', '1');
    const shown = implementations.filter((one) => !hidden.has(one.name));
    if (hidden.size <= shown.length || !shown.length) for (const name of hidden) words.append('hide', name);
    else for (const one of shown) words.append('only', one.name);
    if (state.open) words.set('case', state.open);
    return '#' + words.toString();
  }

  // Browsers refuse a page that changes its address too often, so typing is written down when it pauses.
  function writeAddress() {
    clearTimeout(writing);
    writing = setTimeout(() => {
      try {
        history.replaceState(null, '', address());
      } catch {
        writing = null; // the page works without it; only the link to the view is missing
      }
    }, 150);
  }

  /* ---- Filters ---- */

  let haystacks = null;

  function haystack(index) {
    haystacks ??= cases.map((one, at) => [
      one.id, one.reason, one.danger, ...one.rules.map((rule) => rule[0]), ...one.flags.map((flag) => flag[0]),
      one.expect[1] ?? '', one.error ? one.error[0] : '',
      ...implementations.map((implementation) => data.strings[implementation.details.get(at)] ?? ''),
    ].join('\n').toLowerCase());
    return haystacks[index];
  }

  const wanted = () => GROUPS[state.outcome]?.names ?? new Set(state.outcome ? [state.outcome] : []);

  function differs(index, shown) {
    const did = new Set();
    for (const one of shown) {
      const code = one.codes[index];
      const what = code in DID ? DID[code] : code;
      if (what !== null) did.add(what);
    }
    return did.size > 1;
  }

  function filtered() {
    const shown = implementations.filter((one) => !hidden.has(one.name));
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const names = wanted();
    const passes = (one, index) =>
      (!state.topic || one.id.startsWith(state.topic + '/')) &&
      (!state.verdict || one.verdict === state.verdict) &&
      (!state.flag || one.flags.some((flag) => flag[0] === state.flag)) &&
      (!state.rule || one.rules.some((rule) => rule[0] === state.rule)) &&
      (!names.size || shown.some((implementation) => names.has(outcomes.get(implementation.codes[index]).name))) &&
      (!state.differ || differs(index, shown)) &&
      words.every((word) => haystack(index).includes(word));
    return cases.map((_, index) => index).filter((index) => passes(cases[index], index));
  }

  function fill(select, every, entries) {
    select.replaceChildren(make('option', {value: ''}, every),
      ...entries.map(([value, text]) => make('option', {value}, text)));
  }

  function tally(keys) {
    const counts = new Map();
    for (const one of cases) for (const key of keys(one)) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  function folders(one) {
    const parts = one.topic.split('/');
    return one.topic ? parts.map((_, depth) => parts.slice(0, depth + 1).join('/')) : [];
  }

  function fillFilters() {
    const counted = ([value, count]) => [value, `${value} (${number(count)})`];
    const indent = (value) => '\u00a0\u00a0'.repeat(value.split('/').length - 1);
    const deeper = ([value, count]) => [value, `${indent(value)}${value} (${number(count)})`];
    fill(byId('topic'), 'all', tally(folders).map(deeper));
    fill(byId('verdict'), 'all', tally((one) => [one.verdict]).map(counted));
    fill(byId('flag'), 'all', tally((one) => one.flags.map((flag) => flag[0])).map(counted));
    fill(byId('rule'), 'all', tally((one) => one.rules.map((rule) => rule[0])).map(counted));
    fill(byId('outcome'), 'all', [...Object.entries(GROUPS).map(([name, group]) => [name, group.title]),
      ...singly().map(({name}) => [name, spaced(name)])]);
  }

  /* ---- Totals ---- */

  const COUNTED = [...GROUPS.fault.names, 'unsupported', 'withheld'];
  const HIDDEN = new Set(['crash', 'hang', 'memory', 'protocol', 'unsupported']); // where results are withheld
  const whole = {accept: 0, reject: 0, choice: 0};
  for (const one of cases) whole[one.verdict] += 1;

  function share(count, whole) {
    const tenths = whole ? Math.floor(count * 1000 / whole) : 0;
    return `${Math.floor(tenths / 10)}.${tenths % 10}%`;
  }

  // How often each outcome came among the filtered rows, by verdict. What asks nothing of an implementation, and
  // so can neither be passed nor failed, is not bound.
  function count(one) {
    const counts = {accept: {all: 0, bound: 0}, reject: {all: 0, bound: 0}, choice: {all: 0, bound: 0}};
    for (const index of rows) {
      const part = counts[cases[index].verdict];
      const {name} = outcomes.get(one.codes[index]);
      part[name] = (part[name] ?? 0) + 1;
      part.all += 1;
      part.bound += name !== 'accepts' && name !== 'refuses';
    }
    return counts;
  }

  const together = (counts, name) => Object.values(counts).reduce((sum, part) => sum + (part[name] ?? 0), 0);

  // Where results are withheld, what is right is known of the whole suite only.
  function fillShare(cell, counts, right, whole) {
    const withheld = counts.withheld ?? 0;
    const known = !withheld || counts.all === whole;
    const passed = known ? (withheld ? right : counts.pass ?? 0) : 0;
    const open = (counts.unsupported ?? 0) + (withheld && withheld - passed);
    cell.textContent = known ? `${number(passed)} / ${number(counts.bound)}` : '–';
    cell.style.setProperty('--pass-share', share(passed, counts.bound));
    cell.style.setProperty('--open-share', counts.bound ? share(open, counts.bound) : '100.0%');
  }

  function fillTotals() {
    const lines = [...byId('totals').tBodies[0].rows];
    implementations.forEach((one, at) => {
      const line = lines[at];
      const off = hidden.has(one.name);
      line.classList.toggle('off', off);
      line.querySelector('.pick').checked = !off;
      if (one.stale) return;
      const counts = count(one);
      const {accept, reject, choice} = counts;
      fillShare(line.cells[1], accept, one.right.accept, whole.accept);
      fillShare(line.cells[2], reject, one.right.reject, whole.reject);
      line.cells[3].textContent = choice.withheld ? '–' : one.declares === null
        ? `takes ${number(choice.accepts ?? 0)} of ${number(choice.all)}`
        : `${number(choice.pass ?? 0)} / ${number(choice.bound)} as declared`;
      COUNTED.forEach((name, column) => {
        const cell = line.cells[4 + column];
        const unknown = HIDDEN.has(name) && one.codes.includes('w');
        const times = unknown ? 0 : together(counts, name);
        cell.textContent = unknown ? '–' : number(times);
        cell.className = times ? 'count o-' + name : 'count zero';
      });
    });
    byId('scope').textContent = rows.length === cases.length ? 'Of the whole suite.'
      : `Of the ${number(rows.length)} of ${number(cases.length)} cases that the filter leaves.`;
  }

  function prepareTotals() {
    byId('totals').classList.add('live');
    [...byId('totals').tBodies[0].rows].forEach((line, at) => {
      const one = implementations[at];
      const title = line.querySelector('.title');
      const label = 'show the column of ' + one.label;
      const pick = make('input', {type: 'checkbox', class: 'pick', 'aria-label': label});
      pick.addEventListener('change', () => {
        if (pick.checked) hidden.delete(one.name);
        else hidden.add(one.name);
        update(true);
      });
      const button = make('button', {type: 'button', class: 'title'}, one.title);
      button.addEventListener('click', () => showImplementation(one));
      title.replaceWith(pick, button);
    });
  }

  /* ---- Matrix ---- */

  const scroller = byId('scroller');
  const above = make('tr', {role: 'presentation'}, make('td', {role: 'presentation'}));
  const below = above.cloneNode(true);
  const nothing = make('tr', {hidden: true}, make('td', {class: 'nothing'}, 'No case is like that.'));
  const body = make('tbody');
  const head = make('thead');
  const grid = make('table', {id: 'grid', role: 'grid', tabindex: '0', 'aria-labelledby': 'matrix-title'}, head,
    make('tbody', {class: 'space'}, above), body, make('tbody', {class: 'space'}, below, nothing));
  const near = new Map();   // the rows that exist, by their number among the filtered
  let active = -1;          // the row that the keyboard is at
  let height = 26;          // of a row, measured
  let shownColumns = [];

  function said(one, index) {
    const outcome = outcomes.get(one.codes[index]);
    const detail = data.strings[one.details.get(index)];
    return `${one.label}: ${spaced(outcome.name)}: ${outcome.text}${detail ? ': ' + detail : ''}`;
  }

  function cell(one, index) {
    const outcome = outcomes.get(one.codes[index]);
    const text = said(one, index);
    const attributes = {class: 'o-' + outcome.name, role: 'gridcell', title: text, 'aria-label': text};
    return make('td', attributes, outcome.symbol);
  }

  function row(at) {
    const index = rows[at];
    const one = cases[index];
    const name = make('th', {scope: 'row', role: 'rowheader', title: one.id},
      make('span', {class: 'topic'}, isolated(one.topic && one.topic + '/')),
      make('span', {class: 'name'}, isolated(one.name)));
    const cells = shownColumns.map((implementation) => cell(implementation, index));
    const line = make('tr', {id: 'row-' + at, role: 'row', 'aria-rowindex': at + 2}, name, ...cells);
    line.classList.toggle('active', at === active);
    line.dataset.at = at;
    return line;
  }

  // Rows that stay are not touched: a row that is taken out and put back loses the click that is just being made.
  function drawNear() {
    const seen = Math.ceil(scroller.clientHeight / height);
    const first = Math.max(0, Math.min(Math.floor(scroller.scrollTop / height), rows.length) - seen);
    const last = Math.min(rows.length, first + 3 * seen);
    for (const [at, line] of near) {
      if (at < first || at >= last) {
        line.remove();
        near.delete(at);
      }
    }
    let next = null;
    for (let at = last - 1; at >= first; at--) {
      if (!near.has(at)) {
        near.set(at, row(at));
        body.insertBefore(near.get(at), next);
      }
      next = near.get(at);
    }
    above.style.height = first * height + 'px';
    below.style.height = (rows.length - last) * height + 'px';
  }

  function drawHead() {
    shownColumns = implementations.filter((one) => !hidden.has(one.name));
    const columns = shownColumns.map((one) => {
      const attributes = {type: 'button', tabindex: '-1', class: one.stale ? 'stale' : null};
      const button = make('button', attributes, isolated(one.label));
      button.addEventListener('click', () => showImplementation(one));
      const about = `${one.title} ${one.version}, ${one.language}${one.stale ? ', stale results' : ''}`;
      return make('th', {scope: 'col', role: 'columnheader', class: 'turned', title: about}, button);
    });
    head.replaceChildren(make('tr', {role: 'row', 'aria-rowindex': 1},
      make('th', {scope: 'col', role: 'columnheader'}, 'Case'), ...columns));
    const widths = make('colgroup', {}, make('col'), ...columns.map(() => make('col')));
    [...widths.children].forEach((column, at) => { column.style.width = at ? 'var(--cell)' : 'var(--first)'; });
    grid.querySelector('colgroup')?.remove();
    grid.prepend(widths);
    grid.style.setProperty('--columns', shownColumns.length);
    for (const line of [above, below, nothing]) line.cells[0].colSpan = shownColumns.length + 1;
    grid.setAttribute('aria-colcount', shownColumns.length + 1);
  }

  function draw() {
    near.clear();
    body.replaceChildren();
    active = -1;
    grid.removeAttribute('aria-activedescendant');
    drawHead();
    nothing.hidden = rows.length > 0;
    grid.setAttribute('aria-rowcount', rows.length + 1);
    scroller.scrollTop = 0;
    measure();
    drawNear();
  }

  function measure() {
    height = parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || height;
  }

  let drawing = false;
  function drawSoon() {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => { drawing = false; drawNear(); });
  }

  function activate(at) {
    if (!rows.length) return;
    near.get(active)?.classList.remove('active');
    active = Math.max(0, Math.min(at, rows.length - 1));
    const covered = head.offsetHeight;
    if (scroller.scrollTop > active * height) scroller.scrollTop = active * height;
    const lowest = (active + 1) * height + covered - scroller.clientHeight;
    if (scroller.scrollTop < lowest) scroller.scrollTop = lowest;
    drawNear();
    near.get(active)?.classList.add('active');
    grid.setAttribute('aria-activedescendant', 'row-' + active);
  }

  function onGridKey(event) {
    const page = Math.max(1, Math.floor((scroller.clientHeight - head.offsetHeight) / height) - 1);
    const start = active < 0 ? Math.ceil(scroller.scrollTop / height) : active;
    const target = {ArrowDown: active < 0 ? start : active + 1, ArrowUp: start - 1, PageDown: start + page,
      PageUp: start - page, Home: 0, End: rows.length - 1}[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey || event.target !== grid) return;
    if (target !== undefined) activate(target);
    else if ((event.key === 'Enter' || event.key === ' ') && active >= 0) showCase(rows[active]);
    else return;
    event.preventDefault();
  }

  function onGridClick(event) {
    const line = event.target.closest('tr[data-at]');
    if (!line) return;
    activate(Number(line.dataset.at));
    showCase(rows[active]);
  }

  /* ---- Details ---- */

  const dialog = byId('dialog');
  const sheet = byId('sheet');

  function list(pairs) {
    return make('dl', {}, ...pairs.filter(([, value]) => value !== '' && value !== null)
      .flatMap(([term, value]) => [make('dt', {}, term), make('dd', {}, ...[value].flat())]));
  }

  function controls(place, ...buttons) {
    const close = make('button', {type: 'button', 'aria-label': 'close'}, '✕');
    close.addEventListener('click', () => dialog.close());
    return make('nav', {}, make('span', {class: 'place'}, place), ...buttons, close);
  }

  function step(label, symbol, at) {
    const disabled = at < 0 || at >= rows.length;
    const button = make('button', {type: 'button', 'aria-label': label, disabled}, symbol);
    button.addEventListener('click', () => { activate(at); showCase(rows[at]); });
    return button;
  }

  function wants(one) {
    const pairs = [];
    const labels = ['Version', 'Type', 'Shape', 'Order', 'Item size', 'Data begin at', 'Data'];
    pairs.push(...one.expect.map((value, at) => [labels[at], at === 1 ? make('code', {}, value) : value]));
    if (one.error) {
      const refused = [make('code', {}, one.error[0]), ` at byte ${one.error[1]}`];
      pairs.push([one.verdict === 'choice' ? 'Or refused with' : 'Refused with', refused]);
    }
    return list(pairs);
  }

  function answer(one, index) {
    const outcome = outcomes.get(one.codes[index]);
    const detail = data.strings[one.details.get(index)];
    const written = data.strings[one.wrote.get(index)];
    return make('li', {'data-name': one.name}, chip(outcome), make('div', {},
      make('b', {}, isolated(one.title)), ` ${one.version}: `,
      make('span', {class: 'outcome'}, spaced(outcome.name)), `, ${outcome.text}.`,
      detail ? make('div', {class: 'detail'}, detail) : null,
      written ? make('div', {class: 'wrote'}, 'As a writer: ' + written) : null));
  }

  function links(rules) {
    return rules.flatMap(([rule, target], at) => [at ? ', ' : '', make('a', {href: target}, rule)]);
  }

  function present(...nodes) {
    sheet.replaceChildren(...nodes.filter((node) => node !== null));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    sheet.querySelector('h2').focus();
  }

  const CONTENT = {
    accept: 'What is in it', reject: 'How safenpy refuses it', choice: 'What is in it, or how safenpy refuses it',
  };

  function showCase(index) {
    const one = cases[index];
    const at = rows.indexOf(index);
    const file = make('a', {href: one.file, download: true}, one.name + '.npy');
    const pages = document.querySelector('meta[name="case-pages"]').content;
    const page = pages && make('a', {href: `${pages}${one.id}.html`}, 'bytes and reasons');
    const flags = one.flags.flatMap(([flag, , text]) => [make('code', {}, flag), ` ${text}`]);
    present(
      controls(at < 0 ? 'Not among the filtered rows' : `${number(at + 1)} of ${number(rows.length)}`,
        step('previous row', '↑', at < 0 ? -1 : at - 1), step('next row', '↓', at < 0 ? -1 : at + 1)),
      make('h2', {id: 'dialog-title', tabindex: '-1'}, isolated(one.id)),
      make('p', {class: 'reason'}, one.reason),
      list([['Verdict', one.verdict], ['Flag', flags.length ? flags : ''], ['Rules', links(one.rules)],
        ['Danger', one.danger], ['NumPy', one.numpy], ['File', file], ['Page', page]]),
      make('h3', {}, CONTENT[one.verdict]),
      wants(one),
      make('h3', {}, 'What each implementation did'),
      make('ul', {class: 'said'}, ...implementations.map((implementation) => answer(implementation, index))));
    state.open = one.id;
    writeAddress();
  }

  function showImplementation(one) {
    const declares = one.declares === null ? 'nothing' : one.declares.join(', ') || 'none of the flags';
    const writes = one.writer ? one.writer.totals.map(([name, value]) => `${name} ${number(value)}`).join(', ')
      : 'not tried';
    const counts = count(one);
    const line = (outcome, times) => make('li', {}, chip(outcome),
      make('div', {}, `${number(times)} × ${spaced(outcome.name)}`));
    const did = singly().map((outcome) => [outcome, together(counts, outcome.name)])
      .filter(([, times]) => times).map(([outcome, times]) => line(outcome, times));
    const stale = `Stale: these results were made for another edition of the suite (${one.suite}).`;
    present(controls('Implementation'),
      make('h2', {id: 'dialog-title', tabindex: '-1'}, isolated(one.title)),
      one.stale ? make('p', {}, stale) : null,
      list([['Version', one.version], ['Language', one.language], ['Reads by', one.loader],
        ['Command', make('code', {}, one.command)], ['Spoken to by', one.level], ['Declares', declares],
        ['Profile', one.profile], ['Suite', one.suite], ['Writes', writes], ['Notes', one.notes],
        ['Problems', one.problems.join('; ')]]),
      make('h3', {}, rows.length === cases.length ? 'Over the whole suite' : 'Over the filtered cases'),
      make('ul', {class: 'said'}, ...did));
  }

  function onDialogKey(event) {
    const name = {ArrowLeft: 'previous row', ArrowRight: 'next row'}[event.key];
    const button = name && sheet.querySelector(`button[aria-label="${name}"]`);
    if (button && !button.disabled) button.click();
  }

  /* ---- Together ---- */

  function update(keep = false) {
    const before = scroller.scrollTop;
    for (const key of CHOSEN) byId(key).classList.toggle('set', state[key] !== '');
    rows = filtered();
    fillTotals();
    draw();
    if (keep) {
      scroller.scrollTop = before;
      drawNear();
    }
    byId('count').textContent = `${number(rows.length)} of ${number(cases.length)} cases`;
    writeAddress();
  }

  function openNamed() {
    const index = cases.findIndex((one) => one.id === state.open);
    if (index >= 0) showCase(index);
    else if (dialog.open) dialog.close();
  }

  function start() {
    for (const id of ['filters', 'columns', 'help']) byId(id).hidden = false;
    if (matchMedia('(max-width: 720px)').matches) byId('legend').open = false;
    fillFilters();
    prepareTotals();
    scroller.append(grid);
    readAddress();
    update();
    openNamed();
  }

  for (const key of CHOSEN) {
    byId(key).addEventListener('input', (event) => { state[key] = event.target.value; update(); });
  }
  byId('differ').addEventListener('change', (event) => { state.differ = event.target.checked; update(); });
  byId('filters').addEventListener('submit', (event) => event.preventDefault());
  byId('filters').addEventListener('reset', (event) => {
    event.preventDefault();
    for (const key of CHOSEN) byId(key).value = state[key] = '';
    byId('differ').checked = state.differ = false;
    hidden.clear();
    update();
  });
  byId('all').addEventListener('click', () => { hidden.clear(); update(true); });
  byId('none').addEventListener('click', () => {
    for (const one of implementations) hidden.add(one.name);
    update(true);
  });
  document.querySelector('.jump a').addEventListener('click', (event) => {
    event.preventDefault(); // the part behind the # is taken
    byId('matrix').scrollIntoView();
  });
  scroller.addEventListener('scroll', drawSoon, {passive: true});
  grid.addEventListener('keydown', onGridKey);
  grid.addEventListener('focus', () => {
    if (active < 0 && grid.matches(':focus-visible')) activate(Math.ceil(scroller.scrollTop / height));
  });
  grid.addEventListener('click', onGridClick);
  dialog.addEventListener('keydown', onDialogKey);
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener('close', () => { state.open = ''; writeAddress(); });
  window.addEventListener('hashchange', () => { readAddress(); update(); openNamed(); });
  new ResizeObserver(() => { measure(); drawSoon(); }).observe(scroller);
  start();
})();
