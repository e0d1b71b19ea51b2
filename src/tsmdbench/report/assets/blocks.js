// The data inside the page: charts as JSON, runs and series packed, unpacked when needed.

const DATA = JSON.parse(find("#data").textContent);

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

const held = new Map();

/** Problems and runs of a dataset, unpacked once. */
function datasetRuns(place) {
  if (!held.has(place)) held.set(place, unpacked(find(`#runs-${place}`).textContent.trim()));
  return held.get(place);
}

const seriesTexts = new Map();

/** The series of a problem: n, channels and lines of points; null where it is not here. */
async function problemSeries(place, problem) {
  if (!seriesTexts.has(place)) {
    seriesTexts.set(place, JSON.parse(find(`#series-${place}`).textContent));
  }
  const text = seriesTexts.get(place)[problem];
  if (!text) return null;
  const series = await unpacked(text);
  const running = (steps) => {
    let sum = 0;
    return steps.map((step) => (sum += step));
  };
  series.lines = series.lines.map(({ channel, low, high, at, value }) => ({
    channel,
    low,
    high,
    at: running(at),
    value: running(value).map((level) => level / 999),
  }));
  return series;
}
