// Rows of segments: the truth, which can be edited, and what was found; and what is where.

const EDGE = 7; // pixels around an end that catch it

function foundColour(set) {
  return set.colour === null ? palette.none : setColour(set.colour);
}

/** The segment as it is while it is being moved. */
function livePlace(segment) {
  return app.draft && app.draft.except === segment.id ? { ...segment, ...app.draft } : segment;
}

function drawBar(pen, { start, end }, y, height, style) {
  if (end < app.from || start > app.to) return null;
  const [x0, x1] = [Math.max(xOf(start), layout.left - 2), Math.min(xOf(end), layout.right + 2)];
  const width = Math.max(2, x1 - x0);
  pen.globalAlpha = style.alpha ?? 1;
  pen.fillStyle = style.fill;
  pen.beginPath();
  pen.roundRect(x0, y, width, height, Math.min(3, width / 2));
  pen.fill();
  pen.globalAlpha = 1;
  if (style.stroke) {
    pen.strokeStyle = style.stroke;
    pen.lineWidth = style.lineWidth ?? 1.5;
    pen.stroke();
  }
  return { x0, width };
}

function clipped(pen, row, draw) {
  pen.save();
  pen.beginPath();
  pen.rect(layout.left - 2, row.y - 2, layout.right - layout.left + 4, row.height + 4);
  pen.clip();
  draw();
  pen.restore();
}

function drawTruthLane(pen, row) {
  pen.fillStyle = palette.ink;
  pen.fillText("truth", 0, row.y + row.height / 2);
  pen.fillStyle = palette.raised;
  pen.fillRect(layout.left, row.y, layout.right - layout.left, row.height);
  clipped(pen, row, () => {
    for (const segment of truth.state.segments) {
      const place = livePlace(segment);
      if (app.hidden.has(segment.set) || !inView(place)) continue;
      const chosen = segment.id === app.selected;
      const set = truth.set(segment.set);
      const refused = place !== segment && app.draft.refused;
      const bar = drawBar(pen, place, row.y + 3, row.height - 6, {
        fill: refused ? palette.bad : setColour(set.colour),
        stroke: chosen ? palette.ink : null,
        lineWidth: 2,
      });
      if (bar) writeName(pen, set.name, bar, row);
      if (bar && chosen) drawHandles(pen, place, row);
    }
    if (app.draft && !app.draft.except) drawDraft(pen, row);
  });
}

/** The name of a set in its segment, where it fits, or most of it does. */
function writeName(pen, name, { x0, width }, row) {
  pen.font = SMALL;
  if (width > 60 || pen.measureText(name).width <= width - 6) {
    pen.fillStyle = palette.page;
    pen.textAlign = "center";
    pen.fillText(fitted(pen, name, width - 6), x0 + width / 2, row.y + row.height / 2);
    pen.textAlign = "left";
  }
  pen.font = FONT;
}

/** Which part of the chosen segment the arrow keys move. */
function drawHandles(pen, { start, end }, row) {
  pen.fillStyle = palette.ink;
  const ends = { whole: [], start: [start], end: [end] }[app.part];
  for (const at of ends) pen.fillRect(xOf(at) - 3, row.y, 6, row.height);
}

function drawDraft(pen, row) {
  const { refused } = app.draft;
  const colour = refused ? palette.bad : setColour(truth.set(app.activeSet)?.colour ?? 0);
  drawBar(pen, app.draft, row.y + 3, row.height - 6, { fill: colour, alpha: 0.55, stroke: colour });
}

function drawFoundLane(pen, row) {
  const { set, y, height } = row;
  pen.fillStyle = foundColour(set);
  pen.fillRect(0, y + height / 2 - 4, 8, 8);
  pen.fillStyle = palette.ink;
  pen.font = SMALL;
  pen.fillText(fitted(pen, set.label, layout.left - 20), 13, y + height / 2);
  pen.font = FONT;
  pen.fillStyle = palette.raised;
  pen.fillRect(layout.left, y, layout.right - layout.left, height);
  const many = set.stack.count > 1;
  clipped(pen, row, () => {
    set.segments.forEach((segment, index) => {
      const top = many ? y + 2 + set.stack.rows[index] * FOUND_ROW : y + 3;
      const chosen = app.proposal && app.proposal.group === row.group && app.proposal.set === set.place && app.proposal.index === index;
      drawBar(pen, segment, top, many ? FOUND_ROW - 1.5 : height - 6, {
        fill: foundColour(set),
        stroke: chosen ? palette.ink : null,
        lineWidth: 2,
      });
    });
  });
}

/** Marks over all channels: the cursor, the draft, the found segment that is looked at. */
function drawMarks(pen) {
  const rows = layout.rows.filter(({ kind }) => kind === "channel" || kind === "truth");
  const [top, bottom] = [rows[0].y, rows.at(-1).y + rows.at(-1).height];
  pen.save();
  pen.beginPath();
  pen.rect(layout.left, top, layout.right - layout.left, bottom - top);
  pen.clip();
  const column = ({ start, end }, colour, alpha) => {
    pen.globalAlpha = alpha;
    pen.fillStyle = colour;
    pen.fillRect(xOf(start), top, xOf(end) - xOf(start), bottom - top);
    pen.globalAlpha = 1;
    pen.strokeStyle = colour;
    pen.lineWidth = 1.5;
    pen.setLineDash([5, 3]);
    pen.strokeRect(xOf(start), top + 1, xOf(end) - xOf(start), bottom - top - 2);
    pen.setLineDash([]);
  };
  if (app.draft) column(app.draft, app.draft.refused ? palette.bad : palette.accent, 0.14);
  const proposed = foundSegment(app.proposal);
  if (proposed) column(proposed, palette.ink, 0.05);
  const chosen = truth.segment(app.selected);
  if (chosen && !app.draft) column(chosen, palette.accent, 0.02);
  if (document.activeElement === find("#chart") && !app.selected) {
    pen.fillStyle = palette.accent;
    pen.fillRect(xOf(app.cursor) - 0.75, top, 1.5, bottom - top);
  }
  pen.restore();
}

/** The true segment under a place of the truth's row: {segment, part}, or null. */
function truthAt(x, reach = EDGE) {
  let held = null;
  for (const segment of truth.state.segments) {
    if (app.hidden.has(segment.set)) continue;
    const [x0, x1] = [xOf(segment.start), Math.max(xOf(segment.end), xOf(segment.start) + 2)];
    if (x < x0 - reach || x > x1 + reach) continue;
    const inner = Math.min(reach, (x1 - x0) / 4); // a short one can still be moved
    const part = x < x0 + inner ? "start" : x > x1 - inner ? "end" : "whole";
    if (x >= x0 && x <= x1) return { segment, part };
    held ??= { segment, part };
  }
  return held;
}

/** The found segment at a place of a found row, as {group, set, index}, or null. */
function foundAt(row, x, y) {
  const many = row.set.stack.count > 1;
  const hit = (segment, index) => {
    const [x0, x1] = [xOf(segment.start) - 2, Math.max(xOf(segment.end), xOf(segment.start) + 2) + 2];
    const top = row.y + 2 + row.set.stack.rows[index] * FOUND_ROW;
    return x >= x0 && x <= x1 && (!many || (y >= top - 1 && y <= top + FOUND_ROW));
  };
  const index = row.set.segments.findIndex(hit);
  return index < 0 ? null : { group: row.group, set: row.set.place, index };
}
