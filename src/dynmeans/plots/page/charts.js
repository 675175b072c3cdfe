// Small line charts over the steps, under the timeline, with the same horizontal axis.

class LineChart {
  constructor(canvas, note, series, onStep) {
    this.canvas = canvas;
    this.note = note;
    this.series = series; // [{name, values, color, dash}]
    const known = series.flatMap(({ values }) => values.filter((value) => value !== null));
    this.high = known.reduce((a, b) => Math.max(a, b), 0);
    this.low = known.reduce((a, b) => Math.min(a, b), 0);
    if (this.high === this.low) this.high = this.low + 1;
    const { values, step } = ticks(this.low, this.high, 2); // so that the uppermost line of the grid is above all values
    this.high = Math.max(this.high * 1.05, values.at(-1) < this.high ? values.at(-1) + step : this.high);
    canvas.addEventListener("click", (event) => onStep(this.stepAt(event)));
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => showTooltip(null, null));
  }

  stepAt(event) {
    return nearestShown(stepScale(this.canvas.clientWidth).toStep(event.offsetX));
  }

  hover(event) {
    if (nSteps === 0) return;
    const step = this.stepAt(event);
    showTooltip(event, `${nameStep(data.steps.step[step], data.steps.time[step])}\n${this.describe(step).join("\n")}`);
  }

  describe(step) {
    return this.series.map(({ name, values }) => `${name} ${formatNumber(values[step], 5)}`);
  }

  draw(step) {
    const { ctx, width, height } = prepare(this.canvas);
    if (nSteps === 0) return drawEmpty(ctx, width, height, "No steps");
    const bottom = height - 20;
    const toY = (value) => bottom - ((value - this.low) / (this.high - this.low)) * (bottom - 6);
    this.drawLevels(ctx, width, bottom, toY);
    drawStepAxis(ctx, width, bottom);
    const { toPixel } = stepScale(width);
    clipToSteps(ctx, width, height);
    drawCursor(ctx, toPixel(data.steps.step[step]), bottom);
    for (const line of this.series) this.drawSeries(ctx, line, toPixel, toY, step);
    ctx.restore();
    this.note.textContent = this.describe(step).join(", ");
  }

  drawLevels(ctx, width, bottom, toY) {
    const { values, step } = ticks(this.low, this.high, 2);
    ctx.strokeStyle = theme.grid;
    ctx.fillStyle = theme.muted;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const value of values) {
      line(ctx, stepMargin.left, toY(value), width - stepMargin.right, toY(value));
      ctx.fillText(formatTick(value, step), stepMargin.left - 5, toY(value));
    }
  }

  drawSeries(ctx, { values, color, dash }, toPixel, toY, step) {
    ctx.strokeStyle = color();
    ctx.fillStyle = color();
    ctx.lineWidth = stepRange[1] - stepRange[0] > 500 ? 1 : 1.5;
    ctx.setLineDash(dash);
    ctx.beginPath();
    let pen = false;
    values.forEach((value, i) => {
      if (value === null) pen = false;
      else if (pen) ctx.lineTo(toPixel(data.steps.step[i]), toY(value));
      else ctx.moveTo(toPixel(data.steps.step[i]), toY(value));
      pen = value !== null;
    });
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.lineWidth = 1;
    if (values[step] === null) return;
    ctx.beginPath();
    ctx.arc(toPixel(data.steps.step[step]), toY(values[step]), 3, 0, 2 * Math.PI);
    ctx.fill();
  }
}
