// The series inside the page: each channel at several resolutions, unpacked when needed.

const DATA = JSON.parse(find("#data").textContent);
const MISSING = -32768; // a 16-bit value that stands for no value

/** The bytes behind base64 of zlib. */
async function inflated(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Numbers from bytes that stand rank by rank: all first bytes, all second bytes, ... */
function interleaved(planes, size) {
  const count = planes.length / size;
  const bytes = new Uint8Array(planes.length);
  for (let rank = 0; rank < size; rank++) {
    for (let i = 0, at = rank, from = rank * count; i < count; i++, at += size) bytes[at] = planes[from + i];
  }
  return size === 4 ? new Float32Array(bytes.buffer) : new Int16Array(bytes.buffer);
}

/** A channel: `extremes` of any range, `value` of any sample. */
class Samples {
  constructor(facts, place) {
    Object.assign(this, facts);
    this.place = place;
    this.levels = this.widths.map(() => null);
    this.loading = this.widths.map(() => null);
  }

  /** Unpack a level once; resolves when it can be read. */
  load(level) {
    this.loading[level] ??= (async () => {
      const element = find(`#level-${this.place}-${level}`);
      const bytes = await inflated(element.textContent.trim());
      element.remove(); // the text is not needed any more
      this.levels[level] = interleaved(bytes, DATA.encoding === "f4" ? 4 : 2);
    })();
    return this.loading[level];
  }

  /** The coarsest level whose bins are no wider than `samples`; the finest is 0. */
  levelFor(samples) {
    let level = 0;
    while (level + 1 < this.widths.length && this.widths[level + 1] <= samples) level++;
    return level;
  }

  /** What can be read of a level now: itself, or the next coarser one. */
  readable(level) {
    let held = level;
    while (held < this.levels.length && !this.levels[held]) held++;
    return held < this.levels.length ? held : -1;
  }

  decoded(stored) {
    if (stored !== stored || (DATA.encoding === "i2" && stored === MISSING)) return NaN;
    return this.offset + this.scale * stored;
  }

  /** A sample; the middle of its bin where the page holds bins only. */
  value(sample) {
    const [width, values] = [this.widths[0], this.levels[0]];
    if (!values) return NaN;
    if (width === 1) return this.decoded(values[sample]);
    const bin = 2 * Math.floor(sample / width);
    return (this.decoded(values[bin]) + this.decoded(values[bin + 1])) / 2;
  }

  /** Lowest and highest of samples [from, to) as stored values of a level, or null. */
  extremes(level, from, to) {
    const [width, values] = [this.widths[level], this.levels[level]];
    const pairs = width > 1;
    const first = pairs ? 2 * Math.floor(from / width) : from;
    const last = pairs ? Math.min(values.length, 2 * Math.ceil(to / width)) : Math.min(values.length, to);
    let [low, high] = [Infinity, -Infinity];
    for (let i = first; i < last; i++) {
      const stored = values[i];
      if (stored !== stored || stored === MISSING) continue;
      if (stored < low) low = stored;
      if (stored > high) high = stored;
    }
    return low > high ? null : [low, high];
  }
}

const CHANNELS = DATA.channels.map((facts, place) => new Samples(facts, place));
