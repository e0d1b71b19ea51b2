// The keyboard: everything that the mouse can do. The table is also what the help shows.

let anchor = null; // where a segment was begun with Enter

/** Samples that an arrow key moves: a few pixels. */
function arrowStep(event) {
  const step = Math.max(1, Math.round(8 * samplesPerPixel()));
  return event.shiftKey ? 10 * step : step;
}

function moveCursor(by) {
  app.cursor = Math.max(0, Math.min(DATA.n, Math.round(app.cursor + by)));
  if (app.cursor < app.from || app.cursor > app.to) pan(app.cursor - (app.from + app.to) / 2);
  if (anchor !== null) draft(anchor, app.cursor);
  else announce(`At ${placeText(app.cursor, app.inTime)}${app.cursor < DATA.n ? valuesAt(app.cursor) : ""}`);
  invalidate();
}

/** Arrow keys move the selected segment, or the cursor. */
function moveBy(by) {
  if (truth.segment(app.selected)) nudge(by);
  else moveCursor(by);
}

/** Begin a segment at the cursor, or end it there. */
function mark() {
  if (anchor !== null) {
    anchor = null;
    keepDraft();
  } else {
    app.selected = null;
    anchor = app.cursor;
    draft(anchor, anchor + 1);
    announce(`A segment begins at ${placeText(anchor, app.inTime)}: move with the arrow keys, end it with Enter.`);
    refresh();
  }
}

function leave() {
  if (anchor !== null || app.draft) {
    anchor = null;
    dropDraft();
    announce("Nothing was drawn.");
  } else if (app.selected !== null || app.proposal) {
    app.selected = null;
    app.proposal = null;
    announce("Nothing is selected.");
  } else if (app.drawMode) setDrawMode(false);
  refresh();
}

function choosePart(part) {
  if (!truth.segment(app.selected)) return announce("Select a segment first: N for the next one.");
  app.part = part;
  announce({ whole: "The arrow keys move the segment.", start: "The arrow keys move its start.", end: "The arrow keys move its end." }[part]);
  return invalidate();
}

function page(direction) {
  const by = direction * 0.8 * (app.to - app.from);
  pan(by);
  if (!truth.segment(app.selected)) moveCursor(by);
}

function goTo(sample) {
  app.selected = null;
  moveCursor(sample - app.cursor);
  refresh();
}

function keyZoom(factor) {
  const held = truth.segment(app.selected);
  const around = held ? (held.start + held.end) / 2 : app.cursor;
  const inView = around >= app.from && around <= app.to;
  zoom(factor, inView ? around : undefined);
}

// Keys, how the help names them, what they do, and the action; it gets the place of the key
// among them: the second of two keys does the opposite of the first.
const KEYS = [
  [["ArrowLeft", "ArrowRight"], "← →", "move the cursor, or the selected segment; with Shift ten times as far", (place, event) => moveBy((place ? 1 : -1) * arrowStep(event))],
  [[",", "."], ", .", "the same by one sample", (place) => moveBy(place ? 1 : -1)],
  [["ArrowUp", "ArrowDown", "+", "-", "="], "↑ ↓ or + −", "zoom in and out", (place) => keyZoom(place % 2 ? 1 / 0.6 : 0.6)],
  [["PageUp", "PageDown"], "PageUp PageDown", "one page back and forth", (place) => page(place ? 1 : -1)],
  [["Home", "End"], "Home End", "go to the begin and to the end", (place) => goTo(place ? DATA.n : 0)],
  [["0"], "0", "show the whole series", () => setView(0, DATA.n)],
  [["Enter"], "Enter", "begin a segment at the cursor, and end it", () => mark()],
  [["n", "p"], "N P", "select the next and the previous true segment", (place) => selectNeighbour(place ? -1 : 1)],
  [["w", "s", "e"], "W S E", "arrow keys move the whole segment, its start, its end", (place) => choosePart(["whole", "start", "end"][place])],
  [["f"], "F", "zoom to the selected segment", () => reveal(truth.segment(app.selected) ?? foundSegment(app.proposal) ?? { start: 0, end: DATA.n }, true)],
  [["1", "2", "3", "4", "5", "6", "7", "8", "9"], "1 … 9", "give the selected segment, or new ones, to that set", (place) => chooseSet(place + 1)],
  [["Delete", "Backspace"], "Delete", "delete the selected segment", () => deleteSelected()],
  [["t"], "T", "make a new set", () => newSet()],
  [["r"], "R", "rename the set that new segments go into", () => renameActive()],
  [["d"], "D", "switch drawing by mouse on and off", () => setDrawMode(!app.drawMode)],
  [["g"], "G", "show the next proposal", () => nextProposal()],
  [["y", "x"], "Y X", "accept and skip the proposal", (place) => (place ? skipProposal() : acceptProposal())],
  [["Escape"], "Escape", "leave what is being drawn or selected", () => leave()],
  [["?"], "?", "show this list", () => find("#keys").showModal()],
];

const COMMANDS = [
  ["Ctrl+Z, Ctrl+Y", "undo, redo"],
  ["Ctrl+S", "save"],
  ["Tab", "go to the buttons and lists; all of them work by keyboard"],
];

function keyPressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const wanted = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const entry = KEYS.find(([keys]) => keys.includes(wanted));
  if (!entry) return;
  event.preventDefault();
  entry[3](entry[0].indexOf(wanted), event);
}

/** Keys that work everywhere but in a field of text. */
function commandPressed(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  const writing = event.target.matches?.("input[type=text], input[type=number]");
  const actions = { s: save, z: event.shiftKey ? redo : undo, y: redo };
  if (!actions[key] || (writing && key !== "s")) return;
  event.preventDefault();
  actions[key]();
}

function startKeys() {
  const chart = find("#chart");
  chart.addEventListener("keydown", keyPressed);
  for (const name of ["focus", "blur"]) chart.addEventListener(name, invalidate);
  addEventListener("keydown", commandPressed);
  const rows = [...KEYS.map(([, keys, words]) => [keys, words]), ...COMMANDS];
  find("#keys-table").append(
    el(
      "table",
      { class: "plain" },
      el("tbody", {}, rows.map(([keys, words]) => el("tr", {}, el("td", {}, el("kbd", {}, keys)), el("td", {}, words)))),
    ),
  );
}
