// The leaderboard of a board: one dataset or all, and filters by property.

const BOARD = JSON.parse(find("#data").textContent);

/** Show the means of one dataset, or of all of them for "". */
function showDataset(name) {
  for (const row of findAll("#leaderboard tbody tr")) {
    const label = row.dataset.label;
    const values = name ? BOARD.means[label][name] : BOARD.overall[label];
    for (const cell of findAll("[data-cell]", row)) {
      const value = values[cell.dataset.cell];
      cell.dataset.value = value === null ? "" : value;
      find("b", cell).textContent = value === null ? "–" : value.toFixed(3);
      // Interval and bar are those over all datasets.
      for (const other of findAll(".bar, .interval", cell)) other.style.visibility = name ? "hidden" : "";
    }
  }
  const sorted = find("#leaderboard th[aria-sort]");
  sortTable(find("#leaderboard table"), sorted.dataset.key, sorted.getAttribute("aria-sort"));
}

/** Hide the rows that one of the filters does not let pass. */
function filterRows() {
  const wanted = findAll("select[data-filter]").filter((select) => select.value);
  let shownRows = 0;
  const rows = findAll("#leaderboard tbody tr");
  for (const row of rows) {
    row.hidden = wanted.some((select) => row.dataset[select.dataset.filter] !== select.value);
    if (!row.hidden) shownRows += 1;
  }
  find("[data-shown]").textContent = wanted.length ? `${shownRows} of ${rows.length} methods` : "";
}

startTheme();
startTables(() => {});
if (find("[data-controls]")) {
  find("select[data-dataset]").addEventListener("change", (event) => showDataset(event.target.value));
  for (const select of findAll("select[data-filter]")) select.addEventListener("change", filterRows);
}
