// Draws a report from the data in the page. Keys, values and names come from files that nobody vouches for:
// they reach the document as text nodes and attribute values only, never as markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";

  // --- making elements ---------------------------------------------------------------------------------

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : String(value));
    }
    for (const child of children.flat(3)) {
      if (child === null || child === undefined || child === false || child === "") continue;
      node.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
    return node;
  }
  const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  const number = (n) => Number(n).toLocaleString("en-US");
  const counted = (n, noun) => `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
  const shorten = (text, most) => (text.length > most ? text.slice(0, Math.max(most - 1, 1)) + "…" : text);
  const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
  function duration(seconds) {
    const size = Math.abs(seconds);
    for (const [unit, factor] of [["s", 1], ["ms", 1e3], ["µs", 1e6]])
      if (size * factor >= 1) return `${+(seconds * factor).toPrecision(3)} ${unit}`;
    return `${Math.round(seconds * 1e9)} ns`;
  }
  function bytes(n) {
    if (n >= 1e9) return `${(n / 1e9).toFixed(1)} GB`;
    if (n >= 1e6) return `${(n / 1e6).toFixed(1)} MB`;
    return n >= 1e3 ? `${(n / 1e3).toFixed(1)} kB` : `${n} bytes`;
  }

  // --- the words ---------------------------------------------------------------------------------------

  // What each rule means to somebody who knows SQL; `kind` picks colour and stroke.
  const RULES = {
    "program": { kind: "so", label: "begin to commit", means: "A transaction begins before it commits." },
    "session": { kind: "so", label: "session", means: "One client ran both, one after the other." },
    "reads-from": { kind: "wr", label: "reads-from", means: "Who reads a value comes after whoever wrote it." },
    "initial": { kind: "rw", label: "anti-dependency", means: "Who still saw the key as it was before any write comes before every writer of it." },
    "real-time": { kind: "rt", label: "real time", means: "One had ended, by the clock, before the other started." },
    "version-order": { kind: "ww", label: "version order", means: "A list that was read shows in which order its elements were added." },
    "overwritten": { kind: "ww", label: "write order", means: "Both wrote the key, and a later reader saw only one of the two: the other had been overwritten by then." },
    "anti-dependency": { kind: "rw", label: "anti-dependency", means: "Who read the older value comes before whoever overwrote it." },
    "first-committer": { kind: "ww", label: "first committer", means: "Of two transactions that overlap and write the same key, only one may commit; so these two did not overlap." },
    "axiom": { kind: "ww", label: "write order", means: "The level says that this write was visible to the read; the read saw another, so this one had been overwritten by then." },
    "decision": { kind: "as", label: "assumed", means: "One of the ways in which it can have been; the other ways have their own case." },
  };
  const LEGEND = [
    ["wr", "reads-from: read what the other wrote"], ["rw", "anti-dependency: read before the other overwrote it"],
    ["ww", "write order: which write came first"], ["so", "session: same client, in this order"],
    ["rt", "real time: ended before the other started"], ["as", "assumed in this case"],
  ];
  const ruleOf = (step) => RULES[step.rule] || { kind: "so", label: step.rule, means: "" };
  const kindOf = (step) => (step.rule === "initial" && step.from === -1 ? "so" : ruleOf(step).kind);
  const labelOf = (step) => (step.rule === "initial" && step.from === -1 ? "initial state" : ruleOf(step).label);

  const VERBS = { "read": "read", "list-read": "read", "write": "write", "insert": "insert", "append": "append", "delete": "delete", "predicate-read": "select", "range-read": "range" };
  const verb = (op) => VERBS[op.kind] || op.kind;
  const valueOf = (op) => (op.initial ? (op.kind === "delete" ? "" : "initial") : op.value || "");
  const join = (op) => (op.kind === "append" ? " + " : op.kind === "delete" && op.initial ? "" : " = ");

  const transactions = new Map(data.transactions.map((t) => [t.id, t]));
  const sessions = new Map(data.sessions.map((s) => [s.id, s]));
  const sessionName = (t) => (sessions.has(t.session) ? sessions.get(t.session).name : "");

  // --- verdict -----------------------------------------------------------------------------------------

  function count(verdict) { return data.levels.filter((l) => l.verdict === verdict).length; }

  function headline() {
    if (data.levels.length === 1) {
      const level = data.levels[0];
      const known = data.stories.length === 1 && data.stories[0].anomaly && data.stories[0].consequence ? `: ${data.stories[0].anomaly}` : "";
      return level.verdict === "undecided" ? `Whether ${level.name} holds is undecided` : level.verdict === "holds" ? `${level.name} holds` : `${level.name} is violated${known}`;
    }
    const violated = count("violated");
    const undecided = count("undecided");
    const best = data.strongest ? `the strongest level that holds is ${data.strongest}` : "no level that was asked for holds";
    if (violated === 0 && undecided === 0) return `All ${data.levels.length} levels hold`;
    if (violated === 0) return `${number(undecided)} of ${data.levels.length} levels ${undecided === 1 ? "is" : "are"} undecided; ${best}`;
    return `${number(violated)} of ${data.levels.length} levels ${violated === 1 ? "is" : "are"} violated; ${best}`;
  }

  function verdict() {
    const worst = count("violated") ? "violated" : count("undecided") ? "undecided" : "holds";
    const text = headline();
    document.title = `${text} · Assay`;
    const h = data.history;
    document.getElementById("source").append(
      el("span", { class: "mono" }, h.path || "history"),
      ` · ${counted(h.transactions, "transaction")} in ${counted(h.sessions, "session")}, ${counted(h.operations, "operation")} on ${counted(h.keys, "key")} (${h.format})`);
    const single = data.levels.length === 1 ? data.levels[0] : null;
    const lead = [];
    const story = data.stories[0];
    if (story) lead.push(...story.sentences);
    else if (worst === "holds") lead.push("What the clients saw can be explained by one order of the transactions; the check found such an order.");
    for (const level of data.levels) if (level.verdict === "undecided" && level.reason) lead.push(`${level.name}: ${level.reason}.`);
    const notes = h.notes.concat(data.sessionOrder === "ignore" ? ["the order of transactions in a session is ignored"] : []);
    fill(document.getElementById("verdict"), {}, [
      el("p", { class: `mark ${worst}` }, worst),
      el("h1", { id: "headline" }, text[0].toUpperCase() + text.slice(1)),
      single && el("p", { class: "promise" }, `${single.name} promises: ${single.promise}`),
      lead.map((s) => el("p", { class: "lead" }, s)),
      story && story.consequence && el("p", { class: "promise" }, `What it means: ${story.consequence}`),
      notes.length > 0 && el("ul", { class: "notes" }, notes.map((n) => el("li", {}, n))),
    ]);
  }

  // --- the drawing: a column per session, boxes for transactions, arrows for steps ----------------------

  // Rows: a transaction stands below those that are known to come before it (session, reads-from, real time,
  // list order), as long as these do not form a circle themselves.
  function rows(cast, steps) {
    const certain = new Map(cast.map((t) => [t.id, new Set()]));
    const reaches = (from, to) => from === to || [...certain.get(from)].some((next) => reaches(next, to));
    const add = (from, to) => {
      if (from !== to && certain.has(from) && certain.has(to) && !reaches(to, from)) certain.get(from).add(to);
    };
    const byPlace = [...cast].sort((a, b) => a.session - b.session || a.position - b.position);
    byPlace.forEach((t, i) => { if (i > 0 && byPlace[i - 1].session === t.session) add(byPlace[i - 1].id, t.id); });
    for (const step of steps) if (["reads-from", "real-time", "version-order"].includes(step.rule)) add(step.from, step.to);
    const row = new Map();
    const place = (id) => {
      if (row.has(id)) return row.get(id);
      let at = 0;
      for (const [other, next] of certain) if (next.has(id)) at = Math.max(at, place(other) + 1);
      row.set(id, at);
      return at;
    };
    cast.forEach((t) => place(t.id));
    return row;
  }

  // Where a step speaks of a read and of who wrote what was read, that pair belongs into the drawing, although it is
  // no step of its own: without it nobody sees why the step holds.
  function impliedReads(steps) {
    const known = new Set(steps.filter((s) => s.rule === "reads-from").map((s) => `${s.from} ${s.to} ${s.keyId}`));
    const implied = new Map();
    for (const s of steps) {
      if (s.witness === undefined) continue;
      const [from, to] = s.rule === "anti-dependency" ? [s.witness, s.from] : [s.to, s.witness];
      const id = `${from} ${to} ${s.keyId}`;
      if (from === to || from === -1 || to === -1 || known.has(id)) continue;
      if (!implied.has(id)) implied.set(id, { from, to, rule: "reads-from", key: s.key, keyId: s.keyId, of: [] });
      implied.get(id).of.push(s.number);
    }
    return [...implied.values()];
  }

  function opsToShow(t, keys, reads, most) {
    const matters = (op) => keys.has(op.keyId) || reads.has(`${t.id}:${op.at}`);
    const wanted = t.operations.filter(matters);
    const shown = (wanted.length ? wanted : t.operations).slice(0, most);
    return { shown, hidden: t.count - shown.length };
  }

  class Drawing {
    constructor(story, scene, letters, onChoose) {
      this.story = story;
      this.scene = scene;
      this.letters = letters;
      this.onChoose = onChoose;
      this.node = el("div", { class: "drawing" });
      this.edges = new Map();
      this.boxes = new Map();
    }

    draw(width) {
      const narrow = width < 620;
      const { story, scene } = this;
      const steps = scene ? scene.steps : [];
      const cyclic = new Set();
      const cycle = new Set(scene ? scene.cycle : []);
      for (const s of steps) if (cycle.has(s.number)) { cyclic.add(s.from); cyclic.add(s.to); }
      const used = new Set(steps.flatMap((s) => [s.from, s.to, s.witness]));
      const cast = story.cast.map((c) => transactions.get(c.transaction)).filter((t) => t && (!scene || used.has(t.id)));
      const keys = new Set(steps.map((s) => s.keyId).concat(story.reads.map((r) => r.keyId)).filter((k) => k !== undefined));
      const reads = new Set(story.reads.flatMap((r) => [`${r.transaction}:${r.at}`, `${r.writer}:${r.writeAt}`]));
      const drawn = steps.filter((s) => s.from !== s.to && (s.from === -1 || transactions.has(s.from)) && (s.to === -1 || transactions.has(s.to)));
      const many = drawn.length > 26;
      const implied = many ? [] : impliedReads(steps).filter((s) => transactions.has(s.from) && transactions.has(s.to));
      const shownEdges = (many ? drawn.filter((s) => cycle.has(s.number)) : drawn).concat(implied);

      const row = rows(cast, steps.concat(implied));
      const rowCount = Math.max(0, ...row.values()) + 1;
      const topRow = (session) => Math.min(...cast.filter((t) => t.session === session).map((t) => row.get(t.id)));
      // What the others started from stands on the left, as one reads.
      const isSource = (session) => topRow(session) === 0 && cast.every((t) => t.session !== session || !cyclic.has(t.id));
      const inOrder = [...new Set(cast.map((t) => t.session))];
      const lanes = inOrder.filter(isSource).concat(inOrder.filter((session) => !isSource(session)));
      const loops = { left: false, right: false };
      for (const step of shownEdges) {
        const known = transactions.get(Math.max(step.from, step.to));
        if (Math.min(step.from, step.to) < 0 && row.get(known.id) > topRow(known.session) && known.session === lanes[lanes.length - 1]) loops.right = true;
        if (step.from < 0 || step.to < 0 || transactions.get(step.from).session !== transactions.get(step.to).session) continue;
        if (row.get(step.to) !== row.get(step.from) + 1) loops[transactions.get(step.from).session === lanes[0] ? "left" : "right"] = true;
      }
      const mostOps = narrow ? 5 : 8;
      const lineLength = (op) => `${verb(op)} ${op.key}${valueOf(op) ? join(op) + valueOf(op) : ""}`.length;
      const longestLine = Math.max(0, ...cast.flatMap((t) => opsToShow(t, keys, reads, mostOps).shown.map(lineLength)));
      // The widest form that fits: with labels on the arrows, or else with numbers alone.
      const roomy = Math.min(Math.max(7 * longestLine + 30, 186), 300);
      this.longestKey = lanes.length > 2 ? 8 : 14;
      const longest = Math.max(0, ...shownEdges.filter((s) => !s.of).map((s) => this.tag(s).length));
      const wordGap = Math.min(Math.max(50 + 6.3 * longest, 120), 240);
      const forms = [roomy, 220, 186, 164].filter((boxW) => boxW <= roomy).map((boxW) => ({ boxW, gapX: wordGap, words: true })).concat([{ boxW: 200, gapX: 70, words: false }, { boxW: 164, gapX: 60, words: false }, { boxW: 138, gapX: 56, words: false }]);
      const margins = (f) => ({ left: loops.left ? (f.words ? 150 : 44) : 11, right: loops.right ? (f.words ? 150 : 44) : 11 });
      const breadth = (f) => margins(f).left + margins(f).right + lanes.length * f.boxW + Math.max(lanes.length - 1, 0) * f.gapX;
      const fitting = forms.find((f) => breadth(f) <= width && (f.words || !narrow || f.boxW <= 164)) || forms[forms.length - (narrow ? 1 : 2)];
      // Room that is left goes between the lanes, where the arrows are.
      const spare = lanes.length > 1 ? (width - breadth(fitting)) / (lanes.length - 1) : 0;
      const form = { ...fitting, gapX: fitting.gapX + Math.max(0, Math.min(spare, fitting.words ? 70 : 24)) };
      const { boxW, gapX, words } = form;
      const margin = margins(form).left;
      const lineH = 18;

      // Heights: room for the operations, and for one port per arrow on a side.
      const ports = new Map();
      const laneOf = (id) => lanes.indexOf(transactions.get(id).session);
      for (const s of shownEdges) {
        if (s.from < 0 || s.to < 0) continue;
        for (const [id, other] of [[s.from, s.to], [s.to, s.from]]) {
          const side = `${id} ${Math.sign(laneOf(other) - laneOf(id))}`;
          ports.set(side, (ports.get(side) || 0) + 1);
        }
      }
      const mostPorts = (id) => Math.max(...[-1, 0, 1].map((side) => ports.get(`${id} ${side}`) || 0));
      const shape = new Map();
      for (const t of cast) {
        const ops = opsToShow(t, keys, reads, mostOps);
        const lines = ops.shown.length + (ops.hidden > 0 ? 1 : 0);
        shape.set(t.id, { ops, h: Math.max(44 + lines * lineH + 8, 32 * mostPorts(t.id) + 20) });
      }
      const hasInitial = shownEdges.some((s) => s.from === -1 || s.to === -1);
      const top = 38 + (hasInitial ? 112 : 0);
      const rowGap = 52;
      const rowTop = [];
      const rowHeight = [];
      let y = top;
      for (let r = 0; r < rowCount; ++r) {
        rowTop.push(y);
        rowHeight.push(Math.max(...cast.filter((t) => row.get(t.id) === r).map((t) => shape.get(t.id).h)));
        y += rowHeight[r] + rowGap;
      }
      const height = y - rowGap + 26;
      const total = breadth(form);
      const laneX = (session) => margin + lanes.indexOf(session) * (boxW + gapX);

      const place = new Map();
      for (const t of cast) {
        const { h } = shape.get(t.id);
        place.set(t.id, { x: laneX(t.session), y: rowTop[row.get(t.id)], w: boxW, h, lane: lanes.indexOf(t.session), row: row.get(t.id), first: row.get(t.id) === topRow(t.session) });
      }
      if (hasInitial) place.set(-1, { x: margin, y: 34, w: lanes.length * (boxW + gapX) - gapX, h: 30, lane: -1, row: -1 });

      const picture = svg("svg", { width: total, height, viewBox: `0 0 ${total} ${height}`, role: "group", "aria-label": "Drawing of the transactions involved and the order that their reads and writes force" });
      this.svg = picture;
      this.edges.clear();
      this.boxes.clear();
      this.implied = [];
      for (const session of lanes) {
        const x = laneX(session) + boxW / 2;
        picture.append(svg("line", { class: "lane-line", x1: x, x2: x, y1: 28, y2: height - 8 }),
          svg("text", { class: "lane-name", x, y: 20, "text-anchor": "middle" }, shorten(`session ${sessions.get(session).name}`, narrow ? 18 : 28)));
      }
      this.wireLayer = svg("g");
      this.tagLayer = svg("g");
      for (const t of cast) picture.append(this.box(t, place.get(t.id), shape.get(t.id), cyclic.has(t.id), lineH));
      if (hasInitial) picture.append(this.initialBox(place.get(-1), cyclic.has(-1)));
      picture.append(this.wireLayer, this.tagLayer);
      this.node.replaceChildren(picture);
      this.node.classList.toggle("wide", total > width);
      this.route(shownEdges, place, { gapX, rowTop, rowHeight, rowGap, loop: words ? 64 : 26 }, cycle, words);
      let first = true;
      for (const edge of this.edges.values()) { edge.setAttribute("tabindex", first ? "0" : "-1"); first = false; }
    }

    box(t, at, { ops, h }, cyclic, lineH) {
      const letter = this.letters.get(t.id) || "";
      const chars = Math.floor((at.w - 22) / 7);
      const g = svg("g", { class: `box ${t.status}${cyclic ? " cyclic" : ""}`, transform: `translate(${at.x} ${at.y})` },
        svg("rect", { class: "body", width: at.w, height: h, rx: 9 }),
        svg("text", { class: "letter", x: 12, y: 21 }, letter),
        svg("text", { class: "tname", x: 14 + 10 * letter.length + 6, y: 21 }, shorten(`${at.w < 160 ? "txn" : "transaction"} ${t.name}${t.status === "committed" ? "" : `, ${t.status}`}`, Math.floor((at.w - 34) / 6.2))),
        svg("title", {}, `${letter} = transaction ${t.name} of session ${sessionName(t)} (${t.status})`));
      const lights = [];
      ops.shown.forEach((op, i) => {
        const y = 44 + i * lineH;
        const light = svg("rect", { class: "oplight", x: 6, y: y - 13, width: at.w - 12, height: lineH, rx: 3 });
        const text = `${verb(op)} ${op.key}`;
        const value = valueOf(op);
        const room = Math.max(chars - shorten(text, chars - 4).length - 3, 3);
        g.append(light, svg("text", { class: `op${op.initial ? " initial" : ""}`, x: 12, y }, shorten(text, chars - 4), value && join(op), value && svg("tspan", { class: "value" }, shorten(value, room)),
          svg("title", {}, `${text}${value ? join(op) + value : ""}`)));
        lights.push({ op, light });
      });
      if (ops.hidden > 0) g.append(svg("text", { class: "more", x: 12, y: 44 + ops.shown.length * lineH }, `… and ${number(ops.hidden)} more`));
      this.boxes.set(t.id, { g, lights });
      return g;
    }

    initialBox(at, cyclic) {
      const g = svg("g", { class: `box${cyclic ? " cyclic" : ""}`, transform: `translate(${at.x} ${at.y})` },
        svg("rect", { class: "body", width: at.w, height: at.h, rx: 9 }),
        svg("text", { class: "tname", x: at.w / 2, y: 19, "text-anchor": "middle" }, "the initial state, before any transaction"));
      this.boxes.set(-1, { g, lights: [] });
      return g;
    }

    // Which sides an arrow leaves and enters by.
    sides(a, b) {
      if (a.lane === -1) return ["bottom", b.first ? "top" : "right"];
      if (b.lane === -1) return [a.first ? "top" : "right", "bottom"];
      if (a.lane === b.lane) {
        if (b.row === a.row + 1) return ["bottom", "top"];
        const side = a.lane === 0 ? "left" : "right";
        return [side, side];
      }
      return a.lane < b.lane ? ["right", "left"] : ["left", "right"];
    }

    route(steps, place, geometry, cycle, words) {
      const ends = [];
      for (const step of steps) {
        const a = place.get(step.from);
        const b = place.get(step.to);
        const [out, into] = this.sides(a, b);
        ends.push({ step, a, b, out, into });
      }
      // Ports along a side: ordered by where the arrows go, then by number, so that parallel arrows stay parallel.
      const sideLists = new Map();
      const enter = (id, side, entry) => {
        const key = `${id} ${side}`;
        if (!sideLists.has(key)) sideLists.set(key, []);
        sideLists.get(key).push(entry);
      };
      for (const e of ends) {
        enter(e.step.from, e.out, { e, end: "p", box: e.a, other: e.b });
        enter(e.step.to, e.into, { e, end: "q", box: e.b, other: e.a });
      }
      for (const [key, list] of sideLists) {
        const side = key.split(" ")[1];
        const vertical = side === "left" || side === "right";
        list.sort((m, n) => (vertical ? m.other.y - n.other.y : m.other.x - n.other.x) || (m.e.step.number || 99) - (n.e.step.number || 99));
        list.forEach((entry, i) => {
          const share = (i + 1) / (list.length + 1);
          const { box } = entry;
          if (box.lane === -1) {
            const x = entry.other.first ? entry.other.x + entry.other.w * (0.1 + 0.8 * share) : entry.other.x + entry.other.w + 22 + 10 * i;
            entry.e[entry.end] = [x, side === "top" ? box.y : box.y + box.h];
          } else if (vertical) {
            entry.e[entry.end] = [side === "left" ? box.x : box.x + box.w, box.y + 14 + (box.h - 28) * share];
          } else {
            entry.e[entry.end] = [box.x + box.w * share, side === "top" ? box.y : box.y + box.h];
          }
        });
      }
      const taken = [...place.values()].map((b) => ({ x: b.x + 4, y: b.y + 4, w: b.w - 8, h: b.h - 8 }));
      let channel = 0;
      for (const e of ends) {
        const { p, q, a, b } = e;
        let d;
        if (e.out === "right" && b.lane === -1) {
          d = `M${p[0]} ${p[1]} C${q[0]} ${p[1]} ${q[0]} ${p[1] - 30} ${q[0]} ${q[1]}`;
        } else if (e.into === "right" && a.lane === -1) {
          d = `M${p[0]} ${p[1]} C${p[0]} ${q[1] - 30} ${p[0]} ${q[1]} ${q[0]} ${q[1]}`;
        } else if (a.lane === -1 || b.lane === -1 || e.out === "bottom" || e.out === "top") {
          const bend = (q[1] - p[1]) * 0.4;
          d = `M${p[0]} ${p[1]} C${p[0]} ${p[1] + bend} ${q[0]} ${q[1] - bend} ${q[0]} ${q[1]}`;
        } else if (a.lane === b.lane) {
          const away = (e.out === "left" ? -1 : 1) * (geometry.loop + 7 * (channel++ % 4));
          d = `M${p[0]} ${p[1]} C${p[0] + away} ${p[1]} ${q[0] + away} ${q[1]} ${q[0]} ${q[1]}`;
        } else if (Math.abs(a.lane - b.lane) === 1) {
          const bend = (q[0] - p[0]) * 0.45;
          d = `M${p[0]} ${p[1]} C${p[0] + bend} ${p[1]} ${q[0] - bend} ${q[1]} ${q[0]} ${q[1]}`;
        } else {
          // Over lanes between: along the gap below the upper of the two rows, so that no box is crossed.
          const r = Math.min(a.row, b.row);
          const lift = 10 * ((channel++ % 3) - 1);
          const yMid = geometry.rowTop[r] + geometry.rowHeight[r] + geometry.rowGap / 2 + lift;
          const dir = q[0] > p[0] ? 1 : -1;
          const turn = geometry.gapX * 0.5;
          const x1 = p[0] + dir * turn;
          const x2 = q[0] - dir * turn;
          d = `M${p[0]} ${p[1]} C${x1} ${p[1]} ${p[0] + dir * turn * 0.3} ${yMid} ${x1 + dir * 20} ${yMid} L${x2 - dir * 20} ${yMid} C${q[0] - dir * turn * 0.3} ${yMid} ${x2} ${q[1]} ${q[0]} ${q[1]}`;
        }
        if (e.step.of) this.impliedEdge(e.step, d);
        else this.edge(e.step, d, cycle.has(e.step.number), taken, words);
      }
    }

    // The line lies below all labels; the label is what takes the focus.
    edge(step, d, inCycle, taken, words) {
      const look = `${kindOf(step)}${inCycle ? " in-cycle" : ""}`;
      const told = `Step ${step.number}: ${this.claim(step)}: ${step.reason}.`;
      const hearing = { onclick: () => this.onChoose(step.number, true), onmouseenter: () => this.onChoose(step.number, false), onmouseleave: () => this.onChoose(null, false) };
      const line = svg("path", { class: "line", d });
      this.wireLayer.append(line);  // lengths are known only of what is in the document
      this.wireLayer.append(svg("g", { class: `wire ${look}`, "data-of": step.number, ...hearing }, svg("path", { class: "hit", d }), line, this.head(line), svg("title", {}, told)));

      const text = svg("text", { class: "tagtext" }, words ? this.tag(step) : "");
      const g = svg("g", { class: `edge ${look}`, role: "button", "aria-pressed": "false", "aria-label": told, "data-step": step.number, ...hearing,
        onfocus: () => this.onChoose(step.number, false), onblur: () => this.onChoose(null, false), onkeydown: (event) => this.key(event, step.number) }, text);
      this.tagLayer.append(g);
      const w = words ? 30 + text.getComputedTextLength() : 20;
      const length = line.getTotalLength();
      let spot = null;
      // On the arrow where there is room; else a little beside it.
      const shares = [0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.2, 0.8];
      for (const [share, beside] of [0, -12, 12, -24, 24, -36, 36].flatMap((dy) => shares.map((at) => [at, dy]))) {
        const m = line.getPointAtLength(length * share);
        const rect = { x: m.x - w / 2, y: m.y - 10 + beside, w, h: 20 };
        const clear = taken.every((o) => rect.x > o.x + o.w || o.x > rect.x + rect.w || rect.y > o.y + o.h || o.y > rect.y + rect.h);
        if (!spot || clear) spot = rect;
        if (clear) break;
      }
      taken.push(spot);
      text.setAttribute("x", spot.x + 22);
      text.setAttribute("y", spot.y + 14);
      g.prepend(svg("rect", { class: "tag", x: spot.x, y: spot.y, width: w, height: 20, rx: 10 }), svg("circle", { class: "num", cx: spot.x + 10, cy: spot.y + 10, r: 8 }),
        svg("text", { class: "numtext", x: spot.x + 10, y: spot.y + 14 }, step.number), svg("title", {}, told));
      this.edges.set(step.number, g);
    }

    impliedEdge(step, d) {
      const line = svg("path", { class: "line", d });
      this.wireLayer.append(line);
      const g = svg("g", { class: "wire wr implied" }, line, this.head(line), svg("title", {}, `${this.name(step.to)} read ${step.key} from ${this.name(step.from)}`));
      this.implied.push({ step, g });
      this.wireLayer.append(g);
    }

    head(line) {
      const length = line.getTotalLength();
      const tip = line.getPointAtLength(length);
      const back = line.getPointAtLength(Math.max(length - 9, 0));
      const angle = (Math.atan2(tip.y - back.y, tip.x - back.x) * 180) / Math.PI;
      return svg("path", { class: "head", d: "M1 0 L-10 -5 L-10 5 Z", transform: `translate(${tip.x} ${tip.y}) rotate(${angle})` });
    }

    tag(step) { return labelOf(step) + (step.key === undefined ? "" : ` ${shorten(step.key, this.longestKey)}`); }

    claim(step) {
      const side = (id, which) => this.name(id) + (this.story.twoSided && id !== -1 ? (which === "begin" ? "'s begin" : "'s commit") : "");
      return `${side(step.from, step.fromSide)} before ${side(step.to, step.toSide)}`;
    }
    name(id) { return id === -1 ? "the initial state" : this.letters.get(id) || `transaction ${id}`; }

    key(event, at) {
      const all = [...this.edges.keys()];
      const move = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (move) {
        const next = this.edges.get(all[(all.indexOf(at) + move + all.length) % all.length]);
        for (const edge of this.edges.values()) edge.setAttribute("tabindex", "-1");
        next.setAttribute("tabindex", "0");
        next.focus();
      } else if (event.key === "Enter" || event.key === " ") {
        this.onChoose(at, true);
      } else {
        return;
      }
      event.preventDefault();
    }

    light(step) {
      if (!this.svg) return;
      this.svg.classList.toggle("choosing", Boolean(step));
      for (const [n, edge] of this.edges) {
        edge.classList.toggle("lit", Boolean(step) && n === step.number);
        edge.setAttribute("aria-pressed", String(Boolean(step) && n === step.number));
      }
      for (const wire of this.wireLayer.querySelectorAll("[data-of]")) wire.classList.toggle("lit", Boolean(step) && Number(wire.dataset.of) === step.number);
      for (const { step: read, g } of this.implied) g.classList.toggle("lit", Boolean(step) && read.of.includes(step.number));
      const parts = step ? [step.from, step.to, step.witness] : [];
      for (const [id, { g, lights }] of this.boxes) {
        g.classList.toggle("lit", parts.includes(id));
        for (const { op, light } of lights) {
          light.classList.toggle("lit", Boolean(step) && parts.includes(id) && step.keyId !== undefined && op.keyId === step.keyId);
          light.setAttribute("class", light.getAttribute("class").replace(/ (wr|rw|ww|so|rt|as)\b/g, "") + (step ? ` ${kindOf(step)}` : ""));
        }
      }
    }
  }

  // --- a scene: drawing, sentence of what is chosen, steps ----------------------------------------------

  function scene(story, one, letters) {
    const node = el("div", { class: "scene" });
    const byNumber = new Map(one.steps.map((s) => [s.number, s]));
    const cycle = new Set(one.cycle);
    let kept = null;
    let shown = null;
    const told = el("div", { class: "told", "aria-live": "polite" });
    const buttons = new Map();

    const drawing = new Drawing(story, one, letters, (n, keep) => choose(n, keep));
    function choose(n, keep) {
      if (keep) kept = kept === n ? null : n;
      shown = n === null || (keep && kept === null) ? kept : n;
      const step = shown === null ? null : byNumber.get(shown);
      drawing.light(step);
      for (const [number, button] of buttons) button.setAttribute("aria-pressed", String(number === shown));
      told.className = `told ${step ? kindOf(step) : ""}`;
      told.style.borderLeftColor = step ? "var(--edge)" : "";
      told.replaceChildren(...(step
        ? [el("p", {}, el("strong", {}, `${step.number}. ${drawing.claim(step)}`), ` (${labelOf(step)}): ${step.reason}.`), el("p", { class: "why" }, ruleOf(step).means)]
        : [el("p", {}, "An arrow from one transaction to another means: the first must come before the second. Point at an arrow, or click it, to read why."),
          el("p", { class: "why" }, "The thick arrows close the circle. Keyboard: Tab to the arrows or the steps, then the arrow keys; Escape lets go.")]));
    }
    node.addEventListener("keydown", (event) => { if (event.key === "Escape") { kept = null; choose(null, false); } });

    const list = el("ol", { class: "steps", "aria-label": "Steps of the derivation" });
    const claimable = new Set(one.cycle);
    for (const step of one.steps) {
      const button = el("button", { type: "button", class: `step ${kindOf(step)}${step.rule === "program" ? " minor" : ""}`, "aria-pressed": "false", "data-step": step.number, tabindex: step.number === 1 ? "0" : "-1",
        onclick: () => choose(step.number, true), onmouseenter: () => choose(step.number, false), onmouseleave: () => choose(null, false),
        onfocus: () => choose(step.number, false), onblur: () => choose(null, false) },
        el("span", { class: "n", "aria-hidden": "true" }, step.number),
        el("span", {}, el("span", { class: "claim" }, drawing.claim(step)), el("span", { class: "rule" }, labelOf(step) + (step.key === undefined ? "" : ` · ${step.key}`)), claimable.has(step.number) && el("span", { class: "closing" }, "in the circle")),
        step.rule !== "program" && el("span", { class: "reason" }, sentence(step.reason)),
        step.premises.length > 0 && el("span", { class: "premises" }, `Rests on step${step.premises.length > 1 ? "s" : ""} ${step.premises.join(", ")}.`));
      button.addEventListener("keydown", (event) => {
        const all = [...buttons.keys()];
        const at = all.indexOf(step.number);
        const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        const next = buttons.get(all[(to + all.length) % all.length]);
        for (const other of buttons.values()) other.setAttribute("tabindex", "-1");
        next.setAttribute("tabindex", "0");
        next.focus();
      });
      buttons.set(step.number, button);
      list.append(el("li", {}, button));
    }
    const circle = one.cycle.map((n) => byNumber.get(n)).filter(Boolean);
    const kinds = new Set(one.steps.concat(impliedReads(one.steps)).filter((s) => s.from !== s.to).map(kindOf));
    fill(node, {}, [
      el("div", { class: "board" }, drawing.node, told),
      el("ul", { class: "legend", "aria-label": "Kinds of arrows" }, LEGEND.filter(([kind]) => kinds.has(kind)).map(([kind, text]) =>
        el("li", { class: kind }, svg("svg", { width: 30, height: 8, "aria-hidden": "true" }, svg("line", { x1: 1, x2: 29, y1: 4, y2: 4 })), text))),
      el("h3", { class: "sub" }, "Step by step"),
      el("p", { class: "hint" }, "Each step follows from what clients recorded, or from earlier steps."),
      list,
      one.leftOut > 0 && el("p", { class: "hint" }, `… resting on ${counted(one.leftOut, "earlier step")} not shown here; assay check --json lists all.`),
      circle.length > 0 && el("p", { class: "contradiction" }, el("span", { class: "circle" }, `The contradiction: ${circle.map((s) => drawing.name(s.from)).filter((name, i, all) => name !== all[i - 1]).concat(drawing.name(circle[0].from)).join(" → ")}`),
        ` (steps ${one.cycle.join(", ")}). Each would have to come before the next, and the last before the first. No order does that.`)]);
    choose(null, false);
    const redraw = () => { drawing.draw(drawing.node.clientWidth || 800); choose(null, false); };
    return { node, redraw };
  }

  function sentence(text) { return text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : ""; }

  // --- the timeline: a row per session, the transactions involved and their neighbours ------------------

  function timeline(story, letters) {
    const ids = new Set(story.cast.map((c) => c.transaction));
    const lanes = [...new Set(story.cast.map((c) => transactions.get(c.transaction)).filter(Boolean).map((t) => t.session))];
    const near = (t) => [...ids].some((id) => { const o = transactions.get(id); return o && o.session === t.session && Math.abs(o.position - t.position) <= 3; });
    const shown = data.transactions.filter((t) => lanes.includes(t.session) && near(t));
    if (shown.length === 0) return null;
    const clocked = shown.every((t) => t.start !== undefined && t.end !== undefined && t.end >= t.start);
    const unit = 62;
    const left = 96;
    const laneH = 44;
    const place = new Map();
    let width;
    if (clocked) {
      // The order of all moments is true; the distances are squeezed, or a long pause would hide what matters.
      const moments = [...new Set(shown.flatMap((t) => [t.start, t.end]))].sort((a, b) => a - b);
      const gaps = moments.slice(1).map((m, i) => m - moments[i]);
      const typical = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length / 2)] || 1;
      const at = new Map([[moments[0], left]]);
      const weights = gaps.map((gap) => Math.min(Math.log2(1 + gap / typical), 4));
      const sum = weights.reduce((a, b) => a + b, 0) || 1;
      const stretch = Math.min(Math.max((940 - left - 9 * gaps.length) / sum, 5), 60);
      let x = left;
      weights.forEach((weight, i) => { x += 9 + stretch * weight; at.set(moments[i + 1], x); });
      width = x + 20;
      for (const t of shown) place.set(t.id, { x: at.get(t.start), w: Math.max(at.get(t.end) - at.get(t.start), 6) });
    } else {
      width = left;
      for (const lane of lanes) {
        let x = left;
        let last = null;
        for (const t of shown.filter((s) => s.session === lane).sort((a, b) => a.position - b.position)) {
          if (last !== null && t.position > last + 1) x += 34;
          place.set(t.id, { x, w: unit - 8 });
          x += unit;
          last = t.position;
        }
        width = Math.max(width, x + 10);
      }
    }
    const height = lanes.length * laneH + (clocked ? 30 : 8);
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Timeline: a row per session" });
    lanes.forEach((lane, i) => {
      const y = i * laneH + 26;
      picture.append(svg("line", { class: "lane-line", x1: left - 6, x2: width, y1: y, y2: y }), svg("text", { class: "lane-name", x: 12, y: y + 4 }, shorten(sessions.get(lane).name, 11), svg("title", {}, `session ${sessions.get(lane).name}, ${counted(sessions.get(lane).transactions, "transaction")}`)));
      let last = null;
      for (const t of shown.filter((s) => s.session === lane).sort((a, b) => a.position - b.position)) {
        const { x, w } = place.get(t.id);
        const involved = ids.has(t.id);
        const text = involved ? letters.get(t.id) : shorten(t.name, Math.floor(w / 7));
        const about = `${involved ? `${letters.get(t.id)} = ` : ""}transaction ${t.name} of session ${sessionName(t)}, ${t.status}${clocked ? `, ran ${duration(t.end - t.start)}` : ""}: ${t.operations.map((op) => `${verb(op)} ${op.key}${valueOf(op) ? join(op) + valueOf(op) : ""}`).slice(0, 6).join(", ")}${t.count > 6 ? ", …" : ""}`;
        if (last !== null && t.position > last + 1 && !clocked) picture.append(svg("text", { class: "gap", x: x - 21, y: y + 4 }, `⋯`, svg("title", {}, `${counted(t.position - last - 1, "transaction")} between`)));
        last = t.position;
        const go = () => show(t.id);
        picture.append(svg("g", { class: `bar ${t.status}${involved ? " involved" : ""}`, tabindex: involved ? "0" : "-1", role: "button", "aria-label": about, "data-transaction": t.id, onclick: go, onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(); } } },
          svg("rect", { x, y: y - 12, width: w, height: 24, rx: 5 }), w > 12 && svg("text", { x: x + w / 2, y: y + 4 }, text), svg("title", {}, about)));
      }
    });
    if (clocked) {
      const first = Math.min(...shown.map((t) => t.start));
      const last = Math.max(...shown.map((t) => t.end));
      picture.append(svg("text", { class: "axis", x: left, y: height - 8 }, "earlier"), svg("text", { class: "axis", x: width - 20, y: height - 8, "text-anchor": "end" }, `${duration(last - first)} in all →`));
    }
    const holder = el("div", { class: "drawing" }, picture);
    const spots = [...ids].map((id) => place.get(id)).filter(Boolean);
    redraws.push(() => { holder.scrollLeft = Math.min(...spots.map((p) => p.x)) - 120; });
    return el("div", {}, el("h3", { class: "sub" }, "Where they ran"),
      el("p", { class: "hint" }, clocked ? "A row per session; red: the transactions involved, grey: their neighbours. The order of starts and ends is that of the clock; distances are squeezed." : "A row per session; red: the transactions involved, grey: their neighbours. The history has no clock times for all of them, so each row shows only the order within its session."),
      holder);
  }

  function show(id) {
    const card = document.querySelector(`[data-card="${Number(id)}"]`);
    if (!card) return;
    const details = card.closest("details");
    if (details) details.open = true;
    document.querySelectorAll(".txn.target").forEach((c) => c.classList.remove("target"));
    card.classList.add("target");
    card.scrollIntoView({ block: "nearest" });
    card.focus({ preventScroll: true });
  }

  // --- tables of operations -----------------------------------------------------------------------------

  function card(t, letter, keys, reads, headless) {
    const times = t.start !== undefined && t.end !== undefined ? `, from ${duration(t.start)} to ${duration(t.end)}` : "";
    const hidden = t.count - t.operations.length;
    return el("div", { class: "txn", tabindex: "-1", "data-card": headless ? null : t.id },
      el("h4", {}, letter ? `${letter}: ` : "", `transaction ${t.name}`),
      el("p", { class: "where" }, `session ${sessionName(t)}, number ${number(t.position + 1)} there, ${t.status}${times}`),
      el("table", {}, el("thead", {}, el("tr", {}, ["#", "did", "key", "value"].map((h) => el("th", { scope: "col" }, h)))),
        el("tbody", {}, t.operations.map((op) => el("tr", { class: keys.has(op.keyId) || reads.has(`${t.id}:${op.at}`) ? "key" : null },
          el("td", { class: "mono" }, op.at + 1), el("td", {}, verb(op)), el("td", { class: "mono" }, op.key), el("td", { class: `mono${op.initial ? " initial" : ""}` }, valueOf(op)))))),
      hidden > 0 && el("p", { class: "where" }, `… and ${number(hidden)} more`));
  }

  function operationTables(story, letters) {
    const keys = new Set(story.scenes.flatMap((s) => s.steps.map((x) => x.keyId)).concat(story.reads.map((r) => r.keyId)).filter((k) => k !== undefined));
    const reads = new Set(story.reads.flatMap((r) => [`${r.transaction}:${r.at}`, `${r.writer}:${r.writeAt}`]));
    const cast = story.cast.map((c) => transactions.get(c.transaction)).filter(Boolean);
    const lanes = new Set(cast.map((t) => t.session));
    const others = data.transactions.filter((t) => lanes.has(t.session) && !t.involved);
    return el("div", {}, el("h3", { class: "sub" }, "What they did"),
      el("p", { class: "hint" }, "Every operation as the clients recorded it; marked: those on the keys that the evidence speaks of. “initial” is the state before any write."),
      el("div", { class: "ops" }, cast.map((t) => card(t, letters.get(t.id), keys, reads))),
      others.length > 0 && el("details", {}, el("summary", {}, `The neighbours in the same sessions (${number(others.length)})`), el("div", { class: "ops" }, others.map((t) => card(t, "", keys, reads)))));
  }

  // --- a story ------------------------------------------------------------------------------------------

  const redraws = [];

  function storySection(story, index) {
    const letters = new Map(story.cast.map((c) => [c.transaction, c.label]));
    const title = story.anomaly ? story.anomaly.replace(/-/g, " ") + (story.code ? ` (${story.code})` : "") : "What went wrong";
    const node = el("section", { class: "story", "aria-labelledby": `story-${index}` },
      el("h2", { id: `story-${index}` }, data.levels.length > 1 ? `Why ${story.level} is violated${story.anomaly ? ": " : ""}` : story.anomaly ? "" : title, story.anomaly && el("span", { class: "anomaly" }, data.levels.length > 1 ? title : title[0].toUpperCase() + title.slice(1))),
      data.levels.length > 1 && el("p", { class: "promise" }, `It promises: ${story.promise}`),
      index > 0 && story.sentences.map((s) => el("p", { class: "lead" }, s)),
      index > 0 && story.consequence && el("p", { class: "promise" }, `What it means: ${story.consequence}`),
      story.cast.length > 0 && story.reads.length === 0 && el("p", { class: "hint" }, story.cast.slice(0, 8).map((c) => { const t = transactions.get(c.transaction); return t ? `${c.label} = transaction ${t.name} of session ${sessionName(t)}` : ""; }).filter(Boolean).join(", ") + (story.cast.length > 8 ? ", …" : "") + "."));
    if (story.reads.length) {
      node.append(el("p", { class: "hint" }, "Whatever the order of the transactions, this cannot be read:"),
        el("ul", { class: "readlist" }, story.reads.map((r) => el("li", {}, el("span", { class: "kind" }, r.anomaly), `: ${sentence(r.sentence)}`))));
      if (story.readsLeftOut) node.append(el("p", { class: "hint" }, `… and ${number(story.readsLeftOut)} more such reads.`));
    }
    if (story.scenes.length === 0) {
      const drawing = new Drawing(story, null, letters, () => {});
      if (story.cast.length && story.cast.length <= 24) { node.append(drawing.node); redraws.push(() => drawing.draw(drawing.node.clientWidth || 800)); }
    } else {
      const views = story.scenes.map((s) => scene(story, s, letters));
      const holder = el("div", {});
      let current = 0;
      const tabs = story.scenes.map((s, i) => el("button", { type: "button", role: "tab", "aria-selected": String(i === 0), tabindex: i === 0 ? "0" : "-1", onclick: () => open(i) }, `Case ${i + 1}: if ${s.assumptions.join(", and ")}`));
      const open = (i) => {
        current = i;
        tabs.forEach((tab, n) => { tab.setAttribute("aria-selected", String(n === i)); tab.setAttribute("tabindex", n === i ? "0" : "-1"); });
        holder.replaceChildren(views[i].node);
        views[i].redraw();
      };
      if (views.length > 1) {
        const strip = el("div", { class: "cases", role: "tablist", "aria-label": "Cases" }, tabs);
        strip.addEventListener("keydown", (event) => {
          const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (!move) return;
          const next = (current + move + tabs.length) % tabs.length;
          open(next);
          tabs[next].focus();
        });
        node.append(el("p", { class: "hint" }, "What was recorded leaves open how some things were. These cases exhaust the ways; each ends in a contradiction."), strip);
        if (story.scenesLeftOut) node.append(el("p", { class: "hint" }, `${counted(story.scenesLeftOut, "further case")} not shown here; assay check --json lists all.`));
      }
      node.append(holder);
      holder.append(views[0].node);
      redraws.push(() => views[current].redraw());
    }
    if (story.castLeftOut) node.append(el("p", { class: "hint" }, `${counted(story.castLeftOut, "further transaction")} not shown here.`));
    const times = timeline(story, letters);
    if (times) node.append(times);
    if (story.cast.length) node.append(operationTables(story, letters));
    return node;
  }

  // --- the commit order, levels, numbers ----------------------------------------------------------------

  function columns(values, label) {
    const most = Math.max(...values) || 1;
    const w = 600 / values.length;
    return svg("svg", { viewBox: "0 0 600 120", preserveAspectRatio: "none", role: "img", "aria-label": label, style: "height:120px" },
      svg("line", { class: "base", x1: 0, x2: 600, y1: 119.5, y2: 119.5 }),
      values.map((v, i) => v > 0 && svg("rect", { class: "column", x: i * w, width: Math.max(w - 0.5, 0.8), y: 119 - (110 * v) / most, height: (110 * v) / most })));
  }

  function orderSection() {
    const order = data.commitOrder;
    if (!order || data.stories.length) return;
    const node = document.getElementById("order");
    node.hidden = false;
    node.append(el("h2", { id: "order-title" }, "The order that explains it, against the clock"),
      el("p", { class: "hint" }, order.count === 0
        ? `The check found an order of commits for ${order.level}. It never puts a transaction before one that had already ended when it started: it agrees with the clock for all ${number(order.compared)} transactions that have times.`
        : `The check found an order of commits for ${order.level}. In it ${number(order.count)} of ${counted(order.compared, "transaction")} (${percent(order.count / order.compared)}) come after one that, by the clock, started only after they had ended. ${order.level.includes("strict") || order.level.startsWith("strong") ? "The clocks' drift allows that." : "The level allows that: it promises nothing about real time. Another order may depart less."}`));
    if (order.count === 0) return;
    node.append(el("div", { class: "charts" },
      order.over.length >= 40 && el("div", { class: "chart" }, el("h3", {}, "How far it departs"), el("p", { class: "hint" }, `From the first commit (left) to the last; the highest is ${duration(Math.max(...order.over))}.`), columns(order.over, "Largest departure from the clock along the commit order")),
      el("div", { class: "chart" }, el("h3", {}, "The largest departures"), el("div", { class: "scroll" }, el("table", {},
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "comes first in the order"), el("th", { scope: "col" }, "although this had ended"), el("th", { class: "num", scope: "col" }, "earlier by"))),
        el("tbody", {}, order.largest.map((d) => el("tr", {}, el("td", {}, d.earlier), el("td", {}, d.later), el("td", { class: "num" }, duration(d.seconds))))))))));
  }

  function levelsSection() {
    if (data.levels.length < 2) return;
    const node = document.getElementById("levels");
    node.hidden = false;
    node.append(el("h2", { id: "levels-title" }, "Level by level"),
      el("div", { class: "scroll" }, el("table", { class: "levels-table" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "level"), el("th", { scope: "col" }, "verdict"), el("th", { class: "what", scope: "col" }, "what it promises"))),
        el("tbody", {}, data.levels.map((l) => el("tr", {}, el("td", {}, el("strong", {}, l.name)), el("td", {}, el("span", { class: l.verdict }, l.verdict), l.since && `, since ${l.since} is`, l.verdict === "undecided" && l.reason && `: ${l.reason}`), el("td", { class: "what" }, l.promise)))))));
  }

  const meterRow = (name, share, text) => el("tr", {}, el("td", { class: "mono" }, name), el("td", { class: "meter", "aria-hidden": "true" }, el("i", { style: `width:${Math.max(share * 100, 0.5).toFixed(2)}%` })), el("td", { class: "num" }, text));
  const chart = (title, hint, body) => el("div", { class: "chart" }, el("h3", {}, title), hint && el("p", { class: "hint" }, hint), body);
  const meters = (title, hint, rows) => chart(title, hint, el("table", {}, el("tbody", {}, rows)));

  function numbersSection() {
    const s = data.statistics;
    const h = data.history;
    const tile = (name, value, small) => el("div", {}, el("dt", {}, name), el("dd", {}, value, small && el("small", {}, small)));
    const node = document.getElementById("numbers");
    node.append(el("h2", { id: "numbers-title" }, "The history in numbers"), el("dl", { class: "tiles" },
      tile("transactions", number(h.transactions), `${number(s.committed)} committed, ${number(s.aborted)} aborted, ${number(s.unknown)} unknown`),
      tile("sessions", number(h.sessions), `the longest has ${number(s.longestSession)}`),
      tile("operations", number(h.operations), `at most ${number(s.mostOperations)} in a transaction`),
      tile("keys", number(h.keys), `${counted(s.values, "distinct value")}`),
      tile("initial reads", number(s.readsOfInitial), "found nothing written yet"),
      s.repeatedValues > 0 && tile("repeated values", number(s.repeatedValues), `${counted(s.ambiguousReads, "read")} of them`),
      s.concurrency && tile("at the same time", s.concurrency.mean.toFixed(1), `on average, at most ${number(s.concurrency.most)}`),
      tile("time to decide", duration(data.checkSeconds), `reading took ${duration(data.readSeconds)}`)));
    const charts = el("div", { class: "charts" });
    if (data.running) {
      const v = data.running.mean;
      const most = Math.max(...v) || 1;
      const path = `M0 120 ${v.map((n, i) => `L${((i + 0.5) * 600) / v.length} ${120 - (112 * n) / most}`).join(" ")} L600 120 Z`;
      charts.append(chart("Transactions running at a time", `Over ${duration(data.running.seconds * v.length)}; the highest average of a ${v.length}th of it is ${most.toFixed(1)}.`,
        svg("svg", { viewBox: "0 0 600 120", preserveAspectRatio: "none", role: "img", "aria-label": "Transactions running over time", style: "height:120px" }, svg("path", { class: "area", d: path }))));
    }
    if (s.hotKeys.length) charts.append(meters("Hot keys", "Share of all operations that name a key.", s.hotKeys.map((k) => meterRow(k.key, k.share / s.hotKeys[0].share, `${number(k.operations)} · ${percent(k.share)}`))));
    if (s.kinds.length) {
      const most = Math.max(...s.kinds.map((k) => k.count));
      charts.append(meters("Operations by kind", "", s.kinds.map((k) => meterRow(k.name, k.count / most, `${number(k.count)} · ${percent(k.count / h.operations)}`))));
    }
    const worked = data.levels.filter((l) => l.phases.length).sort((a, b) => b.seconds - a.seconds);
    for (const level of worked.slice(0, 2)) {
      const most = Math.max(...level.phases.map((p) => p.seconds)) || 1;
      charts.append(meters(`How ${level.name} was decided`, `${level.method ? `Decided by ${level.method}. ` : ""}${level.counts.slice(0, 6).map((c) => `${c.name}: ${number(c.value)}`).join(", ")}`,
        level.phases.map((p) => meterRow(p.name, p.seconds / most, `${duration(p.seconds)}${p.bytes ? ` · ${bytes(p.bytes)}` : ""}`))));
    }
    node.append(charts);
  }

  // --- theme --------------------------------------------------------------------------------------------

  function theme() {
    const button = document.getElementById("theme");
    const system = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
    const tell = () => {
      button.textContent = isDark() ? "Light theme" : "Dark theme";
      button.setAttribute("aria-pressed", String(isDark()));
    };
    button.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; tell(); });
    system.addEventListener("change", tell);
    tell();
  }

  theme();
  verdict();
  document.getElementById("stories").append(...data.stories.map(storySection));
  if (data.storiesLeftOut) document.getElementById("stories").append(el("p", { class: "hint" }, `${counted(data.storiesLeftOut, "further violated level")} not told here.`));
  orderSection();
  levelsSection();
  numbersSection();
  document.getElementById("foot").append(`Assay ${data.assay}. This page is one file and fetches nothing.`);
  const redraw = () => redraws.forEach((draw) => draw());
  redraw();
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; redraw(); } });
})();
