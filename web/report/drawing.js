// The drawing: a column per session, boxes for transactions, arrows for steps.

class Drawing {
  constructor(story, scene, letters, hearing) {
    this.story = story;
    this.scene = scene;
    this.letters = letters;
    this.hearing = hearing;
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
    for (const s of steps)
      if (cycle.has(s.number)) {
        cyclic.add(s.from);
        cyclic.add(s.to);
      }
    const used = new Set(steps.flatMap((s) => [s.from, s.to, s.witness]));
    const cast = story.cast.map((c) => transactions.get(c.transaction)).filter((t) => t && (!scene || used.has(t.id)));
    const keys = new Set(
      steps
        .map((s) => s.keyId)
        .concat(story.reads.map((r) => r.keyId))
        .filter((k) => k !== undefined),
    );
    const reads = new Set(story.reads.flatMap((r) => [`${r.transaction}:${r.at}`, `${r.writer}:${r.writeAt}`]));
    const drawn = steps.filter(
      (s) => s.from !== s.to && (s.from === -1 || transactions.has(s.from)) && (s.to === -1 || transactions.has(s.to)),
    );
    const many = drawn.length > 26;
    const implied = many ? [] : impliedReads(steps).filter((s) => transactions.has(s.from) && transactions.has(s.to));
    const shownEdges = (many ? drawn.filter((s) => cycle.has(s.number)) : drawn).concat(implied);

    const row = rows(cast, steps.concat(implied));
    const rowCount = Math.max(0, ...row.values()) + 1;
    const topRow = (session) => Math.min(...cast.filter((t) => t.session === session).map((t) => row.get(t.id)));
    // What the others started from stands on the left, as one reads.
    const isSource = (session) =>
      topRow(session) === 0 && cast.every((t) => t.session !== session || !cyclic.has(t.id));
    const inOrder = [...new Set(cast.map((t) => t.session))];
    const lanes = inOrder.filter(isSource).concat(inOrder.filter((session) => !isSource(session)));
    const loops = { left: false, right: false };
    for (const step of shownEdges) {
      const known = transactions.get(Math.max(step.from, step.to));
      if (
        Math.min(step.from, step.to) < 0 &&
        row.get(known.id) > topRow(known.session) &&
        known.session === lanes[lanes.length - 1]
      )
        loops.right = true;
      if (step.from < 0 || step.to < 0 || transactions.get(step.from).session !== transactions.get(step.to).session)
        continue;
      if (row.get(step.to) !== row.get(step.from) + 1)
        loops[transactions.get(step.from).session === lanes[0] ? "left" : "right"] = true;
    }
    const mostOps = narrow ? 5 : 8;
    const lineLength = (op) => `${verb(op)} ${op.key}${valueOf(op) ? join(op) + valueOf(op) : ""}`.length;
    const longestLine = Math.max(0, ...cast.flatMap((t) => opsToShow(t, keys, reads, mostOps).shown.map(lineLength)));
    // The widest form that fits: with labels on the arrows, or else with numbers alone.
    const roomy = Math.min(Math.max(7 * longestLine + 30, 186), 300);
    this.longestKey = lanes.length > 2 ? 8 : 14;
    const longest = Math.max(0, ...shownEdges.filter((s) => !s.of).map((s) => this.tag(s).length));
    const wordGap = Math.min(Math.max(50 + 6.3 * longest, 120), 240);
    const forms = [roomy, 220, 186, 164]
      .filter((boxW) => boxW <= roomy)
      .map((boxW) => ({ boxW, gapX: wordGap, words: true }))
      .concat([
        { boxW: 200, gapX: 70, words: false },
        { boxW: 164, gapX: 60, words: false },
        { boxW: 138, gapX: 56, words: false },
      ]);
    const margins = (f) => ({
      left: loops.left ? (f.words ? 150 : 44) : 11,
      right: loops.right ? (f.words ? 150 : 44) : 11,
    });
    const breadth = (f) =>
      margins(f).left + margins(f).right + lanes.length * f.boxW + Math.max(lanes.length - 1, 0) * f.gapX;
    const fitting =
      forms.find((f) => breadth(f) <= width && (f.words || !narrow || f.boxW <= 164)) ||
      forms[forms.length - (narrow ? 1 : 2)];
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
      for (const [id, other] of [
        [s.from, s.to],
        [s.to, s.from],
      ]) {
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
      place.set(t.id, {
        x: laneX(t.session),
        y: rowTop[row.get(t.id)],
        w: boxW,
        h,
        lane: lanes.indexOf(t.session),
        row: row.get(t.id),
        first: row.get(t.id) === topRow(t.session),
      });
    }
    if (hasInitial)
      place.set(-1, { x: margin, y: 34, w: lanes.length * (boxW + gapX) - gapX, h: 30, lane: -1, row: -1 });

    const picture = svg("svg", {
      width: total,
      height,
      viewBox: `0 0 ${total} ${height}`,
      role: "group",
      "aria-label": "Drawing of the transactions involved and the order that their reads and writes force",
    });
    this.svg = picture;
    this.edges.clear();
    this.boxes.clear();
    this.implied = [];
    for (const session of lanes) {
      const x = laneX(session) + boxW / 2;
      picture.append(
        svg("line", { class: "lane-line", x1: x, x2: x, y1: 28, y2: height - 8 }),
        svg(
          "text",
          { class: "lane-name", x, y: 20, "text-anchor": "middle" },
          shorten(`session ${sessions.get(session).name}`, narrow ? 18 : 28),
        ),
      );
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
    for (const edge of this.edges.values()) {
      edge.setAttribute("tabindex", first ? "0" : "-1");
      first = false;
    }
  }

  box(t, at, { ops, h }, cyclic, lineH) {
    const letter = this.letters.get(t.id) || "";
    const chars = Math.floor((at.w - 22) / 7);
    const g = svg(
      "g",
      { class: `box ${t.status}${cyclic ? " cyclic" : ""}`, transform: `translate(${at.x} ${at.y})` },
      svg("rect", { class: "body", width: at.w, height: h, rx: 9 }),
      svg("text", { class: "letter", x: 12, y: 21 }, letter),
      svg(
        "text",
        { class: "tname", x: 14 + 10 * letter.length + 6, y: 21 },
        shorten(
          `${at.w < 160 ? "txn" : "transaction"} ${t.name}${t.status === "committed" ? "" : `, ${t.status}`}`,
          Math.floor((at.w - 34) / 6.2),
        ),
      ),
      svg("title", {}, `${letter} = transaction ${t.name} of session ${sessionName(t)} (${t.status})`),
    );
    const lights = [];
    ops.shown.forEach((op, i) => {
      const y = 44 + i * lineH;
      const light = svg("rect", { class: "oplight", x: 6, y: y - 13, width: at.w - 12, height: lineH, rx: 3 });
      const text = `${verb(op)} ${op.key}`;
      const value = valueOf(op);
      const room = Math.max(chars - shorten(text, chars - 4).length - 3, 3);
      g.append(
        light,
        svg(
          "text",
          { class: `op${op.initial ? " initial" : ""}`, x: 12, y },
          shorten(text, chars - 4),
          value && join(op),
          value && svg("tspan", { class: "value" }, shorten(value, room)),
          svg("title", {}, `${text}${value ? join(op) + value : ""}`),
        ),
      );
      lights.push({ op, light });
    });
    if (ops.hidden > 0)
      g.append(
        svg("text", { class: "more", x: 12, y: 44 + ops.shown.length * lineH }, `… and ${number(ops.hidden)} more`),
      );
    this.boxes.set(t.id, { g, lights });
    return g;
  }

  initialBox(at, cyclic) {
    const g = svg(
      "g",
      { class: `box${cyclic ? " cyclic" : ""}`, transform: `translate(${at.x} ${at.y})` },
      svg("rect", { class: "body", width: at.w, height: at.h, rx: 9 }),
      svg(
        "text",
        { class: "tname", x: at.w / 2, y: 19, "text-anchor": "middle" },
        "the initial state, before any transaction",
      ),
    );
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
      list.sort(
        (m, n) =>
          (vertical ? m.other.y - n.other.y : m.other.x - n.other.x) ||
          (m.e.step.number || 99) - (n.e.step.number || 99),
      );
      list.forEach((entry, i) => {
        const share = (i + 1) / (list.length + 1);
        const { box } = entry;
        if (box.lane === -1) {
          const x = entry.other.first
            ? entry.other.x + entry.other.w * (0.1 + 0.8 * share)
            : entry.other.x + entry.other.w + 22 + 10 * i;
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
        d =
          `M${p[0]} ${p[1]} C${x1} ${p[1]} ${p[0] + dir * turn * 0.3} ${yMid} ${x1 + dir * 20} ${yMid}` +
          ` L${x2 - dir * 20} ${yMid} C${q[0] - dir * turn * 0.3} ${yMid} ${x2} ${q[1]} ${q[0]} ${q[1]}`;
      }
      if (e.step.of) this.impliedEdge(e.step, d);
      else this.edge(e.step, d, cycle.has(e.step.number), taken, words);
    }
  }

  // The line lies below all labels; the label is what takes the focus.
  edge(step, d, inCycle, taken, words) {
    const look = `${kindOf(step)}${inCycle ? " in-cycle" : ""}`;
    const told = `Step ${step.number}: ${this.claim(step)}: ${step.reason}.`;
    const { onfocus, onblur, ...mouse } = this.hearing(step.number);
    const line = svg("path", { class: "line", d });
    this.wireLayer.append(line); // lengths are known only of what is in the document
    this.wireLayer.append(
      svg(
        "g",
        { class: `wire ${look}`, "data-of": step.number, ...mouse },
        svg("path", { class: "hit", d }),
        line,
        this.head(line),
        svg("title", {}, told),
      ),
    );

    const text = svg("text", { class: "tagtext" }, words ? this.tag(step) : "");
    const g = svg(
      "g",
      {
        class: `edge ${look}`,
        role: "button",
        "aria-pressed": "false",
        "aria-label": told,
        "data-step": step.number,
        ...mouse,
        onfocus,
        onblur,
        onkeydown: (event) => this.key(event, step.number),
      },
      text,
    );
    this.tagLayer.append(g);
    const w = words ? 30 + text.getComputedTextLength() : 20;
    const length = line.getTotalLength();
    let spot = null;
    // On the arrow where there is room; else a little beside it.
    const shares = [0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.2, 0.8];
    for (const [share, beside] of [0, -12, 12, -24, 24, -36, 36].flatMap((dy) => shares.map((at) => [at, dy]))) {
      const m = line.getPointAtLength(length * share);
      const rect = { x: m.x - w / 2, y: m.y - 10 + beside, w, h: 20 };
      const clear = taken.every(
        (o) => rect.x > o.x + o.w || o.x > rect.x + rect.w || rect.y > o.y + o.h || o.y > rect.y + rect.h,
      );
      if (!spot || clear) spot = rect;
      if (clear) break;
    }
    taken.push(spot);
    text.setAttribute("x", spot.x + 22);
    text.setAttribute("y", spot.y + 14);
    g.prepend(
      svg("rect", { class: "tag", x: spot.x, y: spot.y, width: w, height: 20, rx: 10 }),
      svg("circle", { class: "num", cx: spot.x + 10, cy: spot.y + 10, r: 8 }),
      svg("text", { class: "numtext", x: spot.x + 10, y: spot.y + 14 }, step.number),
      svg("title", {}, told),
    );
    this.edges.set(step.number, g);
  }

  impliedEdge(step, d) {
    const line = svg("path", { class: "line", d });
    this.wireLayer.append(line);
    const g = svg(
      "g",
      { class: "wire wr implied" },
      line,
      this.head(line),
      svg("title", {}, `${this.name(step.to)} read ${step.key} from ${this.name(step.from)}`),
    );
    this.implied.push({ step, g });
    this.wireLayer.append(g);
  }

  head(line) {
    const length = line.getTotalLength();
    const tip = line.getPointAtLength(length);
    const back = line.getPointAtLength(Math.max(length - 9, 0));
    const angle = (Math.atan2(tip.y - back.y, tip.x - back.x) * 180) / Math.PI;
    return svg("path", {
      class: "head",
      d: "M1 0 L-10 -5 L-10 5 Z",
      transform: `translate(${tip.x} ${tip.y}) rotate(${angle})`,
    });
  }

  tag(step) {
    return labelOf(step) + (step.key === undefined ? "" : ` ${shorten(step.key, this.longestKey)}`);
  }

  claim(step) {
    const side = (id, which) =>
      this.name(id) + (this.story.twoSided && id !== -1 ? (which === "begin" ? "'s begin" : "'s commit") : "");
    return `${side(step.from, step.fromSide)} before ${side(step.to, step.toSide)}`;
  }
  name(id) {
    return id === -1 ? "the initial state" : this.letters.get(id) || `transaction ${id}`;
  }

  key(event, at) {
    const all = [...this.edges.keys()];
    const move = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (move) {
      const next = this.edges.get(all[(all.indexOf(at) + move + all.length) % all.length]);
      for (const edge of this.edges.values()) edge.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      this.hearing(at).onclick();
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
    for (const wire of this.wireLayer.querySelectorAll("[data-of]"))
      wire.classList.toggle("lit", Boolean(step) && Number(wire.dataset.of) === step.number);
    for (const { step: read, g } of this.implied)
      g.classList.toggle("lit", Boolean(step) && read.of.includes(step.number));
    const parts = step ? [step.from, step.to, step.witness] : [];
    for (const [id, { g, lights }] of this.boxes) {
      g.classList.toggle("lit", parts.includes(id));
      for (const { op, light } of lights) {
        light.classList.toggle(
          "lit",
          Boolean(step) && parts.includes(id) && step.keyId !== undefined && op.keyId === step.keyId,
        );
        light.setAttribute(
          "class",
          light.getAttribute("class").replace(/ (wr|rw|ww|so|rt|as)\b/g, "") + (step ? ` ${kindOf(step)}` : ""),
        );
      }
    }
  }
}
