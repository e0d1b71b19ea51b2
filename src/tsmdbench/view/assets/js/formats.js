// Annotations as files that `tsmdbench evaluate` reads, and back.

const FORMATS = {
  json: { words: "JSON", ending: "json", type: "application/json", write: writeJson },
  csv: { words: "CSV", ending: "csv", type: "text/csv", write: writeCsv },
  labels: { words: "Label track", ending: "txt", type: "text/plain", write: writeLabels },
};

function writeJson(listed) {
  const pairs = listed.map(({ label, segments }) => {
    const shownPairs = segments.map(([start, end]) => `[${start}, ${end}]`).join(", ");
    return `  ${JSON.stringify(label)}: [${shownPairs}]`;
  });
  return `{\n${pairs.join(",\n")}\n}\n`;
}

function writeCsv(listed) {
  const cell = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = listed.flatMap(({ label, segments }) => segments.map(([start, end]) => `${cell(label)},${start},${end}\n`));
  return `set,start,end\n${rows.join("")}`;
}

/** Audacity's label track, in seconds. */
function writeLabels(listed) {
  const rows = listed.flatMap(({ label, segments }) => segments.map(([start, end]) => ({ label, start, end })));
  rows.sort((a, b) => a.start - b.start);
  const plain = (text) => text.split(/\s+/).filter((word) => word).join(" ");
  return rows
    .map(({ label, start, end }) => `${secondsAt(start).toFixed(9)}\t${secondsAt(end).toFixed(9)}\t${plain(label)}\n`)
    .join("");
}

/** Sets from the text of a file: JSON, CSV or a label track, by what it looks like. */
function readAnnotation(text, name) {
  const plain = text.replace(/^\uFEFF/, "");
  if (/^\s*[[{]/.test(plain)) return readJson(plain, name);
  if (/^\s*"?(set|label)"?\s*[,;\t|]/i.test(plain)) return readCsv(plain, name);
  if (/^\s*-?[\d.]+\t-?[\d.]+\t/.test(plain)) return readLabels(plain, name);
  throw new Refusal(
    `${name} is neither JSON, nor a table with the header set,start,end, nor a label track; “tsmdbench view SERIES --truth ${name}” reads other formats.`,
  );
}

function readJson(text, name) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Refusal(`${name} is malformed JSON (${error.message}).`);
  }
  const members = Array.isArray(value) ? value.map((motifs, i) => [String(i), motifs]) : Object.entries(value);
  return members.map(([label, motifs]) => {
    if (!Array.isArray(motifs)) throw new Refusal(`${name}, set “${label}”: expected a list of [start, end].`);
    return { label, segments: motifs.map((pair, i) => checkedPair(pair, `${name}, set “${label}”, segment ${i}`)) };
  });
}

function checkedPair(pair, where) {
  const whole = Array.isArray(pair) && pair.length === 2 && pair.every(Number.isSafeInteger);
  if (!whole) throw new Refusal(`${where} is ${JSON.stringify(pair)}; here a segment is [start, end] in samples.`);
  return pair;
}

function readCsv(text, name) {
  const separator = [",", ";", "\t", "|"].find((sign) => text.split("\n", 1)[0].includes(sign));
  const [head, ...rows] = csvRows(text, separator);
  const names = head.map((cell) => cell.trim().toLowerCase());
  const label = names.findIndex((cell) => cell === "set" || cell === "label");
  const [start, end] = [names.indexOf("start"), names.indexOf("end")];
  if (label < 0 || start < 0 || end < 0) throw new Refusal(`${name}: the header must be set,start,end, got ${head.join(",")}.`);
  const marks = rows.map((cells, i) => {
    const bounds = [cells[start], cells[end]].map((cell) => (/^\s*\d+\s*$/.test(cell ?? "") ? Number(cell) : cell));
    return [cells[label] ?? "", checkedPair(bounds, `${name}, row ${i + 2}`)];
  });
  return gathered(marks);
}

/** Rows of cells; a cell in quotes may hold separators, line ends and doubled quotes. */
function csvRows(text, separator) {
  const rows = [];
  let [row, cell, quoted] = [[], "", false];
  const endRow = () => {
    row.push(cell);
    if (row.length > 1 || row[0]) rows.push(row);
    [row, cell] = [[], ""];
  };
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (sign === '"' && !cell) quoted = true;
    else if (sign === separator) {
      row.push(cell);
      cell = "";
    } else if (sign === "\n") endRow();
    else if (sign !== "\r") cell += sign;
  }
  endRow();
  return rows;
}

function readLabels(text, name) {
  if (DATA.rate === null) throw new Refusal(`${name} is in seconds, but the sampling rate of the series is not known.`);
  const offset = DATA.start.stamp ? 0 : DATA.start.value;
  const lines = text.split(/\r?\n/);
  const marks = lines.flatMap((line, i) => {
    if (!line.trim() || line.startsWith("\\")) return [];
    const cells = line.split("\t");
    const [start, end] = cells.slice(0, 2).map((second) => Math.round((Number(second) - offset) * DATA.rate));
    if (cells.length !== 3 || !cells[2].trim()) throw new Refusal(`${name}, line ${i + 1}: expected start, end and label, separated by tabs.`);
    return [[cells[2].trim(), checkedPair([start, end], `${name}, line ${i + 1}`)]];
  });
  return gathered(marks);
}

/** Sets in the order in which their labels come first. */
function gathered(marks) {
  const sets = new Map();
  for (const [label, pair] of marks) {
    if (!sets.has(label)) sets.set(label, { label, segments: [] });
    sets.get(label).segments.push(pair);
  }
  return [...sets.values()];
}
