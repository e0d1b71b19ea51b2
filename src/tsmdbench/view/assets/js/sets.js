// The lists beside the picture: true sets, found sets, channels.

function newSet() {
  attempt(() => {
    app.activeSet = truth.addSet(truth.freeName(`set ${truth.state.sets.length + 1}`));
    tell(`Made “${truth.set(app.activeSet).name}”. New segments go into it.`);
  });
}

function renameActive() {
  const field = find(`[data-key="name-${app.activeSet}"]`);
  if (!field) return tell("There is no set to rename; T makes one.");
  field.focus();
  return field.select();
}

function nameField(set) {
  return el("input", {
    type: "text",
    value: set.name,
    "aria-label": `Name of the set “${set.name}”`,
    "data-key": `name-${set.id}`,
    maxlength: 200,
    onfocus: () => makeActive(set.id),
    onchange: (event) => attempt(() => truth.changeSet(set.id, { name: event.target.value.trim() })),
    onkeydown: (event) => {
      if (event.key === "Enter") find("#chart").focus();
      if (event.key === "Escape") {
        event.target.value = set.name;
        find("#chart").focus();
      }
    },
  });
}

/** Mark the set that new segments go into, without touching the fields. */
function makeActive(id) {
  app.activeSet = id;
  app.overlay = { group: null, set: id };
  findAll("#truth li").forEach((item) => item.classList.toggle("active", Number(item.dataset.set) === id));
  showOverlayControls();
  drawOverlay();
  invalidate();
}

function toggled(held, value) {
  if (held.has(value)) held.delete(value);
  else held.add(value);
  refresh();
}

function trueSetItem(set, place) {
  const count = truth.segmentsOf(set.id).length;
  return el(
    "li",
    { class: set.id === app.activeSet ? "active" : "", "data-set": set.id },
    el("input", { type: "checkbox", checked: !app.hidden.has(set.id), "aria-label": `Show “${set.name}”`, "data-key": `show-${set.id}`, onchange: () => toggled(app.hidden, set.id) }),
    el("input", {
      type: "color",
      value: hexColour(setColour(set.colour)),
      "aria-label": `Colour of “${set.name}”`,
      "data-key": `colour-${set.id}`,
      onchange: (event) => attempt(() => truth.changeSet(set.id, { colour: event.target.value })),
    }),
    nameField(set),
    el("span", { class: "count", title: place < 9 ? `key ${place + 1}` : null }, String(count)),
    el("button", { type: "button", class: "icon", title: "Delete the set", "aria-label": `Delete the set “${set.name}”`, "data-key": `delete-${set.id}`, onclick: () => deleteSet(set.id) }, "✕"),
  );
}

function deleteSet(id) {
  const [{ name }, count] = [truth.set(id), truth.segmentsOf(id).length];
  truth.removeSet(id);
  tell(`Deleted “${name}” with ${count} segment${count === 1 ? "" : "s"}. Ctrl+Z brings it back.`);
  refresh();
}

function showTruth() {
  const { sets } = truth.state;
  rebuilt(
    find("#truth"),
    sets.length
      ? el("ul", { class: "sets scrolling" }, sets.map(trueSetItem))
      : el("p", { class: "small soft" }, "No sets yet. Drag in the row “truth” to draw the first segment."),
    el("div", { class: "row" }, el("button", { type: "button", class: "small", "data-key": "new-set", onclick: newSet }, "New set")),
  );
  find("#undo").disabled = !truth.past.length;
  find("#redo").disabled = !truth.future.length;
}

function foundItem(group, place, set) {
  return el(
    "li",
    {},
    el("input", {
      type: "checkbox",
      checked: set.on,
      id: `found-${place}-${set.place}`,
      "data-key": `found-${place}-${set.place}`,
      onchange: (event) => {
        set.on = event.target.checked;
        refresh();
      },
    }),
    colouredSwatch(foundColour(set)),
    el("label", { class: "name", for: `found-${place}-${set.place}` }, set.label),
    el("span", { class: "count" }, String(set.segments.length)),
    el("button", { type: "button", class: "small", "data-key": `review-${place}-${set.place}`, title: "Accept its occurrences one by one", onclick: () => review(place, set.place) }, "Review"),
  );
}

function colouredSwatch(colour) {
  const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
  swatch.style.color = colour;
  return swatch;
}

function showFound() {
  find("#found-card").hidden = !app.groups.length;
  const bands = el(
    "select",
    {
      "aria-label": "Bands behind the series",
      "data-key": "bands",
      onchange: ({ target: { value } }) => {
        app.bands = value === "truth" ? "truth" : Number(value);
        refresh();
      },
    },
    el("option", { value: "truth", selected: app.bands === "truth" }, "truth"),
    app.groups.map(({ name }, place) => el("option", { value: place, selected: app.bands === place }, name)),
  );
  rebuilt(
    find("#found"),
    app.groups.map((group, place) => [
      el(
        "label",
        { class: "check" },
        el("input", {
          type: "checkbox",
          checked: group.on,
          "data-key": `group-${place}`,
          onchange: (event) => {
            group.on = event.target.checked;
            refresh();
          },
        }),
        el("strong", {}, group.name),
      ),
      group.sets.length
        ? el("ul", { class: "sets scrolling" }, group.sets.map((set) => foundItem(group, place, set)))
        : el("p", { class: "small soft" }, "Nothing was found."),
    ]).flat(),
    el("label", { class: "row small" }, "Bands behind the series: ", bands),
  );
}

function showChannels() {
  const items = CHANNELS.map((channel) =>
    el(
      "li",
      {},
      el("input", { type: "checkbox", id: `channel-${channel.place}`, "data-key": `channel-${channel.place}`, checked: app.channels.has(channel.place), onchange: () => toggled(app.channels, channel.place) }),
      el("label", { class: "name", for: `channel-${channel.place}` }, channel.name),
      el("span", { class: "count" }, `${Number(channel.low.toPrecision(3))} to ${Number(channel.high.toPrecision(3))} ${channel.unit}`),
    ),
  );
  const all = (on) => () => {
    app.channels = new Set(on ? range(CHANNELS.length) : [0]);
    refresh();
  };
  rebuilt(
    find("#channels"),
    el("ul", { class: "sets scrolling" }, items),
    CHANNELS.length > 1
      ? el("div", { class: "row" }, el("button", { type: "button", class: "small", "data-key": "all-channels", onclick: all(true) }, "All"), el("button", { type: "button", class: "small", "data-key": "one-channel", onclick: all(false) }, "Only the first"))
      : null,
  );
}

parts.panels.push(showTruth, showFound, showChannels);
