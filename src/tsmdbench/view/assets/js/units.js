// Samples and times: how places and lengths are written, and where an axis has its marks.

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/** Seconds of a sample on the axis of the recording. */
function secondsAt(sample) {
  return sample / DATA.rate + (DATA.start.stamp ? 0 : DATA.start.value);
}

function stampAt(sample) {
  return new Date(DATA.start.value + (1000 * sample) / DATA.rate);
}

/** Digits after the point that neighbouring marks or samples need to differ. */
function digitsFor(step) {
  return Math.max(0, Math.min(6, Math.ceil(-Math.log10(step) - 1e-9)));
}

/** Seconds as people read them: 4.25 s, 3:07.5, 1:02:03. */
function clock(seconds, digits) {
  if (Math.abs(seconds) < 60) return `${Number(seconds.toFixed(digits))} s`;
  const sign = seconds < 0 ? "−" : "";
  const whole = Math.abs(seconds);
  const rounded = Number(whole.toFixed(digits));
  const [hours, minutes] = [Math.floor(rounded / 3600), Math.floor((rounded % 3600) / 60)];
  const rest = (rounded % 60).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  return hours ? `${sign}${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${sign}${minutes}:${rest}`;
}

/** The time of day of a stamp, with as many digits as are needed. */
function dayTime(date, digits) {
  const text = date.toISOString(); // 2024-05-01T12:00:00.000Z
  return digits ? text.slice(11, 20 + Math.min(3, digits)) : text.slice(11, 19);
}

/** A place in the series, in the units that are shown. */
function placeText(sample, inTime) {
  if (!inTime) return String(sample);
  const digits = digitsFor(1 / DATA.rate);
  if (!DATA.start.stamp) return clock(secondsAt(sample), digits);
  return `${stampAt(sample).toISOString().slice(0, 10)} ${dayTime(stampAt(sample), digits)}`;
}

/** The sample of a place as `placeText` writes it, or NaN. */
function sampleOf(text, inTime) {
  const plain = text.trim().replace("−", "-");
  if (!inTime) return /^\d+$/.test(plain) ? Number(plain) : NaN;
  if (DATA.start.stamp) return Math.round(((Date.parse(`${plain.replace(/ +/, "T").replace(/Z$/, "")}Z`) - DATA.start.value) / 1000) * DATA.rate);
  const [, sign, hours = 0, minutes = 0, seconds] = /^(-?)(?:(?:(\d+):)?(\d+):)?(\d*\.?\d+) *s?$/.exec(plain) ?? [];
  const total = (sign ? -1 : 1) * (3600 * hours + 60 * minutes + Number(seconds));
  return Math.round((total - DATA.start.value) * DATA.rate);
}

/** A number of samples, in the units that are shown. */
function lengthText(samples, inTime) {
  if (!inTime) return `${samples} sample${samples === 1 ? "" : "s"}`;
  const seconds = samples / DATA.rate;
  return seconds < 1 ? `${Number((1000 * seconds).toPrecision(4))} ms` : clock(seconds, 3);
}

function segmentText({ start, end }, inTime) {
  return inTime ? `${placeText(start, true)} to ${placeText(end, true)}` : `[${start}, ${end})`;
}

/** Marks of an axis between two samples: where, and what to write. */
function axisMarks(from, to, count, inTime) {
  if (!inTime) {
    return ticks(from, to, count)
      .filter((sample) => Number.isInteger(sample))
      .map((sample) => ({ sample, text: sample.toLocaleString("en-US") }));
  }
  const offset = DATA.start.stamp ? (DATA.start.value / 1000) % 86400 : DATA.start.value;
  const [low, high] = [from / DATA.rate + offset, to / DATA.rate + offset];
  const rough = (high - low) / Math.max(1, count);
  const step = timeStep(rough);
  const digits = digitsFor(step);
  const marks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
    const sample = (i * step - offset) * DATA.rate;
    marks.push({ sample, text: markText(i * step, sample, step, digits) });
  }
  return marks;
}

function timeStep(rough) {
  if (rough < 1) {
    const power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map((f) => f * power).find((value) => value >= rough * (1 - 1e-9));
  }
  return STEPS.find((step) => step >= rough) ?? 86400 * Math.ceil(rough / 86400);
}

function markText(seconds, sample, step, digits) {
  if (!DATA.start.stamp) return clock(seconds, digits);
  // Rounded to the mark: the sample itself may lie a hair beside it.
  const date = new Date(Math.round((DATA.start.value + (1000 * sample) / DATA.rate) * 1000) / 1000 + 1e-4);
  return step >= 86400 ? date.toISOString().slice(0, 10) : dayTime(date, digits);
}
