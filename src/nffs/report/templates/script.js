// The page reads well without this. It sorts, searches, copies, and moves the threshold.
"use strict";
(() => {
  const all = (query, root = document) => Array.from(root.querySelectorAll(query));
  const find = (id) => document.getElementById(id);
  for (const part of all("[data-script]")) part.hidden = false;
  for (const part of all("[data-no-script]")) part.hidden = true;

  // Sorting: the headers of sortable tables become buttons.
  const key = (row, place) => {
    const text = row.cells[place].textContent.trim();
    const number = Number.parseFloat(text.replace("%", ""));
    return { text: text.toLowerCase(), number: Number.isNaN(number) ? null : number };
  };
  const compare = (a, b, numeric) => {
    if (!numeric) return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
    if (a.number === null || b.number === null) return (a.number === null) - (b.number === null);
    return a.number - b.number;
  };
  const sort = (table, header) => {
    const numeric = !header.matches(".text, .word");
    // Numbers of interest are large ones, but for ranks.
    const first = numeric && header.dataset.first !== "ascending" ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = header.getAttribute("aria-sort") === first ? other : first;
    for (const cell of header.parentElement.cells) cell.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [key(row, header.cellIndex), row]);
    const way = order === "ascending" ? 1 : -1;
    rows.sort(([a], [b]) => {
      if (numeric && (a.number === null || b.number === null)) return compare(a, b, true);
      return way * compare(a, b, numeric);
    });
    body.append(...rows.map(([, row]) => row));
  };
  for (const table of all("table.sortable")) {
    for (const header of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => sort(table, header));
    }
  }

  // Searching.
  for (const tools of all("[data-table]")) {
    const rows = Array.from(find(tools.dataset.table).tBodies[0].rows);
    const [search, only] = [tools.querySelector("[type=search]"), tools.querySelector("[type=checkbox]")];
    const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    const filter = () => {
      const words = search.value.toLowerCase().trim();
      let shown = 0;
      for (const row of rows) {
        const kept = texts.get(row).includes(words) && (!only.checked || row.classList.contains("selected"));
        row.hidden = !kept;
        shown += kept;
      }
      tools.querySelector("output").textContent = `${shown} of ${rows.length} rows`;
    };
    search.addEventListener("input", filter);
    only.addEventListener("change", filter);
    filter();
  }

  // Copying. Old browsers, and pages that may not use the clipboard, go by a selection.
  const bySelection = (source) => {
    const range = document.createRange();
    range.selectNodeContents(source);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return document.execCommand("copy");
  };
  for (const button of all("[data-copy]")) {
    button.addEventListener("click", async () => {
      const source = find(button.dataset.copy);
      let done = true;
      try {
        await navigator.clipboard.writeText(source.textContent);
      } catch {
        done = bySelection(source);
      }
      const label = button.textContent;
      button.textContent = done ? "Copied" : "Select and copy";
      find("said").textContent = done ? "Copied to the clipboard." : "The browser does not allow copying.";
      setTimeout(() => { button.textContent = label; }, 1500);
    });
  }

  // The threshold: a slider, and the line in the chart itself.
  const chart = find("information");
  const slider = find("threshold");
  if (chart && slider) {
    const data = JSON.parse(find("data").textContent);
    const [left, right, low, high] = chart.dataset.scale.split(" ").map(Number);
    const line = chart.querySelector(".threshold");
    const bars = all(".bar", chart).map((bar) => [bar, Number(bar.dataset.low)]);
    const start = slider.value;
    const show = () => {
      const [value, above, selected] = data.steps[Number(slider.value)];
      const place = left + ((value - low) / (high - low)) * (right - left);
      line.setAttribute("transform", `translate(${place.toFixed(1)} 0)`);
      for (const [bar, from] of bars) bar.classList.toggle("above", from >= value - 1e-12);
      const text = `${above} of ${data.features} features lie above ${value.toFixed(4)} nats, ` +
        `${selected} of the ${data.of} selected among them.`;
      // Isolated, so that a name from right to left does not turn the sentence around.
      const below = data.selected.filter(([, mi]) => mi <= value).map(([name]) => `\u2068${name}\u2069`);
      const few = below.slice(0, 5).join(", ") + (below.length > 5 ? ` and ${below.length - 5} more` : "");
      find("threshold-text").textContent = text + (few ? ` Selected, but not above: ${few}.` : "");
      slider.setAttribute("aria-valuetext", text);
      find("threshold-reset").hidden = slider.value === start;
    };
    const move = (to) => { slider.value = to; show(); };
    slider.addEventListener("input", show);
    find("threshold-reset").addEventListener("click", () => { move(start); slider.focus(); });
    const drag = (event) => {
      const box = chart.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
      const value = low + ((at - left) / (right - left)) * (high - low);
      let best = 0;
      data.steps.forEach(([v], i) => {
        if (Math.abs(v - value) < Math.abs(data.steps[best][0] - value)) best = i;
      });
      move(best);
    };
    chart.classList.add("live");
    chart.addEventListener("pointerdown", (event) => {
      chart.setPointerCapture(event.pointerId);
      event.preventDefault();
      drag(event);
    });
    chart.addEventListener("pointermove", (event) => {
      if (chart.hasPointerCapture(event.pointerId)) drag(event);
    });
    show();
  }
})();
