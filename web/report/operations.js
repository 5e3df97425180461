// Tables of operations.

function card(t, letter, keys, reads, headless) {
  const times = t.start !== undefined && t.end !== undefined ? `, from ${duration(t.start)} to ${duration(t.end)}` : "";
  const hidden = t.count - t.operations.length;
  return el(
    "div",
    { class: "txn", tabindex: "-1", "data-card": headless ? null : t.id },
    el("h4", {}, letter ? `${letter}: ` : "", `transaction ${t.name}`),
    el(
      "p",
      { class: "where" },
      `session ${sessionName(t)}, number ${number(t.position + 1)} there, ${t.status}${times}`,
    ),
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ["#", "did", "key", "value"].map((h) => el("th", { scope: "col" }, h)),
        ),
      ),
      el(
        "tbody",
        {},
        t.operations.map((op) =>
          el(
            "tr",
            { class: keys.has(op.keyId) || reads.has(`${t.id}:${op.at}`) ? "key" : null },
            el("td", { class: "mono" }, op.at + 1),
            el("td", {}, verb(op)),
            el("td", { class: "mono" }, op.key),
            el("td", { class: `mono${op.initial ? " initial" : ""}` }, valueOf(op)),
          ),
        ),
      ),
    ),
    hidden > 0 && el("p", { class: "where" }, `… and ${number(hidden)} more`),
  );
}

function operationTables(story, letters) {
  const keys = new Set(
    story.scenes
      .flatMap((s) => s.steps.map((x) => x.keyId))
      .concat(story.reads.map((r) => r.keyId))
      .filter((k) => k !== undefined),
  );
  const reads = new Set(story.reads.flatMap((r) => [`${r.transaction}:${r.at}`, `${r.writer}:${r.writeAt}`]));
  const cast = story.cast.map((c) => transactions.get(c.transaction)).filter(Boolean);
  const lanes = new Set(cast.map((t) => t.session));
  const others = data.transactions.filter((t) => lanes.has(t.session) && !t.involved);
  return el(
    "div",
    {},
    el("h3", { class: "sub" }, "What they did"),
    el(
      "p",
      { class: "hint" },
      "Every operation as the clients recorded it; marked: those on the keys that the evidence speaks of. " +
        "“initial” is the state before any write.",
    ),
    el(
      "div",
      { class: "ops" },
      cast.map((t) => card(t, letters.get(t.id), keys, reads)),
    ),
    others.length > 0 &&
      el(
        "details",
        {},
        el("summary", {}, `The neighbours in the same sessions (${number(others.length)})`),
        el(
          "div",
          { class: "ops" },
          others.map((t) => card(t, "", keys, reads)),
        ),
      ),
  );
}
