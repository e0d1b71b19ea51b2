// Elements from names, attributes and children. Text is always set as text.

const SVG = "http://www.w3.org/2000/svg";

function fillElement(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function el(name, attributes = {}, ...children) {
  return fillElement(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
  return fillElement(document.createElementNS(SVG, name), attributes, children);
}

function find(selector, within = document) {
  return within.querySelector(selector);
}

function findAll(selector, within = document) {
  return [...within.querySelectorAll(selector)];
}

function range(size) {
  return Array.from({ length: size }, (_, i) => i);
}

/** A table out of text cells; the first cell of a row is its head. */
function table(caption, head, rows, className = "plain") {
  return el(
    "table",
    { class: className },
    el("caption", { class: "hidden" }, caption),
    el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col" }, text)))),
    el(
      "tbody",
      {},
      rows.map(([first, ...cells]) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, first),
          cells.map((cell) => el("td", {}, cell)),
        ),
      ),
    ),
  );
}

/** A table that can be unfolded. */
function asTable(summary, caption, head, rows) {
  const place = el("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" }, table(caption, head, rows));
  return el("details", {}, el("summary", {}, summary), place);
}

function shown(value, digits = 3) {
  return value === null || value === undefined ? "–" : value.toFixed(digits);
}
