// A story: one violated level, told. The picture first, then the words.

const redraws = [];

function storyTitle(story, index) {
  const name = story.anomaly
    ? story.anomaly.replace(/-/g, " ") + (story.code ? ` (${story.code})` : "")
    : "What went wrong";
  const several = data.levels.length > 1;
  return el(
    "h2",
    { id: `story-${index}`, class: several ? null : "sr" },
    several ? `Why ${story.level} is violated${story.anomaly ? ": " : ""}` : story.anomaly ? "" : name,
    story.anomaly && el("span", { class: "anomaly" }, several ? name : capital(name)),
  );
}

// What the drawing does not say: the rest of the sentences, the promise, what it means, who is who.
function inWords(story, index) {
  const who = story.cast
    .slice(0, 8)
    .map((c) => ({ ...c, t: transactions.get(c.transaction) }))
    .filter(({ t }) => t)
    .map(({ label, t }) => `${label} = transaction ${t.name} of session ${sessionName(t)}`);
  return el(
    "div",
    { class: "words" },
    el("h3", { class: "sub" }, "In words"),
    story.sentences.slice(index === 0 ? 1 : 0).map((s) => el("p", {}, s)),
    el("p", {}, `${capital(story.level)} promises: ${story.promise}`),
    story.alsoViolated && el("p", {}, `By this anomaly also violated: ${story.alsoViolated}.`),
    story.consequence && el("p", {}, `What it means: ${story.consequence}`),
    story.code && el("p", {}, `Its code: ${story.code}.`),
    who.length > 0 && el("p", { class: "hint" }, `${who.join(", ")}${story.cast.length > 8 ? ", …" : ""}.`),
  );
}

function casesOf(story, index, letters) {
  const prefix = (i) => (index ? `l${index + 1}-` : "") + (i ? `c${i + 1}-` : "");
  const views = story.scenes.map((s, i) => scene(story, s, letters, prefix(i)));
  const holder = el("div", {}, views[0].node);
  let current = 0;
  const tabs = story.scenes.map((s, i) =>
    el(
      "button",
      {
        ...{ type: "button", role: "tab", "aria-selected": String(i === 0), tabindex: i === 0 ? "0" : "-1" },
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
  redraws.push(() => views[current].redraw());
  views.forEach((view, i) => anchored.push((name) => view.has(name) && (i === current || open(i), view.keep(name))));
  if (views.length === 1) return [holder];
  const strip = el("div", { class: "cases", role: "tablist", "aria-label": "Cases" }, tabs);
  strip.addEventListener("keydown", (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move) return;
    const next = (current + move + tabs.length) % tabs.length;
    open(next);
    tabs[next].focus();
  });
  const exhaust =
    "What was recorded leaves open how some things were. These cases exhaust the ways; each ends in a contradiction.";
  const left = `${counted(story.scenesLeftOut, "further case")} not shown here; assay check --json lists all.`;
  return [
    el("p", { class: "hint" }, exhaust),
    strip,
    story.scenesLeftOut > 0 && el("p", { class: "hint" }, left),
    holder,
  ];
}

// What can be drawn where no steps are told: the transactions of the first impossible reads, or the first few.
function exampleOf(story) {
  const reads = story.reads.slice(0, EXAMPLES);
  const ids = new Set(reads.flatMap((r) => [r.transaction, r.writer]));
  const cast = story.cast.filter((c, i) => (reads.length ? ids.has(c.transaction) : i < 2 * EXAMPLES));
  return { ...story, reads, cast };
}

function storySection(story, index) {
  const letters = new Map(story.cast.map((c) => [c.transaction, c.label]));
  const node = el(
    "section",
    { class: "story", "aria-labelledby": `story-${index}` },
    storyTitle(story, index),
    index > 0 && el("p", { class: "lead" }, story.sentences[0]),
  );
  if (story.scenes.length) fill(node, {}, casesOf(story, index, letters));
  else if (story.cast.length) {
    const drawing = new Drawing(exampleOf(story), null, letters, () => ({}));
    node.append(drawing.node, saveButtons(drawing));
    redraws.push(() => drawing.draw(drawing.node.clientWidth || 800));
  }
  if (story.reads.length) fill(node, {}, badReads(story));
  if (story.castLeftOut)
    node.append(el("p", { class: "hint" }, `${counted(story.castLeftOut, "further transaction")} not shown here.`));
  node.append(inWords(story, index));
  const times = timeline(story, letters);
  if (times) node.append(times);
  if (story.cast.length) node.append(operationTables(story, letters));
  return node;
}
