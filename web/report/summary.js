// The commit order, the levels, the numbers.

// `shades`: parts of the width, from 0 to 1, that lie in the shade of something that is told beside it.
function columns(values, label, shades = []) {
  const most = Math.max(...values) || 1;
  const w = 600 / values.length;
  const shade = ({ from, to, text }) =>
    svg(
      "rect",
      { class: "shade", x: 600 * from, width: Math.max(600 * (Math.min(to, 1) - from), 1.5), y: 0, height: 119 },
      svg("title", {}, text),
    );
  return svg(
    "svg",
    { viewBox: "0 0 600 120", preserveAspectRatio: "none", role: "img", "aria-label": label, style: "height:120px" },
    shades.map(shade),
    svg("line", { class: "base", x1: 0, x2: 600, y1: 119.5, y2: 119.5 }),
    values.map(
      (v, i) =>
        v > 0 &&
        svg("rect", {
          class: "column",
          x: i * w,
          width: Math.max(w - 0.5, 0.8),
          y: 119 - (110 * v) / most,
          height: (110 * v) / most,
        }),
    ),
  );
}

function orderSection() {
  const order = data.commitOrder;
  if (!order || data.stories.length) return;
  const node = document.getElementById("order");
  node.hidden = false;
  node.append(
    el("h2", { id: "order-title" }, "The order that explains it, against the clock"),
    el("p", { class: "hint" }, order.sentence),
  );
  if (order.count === 0) return;
  node.append(
    el(
      "div",
      { class: "charts" },
      order.over.length >= 40 &&
        el(
          "div",
          { class: "chart" },
          el("h3", {}, "How far it departs"),
          el(
            "p",
            { class: "hint" },
            `From the first commit (left) to the last; the highest is ${duration(Math.max(...order.over))}.`,
          ),
          columns(order.over, "Largest departure from the clock along the commit order"),
        ),
      el(
        "div",
        { class: "chart" },
        el("h3", {}, "The largest departures"),
        el(
          "div",
          { class: "scroll" },
          el(
            "table",
            {},
            el(
              "thead",
              {},
              el(
                "tr",
                {},
                el("th", { scope: "col" }, "comes first in the order"),
                el("th", { scope: "col" }, "although this had ended"),
                el("th", { class: "num", scope: "col" }, "earlier by"),
              ),
            ),
            el(
              "tbody",
              {},
              order.largest.map((d) =>
                el(
                  "tr",
                  {},
                  el("td", {}, d.earlier),
                  el("td", {}, d.later),
                  el("td", { class: "num" }, duration(d.seconds)),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

function levelsSection() {
  if (data.levels.length < 2) return;
  const node = document.getElementById("levels");
  node.hidden = false;
  node.append(
    el("h2", { id: "levels-title" }, "Level by level"),
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { class: "levels-table" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "level"),
            el("th", { scope: "col" }, "verdict"),
            el("th", { class: "what", scope: "col" }, "what it promises"),
          ),
        ),
        el(
          "tbody",
          {},
          data.levels.map((l) =>
            el(
              "tr",
              {},
              el("td", {}, el("strong", {}, l.name)),
              el(
                "td",
                {},
                el("span", { class: l.verdict }, l.verdict),
                l.since && `, since ${l.since} is`,
                l.verdict === "undecided" && l.reason && `: ${l.reason}`,
              ),
              el("td", { class: "what" }, l.promise),
            ),
          ),
        ),
      ),
    ),
  );
}

const meterRow = (name, share, text) =>
  el(
    "tr",
    {},
    el("td", { class: "mono" }, name),
    el(
      "td",
      { class: "meter", "aria-hidden": "true" },
      el("i", { style: `width:${Math.max(share * 100, 0.5).toFixed(2)}%` }),
    ),
    el("td", { class: "num" }, text),
  );
const chart = (title, hint, body) =>
  el("div", { class: "chart" }, el("h3", {}, title), hint && el("p", { class: "hint" }, hint), body);
const meters = (title, hint, rows) => chart(title, hint, el("table", {}, el("tbody", {}, rows)));

// The run itself, from the first start to the last end of a committed transaction.
function runCharts(charts) {
  const run = data.throughput;
  const enough = 100;
  if (!run || data.statistics.committed < enough) return;
  const whole = run.seconds * run.commits.length;
  const span = duration(whole);
  const faults = data.provenance ? data.provenance.faults : [];
  const shades = faults
    .filter((f) => f.to > 0 && f.from < whole)
    .map((f) => ({ text: f.text, from: f.from / whole, to: f.to / whole }));
  const shaded = shades.length ? " Shaded: what befell the server." : "";
  charts.append(
    chart(
      "Commits over time",
      `Over ${span}; at most ${number(Math.round(Math.max(...run.commits) / run.seconds))} per second, ` +
        `in a ${run.commits.length}th of it.${shaded}`,
      columns(run.commits, "Commits over time", shades),
    ),
    chart(
      "Latency over time",
      `The slowest transaction that committed in each piece; at most ${duration(Math.max(...run.slowest))}.${shaded}`,
      columns(run.slowest, "Latency over time", shades),
    ),
  );
  if (faults.length === 0) return;
  const left = data.provenance.faultsInAll - faults.length;
  charts.append(
    chart(
      "What befell the server",
      left > 0 ? `The first ${faults.length}; ${counted(left, "further fault")} not shown.` : "",
      el(
        "ul",
        { class: "faults" },
        faults.map((f) => el("li", {}, f.text)),
      ),
    ),
  );
}

function numbersSection() {
  const s = data.statistics;
  const h = data.history;
  const tile = (name, value, small) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, value, small && el("small", {}, small)));
  const node = document.getElementById("numbers");
  node.append(
    el("h2", { id: "numbers-title" }, "The history in numbers"),
    el(
      "dl",
      { class: "tiles" },
      tile(
        "transactions",
        number(h.transactions),
        `${number(s.committed)} committed, ${number(s.aborted)} aborted, ${number(s.unknown)} unknown`,
      ),
      tile("sessions", number(h.sessions), `the longest has ${number(s.longestSession)}`),
      tile("operations", number(h.operations), `at most ${number(s.mostOperations)} in a transaction`),
      tile("keys", number(h.keys), `${counted(s.values, "distinct value")}`),
      tile("initial reads", number(s.readsOfInitial), "found nothing written yet"),
      s.repeatedValues > 0 &&
        tile("repeated values", number(s.repeatedValues), `${counted(s.ambiguousReads, "read")} of them`),
      s.concurrency &&
        tile("at the same time", s.concurrency.mean.toFixed(1), `on average, at most ${number(s.concurrency.most)}`),
      tile("time to decide", duration(data.checkSeconds), `reading took ${duration(data.readSeconds)}`),
    ),
  );
  const charts = el("div", { class: "charts" });
  if (data.running) {
    const v = data.running.mean;
    const most = Math.max(...v) || 1;
    const points = v.map((n, i) => `L${((i + 0.5) * 600) / v.length} ${120 - (112 * n) / most}`);
    const path = `M0 120 ${points.join(" ")} L600 120 Z`;
    charts.append(
      chart(
        "Transactions running at a time",
        `Over ${duration(data.running.seconds * v.length)}; ` +
          `the highest average of a ${v.length}th of it is ${most.toFixed(1)}.`,
        svg(
          "svg",
          {
            viewBox: "0 0 600 120",
            preserveAspectRatio: "none",
            role: "img",
            "aria-label": "Transactions running over time",
            style: "height:120px",
          },
          svg("path", { class: "area", d: path }),
        ),
      ),
    );
  }
  runCharts(charts);
  if (s.hotKeys.length)
    charts.append(
      meters(
        "Hot keys",
        "Share of all operations that name a key.",
        s.hotKeys.map((k) =>
          meterRow(k.key, k.share / s.hotKeys[0].share, `${number(k.operations)} · ${percent(k.share)}`),
        ),
      ),
    );
  if (s.kinds.length) {
    const most = Math.max(...s.kinds.map((k) => k.count));
    charts.append(
      meters(
        "Operations by kind",
        "",
        s.kinds.map((k) => meterRow(k.name, k.count / most, `${number(k.count)} · ${percent(k.count / h.operations)}`)),
      ),
    );
  }
  const worked = data.levels.filter((l) => l.phases.length).sort((a, b) => b.seconds - a.seconds);
  for (const level of worked.slice(0, 2)) {
    const most = Math.max(...level.phases.map((p) => p.seconds)) || 1;
    charts.append(
      meters(
        `How ${level.name} was decided`,
        `${level.method ? `Decided by ${level.method}. ` : ""}${level.counts
          .slice(0, 6)
          .map((c) => `${c.name}: ${number(c.value)}`)
          .join(", ")}`,
        level.phases.map((p) =>
          meterRow(p.name, p.seconds / most, `${duration(p.seconds)}${p.bytes ? ` · ${bytes(p.bytes)}` : ""}`),
        ),
      ),
    );
  }
  node.append(charts);
}
