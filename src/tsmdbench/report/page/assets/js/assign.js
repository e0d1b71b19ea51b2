// Which true set belongs to which found set: the best one-to-one matching.
//
// Highest number of common motifs; then fewest motifs in the matched found sets, fewest in
// the matched true sets, highest sum of F1, of precision, of recall over the pairs; what is
// still tied goes by position. All levels are in one whole number per pair, each level
// scaled so that no sum of lower ones can make up for one unit of it.
//
// The package breaks what is tied to the last level by position too, but by another rule: the
// numbers are always the same, and so is the matching wherever there is one best.

/** Return for each row its column, or -1: min(g, d) pairs. */
function matchSets(common, trueSizes, foundSizes) {
  const [g, d] = [trueSizes.length, foundSizes.length];
  if (!g || !d) return new Array(g).fill(-1);
  const n = Math.max(g, d);
  const worth = combined(levels(common, trueSizes, foundSizes), n);
  const column = heaviestAssignment(worth, n);
  return column.slice(0, g).map((place) => (place < d ? place : -1));
}

/** What each pair is worth, most important level first, as tables of BigInt. */
function levels(common, trueSizes, foundSizes) {
  const [g, d] = [trueSizes.length, foundSizes.length];
  const table = (value) => common.map((line, r) => line.map((hits, c) => value(hits, r, c)));
  const cost = (r, c) => (d > g ? foundSizes[c] : g > d ? trueSizes[r] : 0);
  const most = Math.max(...trueSizes, ...foundSizes);
  const n = Math.max(g, d);
  return [
    table((hits) => BigInt(hits)),
    table((hits, r, c) => BigInt(most - cost(r, c))),
    quotients(table, (r, c) => trueSizes[r] + foundSizes[c]),
    quotients(table, (r, c) => foundSizes[c]),
    quotients(table, (r) => trueSizes[r]),
    table((hits, r, c) => BigInt(n - c) * BigInt(n + 1) ** BigInt(g - r)),
  ];
}

/** Tables of hits / under(r, c) over a common denominator. */
function quotients(table, under) {
  const used = new Set();
  table((hits, r, c) => hits && used.add(under(r, c)));
  const shared = lcm(used);
  return table((hits, r, c) => (hits ? BigInt(hits) * (shared / BigInt(under(r, c))) : 0n));
}

function combined(tables, n) {
  const [g, d] = [tables[0].length, tables[0][0].length];
  const worth = Array.from({ length: n }, () => new Array(n).fill(0n));
  for (const table of tables) {
    let highest = 0n;
    for (const line of table) for (const value of line) if (value > highest) highest = value;
    const base = highest * BigInt(n) + 1n;
    for (let r = 0; r < g; r++) {
      for (let c = 0; c < d; c++) worth[r][c] = worth[r][c] * base + table[r][c];
    }
  }
  return worth;
}

/** The Hungarian method with potentials, in whole numbers: O(n**3). */
function heaviestAssignment(worth, n) {
  const rowPotential = new Array(n + 1).fill(0n);
  const columnPotential = new Array(n + 1).fill(0n);
  const rowOf = new Array(n + 1).fill(0); // row of each column, from 1; 0 is none
  for (let row = 1; row <= n; row++) {
    const before = new Array(n + 1).fill(0);
    const nearest = new Array(n + 1).fill(null);
    const done = new Array(n + 1).fill(false);
    let column = 0;
    rowOf[0] = row;
    do {
      done[column] = true;
      const from = rowOf[column];
      let step = null;
      let next = 0;
      for (let c = 1; c <= n; c++) {
        if (done[c]) continue;
        const slack = -worth[from - 1][c - 1] - rowPotential[from] - columnPotential[c];
        if (nearest[c] === null || slack < nearest[c]) {
          nearest[c] = slack;
          before[c] = column;
        }
        if (step === null || nearest[c] < step) {
          step = nearest[c];
          next = c;
        }
      }
      for (let c = 0; c <= n; c++) {
        if (done[c]) {
          rowPotential[rowOf[c]] += step;
          columnPotential[c] -= step;
        } else if (c) {
          nearest[c] -= step;
        }
      }
      column = next;
    } while (rowOf[column]);
    while (column) {
      rowOf[column] = rowOf[before[column]];
      column = before[column];
    }
  }
  const columnOf = new Array(n);
  for (let c = 1; c <= n; c++) columnOf[rowOf[c] - 1] = c - 1;
  return columnOf;
}
