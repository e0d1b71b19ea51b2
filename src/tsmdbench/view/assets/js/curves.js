// The channels: a line where samples are far apart, lowest to highest where they are dense.

const DENSE = 1.5; // samples per pixel from which on extremes are drawn

/** Unpack a level and draw again when it is there. */
function want(channel, level) {
  if (!channel.levels[level]) channel.load(level).then(invalidate);
}

/** The level to draw from now; the right one is unpacked if it is not there yet. */
function drawableLevel(channel) {
  const level = channel.levelFor(samplesPerPixel());
  want(channel, level);
  return channel.readable(level);
}

/** Lowest and highest value that a channel is scaled to. */
function scaleOf(channel, level) {
  let [low, high] = [channel.low, channel.high];
  if (app.fit && level >= 0) {
    const seen = channel.extremes(level, Math.max(0, Math.floor(app.from)), Math.min(DATA.n, Math.ceil(app.to)));
    if (seen) [low, high] = seen.map((stored) => channel.decoded(stored));
  }
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  return [low, high];
}

function drawChannel(pen, row) {
  const { channel, y, height } = row;
  const level = drawableLevel(channel);
  const [low, high] = scaleOf(channel, level);
  const down = (height - 10) / (high - low);
  const yOf = (value) => y + 5 + (high - value) * down;
  pen.save();
  pen.beginPath();
  pen.rect(layout.left, y, layout.right - layout.left, height);
  pen.clip();
  if (level < 0) {
    pen.fillStyle = palette.soft;
    pen.fillText("unpacking …", layout.left + 8, y + height / 2);
  } else if (samplesPerPixel() < DENSE && channel.widths[level] === 1) {
    drawLine(pen, channel, yOf);
  } else {
    pen.strokeStyle = palette.ink;
    drawExtremes(pen, channel, level, yOf);
  }
  drawGaps(pen, row);
  pen.restore();
  nameChannel(pen, row, low, high);
}

/** A dashed line where rows are missing. */
function drawGaps(pen, { y, height }) {
  pen.strokeStyle = palette.soft;
  pen.lineWidth = 1;
  pen.setLineDash([3, 3]);
  pen.beginPath();
  for (const [last] of DATA.gaps) {
    const x = Math.round(xOf(last + 1)) + 0.5;
    if (x < layout.left || x > layout.right) continue;
    pen.moveTo(x, y);
    pen.lineTo(x, y + height);
  }
  pen.stroke();
  pen.setLineDash([]);
}

function drawLine(pen, channel, yOf) {
  const first = Math.max(0, Math.floor(app.from) - 1);
  const last = Math.min(DATA.n, Math.ceil(app.to) + 2);
  const values = channel.levels[0];
  pen.strokeStyle = palette.ink;
  pen.lineWidth = 1.2;
  pen.lineJoin = "round";
  pen.beginPath();
  let broken = true;
  for (let i = first; i < last; i++) {
    const value = channel.decoded(values[i]);
    if (value !== value) {
      broken = true;
      continue;
    }
    const [x, y] = [xOf(i + 0.5), yOf(value)];
    if (broken) pen.moveTo(x, y);
    else pen.lineTo(x, y);
    broken = false;
  }
  pen.stroke();
  if (samplesPerPixel() < 0.12) drawDots(pen, channel, yOf, first, last);
}

function drawDots(pen, channel, yOf, first, last) {
  pen.fillStyle = palette.ink;
  for (let i = first; i < last; i++) {
    const value = channel.decoded(channel.levels[0][i]);
    if (value === value) pen.fillRect(xOf(i + 0.5) - 1.5, yOf(value) - 1.5, 3, 3);
  }
}

/** One stroke per pixel from the lowest to the highest of its samples, joined to the last. */
function drawExtremes(pen, channel, level, yOf, sampleOfPixel = sampleAt) {
  const [left, right] = [Math.floor(layout.left), Math.ceil(layout.right)];
  pen.lineWidth = 1;
  pen.beginPath();
  let before = null;
  for (let x = left; x < right; x++) {
    const from = Math.max(0, Math.floor(sampleOfPixel(x)));
    const to = Math.min(DATA.n, Math.max(from + 1, Math.ceil(sampleOfPixel(x + 1))));
    if (from >= DATA.n) break;
    const seen = channel.extremes(level, from, to);
    if (!seen) {
      before = null;
      continue;
    }
    const [bottom, top] = seen.map((stored) => yOf(channel.decoded(stored)));
    const now = { top, bottom: Math.max(bottom, top + 1) };
    pen.moveTo(x + 0.5, Math.min(now.top, before?.bottom ?? now.top));
    pen.lineTo(x + 0.5, Math.max(now.bottom, before?.top ?? now.bottom));
    before = now;
  }
  pen.stroke();
}

function nameChannel(pen, { channel, y, height }, low, high) {
  const room = layout.left - 10;
  pen.fillStyle = palette.ink;
  pen.font = FONT;
  pen.fillText(fitted(pen, channel.name, room), 0, y + height / 2 - (channel.unit ? 8 : 0));
  pen.font = SMALL;
  pen.fillStyle = palette.soft;
  pen.fillText(fitted(pen, channel.unit, room), 0, y + height / 2 + 8);
  pen.textAlign = "right";
  const brief = (value) => String(Number(value.toPrecision(3)));
  pen.fillText(brief(high), layout.left - 5, y + 7);
  pen.fillText(brief(low), layout.left - 5, y + height - 6);
  pen.textAlign = "left";
  pen.font = FONT;
  pen.strokeStyle = palette.line;
  pen.lineWidth = 1;
  pen.strokeRect(layout.left + 0.5, y + 0.5, layout.right - layout.left - 1, height - 1);
}

function inView({ start, end }) {
  return end >= app.from && start <= app.to;
}

/** The segments in view that are drawn as bands behind the channels. */
function bandSegments() {
  if (app.bands === "truth") {
    return truth.state.segments
      .filter((segment) => inView(segment) && !app.hidden.has(segment.set))
      .map((segment) => ({ ...segment, colour: setColour(truth.set(segment.set).colour) }));
  }
  const group = app.groups[app.bands];
  return group.sets
    .filter((set) => set.on)
    .flatMap((set) => set.segments.filter(inView).map((segment) => ({ ...segment, colour: foundColour(set) })));
}

function drawBands(pen, row) {
  for (const { id, start: first, end: last, intervals, colour } of layout.bands) {
    const [start, end] = intervals ? (intervals[row.channel.place] ?? [0, 0]) : [first, last];
    if (start === end) continue;
    const [x0, x1] = [Math.max(xOf(start), layout.left), Math.min(xOf(end), layout.right)];
    pen.globalAlpha = id && id === app.selected ? 0.36 : 0.19;
    pen.fillStyle = colour;
    pen.fillRect(x0, row.y, Math.max(1, x1 - x0), row.height);
  }
  pen.globalAlpha = 1;
}

function drawAxis(pen, row) {
  const [left, right] = [layout.left, layout.right];
  pen.strokeStyle = palette.soft;
  pen.fillStyle = palette.soft;
  pen.lineWidth = 1;
  pen.font = SMALL;
  pen.textAlign = "center";
  pen.beginPath();
  pen.moveTo(left, row.y + 0.5);
  pen.lineTo(right, row.y + 0.5);
  const wide = app.inTime && DATA.start.stamp ? 130 : 95;
  for (const { sample, text } of axisMarks(app.from, app.to, (right - left) / wide, app.inTime)) {
    const x = xOf(sample);
    if (x < left - 1 || x > right + 1) continue;
    pen.moveTo(x, row.y);
    pen.lineTo(x, row.y + 5);
    const half = pen.measureText(text).width / 2;
    pen.fillText(text, Math.min(Math.max(x, left + half), right - half), row.y + 14);
  }
  pen.stroke();
  pen.textAlign = "left";
  pen.fillText(app.inTime ? (DATA.start.stamp ? "time (UTC)" : "time") : "samples", 0, row.y + 14);
  pen.font = FONT;
}
