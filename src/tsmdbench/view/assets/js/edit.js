// Changes to the truth, as the mouse and the keyboard ask for them.

/** The set that new segments go into; the first one is made when it is needed. */
function targetSet() {
  if (!truth.set(app.activeSet)) app.activeSet = truth.addSet(truth.freeName("set 1"));
  return app.activeSet;
}

function select(id, { show = false } = {}) {
  app.selected = id;
  app.part = "whole";
  const segment = truth.segment(id);
  if (segment) {
    app.proposal = null;
    app.activeSet = segment.set;
    app.overlay = { group: null, set: segment.set };
    app.cursor = segment.start;
    if (show) reveal(segment);
    announceSegment(id);
  }
  refresh();
}

function announceSegment(id) {
  const segment = truth.segment(id);
  announce(`Segment ${segmentText(segment, app.inTime)} of “${truth.set(segment.set).name}”, ${lengthText(segment.end - segment.start, app.inTime)}.`);
}

/** Select the next true segment after the cursor, or the one before. */
function selectNeighbour(step) {
  const { segments } = truth.state;
  if (!segments.length) return announce("There are no true segments yet.");
  const now = segments.findIndex(({ id }) => id === app.selected);
  let next = now + step;
  if (now < 0) {
    const after = segments.findIndex(({ start }) => start >= app.cursor);
    next = step > 0 ? (after < 0 ? 0 : after) : (after < 0 ? segments.length : after) - 1;
  }
  return select(segments[(next + segments.length) % segments.length].id, { show: true });
}

/** Show what a segment would become; refused ones are red, with the reason below. */
function draft(start, end, except = null) {
  const [low, high] = [Math.max(0, Math.min(start, end)), Math.min(DATA.n, Math.max(start, end))];
  app.draft = { start: low, end: high, except, refused: false };
  try {
    truth.check(low, high, except);
    announce(`${segmentText(app.draft, app.inTime)}, ${lengthText(high - low, app.inTime)}`);
  } catch (error) {
    app.draft.refused = true;
    announce(error.message, true);
  }
  invalidate();
}

function dropDraft() {
  app.draft = null;
  invalidate();
}

/** Make the draft a segment, or move the one that it stands for. */
function keepDraft() {
  const made = app.draft;
  app.draft = null;
  if (!made) return;
  attempt(() => {
    if (made.except) {
      truth.reshape(made.except, made.start, made.end);
      select(made.except);
    } else {
      truth.together(() => select(truth.add(targetSet(), made.start, made.end)));
      app.cursor = Math.min(made.end, DATA.n - 1); // the next one comes after it
    }
  });
}

/** Return the bounds of a segment after one of its parts moves by a number of samples. */
function moved({ start, end }, part, by) {
  if (part === "start") return [Math.min(Math.max(0, start + by), end - 1), end];
  if (part === "end") return [start, Math.max(Math.min(DATA.n, end + by), start + 1)];
  const limited = Math.max(-start, Math.min(by, DATA.n - end));
  return [start + limited, end + limited];
}

function nudge(by) {
  const segment = truth.segment(app.selected);
  attempt(() => {
    const [start, end] = moved(segment, app.part, by);
    truth.reshape(segment.id, start, end);
    const now = truth.segment(segment.id);
    announce(`${segmentText(now, app.inTime)}, ${lengthText(end - start, app.inTime)}`);
    if (now.start < app.from || now.end > app.to) reveal(now);
  });
}

function deleteSelected() {
  const segment = truth.segment(app.selected);
  if (!segment) return announce("Select a segment to delete it.");
  const words = truth.words(segment);
  truth.remove(segment.id);
  app.selected = null;
  app.cursor = segment.start;
  announce(`Deleted ${words}. Ctrl+Z brings it back.`);
  return refresh();
}

/** Give the selected segment, or what comes next, to the set of that number. */
function chooseSet(number) {
  const set = truth.state.sets[number - 1];
  if (!set) return announce(`There is no set ${number}.`, true);
  app.activeSet = set.id;
  if (truth.segment(app.selected)) {
    attempt(() => truth.relabel(app.selected, set.id));
    select(app.selected);
  } else {
    announce(`New segments go into “${set.name}”.`);
  }
  return refresh();
}

function undo() {
  announce(truth.undo() ? "Undone." : "There is nothing to undo.");
  refresh();
}

function redo() {
  announce(truth.redo() ? "Done again." : "There is nothing to redo.");
  refresh();
}

function setDrawMode(on) {
  app.drawMode = on;
  find("#draw").setAttribute("aria-pressed", String(on));
  find("#chart").classList.toggle("drawing", on);
  announce(on ? "Drag over the series to draw a segment." : "Dragging moves the view.");
}
