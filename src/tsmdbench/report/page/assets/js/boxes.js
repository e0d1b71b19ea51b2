// Box plots: a panel for each dataset, a box for each method.

const ROW = 21; // pixels of a box with its room

function startBoxes() {
  find("[data-legend=groups]").append(...groupLegend());
  showBoxes(Object.keys(DATA.metrics)[0]);
}

function groupLegend() {
  const used = new Set(DATA.methods.map(({ group }) => group));
  return DATA.groups
    .map((name, group) => [name, group])
    .filter(([, group]) => used.has(group))
    .map(([name, group]) => el("span", {}, el("i", { class: `dot group-${group}` }), name));
}

function showBoxes(metric) {
  if (!(metric in DATA.boxes)) return false;
  find("[data-metric=boxes]").value = metric;
  const name = DATA.metrics[metric];
  const panels = el("div", { class: "panels" });
  find("[data-chart=boxes]").replaceChildren(panels);
  DATA.datasets.forEach((dataset, place) => {
    const boxes = DATA.methods.map(({ label }) => DATA.boxes[metric][place][DATA.labels.indexOf(label)]);
    const body = el("div", { class: "chart" });
    panels.append(el("figure", {}, el("figcaption", { title: dataset }, dataset), body, boxTable(dataset, name, boxes)));
    drawn(body, (width) => body.replaceChildren(boxPanel(dataset, name, boxes, width)));
  });
  return true;
}

function boxTable(dataset, name, boxes) {
  return asTable(
    `${name} on ${dataset}`,
    ["Method", "Low", "Q1", "Median", "Q3", "High", "Mean", "Problems"],
    DATA.methods.map(({ label }, i) => [
      label,
      ...(boxes[i]
        ? [...boxes[i].box.map((value) => shown(value, 2)), shown(boxes[i].mean, 2), String(boxes[i].count)]
        : new Array(7).fill("–")),
    ]),
  );
}

function boxPanel(dataset, name, boxes, width) {
  const side = Math.min(Math.max(...DATA.methods.map(({ label }) => textWidth(label))) + 10, width * 0.34);
  const x = (value) => side + 4 + value * (width - side - 14);
  const height = DATA.methods.length * ROW + 22;
  const chart = picture(width, height, `${name} on ${dataset}, box plots of ${DATA.methods.length} methods`);
  for (const value of [0, 0.25, 0.5, 0.75, 1]) {
    chart.append(
      svg("line", { class: "grid", x1: x(value), x2: x(value), y1: 0, y2: height - 18 }),
      svg("text", { x: x(value), y: height - 4, "text-anchor": "middle", class: "soft" }, String(value)),
    );
  }
  DATA.methods.forEach(({ label, group, own }, i) => {
    const y = i * ROW + ROW / 2;
    chart.append(clippedText(label, side - 6, { x: side - 6, y: y + 4, "text-anchor": "end", class: own ? "strong" : "" }));
    if (boxes[i]) chart.append(boxMark(boxes[i], `${label}: `, group, x, y));
  });
  return chart;
}

function boxMark({ box, mean, count, outliers }, label, group, x, y) {
  const [low, q1, median, q3, high] = box;
  const words = `median ${shown(median, 2)}, quartiles ${shown(q1, 2)} and ${shown(q3, 2)}, mean ${shown(mean, 2)}, ${count} problems`;
  const line = (name, x1, x2, y1, y2) => svg("line", { class: name, x1: x(x1), x2: x(x2), y1, y2 });
  const at = x(mean);
  return svg(
    "g",
    { class: `group-${group}` },
    svg("title", {}, label + words),
    outliers.map((value) => svg("circle", { class: "outlier", cx: x(value), cy: y, r: 1.7 })),
    line("whisker", low, q1, y, y),
    line("whisker", q3, high, y, y),
    line("whisker", low, low, y - 3, y + 3),
    line("whisker", high, high, y - 3, y + 3),
    svg("rect", { class: "box", x: x(q1), y: y - 6, width: Math.max(0.5, x(q3) - x(q1)), height: 12 }),
    line("median", median, median, y - 6, y + 6),
    svg("path", { class: "mean", d: `M${at - 3.5},${y}L${at},${y - 3.5}L${at + 3.5},${y}L${at},${y + 3.5}Z` }),
  );
}
