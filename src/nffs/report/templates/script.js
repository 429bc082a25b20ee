// The page reads well without this. It picks sizes, shows tips, sorts, searches, copies, and moves
// the threshold.
"use strict";
(() => {
  const all = (query, root = document) => Array.from(root.querySelectorAll(query));
  const find = (id) => document.getElementById(id);
  const fixed = (value) => value.toFixed(4).replace(/^-(?=[0.]+$)/, "");
  for (const part of all("[data-script]")) part.hidden = false;
  for (const part of all("[data-no-script]")) part.hidden = true;
  const data = JSON.parse(find("data").textContent);

  // The size: a slider over the front. The page is written for the chosen one; that stays as it is.
  const size = find("size");
  if (size && data.picks) {
    const { steps, names, step: chosen } = data.picks;
    const marks = all("#front-chart .pick");
    const ring = document.querySelector("#front-chart .picked");
    const list = find("picked-names").firstElementChild;
    const chip = (text, mark) => {
      const item = document.createElement("li");
      const name = document.createElement("bdi");
      name.textContent = text;
      if (mark) item.className = "seldom";
      item.append(name);
      return item;
    };
    const show = () => {
      const number = Number(size.value);
      const step = steps[number];
      const isChosen = number === chosen;
      const count = step.size.toLocaleString("en");
      find("pick-size").textContent = count;
      find("pick-score").textContent = fixed(step.score);
      const [low, high] = step.interval || [];
      find("pick-interval").textContent = step.interval ? `95 % interval ${fixed(low)} to ${fixed(high)}` : "";
      find("pick-verdict").textContent = step.verdict || "";
      find("pick-mean").textContent = step.mean_of || "";
      find("pick-mean").hidden = !step.mean_of;
      step.code.forEach((text, i) => { find(`code-${i + 1}`).textContent = text; });
      for (const part of [find("pick-mark"), find("chosen-names"), find("listing")]) if (part) part.hidden = !isChosen;
      find("picked-names").hidden = isChosen;
      find("pick-reset").hidden = isChosen;
      list.replaceChildren(...step.names.map((i) => chip(...names[i])));
      if (step.n_more) {
        const more = step.n_more.toLocaleString("en");
        list.append(chip(step.names.length ? `and ${more} more` : `${more} features`));
      }
      for (const end of ["cx", "cy"]) ring.setAttribute(end, marks[number].getAttribute(end));
      size.setAttribute("aria-valuetext", `${count} ${step.size === 1 ? "feature" : "features"}, ${fixed(step.score)}`);
    };
    const move = (to) => { size.value = to; show(); };
    size.addEventListener("input", show);
    find("pick-reset").addEventListener("click", () => { move(chosen); size.focus(); });
    for (const mark of marks) mark.addEventListener("click", () => move(mark.dataset.step));
    show();
  }

  // Tips: of the mark nearest to the pointer, a finger or, in a chart that has the focus, the arrow keys.
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const NEAR = 24;
  for (const drawing of all("svg[role=img]")) {
    const marks = all("[data-tip]", drawing);
    if (!marks.length) continue;
    let at = -1;
    const hide = () => {
      if (marks[at]) marks[at].classList.remove("tipped");
      tip.hidden = true;
    };
    const say = (place) => {
      hide();
      at = place;
      marks[at].classList.add("tipped");
      tip.textContent = marks[at].dataset.tip;
      tip.hidden = false;
      const box = marks[at].getBoundingClientRect();
      const [width, height] = [tip.offsetWidth, tip.offsetHeight];
      const left = Math.min(Math.max(8, box.left + box.width / 2 - width / 2), document.documentElement.clientWidth - width - 8);
      const top = box.top > height + 12 ? box.top - height - 8 : box.bottom + 8;
      tip.style.left = `${left + scrollX}px`;
      tip.style.top = `${top + scrollY}px`;
    };
    const nearest = (event) => {
      let [best, least] = [-1, NEAR];
      marks.forEach((mark, place) => {
        const box = mark.getBoundingClientRect();
        const aside = Math.max(box.left - event.clientX, 0, event.clientX - box.right);
        const above = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
        const away = Math.hypot(aside, above);
        if (away < least || (away === 0 && least === 0)) [best, least] = [place, away];
      });
      return best;
    };
    const point = (event) => {
      const found = nearest(event);
      if (found < 0) hide();
      else say(found);
    };
    drawing.tabIndex = 0;
    drawing.addEventListener("pointermove", point);
    drawing.addEventListener("pointerdown", point);
    drawing.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
    drawing.addEventListener("focusout", hide);
    drawing.addEventListener("keydown", (event) => {
      const last = marks.length - 1;
      const next = at < 0 ? 0 : Math.min(last, at + 1);
      const keys = {
        ArrowRight: next, ArrowDown: next, Home: 0, End: last,
        ArrowLeft: Math.max(0, at - 1), ArrowUp: Math.max(0, at - 1),
      };
      if (event.key === "Escape") hide();
      if (!(event.key in keys)) return;
      event.preventDefault();
      say(keys[event.key]);
      find("said").textContent = marks[at].dataset.tip;
    });
  }

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
    const { steps, features, selected: kept, of } = data.threshold;
    const [left, right, low, high] = chart.dataset.scale.split(" ").map(Number);
    const line = chart.querySelector(".threshold");
    const bars = all(".bar", chart).map((bar) => [bar, Number(bar.dataset.low)]);
    const start = slider.value;
    const show = () => {
      const [value, above, selected] = steps[Number(slider.value)];
      const place = left + ((value - low) / (high - low)) * (right - left);
      line.setAttribute("transform", `translate(${place.toFixed(1)} 0)`);
      for (const [bar, from] of bars) bar.classList.toggle("above", from >= value - 1e-12);
      const [shown, every, inside, chosen] = [above, features, selected, of].map((n) => n.toLocaleString("en"));
      const text = `${shown} of ${every} features ${above === 1 ? "lies" : "lie"} above ${value.toFixed(4)} nats, ` +
        `${inside} of the ${chosen} selected among them.`;
      // Isolated, so that a name from right to left does not turn the sentence around.
      const few = kept.filter(([, mi]) => mi <= value).slice(0, 5).map(([name]) => `\u2068${name}\u2069`);
      const others = of - selected - few.length;  // more may be selected than the page lists
      const count = others.toLocaleString("en");
      const below = few.length && others ? `${few.join(", ")} and ${count} more` : few.join(", ") || (others ? count : "");
      find("threshold-text").textContent = text + (below ? ` Selected, but not above: ${below}.` : "");
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
      steps.forEach(([v], i) => {
        if (Math.abs(v - value) < Math.abs(steps[best][0] - value)) best = i;
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
