// Start everything.

function showAbout() {
  find("#facts").textContent = DATA.summary;
  const notes = [...DATA.notes];
  find("#about").append(
    notes.length ? el("ul", { class: "small" }, notes.map((note) => el("li", {}, note))) : el("p", { class: "small soft" }, "Every sample is in this page."),
    el("p", { class: "small soft" }, DATA.save ? `Saving writes ${DATA.save.file}.` : "Saving downloads a file that “tsmdbench evaluate” reads. Colours are kept in this browser only."),
  );
}

function startTools() {
  const actions = {
    "zoom-in": () => zoom(0.5),
    "zoom-out": () => zoom(2),
    "zoom-all": () => setView(0, DATA.n),
    draw: () => setDrawMode(!app.drawMode),
    undo,
    redo,
    help: () => find("#keys").showModal(),
  };
  for (const [id, action] of Object.entries(actions)) find(`#${id}`).addEventListener("click", action);
  find("#units-choice").hidden = DATA.rate === null;
  find("#units").checked = app.inTime;
  find("#units").addEventListener("change", (event) => {
    app.inTime = event.target.checked;
    refresh();
  });
  find("#fit").addEventListener("change", (event) => {
    app.fit = event.target.checked;
    invalidate();
  });
}

function recolour() {
  readPalette();
  refresh();
}

async function start() {
  startTheme();
  readPalette();
  startTools();
  showAbout();
  startScore();
  startSaving();
  startPointer();
  startKeys();
  truth.watchers.push(refresh);
  new ResizeObserver(refresh).observe(find("#chart"));
  new MutationObserver(recolour).observe(document.documentElement, { attributes: true });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  // The coarsest levels are small: a first picture at once.
  await Promise.all(CHANNELS.map((channel) => channel.load(channel.widths.length - 1)));
  refresh();
  requestAnimationFrame(() => requestAnimationFrame(() => (document.body.dataset.ready = "yes")));
}

window.tsmdbench = { app, truth, DATA, CHANNELS, layout, xOf, sampleAt, prom, isUnsaved, readAnnotation, FORMATS, axisMarks, placeText };
start();
