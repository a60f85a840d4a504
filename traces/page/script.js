"use strict";
// Everything from the trace is put on the page as text, never as markup.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const versus = data.versus || null; // the same steps under another variant
  const last = data.steps.length - 1;
  let current = -1;

  function make(tag, text, name) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (name) element.className = name;
    return element;
  }

  // A cell is the number of a text, or a list of [number, tone] where something changed or differs.
  function fill(element, cell) {
    if (typeof cell === "number") {
      element.textContent = data.texts[cell];
      return false;
    }
    for (const [number, tone] of cell) {
      const text = data.texts[number];
      if (versus) {
        element.append(tone ? make("mark", text, tone === "gone" ? "a" : "b") : make("span", text));
        continue;
      }
      const tag = { new: "ins", gone: "del" }[tone] || "span";
      element.append(make(tag, text));
      if (tone === "gone") element.append(" ");
    }
    element.classList.add("changed");
    return true;
  }

  function row(name, cells) {
    const line = make("tr");
    const head = make("th", name);
    head.scope = "row";
    line.append(head);
    let changed = false;
    for (const cell of cells) {
      const element = make("td");
      changed = fill(element, cell) || changed;
      line.append(element);
    }
    if (changed) line.className = "changed";
    return line;
  }

  function headings(texts) {
    const line = make("tr");
    for (const text of texts) {
      const head = make("th", text);
      head.scope = "col";
      line.append(head);
    }
    return line;
  }

  function showState(k) {
    const state = data.states[k];
    const idle = new Set(at("matters").checked ? data.idle : []);
    const own = data.own.map((name, index) => (idle.has(name) ? "" : row(name, state.own[index]))).filter(Boolean);
    const shared = data.shared.map((name, index) => (idle.has(name) ? "" : row(name, [state.shared[index]])));
    at("own").replaceChildren(...(own.length ? [headings(["", ...data.lanes]), ...own] : []));
    at("shared").replaceChildren(...shared.filter(Boolean));
  }

  // Two variants: a row for each variable (or key of one), a column for each variant.
  function showBoth(k) {
    const status = versus.steps[k].status;
    const only = at("only").checked;
    const lines = [];
    versus.states[k].forEach(([a, b, differs, moved], index) => {
      if (only && !differs && !moved) return;
      const line = row(versus.slots[index], b === null ? [a] : [a, b]);
      line.className = differs ? "changed" : "";
      if (b === null) line.append(make("td", "–", "muted"));
      if (differs) line.cells[0].append(make("span", " ≠"), make("span", " differs", "hidden"));
      lines.push(line);
    });
    const b = { impossible: "b, where the step is not possible", "not tried": "b: not tried" }[status] || "b";
    at("both").replaceChildren(...(lines.length ? [headings(["", "a", b]), ...lines] : []));
  }

  function showStepUnderB(k) {
    const step = versus.steps[k];
    const same = step.note === data.steps[k].note && String(step.events) === String(data.steps[k].events);
    const names = versus.slots.filter((name, index) => versus.states[k][index][2]);
    at("under-a").textContent = k ? "Under a: taken" : "Under a";
    at("status").textContent = step.word;
    at("under-b").dataset.status = step.status;
    at("why").textContent =
      step.status === "impossible" ? step.lines.join(" ") : names.length ? "what differs: " + names.join(", ") : "";
    at("note-b").textContent = same ? "" : step.note;
    at("events-b").replaceChildren(...(same ? [] : step.events).map((text) => make("li", text)));
  }

  // The same bindings under both, those that are possible under one alone first.
  function showActionsOfBoth(k) {
    const wanted = at("filter").value.trim().toLowerCase();
    const found = new Map();
    // Where the step is not possible, b is still in the state before it.
    const under = versus.actions[versus.steps[k].status === "impossible" ? k - 1 : k] || [];
    [data.actions[k], under].forEach((answers, side) => {
      for (const [label, reason] of answers) {
        if (!found.has(label)) found.set(label, [null, null]);
        found.get(label)[side] = reason;
      }
    });
    const lines = [];
    for (const [label, pair] of found) {
      const text = data.texts[label];
      if (wanted && !text.toLowerCase().includes(wanted)) continue;
      const line = make("tr");
      const head = make("th", text);
      head.scope = "row";
      line.append(head, ...pair.map(answer));
      const parts = pair[1] !== null && pair[0] < 0 !== pair[1] < 0;
      lines.push([parts ? -3 : Math.min(1, ...pair.filter((reason) => reason !== null && reason < 0)), line]);
    }
    lines.sort((a, b) => a[0] - b[0]);
    at("actions").replaceChildren(headings(["", "a", "b"]), ...lines.map((pair) => pair[1]));
  }

  function answer(reason) {
    if (reason === null) return make("td", "–");
    const told = reason === -2 ? "possible: taken next" : reason === -1 ? "possible" : data.texts[reason];
    return make("td", told, reason === -2 ? "taken" : reason === -1 ? "yes" : "");
  }

  function showActions(k) {
    if (!data.actions) return;
    if (versus) return showActionsOfBoth(k);
    const wanted = at("filter").value.trim().toLowerCase();
    const lines = [];
    for (const [label, reason] of data.actions[k]) {
      const text = data.texts[label];
      if (wanted && !text.toLowerCase().includes(wanted)) continue;
      const line = make("tr");
      const head = make("th", text);
      head.scope = "row";
      line.append(head, answer(reason));
      lines.push([reason < 0 ? reason : 1, line]);
    }
    lines.sort((a, b) => a[0] - b[0]);
    at("actions").replaceChildren(...lines.map((pair) => pair[1]));
  }

  function showExpressions(k) {
    for (const [index, line] of [...at("expressions").rows].entries()) {
      if (index) line.cells[1].textContent = data.expressions[index - 1].values[k];
    }
    for (const cell of document.querySelectorAll(".expr-now")) cell.classList.remove("expr-now");
    for (const cell of document.querySelectorAll(".expr-" + k)) cell.classList.add("expr-now");
  }

  // The band behind the current step of the diagram.
  function showBand(k) {
    const svg = document.querySelector("#diagram > svg, #diagram > div:not([hidden]) > svg");
    if (!svg) return;
    let band = svg.querySelector(".cursor");
    const parts = [...svg.querySelectorAll(".node.step-" + k)].map((part) => part.getBBox());
    if (!parts.length) {
      if (band) band.remove(); // this variant has not come so far
      return;
    }
    for (const part of svg.querySelectorAll(".paper")) part.classList.toggle("now", part.classList.contains("step-" + k));
    const graph = svg.querySelector(".graph");
    if (!band) {
      band = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      band.setAttribute("class", "cursor");
      graph.insertBefore(band, graph.firstChild);
    }
    const top = Math.min(...parts.map((box) => box.y)) - 5;
    const bottom = Math.max(...parts.map((box) => box.y + box.height)) + 5;
    const whole = svg.viewBox.baseVal;
    band.setAttribute("x", 0);
    band.setAttribute("width", whole.width);
    band.setAttribute("y", top);
    band.setAttribute("height", bottom - top);
    const frame = at("diagram");
    const place = band.getBoundingClientRect();
    const seen = frame.getBoundingClientRect();
    if (place.top < seen.top) frame.scrollTop += place.top - seen.top - 20;
    else if (place.bottom > seen.bottom) frame.scrollTop += place.bottom - seen.bottom + 20;
  }

  function show(k, spoken) {
    k = Math.max(0, Math.min(last, k));
    if (k === current) return;
    const step = data.steps[k];
    const buttons = at("steps").querySelectorAll("button");
    if (current >= 0) buttons[current].removeAttribute("aria-current");
    buttons[k].setAttribute("aria-current", "step");
    current = k;
    at("slider").value = k;
    const place = "state " + (k + 1) + " of " + (last + 1);
    at("slider").setAttribute("aria-valuetext", place + ", " + step.label);
    at("place").textContent = place;
    at("step-heading").textContent = (k + 1) + ": " + step.label;
    at("note").textContent = step.note;
    at("events").replaceChildren(...step.events.map((text) => make("li", text)));
    const under = versus ? ". Under b: " + versus.steps[k].word : "";
    if (spoken) at("spoken").textContent = place + ": " + step.label + under;
    for (const id of ["first", "back"]) at(id).disabled = k === 0;
    for (const id of ["forth", "last"]) at(id).disabled = k === last;
    if (versus) showBoth(k), showStepUnderB(k);
    else showState(k);
    showActions(k);
    showExpressions(k);
    showBand(k);
    try { history.replaceState(null, "", "#" + (k + 1)); } catch (error) { /* some viewers of local files refuse */ }
  }

  function pick(letter) {
    for (const each of ["a", "b"]) {
      at("pick-" + each).setAttribute("aria-pressed", each === letter);
      at("picture-" + each).hidden = each !== letter;
    }
    if (current >= 0) showBand(current);
  }

  function setUpBoth() {
    document.body.classList.add("versus");
    for (const id of ["variants", "summary", "under-a", "under-b", "key-both"]) at(id).hidden = false;
    at("key").hidden = true;
    for (const letter of ["a", "b"]) {
      at("told-" + letter).replaceChildren(...versus[letter].map((text) => make("li", text)));
      at("pick-" + letter).addEventListener("click", () => pick(letter));
    }
    at("summary").textContent = versus.summary;
    at("state-heading").textContent = "State under a and under b";
    at("why-heading").textContent = "Why it is wrong under a";
    at("parting").hidden = versus.parts === null;
    at("parting").addEventListener("click", () => show(versus.parts, true));
    at("only").addEventListener("change", () => showBoth(current));
    if (at("picture-b")) {
      at("choice").hidden = false;
      pick("a");
    }
  }

  function setUp() {
    at("verdict").textContent = (versus && data.verdict ? "Under a: " : "") + data.verdict;
    at("constants").textContent = (versus ? "both: " : "") + data.spec + "(" + data.constants.map((pair) => pair.join("=")).join(", ") + ")";
    if (data.good) at("verdict").classList.add("good");
    at("slider").max = last;
    at("story").replaceChildren(...data.story.map((text) => make("li", text)));
    at("why-heading").parentElement.hidden = !data.story.length;
    at("matters-label").hidden = !data.idle.length;
    at("matters").addEventListener("change", () => showState(current));
    at("actions-section").hidden = !data.actions;
    at("expressions-section").hidden = !data.expressions.length;
    data.steps.forEach((step, k) => {
      const item = make("li");
      const button = make("button", (k + 1) + ": " + step.label);
      if (versus) button.append(" ", make("span", versus.steps[k].word, "word " + versus.steps[k].status.replace(" ", "-")));
      button.type = "button";
      button.addEventListener("click", () => show(k, true));
      item.append(button);
      at("steps").append(item);
    });
    if (versus) setUpBoth();
    if (data.expressions.length) {
      at("expressions").append(headings(["expression", "here", "along the trace"]));
      for (const expression of data.expressions) {
        const line = make("tr");
        const cell = make("td");
        const along = make("div", undefined, "along");
        cell.append(along);
        expression.values.forEach((value, k) => {
          if (k) along.append(" · ");
          along.append(make("span", value, "expr-" + k));
        });
        const head = make("th", expression.text);
        head.scope = "row";
        line.append(head, make("td"), cell);
        at("expressions").append(line);
      }
    }
  }

  const moves = {
    ArrowLeft: () => current - 1, ArrowUp: () => current - 1, ArrowRight: () => current + 1, ArrowDown: () => current + 1,
    PageUp: () => current - 10, PageDown: () => current + 10, Home: () => 0, End: () => last,
  };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target === at("filter") || !(event.key in moves)) return;
    // Up, down and the page keys still scroll where somebody has put the focus to read.
    if (event.target.closest && event.target.closest("#diagram, #panels") && !/Left|Right|Home|End/.test(event.key)) return;
    event.preventDefault();
    show(moves[event.key](), true);
  });
  at("slider").addEventListener("input", () => show(Number(at("slider").value), true));
  at("first").addEventListener("click", () => show(0, true));
  at("back").addEventListener("click", () => show(current - 1, true));
  at("forth").addEventListener("click", () => show(current + 1, true));
  at("last").addEventListener("click", () => show(last, true));
  at("filter").addEventListener("input", () => showActions(current));

  function theme(name) {
    document.documentElement.dataset.theme = name;
    at("theme").textContent = name === "dark" ? "light" : "dark";
    at("theme").setAttribute("aria-label", "switch to " + at("theme").textContent + " colours");
  }
  theme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  at("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));

  setUp();
  const named = parseInt(location.hash.slice(1), 10);
  show(Number.isFinite(named) ? named - 1 : versus && versus.parts !== null ? versus.parts : 0, false);
  window.addEventListener("resize", () => showBand(current)); // the picture changes its size with the window
  window.addEventListener("hashchange", () => show((parseInt(location.hash.slice(1), 10) || 1) - 1, true));
})();
