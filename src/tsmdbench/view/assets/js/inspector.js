// The selected segment in fields, and all segments as a list.

const LISTED = 400; // segments in the list

let form = null; // of the selected segment: {id, sets, place, words}

function boundField({ id }, bound) {
  return el("input", {
    type: "text",
    id: `segment-${bound}`,
    "data-key": `segment-${bound}`,
    onchange: ({ target }) => {
      const { start, end } = truth.segment(id);
      const bounds = { start, end, [bound]: sampleOf(target.value, app.inTime) };
      const done = attempt(() => {
        if (Number.isNaN(bounds[bound])) {
          throw new Refusal(`“${target.value}” is not ${app.inTime ? `a time such as ${placeText(truth.segment(id)[bound], true)}` : "a whole number of samples"}.`);
        }
        truth.reshape(id, bounds.start, bounds.end);
      });
      if (done) announceSegment(id);
      target.value = placeText(truth.segment(id)[bound], app.inTime);
    },
  });
}

function makeForm(segment) {
  const relabel = (value) => attempt(() => truth.relabel(segment.id, Number(value))) && select(segment.id);
  const names = truth.state.sets.map(({ id, name }) => [id, name]);
  const sets = choice("segment-set", names, segment.set, relabel, { id: "segment-set" });
  const words = el("p", { class: "small soft" });
  const place = el(
    "div",
    {},
    el(
      "div",
      { class: "fields" },
      el("label", { for: "segment-set" }, "Set"),
      sets,
      el("label", { for: "segment-start" }, "Start"),
      boundField(segment, "start"),
      el("label", { for: "segment-end" }, "End"),
      boundField(segment, "end"),
    ),
    words,
    el(
      "div",
      { class: "row" },
      button("segment-zoom", "Zoom to it", () => reveal(truth.segment(segment.id), true)),
      button("segment-delete", "Delete", deleteSelected),
    ),
  );
  return { id: segment.id, sets: truth.state.sets, place, words };
}

/** The fields of a segment; a field that has the focus is left alone. */
function segmentForm(segment) {
  if (form?.id !== segment.id || form.sets !== truth.state.sets) form = makeForm(segment);
  const time = DATA.rate === null ? "" : `, ${lengthText(segment.end - segment.start, true)}`;
  form.words.textContent = `${segmentText(segment, false)}, ${lengthText(segment.end - segment.start, false)}${time}`;
  const [start, end] = [segment.start, segment.end].map((place) => placeText(place, app.inTime));
  const values = { "segment-set": segment.set, "segment-start": start, "segment-end": end };
  for (const [id, value] of Object.entries(values)) {
    const field = find(`#${id}`, form.place);
    if (field !== document.activeElement) field.value = value;
  }
  return form.place;
}

function segmentList() {
  const { segments } = truth.state;
  if (!segments.length) return [];
  const items = segments.slice(0, LISTED).map((segment) => {
    const set = truth.set(segment.set);
    return el(
      "li",
      {},
      el(
        "button",
        { type: "button", "data-key": `pick-${segment.id}`, "aria-pressed": String(segment.id === app.selected), onclick: () => select(segment.id, { show: true }) },
        colouredSwatch(setColour(set.colour)),
        el("span", {}, `${segmentText(segment, app.inTime)} ${set.name}`),
      ),
    );
  });
  const more = segments.length > LISTED ? el("li", { class: "soft" }, `… and ${segments.length - LISTED} more`) : null;
  return [el("summary", {}, `All true segments (${segments.length})`), el("ol", { class: "list" }, items, more)];
}

function showSegment() {
  const segment = truth.segment(app.selected);
  const any = truth.state.segments.length;
  if (segment) {
    const shownForm = segmentForm(segment);
    if (find("#segment").firstChild !== shownForm) rebuilt(find("#segment"), shownForm);
  } else {
    rebuilt(find("#segment"), el("p", { class: "small soft" }, any ? "Click a segment, or press N, to see and change it." : "There are no true segments."));
  }
  find("#segments").hidden = !any;
  rebuilt(find("#segments"), segmentList());
}

parts.panels.push(showSegment);
