// The parts of the explorer beside the picture: numbers, matrix, measures, explanation, curve.

function numbersPanel({ run, values }) {
  const pairs = [
    ...["F1", "precision", "recall"].map((word, i) => [word, shown(values[i])]),
    ...["true pos.", "false pos.", "false neg."].map((word, i) => [word, run.counts?.[i]]),
  ];
  return el(
    "dl",
    { class: "numbers" },
    pairs.filter(([, value]) => value !== undefined).map(([word, value]) => el("div", {}, el("dt", {}, word), el("dd", { "data-number": word }, String(value)))),
  );
}

/** The matching matrix, matched pairs framed. */
function matrixPanel({ run, problem }) {
  const [g, d] = [run.rows.length, run.sets.length];
  const cell = (value, r, c) => {
    if (r === g && c === d) return el("td", { class: "rest" });
    const matched = r === c && r < g && c < d && run.sets[c][1] !== null;
    const kind = matched ? "pairing" : r === g || c === d ? "rest" : value ? "" : "zero";
    return el("td", { class: kind, title: matched ? "matched pair: true positives" : null }, String(value));
  };
  const dot = (set) => el("i", { class: `dot ${colourOf(set)}` });
  return el(
    "div",
    { class: "scroll", role: "region", "aria-label": "Matching matrix", tabindex: "0" },
    el(
      "table",
      { class: "matrix" },
      el("caption", { class: "hidden" }, "Matching matrix: motifs that a true set (row) and a found set (column) have in common; matched pairs on the diagonal."),
      el("thead", {}, el("tr", {}, el("td", { class: "rest" }), run.sets.map(([name, set]) => el("th", { scope: "col" }, dot(set), `found ${name}`)), el("th", { scope: "col" }, "missed"))),
      el(
        "tbody",
        {},
        run.matrix.map((line, r) =>
          el("tr", {}, el("th", { scope: "row" }, r < g ? [dot(run.rows[r]), `true ${problem.labels[run.rows[r]]}`] : "unmatched"), line.map((value, c) => cell(value, r, c))),
        ),
      ),
    ),
  );
}

/** The lines of the explanation; indented ones become a list. */
function explanationPanel(lines) {
  const panel = el("div", { class: "explanation" });
  let list = null;
  for (const line of lines) {
    if (line.startsWith("  ")) {
      if (!list) panel.append((list = el("ul")));
      list.append(el("li", {}, line.trim()));
    } else {
      list = null;
      panel.append(el("p", {}, line));
    }
  }
  return panel;
}

function sidePanel(side) {
  const { run, parameters, seeds } = side;
  const repeated = seeds.length ? el("p", { class: "small", "data-seeds": String(seeds.length) }, `Seed ${run.seed}, one of ${seeds.length}. The tables and figures above show means over all of them.`) : null;
  const failed = run.status ? el("p", { class: "failure" }, `This run failed (${run.status}) and counts as one that found nothing. ${run.message}`) : null;
  const measures = DATA.metrics.map((name, i) => [name, run.values[i] === null ? "–" : String(Number(run.values[i].toPrecision(5)))]);
  const explained = run.text
    ? [el("div", {}, el("h4", {}, "What happened"), explanationPanel(run.text)), el("div", {}, el("h4", {}, "Matching matrix"), matrixPanel(side))]
    : [el("p", { class: "note" }, "This page explains a part of the problems only; 'tsmdbench explain STORE PROBLEM' explains any, and 'tsmdbench report --embed all' all of them.")];
  const details = el("details", {}, el("summary", {}, "All metrics"), table("All metrics", ["Metric", "Value"], measures, "plain measures"));
  return el(
    "article",
    { "aria-label": side.label, "data-side": side.label },
    el("h3", {}, side.label),
    repeated,
    failed,
    numbersPanel(side),
    el("div", { class: "side" }, explained),
    details,
    motifTable(side),
    el("p", { class: "small soft" }, `Took ${Number(run.seconds.toPrecision(3))} s${parameters && parameters !== "{}" ? `, with ${parameters}` : ""}.`),
  );
}

/** Every motif in words: what the picture shows. */
function motifTable({ label, run, problem }) {
  const rows = [
    ...problem.truth.flatMap((segments, set) => segments.map(([start, end], i) => [`true ${problem.labels[set]}`, motifOf([start, end, run.true?.[set][i]])])),
    ...run.sets.flatMap(([name, , motifs]) => motifs.map((motif) => [`found ${name}`, motifOf(motif)])),
  ];
  const cells = rows.map(([set, motif]) => [set, `[${motif.start}, ${motif.end})`, [motif.status, motif.words].filter((text) => text).join(", ")]);
  return asTable("All motifs as a table", `All motifs, ${label}`, ["Set", "Segment", "What it is"], cells);
}

/** F1 over the thresholds, a line for each side; null where no side has one. */
function curvePanel(sides) {
  const drawable = sides.filter(({ run }) => run.curve);
  if (!drawable.length) return null;
  const body = el("div", { class: "chart" });
  const rows = DATA.thresholds.map((t, i) => [t.toFixed(2), ...drawable.map(({ run }) => shown(run.curve[i]))]);
  const names = asTable("As a table", "F1 over the overlap threshold", ["Threshold", ...drawable.map(({ label }) => label)], rows);
  const figure = el("figure", {}, el("figcaption", {}, "F1 over the overlap threshold"), body, names);
  return { figure, start: () => drawn(body, (width) => body.replaceChildren(curveChart(drawable, Math.min(width, 620)))) };
}

function curveChart(sides, width) {
  const height = 150;
  const [left, right, bottom] = [30, width - 10, height - 22];
  const x = (t) => left + ((t - 0.5) / 0.45) * (right - left);
  const y = (value) => bottom - value * (bottom - 8);
  const chart = picture(width, height, "F1 over the overlap threshold; the table below has the numbers");
  for (const value of [0, 0.5, 1]) {
    chart.append(
      svg("line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end", class: "soft" }, String(value)),
    );
  }
  for (const t of [0.5, 0.6, 0.7, 0.8, 0.9]) {
    chart.append(svg("text", { x: x(t), y: height - 5, "text-anchor": "middle", class: "soft" }, t.toFixed(1)));
  }
  sides.forEach(({ label, run }, i) => {
    const points = run.curve.map((value, t) => [x(DATA.thresholds[t]), y(value)]);
    const marks = points.map(([cx, cy], t) => svg("circle", { class: "point", cx, cy, r: 4.5 }, svg("title", {}, `${label} at ${DATA.thresholds[t].toFixed(2)}: ${shown(run.curve[t])}`)));
    chart.append(svg("g", { class: `set-${i}` }, svg("polyline", { class: "f1", points: points.join(" "), "stroke-dasharray": i ? "6 3" : null }), marks));
  });
  return chart;
}
