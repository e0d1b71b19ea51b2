// Proposals: the occurrences of a found set, looked at one by one and accepted or skipped.

const skipped = new Set(); // "group/set/index" of proposals that were skipped
let proposing = app.groups.findIndex(({ sets }) => sets.length) < 0 ? null : { group: 0, set: 0 };
if (proposing) proposing.group = app.groups.findIndex(({ sets }) => sets.length);
let targetId = "match"; // the true set that accepted ones go into

function proposalKey({ group, set, index }) {
  return `${group}/${set}/${index}`;
}

/** The occurrences of the set under review that are still to be decided. */
function openProposals() {
  if (!proposing) return [];
  const { segments } = app.groups[proposing.group].sets[proposing.set];
  return segments
    .map((segment, index) => ({ ...proposing, index, segment }))
    .filter((item) => !skipped.has(proposalKey(item)) && !truth.clash(item.segment.start, item.segment.end));
}

function chooseProposal({ group, set, index }, show = false) {
  app.selected = null;
  app.proposal = { group, set, index };
  proposing = { group, set };
  app.overlay = { group, set };
  const segment = foundSegment(app.proposal);
  app.cursor = segment.start;
  if (show) reveal(segment);
  const held = app.groups[group].sets[set];
  announce(`Found ${segmentText(segment, app.inTime)} of “${held.label}” by ${app.groups[group].name}: Y accepts, X skips.`);
  refresh();
}

/** Begin with the first occurrence of a found set that is still open. */
function review(group, set) {
  proposing = { group, set };
  app.proposal = null;
  nextProposal();
}

function nextProposal() {
  if (!proposing) return announce("Nothing was found that could be proposed.");
  const open = openProposals();
  if (!open.length) {
    app.proposal = null;
    announce(`All occurrences of “${app.groups[proposing.group].sets[proposing.set].label}” are decided.`);
    return refresh();
  }
  const now = app.proposal && sameSet(app.proposal, proposing) ? app.proposal.index : -1;
  return chooseProposal(open.find(({ index }) => index > now) ?? open[0], true);
}

function sameSet(a, b) {
  return a.group === b.group && a.set === b.set;
}

/** The true set for accepted ones: the chosen one, else the one with the found set's name. */
function proposalTarget() {
  if (truth.set(targetId)) return targetId;
  const { label } = app.groups[app.proposal.group].sets[app.proposal.set];
  return truth.state.sets.find(({ name }) => name === label)?.id ?? truth.addSet(label);
}

function acceptProposal() {
  const segment = foundSegment(app.proposal);
  if (!segment) return announce("There is no proposal to accept: G shows the next one.");
  const done = attempt(() =>
    truth.together(() => {
      truth.check(segment.start, segment.end);
      const set = proposalTarget();
      truth.add(set, segment.start, segment.end);
      app.activeSet = set;
    }),
  );
  if (done) nextProposal();
  return done;
}

function skipProposal() {
  if (!app.proposal) return announce("There is no proposal to skip: G shows the next one.");
  skipped.add(proposalKey(app.proposal));
  return nextProposal();
}

function acceptAll() {
  const open = openProposals();
  let refused = 0;
  attempt(() =>
    truth.together(() => {
      for (const item of open) {
        if (truth.clash(item.segment.start, item.segment.end)) {
          refused++; // it overlaps one that was accepted just now
          continue;
        }
        app.proposal = item;
        truth.add(proposalTarget(), item.segment.start, item.segment.end);
      }
    }),
  );
  app.proposal = null;
  const words = refused ? ` ${refused} overlap others and were left out; true segments must not overlap.` : "";
  announce(`Accepted ${open.length - refused}.${words}`, refused > 0);
  refresh();
}

function showPropose() {
  if (!proposing) return;
  const open = openProposals();
  const segment = foundSegment(app.proposal);
  const held = app.groups[proposing.group].sets[proposing.set];
  const targets = [["match", "set of that name"], ...truth.state.sets.map(({ id, name }) => [id, name])];
  const setTarget = (value) => (targetId = value === "match" ? value : Number(value));
  rebuilt(
    find("#propose"),
    el("p", { class: "small" }, `“${held.label}” of ${app.groups[proposing.group].name}: ${open.length} to decide`, segment ? ` (${segmentText(segment, app.inTime)})` : null),
    el("div", { class: "fields" }, el("label", { for: "propose-target" }, "Accept into"), choice("propose-target", targets, targetId, setTarget, { id: "propose-target" })),
    el(
      "div",
      { class: "row" },
      button("propose-next", segment ? "Next" : "Show", nextProposal, { disabled: !open.length }),
      button("propose-accept", "Accept", acceptProposal, { disabled: !segment, class: "small main" }),
      button("propose-skip", "Skip", skipProposal, { disabled: !segment }),
      button("propose-all", "Accept all", acceptAll, { disabled: !open.length }),
    ),
  );
}

parts.panels.push(showPropose);
