// The selected segment in fields, and all segments as a list.

const LISTED = 400; // segments in the list

function boundField(segment, bound) {
  return el("input", {
    type: "number",
    id: `segment-${bound}`,
    "data-key": `segment-${bound}`,
    value: segment[bound],
    min: 0,
    max: DATA.n,
    step: 1,
    onchange: (event) => {
      const bounds = { start: segment.start, end: segment.end, [bound]: Number(event.target.value) };
      const done = attempt(() => truth.reshape(segment.id, bounds.start, bounds.end));
      if (!done) event.target.value = segment[bound];
    },
  });
}

function segmentForm(segment) {
  const sets = el(
    "select",
    { id: "segment-set", "data-key": "segment-set", onchange: (event) => attempt(() => truth.relabel(segment.id, Number(event.target.value))) },
    truth.state.sets.map(({ id, name }) => el("option", { value: id, selected: id === segment.set }, name)),
  );
  const time = DATA.rate === null ? null : `${placeText(segment.start, true)} to ${placeText(segment.end, true)}, ${lengthText(segment.end - segment.start, true)}`;
  return [
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
    el("p", { class: "small soft" }, `${segment.end - segment.start} samples${time ? ` (${time})` : ""}`),
    el(
      "div",
      { class: "row" },
      el("button", { type: "button", class: "small", "data-key": "segment-zoom", onclick: () => reveal(segment, true) }, "Zoom to it"),
      el("button", { type: "button", class: "small", "data-key": "segment-delete", onclick: deleteSelected }, "Delete"),
    ),
  ];
}

function segmentList() {
  const { segments } = truth.state;
  if (!segments.length) return null;
  const open = find("#segment details")?.open;
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
  return el("details", { open: open || null }, el("summary", {}, `All true segments (${segments.length})`), el("ol", { class: "list" }, items, more));
}

function showSegment() {
  const segment = truth.segment(app.selected);
  const none = el("p", { class: "small soft" }, truth.state.segments.length ? "Click a segment, or press N, to see and change it." : "There are no true segments.");
  rebuilt(find("#segment"), segment ? segmentForm(segment) : none, segmentList());
}

parts.panels.push(showSegment);
