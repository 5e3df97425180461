// Impossible reads: where there are many, by kind, key, session and over time; then three examples.

const EXAMPLES = 3;

function groups(title, { shown, inAll }, total) {
  const rest = inAll - shown.length;
  return meters(
    title,
    rest > 0 ? `The ${shown.length} with most; ${counted(rest, "other")} not shown.` : "",
    shown.map((g) => meterRow(g.name, g.count / shown[0].count, `${number(g.count)} · ${percent(g.count / total)}`)),
  );
}

function badReads(story) {
  const { badReads: all, reads } = story;
  const item = (r) => el("li", {}, el("span", { class: "kind" }, r.anomaly), `: ${sentence(r.sentence)}`);
  const rest = reads.slice(EXAMPLES);
  const out = [
    el(
      "p",
      { class: "hint" },
      `${counted(all.total, "read")} that no order of the transactions explains` +
        (all.total > EXAMPLES ? `. ${capital(counted(EXAMPLES, "example"))}:` : ":"),
    ),
    el("ul", { class: "readlist" }, reads.slice(0, EXAMPLES).map(item)),
  ];
  if (rest.length > 0)
    out.push(
      el(
        "details",
        {},
        el("summary", {}, `${counted(rest.length, "further example")} of ${number(all.total)}`),
        el("ul", { class: "readlist" }, rest.map(item)),
      ),
    );
  if (all.total > EXAMPLES) {
    const over = all.over && Math.max(...all.over.counts) > 0 && all.over;
    out.push(
      el(
        "div",
        { class: "charts" },
        groups("By kind", all.kinds, all.total),
        all.keys.shown.length > 0 && groups("By key", all.keys, all.total),
        groups("By session", all.sessions, all.total),
        over &&
          chart(
            "Over time",
            `From the first start (left) to the last end, ${duration(over.seconds)} later.`,
            columns(over.counts, "Impossible reads over time"),
          ),
      ),
    );
  }
  return out;
}
