// The points of one step, the centers of its clusters and the trails of the centers.

const trailLength = 10;

class Scatter {
  constructor(canvas, onPick) {
    this.canvas = canvas;
    this.fitMargin();
    this.view = null; // [x0, y0, x1, y1] in fractions of the range of the axes; null for all of it
    this.step = 0;
    this.chosen = null;
    canvas.addEventListener("wheel", (event) => this.zoom(event), { passive: false });
    canvas.addEventListener("dblclick", () => this.setView(null));
    canvas.addEventListener("pointerdown", (event) => this.grab(event));
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => showTooltip(null, null));
    canvas.addEventListener("click", (event) => {
      if (!this.dragged) onPick(this.find(event));
    });
  }

  // Width of the numbers of the vertical axis.
  fitMargin() {
    const [, lowY, , highY] = axes.box;
    const widest = Math.max(...[lowY, highY].map((value) => formatTick(value, (highY - lowY) / 10).length));
    this.margin = { left: Math.max(54, 20 + 6.5 * widest), right: 10, top: 6, bottom: 36 };
  }

  changeAxes() {
    this.fitMargin();
    this.setView(null);
  }

  draw(step, chosen) {
    this.step = step;
    this.chosen = chosen;
    const { ctx, width, height } = prepare(this.canvas);
    this.plot = {
      x: this.margin.left,
      y: this.margin.top,
      w: Math.max(1, width - this.margin.left - this.margin.right),
      h: Math.max(1, height - this.margin.top - this.margin.bottom),
    };
    this.drawAxes(ctx);
    ctx.save();
    ctx.beginPath();
    ctx.rect(this.plot.x, this.plot.y, this.plot.w, this.plot.h);
    ctx.clip();
    this.drawPoints(ctx);
    this.drawTrails(ctx);
    this.drawCenters(ctx);
    ctx.restore();
    if (nSteps === 0) drawEmpty(ctx, width, height, "No points");
    else if (points.cluster.length && points.begin(step) === points.end(step)) drawEmpty(ctx, width, height, "No points in this step");
  }

  window() {
    return this.view ?? this.whole();
  }

  // The whole range with a margin; equal scales if both axes are lengths.
  whole() {
    if (!axes.equal) return [-0.03, -0.04, 1.03, 1.04];
    const [lowX, lowY, highX, highY] = axes.box;
    const scale = 1.07 * Math.max((highX - lowX) / this.plot.w, (highY - lowY) / this.plot.h); // per pixel
    const [x, y] = [(scale * this.plot.w) / (highX - lowX) / 2, (scale * this.plot.h) / (highY - lowY) / 2];
    return [0.5 - x, 0.5 - y, 0.5 + x, 0.5 + y];
  }

  toPixel(x, y) {
    const [x0, y0, x1, y1] = this.window();
    return [
      this.plot.x + ((x - x0) / (x1 - x0)) * this.plot.w,
      this.plot.y + this.plot.h - ((y - y0) / (y1 - y0)) * this.plot.h,
    ];
  }

  drawAxes(ctx) {
    const { x, y, w, h } = this.plot;
    const [x0, y0, x1, y1] = this.window();
    const [lowX, lowY, highX, highY] = axes.box;
    ctx.strokeStyle = theme.grid;
    ctx.fillStyle = theme.muted;
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    const acrossX = highX - lowX;
    const xTicks = ticks(lowX + x0 * acrossX, lowX + x1 * acrossX, w / 90);
    for (const value of xTicks.values) {
      const [px] = this.toPixel((value - lowX) / acrossX, 0);
      line(ctx, px, y, px, y + h);
      ctx.fillText(formatTick(value, xTicks.step), Math.min(px, x + w - 8), y + h + 5);
    }
    ctx.fillText(shorten(ctx, axes.x, w), x + w / 2, y + h + 21);
    if (axes.y) this.drawVerticalAxis(ctx, lowY + y0 * (highY - lowY), lowY + y1 * (highY - lowY), highY - lowY, lowY);
    ctx.strokeStyle = theme.line;
    ctx.strokeRect(x, y, w, h);
    this.turned(ctx, axes.y || "height has no meaning");
  }

  drawVerticalAxis(ctx, from, to, across, low) {
    const { x, w, h } = this.plot;
    const yTicks = ticks(from, to, h / 60);
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const value of yTicks.values) {
      const [, py] = this.toPixel(0, (value - low) / across);
      line(ctx, x, py, x + w, py);
      ctx.fillText(formatTick(value, yTicks.step), x - 5, py);
    }
  }

  turned(ctx, text) {
    ctx.save();
    ctx.translate(7, this.plot.y + this.plot.h / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.fillText(shorten(ctx, text, this.plot.h), 0, 0);
    ctx.restore();
  }

  fade(k) {
    return this.chosen === null || this.chosen === k ? 1 : 0.2;
  }

  drawPoints(ctx) {
    if (nSteps === 0) return;
    const count = points.end(this.step) - points.begin(this.step);
    const radius = count > 250 ? 2.4 : 3.2;
    for (let i = points.begin(this.step); i < points.end(this.step); i += 1) {
      const [px, py] = this.toPixel(points.x[i], points.y[i]);
      ctx.globalAlpha = 0.7 * this.fade(points.cluster[i]);
      ctx.fillStyle = colorOf(points.cluster[i]);
      ctx.beginPath();
      ctx.arc(px, py, radius, 0, 2 * Math.PI);
      ctx.fill();
    }
    ctx.globalAlpha = 1;
  }

  // Centers of the last steps, of clusters that are still remembered; all centers of the chosen cluster.
  drawTrails(ctx) {
    const trails = new Map();
    if (nSteps === 0) return;
    for (let i = centers.begin(this.step); i < centers.end(this.step); i += 1) trails.set(centers.cluster[i], []);
    if (this.chosen !== null) trails.set(this.chosen, []);
    const since = Math.max(0, this.step - trailLength);
    for (let step = this.chosen === null ? since : 0; step <= this.step; step += 1) {
      for (let i = centers.begin(step); i < centers.end(step); i += 1) {
        const k = centers.cluster[i];
        if (step >= since || k === this.chosen) trails.get(k)?.push(this.toPixel(centers.x[i], centers.y[i]));
      }
    }
    ctx.lineWidth = 1.5;
    for (const [k, trail] of trails) this.drawTrail(ctx, k, trail);
    ctx.globalAlpha = 1;
    ctx.lineWidth = 1;
  }

  drawTrail(ctx, k, trail) {
    ctx.strokeStyle = colorOf(k);
    for (let i = 1; i < trail.length; i += 1) {
      ctx.globalAlpha = this.fade(k) * (0.15 + (0.5 * i) / trail.length);
      line(ctx, ...trail[i - 1], ...trail[i]);
    }
  }

  // Active clusters as discs, sleeping ones as rings; ids where they fit, heavy clusters first.
  drawCenters(ctx) {
    const rows = this.centerRows();
    for (const i of [...rows].reverse()) {
      const k = centers.cluster[i];
      const [px, py] = this.toPixel(centers.x[i], centers.y[i]);
      ctx.globalAlpha = this.fade(k);
      ctx.beginPath();
      ctx.arc(px, py, centers.weight[i] > 0 ? 6 : 5, 0, 2 * Math.PI);
      ctx.lineWidth = centers.weight[i] > 0 ? 1.5 : 2;
      ctx.fillStyle = centers.weight[i] > 0 ? colorOf(k) : theme.panel;
      ctx.strokeStyle = centers.weight[i] > 0 ? theme.panel : colorOf(k);
      ctx.fill();
      ctx.stroke();
    }
    this.drawIds(ctx, rows);
    ctx.globalAlpha = 1;
    ctx.lineWidth = 1;
  }

  drawIds(ctx, rows) {
    const taken = [];
    ctx.font = `600 ${smallFont}`;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.lineJoin = "round";
    for (const i of rows.slice(0, 400)) {
      const text = String(clusters.id[centers.cluster[i]]);
      const [px, py] = this.toPixel(centers.x[i], centers.y[i]);
      const box = [px + 8, py - 7, px + 10 + ctx.measureText(text).width, py + 7];
      if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      taken.push(box);
      ctx.globalAlpha = this.fade(centers.cluster[i]);
      ctx.lineWidth = 3.5;
      ctx.strokeStyle = theme.panel;
      ctx.strokeText(text, box[0] + 1, py);
      ctx.fillStyle = centers.weight[i] > 0 ? theme.ink : theme.muted;
      ctx.fillText(text, box[0] + 1, py);
    }
    ctx.font = smallFont;
  }

  // Rows of the centers of this step: the chosen one first, then by weight.
  centerRows() {
    if (nSteps === 0) return [];
    const begin = centers.begin(this.step);
    const rows = Array.from({ length: centers.end(this.step) - begin }, (_, i) => begin + i);
    const rank = (i) => (centers.cluster[i] === this.chosen ? Infinity : centers.weight[i]);
    return rows.sort((a, b) => (rank(a) === rank(b) ? a - b : rank(b) - rank(a)));
  }

  // Cluster under the pointer: the nearest center, else the nearest point; null if there is none.
  find(event) {
    if (nSteps === 0) return null;
    const row = this.nearest(centers, event, 10);
    if (row !== null) return centers.cluster[row];
    const point = this.nearest(points, event, 7);
    return point === null ? null : points.cluster[point];
  }

  // Row of a table nearest to the pointer, null if none is near.
  nearest(table, event, reach) {
    let best = reach;
    let found = null;
    for (let i = table.begin(this.step); i < table.end(this.step); i += 1) {
      const [px, py] = this.toPixel(table.x[i], table.y[i]);
      const distance = Math.hypot(px - event.offsetX, py - event.offsetY);
      if (distance < best && table.cluster[i] !== data.other) [best, found] = [distance, i];
    }
    return found;
  }

  hover(event) {
    const k = event.buttons ? null : this.find(event);
    if (k === null) return showTooltip(event, null);
    const point = this.nearest(centers, event, 10) === null && points.text ? this.nearest(points, event, 7) : null;
    showTooltip(event, point === null ? this.describe(k) : `\u201c${points.text[point]}\u201d\n${this.describe(k, false)}`);
  }

  describe(k, examples = true) {
    const about = describeTexts(k, examples);
    for (let i = centers.begin(this.step); i < centers.end(this.step); i += 1) {
      if (centers.cluster[i] === k) {
        const state = centers.weight[i] > 0 ? `${formatCount(centers.weight[i])} in this step` : "asleep";
        return `Cluster ${clusters.id[k]}\n${state}\nborn in ${nameStep(clusters.born[k], clusters.bornTime[k])}${about}`;
      }
    }
    return `Cluster ${clusters.id[k]}${about}`;
  }

  setView(view) {
    this.view = view;
    this.draw(this.step, this.chosen);
  }

  zoom(event) {
    event.preventDefault();
    const [x0, y0, x1, y1] = this.window();
    const factor = Math.exp(Math.max(-0.5, Math.min(0.5, event.deltaY * 0.002)));
    const x = x0 + ((event.offsetX - this.plot.x) / this.plot.w) * (x1 - x0);
    const y = y1 - ((event.offsetY - this.plot.y) / this.plot.h) * (y1 - y0);
    const wide = (x1 - x0) * factor;
    const whole = this.whole();
    if (wide > whole[2] - whole[0]) this.setView(null);
    else if (wide > 1e-3) this.setView([x + (x0 - x) * factor, y + (y0 - y) * factor, x + (x1 - x) * factor, y + (y1 - y) * factor]);
  }

  grab(event) {
    this.dragged = false;
    if (this.view === null) return;
    const start = [event.clientX, event.clientY];
    const [x0, y0, x1, y1] = this.view;
    this.canvas.setPointerCapture(event.pointerId);
    const move = (next) => {
      const dx = ((next.clientX - start[0]) / this.plot.w) * (x1 - x0);
      const dy = ((next.clientY - start[1]) / this.plot.h) * (y1 - y0);
      this.dragged ||= Math.hypot(next.clientX - start[0], next.clientY - start[1]) > 3;
      this.setView([x0 - dx, y0 + dy, x1 - dx, y1 + dy]);
    };
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", () => this.canvas.removeEventListener("pointermove", move), { once: true });
  }
}
