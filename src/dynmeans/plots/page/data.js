// Unpack the data of the page; format numbers and times.

const data = JSON.parse(document.getElementById("data").textContent);

function unpack(base64, Kind) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new Kind(bytes.buffer);
}

// Rows of one step are offsets[step] .. offsets[step + 1]; positions are fractions of the range of the axes.
function unpackRows(packed) {
  const rows = {
    offsets: unpack(packed.offsets, Uint32Array),
    cluster: unpack(packed.cluster, Uint16Array),
    positions: packed.positions.map((column) => Float32Array.from(unpack(column, Uint16Array), (value) => value / 65535)),
    text: packed.text ?? null,
    weight: packed.weight === undefined ? null : unpack(packed.weight, Float32Array),
  };
  rows.begin = (step) => rows.offsets[step];
  rows.end = (step) => (step + 1 < rows.offsets.length ? rows.offsets[step + 1] : rows.cluster.length);
  return rows;
}

const points = unpackRows(data.points);
const centers = unpackRows(data.centers);

// The two axes that are shown, of all axes in the data.
const axes = { chosen: [0, 1], equal: data.axes.equal };
function chooseAxes(x, y) {
  axes.chosen = [x, y];
  [axes.x, axes.y] = [data.axes.labels[x], data.axes.labels[y]];
  axes.box = [data.axes.low[x], data.axes.low[y], data.axes.high[x], data.axes.high[y]];
  for (const rows of [points, centers]) [rows.x, rows.y] = [rows.positions[x], rows.positions[y]];
}
chooseAxes(0, 1);

const clusters = data.clusters;
const nSteps = data.steps.step.length;
const nClusters = clusters.id.length;

// spansOf[k]: [first, last] step of every time that cluster k was active.
const spansOf = Array.from({ length: nClusters }, () => []);
{
  const [owner, first, last] = ["cluster", "first", "last"].map((name) => unpack(data.spans[name], Uint32Array));
  owner.forEach((k, i) => spansOf[k].push([first[i], last[i]]));
}

// Events by step, derived from the lifetimes: {born: [k, ...], revived, asleep, died}.
const events = new Map();
function note(step, kind, k) {
  if (!events.has(step)) events.set(step, { born: [], revived: [], asleep: [], died: [] });
  events.get(step)[kind].push(k);
}
spansOf.forEach((spans, k) => {
  spans.forEach(([first, last], i) => {
    note(first, i === 0 ? "born" : "revived", k);
    if (last < clusters.end[k]) note(last + 1, "asleep", k);
  });
  if (clusters.status[k] === "dead") note(clusters.end[k], "died", k);
});

// Active, asleep or dead; a tentative cluster had points in too few steps to count.
const statusOf = (k) => clusters.status[k] + (clusters.tentative[k] ? ", tentative" : "");

const colorOf = (k) => (k === data.other ? theme.other : data.palette[clusters.color[k]]);

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 20, maximumSignificantDigits: 15 });

function formatCount(value) {
  return grouped.format(Math.round(value * 100) / 100);
}

function formatNumber(value, digits = 4) {
  if (value === null || value === undefined) return "\u2013";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(digits - 1).replace(/\.?0+e/, "e");
  return String(Number(value.toPrecision(digits)));
}

// Format a coordinate with enough digits to distinguish it from others within a spread.
function formatPosition(value, spread) {
  const digits = value ? Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(spread || 10)) + 4 : 0;
  return digits <= 4 ? formatNumber(value) : String(Number(value.toPrecision(Math.min(digits, 10))));
}

function plural(count, word) {
  return `${formatCount(count)} ${word}${count === 1 ? "" : "s"}`;
}

const wholeSeconds = data.steps.time.every((time) => Number.isInteger(time));
const wholeDays = data.time.kind === "datetime" && data.steps.time.every((time) => time % 86400 === 0);

// Decimals of numeric times: enough to distinguish any two steps, and one more.
const gaps = data.steps.time.slice(1).map((time, i) => time - data.steps.time[i]).filter((gap) => gap > 0);
const shortest = Math.min(...gaps);
const decimals = gaps.length > 0 && shortest > 1e-12 ? Math.max(0, 1 - Math.floor(Math.log10(shortest) + 1e-9)) : null;

function formatTime(time) {
  if (data.time.kind !== "datetime") return decimals === null ? formatNumber(time, 7) : String(Number(time.toFixed(decimals)));
  const date = new Date(time * 1000);
  if (Number.isNaN(date.getTime())) return formatNumber(time, 10);
  const text = date.toISOString();
  if (wholeDays) return text.slice(0, 10);
  return text.slice(0, wholeSeconds ? 19 : 23).replace("T", " ").replace(/:00$/, "");
}

function formatAge(age) {
  if (age === null || data.time.kind !== "datetime") return formatNumber(age);
  for (const [unit, seconds] of [["d", 86400], ["h", 3600], ["min", 60]]) {
    if (age >= seconds) return `${formatNumber(age / seconds, 3)} ${unit}`;
  }
  return `${formatNumber(age, 3)} s`;
}

// "step 12", and its time unless time is the step number.
function nameStep(step, time) {
  return data.time.kind === "step" ? `step ${step}` : `step ${step} (${formatTime(time)})`;
}

// Words and examples of a cluster, as additional lines of a tooltip.
function describeTexts(k, examples = true) {
  if (!clusters.words) return "";
  const quoted = examples ? clusters.examples[k].map((text) => `\n\u201c${text}\u201d`).join("") : "";
  return `\n${clusters.words[k]}${quoted}`;
}
