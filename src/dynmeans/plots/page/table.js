// The table of clusters. Only the visible rows are in the page, so that thousands of clusters stay fast.

const statusOrder = { active: 0, asleep: 1, dead: 2 };

// With texts, words replace the coordinates, which mean little for embeddings.
const shownFeatures = clusters.words && clusters.nFeatures > clusters.features.length ? [] : clusters.features;

const columns = [
  { name: "id", value: (k) => clusters.id[k], left: true },
  { name: "status", value: (k) => statusOrder[clusters.status[k]] + (clusters.tentative[k] ? 0.5 : 0), text: statusOf, left: true },
  { name: "born", hint: "time of the first step with points", value: (k) => clusters.born[k], text: (k) => formatTime(clusters.bornTime[k]) },
  { name: "last seen", hint: "time of the last step with points", value: (k) => clusters.seen[k], text: (k) => formatTime(clusters.seenTime[k]) },
  { name: "steps seen", hint: "steps with points", value: (k) => clusters.stepsSeen[k], text: (k) => formatCount(clusters.stepsSeen[k]) },
  { name: "size", hint: "points, or their weight, over its lifetime", value: (k) => clusters.size[k], text: (k) => formatCount(clusters.size[k]) },
  {
    name: "age",
    hint: "time since it was last seen",
    value: (k) => (clusters.status[k] === "dead" ? Infinity : clusters.age[k]),
    text: (k) => (clusters.status[k] === "dead" ? "\u2013" : formatAge(clusters.age[k])),
  },
  ...(clusters.words
    ? [
        { name: "words", hint: "words that set it apart", value: (k) => clusters.words[k], left: true, wide: true },
        { name: "example", hint: "row nearest to the center", value: (k) => clusters.examples[k][0] ?? "", left: true, wide: true },
      ]
    : []),
  ...shownFeatures.map((name, i) => {
    const values = clusters.center.map((center) => center[i]).filter(Number.isFinite);
    const spread = values.length ? Math.max(...values) - Math.min(...values) : 0;
    return {
      name,
      hint: `last center, ${name}`,
      value: (k) => clusters.center[k][i],
      text: (k) => formatPosition(clusters.center[k][i], spread),
    };
  }),
];
if (clusters.nFeatures > shownFeatures.length && !clusters.words) {
  const hidden = clusters.nFeatures - shownFeatures.length;
  columns.push({ name: `+ ${plural(hidden, "feature")}`, value: (k) => clusters.id[k], text: () => "\u2026" });
}

class Table {
  constructor(scroller, onPick) {
    this.scroller = scroller;
    this.body = document.querySelector("#table tbody");
    this.rowHeight = 28;
    this.order = clusters.id.map((_, k) => k);
    this.sorted = { column: 0, sign: 1 };
    this.chosen = null;
    this.buildHead();
    scroller.addEventListener("scroll", () => this.draw(this.chosen));
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr[data-cluster]");
      if (row) onPick(Number(row.dataset.cluster));
    });
  }

  buildHead() {
    const row = document.querySelector("#table thead").insertRow();
    this.heads = columns.map((column, c) => {
      const head = document.createElement("th");
      const button = document.createElement("button");
      head.scope = "col";
      head.className = column.left ? "left" : "";
      button.type = "button";
      button.textContent = column.name.length > 24 ? `${column.name.slice(0, 23)}\u2026` : column.name;
      button.title = column.hint ?? "";
      button.addEventListener("click", () => this.sort(c));
      head.append(button);
      row.append(head);
      return head;
    });
    this.heads[0].ariaSort = "ascending";
  }

  sort(c) {
    this.heads[this.sorted.column].ariaSort = null;
    this.sorted = { column: c, sign: this.sorted.column === c ? -this.sorted.sign : 1 };
    this.heads[c].ariaSort = this.sorted.sign > 0 ? "ascending" : "descending";
    const key = clusters.id.map((_, k) => columns[c].value(k) ?? Infinity);
    this.order.sort((a, b) => (key[a] === key[b] ? a - b : this.sorted.sign * (key[a] < key[b] ? -1 : 1)));
    this.scroller.scrollTop = 0;
    this.draw(this.chosen);
  }

  draw(chosen) {
    this.chosen = chosen;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / this.rowHeight) - 10);
    const last = Math.min(nClusters, first + Math.ceil((this.scroller.clientHeight || 400) / this.rowHeight) + 20);
    const rows = this.order.slice(first, last).map((k) => this.row(k));
    if (nClusters === 0) rows.push(this.emptyRow());
    this.body.replaceChildren(this.gap(first), ...rows, this.gap(nClusters - last));
  }

  gap(count) {
    const row = document.createElement("tr");
    row.style.height = `${count * this.rowHeight}px`;
    return row;
  }

  emptyRow() {
    const row = document.createElement("tr");
    const cell = row.insertCell();
    cell.className = "empty";
    cell.colSpan = columns.length;
    cell.textContent = "No cluster was born";
    return row;
  }

  row(k) {
    const row = document.createElement("tr");
    row.dataset.cluster = k;
    row.className = k === this.chosen ? "chosen" : "";
    for (const column of columns) {
      const cell = row.insertCell();
      cell.className = [column.left ? "left" : "", column.wide ? "wide" : ""].join(" ").trim();
      if (column === columns[0]) cell.append(colorDot(k));
      cell.append(column.text ? column.text(k) : String(column.value(k)));
      if (column.wide) cell.title = cell.textContent;
    }
    if (clusters.status[k] === "dead") row.cells[1].classList.add("dim");
    return row;
  }

  reveal(k) {
    const y = this.order.indexOf(k) * this.rowHeight;
    const { scrollTop, clientHeight } = this.scroller;
    if (y < scrollTop || y + 2 * this.rowHeight > scrollTop + clientHeight) this.scroller.scrollTop = y - clientHeight / 2;
  }
}

function colorDot(k) {
  const dot = document.createElement("span");
  dot.className = clusters.status[k] === "active" ? "dot" : "dot hollow";
  dot.style.background = colorOf(k);
  dot.style.borderColor = colorOf(k);
  return dot;
}
