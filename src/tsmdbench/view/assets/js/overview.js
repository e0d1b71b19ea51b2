// The whole series in a strip on top, with the part that is in view; and the drawing of all.

function drawOverview(pen, row) {
  const [left, right] = [layout.left, layout.right];
  const xAll = (sample) => left + (sample / DATA.n) * (right - left);
  pen.fillStyle = palette.soft;
  pen.font = SMALL;
  pen.fillText("all", 0, row.y + row.height / 2);
  pen.font = FONT;
  pen.fillStyle = palette.raised;
  pen.fillRect(left, row.y, right - left, row.height);
  const channel = CHANNELS.find(({ place }) => app.channels.has(place)) ?? CHANNELS[0];
  const level = channel.levelFor(DATA.n / Math.max(1, right - left));
  want(channel, level);
  const held = channel.readable(level);
  if (held >= 0) {
    const span = channel.high - channel.low || 1;
    const yOf = (value) => row.y + 3 + ((channel.high - value) / span) * (row.height - 11);
    pen.strokeStyle = palette.soft;
    drawExtremes(pen, channel, held, yOf, (x) => ((x - left) / (right - left)) * DATA.n);
  }
  for (const segment of truth.state.segments) {
    pen.fillStyle = setColour(truth.set(segment.set).colour);
    pen.fillRect(xAll(segment.start), row.y + row.height - 5, Math.max(1.5, xAll(segment.end) - xAll(segment.start)), 5);
  }
  const [x0, x1] = [xAll(app.from), Math.max(xAll(app.to), xAll(app.from) + 3)];
  pen.globalAlpha = 0.16;
  pen.fillStyle = palette.accent;
  pen.fillRect(x0, row.y, x1 - x0, row.height);
  pen.globalAlpha = 1;
  pen.strokeStyle = palette.accent;
  pen.lineWidth = 1.5;
  pen.strokeRect(x0, row.y + 0.75, x1 - x0, row.height - 1.5);
}

function drawHeading(pen, row) {
  pen.font = `600 ${FONT}`;
  pen.fillStyle = palette.ink;
  pen.fillText(fitted(pen, `Found: ${row.text}`, layout.right), 0, row.y + row.height / 2 + 2);
  pen.font = FONT;
}

const ROW_DRAWERS = {
  overview: drawOverview,
  truth: drawTruthLane,
  axis: drawAxis,
  heading: drawHeading,
  found: drawFoundLane,
  channel: (pen, row) => {
    drawBands(pen, row);
    drawChannel(pen, row);
  },
};

function drawChart() {
  const canvas = find("#chart");
  const width = Math.floor(canvas.clientWidth);
  if (!width) return;
  arrange(width);
  layout.bands = bandSegments(); // once for all channels
  const pen = penOf(canvas, width, layout.height);
  for (const row of layout.rows) ROW_DRAWERS[row.kind](pen, row);
  drawMarks(pen);
  describeChart(canvas);
}

/** What the picture shows, for those who do not see it. */
function describeChart(canvas) {
  const count = truth.state.segments.length;
  canvas.setAttribute(
    "aria-label",
    `Series from ${placeText(Math.round(app.from), app.inTime)} to ${placeText(Math.round(app.to), app.inTime)}, ${count} true segment${count === 1 ? "" : "s"}`,
  );
}

parts.draw.push(drawChart);
