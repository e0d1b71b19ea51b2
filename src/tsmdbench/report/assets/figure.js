// A figure of the explorer is drawn again when its width changes.

const drawings = new Set();

/** Draw into `place` now and whenever its width changes; `draw` gets the width. */
function drawn(place, draw) {
  for (const older of drawings) if (older.place === place) drawings.delete(older);
  const drawing = { place, draw, width: 0 };
  drawings.add(drawing);
  redraw(drawing);
}

function redraw(drawing) {
  const width = Math.floor(drawing.place.clientWidth);
  if (!width || width === drawing.width) return;
  drawing.width = width;
  drawing.draw(width);
}

function startFigures() {
  let waiting = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      for (const drawing of drawings) {
        if (drawing.place.isConnected) redraw(drawing);
        else drawings.delete(drawing);
      }
    });
  });
}

/** A picture with a name, for those who see it and those who do not. */
function picture(width, height, name, ...children) {
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": name },
    ...children,
  );
}

let ruler = null;

/** The width of text in a chart. */
function textWidth(text, weight = 400) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${weight} 12px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

/** Text cut to a width, with the whole of it as a title. */
function clippedText(text, width, attributes) {
  let cut = text;
  while (cut.length > 1 && textWidth(cut === text ? cut : `${cut}…`) > width) cut = cut.slice(0, -1);
  const label = svg("text", attributes, cut === text ? text : `${cut}…`);
  if (cut !== text) label.append(svg("title", {}, text));
  return label;
}

/** Round numbers from low to high, about `count` of them. */
function ticks(low, high, count) {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((value) => value >= rough);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return range(Math.max(0, last - first + 1)).map((i) => Number(((first + i) * step).toPrecision(12)));
}
