// Shared by all drawings: colors of the theme, canvases at device resolution, axes, the tooltip.

const theme = {};
const darkMode = matchMedia("(prefers-color-scheme: dark)");

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["panel", "ink", "muted", "line", "grid", "accent", "other"]) {
    theme[name] = style.getPropertyValue(`--${name}`).trim();
  }
}
readTheme();

const smallFont = "11px system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif";

// Match the canvas to its size on the screen and clear it; return its context, width and height in CSS pixels.
function prepare(canvas, width = canvas.clientWidth, height = canvas.clientHeight) {
  const ratio = window.devicePixelRatio || 1;
  const wide = Math.round(width * ratio);
  const high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.font = smallFont;
  return { ctx, width, height };
}

// Round values that divide [low, high] into about `count` parts; `minimum` is the smallest step allowed.
function ticks(low, high, count, minimum = 0) {
  const raw = Math.max((high - low) / Math.max(count, 1), minimum);
  if (!(raw > 0) || !Number.isFinite(raw)) return { values: [low], step: 1 };
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(minimum, [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999));
  const values = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) values.push(i * step);
  return { values, step };
}

function formatTick(value, step) {
  const size = Math.abs(value);
  if (size < step * 1e-6) return "0";
  const exact = size < 1e9 && size > 1e3 * step; // large numbers that differ in their last digits
  if ((size >= 1e5 && !exact) || step < 1e-4) return formatNumber(value, 1 + Math.max(0, Math.min(8, Math.round(Math.log10(size / step)) + 1)));
  return value.toFixed(Math.max(0, Math.min(8, -Math.floor(Math.log10(step) + 1e-9))));
}

function line(ctx, x1, y1, x2, y2) {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

function shorten(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 1 && ctx.measureText(`${text.slice(0, end)}\u2026`).width > width) end -= 1;
  return `${text.slice(0, end)}\u2026`;
}

// The horizontal axis of timeline and charts: steps of the run, at the same pixels in all of them.
const stepMargin = { left: 46, right: 12 };
let stepRange = data.range; // the steps that are shown

// Show `count` steps of the run around a step, or all of them.
function viewSteps(count, around) {
  const [first, last] = data.range;
  const begin = Math.max(first, Math.min(last - count + 1, Math.round(around - count / 2)));
  stepRange = [begin, Math.min(last, begin + count - 1)];
}

// Scroll to the part of the run that contains a step.
function followStep(step) {
  if (step < stepRange[0] || step > stepRange[1]) viewSteps(stepRange[1] - stepRange[0] + 1, step);
}

function stepScale(width) {
  const [first, last] = stepRange;
  const unit = Math.max(1, width - stepMargin.left - stepMargin.right) / (last - first + 1);
  return {
    unit,
    toPixel: (step) => stepMargin.left + (step - first + 0.5) * unit,
    toStep: (pixel) => first - 0.5 + (pixel - stepMargin.left) / unit,
  };
}

function drawStepAxis(ctx, width, y) {
  const scale = stepScale(width);
  const label = (step) => (data.time.kind === "step" ? String(step) : formatTime(data.steps.time[nearestShown(step)]));
  const widest = Math.max(...stepRange.map((step) => ctx.measureText(label(step)).width));
  const room = Math.floor((width - stepMargin.left) / Math.max(data.time.kind === "datetime" ? 130 : 70, widest + 20));
  const { values, step: apart } = ticks(stepRange[0], stepRange[1], Math.max(1, room), 1);
  const shown = values.length && values[0] - stepRange[0] < 0.4 * apart ? values : [stepRange[0], ...values];
  ctx.fillStyle = theme.muted;
  ctx.strokeStyle = theme.line;
  ctx.textBaseline = "top";
  let end = -Infinity; // of the last label; a label that would touch it is left out
  for (const step of shown) {
    const x = scale.toPixel(step);
    line(ctx, x, y, x, y + 3);
    const text = label(step);
    const half = ctx.measureText(text).width / 2;
    const middle = Math.max(half, Math.min(x, width - half - 1));
    if (middle - half < end + 4) continue;
    ctx.textAlign = "center";
    ctx.fillText(text, middle, y + 5);
    end = middle + half;
  }
}

// Clip later drawing to the axis: the shown steps may be a part of the run.
function clipToSteps(ctx, width, height) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(stepMargin.left - 3, 0, width - stepMargin.left - stepMargin.right + 6, height);
  ctx.clip();
}

function drawCursor(ctx, x, height) {
  ctx.strokeStyle = theme.accent;
  ctx.lineWidth = 1.5;
  line(ctx, x, 0, x, height);
  ctx.lineWidth = 1;
}

// Index of the shown step that is nearest to a step of the run.
function nearestShown(step) {
  const steps = data.steps.step;
  let low = 0;
  let high = steps.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] < step) low = middle + 1;
    else high = middle;
  }
  return low > 0 && step - steps[low - 1] < steps[low] - step ? low - 1 : low;
}

function drawEmpty(ctx, width, height, text) {
  ctx.fillStyle = theme.muted;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(text, width / 2, height / 2);
}

const tooltip = document.getElementById("tooltip");

function showTooltip(event, text) {
  tooltip.hidden = text === null;
  if (text === null) return;
  tooltip.textContent = text;
  const { width, height } = tooltip.getBoundingClientRect();
  const left = event.clientX + 14 + width > innerWidth ? event.clientX - width - 10 : event.clientX + 14;
  const top = Math.min(event.clientY + 14, innerHeight - height - 4);
  tooltip.style.left = `${Math.max(4, left)}px`;
  tooltip.style.top = `${Math.max(4, top)}px`;
}
