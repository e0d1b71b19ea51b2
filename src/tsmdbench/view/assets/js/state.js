// What is looked at and what is chosen; `invalidate` draws again, `refresh` the panels too.

const NARROWEST = 12; // samples that a view shows at least
const FIRST_CHANNELS = 8; // channels that are shown at first

const truth = new Annotation(DATA.truth, DATA.n);

const app = {
  from: 0,
  to: DATA.n,
  cursor: 0, // a sample: where the keyboard draws
  inTime: DATA.rate !== null,
  fit: false, // scale channels to what is in view
  drawMode: false,
  selected: null, // id of a true segment
  part: "whole", // of it, what the arrow keys move: whole, start or end
  proposal: null, // {group, set, index} of a found segment
  activeSet: truth.state.sets[0]?.id ?? null, // new segments go into it
  draft: null, // {start, end, except, refused}: a segment that is being drawn
  overlay: null, // {group: null, set: id} or {group, set}: what is laid over each other
  channels: new Set(range(Math.min(CHANNELS.length, FIRST_CHANNELS))),
  hidden: new Set(), // ids of true sets that are not drawn
  bands: DATA.truth.some(({ segments }) => segments.length) || !DATA.found.length ? "truth" : 0,
  groups: DATA.found.map(({ name, sets }) => ({
    name,
    on: true,
    sets: sets.map(({ label, segments, intervals }, place) => ({
      label,
      place,
      on: true,
      colour: place % DATA.colours, // null where no true set is its partner
      // A set that names its channels has an interval in each of them.
      segments: segments.map(([start, end], i) => ({ start, end, intervals: intervals?.[i] })).sort(bySet),
    })),
  })),
  scored: 0, // the group that PROM is about
};

const parts = { draw: [], panels: [] }; // functions that each file adds
const waiting = { draw: false, panels: false };

function invalidate() {
  if (waiting.draw) return;
  waiting.draw = true;
  requestAnimationFrame(() => {
    waiting.draw = false;
    for (const part of parts.draw) part();
  });
}

/** Update the panels, then draw: what they find out, the picture shows. */
function refresh() {
  if (waiting.panels) return;
  waiting.panels = true;
  requestAnimationFrame(() => {
    waiting.panels = false;
    if (!truth.set(app.activeSet)) app.activeSet = truth.state.sets[0]?.id ?? null;
    if (!truth.segment(app.selected)) app.selected = null;
    for (const part of parts.panels) part();
    for (const part of parts.draw) part();
  });
}

/** Fill a panel again and keep the focus where it was. */
function rebuilt(place, ...children) {
  const { activeElement } = document;
  const key = place.contains(activeElement) ? activeElement.dataset.key : null;
  const scroll = findAll(".scrolling, .list", place).map((part) => part.scrollTop);
  place.replaceChildren(...children.flat().filter((child) => child));
  findAll(".scrolling, .list", place).forEach((part, i) => (part.scrollTop = scroll[i] ?? 0));
  if (key) find(`[data-key="${CSS.escape(key)}"]`, place)?.focus();
}

/** Parts of panels; `key` finds the one that had the focus. */
function button(key, words, onclick, more = {}) {
  return el("button", { type: "button", class: "small", "data-key": key, onclick, ...more }, words);
}

function checkbox(key, checked, change, more = {}) {
  return el("input", { type: "checkbox", "data-key": key, checked, onchange: ({ target }) => change(target.checked), ...more });
}

/** A choice between [value, words]; `change` gets the chosen value as text. */
function choice(key, options, chosen, change, more = {}) {
  const items = options.map(([value, words]) => el("option", { value, selected: value === chosen }, words));
  return el("select", { "data-key": key, onchange: ({ target }) => change(target.value), ...more }, items);
}

/** Show a message above the picture; a refusal is marked. */
function announce(text, refused = false) {
  const status = find("#status");
  status.classList.toggle("refused", refused);
  status.textContent = text;
}

/** Do something that may be refused; return whether it was done. */
function attempt(action) {
  try {
    action();
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    announce(error.message, true);
    return false;
  } finally {
    refresh();
  }
}

/** Show samples [from, to): within the series, and not fewer than can be looked at. */
function setView(from, to) {
  const width = Math.min(DATA.n, Math.max(to - from, Math.min(NARROWEST, DATA.n)));
  app.from = Math.min(Math.max(0, from), DATA.n - width);
  app.to = app.from + width;
  invalidate();
}

/** Zoom by a factor around a sample, which stays where it is. */
function zoom(factor, around = (app.from + app.to) / 2) {
  const width = (app.to - app.from) * factor;
  const limited = Math.min(DATA.n, Math.max(width, Math.min(NARROWEST, DATA.n)));
  const share = (around - app.from) / (app.to - app.from);
  setView(around - share * limited, around + (1 - share) * limited);
}

function pan(samples) {
  setView(app.from + samples, app.to + samples);
}

/** Move the view so that a segment is in it, with some of its surroundings. */
function reveal({ start, end }, always = false) {
  const width = app.to - app.from;
  if (!always && start >= app.from && end <= app.to && end - start > width / 400) return;
  const wanted = Math.min(Math.max((end - start) * 6, Math.min(width, (end - start) * 40)), DATA.n);
  const middle = (start + end) / 2;
  setView(middle - wanted / 2, middle + wanted / 2);
}

function foundSegment(chosen) {
  return chosen && app.groups[chosen.group].sets[chosen.set].segments[chosen.index];
}
