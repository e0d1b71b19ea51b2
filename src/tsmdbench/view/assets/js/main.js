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
  find("#zoom-in").addEventListener("click", () => zoom(0.5));
  find("#zoom-out").addEventListener("click", () => zoom(2));
  find("#zoom-all").addEventListener("click", () => setView(0, DATA.n));
  find("#draw").addEventListener("click", () => setDrawMode(!app.drawMode));
  find("#undo").addEventListener("click", undo);
  find("#redo").addEventListener("click", redo);
  find("#help").addEventListener("click", () => find("#keys").showModal());
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
