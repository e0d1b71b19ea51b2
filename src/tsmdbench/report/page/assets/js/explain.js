// What happened to every motif, and what F1 would be if fixed: the words and the order of
// tsmdbench.metrics.explain.

const KINDS = ["duplicate", "wrong set", "off", "spurious", "missed"];
const FOUND_WORDS = {
  "true positive": ["true positive", "true positives"],
  duplicate: ["duplicate", "duplicates"],
  "wrong set": ["in the wrong set", "in the wrong set"],
  off: ["off", "off"],
  spurious: ["spurious", "spurious"],
};
const TRUE_WORDS = ["matched", "found twice", "wrong set", "off", "missed"];
const ADVICE = {
  duplicate: ["remove 1 duplicate", "remove {n} duplicates"],
  "wrong set": ["put 1 motif into the right set", "put {n} motifs into the right set"],
  off: ["put 1 motif into the right place", "put {n} motifs into the right place"],
  spurious: ["remove 1 spurious motif", "remove {n} spurious motifs"],
  missed: ["add 1 missed motif", "add {n} missed motifs"],
};
const SHOWN_DETAILS = 12;
const LENGTH_SHOWN = 0.005;

/** Explain a result: a status for every motif, F1 if fixed, and text. */
function explain(result) {
  const pairs = overlappingPairs(result.trueMotifs, result.foundMotifs);
  const forward = new Array(result.trueMotifs.length).fill(-1);
  const backward = new Array(result.foundMotifs.length).fill(-1);
  for (const [t, f] of result.links) {
    forward[t] = f;
    backward[f] = t;
  }
  const threshold = decimalFraction(result.threshold);
  const told = {
    result,
    trueMotifs: explainTrue(result, pairs, forward, threshold),
    foundMotifs: explainFound(result, pairs, backward, threshold),
  };
  told.errors = errorCounts(told);
  return told;
}

function inPair(result, row, column) {
  return row === column && column < result.matched;
}

/** The pair with the highest rate for each motif of a side, the lowest partner first. */
function bestPartners(pairs, side, size) {
  const other = side === "truth" ? "found" : "truth";
  const best = new Array(size).fill(null);
  for (const pair of pairs) {
    const held = best[pair[side]];
    const gain = held ? pair.common / pair.joint - held.common / held.joint : 1;
    if (gain > 0 || (gain === 0 && pair[other] < held[other])) best[pair[side]] = pair;
  }
  return best;
}

function explainTrue(result, pairs, forward, threshold) {
  const close = forward.map(() => 0);
  for (const pair of pairs) if (isAbove(pair, threshold)) close[pair.truth]++;
  const best = bestPartners(pairs, "truth", forward.length);
  return result.trueMotifs.map(({ start, end, owner }, index) => {
    const motif = { index, set: owner, start, end, status: "missed", partner: -1, overlap: 0 };
    if (forward[index] >= 0) {
      const other = result.foundMotifs[forward[index]];
      const inside = inPair(result, owner, other.owner);
      motif.status = !inside ? "wrong set" : close[index] > 1 ? "found twice" : "matched";
      motif.partner = forward[index];
      motif.overlap = overlapRate(motif, other);
    } else if (best[index]) {
      motif.status = "off";
      motif.partner = best[index].found;
      motif.overlap = best[index].common / best[index].joint;
    }
    return motif;
  });
}

function explainFound(result, pairs, backward, threshold) {
  const best = bestPartners(pairs, "found", backward.length);
  return result.foundMotifs.map(({ start, end, owner }, index) => {
    const motif = { index, set: owner, start, end, status: "spurious", partner: -1 };
    if (backward[index] >= 0) {
      motif.partner = backward[index];
      const inside = inPair(result, result.trueMotifs[motif.partner].owner, owner);
      motif.status = inside ? "true positive" : "wrong set";
    } else if (best[index]) {
      motif.partner = best[index].truth;
      motif.status = isAbove(best[index], threshold) ? "duplicate" : "off";
    }
    if (motif.partner >= 0) {
      const other = result.trueMotifs[motif.partner];
      motif.late = start - other.start;
      motif.tooLong = (end - start) / (other.end - other.start) - 1;
    }
    return motif;
  });
}

function overlapRate(a, b) {
  const common = Math.min(a.end, b.end) - Math.max(a.start, b.start);
  return common <= 0 ? 0 : common / (Math.max(a.end, b.end) - Math.min(a.start, b.start));
}

function countBy(motifs) {
  const counts = {};
  for (const { status } of motifs) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function errorCounts(told) {
  const counts = countBy(told.foundMotifs);
  const fixable = new Set(told.foundMotifs.map((motif) => motif.partner));
  counts.missed = told.trueMotifs.filter(
    ({ status, index }) => status === "missed" || (status === "off" && !fixable.has(index)),
  ).length;
  return counts;
}

/** F1 if all errors of one kind, and only those, were fixed: [kind, F1] pairs. */
function f1IfFixed(told) {
  const { result, errors } = told;
  return KINDS.filter((kind) => errors[kind]).map((kind) => {
    const truth = result.truth.map((set) => set.segments);
    const after = prom(truth, withFixes(told, kind), result.threshold, {
      penalizeOffTarget: result.penalizeOffTarget,
    });
    return [kind, after.micro.f1];
  });
}

/** What was found, with the errors of one kind fixed. */
function withFixes({ result, trueMotifs, foundMotifs }, kind) {
  const sets = result.found.map(() => []);
  const homes = result.truth.map((_, row) => (row < result.matched ? sets[row] : []));
  const settled = bestOff(trueMotifs, foundMotifs);
  for (const { index, set, start, end, status, partner } of foundMotifs) {
    if (status !== kind) {
      sets[set].push([start, end]);
    } else if (status === "wrong set") {
      homes[trueMotifs[partner].set].push([start, end]);
    } else if (status === "off" && settled.get(partner) === index) {
      const right = trueMotifs[partner];
      homes[right.set].push([right.start, right.end]);
    }
  }
  if (kind === "missed") {
    for (const { index, set, start, end, status } of trueMotifs) {
      if (status === "missed" || (status === "off" && !settled.has(index))) {
        homes[set].push([start, end]);
      }
    }
  }
  return [...sets, ...homes.slice(result.matched)].filter((segments) => segments.length);
}

/** For each true motif that is off, the found motif that can be put right. */
function bestOff(trueMotifs, foundMotifs) {
  const best = new Map();
  for (const motif of foundMotifs) {
    if (motif.status !== "off" || trueMotifs[motif.partner].status !== "off") continue;
    const rate = overlapRate(motif, trueMotifs[motif.partner]);
    if (rate > (best.get(motif.partner)?.rate ?? 0)) {
      best.set(motif.partner, { rate, index: motif.index });
    }
  }
  return new Map([...best].map(([partner, { index }]) => [partner, index]));
}

/** A label as Python writes it. */
function quoted(label) {
  if (typeof label === "number") return String(label);
  const text = label.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  if (!text.includes("'")) return `'${text}'`;
  return text.includes('"') ? `'${text.replaceAll("'", "\\'")}'` : `"${text}"`;
}

/** The explanation as lines: { kind, text }, the most useful first. */
function explanationLines(told) {
  const { result, errors } = told;
  const { precision, recall, f1 } = result.micro;
  const lines = [
    `F1 ${fixed(f1, 3)} (precision ${fixed(precision, 3)}, recall ${fixed(recall, 3)}): ` +
      `${result.tp} of ${result.tp + result.fn} true motifs are matched.`,
    `found: ${foundLine(told)}`,
    `true:  ${trueLine(told)}`,
  ];
  const fixes = f1IfFixed(told);
  if (fixes.length) lines.push("F1 if fixed:");
  for (const [kind, value] of fixes.sort((a, b) => b[1] - a[1])) {
    const words = ADVICE[kind][errors[kind] > 1 ? 1 : 0].replace("{n}", errors[kind]);
    lines.push(`  ${fixed(value, 3)}  ${words}`);
  }
  const details = [...motifLines(told), ...setLines(result)];
  if (details.length) lines.push("what to look at:");
  for (const line of details.slice(0, SHOWN_DETAILS)) lines.push(`  ${line}`);
  if (details.length > SHOWN_DETAILS) {
    lines.push(`  ... and ${details.length - SHOWN_DETAILS} more`);
  }
  return lines;
}

function foundLine(told) {
  const counts = countBy(told.foundMotifs);
  const parts = Object.entries(FOUND_WORDS)
    .filter(([status]) => counts[status])
    .map(([status, words]) => `${counts[status]} ${words[counts[status] > 1 ? 1 : 0]}`);
  return parts.join(", ") || "nothing";
}

function trueLine(told) {
  const counts = countBy(told.trueMotifs);
  return TRUE_WORDS.filter((status) => counts[status])
    .map((status) => `${counts[status]} ${status === "wrong set" ? "in the wrong set" : status}`)
    .join(", ");
}

function motifLines(told) {
  return told.trueMotifs
    .filter(({ status }) => status !== "matched" && status !== "found twice")
    .map((motif) => {
      const label = quoted(told.result.truth[motif.set].label);
      return `${label} [${motif.start}, ${motif.end}): ${whatHappened(told, motif)}`;
    });
}

function whatHappened({ result, foundMotifs }, motif) {
  if (motif.status === "missed") return "missed";
  const found = foundMotifs[motif.partner];
  const column = quoted(result.found[found.set].label);
  if (motif.status === "wrong set") {
    return motif.set < result.matched
      ? `in set ${column} instead of set ${quoted(result.found[motif.set].label)}`
      : `in set ${column}, while its own set has no partner`;
  }
  const where = found.partner === motif.index ? displacement(found) : "nearer another";
  const rate = fixed(motif.overlap, 2);
  return `best overlap ${rate} with [${found.start}, ${found.end}) of set ${column}, ${where}`;
}

/** Where a found motif lies relative to its true motif, in words. */
function displacement({ late, tooLong }) {
  const words = [];
  if (late) words.push(`start ${late > 0 ? "late" : "early"} by ${Math.abs(late)}`);
  if (Math.abs(tooLong) >= LENGTH_SHOWN) {
    const share = fixed(Math.abs(tooLong) * 100, 0);
    words.push(`${share}% too ${tooLong > 0 ? "long" : "short"}`);
  }
  return words.join(", ") || "exact";
}

/** A line for each found set that is merged and each true set that is split. */
function setLines(result) {
  const [g, d] = [result.truth.length, result.found.length];
  const range = (size) => Array.from({ length: size }, (_, i) => i);
  const lines = [];
  const listed = (names) => `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  const order = [];
  for (const r of range(g)) {
    for (const c of range(d)) if (result.matrix[r][c] && !order.includes(c)) order.push(c);
  }
  for (const c of order) {
    const rows = range(g).filter((r) => result.matrix[r][c]);
    if (rows.length < 2) continue;
    const names = rows.map((r) => quoted(result.truth[r].label));
    lines.push(`set ${quoted(result.found[c].label)} holds motifs of ${listed(names)} (merged)`);
  }
  for (const r of range(g)) {
    const columns = range(d).filter((c) => result.matrix[r][c]);
    if (columns.length < 2) continue;
    const names = columns.map((c) => quoted(result.found[c].label)).sort();
    lines.push(`${quoted(result.truth[r].label)} lies in sets ${listed(names)} (split)`);
  }
  return lines;
}
