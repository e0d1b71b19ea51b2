// Colours of the style sheet, for the canvas; read again when the theme changes.

const palette = { sets: [], none: "", ink: "", soft: "", line: "", page: "", accent: "", bad: "", raised: "" };

function readPalette() {
  const probe = el("span", { hidden: true });
  document.body.append(probe);
  const colourOf = (className) => {
    probe.className = className;
    return getComputedStyle(probe).color;
  };
  palette.sets = range(DATA.colours).map((place) => colourOf(`set-${place}`));
  palette.none = colourOf("set-none");
  probe.className = "";
  for (const name of ["ink", "soft", "line", "page", "accent", "bad", "raised"]) {
    probe.style.color = `var(--${name})`;
    palette[name] = getComputedStyle(probe).color;
  }
  probe.remove();
}

/** The colour of a set: one of the palette by place, or one that the user chose. */
function setColour(colour) {
  return typeof colour === "number" ? palette.sets[colour % palette.sets.length] : colour;
}

/** #rrggbb of a CSS colour, as inputs of colours want it. */
function hexColour(colour) {
  const [r, g, b] = colour.startsWith("#") ? [] : colour.match(/\d+(\.\d+)?/g).map(Number);
  if (colour.startsWith("#")) return colour;
  return `#${[r, g, b].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}
