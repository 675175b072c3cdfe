// The page: the current step and the chosen cluster, and the controls and drawings that use them.

const element = (id) => document.getElementById(id);
const state = { step: lastFilled(), chosen: null, timer: null };

// The last step with points.
function lastFilled() {
  for (let step = nSteps - 1; step > 0; step -= 1) if (points.end(step) > points.begin(step)) return step;
  return points.cluster.length ? 0 : nSteps - 1;
}

const scatter = new Scatter(element("scatter"), choose);
const timeline = new Timeline(element("timeline-scroll"), setStep, (k) => k !== null && choose(k, true));
const countChart = new LineChart(
  element("count-chart"),
  element("count-note"),
  [
    { name: "remembered", values: data.steps.remembered, color: () => theme.muted, dash: [4, 3] },
    { name: "active", values: data.steps.awake, color: () => theme.accent, dash: [] },
  ],
  setStep,
);
const costChart = new LineChart(
  element("cost-chart"),
  element("cost-note"),
  [{ name: "cost", values: data.steps.cost, color: () => theme.accent, dash: [] }],
  setStep,
);
const table = new Table(element("table-scroll"), (k) => {
  choose(k);
  if (state.chosen === k) showLife(k);
});

function setStep(step) {
  const wanted = Math.max(0, Math.min(nSteps - 1, Math.round(step)));
  if (!Number.isFinite(wanted) || nSteps === 0) return;
  state.step = wanted;
  followStep(data.steps.step[wanted]);
  requestDraw();
}

// Choose a cluster; choosing it again, or null, cancels the choice.
function choose(k, keep = false) {
  state.chosen = k === state.chosen && !keep ? null : k;
  if (state.chosen !== null) {
    timeline.reveal(state.chosen);
    table.reveal(state.chosen);
  }
  requestDraw();
}

// Go to the lifetime of a cluster if the current step is outside of it.
function showLife(k) {
  const now = data.steps.step[state.step];
  if (now < clusters.born[k]) setStep(nearestShown(clusters.born[k]));
  else if (now > clusters.seen[k]) setStep(nearestShown(clusters.seen[k]));
}

let drawRequested = false;
function requestDraw() {
  if (drawRequested) return;
  drawRequested = true;
  requestAnimationFrame(() => {
    drawRequested = false;
    draw();
  });
}

function draw() {
  scatter.draw(state.step, state.chosen);
  timeline.draw(state.step, state.chosen);
  countChart.draw(state.step);
  costChart.draw(state.step);
  table.draw(state.chosen);
  drawLabels();
}

function drawLabels() {
  element("slider").value = state.step;
  if (nSteps === 0) {
    element("step-label").textContent = "No steps";
    return;
  }
  const { step, time, rows, awake: active, remembered } = data.steps;
  const label = `Step ${formatCount(step[state.step])} of ${formatCount(data.range[1])}`;
  const zone = data.time.kind === "datetime" ? " UTC" : "";
  const dated = data.time.kind === "step" ? "" : ` \u00b7 ${data.time.name} ${formatTime(time[state.step])}${zone}`;
  element("step-label").textContent = label + dated;
  const shown = points.end(state.step) - points.begin(state.step);
  const total = rows[state.step];
  element("points-note").textContent =
    `${shown < total ? `${formatCount(shown)} of ` : ""}${plural(total, "point")}, ` +
    `${formatCount(active[state.step])} active, ${formatCount(remembered[state.step] - active[state.step])} asleep`;
  if (birthCost) birthCost.textContent = formatNumber(data.birthCost[state.step], 5);
  drawEvents();
}

// Show the events since the previous shown step.
function drawEvents() {
  const target = element("events");
  const before = state.step > 0 ? data.steps.step[state.step - 1] : -Infinity;
  const found = { born: [], revived: [], asleep: [], died: [] };
  for (let step = Math.max(before + 1, data.range[0]); step <= data.steps.step[state.step]; step += 1) {
    const here = events.get(step) ?? {};
    for (const kind of Object.keys(here)) found[kind].push(...here[kind]);
  }
  target.replaceChildren();
  const words = { born: "born", revived: "revived", asleep: "fell asleep", died: "died" };
  for (const [kind, members] of Object.entries(found)) {
    if (members.length === 0) continue;
    const ids = document.createElement("b");
    ids.textContent = members.slice(0, 8).map((k) => clusters.id[k]).join(", ") + (members.length > 8 ? ` and ${members.length - 8} more` : "");
    target.append(target.childNodes.length ? " \u00b7 " : "", `${words[kind]} `, ids);
  }
  if (!target.childNodes.length) target.textContent = "No births, revivals, sleeps or deaths.";
  target.title = target.textContent;
}

function play(on) {
  clearInterval(state.timer);
  state.timer = null;
  if (on && nSteps > 1) {
    if (state.step === nSteps - 1) setStep(0);
    state.timer = setInterval(() => (state.step < nSteps - 1 ? setStep(state.step + 1) : play(false)), playDelay);
  }
  element("play").textContent = state.timer === null ? "\u25b6" : "\u275a\u275a";
  element("play").ariaLabel = state.timer === null ? "Play" : "Pause";
}
const playDelay = Math.max(50, Math.min(400, 20000 / Math.max(1, nSteps)));

let birthCost = null; // where the birth cost of the current step is shown

function addParameter(name, value) {
  const pair = document.createElement("div");
  const term = document.createElement("dt");
  const detail = document.createElement("dd");
  term.textContent = name;
  detail.textContent = value;
  pair.append(term, detail);
  element("parameters").append(pair);
  return detail;
}

// Add one selection per axis if there are more than two axes.
function fillAxes() {
  if (data.axes.labels.length < 3) return;
  const choices = [0, 1].map((side) => {
    const choice = document.createElement("select");
    choice.ariaLabel = side === 0 ? "Horizontal axis" : "Vertical axis";
    data.axes.names.forEach((name, i) => choice.add(new Option(name, i, false, i === side)));
    choice.addEventListener("change", () => {
      chooseAxes(...choices.map((each) => Number(each.value)));
      scatter.changeAxes();
      choice.blur();
    });
    element("axes").append(choice);
    return choice;
  });
}

function fillHeader() {
  element("tentative-key").hidden = !clusters.tentative.some(Boolean);
  element("title").textContent = data.title;
  const { steps, rows, clusters: count } = data.counts;
  element("counts").textContent = [plural(steps, "step"), plural(rows, "row"), plural(count, "cluster")].join(" \u00b7 ");
  element("notes").textContent = data.notes.join(" ");
  for (const [name, value] of data.parameters) addParameter(name, value);
  if (data.birthCost.some((cost) => cost !== null)) birthCost = addParameter("birth cost in force", "");
  element("footer").textContent = `dynmeans ${data.version}`;
}

// Fill the selection of how many steps the timeline and the charts show; hide it for short runs.
function fillZoom() {
  const total = data.range[1] - data.range[0] + 1;
  const counts = [1000, 300, 100, 30].filter((count) => count < total);
  element("zoom").hidden = counts.length === 0;
  for (const count of [total, ...counts]) {
    element("zoom").add(new Option(count === total ? "all steps" : `${count} steps`, count));
  }
}

const keys = {
  ArrowLeft: () => setStep(state.step - 1),
  ArrowRight: () => setStep(state.step + 1),
  Home: () => setStep(0),
  End: () => setStep(nSteps - 1),
  " ": () => play(state.timer === null),
  Escape: () => choose(null),
};

document.addEventListener("keydown", (event) => {
  const action = keys[event.key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " " && event.target.closest("button")) return; // the button handles it
  event.preventDefault();
  action();
});
element("play").addEventListener("click", () => play(state.timer === null));
element("back").addEventListener("click", () => setStep(state.step - 1));
element("next").addEventListener("click", () => setStep(state.step + 1));
element("zoom").addEventListener("change", (event) => {
  viewSteps(Number(event.target.value), data.steps.step[state.step]);
  event.target.blur(); // the arrow keys belong to the slider
  requestDraw();
});
element("slider").addEventListener("input", (event) => setStep(Number(event.target.value)));
darkMode.addEventListener("change", () => {
  readTheme();
  requestDraw();
});
new ResizeObserver(requestDraw).observe(document.querySelector("main"));

element("slider").max = Math.max(0, nSteps - 1);
element("slider").disabled = nSteps < 2;
fillHeader();
fillAxes();
fillZoom();
play(false);
draw();

window.dynmeansReport = {
  steps: nSteps,
  setStep,
  choose,
  get step() {
    return state.step;
  },
  get chosen() {
    return state.chosen;
  },
};
