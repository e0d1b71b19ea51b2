// Critical difference diagrams: average ranks on a line, bars over what does not differ.

const LINE = 19; // pixels from one label to the next
const BAR = 9; // pixels from one bar to the next

function startRanks() {
  const place = find("[data-chart=ranks]");
  if (!place) return; // one dataset has no average ranks
  for (const [metric, test] of Object.entries(DATA.ranks)) {
    const name = DATA.metrics[metric] ?? metric;
    const body = el("div", { class: "chart" });
    const note = test.note ? el("p", { class: "note" }, test.note) : null;
    place.append(
      el(
        "figure",
        { id: `ranks-${metric}` },
        el("figcaption", {}, name),
        body,
        note,
        asTable(
          `Average ranks by ${name}`,
          ["Method", "Average rank", "Groups that do not differ"],
          test.labels.map((label, i) => [label, shown(test.ranks[i], 2), test.letters[i] || "–"]),
        ),
      ),
    );
    drawn(body, (width) => body.replaceChildren(rankDiagram(test, name, width)));
  }
}

function rankDiagram(test, name, width) {
  const count = test.labels.length;
  const usable = test.labels.filter((_, i) => test.ranks[i] !== null);
  if (usable.length < 2) {
    return picture(width, 24, `${name}: no ranks`, svg("text", { x: 0, y: 16, class: "soft" }, "There is nothing to rank."));
  }
  const half = Math.ceil(count / 2);
  const widest = Math.max(...test.labels.map((label, i) => textWidth(rankText(test, i))));
  const side = Math.min(widest + 14, width * 0.36);
  const [left, right] = [side, width - side];
  const x = (rank) => left + ((rank - 1) / (count - 1)) * (right - left);
  const top = 26;
  const first = top + 16 + test.cliques.length * BAR + 8;
  const height = first + half * LINE;
  const chart = picture(
    width,
    height,
    `${name}: average ranks, best first: ${test.labels.map((label, i) => rankText(test, i)).join("; ")}`,
    svg("line", { class: "axis", x1: left, x2: right, y1: top, y2: top }),
  );
  const every = Math.ceil(count / Math.max(2, Math.floor((right - left) / 22)));
  for (const rank of range(count).map((i) => i + 1)) {
    chart.append(svg("line", { class: "axis", x1: x(rank), x2: x(rank), y1: top - 5, y2: top }));
    if ((rank - 1) % every === 0) {
      chart.append(svg("text", { x: x(rank), y: top - 10, "text-anchor": "middle", class: "soft" }, String(rank)));
    }
  }
  test.cliques.forEach((clique, i) => {
    const ranks = clique.map((label) => test.ranks[test.labels.indexOf(label)]);
    const y = top + 14 + i * BAR;
    const [from, to] = [x(Math.min(...ranks)) - 3, x(Math.max(...ranks)) + 3];
    chart.append(
      svg("line", { class: "clique", x1: from, x2: to, y1: y, y2: y }, svg("title", {}, `no significant difference: ${clique.join(", ")}`)),
      // A method under a bar without a dot is not one of those that it joins.
      ...ranks.map((rank) => svg("circle", { class: "member", cx: x(rank), cy: y, r: 2.2 })),
    );
  });
  test.labels.forEach((label, i) => {
    const isLeft = i < half;
    const y = first + (isLeft ? i : count - 1 - i) * LINE + 8;
    const end = isLeft ? left - 6 : right + 6;
    const at = x(test.ranks[i]);
    chart.append(
      svg("polyline", { class: "leader", points: `${at},${top} ${at},${y - 4} ${end},${y - 4}` }),
      clippedText(rankText(test, i), side - 8, {
        x: isLeft ? left - 9 : right + 9,
        y,
        "text-anchor": isLeft ? "end" : "start",
      }),
    );
  });
  return chart;
}

function rankText(test, i) {
  return `${test.labels[i]} ${shown(test.ranks[i], 2)}`;
}
