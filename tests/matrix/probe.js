/* What the tests look at in the page. Put in front of a test's own script; each function returns plain data. */
const probe = {
  scroller: () => document.getElementById('scroller'),
  grid: () => document.getElementById('grid'),
  rows: () => [...document.querySelectorAll('#grid tr[data-at]')],
  box: (node) => node.getBoundingClientRect(),
  pause: (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); }),
  frames: () => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }),
  head: () => probe.grid().tHead.rows[0].cells[0],
  columns: () => [...probe.grid().tHead.rows[0].cells].slice(1).map((cell) => cell.textContent),
  state: () => [
    ...'q topic verdict flag rule outcome'.split(' ').map((id) => document.getElementById(id).value),
    document.getElementById('differ').checked, document.getElementById('count').textContent,
    [...document.querySelectorAll('.pick')].map((tick) => tick.checked), probe.grid().textContent,
  ],

  /* Walks through the whole matrix, a bit at a time as a thumb does, and collects every row once. */
  async walk(withCells) {
    const scroller = probe.scroller();
    const found = new Map();
    const wrong = {blank: 0, disorder: 0};
    let most = 0;
    for (let at = 0; ; at += scroller.clientHeight * 0.7) {
      scroller.scrollTop = at;
      await probe.frames();
      const lines = probe.rows();
      most = Math.max(most, lines.length);
      for (const line of lines) {
        const place = Number(line.dataset.at);
        if (!found.has(place)) found.set(place, probe.row(line, withCells));
      }
      const places = lines.map((line) => Number(line.dataset.at));
      wrong.disorder += places.some((place, number) => number > 0 && place !== places[number - 1] + 1);
      wrong.blank += lines.length > 0 && probe.blank(lines);
      if (at + scroller.clientHeight >= scroller.scrollHeight) break;
    }
    return {rows: [...found].sort((a, b) => a[0] - b[0]).map((pair) => pair[1]), most, wrong};
  },

  /* Name, text and cells of one row. */
  row(line, withCells) {
    const [name, ...cells] = line.cells;
    const seen = (cell) => [cell.textContent, cell.className, cell.title, cell.getAttribute('aria-label')];
    return [name.title, name.textContent, withCells ? cells.map(seen) : []];
  },

  /* Whether a part of the matrix that is in sight has no rows. */
  blank(lines) {
    const scroller = probe.scroller();
    const places = lines.map(probe.box);
    const below = scroller.scrollTop + scroller.clientHeight < scroller.scrollHeight - 2;
    const highest = Math.min(...places.map((place) => place.top));
    const lowest = Math.max(...places.map((place) => place.bottom));
    return highest > probe.box(probe.head()).bottom + 1 || (below && lowest < probe.box(scroller).bottom - 2);
  },

  /* The cells of the totals table, without name, suite and command. */
  totals() {
    return [...document.querySelectorAll('#totals tbody tr')]
      .map((line) => [...line.cells].slice(1, -3).map((cell) => cell.textContent));
  },

  /* The two bars of each line that is not stale: the parts passed and unsupported, in percent, with one digit. */
  bars() {
    const lines = [...document.querySelectorAll('#totals tbody tr')];
    const bar = (cell) => ['--pass-share', '--open-share'].map((name) => cell.style.getPropertyValue(name));
    return lines.filter((line) => line.cells[1].hasAttribute('style'))
      .map((line) => [1, 2].map((at) => bar(line.cells[at])));
  },

  /* The row that the keyboard is at: its ID, its class, whether it is in sight. */
  active() {
    const name = probe.grid().getAttribute('aria-activedescendant');
    const line = document.getElementById(name);
    const place = line && probe.box(line);
    const seen = place && place.top >= probe.box(probe.head()).bottom - 1
      && place.bottom <= probe.box(probe.scroller()).bottom + 1;
    return [name, line && line.className, seen];
  },

  /* Every pair of a text's colour and what it stands on, with a place where it occurs. */
  colours() {
    const found = new Map();
    const note = (style, ground, opacity, where) => found.set([style.color, ground, opacity].join('|'), where);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode.data.trim();
      const element = walker.currentNode.parentElement;
      if (!text || element.closest('script, style, :disabled') || !element.checkVisibility()) continue;
      let opacity = 1;
      for (let node = element; node; node = node.parentElement) opacity *= getComputedStyle(node).opacity;
      note(getComputedStyle(element), probe.ground(element), opacity, `${element.tagName} ${text.slice(0, 20)}`);
    }
    const search = document.getElementById('q');
    note(getComputedStyle(search, '::placeholder'), getComputedStyle(search).backgroundColor, 1, 'placeholder');
    return [...found];
  },

  /* The colour behind an element: that of the nearest that has one. */
  ground(element) {
    const clear = (node) => /rgba\(.*, 0\)|transparent/.test(getComputedStyle(node).backgroundColor);
    let behind = element;
    while (behind && clear(behind)) behind = behind.parentElement;
    return behind ? getComputedStyle(behind).backgroundColor : 'rgb(255, 255, 255)';
  },

  /* Widths of the page and of the window, and what reaches out of it without scrolling by itself. */
  overflow() {
    const room = document.documentElement.clientWidth;
    const out = [...document.querySelectorAll('body *')].filter((node) => node.checkVisibility()
      && !node.parentElement.closest('.scroll') && probe.box(node).right > room + 0.5);
    const names = out.map((node) => `${node.tagName}#${node.id}.${node.className}`);
    return [document.scrollingElement.scrollWidth, innerWidth, names.slice(0, 5)];
  },

  /* Elements that only a text could have made, scripts, and what they would have left behind. */
  traces() {
    const kinds = 'img, iframe, object, embed, svg, i, body b:not(.legend b, .said b)';
    const strange = [...document.querySelectorAll(kinds)].map((node) => node.outerHTML.slice(0, 80));
    const scripts = [...document.scripts].map((script) => script.id);
    const turned = document.documentElement.innerText.match(/[\u202a-\u202e\u2066-\u2069\u200f\u0007]/);
    return [strange, scripts, window.hacked ?? null, turned && turned[0]];
  },
};
