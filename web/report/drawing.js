// The drawing: boxes for transactions, with the operations that matter; a column per session, or on a narrow screen all
// of them one below the other. arrows.js draws the steps between them.

const LINE = 24; // height of an operation's line
const CHAR = 7; // width of a character of an operation
const HEAD = 32; // height of a box above its operations

class Drawing {
  constructor(story, scene, letters, hearing) {
    this.story = story;
    this.scene = scene;
    this.letters = letters;
    this.hearing = hearing; // of a step, by its number: what becomes of mouse and focus
    this.node = el("div", { class: "drawing" });
    this.boxes = new Map();
    this.arrows = new Arrows(this);
    this.pick();
  }

  // Who and what is drawn, whatever the room.
  pick() {
    const { story, scene } = this;
    const steps = scene ? scene.steps : [];
    const known = (id) => id === -1 || transactions.has(id);
    this.cycle = new Set(scene ? scene.cycle : []);
    this.inCircle = new Set(steps.filter((s) => this.cycle.has(s.number)).flatMap((s) => [s.from, s.to]));
    const drawn = steps.filter((s) => s.from !== s.to && known(s.from) && known(s.to));
    const many = drawn.length > 26;
    const implied = (many ? [] : impliedReads(steps)).filter((s) => known(s.from) && known(s.to));
    const seen = story.reads
      .filter((r) => r.writer !== undefined && r.writer !== r.transaction && known(r.writer))
      .map((r) => ({
        ...{ from: r.writer, to: r.transaction, rule: "reads-from", of: [] },
        ...{ key: r.key, keyId: r.keyId, readBy: r.transaction, readAt: r.at },
      }));
    this.edges = (many ? drawn.filter((s) => this.cycle.has(s.number)) : drawn).concat(implied, scene ? [] : seen);
    this.keys = new Set(
      steps
        .map((s) => s.keyId)
        .concat(story.reads.map((r) => r.keyId))
        .filter((k) => k !== undefined),
    );
    this.reads = new Set(
      story.reads
        .flatMap((r) => [`${r.transaction}:${r.at}`, `${r.writer}:${r.writeAt}`])
        .concat(steps.filter((s) => s.readBy !== undefined).map((s) => `${s.readBy}:${s.readAt}`)),
    );
    const used = new Set(steps.flatMap((s) => [s.from, s.to, s.witness]));
    const everyone = story.cast
      .map((c) => transactions.get(c.transaction))
      .filter((t) => t && (!scene || used.has(t.id)));
    this.mere = scene ? mereWriters(everyone, this.edges, this.inCircle) : new Set();
    this.cast = everyone.filter((t) => !this.mere.has(t.id));
    this.row = rows(this.cast, steps.concat(implied));
    this.hasInitial = this.edges.some((s) => s.from === -1 || s.to === -1);
    this.lanes = this.lanesInOrder();
  }

  // What the others started from stands on the left, as one reads.
  lanesInOrder() {
    const isSource = (session) =>
      this.topRow(session) === 0 && this.cast.every((t) => t.session !== session || !this.inCircle.has(t.id));
    const all = [...new Set(this.cast.map((t) => t.session))];
    return all.filter(isSource).concat(all.filter((session) => !isSource(session)));
  }
  topRow(session) {
    return Math.min(...this.cast.filter((t) => t.session === session).map((t) => this.row.get(t.id)));
  }

  // How wide it would like to be: with words on its arrows.
  get wish() {
    return 40 + this.lanes.length * 200 + (this.lanes.length - 1) * 190;
  }

  draw(width) {
    const stacked = width < 560 && this.lanes.length > 1;
    const narrow = width < 560;
    this.shown = new Map(this.cast.map((t) => [t.id, opsToShow(t, this.keys, this.reads, narrow ? 6 : 8)]));
    this.colours = sharedVersions([...this.shown.values()].flatMap(({ shown }) => shown));
    this.tags = this.edges.filter((s) => this.mere.has(s.from));
    const form = stacked ? this.stack(width) : this.columns(width, narrow);
    const picture = svg("svg", {
      width: form.width,
      height: form.height,
      viewBox: `0 0 ${form.width} ${form.height}`,
      role: "group",
      "aria-label": "Drawing of the transactions involved and the order that their reads and writes force",
    });
    this.svg = picture;
    this.boxes.clear();
    for (const { x, name, y } of form.names)
      picture.append(
        svg("line", { class: "lane-line", x1: x, x2: x, y1: y + 8, y2: form.height - 8 }),
        svg("text", { class: "lane-name", x, y, "text-anchor": "middle" }, middle(name, form.nameChars)),
      );
    for (const t of this.cast) picture.append(this.box(t, form.place.get(t.id), stacked));
    if (this.hasInitial) picture.append(this.initialBox(form.place.get(-1)));
    this.node.replaceChildren(picture);
    this.node.classList.toggle("wide", form.width > width);
    this.arrows.draw(
      picture,
      this.edges.filter((s) => !this.mere.has(s.from)),
      form,
    );
  }

  // The lines of each operation in a box of this width, and how high that makes it.
  shape(t, boxW) {
    const chars = Math.floor((boxW - 22) / CHAR);
    const { shown, hidden } = this.shown.get(t.id);
    let y = HEAD;
    const lines = shown.map((op) => {
      const tags = this.tags.filter((s) => s.to === t.id && proving(s, t.id, shown) === op);
      const taken = tags.reduce((sum, s) => sum + Math.ceil(this.tagWidth(s) / CHAR) + 1, 0);
      const told = opLines(op, chars - taken);
      const at = y;
      y += LINE * (1 + told.more.length);
      return { op, told, tags, y: at + 12 };
    });
    if (hidden > 0) y += LINE;
    return { lines, hidden, h: y + 8 };
  }
  tagWidth(step) {
    return (step.of ? 30 : 42) + 7.2 * this.name(step.from).length;
  }

  columns(width, narrow) {
    const loops = this.loops();
    const lineLength = (op) => `${verb(op)} ${op.key}${valueOf(op) ? join(op) + valueOf(op) : ""}`.length;
    const longest = Math.max(0, ...[...this.shown.values()].flatMap(({ shown }) => shown.map(lineLength)));
    const tag = Math.max(0, ...this.tags.map((s) => this.tagWidth(s) + 8));
    const roomy = Math.min(Math.max(CHAR * longest + tag + 30, 190), 360);
    this.longestKey = this.lanes.length > 2 ? 10 : 16;
    const words = Math.max(0, ...this.edges.filter((s) => !s.of).map((s) => this.tag(s).length));
    const wordGap = Math.min(Math.max(50 + 6.3 * words, 120), 240);
    // The widest form that fits: with words on the arrows, or else with numbers alone.
    const forms = [roomy, 280, 240, 210, 186, 164]
      .filter((boxW) => boxW <= roomy)
      .map((boxW) => ({ boxW, gapX: wordGap, words: true }))
      .concat(
        [roomy, 280, 240, 200, 164, 138]
          .filter((boxW) => boxW <= roomy)
          .map((boxW) => ({ boxW, gapX: 64, words: false })),
      );
    const margins = (f) => ({
      left: loops.left ? (f.words ? 150 : 44) : 11,
      right: loops.right ? (f.words ? 150 : 44) : 11,
    });
    const gaps = Math.max(this.lanes.length - 1, 0);
    const breadth = (f) => margins(f).left + margins(f).right + this.lanes.length * f.boxW + gaps * f.gapX;
    const fitting =
      forms.find((f) => breadth(f) <= width && (!narrow || !f.words)) || forms[forms.length - (narrow ? 1 : 2)];
    // Room that is left goes between the columns, where the arrows are.
    const spare = gaps > 0 ? (width - breadth(fitting)) / gaps : 0;
    const form = { ...fitting, gapX: fitting.gapX + Math.max(0, Math.min(spare, fitting.words ? 120 : 60)) };
    const { boxW, gapX } = form;
    const left = margins(form).left;
    const laneX = (session) => left + this.lanes.indexOf(session) * (boxW + gapX);
    const shapes = new Map(this.cast.map((t) => [t.id, this.shape(t, boxW)]));
    const rowGap = 46;
    const rowTop = [];
    const rowHeight = [];
    let y = 38 + (this.hasInitial ? 112 : 0);
    for (let r = 0; r <= Math.max(0, ...this.row.values()); ++r) {
      rowTop.push(y);
      rowHeight.push(
        Math.max(0, ...this.cast.filter((t) => this.row.get(t.id) === r).map((t) => shapes.get(t.id).h)),
      );
      y += rowHeight[r] + rowGap;
    }
    const place = new Map();
    for (const t of this.cast) {
      const row = this.row.get(t.id);
      place.set(t.id, {
        ...shapes.get(t.id),
        ...{ x: laneX(t.session), y: rowTop[row], w: boxW, row },
        ...{ lane: this.lanes.indexOf(t.session), first: row === this.topRow(t.session) },
      });
    }
    if (this.hasInitial)
      place.set(-1, {
        ...{ x: left, y: 34, w: this.lanes.length * (boxW + gapX) - gapX, h: 30 },
        ...{ lane: -1, row: -1, lines: [] },
      });
    return {
      ...{ width: breadth(form), height: y - rowGap + 20, place, gapX, rowTop, rowHeight, rowGap },
      ...{ words: form.words, loop: form.words ? 64 : 26, stacked: false, nameChars: Math.floor(boxW / 6.5) },
      names: this.lanes.map((session) => ({
        ...{ x: laneX(session) + boxW / 2, y: 20 },
        name: `session ${sessions.get(session).name}`,
      })),
    };
  }

  // Whether arrows leave and come back on the outer sides.
  loops() {
    const out = { left: false, right: false };
    for (const step of this.edges) {
      if (this.mere.has(step.from)) continue;
      const one = transactions.get(Math.max(step.from, step.to));
      const above = Math.min(step.from, step.to) < 0 && this.row.get(one.id) > this.topRow(one.session);
      if (above && one.session === this.lanes[this.lanes.length - 1]) out.right = true;
      if (step.from < 0 || step.to < 0) continue;
      const other = transactions.get(step.from);
      if (other.session !== transactions.get(step.to).session) continue;
      if (step.keyId !== undefined || this.row.get(step.to) !== this.row.get(step.from) + 1)
        out[other.session === this.lanes[0] ? "left" : "right"] = true;
    }
    return out;
  }

  // For a phone: one below the other, in an order that the arrows mostly follow; these run on the right.
  stack(width) {
    const arcs = this.edges.filter((s) => !this.mere.has(s.from)).length;
    const boxW = width - 20 - (26 + 13 * Math.min(arcs, 5));
    const lane = (t) => this.lanes.indexOf(t.session);
    const order = [...this.cast].sort((a, b) => this.row.get(a.id) - this.row.get(b.id) || lane(a) - lane(b));
    const place = new Map();
    let y = 12;
    if (this.hasInitial) {
      place.set(-1, { x: 9, y, w: boxW, h: 30, lane: 0, row: -1, lines: [] });
      y += 48;
    }
    order.forEach((t, i) => {
      const shape = this.shape(t, boxW);
      place.set(t.id, { ...shape, x: 9, y, w: boxW, lane: 0, row: i, first: i === 0 });
      y += shape.h + 18;
    });
    return { width, height: y, place, names: [], nameChars: 0, words: false, loop: 26, gapX: 0, stacked: true };
  }

  box(t, at, stacked) {
    const letter = this.letters.get(t.id) || "";
    const status = t.status === "committed" ? "" : `, ${t.status}`;
    const where = stacked ? ` · session ${sessionName(t)}` : "";
    const g = svg(
      "g",
      { class: `box ${t.status}${this.inCircle.has(t.id) ? " cyclic" : ""}`, transform: `translate(${at.x} ${at.y})` },
      svg("rect", { class: "body", width: at.w, height: at.h, rx: 9 }),
      svg("text", { class: "letter", x: 12, y: 21 }, letter),
      svg(
        "text",
        { class: "tname", x: 14 + 10 * letter.length + 6, y: 21 },
        middle(
          `${at.w < 160 || stacked ? "txn" : "transaction"} ${t.name}${status}${where}`,
          Math.floor((at.w - 34) / 6.2),
        ),
      ),
      svg("title", {}, `${letter} = transaction ${t.name} of session ${sessionName(t)} (${t.status})`),
    );
    const lights = at.lines.map((line) => this.line(g, line, at.w));
    if (at.hidden > 0)
      g.append(svg("text", { class: "more", x: 12, y: at.h - 12 }, `… and ${number(at.hidden)} more`));
    this.boxes.set(t.id, { g, lights });
    return g;
  }

  line(g, { op, told, tags, y }, width) {
    const colour = this.colours.get(versionOf(op));
    const height = LINE * (1 + told.more.length);
    const light = svg("rect", { class: "oplight", x: 6, y: y - 12, width: width - 12, height, rx: 3 });
    const chip = (x, top, text) => {
      const size = { width: CHAR * text.length + 6, height: 17, rx: 4 };
      return colour !== undefined && svg("rect", { class: `version v${colour}`, x: x - 3, y: top - 9, ...size });
    };
    const value = (x, top, text) =>
      text && svg("text", { class: `op value${op.initial ? " initial" : ""}`, x, y: top + 4 }, text);
    const x = 12 + CHAR * told.head.length;
    fill(g, {}, [
      light,
      told.value && chip(x, y, told.value),
      svg(
        "text",
        { class: "op", x: 12, y: y + 4, "xml:space": "preserve" },
        told.head,
        svg("title", {}, `${verb(op)} ${op.key}${valueOf(op) ? join(op) + valueOf(op) : ""}`),
      ),
      value(x, y, told.value),
      told.more.map((text, i) => [chip(26, y + LINE * (i + 1), text), value(26, y + LINE * (i + 1), text)]),
    ]);
    let right = width - 8;
    for (const step of tags) {
      right -= this.tagWidth(step);
      g.append(this.arrows.writerTag(step, right, y));
      right -= 4;
    }
    return { op, light };
  }

  initialBox(at) {
    const g = svg(
      "g",
      { class: `box${this.inCircle.has(-1) ? " cyclic" : ""}`, transform: `translate(${at.x} ${at.y})` },
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

  tag(step) {
    return labelOf(step) + (step.key === undefined ? "" : ` ${middle(step.key, this.longestKey)}`);
  }
  claim(step) {
    const side = (id, which) =>
      this.name(id) + (this.story.twoSided && id !== -1 ? (which === "begin" ? "'s begin" : "'s commit") : "");
    return `${side(step.from, step.fromSide)} before ${side(step.to, step.toSide)}`;
  }
  name(id) {
    return id === -1 ? "the initial state" : this.letters.get(id) || `transaction ${id}`;
  }

  light(step) {
    if (!this.svg) return;
    this.svg.classList.toggle("choosing", Boolean(step));
    this.arrows.light(step);
    const parts = step ? [step.from, step.to, step.witness] : [];
    for (const [id, { g, lights }] of this.boxes) {
      g.classList.toggle("lit", parts.includes(id));
      for (const { op, light } of lights) {
        const behind = Boolean(step) && parts.includes(id) && step.keyId !== undefined;
        const named = behind && (op.keyId === step.keyId || (id === step.readBy && op.at === step.readAt));
        light.setAttribute("class", `oplight${named ? ` lit ${kindOf(step)}` : ""}`);
      }
    }
  }
}
