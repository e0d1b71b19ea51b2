// The truth that is being annotated: sets and segments, every change with a way back.

/** What cannot be done, as a sentence. */
class Refusal extends Error {}

const HISTORY = 500; // steps that can be undone

function bySet(a, b) {
  return a.start - b.start || a.end - b.end;
}

/** Sets {id, name, colour} and segments {id, set, start, end}; states are never changed. */
class Annotation {
  constructor(listed, n) {
    this.n = n;
    this.next = 1;
    this.past = [];
    this.future = [];
    this.state = this.stateOf(listed);
    this.watchers = [];
  }

  /** A state from [{label, segments, colour?}]; refuses what cannot be truth. */
  stateOf(listed) {
    const state = { sets: [], segments: [] };
    listed.forEach(({ label, segments, colour }, place) => {
      const set = { id: this.next++, name: String(label), colour: colour ?? place % DATA.colours };
      if (state.sets.some((other) => other.name === set.name)) {
        throw new Refusal(`Two sets are called “${set.name}”; give each its own name.`);
      }
      state.sets.push(set);
      for (const [start, end] of segments) state.segments.push({ id: this.next++, set: set.id, start, end });
    });
    state.segments.sort(bySet);
    state.segments.forEach((segment, i) => {
      this.checkBounds(segment.start, segment.end);
      const before = state.segments[i - 1];
      if (before && segment.start < before.end) {
        throw new Refusal(`${this.words(segment, state)} overlaps ${this.words(before, state)}; true segments must not overlap.`);
      }
    });
    return state;
  }

  words({ start, end, set }, state = this.state) {
    const name = state.sets.find(({ id }) => id === set)?.name ?? "";
    return `[${start}, ${end}) of “${name}”`;
  }

  checkBounds(start, end) {
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) {
      throw new Refusal(`A segment has whole numbers of samples, got ${start} and ${end}.`);
    }
    if (start < 0 || end > this.n) {
      throw new Refusal(`[${start}, ${end}) does not lie in the series, which has ${this.n} samples.`);
    }
    if (start >= end) throw new Refusal(`[${start}, ${end}) is empty; a segment ends after its start.`);
  }

  /** The first segment that shares samples with [start, end), but `except`. */
  clash(start, end, except = null) {
    return this.state.segments.find((other) => other.id !== except && other.start < end && start < other.end) ?? null;
  }

  /** Refuse [start, end) where it cannot be a true segment. */
  check(start, end, except = null) {
    this.checkBounds(start, end);
    const other = this.clash(start, end, except);
    if (other) {
      throw new Refusal(`[${start}, ${end}) overlaps ${this.words(other)}; true segments must not overlap.`);
    }
  }

  segment(id) {
    return this.state.segments.find((segment) => segment.id === id) ?? null;
  }

  set(id) {
    return this.state.sets.find((set) => set.id === id) ?? null;
  }

  segmentsOf(set) {
    return this.state.segments.filter((segment) => segment.set === set);
  }

  commit(state) {
    this.past.push(this.state);
    if (this.past.length > HISTORY) this.past.shift();
    this.future = [];
    this.state = state;
    this.notify();
  }

  /** Do several things that are undone together. */
  together(action) {
    const [depth, before] = [this.past.length, this.state];
    try {
      action();
    } catch (error) {
      this.state = before; // all or nothing
      this.past.length = Math.min(this.past.length, depth);
      throw error;
    }
    if (this.past.length > depth + 1) this.past.splice(depth, this.past.length - depth, before);
  }

  notify() {
    for (const watcher of this.watchers) watcher();
  }

  step(from, to) {
    if (!from.length) return false;
    to.push(this.state);
    this.state = from.pop();
    this.notify();
    return true;
  }

  undo() {
    return this.step(this.past, this.future);
  }

  redo() {
    return this.step(this.future, this.past);
  }

  add(set, start, end) {
    this.check(start, end);
    if (!this.set(set)) throw new Refusal("There is no set to add to; make one first.");
    const segment = { id: this.next++, set, start, end };
    this.commit({ ...this.state, segments: [...this.state.segments, segment].sort(bySet) });
    return segment.id;
  }

  reshape(id, start, end) {
    this.check(start, end, id);
    const held = this.segment(id);
    if (held.start === start && held.end === end) return;
    this.replace(id, { start, end });
  }

  relabel(id, set) {
    if (!this.set(set)) throw new Refusal("There is no such set.");
    if (this.segment(id).set !== set) this.replace(id, { set });
  }

  replace(id, fields) {
    const segments = this.state.segments.map((segment) => (segment.id === id ? { ...segment, ...fields } : segment));
    this.commit({ ...this.state, segments: segments.sort(bySet) });
  }

  remove(id) {
    this.commit({ ...this.state, segments: this.state.segments.filter((segment) => segment.id !== id) });
  }

  /** A name that no set has: `wanted`, or with a number behind it. */
  freeName(wanted) {
    const names = new Set(this.state.sets.map(({ name }) => name));
    if (!names.has(wanted)) return wanted;
    let number = 2;
    while (names.has(`${wanted} ${number}`)) number++;
    return `${wanted} ${number}`;
  }

  addSet(name) {
    const used = this.state.sets.map(({ colour }) => colour);
    const free = range(DATA.colours).find((place) => !used.includes(place));
    const set = { id: this.next++, name, colour: free ?? this.state.sets.length % DATA.colours };
    this.checkName(name, set.id);
    this.commit({ ...this.state, sets: [...this.state.sets, set] });
    return set.id;
  }

  checkName(name, id) {
    if (!name.trim()) throw new Refusal("A set needs a name.");
    if (this.state.sets.some((other) => other.id !== id && other.name === name)) {
      throw new Refusal(`There is already a set “${name}”; choose another name.`);
    }
  }

  changeSet(id, fields) {
    if ("name" in fields) this.checkName(fields.name, id);
    const held = this.set(id);
    if (Object.entries(fields).every(([key, value]) => held[key] === value)) return;
    this.commit({ ...this.state, sets: this.state.sets.map((set) => (set.id === id ? { ...set, ...fields } : set)) });
  }

  removeSet(id) {
    this.commit({
      sets: this.state.sets.filter((set) => set.id !== id),
      segments: this.state.segments.filter((segment) => segment.set !== id),
    });
  }

  /** Take other sets in place of all, as one step. */
  load(listed) {
    this.commit(this.stateOf(listed));
  }

  /** [{label, segments, colour}], as files and other pages have them. */
  listed(state = this.state) {
    return state.sets.map(({ id, name, colour }) => ({
      label: name,
      colour,
      segments: state.segments.filter(({ set }) => set === id).map(({ start, end }) => [start, end]),
    }));
  }
}
