// check.js: the page: files come in, verdicts and arrays are shown. worker.js reads them.

import { COLUMNS, ROWS } from "./views.js";

const worker = new Worker("worker.js", { type: "module" });
const waiting = new Map();
let [calls, ids] = [0, 0];

worker.addEventListener("message", ({ data: { number, result, error } }) => {
  const { resolve, reject } = waiting.get(number);
  waiting.delete(number);
  if (error === undefined) resolve(result);
  else reject(new Error(error));
});

/** What the worker answers. */
function ask(call, request) {
  const number = calls++;
  worker.postMessage({ number, call, ...request });
  return new Promise((resolve, reject) => waiting.set(number, { resolve, reject }));
}

const rules = fetch("rules.json").then((response) => response.json()).catch(() => ({}));
const byId = (id) => document.getElementById(id);

/** An element with attributes and children; a string is text. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

// ---- verdicts

const totals = { accepted: 0, refused: 0, failed: 0, open: 0 };

function showTotals() {
  const { accepted, refused, failed, open } = totals;
  const parts = [count(accepted + refused + failed, "file") + " checked", `${accepted} accepted`, `${refused} refused`];
  if (failed > 0) parts.push(`${failed} unreadable`);
  if (open > 0) parts.push(`${open} to do`);
  byId("summary").textContent = `${parts.join(", ")}.`;
}

/** Checks files one after another. */
async function take(files) {
  totals.open += files.length;
  showTotals();
  for (const { file, path } of files) {
    await checkOne(file, path);
    totals.open--;
    showTotals();
  }
}

async function checkOne(file, path) {
  const id = ids++;
  const head = (word) => make("div", { class: "head" }, make("h2", {}, path),
    make("span", {}, make("span", { class: "verdict" }, word), make("span", { class: "soft" }, ` ${count(file.size, "byte")}`)));
  const item = make("li", { class: "result" });
  byId("results").append(item);
  try {
    const found = await ask("verdict", { id, file });
    const { accepted } = found.verdict;
    totals[accepted ? "accepted" : "refused"]++;
    item.classList.add(accepted ? "good" : "bad");
    item.append(head(accepted ? "accepted" : "refused"), ...(await details(id, path, found)));
  } catch (error) {
    totals.failed++;
    item.classList.add("bad");
    item.append(head("not read"), make("p", {}, error.message));
  }
}

async function details(id, path, { verdict, line, rest, isFixable }) {
  const parts = [];
  if (!verdict.accepted) parts.push(...(await refusal(verdict, line)));
  if (rest > 0) parts.push(make("p", {}, `${count(rest, "byte")} after the data: readers ignore them, and they may be lost.`));
  if (isFixable) parts.push(make("p", {}, fixButton(id, path)));
  if (verdict.header) parts.push(...about(id, undefined, verdict.header));
  for (const member of verdict.members ?? []) parts.push(memberPart(id, member));
  return parts;
}

/** Message, rule, line and hint of a refusal. */
async function refusal({ rule, offset, message, hint, member, looksLike }, line) {
  const { text, href } = (await rules)[rule] ?? {};
  const name = href ? make("a", { href }, rule) : rule;
  return [
    make("p", {}, member === undefined ? null : `${member}: `, `${message} (`, name, `, byte ${offset.toLocaleString("en")})`),
    line && make("pre", { role: "group", "aria-label": `The bytes around byte ${offset}, which is marked` },
      line.before, make("mark", {}, line.at), line.after),
    make("p", {}, make("strong", {}, "Remedy: "), looksLike?.hint ?? hint),
    text ? make("p", { class: "soft" }, `${rule}: ${text}`) : null,
  ].filter((part) => part !== null);
}

function memberPart(id, { name, method, size, verdict }) {
  const word = verdict.accepted ? "accepted" : "refused";
  const title = make("summary", {}, `${name} `, make("span", { class: `verdict ${verdict.accepted ? "good" : "bad"}` }, word),
    make("span", { class: "soft" }, ` ${method}, ${count(size, "byte")}`));
  const part = make("details", {}, title);
  if (!verdict.accepted) part.append(make("p", {}, `${verdict.message} (${verdict.rule}, byte ${verdict.offset})`));
  else if (verdict.header === null) part.append(make("p", {}, "No array."));
  else part.append(...about(id, name, verdict.header));
  return part;
}

/** The name for a fixed file: with the ending of what it is. */
const fixedName = (path, bytes) => path.replace(/^.*\//, "").replace(/(\.np[yz])?$/, bytes[0] === 0x50 ? "-fixed.npz" : "-fixed.npy");

function fixButton(id, path) {
  return make("button", { type: "button", click: async () => {
    const bytes = await ask("fix", { id });
    const link = make("a", { href: URL.createObjectURL(new Blob([bytes])), download: fixedName(path, bytes) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  } }, "Download the fixed file");
}

// ---- arrays

/** The header of an array as a table, and a button for its values. */
function about(id, member, header) {
  const { version, descr, shape, fortranOrder, itemsize, count: elements, dataOffset, dataSize, hasObject } = header;
  const rows = {
    "format version": version, dtype: descr, shape: `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`,
    order: fortranOrder ? "Fortran" : "C", elements: elements.toLocaleString("en"), "bytes of an element": itemsize,
    "data begin at byte": dataOffset, "bytes of data": hasObject ? "a pickle, which is not run" : dataSize.toLocaleString("en"),
  };
  const table = make("table", {}, make("tbody", {}, ...Object.entries(rows).map(([name, value]) =>
    make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "descr" }, String(value))))));
  const place = make("div", {});
  const values = make("button", { type: "button", click: async () => {
    values.disabled = true;
    const show = hasObject ? showObjects : showValues;
    await show(place, { id, member }, header).catch((error) => place.replaceChildren(make("p", { tabindex: -1 }, error.message)));
    values.remove();
    place.querySelector("[tabindex]").focus();
  } }, "Show values");
  return [make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Header" }, table),
    make("p", {}, values), place];
}

/** The values of an array of objects, as far as they are few. The error says why they cannot be decoded. */
async function showObjects(place, which) {
  place.replaceChildren(make("pre", { tabindex: 0, role: "region", "aria-label": "Values" }, await ask("objects", which)));
}

/** The values, with what moves through them; then picture and histogram. */
async function showValues(place, which, { shape }) {
  const leading = Math.max(0, shape.length - 2);
  const at = new Array(leading + 2).fill(0);
  const controls = make("div", { class: "controls" });
  const table = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Values" });
  const image = make("figure", {});
  const status = make("p", { class: "soft", role: "status" });
  const draw = async (isNewPlane) => {
    const found = await ask("values", { ...which, at });
    at.splice(leading, 2, ...found.first);
    table.replaceChildren(valueTable(found));
    const shown = (first, length, step) => `${first} to ${Math.min(first + step, length) - 1} of ${length.toLocaleString("en")}`;
    status.textContent = found.values.length === 0 ? "The array is empty."
      : `Rows ${shown(found.first[0], found.total[0], ROWS)}, columns ${shown(found.first[1], found.total[1], COLUMNS)}.`;
    if (isNewPlane) drawPicture(image, await ask("picture", { ...which, at }));
  };
  for (let axis = 0; axis < leading; axis++)
    controls.append(number(`axis ${axis}`, shape[axis], (value) => ((at[axis] = value), draw(true))));
  for (const [name, place, step] of [["row", leading, ROWS], ["column", leading + 1, COLUMNS]])
    for (const [word, by] of [["Previous", -step], ["Next", step]])
      controls.append(make("button", { type: "button", click: () => ((at[place] = Math.max(0, at[place] + by)), draw(false)) }, `${word} ${name}s`));
  place.replaceChildren(controls, status, table, image);
  await draw(true);
  const found = await ask("histogram", which);
  if (found) place.append(histogramOf(found));
}

function number(label, length, change) {
  const input = make("input", { type: "number", min: 0, max: Number(length) - 1, value: 0,
    change: () => change(Math.min(Math.max(0, Math.trunc(Number(input.value))), Number(length) - 1)) });
  return make("label", {}, `${label} `, input);
}

const valueTable = ({ rows, columns, values }) => make("table", {},
  make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "row"), ...columns.map((name) => make("th", { scope: "col" }, name)))),
  make("tbody", {}, ...values.map((row, i) => make("tr", {}, make("th", { scope: "row" }, String(rows[i])),
    ...row.map((text) => make("td", { class: "value" }, text.length > 80 ? `${text.slice(0, 79)}…` : text))))));

const short = (value) => String(Number(value.toPrecision(6)));

function drawPicture(figure, found) {
  if (found === null) return;
  const { kind, width, height, pixels, step, low, high } = found;
  const scale = Math.max(1, Math.floor(256 / Math.max(width, height)));
  const canvas = make("canvas", { width: width * scale, height: height * scale, role: "img",
    "aria-label": `${kind} of ${height * step} by ${width * step} elements, from ${short(low)} to ${short(high)}` });
  const small = new OffscreenCanvas(width, height);
  small.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, canvas.width, canvas.height);
  const part = step > 1 ? `, each ${step}th row and column` : "";
  const range = kind === "heat map" ? `: dark is ${short(low)}, light ${short(high)}` : "";
  figure.replaceChildren(canvas, make("figcaption", {}, `${kind[0].toUpperCase()}${kind.slice(1)}${range}${part}.`));
}

const SVG = "http://www.w3.org/2000/svg";

function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function histogramOf({ low, high, strange, mean, bins }) {
  const others = strange > 0 ? `, ${count(strange, "element")} not finite` : "";
  const said = Number.isFinite(low) ? `Histogram: from ${short(low)} to ${short(high)}, mean ${short(mean)}${others}.` : "No finite number.";
  const most = Math.max(...bins, 1);
  const bars = bins.map((size, i) => svg("rect", { x: i, y: 100 - (100 * size) / most, width: 0.9, height: (100 * size) / most }));
  const picture = svg("svg", { viewBox: `0 0 ${bins.length} 100`, preserveAspectRatio: "none", role: "img", "aria-label": said }, ...bars);
  return make("figure", {}, picture, make("figcaption", {}, said));
}

// ---- files come in

const named = (file) => ({ file, path: file.webkitRelativePath || file.name });

for (const id of ["files", "folder"])
  byId(id).addEventListener("change", ({ target }) => {
    take(Array.from(target.files, named));
    target.value = "";
  });

/** The files of an entry that was dropped, those in folders too. */
async function filesOf(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, path: entry.fullPath.replace(/^\//, "") }];
  }
  const [reader, found] = [entry.createReader(), []];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const one of some) found.push(...(await filesOf(one)));
  }
}

for (const type of ["dragenter", "dragover", "dragleave", "drop"])
  addEventListener(type, (event) => {
    event.preventDefault();
    byId("drop").classList.toggle("over", type === "dragenter" || type === "dragover");
  });

addEventListener("drop", async ({ dataTransfer }) => {
  const entries = Array.from(dataTransfer.items, (item) => item.webkitGetAsEntry?.()).filter((entry) => entry);
  const files = entries.length > 0 ? (await Promise.all(entries.map(filesOf))).flat() : Array.from(dataTransfer.files, named);
  await take(files);
});
