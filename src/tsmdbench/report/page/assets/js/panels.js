// The parts of the explorer beside the picture: numbers, matrix, measures, explanation, curve.

const MEASURES = { precision: "Precision", recall: "Recall", f1: "F1" };
const THRESHOLDS = range(50).map((i) => (50 + i) / 100);

function numbersPanel(result) {
  const { micro, tp, fp, fn } = result;
  const pairs = [
    ["F1", shown(micro.f1), "f1"],
    ["precision", shown(micro.precision), "precision"],
    ["recall", shown(micro.recall), "recall"],
    ["true pos.", tp, "tp"],
    ["false pos.", fp, "fp"],
    ["false neg.", fn, "fn"],
  ];
  return el(
    "dl",
    { class: "numbers" },
    pairs.map(([word, value, key]) => el("div", {}, el("dt", {}, word), el("dd", { "data-number": key }, String(value)))),
  );
}

/** The matching matrix, matched pairs framed. */
function matrixPanel(result) {
  const head = [...result.found.map((set) => `found ${set.label}`), "missed"];
  const names = [...result.truth.map((set) => `true ${set.label}`), "unmatched"];
  const [g, d] = [result.truth.length, result.found.length];
  const cell = (value, r, c) => {
    if (r === g && c === d) return el("td", { class: "rest" });
    const matched = r === c && r < result.matched;
    const kind = matched ? "pairing" : r === g || c === d ? "rest" : value ? "" : "zero";
    return el("td", { class: kind, title: matched ? "matched pair: true positives" : null }, String(value));
  };
  const place = (set) => (set < result.matched ? result.truth[set].place : null);
  return el(
    "div",
    { class: "scroll", role: "region", "aria-label": "Matching matrix", tabindex: "0" },
    el(
      "table",
      { class: "matrix" },
      el("caption", { class: "hidden" }, "Matching matrix: motifs that a true set (row) and a found set (column) have in common; matched pairs on the diagonal."),
      el(
        "thead",
        {},
        el("tr", {}, el("td", { class: "rest" }), head.map((text, c) => el("th", { scope: "col" }, c < d ? el("i", { class: `dot ${colourOf(place(c))}` }) : null, text))),
      ),
      el(
        "tbody",
        {},
        result.matrix.map((line, r) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, r < g ? el("i", { class: `dot ${colourOf(result.truth[r].place)}` }) : null, names[r]),
            line.map((value, c) => cell(value, r, c)),
          ),
        ),
      ),
    ),
  );
}

/** All metrics: ours at the chosen threshold, the others as they were stored. */
function measuresPanel(side) {
  const { micro, macro } = side.result;
  const rows = Object.entries(MEASURES).map(([key, word]) => [word, fixed(micro[key], 4), fixed(macro[key], 4)]);
  const extras = DATA.extra.map(({ name, higher }, i) => [
    name + (higher ? "" : ", lower is better"),
    side.run.values[i] === null ? "–" : String(Number(side.run.values[i].toPrecision(5))),
  ]);
  const parts = [table("PROM, micro and macro averages", ["PROM", "Micro", "Macro"], rows, "plain measures")];
  if (extras.length) parts.push(table("Other metrics, as stored", ["Other metrics (threshold 0.5)", "Value"], extras, "plain measures"));
  return el("div", { class: "measures-both" }, parts);
}

/** The lines of the explanation; indented ones become a list. */
function explanationPanel(told) {
  const panel = el("div", { class: "explanation" });
  let list = null;
  for (const line of explanationLines(told)) {
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
  const { run, result, told, parameters, seeds } = side;
  const repeated = seeds.length ? el("p", { class: "small", "data-seeds": String(seeds.length) }, `Seed ${run.seed}, one of ${seeds.length}. The tables and charts above show means over all of them.`) : null;
  const failed = run.status ? el("p", { class: "failure" }, `This run failed (${run.status}) and counts as one that found nothing. ${run.message}`) : null;
  return el(
    "article",
    { "aria-label": side.label, "data-side": side.label },
    el("h3", {}, side.label),
    repeated,
    failed,
    numbersPanel(result),
    el(
      "div",
      { class: "side" },
      el("div", {}, el("h4", {}, "What happened"), explanationPanel(told)),
      el("div", {}, el("h4", {}, "Matching matrix"), matrixPanel(result), el("h4", {}, "All metrics"), measuresPanel(side)),
    ),
    motifTable(side),
    el("p", { class: "small soft" }, `Took ${seconds(run.seconds)}${parameters && parameters !== "{}" ? `, with ${parameters}` : ""}.`),
  );
}

/** Every motif in words: what the picture shows. */
function motifTable({ label, told }) {
  const { result, trueMotifs, foundMotifs } = told;
  const rows = [
    ...trueMotifs.map((motif) => [`true ${result.truth[motif.set].label}`, motif, motif.status]),
    ...foundMotifs.map((motif) => [`found ${result.found[motif.set].label}`, motif, motif.partner < 0 ? motif.status : `${motif.status}, ${displacement(motif)}`]),
  ];
  const details = asTable(`All motifs, ${label}`, ["Set", "Segment", "What it is"], rows.map(([set, { start, end }, words]) => [set, `[${start}, ${end})`, words]));
  find("summary", details).textContent = "All motifs as a table";
  return details;
}

/** F1 over all thresholds, a line for each side. */
function curvePanel(sides, threshold, penalizeOffTarget) {
  const body = el("div", { class: "chart" });
  const lines = sides.map(({ comparison }) => f1Curve(comparison, penalizeOffTarget));
  const figure = el(
    "figure",
    {},
    el("figcaption", {}, "F1 over the overlap threshold"),
    body,
    asTable(
      "F1 over the overlap threshold",
      ["Threshold", ...sides.map(({ label }) => label)],
      THRESHOLDS.filter((_, i) => i % 5 === 0).map((t, i) => [fixed(t, 2), ...lines.map((line) => shown(line[5 * i]))]),
    ),
  );
  const draw = (width) => body.replaceChildren(curveChart(sides, lines, threshold, Math.min(width, 620)));
  return { figure, start: () => drawn(body, draw) };
}

const curves = new WeakMap();

/** F1 of a comparison at all thresholds, computed once. */
function f1Curve(comparison, penalizeOffTarget) {
  if (!curves.has(comparison)) curves.set(comparison, new Map());
  const known = curves.get(comparison);
  if (!known.has(penalizeOffTarget)) {
    known.set(penalizeOffTarget, THRESHOLDS.map((t) => comparison.at(t, { penalizeOffTarget }).micro.f1));
  }
  return known.get(penalizeOffTarget);
}

function curveChart(sides, lines, threshold, width) {
  const height = 150;
  const [left, right, bottom] = [30, width - 10, height - 22];
  const x = (t) => left + ((t - 0.5) / 0.49) * (right - left);
  const y = (value) => bottom - value * (bottom - 8);
  const chart = picture(width, height, `F1 over the threshold; at ${fixed(threshold, 2)}: ${sides.map(({ label, result }) => `${label} ${shown(result.micro.f1)}`).join(", ")}`);
  for (const value of [0, 0.5, 1]) {
    chart.append(
      svg("line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end", class: "soft" }, String(value)),
    );
  }
  for (const t of [0.5, 0.6, 0.7, 0.8, 0.9]) {
    chart.append(svg("text", { x: x(t), y: height - 5, "text-anchor": "middle", class: "soft" }, fixed(t, 1)));
  }
  chart.append(svg("line", { class: "cursor", x1: x(threshold), x2: x(threshold), y1: 4, y2: bottom }));
  lines.forEach((line, i) => {
    const steps = line.map((value, t) => `${t ? "L" : "M"}${x(THRESHOLDS[t]).toFixed(1)},${y(value).toFixed(1)}`);
    const at = y(sides[i].result.micro.f1);
    chart.append(
      svg("g", { class: i ? "set-1" : "set-0" }, svg("path", { d: steps.join(""), fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": i ? "6 3" : null }), svg("circle", { class: "point", cx: x(threshold), cy: at, r: 4.5 })),
    );
  });
  return chart;
}
