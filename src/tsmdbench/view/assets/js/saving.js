// Saving: to a file by the browser, or by the server that the page came from; and after each
// change to the browser's storage, so that closing the page loses nothing.

const STORED = `tsmdbench-view-${DATA.key}`;
const saving = { kept: "", version: DATA.save?.version ?? "", storage: true };

/** The annotation as text, to see whether it changed. */
function fingerprint() {
  return JSON.stringify(truth.listed().map(({ label, segments }) => [label, segments]));
}

function isUnsaved() {
  return fingerprint() !== saving.kept;
}

function fileName(format) {
  const stem = DATA.title.replace(/^.*[\\/]/, "").replace(/\.[A-Za-z0-9]{1,8}$/, "");
  const plain = stem.replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 80) || "series";
  return `${plain}.truth.${FORMATS[format].ending}`;
}

function save() {
  if (DATA.save) return saveToServer();
  return attempt(() => {
    const format = find("#save-format").value;
    const { write, type, words } = FORMATS[format];
    const text = write(truth.listed());
    download(text, type, fileName(format));
    markSaved(`Saved ${fileName(format)}${format === "labels" ? "; evaluate reads it with --format audacity" : ""}.`, words);
  });
}

function download(text, type, name) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href: address, download: name, class: "hidden" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

async function saveToServer() {
  const held = fingerprint();
  const body = JSON.stringify({ version: saving.version, sets: truth.listed().map(({ label, segments }) => ({ label, segments })) });
  let answer;
  try {
    const response = await fetch("save", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    answer = await response.json();
  } catch {
    answer = { error: "The server does not answer; start “tsmdbench view --serve” again. Your changes are kept in this browser." };
  }
  if (answer.error) return tell(answer.error, true);
  saving.version = answer.version;
  saving.kept = held;
  return markSaved(`Saved ${answer.file}.${answer.notes ? ` ${answer.notes}` : ""}`, "", false);
}

function markSaved(words, _, all = true) {
  if (all) saving.kept = fingerprint();
  tell(words);
  store();
  showSaved();
}

function showSaved() {
  const place = find("#saved");
  const unsaved = isUnsaved();
  place.classList.toggle("unsaved", unsaved);
  const kept = saving.storage ? "kept in this browser" : "not kept in this browser";
  place.textContent = unsaved ? `Unsaved changes (${kept})` : "";
}

/** Keep the annotation in the browser. */
function store() {
  try {
    const value = { sets: truth.listed(), saved: saving.kept, given: JSON.stringify(DATA.truth), when: new Date().toISOString() };
    localStorage.setItem(STORED, JSON.stringify(value));
    saving.storage = true;
  } catch {
    saving.storage = false; // no storage here, or it is full: the page says so
  }
}

function stored() {
  try {
    return JSON.parse(localStorage.getItem(STORED));
  } catch {
    return null;
  }
}

/** Bring back what this browser kept, or offer it where the page has another truth now. */
function restore() {
  saving.kept = fingerprint();
  const held = stored();
  if (!held?.sets || fingerprint() === JSON.stringify(held.sets.map(({ label, segments }) => [label, segments]))) return;
  const when = String(held.when).slice(0, 16).replace("T", " ");
  const take = () =>
    attempt(() => {
      truth.load(held.sets);
      if (!DATA.save && held.given === JSON.stringify(DATA.truth)) saving.kept = held.saved;
    });
  if (held.given === JSON.stringify(DATA.truth) && !DATA.save) {
    take();
    notice(`This browser kept changes of ${when} UTC; they are shown.`, "Back to the truth of the page", () => {
      attempt(() => truth.load(DATA.truth));
      saving.kept = fingerprint();
    });
  } else {
    notice(`This browser kept another annotation of this series, of ${when} UTC.`, "Show it", take);
  }
}

function notice(words, button, action) {
  const place = find("#notice");
  const close = () => (place.hidden = true);
  place.replaceChildren(
    el("span", {}, words),
    el("button", { type: "button", class: "small", onclick: () => (action(), close()) }, button),
    el("button", { type: "button", class: "small", onclick: close }, "Close"),
  );
  place.hidden = false;
}

async function loadFile(event) {
  const [file] = event.target.files;
  event.target.value = "";
  if (!file) return;
  const text = await file.text();
  attempt(() => {
    truth.load(readAnnotation(text, file.name));
    tell(`Loaded ${file.name}: ${truth.state.segments.length} segments in ${truth.state.sets.length} sets.`);
  });
}

function startSaving() {
  const formats = Object.entries(FORMATS).filter(([name]) => name !== "labels" || DATA.rate !== null);
  find("#save-format").append(...formats.map(([name, { words }]) => el("option", { value: name }, words)));
  find("#save-format").hidden = Boolean(DATA.save);
  find("#save").addEventListener("click", save);
  find("#load").addEventListener("click", () => find("#load-file").click());
  find("#load-file").addEventListener("change", loadFile);
  restore();
  truth.watchers.push(() => {
    store();
    showSaved();
  });
  showSaved();
  addEventListener("beforeunload", (event) => {
    if (isUnsaved()) event.preventDefault();
  });
}
