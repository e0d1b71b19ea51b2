// Time against quality: a point per method, a line through those that no other beats.

function startTime() {
  const place = find("[data-chart=time]");
  const body = el("div", { class: "chart" });
  const methods = DATA.methods.filter(({ seconds: time, f1 }) => time > 0 && f1 !== null);
  place.append(
    el(
      "figure",
      {},
      el("div", { class: "legend" }, groupLegend()),
      body,
      asTable(
        "Time and quality",
        ["Method", "Mean processor seconds", "Mean F1", "On the Pareto front"],
        DATA.methods.map((method) => [method.label, seconds(method.seconds) + (method.comparable ? "" : " (another machine)"), shown(method.f1), method.front ? "yes" : "no"]),
      ),
    ),
  );
  drawn(body, (width) => body.replaceChildren(timeChart(methods, width)));
}

function timeChart(methods, width) {
  const height = Math.max(300, Math.min(430, width * 0.6));
  if (!methods.length) {
    return picture(width, 24, "no times", svg("text", { x: 0, y: 16, class: "soft" }, "There are no times to show."));
  }
  const times = methods.map((method) => Math.log10(method.seconds));
  const [low, high] = [Math.floor(Math.min(...times) - 0.15), Math.ceil(Math.max(...times) + 0.15)];
  const top = Math.min(1, Math.ceil((Math.max(...methods.map(({ f1 }) => f1)) + 0.06) * 10) / 10);
  const [left, right, bottom] = [40, width - 14, height - 40];
  const x = (time) => left + ((time - low) / (high - low)) * (right - left);
  const y = (f1) => bottom - (f1 / top) * (bottom - 26);
  const chart = picture(width, height, `Mean F1 against mean processor seconds of a run, ${methods.length} methods; the table below has the numbers`);
  for (const power of range(high - low + 1).map((i) => low + i)) {
    chart.append(
      svg("line", { class: "grid", x1: x(power), x2: x(power), y1: 26, y2: bottom }),
      svg("text", { x: x(power), y: bottom + 17, "text-anchor": "middle", class: "soft" }, String(Number((10 ** power).toPrecision(1)))),
    );
  }
  for (const value of ticks(0, top, 5)) {
    chart.append(
      svg("line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 7, y: y(value) + 4, "text-anchor": "end", class: "soft" }, String(value)),
    );
  }
  chart.append(
    svg("text", { x: right, y: height - 6, "text-anchor": "end", class: "soft" }, "mean processor seconds of a run (log scale)"),
    svg("text", { x: 0, y: 9, class: "soft" }, "mean F1"),
  );
  const points = methods.map((method) => ({ ...method, x: x(Math.log10(method.seconds)), y: y(method.f1) }));
  const front = points.filter((point) => point.front).sort((a, b) => a.x - b.x);
  const steps = front.map((point, i) => (i ? `H${point.x}V${point.y}` : `M${point.x},${point.y}`));
  chart.append(svg("path", { class: "front", d: steps.join("") }));
  for (const point of points) {
    const where = point.comparable ? "" : ", on another machine";
    const words = `${point.label}: F1 ${shown(point.f1)}, ${seconds(point.seconds)}${where}`;
    const kind = point.comparable ? "point" : "point foreign";
    chart.append(svg("g", { class: `group-${point.group}` }, svg("circle", { class: kind, cx: point.x, cy: point.y, r: 6 }, svg("title", {}, words))));
  }
  chart.append(...placedLabels(points, front, left, right));
  return chart;
}

/** Labels beside their points, each where it covers no other label and no point. */
function placedLabels(points, front, left, right) {
  const taken = points.map(({ x, y }) => ({ x0: x - 7, x1: x + 7, y0: y - 7, y1: y + 7 }));
  for (const [i, { x, y }] of front.slice(1).entries()) {
    const before = front[i];
    taken.push({ x0: before.x, x1: x, y0: before.y - 1, y1: before.y + 1 }, { x0: x - 1, x1: x + 1, y0: y, y1: before.y });
  }
  const labels = [];
  for (const point of [...points].sort((a, b) => b.front - a.front || a.y - b.y)) {
    const width = Math.min(textWidth(point.label, point.front ? 600 : 400), 170);
    const choices = [
      [point.x + 10, point.y + 4],
      [point.x - 10 - width, point.y + 4],
      [point.x - width / 2, point.y - 11],
      [point.x - width / 2, point.y + 20],
      [point.x + 8, point.y - 9],
      [point.x + 8, point.y + 17],
      [point.x - 8 - width, point.y - 9],
      [point.x - 8 - width, point.y + 17],
    ];
    const cost = ([x, y]) => {
      const box = { x0: x - 1, x1: x + width + 1, y0: y - 11, y1: y + 3 };
      const meets = taken.filter((other) => box.x0 < other.x1 && other.x0 < box.x1 && box.y0 < other.y1 && other.y0 < box.y1);
      return meets.length + (box.x0 < left - 30 || box.x1 > right + 12 ? 10 : 0);
    };
    const best = choices.reduce((held, choice) => (cost(choice) < cost(held) ? choice : held));
    taken.push({ x0: best[0] - 1, x1: best[0] + width + 1, y0: best[1] - 11, y1: best[1] + 3 });
    labels.push(clippedText(point.label, 172, { x: best[0], y: best[1], class: point.front || point.own ? "strong" : "" }));
  }
  return labels;
}
