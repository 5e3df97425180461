// The arrows of a drawing: each begins and ends at the operations that prove it, and its label takes the focus.

// Where lines meet on their way; not at the operations that they share.
function crossings(lines) {
  const pieces = 24;
  const near = 14;
  const drawn = lines.map((line) => {
    const length = line.getTotalLength();
    return Array.from({ length: pieces + 1 }, (_, i) => line.getPointAtLength((length * i) / pieces));
  });
  const far = (p, line) => [line[0], line.at(-1)].every((end) => Math.hypot(p.x - end.x, p.y - end.y) > near);
  const out = [];
  drawn.forEach((one, i) =>
    drawn.slice(i + 1).forEach((other) => {
      for (let a = 0; a < pieces; ++a)
        for (let b = 0; b < pieces; ++b) {
          const p = meet(one[a], one[a + 1], other[b], other[b + 1]);
          if (p && far(p, one) && far(p, other)) out.push(p);
        }
    }),
  );
  return out;
}

const endsOf = (line) => [0, line.getTotalLength()].map((at) => line.getPointAtLength(at));

// Of two straight lines, each between two points.
function meet(a, b, c, d) {
  const side = (b.x - a.x) * (d.y - c.y) - (b.y - a.y) * (d.x - c.x);
  if (side === 0) return null;
  const s = ((c.x - a.x) * (d.y - c.y) - (c.y - a.y) * (d.x - c.x)) / side;
  const t = ((c.x - a.x) * (b.y - a.y) - (c.y - a.y) * (b.x - a.x)) / side;
  return s >= 0 && s <= 1 && t >= 0 && t <= 1 ? { x: a.x + s * (b.x - a.x), y: a.y + s * (b.y - a.y) } : null;
}

class Arrows {
  constructor(drawing) {
    this.drawing = drawing;
    this.edges = new Map();
    this.implied = [];
  }

  draw(picture, steps, form) {
    this.form = form;
    this.edges.clear();
    this.implied = [];
    for (const tag of picture.querySelectorAll(".writer-tag[data-step]")) this.edges.set(Number(tag.dataset.step), tag);
    this.wireLayer = svg("g");
    this.tagLayer = svg("g");
    picture.append(this.wireLayer, this.tagLayer);
    const taken = [...form.place.values()].map((b) => ({ x: b.x + 4, y: b.y + 4, w: b.w - 8, h: b.h - 8 }));
    const ends = this.ends(steps);
    const reach = (e) => Math.abs(e.a.y - e.b.y);
    if (form.stacked) ends.sort((e, f) => reach(e) - reach(f));
    const way = (e, i) => (form.stacked ? this.arc(e, i) : this.path(e, i));
    const lines = ends.map((e, i) => svg("path", { class: "line", d: way(e, i) }));
    this.wireLayer.append(...lines); // lengths are known only of what is in the document
    this.telling = crossings(lines).concat(lines.flatMap(endsOf));
    ends.forEach((e, i) => {
      if (e.step.of) this.impliedEdge(e.step, lines[i]);
      else this.edge(e.step, lines[i], taken);
    });
    [...this.edges.values()].forEach((edge, i) => edge.setAttribute("tabindex", i === 0 ? "0" : "-1"));
  }

  // Which sides an arrow leaves and enters by.
  sides(step, a, b) {
    if (this.form.stacked) return ["right", "right"];
    if (a.lane === -1) return ["bottom", b.first ? "top" : "right"];
    if (b.lane === -1) return [a.first ? "top" : "right", "bottom"];
    if (a.lane === b.lane) {
      if (step.keyId === undefined && b.row === a.row + 1) return ["bottom", "top"];
      const side = a.lane === 0 ? "left" : "right";
      return [side, side];
    }
    return a.lane < b.lane ? ["right", "left"] : ["left", "right"];
  }

  // Each arrow with the points where it begins (p) and ends (q).
  ends(steps) {
    const out = steps.map((step) => {
      const a = this.form.place.get(step.from);
      const b = this.form.place.get(step.to);
      const [leaves, enters] = this.sides(step, a, b);
      return { step, a, b, leaves, enters };
    });
    const ports = new Map();
    const enter = (e, end, id, box, side, other) => {
      const proof = proving(
        e.step,
        id,
        box.lines.map((each) => each.op),
      );
      const line = proof && box.lines.find((each) => each.op === proof);
      const key = `${id} ${side} ${line ? line.y : ""}`;
      if (!ports.has(key)) ports.set(key, []);
      ports.get(key).push({ e, end, box, side, other, line });
    };
    for (const e of out) {
      enter(e, "p", e.step.from, e.a, e.leaves, e.b);
      enter(e, "q", e.step.to, e.b, e.enters, e.a);
    }
    for (const list of ports.values()) {
      const across = ["top", "bottom"].includes(list[0].side);
      const toward = ({ other }) => (across ? other.x : other.y);
      list.sort((m, n) => toward(m) - toward(n) || m.e.step.number - n.e.step.number);
      list.forEach((port, i) => (port.e[port.end] = this.point(port, i, list.length)));
    }
    return out;
  }

  point({ box, side, other, line }, i, count) {
    const share = (i + 1) / (count + 1);
    if (side === "left" || side === "right") {
      const spread = (i - (count - 1) / 2) * Math.min(6, (LINE - 6) / count);
      return [side === "left" ? box.x : box.x + box.w, box.y + (line ? line.y : Math.min(18, box.h / 2)) + spread];
    }
    const y = side === "top" ? box.y : box.y + box.h;
    if (box.lane !== -1) return [box.x + box.w * share, y];
    return [other.first ? other.x + other.w * (0.1 + 0.8 * share) : other.x + other.w + 22 + 10 * i, y];
  }

  // On the right of boxes that stand one below the other: the shortest runs nearest.
  arc({ p, q }, i) {
    const away = p[0] + 22 + 13 * Math.min(i, 5);
    return `M${p[0]} ${p[1]} C${away} ${p[1]} ${away} ${q[1]} ${q[0]} ${q[1]}`;
  }

  path({ p, q, a, b, leaves, enters }, i) {
    const form = this.form;
    if (leaves === "right" && b.lane === -1)
      return `M${p[0]} ${p[1]} C${q[0]} ${p[1]} ${q[0]} ${p[1] - 30} ${q[0]} ${q[1]}`;
    if (enters === "right" && a.lane === -1)
      return `M${p[0]} ${p[1]} C${p[0]} ${q[1] - 30} ${p[0]} ${q[1]} ${q[0]} ${q[1]}`;
    if (a.lane === -1 || b.lane === -1 || leaves === "bottom" || leaves === "top") {
      const bend = (q[1] - p[1]) * 0.4;
      return `M${p[0]} ${p[1]} C${p[0]} ${p[1] + bend} ${q[0]} ${q[1] - bend} ${q[0]} ${q[1]}`;
    }
    if (a.lane === b.lane) {
      const away = (leaves === "left" ? -1 : 1) * (form.loop + 7 * (i % 4));
      return `M${p[0]} ${p[1]} C${p[0] + away} ${p[1]} ${q[0] + away} ${q[1]} ${q[0]} ${q[1]}`;
    }
    if (Math.abs(a.lane - b.lane) === 1) {
      const bend = (q[0] - p[0]) * 0.45;
      return `M${p[0]} ${p[1]} C${p[0] + bend} ${p[1]} ${q[0] - bend} ${q[1]} ${q[0]} ${q[1]}`;
    }
    // Over lanes between: along the gap below the upper of the two rows, so that no box is crossed.
    const r = Math.min(a.row, b.row);
    const yMid = form.rowTop[r] + form.rowHeight[r] + form.rowGap / 2 + 10 * ((i % 3) - 1);
    const dir = q[0] > p[0] ? 1 : -1;
    const turn = form.gapX * 0.5;
    const x1 = p[0] + dir * turn;
    const x2 = q[0] - dir * turn;
    return (
      `M${p[0]} ${p[1]} C${x1} ${p[1]} ${p[0] + dir * turn * 0.3} ${yMid} ${x1 + dir * 20} ${yMid}` +
      ` L${x2 - dir * 20} ${yMid} C${q[0] - dir * turn * 0.3} ${yMid} ${x2} ${q[1]} ${q[0]} ${q[1]}`
    );
  }

  told(step) {
    return `Step ${step.number}: ${this.drawing.claim(step)}: ${step.reason}.`;
  }
  mouse(step) {
    const { onclick, onmouseenter, onmouseleave } = this.drawing.hearing(step.number);
    return { onclick, onmouseenter, onmouseleave };
  }
  button(step, look, ...children) {
    return svg(
      "g",
      {
        ...{ class: `edge ${look}`, role: "button", "aria-pressed": "false" },
        ...{ "aria-label": this.told(step), "data-step": step.number },
        ...this.drawing.hearing(step.number),
        onkeydown: (event) => this.key(event, step.number),
      },
      children,
      svg("title", {}, this.told(step)),
    );
  }

  // The line lies below all labels; the label is what takes the focus.
  edge(step, line, taken) {
    const { words } = this.form;
    const look = `${kindOf(step)}${this.drawing.cycle.has(step.number) ? " in-cycle" : ""}`;
    const head = this.head(line);
    this.wireLayer.append(
      svg(
        "g",
        { class: `wire ${look}`, "data-of": step.number, ...this.mouse(step) },
        svg("path", { class: "hit", d: line.getAttribute("d") }),
        line,
        head,
        svg("title", {}, this.told(step)),
      ),
    );
    const text = svg("text", { class: "tagtext" }, words ? this.drawing.tag(step) : "");
    const g = this.button(step, look, text);
    this.tagLayer.append(g);
    const w = words ? 30 + text.getComputedTextLength() : 20;
    const spot = this.spot(line, w, taken);
    taken.push(spot);
    text.setAttribute("x", spot.x + 22);
    text.setAttribute("y", spot.y + 14);
    g.prepend(
      svg("rect", { class: "tag", x: spot.x, y: spot.y, width: w, height: 20, rx: 10 }),
      svg("circle", { class: "num", cx: spot.x + 10, cy: spot.y + 10, r: 8 }),
      svg("text", { class: "numtext", x: spot.x + 10, y: spot.y + 14 }, step.number),
    );
    this.edges.set(step.number, g);
  }

  // Where the label goes: on the arrow where there is room; else a little beside it. Where an arrow begins,
  // ends or crosses another, it would hide which is which.
  spot(line, w, taken) {
    const parts = (a, b) => a.x > b.x + b.w || b.x > a.x + a.w || a.y > b.y + b.h || b.y > a.y + a.h;
    const telling = this.telling.map((p) => ({ x: p.x - 8, y: p.y - 4, w: 16, h: 8 }));
    const length = line.getTotalLength();
    // Nearer to where the arrow begins: in the middle it meets those that come the other way.
    const shares = [0.3, 0.38, 0.46, 0.54, 0.22, 0.62, 0.7, 0.15, 0.8];
    const rects = [0, -12, 12, -24, 24, -36, 36].flatMap((beside) =>
      shares.map((share) => {
        const m = line.getPointAtLength(length * share);
        return { x: m.x - w / 2, y: m.y - 10 + beside, w, h: 20 };
      }),
    );
    const clear = rects.filter((rect) => taken.every((o) => parts(rect, o)));
    return clear.find((rect) => telling.every((o) => parts(rect, o))) || clear[0] || rects[0];
  }

  impliedEdge(step, line) {
    const head = this.head(line);
    const g = svg("g", { class: "wire wr implied" }, line, head, svg("title", {}, this.saw(step)));
    this.implied.push({ step, g });
    this.wireLayer.append(g);
  }
  saw(step) {
    return `${this.drawing.name(step.to)} read ${step.key} from ${this.drawing.name(step.from)}`;
  }

  // A mere writer, named at the read of what it wrote.
  writerTag(step, x, y) {
    const width = this.drawing.tagWidth(step);
    const at = step.of ? 8 : 20;
    const parts = [
      svg("rect", { class: "tag", x, y: y - 9, width, height: 18, rx: 9 }),
      !step.of && svg("circle", { class: "num", cx: x + 9, cy: y, r: 7 }),
      !step.of && svg("text", { class: "numtext", x: x + 9, y: y + 4 }, step.number),
      svg("text", { class: "tagtext", x: x + at, y: y + 4 }, `← ${this.drawing.name(step.from)}`),
    ].filter(Boolean);
    if (!step.of) return this.button(step, "wr writer-tag", parts);
    return svg("g", { class: "edge wr implied writer-tag" }, parts, svg("title", {}, this.saw(step)));
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

  key(event, at) {
    const all = [...this.edges.keys()];
    const move = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (move) {
      const next = this.edges.get(all[(all.indexOf(at) + move + all.length) % all.length]);
      for (const edge of this.edges.values()) edge.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      this.drawing.hearing(at).onclick();
    } else {
      return;
    }
    event.preventDefault();
  }

  light(step) {
    for (const [n, edge] of this.edges) {
      edge.classList.toggle("lit", Boolean(step) && n === step.number);
      edge.setAttribute("aria-pressed", String(Boolean(step) && n === step.number));
    }
    for (const wire of this.wireLayer.querySelectorAll("[data-of]"))
      wire.classList.toggle("lit", Boolean(step) && Number(wire.dataset.of) === step.number);
    for (const { step: read, g } of this.implied)
      g.classList.toggle("lit", Boolean(step) && read.of.includes(step.number));
  }
}
