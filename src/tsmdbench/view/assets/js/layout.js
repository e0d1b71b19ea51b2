// Where everything is on the canvas: rows from top to bottom, one scale from left to right.

const OVERVIEW = 34;
const AXIS = 24;
const TRUTH_LANE = 30;
const FOUND_LANE = 17;
const FOUND_ROW = 8; // of segments that overlap within a set
const HEADING = 20;
const GAP = 5;
const CHANNEL_HEIGHTS = [0, 250, 160, 120, 96, 84, 76];
const SMALLEST_CHANNEL = 60;

const layout = { width: 0, height: 0, left: 0, right: 0, rows: [], bands: [] };

/** Put segments that overlap below each other: the row of each, and how many rows. */
function stackedRows(segments) {
  const ends = [];
  const rows = segments.map(({ start, end }) => {
    let row = ends.findIndex((last) => last <= start);
    if (row < 0) row = ends.push(0) - 1;
    ends[row] = end;
    return row;
  });
  return { rows, count: Math.max(1, ends.length) };
}

function arrange(width) {
  const narrow = width < 560;
  Object.assign(layout, { width, left: narrow ? 62 : 104, right: width - 8, rows: [] });
  let y = 0;
  const add = (kind, height, more = {}) => {
    layout.rows.push({ kind, y, height, ...more });
    y += height + GAP;
  };
  add("overview", OVERVIEW);
  add("truth", TRUTH_LANE);
  const height = CHANNEL_HEIGHTS[app.channels.size] ?? SMALLEST_CHANNEL;
  for (const channel of CHANNELS) {
    if (app.channels.has(channel.place)) add("channel", height, { channel });
  }
  add("axis", AXIS);
  app.groups.forEach((group, place) => {
    if (!group.on) return;
    add("heading", HEADING, { text: group.name });
    group.sets.forEach((set) => {
      if (!set.on) return;
      set.stack ??= stackedRows(set.segments);
      const many = set.stack.count > 1;
      add("found", many ? set.stack.count * FOUND_ROW + 3 : FOUND_LANE, { group: place, set });
    });
  });
  layout.height = y + 2;
}

function xOf(sample) {
  return layout.left + ((sample - app.from) / (app.to - app.from)) * (layout.right - layout.left);
}

function sampleAt(x) {
  return app.from + ((x - layout.left) / (layout.right - layout.left)) * (app.to - app.from);
}

function samplesPerPixel() {
  return (app.to - app.from) / Math.max(1, layout.right - layout.left);
}

function rowAt(y) {
  return layout.rows.find((row) => y >= row.y - GAP / 2 && y < row.y + row.height + GAP / 2) ?? null;
}

/** Text that ends with … where it does not fit. */
function fitted(pen, text, width) {
  if (pen.measureText(text).width <= width) return text;
  let cut = text.slice(0, 200);
  while (cut.length > 1 && pen.measureText(`${cut}…`).width > width) cut = cut.slice(0, -1);
  return `${cut}…`;
}

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const SMALL = "11px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

/** Prepare a canvas for drawing in CSS pixels; returns its pen. */
function penOf(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = FONT;
  pen.textBaseline = "middle";
  return pen;
}
