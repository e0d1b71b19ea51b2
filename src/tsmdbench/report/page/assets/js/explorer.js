// The explorer: what is chosen, and everything that is shown of it.

const form = find("[data-explorer=controls]");
const view = find("[data-explorer=view]");
const state = { dataset: 0, method: 0, other: -1, problem: 0, seed: 0, threshold: "0.5", penalty: false, zoom: 1 };
const comparisons = new Map();
const strip = el("figure", { class: "strip" });
const PAUSE = 150; // milliseconds without a move of the slider until all problems follow
let asked = 0; // a slow answer must not overwrite a later one
let later = 0;

/** The seeds of a method on a problem; empty where it was not repeated. */
function seedsOf(block, method, problem) {
  return (block.runs[method]?.[problem]?.repeats ?? []).map(({ seed }) => seed);
}

/** The run of a method on a problem; of repeats, the one whose seed has the chosen place. */
function runOf(block, method, problem) {
  const run = block.runs[method][problem];
  return run?.repeats ? run.repeats[Math.min(state.seed, run.repeats.length - 1)] : run;
}

/** The comparison of a run with its truth, made once. */
function comparisonOf(block, place, method, problem) {
  const run = runOf(block, method, problem);
  const key = `${place} ${method} ${problem} ${run.seed ?? ""}`;
  if (!comparisons.has(key)) {
    const { truth, labels } = block.problems[problem];
    comparisons.set(key, new Comparison(truth, run.found, labels));
  }
  return comparisons.get(key);
}

function options(select, names) {
  select.replaceChildren(...names.map((name, i) => el("option", { value: String(i) }, name)));
}

/** The methods to choose from: those that the report is about come first. */
function methodOptions() {
  const own = DATA.methods.filter((method) => method.own).map(({ label }) => label);
  const labels = [...own, ...DATA.labels.filter((label) => !own.includes(label))];
  return labels.map((label) => el("option", { value: String(DATA.labels.indexOf(label)) }, label));
}

/** The labels of the methods that have a run on this problem. */
function sidesOf(block) {
  const places = [state.method, state.other].filter((place, i, all) => place >= 0 && all.indexOf(place) === i);
  return places
    .filter((place) => block.runs[place][state.problem])
    .map((place) => {
      const comparison = comparisonOf(block, state.dataset, place, state.problem);
      const result = comparison.at(state.threshold, { penalizeOffTarget: state.penalty });
      return {
        label: DATA.labels[place],
        run: runOf(block, place, state.problem),
        seeds: seedsOf(block, place, state.problem),
        parameters: block.parameters[place],
        comparison,
        result,
        told: explain(result),
      };
    });
}

/** Show what the state says; while the slider moves, all problems follow later. */
async function showExplorer({ moving = false } = {}) {
  const mine = ++asked;
  delete find("#explore").dataset.ready;
  const block = await datasetRuns(state.dataset);
  state.problem = Math.min(state.problem, block.problems.length - 1);
  const series = await problemSeries(state.dataset, state.problem);
  if (mine !== asked) return;
  fillControls(block);
  const sides = sidesOf(block);
  const problem = block.problems[state.problem];
  const parts = [el("h3", {}, problem.name), el("p", { class: "small soft" }, problemFacts(problem, series))];
  if (!sides.length) {
    parts.push(el("p", { class: "note" }, `${DATA.labels[state.method]} has no run on this problem.`));
    view.replaceChildren(...parts);
  } else {
    showSides(parts, problem, series, sides);
    clearTimeout(later);
    if (moving) later = setTimeout(() => showStrip(block), PAUSE);
    else showStrip(block);
  }
  find("#explore").dataset.ready = "";
}

function problemFacts(problem, series) {
  const motifs = problem.truth.reduce((sum, set) => sum + set.length, 0);
  const facts = [`${problem.n} samples`, `${problem.channels} channel${problem.channels === 1 ? "" : "s"}`, `${problem.truth.length} true sets with ${motifs} motifs`];
  if (series && series.channels > series.lines.length) facts.push(`${series.lines.length} channels are shown, first of all those that a method looks at`);
  const reason = DATA.series[state.dataset] || "it could not be read";
  if (!series) facts.push(`the series is not in this page: ${reason}`);
  return `${facts.join(" · ")}.`;
}

function showSides(parts, problem, series, sides) {
  const picturePlace = el("div", { class: "chart zoomed" });
  const curve = curvePanel(sides, Number(state.threshold), state.penalty);
  const frame = el("div", { class: "scroll", role: "region", "aria-label": "Series and motif sets", tabindex: "0" }, picturePlace);
  parts.push(frame, laneLegend(), el("div", { class: "pair" }, sides.map(sidePanel)), el("div", { class: "pair after" }, curve.figure, strip));
  view.replaceChildren(...parts);
  drawn(picturePlace, () => {
    const width = Math.floor(frame.clientWidth);
    picturePlace.replaceChildren(laneChart(problem, series, sides, width, state.zoom));
  });
  curve.start();
  tellStatus(sides);
}

function showStrip(block) {
  drawn(strip, (width) => strip.replaceChildren(...problemStrip(block, width)));
}

/** Say the result, for those who cannot see it change. */
function tellStatus(sides) {
  const words = sides.map(({ label, result }) => `${label}: F1 ${shown(result.micro.f1)}, precision ${shown(result.micro.precision)}, recall ${shown(result.micro.recall)}`);
  find("[data-explorer=status]").textContent = `Threshold ${fixed(Number(state.threshold), 2)}. ${words.join(". ")}`;
}

/** F1 of the method on all problems of the dataset at this threshold; a click chooses. */
function problemStrip(block, width) {
  const runs = block.problems.map((_, problem) => runOf(block, state.method, problem));
  const seed = runs[state.problem]?.seed;
  const who = seed === undefined ? DATA.labels[state.method] : `${DATA.labels[state.method]} (seed ${seed})`;
  const values = runs.map((run, problem) =>
    run ? comparisonOf(block, state.dataset, state.method, problem).at(state.threshold, { penalizeOffTarget: state.penalty }).micro.f1 : null,
  );
  const present = values.filter((value) => value !== null);
  const mean = present.reduce((sum, value) => sum + value, 0) / present.length;
  const name = `F1 of ${who} on all ${present.length} problems of ${DATA.datasets[state.dataset]}: mean ${shown(mean)} at threshold ${fixed(Number(state.threshold), 2)}`;
  const step = Math.min(22, width / values.length);
  const chart = picture(width, 56, name);
  values.forEach((value, problem) => {
    const height = value === null ? 0 : 2 + value * 50;
    const kind = [problem === state.problem ? "chosen" : "", runs[problem]?.status ? "failed" : ""].join(" ").trim();
    chart.append(
      svg("rect", { class: kind || null, x: problem * step, y: 54 - height, width: Math.max(0.8, step - 1), height }),
      svg("rect", { class: "hit", x: problem * step, y: 0, width: step, height: 56, onclick: () => change({ problem }) }, svg("title", {}, `${block.problems[problem].name}: ${shown(value)}`)),
    );
  });
  return [el("figcaption", { "data-mean": String(mean) }, name), chart];
}

/** Fill the controls with what can be chosen and what is chosen. */
function fillControls(block) {
  const { dataset, method, other, seed, problem, threshold, shown: output, penalty, zoom, previous, next } = form.elements;
  if (!dataset.length) {
    options(dataset, DATA.datasets);
    method.replaceChildren(...methodOptions());
    other.replaceChildren(el("option", { value: "-1" }, "nothing"), ...methodOptions());
  }
  if (problem.dataset.of !== String(state.dataset)) {
    options(problem, block.problems.map(({ name }) => name));
    problem.dataset.of = state.dataset;
  }
  const seeds = [state.method, state.other].map((place) => seedsOf(block, place, state.problem)).find(({ length }) => length) ?? [];
  seed.closest("label").hidden = !seeds.length;
  options(seed, seeds);
  if (seeds.length) seed.value = Math.min(state.seed, seeds.length - 1);
  dataset.value = state.dataset;
  method.value = state.method;
  other.value = state.other;
  problem.value = state.problem;
  threshold.value = state.threshold;
  output.value = fixed(Number(state.threshold), 2);
  penalty.checked = state.penalty;
  zoom.value = String(state.zoom);
  previous.disabled = state.problem === 0;
  next.disabled = state.problem === block.problems.length - 1;
}

/** Change the state by hand: show it and give it an address. */
async function change(news, { replace = false } = {}) {
  Object.assign(state, news);
  await showExplorer({ moving: replace });
  setAddress(await explorerAddress(), replace);
}

async function explorerAddress() {
  const block = await datasetRuns(state.dataset);
  const parts = ["explore", DATA.datasets[state.dataset], DATA.labels[state.method], block.problems[state.problem].name, state.threshold];
  const more = [state.other >= 0 ? DATA.labels[state.other] : "", state.penalty ? "off-target" : "", state.seed ? String(state.seed) : ""];
  while (more.length && !more.at(-1)) more.pop();
  parts.push(...more);
  return parts;
}

/** Take the state from an address; what it does not know is left as it is. */
async function readExplorer([dataset, method, problem, threshold, other, penalty, seed]) {
  const known = (names, name) => (name === undefined ? -1 : names.indexOf(name));
  const place = known(DATA.datasets, dataset);
  if (place >= 0) state.dataset = place;
  const label = known(DATA.labels, method);
  if (label >= 0) state.method = label;
  const block = await datasetRuns(state.dataset);
  if (place >= 0) state.problem = Math.max(0, known(block.problems.map(({ name }) => name), problem));
  const value = Number(threshold);
  if (threshold !== undefined && value >= 0.5 && value < 1) state.threshold = String(value);
  if (place >= 0) {
    state.other = known(DATA.labels, other || undefined);
    state.penalty = penalty === "off-target";
    state.seed = /^[0-9]{1,6}$/.test(seed ?? "") ? Number(seed) : 0;
  }
  await showExplorer();
}

function startExplorer() {
  const first = DATA.methods.find((method) => method.own) ?? DATA.methods[0];
  state.method = DATA.labels.indexOf(first.label);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", ({ target }) => {
    if (target.name === "threshold") change({ threshold: String(Number(target.value)) });
    else if (target.name === "penalty") change({ penalty: target.checked });
    else if (target.name === "dataset") change({ dataset: Number(target.value), problem: 0 });
    else change({ [target.name]: Number(target.value) });
  });
  form.elements.threshold.addEventListener("input", ({ target }) => change({ threshold: String(Number(target.value)) }, { replace: true }));
  form.elements.previous.addEventListener("click", () => change({ problem: state.problem - 1 }));
  form.elements.next.addEventListener("click", () => change({ problem: state.problem + 1 }));
}
