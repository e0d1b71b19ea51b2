// Mouse, pen and touch on the picture: move, zoom, draw, move and resize segments, choose.

const CLICK = 4; // pixels that a click may move
const pointers = new Map(); // that are down, by id
let gesture = null; // {kind, ...}: what the first of them does

function placeOf(event) {
  const box = find("#chart").getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function nearestSample(x) {
  return Math.max(0, Math.min(DATA.n, Math.round(sampleAt(x))));
}

/** What dragging would do from a place: a gesture without its begin. */
function gestureAt({ x, y }, event) {
  const row = rowAt(y);
  const draws = app.drawMode || event.shiftKey;
  const fine = event.pointerType !== "touch";
  if (row?.kind === "overview") return { kind: "overview" };
  if (row?.kind === "truth" && (fine || draws)) {
    const hit = truthAt(x, fine ? EDGE : 16);
    return hit ? { kind: "shape", ...hit } : { kind: "draw" };
  }
  if (row?.kind === "truth") return { kind: "pan", hit: truthAt(x, 12) };
  if (row?.kind === "found") return { kind: "pan", found: foundAt(row, x, y) };
  if (row?.kind === "channel") {
    const chosen = truth.segment(app.selected);
    const part = chosen && ["start", "end"].find((end) => Math.abs(xOf(chosen[end]) - x) <= EDGE);
    if (part && fine) return { kind: "shape", segment: chosen, part };
    if (draws) return { kind: "draw" };
    return { kind: "pan", hit: app.bands === "truth" ? truthAt(x, 0) : null };
  }
  return { kind: "pan" };
}

function pressed(event) {
  if (event.button > 0) return;
  const chart = find("#chart");
  chart.focus({ preventScroll: true });
  const place = placeOf(event);
  pointers.set(event.pointerId, place);
  chart.setPointerCapture(event.pointerId);
  if (pointers.size === 2) {
    dropDraft();
    const [a, b] = [...pointers.values()];
    gesture = { kind: "pinch", apart: Math.max(20, Math.abs(a.x - b.x)), middle: sampleAt((a.x + b.x) / 2), width: app.to - app.from };
    return;
  }
  gesture = { ...gestureAt(place, event), begin: place, from: app.from, to: app.to, sample: nearestSample(place.x), far: false };
  if (gesture.kind === "overview") showAround(place.x);
  if (gesture.kind === "shape") select(gesture.segment.id);
}

/** Move the view so that its middle is where the strip on top was pressed. */
function showAround(x) {
  const share = (x - layout.left) / (layout.right - layout.left);
  const width = app.to - app.from;
  setView(share * DATA.n - width / 2, share * DATA.n + width / 2);
}

function dragged(event) {
  const place = placeOf(event);
  if (!pointers.has(event.pointerId)) return hover(place, event);
  pointers.set(event.pointerId, place);
  if (gesture?.kind === "pinch") return pinch();
  if (!gesture) return null;
  gesture.far ||= Math.hypot(place.x - gesture.begin.x, place.y - gesture.begin.y) > CLICK;
  if (!gesture.far) return null;
  if (gesture.kind === "overview") return showAround(place.x);
  if (gesture.kind === "draw") return draft(gesture.sample, nearestSample(place.x));
  if (gesture.kind === "shape") {
    const by = nearestSample(place.x) - gesture.sample;
    const [start, end] = moved(gesture.segment, gesture.part, by);
    return draft(start, end, gesture.segment.id);
  }
  find("#chart").classList.add("panning");
  const by = (gesture.begin.x - place.x) * ((gesture.to - gesture.from) / (layout.right - layout.left));
  return setView(gesture.from + by, gesture.to + by);
}

function pinch() {
  const [a, b] = [...pointers.values()];
  const width = (gesture.width * gesture.apart) / Math.max(20, Math.abs(a.x - b.x));
  const share = ((a.x + b.x) / 2 - layout.left) / (layout.right - layout.left);
  const limited = Math.min(DATA.n, Math.max(width, Math.min(NARROWEST, DATA.n)));
  setView(gesture.middle - share * limited, gesture.middle + (1 - share) * limited);
}

function released(event) {
  pointers.delete(event.pointerId);
  const ended = gesture;
  find("#chart").classList.remove("panning");
  if (!ended || pointers.size) return;
  gesture = null;
  if (ended.kind === "pinch") return;
  if (event.type === "pointercancel") dropDraft();
  else if (app.draft) keepDraft();
  else if (!ended.far && ended.kind !== "overview") clicked(ended);
}

/** A press without a drag: choose what is there, or put the cursor there. */
function clicked({ kind, hit, found, sample }) {
  if (kind === "shape") return;
  if (hit) {
    select(hit.segment.id);
    return;
  }
  app.selected = null;
  app.cursor = Math.min(DATA.n - 1, sample);
  if (found) chooseProposal(found);
  else {
    app.proposal = null;
    announce(`At ${placeText(app.cursor, app.inTime)}${valuesAt(app.cursor)}.`);
  }
  refresh();
}

/** The values of the channels that are shown at a sample, the first few. */
function valuesAt(sample) {
  const shownChannels = CHANNELS.filter(({ place }) => app.channels.has(place)).slice(0, 4);
  const texts = shownChannels
    .filter((channel) => channel.levels[0] && channel.widths[0] === 1)
    .map((channel) => `${channel.name} ${Number(channel.value(sample).toPrecision(5))} ${channel.unit}`.trim());
  return texts.length ? `: ${texts.join(", ")}` : "";
}

/** The shape of the pointer says what dragging would do. */
function hover(place, event) {
  const { kind, part, hit, found } = gestureAt(place, event);
  const { classList } = find("#chart");
  classList.toggle("edge", kind === "shape" && part !== "whole");
  classList.toggle("body", kind === "shape" && part === "whole");
  classList.toggle("pointing", Boolean(hit || found) || kind === "overview");
  classList.toggle("drawing", kind === "draw");
}

function wheeled(event) {
  event.preventDefault();
  const unit = [1, 16, 400][event.deltaMode];
  const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    pan(sideways * unit * samplesPerPixel());
  } else {
    const factor = Math.exp(Math.max(-120, Math.min(120, event.deltaY * unit)) * 0.0022);
    zoom(factor, Math.min(Math.max(sampleAt(placeOf(event).x), app.from), app.to));
  }
}

function startPointer() {
  const chart = find("#chart");
  chart.addEventListener("pointerdown", pressed);
  chart.addEventListener("pointermove", dragged);
  chart.addEventListener("pointerup", released);
  chart.addEventListener("pointercancel", released);
  chart.addEventListener("wheel", wheeled, { passive: false });
  chart.addEventListener("dblclick", () => {
    const segment = truth.segment(app.selected) ?? foundSegment(app.proposal);
    if (segment) reveal(segment, true);
  });
}
