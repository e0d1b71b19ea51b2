// Saving: to a file by the browser, or by the server that the page came from; and after each
// change to the browser's storage, so that closing the page loses nothing.

const STORED = `tsmdbench-view-${DATA.key}`;
const saving = { kept: "", version: DATA.save?.version ?? "", storage: true };

/** The sets that are saved: those with segments, which is what `tsmdbench evaluate` takes. */
function filled(listed = truth.listed()) {
  return listed.filter(({ segments }) => segments.length);
}

/** The annotation as text, to see whether it changed. */
function fingerprint(listed = truth.listed()) {
  return JSON.stringify(filled(listed).map(({ label, segments }) => [label, segments]));
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
  return attempt(() => saveAs(find("#save-format").value));
}

/** Download the annotation. */
function saveAs(format) {
  const name = fileName(format);
  download(FORMATS[format].write(filled()), FORMATS[format].type, name);
  markSaved(fingerprint(), `Saved ${name}${format === "labels" ? "; evaluate reads it with --format audacity" : ""}.`);
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
  const body = JSON.stringify({ version: saving.version, sets: filled().map(({ label, segments }) => ({ label, segments })) });
  let answer;
  try {
    const response = await fetch("save", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    answer = await response.json();
    if (response.status === 409) return offerBoth(answer);
  } catch {
    answer = { error: "The server does not answer; start “tsmdbench view --serve” again. Your changes are kept in this browser." };
  }
  if (answer.error) return announce(answer.error, true);
  saving.version = answer.version;
  return markSaved(held, `Saved ${answer.file}.${answer.notes ? ` ${answer.notes}` : ""}`);
}

/** The file is not the one that this page read: show what it holds, or keep what is here. */
function offerBoth({ error, version, sets }) {
  announce(error, true);
  const choices = { "Download mine": () => attempt(() => saveAs("json")) };
  if (sets) {
    choices["Show what the file holds (Ctrl+Z brings mine back)"] = () =>
      attempt(() => {
        truth.load(sets);
        Object.assign(saving, { version, kept: fingerprint() });
        announce("This is what the file holds now.");
      });
    choices["Replace it by mine"] = () => {
      saving.version = version;
      save();
    };
  }
  notice(error, choices);
}

function markSaved(kept, words) {
  saving.kept = kept;
  const empty = truth.state.sets.length - filled().length;
  announce(empty ? `${words} Left out ${empty} set${empty === 1 ? "" : "s"} without segments.` : words);
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
  if (!held?.sets || fingerprint() === fingerprint(held.sets)) return;
  const when = String(held.when).slice(0, 16).replace("T", " ");
  const same = !DATA.save && held.given === JSON.stringify(DATA.truth);
  const take = () =>
    attempt(() => {
      truth.load(held.sets);
      if (same) saving.kept = held.saved;
    });
  if (!same) return notice(`This browser kept another annotation of this series, of ${when} UTC.`, { "Show it": take });
  take();
  return notice(`This browser kept changes of ${when} UTC; they are shown.`, {
    "Back to the truth of the page": () => {
      attempt(() => truth.load(DATA.truth));
      saving.kept = fingerprint();
    },
  });
}

/** A sentence on top of the page, with buttons; each closes it. */
function notice(words, choices) {
  const place = find("#notice");
  const button = ([name, action]) =>
    el("button", { type: "button", class: "small", onclick: () => ((place.hidden = true), action()) }, name);
  place.replaceChildren(el("span", {}, words), ...Object.entries({ ...choices, Close: () => {} }).map(button));
  place.hidden = false;
}

async function loadFile(event) {
  const [file] = event.target.files;
  event.target.value = "";
  if (!file) return;
  const text = await file.text();
  attempt(() => {
    truth.load(readAnnotation(text, file.name));
    announce(`Loaded ${file.name}: ${truth.state.segments.length} segments in ${truth.state.sets.length} sets.`);
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
