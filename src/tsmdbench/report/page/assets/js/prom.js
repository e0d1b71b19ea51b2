// PROM in the browser: the same numbers as tsmdbench.metrics.prom, see there for the
// definition. A comparison keeps what all thresholds share, so that a slider is quick.

/** Compare segments or sets of segments as Python compares lists. */
function compareLists(a, b) {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = Array.isArray(a[i]) ? compareLists(a[i], b[i]) : a[i] - b[i];
    if (order) return order;
  }
  return a.length - b.length;
}

/** Sets by content, empty ones last; `place` is where each set was given. */
function byContent(sets, labels) {
  return sets
    .map((set, place) => ({
      place,
      label: labels ? labels[place] : place,
      segments: [...set].sort(compareLists),
    }))
    .sort(
      (a, b) =>
        !a.segments.length - !b.segments.length ||
        compareLists(a.segments, b.segments) ||
        a.place - b.place,
    );
}

/** All segments below each other, with the set of each. */
function flat(sets) {
  return sets.flatMap((set, owner) => set.segments.map(([start, end]) => ({ start, end, owner })));
}

/** Pairs of segments that share samples, by found segment. */
function overlappingPairs(truth, found) {
  const pairs = [];
  found.forEach((b, f) => {
    truth.forEach((a, t) => {
      const common = Math.min(a.end, b.end) - Math.max(a.start, b.start);
      if (common > 0) {
        const joint = a.end - a.start + (b.end - b.start) - common;
        pairs.push({ truth: t, found: f, common, joint });
      }
    });
  });
  return pairs;
}

/** Whether the overlap rate is strictly above the threshold, exactly. */
function isAbove(pair, { over, under }) {
  if (over <= Number.MAX_SAFE_INTEGER && under <= Number.MAX_SAFE_INTEGER) {
    return compareProducts(pair.common, Number(under), pair.joint, Number(over)) > 0;
  }
  return BigInt(pair.common) * under > BigInt(pair.joint) * over;
}

class Comparison {
  constructor(truth, found, labels) {
    this.truth = byContent(truth, labels);
    this.found = byContent(found);
    this.trueMotifs = flat(this.truth);
    this.foundMotifs = flat(this.found);
    this.pairs = overlappingPairs(this.trueMotifs, this.foundMotifs);
  }

  /** Evaluate at one overlap threshold in [0.5, 1). */
  at(threshold, { penalizeOffTarget = false } = {}) {
    const ties = this._ties(decimalFraction(threshold));
    const common = this.truth.map(() => new Array(this.found.length).fill(0));
    ties.forEach((options, motif) => {
      for (const { column } of options) common[this.trueMotifs[motif].owner][column]++;
    });
    const sizes = (sets) => sets.map((set) => set.segments.length);
    const partner = matchSets(common, sizes(this.truth), sizes(this.found));
    const links = ties.map((options, motif) => {
      const mine = partner[this.trueMotifs[motif].owner];
      return options.find(({ column }) => column === mine) ?? options[0] ?? null;
    });
    return new PromResult(this, partner, links, { threshold, penalizeOffTarget });
  }

  /** For each true motif the found sets that reach its best overlap rate. */
  _ties(threshold) {
    const best = this.trueMotifs.map(() => []);
    for (const pair of this.pairs) {
      if (!isAbove(pair, threshold)) continue;
      const held = best[pair.truth];
      const order = held.length
        ? compareProducts(pair.common, held[0].joint, held[0].common, pair.joint)
        : 1;
      if (order > 0) held.length = 0;
      if (order >= 0) held.push(pair);
    }
    return best.map((pairs) => {
      const options = new Map();
      for (const { found } of pairs) {
        const column = this.foundMotifs[found].owner;
        if (!options.has(column)) options.set(column, { column, found });
      }
      return [...options.values()];
    });
  }
}

class PromResult {
  constructor(comparison, partner, links, { threshold, penalizeOffTarget }) {
    const { truth, found } = comparison;
    const given = (a, b) => truth[a].place - truth[b].place;
    const places = truth.map((_, place) => place);
    const rows = places.filter((r) => partner[r] >= 0).sort(given);
    const taken = new Set(rows.map((r) => partner[r]));
    this.matched = rows.length;
    this.threshold = threshold;
    this.penalizeOffTarget = penalizeOffTarget;
    this.rows = [...rows, ...places.filter((r) => partner[r] < 0).sort(given)];
    this.columns = [
      ...rows.map((r) => partner[r]),
      ...found.map((_, c) => c).filter((c) => !taken.has(c)),
    ];
    this.truth = this.rows.map((r) => truth[r]);
    this.found = this.columns.map((c) => found[c]);
    this.trueMotifs = flat(this.truth);
    this.foundMotifs = flat(this.found);
    this._link(comparison, links);
    this._fill();
  }

  /** Links of the motifs in the order that is shown: true motif to found motif. */
  _link(comparison, links) {
    const toShown = (motifs, order) => {
      const next = [];
      let begin = 0;
      for (const set of order) {
        next[set] = begin;
        begin += motifs.filter((motif) => motif.owner === set).length;
      }
      return motifs.map((motif) => next[motif.owner]++);
    };
    const truePlace = toShown(comparison.trueMotifs, this.rows);
    const foundPlace = toShown(comparison.foundMotifs, this.columns);
    this.links = links
      .map((link, motif) => link && [truePlace[motif], foundPlace[link.found]])
      .filter((link) => link);
  }

  /** The matching matrix with what is left over, corner 0, and all counts. */
  _fill() {
    const [g, d] = [this.truth.length, this.found.length];
    this.matrix = Array.from({ length: g + 1 }, () => new Array(d + 1).fill(0));
    for (const [t, f] of this.links) {
      this.matrix[this.trueMotifs[t].owner][this.foundMotifs[f].owner]++;
    }
    this.truth.forEach((set, r) => {
      const hits = this.matrix[r].reduce((sum, value) => sum + value, 0);
      this.matrix[r][d] = set.segments.length - hits;
    });
    this.found.forEach((set, c) => {
      let hits = 0;
      for (let r = 0; r < g; r++) hits += this.matrix[r][c];
      this.matrix[g][c] = set.segments.length - hits;
    });
    const counted = this.found.slice(0, this.penalizeOffTarget ? d : this.matched);
    this.hits = Array.from({ length: this.matched }, (_, i) => this.matrix[i][i]);
    this.tp = this.hits.reduce((sum, value) => sum + value, 0);
    this.fp = counted.reduce((sum, set) => sum + set.segments.length, 0) - this.tp;
    this.fn = this.trueMotifs.length - this.tp;
  }

  get micro() {
    const ratio = (over, under) => (under ? over / under : 0);
    return {
      precision: ratio(this.tp, this.tp + this.fp),
      recall: ratio(this.tp, this.tp + this.fn),
      f1: ratio(2 * this.tp, 2 * this.tp + this.fp + this.fn),
    };
  }

  get macro() {
    const [g, d, m] = [this.truth.length, this.found.length, this.matched];
    const rows = this.truth.slice(0, m).map((set) => set.segments.length);
    const columns = this.found.slice(0, m).map((set) => set.segments.length);
    const twice = this.hits.map((hit) => 2 * hit);
    const both = rows.map((size, i) => size + columns[i]);
    const off = this.penalizeOffTarget;
    return {
      precision: meanOfQuotients(this.hits, columns, off ? d : m),
      recall: meanOfQuotients(this.hits, rows, g),
      f1: meanOfQuotients(twice, both, off ? Math.max(g, d) : g),
    };
  }
}

/** Evaluate once; `labels` name the true sets. */
function prom(truth, found, threshold = 0.5, options = {}) {
  return new Comparison(truth, found, options.labels).at(threshold, options);
}
