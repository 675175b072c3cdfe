// The lifetimes of the clusters: a bar while active, a dashed line while asleep. Only visible lanes are drawn.

const minRoom = 60; // pixels for words after a bar

class Timeline {
  constructor(scroller, onStep, onPick) {
    this.scroller = scroller;
    this.canvas = document.getElementById("timeline");
    this.axis = document.getElementById("timeline-axis");
    this.space = document.getElementById("timeline-space");
    this.lanes = [];
    clusters.lane.forEach((lane, k) => (this.lanes[lane] ??= []).push(k));
    document.getElementById("lanes-note").textContent =
      this.lanes.length < nClusters ? "Clusters whose lifetimes do not overlap share a lane." : "";
    scroller.addEventListener("scroll", () => this.redraw());
    this.canvas.addEventListener("pointermove", (event) => showTooltip(event, this.describe(this.find(event))));
    this.canvas.addEventListener("pointerleave", () => showTooltip(null, null));
    this.canvas.addEventListener("click", (event) => {
      onStep(nearestShown(stepScale(this.width).toStep(event.offsetX)));
      onPick(this.find(event));
    });
  }

  redraw() {
    this.draw(this.step, this.chosen);
  }

  draw(step, chosen) {
    this.step = step;
    this.chosen = chosen;
    const high = this.scroller.clientHeight;
    this.width = this.scroller.clientWidth;
    this.laneHeight = Math.max(15, Math.min(40, Math.floor(high / Math.max(1, this.lanes.length))));
    const total = this.laneHeight * this.lanes.length;
    this.canvas.style.height = `${high}px`;
    this.space.style.height = `${Math.max(0, total - high)}px`;
    const { ctx, width } = prepare(this.canvas, this.width, high);
    if (nClusters === 0) drawEmpty(ctx, width, high, "No cluster was born");
    this.scale = stepScale(width);
    const top = this.scroller.scrollTop;
    const last = Math.min(this.lanes.length, Math.ceil((top + high) / this.laneHeight));
    clipToSteps(ctx, width, high);
    for (let lane = Math.floor(top / this.laneHeight); lane < last; lane += 1) {
      const y = (lane + 0.5) * this.laneHeight - top;
      for (const k of this.lanes[lane]) {
        if (clusters.end[k] >= stepRange[0] && clusters.born[k] <= stepRange[1]) this.drawLife(ctx, k, y);
      }
    }
    ctx.globalAlpha = 0.8;
    if (nSteps > 0) drawCursor(ctx, this.scale.toPixel(data.steps.step[step]), high);
    ctx.restore();
    this.drawAxis();
  }

  drawAxis() {
    const { ctx } = prepare(this.axis);
    ctx.strokeStyle = theme.line;
    line(ctx, stepMargin.left, 0.5, this.width - stepMargin.right, 0.5);
    drawStepAxis(ctx, this.width, 0);
  }

  drawLife(ctx, k, y) {
    const { toPixel, unit } = this.scale;
    const spans = spansOf[k];
    const thick = Math.min(16, this.laneHeight - 4);
    ctx.globalAlpha = this.chosen === null || this.chosen === k ? 1 : 0.18;
    ctx.strokeStyle = ctx.fillStyle = colorOf(k);
    spans.forEach(([first, last], i) => {
      const wide = Math.max(1.5, (last - first + 1) * unit);
      ctx.beginPath();
      ctx.roundRect(toPixel(first) - unit / 2, y - thick / 2, wide, thick, Math.min(3, wide / 2));
      ctx.lineWidth = 1.5;
      if (clusters.tentative[k]) ctx.stroke();
      else ctx.fill();
      this.drawSleep(ctx, toPixel(last) + unit / 2, this.sleepEnd(k, i), y);
    });
    this.drawMarks(ctx, k, y, thick);
  }

  // Pixel where the sleep after span i of cluster k ends: its revival, its death, or the last step.
  sleepEnd(k, i) {
    const { toPixel, unit } = this.scale;
    if (i + 1 < spansOf[k].length) return toPixel(spansOf[k][i + 1][0]) - unit / 2;
    return toPixel(clusters.end[k]) + (clusters.status[k] === "dead" ? 0 : unit / 2);
  }

  drawSleep(ctx, from, to, y) {
    ctx.lineWidth = 1.5;
    ctx.setLineDash([3, 3]);
    if (to - from >= 1) line(ctx, from, y, to, y);
    ctx.setLineDash([]);
    ctx.lineWidth = 1;
  }

  // Marks only where they fit: otherwise they would hide the lifetimes.
  drawMarks(ctx, k, y, thick) {
    const { toPixel, unit } = this.scale;
    const spans = spansOf[k];
    const begin = (i) => toPixel(spans[i][0]) - unit / 2;
    const wide = (i) => (spans[i][1] - spans[i][0] + 1) * unit;
    for (let i = 1; i < spans.length; i += 1) {
      if (wide(i) >= 7 && begin(i) - begin(i - 1) >= 10) this.markReturn(ctx, begin(i), y, thick);
    }
    if (spans.length && wide(0) >= 7) this.markBirth(ctx, begin(0), y, colorOf(k));
    spans.some((_, i) => {
      const x = Math.max(begin(i), stepMargin.left) + 8;
      return this.writeId(ctx, k, x, y, begin(i) + wide(i) - x - 2); // in the first bar that is long enough
    });
    if (clusters.words && spans.length) this.writeWords(ctx, k, y);
    const end = toPixel(clusters.end[k]);
    if (clusters.status[k] === "dead" && end - toPixel(clusters.seen[k]) >= 5) this.markDeath(ctx, end, y);
  }

  markBirth(ctx, x, y, color) {
    ctx.beginPath();
    ctx.arc(x + 2, y, 3.5, 0, 2 * Math.PI);
    ctx.fillStyle = theme.panel;
    ctx.fill();
    ctx.lineWidth = 2;
    ctx.strokeStyle = color;
    ctx.stroke();
  }

  markReturn(ctx, x, y, thick) {
    const half = Math.min(5, thick / 2);
    ctx.beginPath();
    ctx.moveTo(x + 1, y - half);
    ctx.lineTo(x + 1 + half, y + half);
    ctx.lineTo(x + 1 - half, y + half);
    ctx.closePath();
    ctx.fillStyle = theme.ink;
    ctx.lineWidth = 1;
    ctx.strokeStyle = theme.panel;
    ctx.fill();
    ctx.stroke();
  }

  markDeath(ctx, x, y) {
    ctx.strokeStyle = theme.ink;
    ctx.lineWidth = 1.5;
    line(ctx, x - 3, y - 3, x + 3, y + 3);
    line(ctx, x - 3, y + 3, x + 3, y - 3);
    ctx.lineWidth = 1;
  }

  writeId(ctx, k, x, y, room) {
    const id = String(clusters.id[k]);
    if (ctx.measureText(id).width > room) return false;
    const isBehind = clusters.words && !this.fitsInside(ctx, k) && this.roomBehind(k) >= minRoom;
    const text = clusters.words && !isBehind ? shorten(ctx, `${id}  ${clusters.words[k]}`, room) : id;
    ctx.fillStyle = clusters.tentative[k] ? theme.ink : inkOn(colorOf(k));
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.fillText(text, x, y + 0.5);
    return true;
  }

  // Words that do not fit into the first bar are written after it, over the sleep that follows.
  writeWords(ctx, k, y) {
    if (this.fitsInside(ctx, k) || this.roomBehind(k) < minRoom) return;
    const text = shorten(ctx, clusters.words[k], this.roomBehind(k));
    const x = this.barEnd(k) + 5;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.fillStyle = theme.panel;
    ctx.fillRect(x - 2, y - 6, ctx.measureText(text).width + 4, 12);
    ctx.fillStyle = theme.ink;
    ctx.fillText(text, x, y + 0.5);
  }

  barEnd(k) {
    return this.scale.toPixel(spansOf[k][0][1]) + this.scale.unit / 2;
  }

  roomBehind(k) {
    return this.sleepEnd(k, 0) - this.barEnd(k) - 11;
  }

  fitsInside(ctx, k) {
    const begin = Math.max(this.scale.toPixel(spansOf[k][0][0]) - this.scale.unit / 2, stepMargin.left);
    return ctx.measureText(`${clusters.id[k]}  ${clusters.words[k]}`).width <= this.barEnd(k) - begin - 10;
  }

  find(event) {
    const lane = this.lanes[Math.floor((event.offsetY + this.scroller.scrollTop) / this.laneHeight)] ?? [];
    const distance = (k) => {
      const [from, to] = [this.scale.toPixel(clusters.born[k]), this.scale.toPixel(clusters.end[k])];
      return Math.max(from - this.scale.unit / 2 - event.offsetX, event.offsetX - to - this.scale.unit / 2);
    };
    const near = lane.filter((k) => distance(k) < 5).sort((a, b) => distance(a) - distance(b));
    return near.length ? near[0] : null;
  }

  describe(k) {
    if (k === null) return null;
    const sleeps = spansOf[k].length - 1;
    return [
      `Cluster ${clusters.id[k]} (${statusOf(k)})`,
      `born in ${nameStep(clusters.born[k], clusters.bornTime[k])}`,
      `last seen in ${nameStep(clusters.seen[k], clusters.seenTime[k])}`,
      clusters.status[k] === "dead" ? `died in step ${clusters.end[k]}` : null,
      sleeps ? `came back ${["", "once", "twice"][sleeps] ?? `${formatCount(sleeps)} times`}` : null,
      `size ${formatCount(clusters.size[k])}`,
    ].filter((part) => part !== null).join("\n") + describeTexts(k);
  }

  reveal(k) {
    const y = clusters.lane[k] * this.laneHeight;
    const { scrollTop, clientHeight } = this.scroller;
    if (y < scrollTop || y + this.laneHeight > scrollTop + clientHeight) this.scroller.scrollTop = y - clientHeight / 2;
  }
}

// Black or white, whichever has more contrast with a color.
function inkOn(color) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#000000" : "#ffffff";
}
