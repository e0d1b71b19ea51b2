// The picture of a problem: series, true sets above, found sets below, all on one time axis.

const LANE = 15; // pixels of one lane
const LANE_GAP = 4;
const COLOURS = 7; // of tsmdbench.plotting

function colourOf(set) {
  return set === null || set === undefined ? "set-none" : `set-${set % COLOURS}`;
}

/** A motif of a run as an object; one that is not explained has no status. */
function motifOf([start, end, kind, set = null, words = ""]) {
  return { start, end, status: DATA.statuses[kind] ?? "", set, words };
}

/** Put segments of one set that overlap below each other: the row of each, and how many. */
function stacked(motifs) {
  const ends = [];
  const rows = motifs.map(({ start, end }) => {
    let row = ends.findIndex((last) => last <= start);
    if (row < 0) row = ends.push(0) - 1;
    ends[row] = end;
    return row;
  });
  return { rows, count: Math.max(1, ends.length) };
}

/** All rows of the picture from top to bottom, with their heights. */
function laneRows(problem, series, sides) {
  const rows = [{ kind: "head", text: "True sets", height: 20 }];
  const only = sides.length === 1 ? sides[0].run.true : null; // beside two finds a true motif has no one fate
  problem.truth.forEach((segments, set) => {
    const motifs = segments.map(([start, end], i) => motifOf([start, end, only?.[set][i], set]));
    rows.push({ kind: "lane", name: "true", text: problem.labels[set], colour: set, motifs });
  });
  const heights = { 1: 150, 2: 100, 3: 76 };
  for (const line of series?.lines ?? []) {
    rows.push({ kind: "line", line, text: series.channels > 1 ? `channel ${line.channel}` : "series", height: heights[series.lines.length] ?? 56 });
  }
  for (const { label, run } of sides) {
    rows.push({ kind: "head", text: `Found by ${label}`, height: 24 });
    for (const [name, matched, motifs] of run.sets) {
      rows.push({ kind: "lane", name: "found", text: `set ${name}`, colour: matched, motifs: motifs.map(motifOf) });
    }
    if (!run.sets.length) rows.push({ kind: "head", text: "nothing", height: 18, soft: true });
  }
  return rows;
}

function laneChart(problem, series, sides, width, zoom) {
  const side = width < 560 ? 70 : 116;
  const plot = (width - side - 6) * zoom;
  const x = (sample) => side + (sample / problem.n) * plot;
  const rows = laneRows(problem, series, sides);
  for (const row of rows.filter(({ kind }) => kind === "lane")) {
    row.stack = stacked(row.motifs);
    row.height = row.stack.count > 1 ? row.stack.count * 8 + 4 : LANE;
  }
  const gap = ({ kind }) => (kind === "line" ? 8 : kind === "lane" ? LANE_GAP : 0);
  const height = rows.reduce((sum, row) => sum + row.height + gap(row), 0) + 24;
  const words = sides.map(({ label, values }) => `${label} F1 ${shown(values[0])}`).join(", ");
  const chart = picture(side + plot + 6, height, `Problem ${problem.name}: ${problem.truth.length} true sets in ${problem.n} samples; ${words}`);
  let y = 0;
  for (const row of rows) {
    if (row.kind === "head") {
      chart.append(clippedText(row.text, width - 10, { x: row.soft ? side : 0, y: y + row.height - 6, class: row.soft ? "soft" : "strong" }));
    } else if (row.kind === "lane") {
      chart.append(...laneMarks(row, x, y, side, plot));
    } else {
      chart.append(...lineMarks(row, problem, x, y, side));
    }
    y += row.height + gap(row);
  }
  for (const sample of ticks(0, problem.n, plot / 110)) {
    chart.append(
      svg("line", { class: "axis", x1: x(sample), x2: x(sample), y1: y, y2: y + 4 }),
      svg("text", { x: x(sample), y: y + 17, "text-anchor": sample === problem.n ? "end" : "middle", class: "soft" }, String(sample)),
    );
  }
  chart.append(svg("line", { class: "axis", x1: x(0), x2: x(problem.n), y1: y, y2: y }));
  return chart;
}

function laneMarks(row, x, y, side, plot) {
  const marks = [
    svg("g", { class: colourOf(row.colour) }, svg("circle", { cx: 5, cy: y + row.height / 2, r: 4, fill: "currentColor" })),
    clippedText(row.text, side - 20, { x: 14, y: y + row.height / 2 + 4 }),
    svg("rect", { class: "lane", x: side, y, width: plot, height: row.height, rx: 2 }),
  ];
  const many = row.stack.count > 1;
  row.motifs.forEach((motif, i) => {
    const mark = svg(
      "rect",
      {
        class: `motif ${motif.status.replaceAll(" ", "-")}`,
        x: x(motif.start) + 0.7,
        y: many ? y + 2 + row.stack.rows[i] * 8 : y + 2,
        width: Math.max(1.5, x(motif.end) - x(motif.start) - 1.4),
        height: many ? 6.5 : row.height - 4,
        rx: 2,
      },
      svg("title", {}, `${row.name} ${row.text} ${motifWords(motif)}`),
    );
    marks.push(svg("g", { class: colourOf(motif.set) }, mark));
  });
  return marks;
}

function motifWords({ start, end, status, words }) {
  return [`[${start}, ${end})`, [status, words].filter((text) => text).join(", ")].filter((text) => text).join(": ");
}

function lineMarks(row, problem, x, y, side) {
  const { line, height, text } = row;
  const points = line.at.map((sample, i) => `${x(sample + 0.5).toFixed(1)},${(y + 3 + (1 - line.value[i]) * (height - 6)).toFixed(1)}`);
  const bands = problem.truth.flatMap((segments, set) =>
    segments.map(([start, end]) =>
      svg("g", { class: colourOf(set) }, svg("rect", { class: "band", x: x(start), y, width: x(end) - x(start), height })),
    ),
  );
  return [
    ...bands,
    svg("polyline", { class: "curve", points: points.join(" ") }),
    svg("text", { x: 0, y: y + height / 2 + 4, class: "soft" }, text),
    svg("text", { x: side - 6, y: y + 10, "text-anchor": "end", class: "soft" }, Number(line.high.toPrecision(2))),
    svg("text", { x: side - 6, y: y + height - 2, "text-anchor": "end", class: "soft" }, Number(line.low.toPrecision(2))),
  ];
}

/** What the looks of a segment mean. */
function laneLegend() {
  const sample = (status, set) =>
    svg("svg", { width: 26, height: 12, "aria-hidden": "true" }, svg("g", { class: colourOf(set) }, svg("rect", { class: `motif ${status}`, x: 1, y: 1, width: 24, height: 10, rx: 2 })));
  return el(
    "div",
    { class: "legend" },
    [
      ["matched", 0, "matched"],
      ["duplicate", 0, "duplicate"],
      ["wrong-set", 0, "in the wrong set"],
      ["off", 0, "off, or missed"],
      ["spurious", null, "spurious"],
    ].map(([status, set, words]) => el("span", {}, sample(status, set), words)),
    el("span", {}, "The colour is that of the true set."),
  );
}
