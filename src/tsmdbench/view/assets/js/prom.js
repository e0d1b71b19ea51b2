// PROM of annotations as they are now: the micro numbers of tsmdbench.metrics.prom.

/** For each true set (row) and found set (column), the true motifs that they have in common. */
function commonMotifs(truth, found, percent) {
  const common = truth.map(() => new Array(found.length).fill(0));
  truth.forEach((segments, row) => {
    for (const [start, end] of segments) {
      let best = null; // overlap rate as a pair of whole numbers, with the columns that reach it
      found.forEach((others, column) => {
        for (const [from, to] of others) {
          const both = Math.min(end, to) - Math.max(start, from);
          const joint = end - start + (to - from) - both;
          if (both <= 0 || both * 100 <= joint * percent) continue;
          const order = best ? both * best.joint - best.both * joint : 1;
          if (order > 0) best = { both, joint, columns: new Set() };
          if (order >= 0) best.columns.add(column);
        }
      });
      for (const column of best?.columns ?? []) common[row][column]++;
    }
  });
  return common;
}

/**
 * The column of each row in the heaviest assignment, -1 for none: the Hungarian method with
 * potentials on whole numbers, O(n**3).
 */
function assigned(worth, rows, columns) {
  const n = Math.max(rows, columns);
  const weight = (row, column) => worth[row]?.[column] ?? 0;
  const rowPotential = new Array(n + 1).fill(0);
  const columnPotential = new Array(n + 1).fill(0);
  const rowOf = new Array(n + 1).fill(0); // row of each column, from 1; 0 is none
  for (let row = 1; row <= n; row++) {
    const before = new Array(n + 1).fill(0);
    const nearest = new Array(n + 1).fill(Infinity);
    const done = new Array(n + 1).fill(false);
    let column = 0;
    rowOf[0] = row;
    do {
      done[column] = true;
      const from = rowOf[column];
      let step = Infinity;
      let next = 0;
      for (let c = 1; c <= n; c++) {
        if (done[c]) continue;
        const slack = -weight(from - 1, c - 1) - rowPotential[from] - columnPotential[c];
        if (slack < nearest[c]) [nearest[c], before[c]] = [slack, column];
        if (nearest[c] < step) [step, next] = [nearest[c], c];
      }
      for (let c = 0; c <= n; c++) {
        if (done[c]) {
          rowPotential[rowOf[c]] += step;
          columnPotential[c] -= step;
        } else {
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
  const answer = new Array(rows).fill(-1);
  for (let c = 1; c <= columns; c++) if (rowOf[c] <= rows) answer[rowOf[c] - 1] = c - 1;
  return answer;
}

/**
 * Match true with found sets: most motifs in common, then fewest motifs in the sets that are
 * chosen. Return the numbers, and `column`, the found set of each true set or -1.
 */
function prom(truth, found, percent, penalizeOffTarget = false) {
  const [g, d] = [truth.length, found.length];
  const sizes = (sets) => sets.map(({ length }) => length);
  const [rows, columns] = [sizes(truth), sizes(found)];
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const most = Math.max(0, ...rows, ...columns);
  const common = commonMotifs(truth, found, percent);
  const base = most * Math.max(g, d) + 1;
  const cost = (r, c) => (d > g ? columns[c] : g > d ? rows[r] : 0);
  const worth = common.map((line, r) => line.map((hits, c) => hits * base + most - cost(r, c)));
  const column = assigned(worth, g, d);
  const tp = sum(column.map((c, r) => (c < 0 ? 0 : common[r][c])));
  const counted = penalizeOffTarget ? columns : column.filter((c) => c >= 0).map((c) => columns[c]);
  const [fp, fn] = [sum(counted) - tp, sum(rows) - tp];
  const ratio = (over, under) => (under ? over / under : 0);
  return { column, tp, fp, fn, precision: ratio(tp, tp + fp), recall: ratio(tp, tp + fn), f1: ratio(2 * tp, 2 * tp + fp + fn) };
}
