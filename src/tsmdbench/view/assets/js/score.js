// PROM of what was found against the truth as it is now, and the colours that follow.

const scoreParts = {};
let pairing = null; // the latest result, with the sets that went in

/** The true sets that have segments, and the found sets that are switched on. */
function compared() {
  const trueSets = truth.listed().filter(({ segments }) => segments.length);
  const group = app.groups[app.scored];
  const foundSets = group ? group.sets.filter(({ on }) => on) : [];
  return { trueSets, foundSets };
}

function evaluated() {
  const { trueSets, foundSets } = compared();
  if (!trueSets.length || !app.groups.length) return null;
  const found = foundSets.map(({ segments }) => segments.map(({ start, end }) => [start, end]));
  const percent = Math.round(100 * Number(scoreParts.threshold.value));
  const result = prom(trueSets.map(({ segments }) => segments), found, percent, scoreParts.penalize.checked);
  return { result, trueSets, foundSets };
}

/** A found set has the colour of the true set that it is matched with. */
function colourFound() {
  app.groups.forEach((group) => group.sets.forEach((set) => (set.colour = set.place % DATA.colours)));
  if (!pairing) return;
  const { result, trueSets, foundSets } = pairing;
  for (const set of foundSets) set.colour = null;
  result.column.forEach((column, row) => {
    if (column >= 0) foundSets[column].colour = trueSets[row].colour;
  });
}

function number(name, words) {
  scoreParts[name] = el("dd", { "data-number": name }, "–");
  return el("div", {}, el("dt", {}, words), scoreParts[name]);
}

function startScore() {
  const again = () => refresh();
  scoreParts.threshold = el("input", { type: "range", min: "0.5", max: "0.99", step: "0.01", value: "0.5", id: "threshold", oninput: again });
  scoreParts.penalize = el("input", { type: "checkbox", id: "penalize", onchange: again });
  scoreParts.shown = el("output", { for: "threshold" });
  const groups = app.groups.map(({ name }, place) => [place, name]);
  const setScored = (value) => {
    app.scored = Number(value);
    refresh();
  };
  scoreParts.group = choice("scored", groups, app.scored, setScored, { "aria-label": "Found sets to score" });
  scoreParts.words = el("p", { class: "small soft" });
  const numbers = el("dl", { class: "numbers", title: "PROM, micro average" }, number("precision", "precision"), number("recall", "recall"), number("f1", "F1"));
  scoreParts.all = el(
    "div",
    {},
    app.groups.length > 1 ? el("div", { class: "row" }, scoreParts.group) : null,
    scoreParts.words,
    el("label", { class: "small", for: "threshold" }, "Overlap above ", scoreParts.shown),
    scoreParts.threshold,
    el("label", { class: "check small" }, scoreParts.penalize, "Penalise unmatched found sets"),
  );
  find("#score").append(scoreParts.all);
  if (app.groups.length) find("#numbers").append(numbers);
  find("#score-card").hidden = !app.groups.length;
}

function showScore() {
  pairing = evaluated();
  colourFound();
  scoreParts.shown.textContent = Number(scoreParts.threshold.value).toFixed(2);
  const result = pairing?.result;
  for (const name of ["precision", "recall", "f1"]) {
    scoreParts[name].textContent = result ? shown(result[name]) : "–";
  }
  scoreParts.words.textContent = result
    ? `${result.tp} found, ${result.fn} missed, ${result.fp} false positive${result.fp === 1 ? "" : "s"}; micro average. Sets that are switched off do not count.`
    : "Annotate a segment to score what was found.";
}

parts.panels.push(showScore);
