// A story: one violated level, told.

const redraws = [];

function storySection(story, index) {
  const letters = new Map(story.cast.map((c) => [c.transaction, c.label]));
  const title = story.anomaly
    ? story.anomaly.replace(/-/g, " ") + (story.code ? ` (${story.code})` : "")
    : "What went wrong";
  const node = el(
    "section",
    { class: "story", "aria-labelledby": `story-${index}` },
    el(
      "h2",
      { id: `story-${index}` },
      data.levels.length > 1
        ? `Why ${story.level} is violated${story.anomaly ? ": " : ""}`
        : story.anomaly
          ? ""
          : title,
      story.anomaly &&
        el("span", { class: "anomaly" }, data.levels.length > 1 ? title : title[0].toUpperCase() + title.slice(1)),
    ),
    data.levels.length > 1 && el("p", { class: "promise" }, `It promises: ${story.promise}`),
    story.alsoViolated && el("p", { class: "promise" }, `By this anomaly also violated: ${story.alsoViolated}.`),
    index > 0 && story.sentences.map((s) => el("p", { class: "lead" }, s)),
    index > 0 && story.consequence && el("p", { class: "promise" }, `What it means: ${story.consequence}`),
    story.cast.length > 0 &&
      story.reads.length === 0 &&
      el(
        "p",
        { class: "hint" },
        story.cast
          .slice(0, 8)
          .map((c) => {
            const t = transactions.get(c.transaction);
            return t ? `${c.label} = transaction ${t.name} of session ${sessionName(t)}` : "";
          })
          .filter(Boolean)
          .join(", ") +
          (story.cast.length > 8 ? ", …" : "") +
          ".",
      ),
  );
  if (story.reads.length) {
    node.append(
      el("p", { class: "hint" }, "Whatever the order of the transactions, this cannot be read:"),
      el(
        "ul",
        { class: "readlist" },
        story.reads.map((r) => el("li", {}, el("span", { class: "kind" }, r.anomaly), `: ${sentence(r.sentence)}`)),
      ),
    );
    if (story.readsLeftOut)
      node.append(el("p", { class: "hint" }, `… and ${number(story.readsLeftOut)} more such reads.`));
  }
  if (story.scenes.length === 0) {
    const drawing = new Drawing(story, null, letters, () => {});
    if (story.cast.length && story.cast.length <= 24) {
      node.append(drawing.node);
      redraws.push(() => drawing.draw(drawing.node.clientWidth || 800));
    }
  } else {
    const views = story.scenes.map((s) => scene(story, s, letters));
    const holder = el("div", {});
    let current = 0;
    const tabs = story.scenes.map((s, i) =>
      el(
        "button",
        {
          type: "button",
          role: "tab",
          "aria-selected": String(i === 0),
          tabindex: i === 0 ? "0" : "-1",
          onclick: () => open(i),
        },
        `Case ${i + 1}: if ${s.assumptions.join(", and ")}`,
      ),
    );
    const open = (i) => {
      current = i;
      tabs.forEach((tab, n) => {
        tab.setAttribute("aria-selected", String(n === i));
        tab.setAttribute("tabindex", n === i ? "0" : "-1");
      });
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
      node.append(
        el(
          "p",
          { class: "hint" },
          "What was recorded leaves open how some things were. " +
            "These cases exhaust the ways; each ends in a contradiction.",
        ),
        strip,
      );
      if (story.scenesLeftOut)
        node.append(
          el(
            "p",
            { class: "hint" },
            `${counted(story.scenesLeftOut, "further case")} not shown here; assay check --json lists all.`,
          ),
        );
    }
    node.append(holder);
    holder.append(views[0].node);
    redraws.push(() => views[current].redraw());
  }
  if (story.castLeftOut)
    node.append(el("p", { class: "hint" }, `${counted(story.castLeftOut, "further transaction")} not shown here.`));
  const times = timeline(story, letters);
  if (times) node.append(times);
  if (story.cast.length) node.append(operationTables(story, letters));
  return node;
}
