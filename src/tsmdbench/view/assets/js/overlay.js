// The occurrences of one set above each other, with their mean.

const POINTS = 160; // of an occurrence
const MOST = 300; // occurrences that are drawn
const PANELS = 4; // channels
const PER_POINT = 8; // samples that a point is the mean of, at most
const overlayOptions = { stretch: true, normalise: true };

/** The set that is shown: its name, colour and segments; null where there is none. */
function overlaid() {
  const { overlay } = app;
  if (overlay && overlay.group === null) {
    const set = truth.set(overlay.set);
    if (set) return { key: `t${set.id}`, name: set.name, colour: setColour(set.colour), segments: truth.segmentsOf(set.id) };
  }
  if (overlay && overlay.group !== null) {
    const set = app.groups[overlay.group].sets[overlay.set];
    return { key: `${overlay.group}/${overlay.set}`, name: set.label, colour: foundColour(set), segments: set.segments };
  }
  return null;
}

/** Take the first set that has segments where none is chosen. */
function chooseOverlay() {
  if (overlaid()?.segments.length) return;
  const set = truth.state.sets.find(({ id }) => truth.segmentsOf(id).length);
  if (set) app.overlay = { group: null, set: set.id };
  else {
    const group = app.groups.findIndex(({ sets }) => sets.some(({ segments }) => segments.length));
    if (group >= 0) app.overlay = { group, set: app.groups[group].sets.findIndex(({ segments }) => segments.length) };
  }
}

/** An occurrence as points; `span` is the number of samples that they stand for. */
function occurrence(channel, { start, end }, span) {
  const values = new Float64Array(POINTS).fill(NaN);
  for (let i = 0; i < POINTS; i++) {
    const [from, to] = [start + (i * span) / POINTS, start + ((i + 1) * span) / POINTS];
    if (from >= end) break;
    const step = Math.max(1, (to - from) / PER_POINT);
    let [sum, count] = [0, 0];
    if (to - from <= 1) {
      sum = between(channel, (from + to) / 2 - 0.5, start, end);
      count = 1;
    } else {
      for (let at = from; at < Math.min(to, end); at += step) {
        sum += channel.value(Math.floor(at));
        count++;
      }
    }
    values[i] = sum / count;
  }
  return overlayOptions.normalise ? normalised(values) : values;
}

/** The value between two samples, on a straight line. */
function between(channel, at, start, end) {
  const place = Math.min(Math.max(at, start), end - 1);
  const below = Math.floor(place);
  const value = channel.value(below);
  return place === below ? value : value + (place - below) * (channel.value(Math.min(below + 1, end - 1)) - value);
}

function normalised(values) {
  const known = values.filter((value) => value === value);
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const spread = Math.sqrt(known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / known.length);
  return values.map((value) => (value - mean) / (spread || 1));
}

function meanOf(curves) {
  return range(POINTS).map((i) => {
    const known = curves.map((curve) => curve[i]).filter((value) => value === value);
    return known.reduce((sum, value) => sum + value, 0) / known.length; // NaN for none
  });
}

function drawOverlay() {
  const canvas = find("#overlay");
  const set = overlaid();
  find("#overlay-card").hidden = !set?.segments.length;
  const width = Math.floor(canvas.clientWidth);
  if (!width || !set?.segments.length) return;
  const channels = CHANNELS.filter(({ place }) => app.channels.has(place)).slice(0, PANELS);
  const columns = width < 560 ? Math.min(2, channels.length) : channels.length;
  const [gap, height] = [12, channels.length > 2 || width < 560 ? 150 : 190];
  const panel = (width - gap * (columns - 1)) / Math.max(1, columns);
  const pen = penOf(canvas, width, Math.ceil(channels.length / Math.max(1, columns)) * (height + gap));
  channels.forEach((channel, i) => {
    const box = { x: (i % columns) * (panel + gap), y: Math.floor(i / columns) * (height + gap), width: panel, height };
    drawPanel(pen, channel, set, box);
  });
}

function drawPanel(pen, channel, set, box) {
  pen.strokeStyle = palette.line;
  pen.lineWidth = 1;
  pen.strokeRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1);
  pen.fillStyle = palette.soft;
  pen.font = SMALL;
  pen.fillText(fitted(pen, channel.name, box.width - 12), box.x + 6, box.y + 10);
  if (!channel.levels[0]) {
    channel.load(0).then(drawOverlay);
    return;
  }
  const longest = set.segments.reduce((most, { start, end }) => Math.max(most, end - start), 0);
  const curves = set.segments.slice(0, MOST).map((segment) =>
    occurrence(channel, segment, overlayOptions.stretch ? segment.end - segment.start : longest),
  );
  let [low, high] = [Infinity, -Infinity];
  for (const curve of curves) {
    for (const value of curve) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (!(low < high)) [low, high] = [low - 1, low + 1];
  const x = (i) => box.x + 5 + (i / (POINTS - 1)) * (box.width - 10);
  const y = (value) => box.y + 20 + ((high - value) / (high - low)) * (box.height - 27);
  pen.strokeStyle = set.colour;
  pen.lineWidth = 1;
  pen.globalAlpha = Math.max(0.12, Math.min(0.6, 5 / curves.length));
  for (const curve of curves) stroke(pen, curve, x, y);
  pen.globalAlpha = 1;
  pen.lineWidth = 2.2;
  pen.strokeStyle = palette.ink;
  stroke(pen, meanOf(curves), x, y);
}

function stroke(pen, curve, x, y) {
  pen.beginPath();
  let broken = true;
  curve.forEach((value, i) => {
    if (value !== value) broken = true;
    else if (broken) {
      pen.moveTo(x(i), y(value));
      broken = false;
    } else pen.lineTo(x(i), y(value));
  });
  pen.stroke();
}

/** The choice of the set, and how occurrences are laid over each other. */
function showOverlayControls() {
  chooseOverlay();
  const set = overlaid();
  const option = (value, words) => el("option", { value, selected: value === set?.key }, words);
  const groups = app.groups.map((group, place) =>
    el("optgroup", { label: `Found: ${group.name}` }, group.sets.map((other) => option(`${place}/${other.place}`, `${other.label} (${other.segments.length})`))),
  );
  const chosen = el(
    "select",
    {
      "aria-label": "Set",
      "data-key": "overlay-set",
      onchange: ({ target: { value } }) => {
        const [group, place] = value.split("/").map(Number);
        app.overlay = value.startsWith("t") ? { group: null, set: Number(value.slice(1)) } : { group, set: place };
        refresh();
      },
    },
    el("optgroup", { label: "Truth" }, truth.state.sets.map(({ id, name }) => option(`t${id}`, `${name} (${truth.segmentsOf(id).length})`))),
    groups,
  );
  const check = (key, words) => {
    const set = (on) => {
      overlayOptions[key] = on;
      drawOverlay();
    };
    return el("label", { class: "check" }, checkbox(`overlay-${key}`, overlayOptions[key], set), words);
  };
  const lengths = (set?.segments ?? []).map(({ start, end }) => end - start);
  const [least, most] = [lengths.reduce((a, b) => Math.min(a, b), Infinity), lengths.reduce((a, b) => Math.max(a, b), 0)];
  const span = !lengths.length ? "" : least === most ? lengthText(most, app.inTime) : `${lengthText(least, app.inTime)} to ${lengthText(most, app.inTime)}`;
  const cut = lengths.length > MOST ? `; the first ${MOST} are drawn` : "";
  rebuilt(find("#overlay-controls"), chosen, check("stretch", "Stretch to one length"), check("normalise", "z-normalise"), el("span", { class: "soft small" }, `${lengths.length} of ${span}${cut}; dark: mean`));
}

// Not with every frame: it does not depend on what is in view.
parts.panels.push(showOverlayControls, drawOverlay);
