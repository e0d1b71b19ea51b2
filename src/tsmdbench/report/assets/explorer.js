// The explorer: what is chosen, and everything that is shown of it.

const form = find("[data-explorer=controls]");
const view = find("[data-explorer=view]");
const state = { dataset: 0, method: 0, other: -1, problem: 0, seed: 0, zoom: 1 };
let requests = 0; // a slow answer must not overwrite a later one

/** The seeds of a method on a problem; empty where it was not repeated. */
function seedsOf(block, method, problem) {
  return (block.runs[method]?.[problem]?.repeats ?? []).map(({ seed }) => seed);
}

/** The run of a method on a problem; of repeats, the one whose seed has the chosen place. */
function runOf(block, method, problem) {
  const run = block.runs[method][problem];
  return run?.repeats ? run.repeats[Math.min(state.seed, run.repeats.length - 1)] : run;
}

/** F1, precision and recall of a run. */
function valuesOf(run) {
  return DATA.shown.map((place) => run.values[place]);
}

function options(select, names) {
  select.replaceChildren(...names.map((name, i) => el("option", { value: String(i) }, name)));
}

/** The methods to choose from: those that the report is about come first. */
function methodOptions() {
  const labels = [...DATA.own, ...DATA.labels.filter((label) => !DATA.own.includes(label))];
  return labels.map((label) => el("option", { value: String(DATA.labels.indexOf(label)) }, label));
}

/** The chosen methods that have a run on this problem. */
function sidesOf(block, problem) {
  const places = new Set([state.method, state.other].filter((place) => place >= 0 && block.runs[place][state.problem]));
  return [...places].map((place) => {
    const run = runOf(block, place, state.problem);
    const seeds = seedsOf(block, place, state.problem);
    return { label: DATA.labels[place], run, values: valuesOf(run), seeds, parameters: block.parameters[place], problem };
  });
}

async function showExplorer() {
  const mine = ++requests;
  delete find("#explore").dataset.ready;
  const block = await datasetRuns(state.dataset);
  state.problem = Math.min(state.problem, block.problems.length - 1);
  const series = await problemSeries(state.dataset, state.problem);
  if (mine !== requests) return;
  fillControls(block);
  const problem = block.problems[state.problem];
  const sides = sidesOf(block, problem);
  const parts = [el("h3", {}, problem.name), el("p", { class: "small soft" }, problemFacts(problem, series))];
  if (sides.length) showSides(parts, block, problem, series, sides);
  else view.replaceChildren(...parts, el("p", { class: "note" }, `${DATA.labels[state.method]} has no run on this problem.`));
  find("#explore").dataset.ready = "";
}

function problemFacts(problem, series) {
  const motifs = problem.truth.reduce((sum, set) => sum + set.length, 0);
  const facts = [`${problem.n} samples`, `${problem.channels} channel${problem.channels === 1 ? "" : "s"}`, `${problem.truth.length} true set${problem.truth.length === 1 ? "" : "s"} with ${motifs} motifs`];
  if (series && series.channels > series.lines.length) facts.push(`${series.lines.length} channels are shown, first of all those that a method looks at`);
  const reason = DATA.series[state.dataset] || "it could not be read";
  if (!series) facts.push(`the series is not in this page: ${reason}`);
  return `${facts.join(" · ")}.`;
}

function showSides(parts, block, problem, series, sides) {
  const place = el("div", { class: "chart zoomed" });
  const frame = el("div", { class: "scroll", role: "region", "aria-label": "Series and motif sets", tabindex: "0" }, place);
  const curve = curvePanel(sides);
  const strip = el("figure", { class: "strip" });
  parts.push(frame, laneLegend(), el("div", { class: "pair" }, sides.map(sidePanel)), el("div", { class: "pair after" }, curve?.figure, strip));
  view.replaceChildren(...parts);
  drawn(place, () => place.replaceChildren(laneChart(problem, series, sides, Math.floor(frame.clientWidth), state.zoom)));
  curve?.start();
  drawn(strip, (width) => strip.replaceChildren(...problemStrip(block, width)));
  // For those who cannot see it change.
  const words = sides.map(({ label, values }) => `${label}: F1 ${shown(values[0])}, precision ${shown(values[1])}, recall ${shown(values[2])}`);
  find("[data-explorer=status]").textContent = words.join(". ");
}

/** F1 of the method on all problems of the dataset; a click chooses one. */
function problemStrip(block, width) {
  const runs = block.problems.map((_, problem) => runOf(block, state.method, problem));
  const seed = runs[state.problem]?.seed;
  const who = seed === undefined ? DATA.labels[state.method] : `${DATA.labels[state.method]} (seed ${seed})`;
  const values = runs.map((run) => (run ? valuesOf(run)[0] : null));
  const present = values.filter((value) => value !== null);
  const mean = present.reduce((sum, value) => sum + value, 0) / present.length;
  const name = `F1 of ${who} on all ${present.length} problems of ${DATA.datasets[state.dataset]}: mean ${shown(mean)}`;
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
  const { dataset, method, other, seed, problem, previous, next } = form.elements;
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
  for (const name of ["dataset", "method", "other", "problem", "zoom"]) form.elements[name].value = String(state[name]);
  if (seeds.length) seed.value = Math.min(state.seed, seeds.length - 1);
  previous.disabled = state.problem === 0;
  next.disabled = state.problem === block.problems.length - 1;
}

/** Change the state by hand: show it and give it an address. */
async function change(news) {
  Object.assign(state, news);
  await showExplorer();
  const block = await datasetRuns(state.dataset);
  const more = [state.other >= 0 ? DATA.labels[state.other] : "", state.seed ? String(state.seed) : ""];
  while (more.length && !more.at(-1)) more.pop();
  setAddress(["explore", DATA.datasets[state.dataset], DATA.labels[state.method], block.problems[state.problem].name, ...more]);
}

/** Take the state from an address; what it does not know is left as it is. */
async function readExplorer([dataset, method, problem, other, seed]) {
  const known = (names, name) => (name === undefined ? -1 : names.indexOf(name));
  const place = known(DATA.datasets, dataset);
  const label = known(DATA.labels, method);
  if (label >= 0) state.method = label;
  if (place >= 0) {
    state.dataset = place;
    const block = await datasetRuns(place);
    state.problem = Math.max(0, known(block.problems.map(({ name }) => name), problem));
    state.other = known(DATA.labels, other || undefined);
    state.seed = /^[0-9]{1,6}$/.test(seed ?? "") ? Number(seed) : 0;
  }
  await showExplorer();
}

function startExplorer() {
  state.method = DATA.labels.indexOf(DATA.first);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", ({ target }) => {
    change({ [target.name]: Number(target.value), ...(target.name === "dataset" ? { problem: 0 } : {}) });
  });
  form.elements.previous.addEventListener("click", () => change({ problem: state.problem - 1 }));
  form.elements.next.addEventListener("click", () => change({ problem: state.problem + 1 }));
}
