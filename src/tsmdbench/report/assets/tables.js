// Tables that sort by a click or a key on a column's head.

/** Sort by a column: direction "ascending" or "descending"; what is missing comes last. */
function sortTable(element, key, direction) {
  const head = findAll("thead th", element);
  const column = head.findIndex((cell) => cell.dataset.key === key);
  if (column < 0) return false;
  const isNumber = head[column].dataset.kind === "number";
  const valueOf = (row) => {
    const text = row.children[column].dataset.value;
    return isNumber ? Number.parseFloat(text) : text;
  };
  const sign = direction === "ascending" ? 1 : -1;
  const missing = (value) => value === "" || Number.isNaN(value);
  const compare = (a, b) => {
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    return sign * (isNumber ? a - b : a.localeCompare(b, "en", { numeric: true }));
  };
  const body = find("tbody", element);
  const rows = [...body.children];
  rows.sort((a, b) => compare(valueOf(a), valueOf(b)));
  body.append(...rows);
  head.forEach((cell, place) => {
    if (place === column) cell.setAttribute("aria-sort", direction);
    else cell.removeAttribute("aria-sort");
  });
  return true;
}

/** The next direction of a column: its natural one first, then the other. */
function nextDirection(cell) {
  const now = cell.getAttribute("aria-sort");
  if (!now) return cell.dataset.first;
  return now === "ascending" ? "descending" : "ascending";
}

function startTables(onSort) {
  for (const element of findAll("table[data-sortable]")) {
    for (const cell of findAll("thead th", element)) {
      find("button", cell).addEventListener("click", () => {
        const direction = nextDirection(cell);
        sortTable(element, cell.dataset.key, direction);
        onSort(element.closest("section").id, cell.dataset.key, direction);
      });
    }
  }
}
