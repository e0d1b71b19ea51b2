// The lists beside the picture: true sets, found sets, channels.

function newSet() {
  attempt(() => {
    app.activeSet = truth.addSet(truth.freeName(`set ${truth.state.sets.length + 1}`));
    announce(`Made “${truth.set(app.activeSet).name}”. New segments go into it.`);
  });
}

function renameActive() {
  const field = find(`[data-key="name-${app.activeSet}"]`);
  if (!field) return announce("There is no set to rename; T makes one.");
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
    checkbox(`show-${set.id}`, !app.hidden.has(set.id), () => toggled(app.hidden, set.id), { "aria-label": `Show “${set.name}”` }),
    el("input", {
      type: "color",
      value: hexColour(setColour(set.colour)),
      "aria-label": `Colour of “${set.name}”`,
      "data-key": `colour-${set.id}`,
      onchange: (event) => attempt(() => truth.changeSet(set.id, { colour: event.target.value })),
    }),
    nameField(set),
    el("span", { class: "count", title: place < 9 ? `key ${place + 1}` : null }, String(count)),
    button(`delete-${set.id}`, "✕", () => deleteSet(set.id), { class: "icon", title: "Delete the set", "aria-label": `Delete the set “${set.name}”` }),
  );
}

function deleteSet(id) {
  const [{ name }, count] = [truth.set(id), truth.segmentsOf(id).length];
  truth.removeSet(id);
  announce(`Deleted “${name}” with ${count} segment${count === 1 ? "" : "s"}. Ctrl+Z brings it back.`);
  refresh();
}

function showTruth() {
  const { sets } = truth.state;
  rebuilt(
    find("#truth"),
    sets.length
      ? el("ul", { class: "sets scrolling" }, sets.map(trueSetItem))
      : el("p", { class: "small soft" }, "No sets yet. Drag in the row “truth” to draw the first segment."),
    el("div", { class: "row" }, button("new-set", "New set", newSet)),
  );
  find("#undo").disabled = !truth.past.length;
  find("#redo").disabled = !truth.future.length;
}

/** Switch a group of found sets, or one of them, on or off. */
function switched(shownOrHidden) {
  return (on) => {
    shownOrHidden.on = on;
    refresh();
  };
}

function foundItem(group, place, set) {
  const key = `found-${place}-${set.place}`;
  return el(
    "li",
    {},
    checkbox(key, set.on, switched(set), { id: key }),
    colouredSwatch(foundColour(set)),
    el("label", { class: "name", for: key }, set.label),
    el("span", { class: "count" }, String(set.segments.length)),
    button(`review-${place}-${set.place}`, "Review", () => review(place, set.place), { title: "Accept its occurrences one by one" }),
  );
}

function colouredSwatch(colour) {
  const swatch = el("span", { class: "swatch", "aria-hidden": "true" });
  swatch.style.color = colour;
  return swatch;
}

function showFound() {
  find("#found-card").hidden = !app.groups.length;
  const groups = app.groups.map(({ name }, place) => [place, name]);
  const setBands = (value) => {
    app.bands = value === "truth" ? "truth" : Number(value);
    refresh();
  };
  const bands = choice("bands", [["truth", "truth"], ...groups], app.bands, setBands, { "aria-label": "Bands behind the series" });
  rebuilt(
    find("#found"),
    app.groups.map((group, place) => [
      el("label", { class: "check" }, checkbox(`group-${place}`, group.on, switched(group)), el("strong", {}, group.name)),
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
      checkbox(`channel-${channel.place}`, app.channels.has(channel.place), () => toggled(app.channels, channel.place), { id: `channel-${channel.place}` }),
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
      ? el("div", { class: "row" }, button("all-channels", "All", all(true)), button("one-channel", "Only the first", all(false)))
      : null,
  );
}

parts.panels.push(showTruth, showFound, showChannels);
