// The heat map is a table of links; here it gets colours, metrics and arrow keys.

function showHeat(metric) {
  if (!(metric in DATA.means)) return false;
  find("[data-metric=heatmap]").value = metric;
  const columns = DATA.methods.map(({ label }) => DATA.labels.indexOf(label));
  findAll(".heat tbody tr").forEach((row, dataset) => {
    findAll("td", row).forEach((cell, place) => {
      const link = find("a", cell);
      if (!link) return;
      const value = DATA.means[metric][dataset][columns[place]];
      link.textContent = shown(value, 2);
      link.className = value === null ? "" : `h${Math.round(Math.min(1, Math.max(0, value)) * 10)}`;
      const name = `${DATA.methods[place].label} on ${DATA.datasets[dataset]}`;
      link.title = `${name}: mean ${DATA.metrics[metric]} ${shown(value, 3)}`;
    });
  });
  return true;
}

/** One cell is in the tab order; arrow keys move it. */
function startHeat() {
  const rows = findAll(".heat tbody tr").map((row) => findAll("td", row).map((cell) => find("a", cell)));
  const cells = rows.flat().filter((link) => link);
  cells.forEach((link, i) => (link.tabIndex = i ? -1 : 0));
  find(".heat").addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const row = rows.findIndex((line) => line.includes(event.target));
    if (!step || row < 0) return;
    event.preventDefault();
    let [r, c] = [row, rows[row].indexOf(event.target)];
    do {
      r += step[0];
      c += step[1];
    } while (rows[r] && c in rows[r] && !rows[r][c]);
    const next = rows[r]?.[c];
    if (!next) return;
    cells.forEach((link) => (link.tabIndex = link === next ? 0 : -1));
    next.focus();
  });
  showHeat(Object.keys(DATA.metrics)[0]);
}
