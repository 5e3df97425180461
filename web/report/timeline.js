// The timeline: a row per session, the transactions involved and their neighbours.

function timeline(story, letters) {
  const ids = new Set(story.cast.map((c) => c.transaction));
  const lanes = [
    ...new Set(
      story.cast
        .map((c) => transactions.get(c.transaction))
        .filter(Boolean)
        .map((t) => t.session),
    ),
  ];
  const near = (t) =>
    [...ids].some((id) => {
      const o = transactions.get(id);
      return o && o.session === t.session && Math.abs(o.position - t.position) <= 3;
    });
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
    weights.forEach((weight, i) => {
      x += 9 + stretch * weight;
      at.set(moments[i + 1], x);
    });
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
  const picture = svg("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "group",
    "aria-label": "Timeline: a row per session",
  });
  lanes.forEach((lane, i) => {
    const y = i * laneH + 26;
    picture.append(
      svg("line", { class: "lane-line", x1: left - 6, x2: width, y1: y, y2: y }),
      svg(
        "text",
        { class: "lane-name", x: 12, y: y + 4 },
        shorten(sessions.get(lane).name, 11),
        svg(
          "title",
          {},
          `session ${sessions.get(lane).name}, ${counted(sessions.get(lane).transactions, "transaction")}`,
        ),
      ),
    );
    let last = null;
    for (const t of shown.filter((s) => s.session === lane).sort((a, b) => a.position - b.position)) {
      const { x, w } = place.get(t.id);
      const involved = ids.has(t.id);
      const text = involved ? letters.get(t.id) : shorten(t.name, Math.floor(w / 7));
      const who = `${involved ? `${letters.get(t.id)} = ` : ""}transaction ${t.name} of session ${sessionName(t)}`;
      const did = t.operations
        .map((op) => `${verb(op)} ${op.key}${valueOf(op) ? join(op) + valueOf(op) : ""}`)
        .slice(0, 6);
      const about =
        `${who}, ${t.status}${clocked ? `, ran ${duration(t.end - t.start)}` : ""}: ` +
        `${did.join(", ")}${t.count > 6 ? ", …" : ""}`;
      if (last !== null && t.position > last + 1 && !clocked)
        picture.append(
          svg(
            "text",
            { class: "gap", x: x - 21, y: y + 4 },
            `⋯`,
            svg("title", {}, `${counted(t.position - last - 1, "transaction")} between`),
          ),
        );
      last = t.position;
      const go = () => show(t.id);
      picture.append(
        svg(
          "g",
          {
            class: `bar ${t.status}${involved ? " involved" : ""}`,
            tabindex: involved ? "0" : "-1",
            role: "button",
            "aria-label": about,
            "data-transaction": t.id,
            onclick: go,
            onkeydown: (event) => {
              if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                go();
              }
            },
          },
          svg("rect", { x, y: y - 12, width: w, height: 24, rx: 5 }),
          w > 12 && svg("text", { x: x + w / 2, y: y + 4 }, text),
          svg("title", {}, about),
        ),
      );
    }
  });
  if (clocked) {
    const first = Math.min(...shown.map((t) => t.start));
    const last = Math.max(...shown.map((t) => t.end));
    picture.append(
      svg("text", { class: "axis", x: left, y: height - 8 }, "earlier"),
      svg(
        "text",
        { class: "axis", x: width - 20, y: height - 8, "text-anchor": "end" },
        `${duration(last - first)} in all →`,
      ),
    );
  }
  const holder = el("div", { class: "drawing" }, picture);
  const spots = [...ids].map((id) => place.get(id)).filter(Boolean);
  redraws.push(() => {
    holder.scrollLeft = Math.min(...spots.map((p) => p.x)) - 120;
  });
  return el(
    "div",
    {},
    el("h3", { class: "sub" }, "Where they ran"),
    el(
      "p",
      { class: "hint" },
      clocked
        ? "A row per session; red: the transactions involved, grey: their neighbours. " +
            "The order of starts and ends is that of the clock; distances are squeezed."
        : "A row per session; red: the transactions involved, grey: their neighbours. " +
            "The history has no clock times for all of them, so each row shows only the order within its session.",
    ),
    holder,
  );
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
